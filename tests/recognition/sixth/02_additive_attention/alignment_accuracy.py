# %% wrong: any_maximum_may_hit
# says: On a tie it counts a hit if any of the largest weights lies in the gold set, instead of looking only at the first.
def alignment_accuracy(weights, gold):
    hits = []
    for row, right in zip(weights, gold):
        if right:
            hits.append(any(row[j] == row.max() for j in right))
    return float(np.mean(hits))


# %% wrong: divides_by_all_positions
# says: Empty gold sets are skipped in counting the hits, but the number of hits is divided by all target positions.
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    hits = sum(int(j) in right for j, right in zip(best, gold))
    return hits / len(gold)
