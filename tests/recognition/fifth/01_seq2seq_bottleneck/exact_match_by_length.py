# %% wrong: lengths_that_do_not_occur
# says: The dict also has an entry 0.0 for lengths that no row has, because bincount counts every length up to the largest; only lengths that occur should be keys.
def exact_match_by_length(predicted, target, lengths):
    after = np.arange(target.shape[1])[None, :] >= lengths[:, None]
    right = ((predicted == target) | after).all(axis=1)
    rows = np.bincount(lengths)
    hits = np.bincount(lengths, weights=right)
    return {n: float(hits[n] / max(rows[n], 1)) for n in range(1, len(rows))}


# %% wrong: predictions_overwritten
# says: It overwrites the predictions after the end of each row with the target in the array that was passed in; the result is right, but the argument is modified.
def exact_match_by_length(predicted, target, lengths):
    for i, n in enumerate(lengths):
        predicted[i, n:] = target[i, n:]
    result = {}
    for n in sorted(set(lengths.tolist())):
        rows = lengths == n
        same = [np.array_equal(p, t) for p, t in zip(predicted[rows], target[rows])]
        result[n] = sum(same) / len(same)
    return result
