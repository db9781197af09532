# %% wrong: second_column_uses_new_first
# says: a and b are views of the array that is being filled, so the odd columns are computed from the already rotated even columns instead of the old ones.
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    c, s = np.cos(angles), np.sin(angles)
    out = x.copy()
    a, b = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = a * c - b * s
    out[..., 1::2] = a * s + b * c
    return out


# %% wrong: halves_instead_of_neighbours
# says: It pairs column i with column i + K/2 (first half with second half) instead of the neighbouring columns 2i and 2i + 1; right only for K = 2.
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    half = K // 2
    angles = np.outer(np.arange(T), base ** (-2 * np.arange(half) / K))
    c = np.concatenate([np.cos(angles)] * 2, axis=-1)
    s = np.concatenate([np.sin(angles)] * 2, axis=-1)
    turned = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return x * c + turned * s
