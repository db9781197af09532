# %% wrong: view_already_overwritten
# says: `a` is a view of the result, so the second assignment uses the new first column instead of the old one.
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angle = np.arange(T)[:, None] * base ** (-2.0 * np.arange(K // 2) / K)
    cos, sin = np.cos(angle), np.sin(angle)
    out = np.array(x)
    a, b = out[..., 0::2], out[..., 1::2]
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


# %% wrong: writes_into_x
# says: Computes the right values but writes them into the array that was given.
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angle = np.arange(T)[:, None] * base ** (-2.0 * np.arange(K // 2) / K)
    cos, sin = np.cos(angle), np.sin(angle)
    a = x[..., 0::2].copy()
    b = x[..., 1::2].copy()
    x[..., 0::2] = a * cos - b * sin
    x[..., 1::2] = a * sin + b * cos
    return x


# %% wrong: positions_on_axis_one
# says: With a batch it counts positions along axis 1, which are the heads of an array (B, H, T, K).
def rotary(x, base=10000.0):
    axis = 0 if x.ndim == 2 else 1
    K = x.shape[-1]
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    t = np.arange(x.shape[axis]).reshape(shape)
    angle = t * base ** (-2.0 * np.arange(K // 2) / K)
    cos, sin = np.cos(angle), np.sin(angle)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


# %% right: way_1
# why: Builds one K x K rotation matrix per position and multiplies every row vector by it.
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    omega = np.repeat(np.power(float(base), -2.0 * np.arange(K // 2) / K), 2)
    quarter = np.kron(np.eye(K // 2), np.array([[0.0, 1.0], [-1.0, 0.0]]))
    angle = np.multiply.outer(np.arange(T), omega)[:, :, None]
    turns = np.cos(angle) * np.eye(K) + np.sin(angle) * quarter
    return (x[..., None, :] @ turns)[..., 0, :]
