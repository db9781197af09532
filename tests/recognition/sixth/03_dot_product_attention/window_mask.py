# %% wrong: only_looks_back
# says: window_mask allows only keys up to radius before the query, none after it.
def window_mask(T, S, radius):
    back = np.arange(T)[:, None] - np.arange(S)
    return (back >= 0) & (back <= radius)


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=1)]


# %% wrong: ties_are_averaged
# says: hard_attention averages the values of all keys that share the largest score, instead of taking the first.
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius


def hard_attention(scores, value):
    best = (scores == scores.max(axis=1, keepdims=True)).astype(float)
    return best / best.sum(axis=1, keepdims=True) @ value
