# %% wrong: columns
# says: takes the largest weight of each source position (down the columns) instead of each target position
def alignment_accuracy(weights, gold):

    best = np.argmax(weights, axis=0)
    hits = [j in positions for j, positions in zip(best, gold) if positions]
    return float(np.mean(hits))


# %% wrong: last_tie
# says: takes the last of several equally large weights, because sorting puts the largest at the end
def alignment_accuracy(weights, gold):

    hits = []
    for row, positions in zip(weights, gold):
        if positions:
            hits.append(np.argsort(row, kind="stable")[-1] in positions)
    return float(np.mean(hits))


# %% wrong: empty_wrong
# says: counts positions without a right answer as wrong
def alignment_accuracy(weights, gold):

    hits = [j in positions for j, positions in zip(np.argmax(weights, axis=-1), gold)]
    return float(np.mean(hits))


# %% wrong: break_at_empty
# says: stops at the first empty set instead of leaving just that position out
def alignment_accuracy(weights, gold):

    right = counted = 0
    for row, positions in zip(weights, gold):
        if not positions:
            break
        counted += 1
        right += int(np.argmax(row)) in positions
    return right / max(counted, 1)


# %% right: way_1
# why: pure Python: the largest weight is looked for in a loop, returns a Python float
def alignment_accuracy(weights, gold):

    right = counted = 0
    for row, positions in zip(weights, gold):
        if len(positions) == 0:
            continue
        best = 0
        for j in range(1, len(row)):
            if row[j] > row[best]:
                best = j
        counted += 1
        right += best in positions
    return right / counted
