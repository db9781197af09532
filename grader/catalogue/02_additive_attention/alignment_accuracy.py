# %% wrong: argmax_over_target
# says: You took the largest weight of each source position. For each target position, a row, take the largest along the row.
# self-check: rows
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=0)
    hits = [int(best[i]) in g for i, g in enumerate(gold) if g and i < len(best)]
    return float(np.mean(hits)) if hits else 0.0

# %% wrong: argmax_over_target_by_row
# says: You took the largest weight of each source position. For each target position, a row, take the largest along the row.
# self-check: rows
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=0)
    return float(np.mean([int(best[i]) in g for i, g in enumerate(gold) if g]))

# %% wrong: empty_counted_wrong
# says: Positions with an empty set were counted as wrong. They have no right answer and are left out.
# self-check: counted as wrong
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(np.mean([int(j) in g for j, g in zip(best, gold)]))

# %% wrong: empty_counted_right
# says: Positions with an empty set were counted as right. They have no right answer and are left out.
# self-check: counted as right
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(np.mean([not g or int(j) in g for j, g in zip(best, gold)]))

# %% wrong: last_of_ties
# says: Of equal weights you took the last. The first counts, as np.argmax has it.
# self-check: the first
def alignment_accuracy(weights, gold):
    S = weights.shape[1]
    best = S - 1 - np.argmax(weights[:, ::-1], axis=-1)
    return float(np.mean([int(j) in g for j, g in zip(best, gold) if g]))

# %% wrong: weight_on_gold
# says: You added up the weight on right positions. Only the largest weight of each row counts, as right or wrong.
# self-check: right or wrong
def alignment_accuracy(weights, gold):
    return float(np.mean([sum(float(row[j]) for j in g) for row, g in zip(weights, gold) if g]))

# %% wrong: whole_set_wanted
# says: The set names all right positions; one of them is enough.
# self-check: one element
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(np.mean([{int(j)} == {int(k) for k in g} for j, g in zip(best, gold) if g]))

# %% wrong: only_smallest
# says: You compared with one element of the set only. Any element is right.
# self-check: one element
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(np.mean([int(j) == min(g) for j, g in zip(best, gold) if g]))

# %% wrong: a_count
# says: You returned the number of hits. The share is that number divided by the number of positions that count.
# self-check: number of hits
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(sum(int(j) in g for j, g in zip(best, gold) if g))

# %% wrong: percent
# says: A share from 0 to 1 is wanted, not percent.
# self-check: percent
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return 100 * float(np.mean([int(j) in g for j, g in zip(best, gold) if g]))

# %% wrong: above_one_half
# says: You asked for a weight above 0.5. The largest weight counts, however small it is.
# self-check: however small
def alignment_accuracy(weights, gold):
    return float(np.mean([any(row[j] > 0.5 for j in g) for row, g in zip(weights, gold) if g]))

# %% wrong: rows_shifted_by_empty_sets
# says: You dropped the empty sets but not their rows, so the rows after them are compared with the wrong sets.
# self-check: its own set
def alignment_accuracy(weights, gold):
    best = np.argmax(weights, axis=-1)
    return float(np.mean([int(j) in g for j, g in zip(best, [g for g in gold if g])]))

# %% right: plain_loop
# why: counting by hand
def alignment_accuracy(weights, gold):
    right = counted = 0
    for row, allowed in zip(weights, gold):
        if len(allowed) == 0:
            continue
        counted += 1
        right += max(range(len(row)), key=lambda j: row[j]) in allowed
    return right / counted

# %% right: boolean_table
# why: a table of right positions, read at the largest weights
def alignment_accuracy(weights, gold):
    table = np.zeros(np.shape(weights), dtype=bool)
    for i, allowed in enumerate(gold):
        table[i, list(allowed)] = bool(allowed)
    counts = table.any(axis=1)
    best = np.asarray(weights).argmax(axis=1)
    return table[np.arange(len(table)), best][counts].mean()

# %% right: with_keras_ops
# why: the library's argmax, a NumPy float
def alignment_accuracy(weights, gold):
    best = keras.ops.convert_to_numpy(keras.ops.argmax(weights, axis=-1))
    return np.float32(np.average([best[i] in g for i, g in enumerate(gold) if g]))
