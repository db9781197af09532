# %% wrong: roll_wraps_last_sentence
# says: Rolls the flattened batch and sets only the very first entry to the start id, so that every other row begins with the last id of the row above.
def teacher_forcing(target, start_id):
    decoder_input = np.roll(target, 1)
    decoder_input[0, 0] = start_id
    return decoder_input, target


# %% wrong: target_loses_its_first_id
# says: The input is right, but the target is also shifted by one (to the left, with the last id repeated), although it must stay unchanged.
def teacher_forcing(target, start_id):
    start = np.full_like(target[:, :1], start_id)
    decoder_input = np.concatenate([start, target[:, :-1]], axis=1)
    decoder_target = np.concatenate([target[:, 1:], target[:, -1:]], axis=1)
    return decoder_input, decoder_target
