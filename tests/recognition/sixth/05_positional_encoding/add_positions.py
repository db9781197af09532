# %% wrong: refuses_the_full_length
# says: Raises ValueError already if the sentence is exactly as long as the encoding (>= instead of >).
def add_positions(ids, table, encoding):
    ids, table, encoding = np.asarray(ids), np.asarray(table), np.asarray(encoding)
    T = ids.shape[1]
    if T >= encoding.shape[0]:
        raise ValueError("the sentence is longer than the encoding")
    return np.sqrt(table.shape[1]) * table[ids] + encoding[:T]


# %% wrong: root_of_the_vocabulary
# says: Multiplies the token part by the root of len(table), the number of words, instead of the root of the width D.
def add_positions(ids, table, encoding):
    ids, table, encoding = np.asarray(ids), np.asarray(table), np.asarray(encoding)
    if ids.shape[1] > len(encoding):
        raise ValueError("the sentence is longer than the encoding")
    return np.sqrt(len(table)) * table[ids] + encoding[:ids.shape[1]]


# %% right: position_by_position
# why: Goes through the positions one by one, takes all sentences' words at that position with np.take, and stacks at the end; the error comes from its own loop over positions.
def add_positions(ids, table, encoding):
    ids, table, encoding = np.asarray(ids), np.asarray(table), np.asarray(encoding)
    root = float(table.shape[-1]) ** 0.5
    columns = []
    for t, words in enumerate(ids.T):
        if t == len(encoding):
            raise ValueError(f"no row of the encoding for position {t}")
        columns.append(np.take(table, words, axis=0) * root + encoding[t])
    return np.stack(columns, axis=1)
