# %% wrong: epsilon
# says: guards against 0 / 0 with a small number added to the lengths, which swamps short vectors
def similarity(query, key, kind="dot"):
    dot = query @ np.swapaxes(key, -2, -1)
    if kind == "dot":
        return dot
    elif kind == "scaled_dot":
        return dot / np.sqrt(query.shape[-1])
    elif kind == "cosine":
        q_len = np.linalg.norm(query, axis=-1, keepdims=True)
        k_len = np.swapaxes(np.linalg.norm(key, axis=-1, keepdims=True), -2, -1)
        return dot / (q_len * k_len + 1e-8)
    else:
        raise ValueError("unknown kind")


# %% wrong: inplace
# says: normalises with /= and so changes the arrays of the caller
def similarity(query, key, kind="dot"):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError("unknown kind")
    if kind == "cosine":
        for x in (query, key):
            n = np.linalg.norm(x, axis=-1, keepdims=True)
            n[n == 0] = 1
            x /= n
    scores = query @ key.swapaxes(-2, -1)
    if kind == "scaled_dot":
        scores /= np.sqrt(query.shape[-1])
    return scores


# %% wrong: scale_len_key
# says: takes the number of keys for the width: sqrt(key.shape[-2]) instead of sqrt(key.shape[-1])
def similarity(query, key, kind="dot"):
    turned = np.swapaxes(key, -2, -1)
    scores = query @ turned
    if kind == "dot":
        return scores
    if kind == "scaled_dot":
        return scores / np.sqrt(turned.shape[-1])
    if kind == "cosine":
        nq, nk = np.linalg.norm(query, axis=-1, keepdims=True), np.linalg.norm(turned, axis=-2, keepdims=True)
        return scores / np.where(nq == 0, 1, nq) / np.where(nk == 0, 1, nk)
    raise ValueError(kind)


# %% wrong: keyerror
# says: looks the kind up in a dictionary, so an unknown kind raises KeyError where ValueError is asked for
def similarity(query, key, kind="dot"):
    def cosine(q, k):
        nq, nk = np.linalg.norm(q, axis=-1, keepdims=True), np.linalg.norm(k, axis=-1, keepdims=True)
        return dot(q / np.where(nq == 0, 1, nq), k / np.where(nk == 0, 1, nk))

    def dot(q, k):
        return q @ np.swapaxes(k, -2, -1)

    kinds = {"dot": dot, "cosine": cosine, "scaled_dot": lambda q, k: dot(q, k) / np.sqrt(q.shape[-1])}
    return kinds[kind](query, key)


# %% right: way_3
# why: TensorFlow in double precision (matmul with transpose_b, divide_no_nan), gives a tensor
import tensorflow as tf


def similarity(query, key, kind="dot"):
    q, k = tf.cast(query, tf.float64), tf.cast(key, tf.float64)
    dots = tf.matmul(q, k, transpose_b=True)
    match kind:
        case "dot":
            return dots
        case "scaled_dot":
            return dots / tf.sqrt(tf.cast(tf.shape(q)[-1], tf.float64))
        case "cosine":
            dots = tf.math.divide_no_nan(dots, tf.norm(q, axis=-1)[..., :, None])
            return tf.math.divide_no_nan(dots, tf.norm(k, axis=-1)[..., None, :])
    raise ValueError(kind)


# %% right: way_2
# why: one einsum, the vectors divided by their lengths first, with a length of 0 replaced by 1
def similarity(query, key, kind="dot"):
    def unit(x):
        length = np.sqrt((x**2).sum(axis=-1, keepdims=True))
        return x / np.where(length == 0, 1.0, length)

    if kind == "cosine":
        query, key = unit(query), unit(key)
    elif kind not in {"dot", "scaled_dot"}:
        raise ValueError("kind has to be dot, cosine or scaled_dot")
    result = np.einsum("...td,...sd->...ts", query, key)
    if kind == "scaled_dot":
        result = result * query.shape[-1] ** -0.5
    return result
