# %% wrong: halves
# says: pairs column i with column i + K / 2, as some libraries do
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., : K // 2], x[..., K // 2 :]
    out = np.empty(x.shape)
    out[..., : K // 2] = a * cos - b * sin
    out[..., K // 2 :] = a * sin + b * cos
    return out


# %% wrong: no_two
# says: leaves the 2 out of the exponent
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(K // 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


# %% wrong: positive_exponent
# says: later pairs turn faster
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (np.arange(0, K, 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


# %% wrong: multiplies_only
# says: multiplies by cosine and sine column by column: no rotation
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos
    out[..., 1::2] = b * sin
    return out


# %% right: way_3
# why: Keras operations in the precision of x, by cosine times x plus sine times the pairs turned by a right angle
def rotary(x, base=10000.0):
    x = keras.ops.convert_to_tensor(x)
    T, K = x.shape[-2], x.shape[-1]
    angles = np.repeat(np.outer(np.arange(T), float(base) ** (-np.arange(0, K, 2) / K)), 2, axis=-1)
    cos, sin = keras.ops.cast(np.cos(angles), x.dtype), keras.ops.cast(np.sin(angles), x.dtype)
    turned = keras.ops.reshape(keras.ops.stack([-x[..., 1::2], x[..., 0::2]], axis=-1), x.shape)
    return x * cos + turned * sin


# %% right: way_2
# why: complex numbers: a + ib times the unit number of the angle
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    turn = np.exp(1j * np.outer(np.arange(T), base ** (-np.arange(0, K, 2) / K)))
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * turn
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)
