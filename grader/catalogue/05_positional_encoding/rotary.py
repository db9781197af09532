# %% wrong: other_direction
# says: You rotate clockwise. Counter-clockwise, (a, b) goes to (a cos - b sin, a sin + b cos).
# self-check: the other way
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) + b * np.sin(t), b * np.cos(t) - a * np.sin(t)], -1).reshape(x.shape)

# %% wrong: pairs_of_halves
# says: You paired column i with column i + K/2, as some libraries do. Here the pairs are (0, 1), (2, 3), ...
# self-check: forms a pair with column 2
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., : K // 2], x[..., K // 2 :]
    return np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1)

# %% wrong: one_angle
# says: All pairs rotate by the same angle. Pair i rotates by base ** (-2i / K) per position.
# self-check: same angle
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * np.ones(K // 2)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: starts_at_one
# says: Your first position is 1. Positions begin at 0, and position 0 is not rotated.
# self-check: starts at 0
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(1, T + 1)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: positions_along_the_first_axis
# says: Your positions run along the first axis. They run along the second-to-last one, after batch and heads.
# self-check: second-to-last axis
def rotary(x, base=10000.0):
    K = x.shape[-1]
    t = np.arange(x.shape[0]).reshape(-1, *[1] * (x.ndim - 1)) * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: uses_the_new_column
# says: The second column of a pair was computed from the new first one. Both need the old values.
# self-check: new first one
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    out = np.array(x, dtype=float)
    out[..., 0::2] = out[..., 0::2] * np.cos(t) - out[..., 1::2] * np.sin(t)
    out[..., 1::2] = out[..., 0::2] * np.sin(t) + out[..., 1::2] * np.cos(t)
    return out

# %% wrong: exponent_without_two
# says: The exponent of pair i is -2i / K; yours is -i / K.
# self-check: twice the number
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(K // 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: base_ignored
# says: Your formula contains 10000 where the argument base belongs.
# self-check: argument base
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * 10000.0 ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: changes_its_input
# says: The queries that were handed in are changed. Work on a copy.
# self-check: copy
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2].copy(), x[..., 1::2].copy()
    x[..., 0::2] = a * np.cos(t) - b * np.sin(t)
    x[..., 1::2] = a * np.sin(t) + b * np.cos(t)
    return x

# %% wrong: adds_instead_of_turning
# says: You added sines and cosines to the vector. Rotary positions rotate it: nothing is added, and the norm stays.
# self-check: rotate and add nothing
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    return x + np.stack([np.sin(t), np.cos(t)], -1).reshape(T, K)

# %% wrong: columns_not_interleaved
# says: The rotated columns were put side by side, all first ones and then all second ones. They have to alternate.
# self-check: another order
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.concatenate([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1)

# %% wrong: reflection
# says: This is a reflection: at position 0 the second column changes its sign. Check the signs.
# self-check: reflection
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) + b * np.sin(t), a * np.sin(t) - b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: degrees
# says: You converted the angles from degrees. They are in radians already, which np.sin and np.cos expect.
# self-check: degrees
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.deg2rad(np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K))
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(x.shape)

# %% wrong: two_axes_only
# says: Your function takes two axes only. Axes for batch and heads may come first.
# self-check: runs
def rotary(x, base=10000.0):
    T, K = x.shape
    t = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    a, b = x[:, 0::2], x[:, 1::2]
    return np.stack([a * np.cos(t) - b * np.sin(t), a * np.sin(t) + b * np.cos(t)], -1).reshape(T, K)

# %% right: complex_numbers
# why: a pair is a complex number, turning is a product
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    z = (x[..., 0::2] + 1j * x[..., 1::2]) * np.exp(1j * np.outer(np.arange(T), base ** (-np.arange(0, K, 2) / K)))
    out = np.empty(x.shape)
    out[..., 0::2], out[..., 1::2] = z.real, z.imag
    return out

# %% right: partner_columns
# why: cosine times the vector plus sine times its partner with alternating signs
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    t = np.repeat(np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K), 2, axis=-1)
    partner = x[..., np.arange(K) ^ 1] * np.tile([-1.0, 1.0], K // 2)
    return np.cos(t) * x + np.sin(t) * partner

# %% right: loop_over_matrices
# why: one 2 x 2 matrix per position and pair
def rotary(x, base=10000.0):
    out = np.array(x, dtype="float64")
    T, K = x.shape[-2:]
    for p in range(T):
        for i in range(0, K, 2):
            w = p / base ** (i / K)
            turn = np.array([[np.cos(w), -np.sin(w)], [np.sin(w), np.cos(w)]])
            out[..., p, i : i + 2] = x[..., p, i : i + 2] @ turn.T
    return out

# %% right: float32_with_keras
# why: tensors in single precision
def rotary(x, base=10000.0):
    ops = keras.ops
    T, K = x.shape[-2:]
    t = (np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)).astype("float32")
    x = ops.convert_to_tensor(x, "float32")
    a, b = x[..., 0::2], x[..., 1::2]
    turned = ops.stack([a * ops.cos(t) - b * ops.sin(t), a * ops.sin(t) + b * ops.cos(t)], axis=-1)
    return ops.convert_to_numpy(ops.reshape(turned, x.shape))

# %% equivalent
# because: a slice from 0 is a slice from the beginning
# was: a, b = (x[..., 0::2], x[..., 1::2])
# now: a, b = (x[..., ::2], x[..., 1::2])
