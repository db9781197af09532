# %% wrong: share_of_positions
# says: It averages over the single positions of each length, so a row that is partly right counts partly instead of not at all.
def exact_match_by_length(predicted, target, lengths):
    hits, total = {}, {}
    for p, t, n in zip(predicted, target, lengths):
        n = int(n)
        hits[n] = hits.get(n, 0) + int(np.sum(p[:n] == t[:n]))
        total[n] = total.get(n, 0) + n
    return {n: hits[n] / total[n] for n in total}


# %% wrong: zero_means_padding
# says: The real positions are taken to be those where the target is not 0, instead of the first lengths[i]; a real 0 is skipped and ids after the length count.
def exact_match_by_length(predicted, target, lengths):
    ok = ((predicted == target) | (target == 0)).all(axis=1)
    return {int(n): float(ok[lengths == n].mean()) for n in np.unique(lengths)}


# %% wrong: halves_with_each_row
# says: The fraction is updated as (old + new) / 2 for each row, which is the mean only for up to two rows of a length; later rows get too much weight.
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for i, n in enumerate(lengths.tolist()):
        right = 1.0 if np.array_equal(predicted[i, :n], target[i, :n]) else 0.0
        if n in result:
            result[n] = (result[n] + right) / 2
        else:
            result[n] = right
    return result


# %% right: cumprod_and_bincount
# why: the cumulative product of the hits, read at the last real position, is 1 only for a flawless row; bincount averages it per length
def exact_match_by_length(predicted, target, lengths):
    so_far = np.cumprod((predicted == target).astype(int), axis=1)
    flawless = np.take_along_axis(so_far, lengths[:, None].astype(int) - 1, axis=1).ravel()
    counts = np.bincount(lengths)
    sums = np.bincount(lengths, weights=flawless)
    return {int(n): float(sums[n] / counts[n]) for n in np.flatnonzero(counts)}
