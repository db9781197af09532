# %% wrong: fraction_of_tokens
# says: Computes the fraction of right positions for each length instead of the fraction of rows that are entirely right.
def exact_match_by_length(predicted, target, lengths):
    real = np.arange(target.shape[1]) < lengths[:, None]
    right = (predicted == target) & real
    return {int(n): float(right[lengths == n].sum() / real[lengths == n].sum()) for n in np.unique(lengths)}


# %% wrong: real_where_target_not_zero
# says: Takes the positions where the target is not 0 as real instead of using the lengths, so a wrong word at a real 0 is not noticed and ids after the length count.
def exact_match_by_length(predicted, target, lengths):
    right = ((predicted == target) | (target == 0)).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}
