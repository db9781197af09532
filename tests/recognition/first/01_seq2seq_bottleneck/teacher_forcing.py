# %% wrong: shifts_the_wrong_way
# says: shifts to the left, so the decoder is shown the word after the one it has to predict
def teacher_forcing(target, start_id):
    start = np.full((target.shape[0], 1), start_id)
    return np.concatenate([target[:, 1:], start], axis=1), target


# %% wrong: end_mark_removed
# says: thinks that the end mark may never be an input, and puts padding where it stands in shorter sentences
def teacher_forcing(target, start_id):
    start = np.full((target.shape[0], 1), start_id)
    decoder_input = np.concatenate([start, target[:, :-1]], axis=1)
    decoder_input[decoder_input == 2] = 0
    return decoder_input, target


# %% wrong: target_shifted_too
# says: shifts the target as well, to the left, so between input and target there are two steps
def teacher_forcing(target, start_id):
    start = np.full((target.shape[0], 1), start_id)
    nothing = np.zeros((target.shape[0], 1), dtype=target.dtype)
    decoder_input = np.concatenate([start, target[:, :-1]], axis=1)
    decoder_target = np.concatenate([target[:, 1:], nothing], axis=1)
    return decoder_input, decoder_target


# %% wrong: changes_the_target
# says: another name is not a copy, so the target is changed and both results are the shifted array
def teacher_forcing(target, start_id):
    decoder_input = target
    decoder_input[:, 1:] = decoder_input[:, :-1].copy()
    decoder_input[:, 0] = start_id
    return decoder_input, target


# %% right: way_3
# why: keras.ops pads one column of start ids in front; the results are int32 arrays
def teacher_forcing(target, start_id):
    ids = keras.ops.convert_to_tensor(target, dtype="int32")
    shifted = keras.ops.pad(ids[:, :-1], [[0, 0], [1, 0]], constant_values=start_id)
    return keras.ops.convert_to_numpy(shifted), keras.ops.convert_to_numpy(ids)


# %% right: way_2
# why: rolls all columns round by one, then overwrites the first with the start id
def teacher_forcing(target, start_id):
    decoder_input = np.roll(target, 1, axis=1)
    decoder_input[:, 0] = start_id
    return decoder_input, target
