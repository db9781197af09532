# %% wrong: pairs_across_the_halves
# says: Pairs column i with column i + K/2, as many libraries do, instead of the neighbouring columns 2i and 2i + 1.
def rotary(x, base=10000.0):
    x = np.asarray(x)
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * float(base) ** (-2 * np.arange(K // 2) / K)
    a, b = x[..., : K // 2], x[..., K // 2:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), a * np.sin(angles) + b * np.cos(angles)], axis=-1)


# %% wrong: old_column_overwritten
# says: The even columns are overwritten first (they are a view), and the odd columns are then computed from the new even ones instead of the old ones.
def rotary(x, base=10000.0):
    out = np.array(x)
    T, K = out.shape[-2:]
    angles = np.arange(T)[:, None] * float(base) ** (-np.arange(0, K, 2) / K)
    even, odd = out[..., 0::2], out[..., 1::2]
    even[...] = even * np.cos(angles) - odd * np.sin(angles)
    odd[...] = even * np.sin(angles) + odd * np.cos(angles)
    return out


# %% right: complex_numbers
# why: Reads each pair as a complex number and multiplies by exp(i * angle), where row t is the t-th power of one rotation per pair.
def rotary(x, base=10000.0):
    x = np.ascontiguousarray(x, dtype="float64")
    T, K = x.shape[-2:]
    points = x.view("complex128")
    speed = np.float64(base) ** (-2.0 * np.arange(K // 2) / K)
    turned = points * np.exp(1j * np.multiply.outer(np.arange(T), speed))
    return np.ascontiguousarray(turned).view("float64")
