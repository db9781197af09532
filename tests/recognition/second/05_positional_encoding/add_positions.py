# %% wrong: trusts_broadcasting
# says: leaves the error to NumPy's broadcasting, which says nothing if the encoding has one row
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    return np.sqrt(D) * table[ids] + encoding[:T]


# %% wrong: refuses_unequal
# says: demands T = L; a longer encoding is refused
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T != len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    return np.sqrt(D) * table[ids] + encoding[:T]


# %% wrong: divided
# says: divides by the root, as in attention
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T > len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    return table[ids] / np.sqrt(D) + encoding[:T]


# %% wrong: inplace_encoding
# says: adds the words of each sentence into the encoding itself
def add_positions(ids, table, encoding):
    T, D = ids.shape[1], table.shape[1]
    if T > len(encoding):
        raise ValueError(f"{T} words, {len(encoding)} positions")
    places = encoding[:T]
    result = []
    for sentence in ids:
        places += np.sqrt(D) * table[sentence]
        result.append(places.copy())
        places -= np.sqrt(D) * table[sentence]
    encoding[:T] = result[-1]
    return np.array(result)


# %% right: way_1
# why: loops over sentences, places and columns
import math


def add_positions(ids, table, encoding):
    B, T = len(ids), len(ids[0])
    D = len(table[0])
    if len(encoding) < T:
        raise ValueError("the encoding is too short")
    result = np.zeros((B, T, D))
    for b in range(B):
        for t in range(T):
            for d in range(D):
                result[b, t, d] = math.sqrt(D) * table[ids[b, t], d] + encoding[t, d]
    return result
