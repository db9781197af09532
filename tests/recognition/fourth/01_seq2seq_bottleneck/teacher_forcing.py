# %% wrong: replaces_first_id
# says: The start id replaces the first word instead of being put in front of it; nothing is shifted, so from the second position on the input is the target itself.
def teacher_forcing(target, start_id):
    front = np.full((target.shape[0], 1), start_id, dtype=target.dtype)
    decoder_input = np.concatenate([front, target[:, 1:]], axis=1)
    return decoder_input, target


# %% wrong: float_input
# says: The decoder input is made with the default dtype of np.empty, so it holds floats although integer ids are asked for.
def teacher_forcing(target, start_id):
    B, T = target.shape
    decoder_input = np.empty((B, T))
    for t in range(T):
        decoder_input[:, t] = start_id if t == 0 else target[:, t - 1]
    return decoder_input, target.copy()


# %% wrong: one_long_row
# says: The batch is shifted as one flattened row, so only the first sentence begins with the start id; the others begin with the last id of the sentence before.
def teacher_forcing(target, start_id):
    words = [start_id] + target.flatten().tolist()
    decoder_input = np.array(words[:-1], dtype=target.dtype).reshape(target.shape)
    return decoder_input, target


# %% right: roll_then_overwrite
# why: rolls the flattened batch by one and overwrites the first column, the only place where ids of other rows arrive
def teacher_forcing(target, start_id):
    rolled = np.roll(target, 1)
    rolled[:, 0] = start_id
    return rolled, target
