# %% wrong: target_shifted_too
# says: The decoder's target is shifted as well (one step earlier, with a zero at the end), but it should be returned unchanged; so input and target are two steps apart.
def teacher_forcing(target, start_id):
    first = np.full_like(target[:, :1], start_id)
    decoder_input = np.hstack([first, target[:, :-1]])
    decoder_target = np.hstack([target[:, 1:], np.zeros_like(target[:, :1])])
    return decoder_input, decoder_target


# %% wrong: smeared_start
# says: The loop copies each column from the already overwritten column before it, so the start id is smeared over the whole input instead of shifting the target by one step.
def teacher_forcing(target, start_id):
    decoder_input = target.copy()
    decoder_input[:, 0] = start_id
    for t in range(1, target.shape[1]):
        decoder_input[:, t] = decoder_input[:, t - 1]
    return decoder_input, target


# %% right: roll_without_axis
# why: np.roll without an axis rolls the flattened array, so the last word of a row falls into column 0 of the next row; but column 0 is overwritten in all rows, so the result is right. np.roll makes a new array.
def teacher_forcing(target, start_id):
    shifted = np.roll(target, 1)
    shifted[:, 0] = start_id
    return shifted, target
