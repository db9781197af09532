# %% wrong: above_half
# says: counts a position as right if a gold weight is above one half, not if it is the largest
def alignment_accuracy(weights, gold):

    hits = [any(row[j] > 0.5 for j in positions) for row, positions in zip(weights, gold) if positions]
    return float(np.mean(hits))


# %% wrong: per_gold_element
# says: divides by the number of all gold positions, as a recall over links would
def alignment_accuracy(weights, gold):

    right = sum(int(np.argmax(row)) in positions for row, positions in zip(weights, gold))
    return right / sum(len(positions) for positions in gold)


# %% wrong: any_of_set
# says: asks any(positions) whether a set is empty; {0} counts as empty too, because 0 is false
def alignment_accuracy(weights, gold):

    hits = [int(np.argmax(row)) in positions for row, positions in zip(weights, gold) if any(positions)]
    return float(np.mean(hits)) if hits else 0.0


# %% wrong: equals
# says: compares the position with the set by ==, which is never true
def alignment_accuracy(weights, gold):

    hits = [np.argmax(row) == positions for row, positions in zip(weights, gold) if positions]
    return float(np.mean(hits))


# %% right: way_2
# why: vectorised: a table of allowed positions, looked up at the argmax of each row; np.float64
def alignment_accuracy(weights, gold):

    weights = np.asarray(weights)
    table = np.zeros(weights.shape, dtype=bool)
    for i, positions in enumerate(gold):
        table[i, list(positions)] = True
    counts = table.any(axis=1)
    hits = np.take_along_axis(table, weights.argmax(axis=1)[:, None], axis=1)[:, 0]
    return np.mean(hits[counts])


# %% right: way_3
# why: Keras operations; returns a float32 tensor without axes
def alignment_accuracy(weights, gold):

    best = keras.ops.argmax(keras.ops.convert_to_tensor(np.array(weights)), axis=-1)
    hits = [float(int(j) in positions) for j, positions in zip(best, gold) if positions]
    return keras.ops.mean(keras.ops.convert_to_tensor(hits, dtype="float32"))
