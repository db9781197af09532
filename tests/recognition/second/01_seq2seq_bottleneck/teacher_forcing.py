# %% wrong: overwrites_the_first
# says: writes the start id over the first word instead of moving all words one step
def teacher_forcing(target, start_id):
    decoder_input = target.copy()
    decoder_input[:, 0] = start_id
    return decoder_input, target


# %% wrong: start_id_is_always_1
# says: writes 1 in front because German's start mark is 1, whatever start_id says
def teacher_forcing(target, start_id):
    decoder_input = np.ones_like(target)
    decoder_input[:, 1:] = target[:, :-1]
    return decoder_input, target


# %% wrong: no_shift
# says: thinks that teacher forcing means to show the decoder the right sentence itself, so the answer leaks
def teacher_forcing(target, start_id):
    return target.copy(), target


# %% wrong: keeps_the_last_token
# says: puts the start in front but drops nothing, so the input has T + 1 columns
def teacher_forcing(target, start_id):
    start = np.full((target.shape[0], 1), start_id)
    return np.concatenate([start, target], axis=1), target


# %% right: way_1
# why: plain loops, entry by entry; the target is returned as a copy
def teacher_forcing(target, start_id):
    inputs = []
    for row in target.tolist():
        new_row = [start_id]
        for t in range(len(row) - 1):
            new_row.append(row[t])
        inputs.append(new_row)
    return np.array(inputs, dtype=target.dtype), np.array(target)
