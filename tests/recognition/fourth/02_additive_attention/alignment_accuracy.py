# %% wrong: position_zero_looks_empty
# says: any(g) is false for the set {0}, so target positions whose only right source position is 0 are left out as if their set were empty.
def alignment_accuracy(weights, gold):
    right = []
    for row, g in zip(weights, gold):
        if not any(g):
            continue
        right.append(int(np.argmax(row)) in g)
    return sum(right) / max(len(right), 1)


# %% wrong: weight_on_gold
# says: It averages how much weight falls on the gold positions instead of checking whether the position of the largest weight is one of them.
def alignment_accuracy(weights, gold):
    shares = [row[sorted(g)].sum() for row, g in zip(weights, gold) if len(g) > 0]
    return float(np.mean(shares))


# %% wrong: any_tied_position
# says: On a tie every position with the largest weight is accepted, although only the first of them counts.
def alignment_accuracy(weights, gold):
    correct = 0
    counted = 0
    for i in range(len(gold)):
        if gold[i]:
            best = set(np.flatnonzero(weights[i] == weights[i].max()).tolist())
            counted += 1
            correct += bool(best & set(gold[i]))
    return correct / counted


# %% right: gold_as_table
# why: writes the gold sets as a boolean table (T, S), reads it at the argmax of each row, and averages over the rows that are not empty
def alignment_accuracy(weights, gold):
    table = np.array([[j in g for j in range(weights.shape[1])] for g in gold])
    hit = np.take_along_axis(table, weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    return float(hit[table.any(axis=1)].mean())
