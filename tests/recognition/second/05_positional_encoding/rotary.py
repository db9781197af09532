# %% wrong: scaled
# says: keeps the sum of squares of two rotations: divides by the root of 2
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out / np.sqrt(2)


# %% wrong: degrees
# says: takes the angles for degrees
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    cos, sin = np.cos(np.radians(angles)), np.sin(np.radians(angles))
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


# %% wrong: axis_1
# says: takes axis 1 for the positions: right for (B, T, K) only
def rotary(x, base=10000.0):
    K = x.shape[-1]
    axis = 1 if x.ndim > 2 else 0
    T = x.shape[axis]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    angles = angles.reshape((T,) + (1,) * (x.ndim - 2 - axis) + (K // 2,))
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


# %% wrong: other_way
# says: turns the other way round
def rotary(x, base=10000.0):
    T, K = x.shape[-2:]
    angles = np.arange(T)[:, None] * base ** (-np.arange(0, K, 2) / K)
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    out = np.empty(x.shape)
    out[..., 0::2] = a * cos + b * sin
    out[..., 1::2] = b * cos - a * sin
    return out


# %% right: way_1
# why: loops over every place and pair with math
import math


def rotary(x, base=10000.0):
    T, K = x.shape[-2], x.shape[-1]
    result = np.zeros(x.shape, dtype=float)
    for front in np.ndindex(x.shape[:-2]):
        for p in range(T):
            for i in range(K // 2):
                angle = p * base ** (-2 * i / K)
                a, b = float(x[front + (p, 2 * i)]), float(x[front + (p, 2 * i + 1)])
                result[front + (p, 2 * i)] = a * math.cos(angle) - b * math.sin(angle)
                result[front + (p, 2 * i + 1)] = a * math.sin(angle) + b * math.cos(angle)
    return result


# %% right: way_4
# why: a 2 x 2 matrix for every place and pair, in one einsum, rounded to single precision at the end
def rotary(x, base=10000.0):
    *front, T, K = x.shape
    angles = np.arange(T)[:, None] * base ** (-2 * np.arange(K // 2) / K)
    c, s = np.cos(angles), np.sin(angles)
    matrices = np.array([[c, -s], [s, c]])
    pairs = np.reshape(x, (*front, T, K // 2, 2))
    return np.einsum("uvti,...tiv->...tiu", matrices, pairs).reshape(x.shape).astype("float32")
