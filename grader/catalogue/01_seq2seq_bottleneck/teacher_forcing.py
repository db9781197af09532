# %% wrong: shifted_left
# says: You shifted to the left: the decoder would see the word after the one it has to predict.
# self-check: shifted to the left
def teacher_forcing(target, start_id):
    decoder_input = np.full_like(target, start_id)
    decoder_input[:, :-1] = target[:, 1:]
    return decoder_input, target

# %% wrong: identical
# says: Input and target are the same array, so the answer leaks: the decoder learns to copy.
# self-check: leak
def teacher_forcing(target, start_id):
    return target, target

# %% wrong: wraps_around
# says: np.roll moves the last token to the front. The first input is the start mark, and the last token is no input.
# self-check: wraps
def teacher_forcing(target, start_id):
    return np.roll(target, 1, axis=1), target

# %% wrong: changes_its_input
# says: You write into the array that was handed in. Build the decoder's input as a new array.
# self-check: inputs are unchanged
def teacher_forcing(target, start_id):
    kept = target.copy()
    target[:, 1:] = target[:, :-1].copy()
    target[:, 0] = start_id
    return target, kept

# %% wrong: one_longer
# says: You put the start in front and keep everything: T + 1 tokens. The last token is never an input.
# self-check: last column is never an input
def teacher_forcing(target, start_id):
    start = np.full((len(target), 1), start_id)
    return np.concatenate([start, target], axis=1), target

# %% wrong: first_token_replaced
# says: You overwrite the first token with the start mark and shift nothing: from the second step on the answer leaks.
# self-check: not shifted
def teacher_forcing(target, start_id):
    decoder_input = target.copy()
    decoder_input[:, 0] = start_id
    return decoder_input, target

# %% wrong: shifted_along_the_batch
# says: You shifted along the batch axis, so each sentence gets the words of its neighbour. Time is axis 1.
# self-check: batch axis
def teacher_forcing(target, start_id):
    decoder_input = np.full_like(target, start_id)
    decoder_input[1:] = target[:-1]
    return decoder_input, target

# %% wrong: start_is_always_one
# says: You write 1 as the start mark. The argument start_id says which id it is.
# self-check: start_id, whatever
def teacher_forcing(target, start_id):
    return np.concatenate([np.ones_like(target[:, :1]), target[:, :-1]], axis=1), target

# %% wrong: target_cut_as_well
# says: You drop the first token of the decoder's target. Every token of the sentence has to be predicted.
# self-check: decoder_target has shape
def teacher_forcing(target, start_id):
    start = np.full_like(target[:, :1], start_id)
    return np.concatenate([start, target[:, :-1]], axis=1), target[:, 1:]

# %% wrong: swapped
# says: You return the two in the wrong order: first the decoder's input, then its target.
# self-check: wrong order
def teacher_forcing(target, start_id):
    start = np.full_like(target[:, :1], start_id)
    return target, np.concatenate([start, target[:, :-1]], axis=1)

# %% right: fills_a_new_array
# why: a full array of start ids, then the shifted target written into it; the target comes back as a copy
def teacher_forcing(target, start_id):
    decoder_input = np.full(target.shape, start_id, dtype=target.dtype)
    decoder_input[:, 1:] = target[:, :-1]
    return decoder_input, target.copy()

# %% right: roll_then_overwrite
# why: np.roll makes a copy, whose first column is then overwritten
def teacher_forcing(target, start_id):
    decoder_input = np.roll(target, 1, axis=1)
    decoder_input[:, 0] = start_id
    return decoder_input, target

# %% right: padded
# why: np.pad puts a constant in front
def teacher_forcing(target, start_id):
    return np.pad(target, ((0, 0), (1, 0)), constant_values=start_id)[:, :-1], np.array(target)

# %% right: row_by_row
# why: lists instead of arrays
def teacher_forcing(target, start_id):
    rows = [[start_id, *(int(i) for i in row[:-1])] for row in target]
    return rows, [list(row) for row in target]

# %% right: with_keras_ops
# why: the library's tensors hold the same numbers
def teacher_forcing(target, start_id):
    target = keras.ops.convert_to_tensor(target)
    start = keras.ops.full_like(target[:, :1], start_id)
    return keras.ops.concatenate([start, target[:, :-1]], axis=1), target
