# %% wrong: end_mark_not_compared
# says: takes the end mark for no part of the sentence and compares one position too few
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in np.unique(lengths):
        rows = lengths == n
        result[int(n)] = float((predicted[rows, : n - 1] == target[rows, : n - 1]).all(axis=1).mean())
    return result


# %% wrong: real_means_not_zero
# says: reads the real positions off the target (id not 0) instead of the lengths, although 0 may be a real id
def exact_match_by_length(predicted, target, lengths):
    right = ((predicted == target) | (target == 0)).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}


# %% wrong: counts
# says: returns how many rows are right, not which fraction
def exact_match_by_length(predicted, target, lengths):
    result = {}
    for n in np.unique(lengths):
        rows = lengths == n
        result[int(n)] = int((predicted[rows, :n] == target[rows, :n]).all(axis=1).sum())
    return result


# %% wrong: compares_the_padding
# says: compares whole rows, so a token after the end makes a right row wrong
def exact_match_by_length(predicted, target, lengths):
    right = (predicted == target).all(axis=1)
    return {int(n): float(right[lengths == n].mean()) for n in np.unique(lengths)}


# %% right: way_1
# why: plain loops, a counter of rows and one of right rows; keys are Python ints
def exact_match_by_length(predicted, target, lengths):
    rows, right = {}, {}
    for i in range(len(lengths)):
        n = int(lengths[i])
        rows[n] = rows.get(n, 0) + 1
        ok = True
        for t in range(n):
            if predicted[i][t] != target[i][t]:
                ok = False
                break
        right[n] = right.get(n, 0) + int(ok)
    return {n: right[n] / rows[n] for n in rows}
