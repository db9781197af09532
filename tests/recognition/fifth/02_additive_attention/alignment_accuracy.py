# %% wrong: rows_and_sets_out_of_step
# says: It removes the empty gold sets but not the rows of weights that belong to them, so every row after an empty set is compared with the gold set of another position.
def alignment_accuracy(weights, gold):
    gold = [g for g in gold if len(g) > 0]
    hits = [int(np.argmax(row)) in g for row, g in zip(weights, gold)]
    return sum(hits) / len(gold)


# %% wrong: any_of_the_ties
# says: On a tie it counts a hit if any of the positions with the largest weight is in the gold set; only the first of them should count.
def alignment_accuracy(weights, gold):
    right = counted = 0
    for row, allowed in zip(weights, gold):
        if not allowed:
            continue
        counted += 1
        best = set(np.flatnonzero(row == row.max()).tolist())
        if best & set(allowed):
            right += 1
    return right / counted
