# %% wrong: no_biases
# says: leaves the biases of the projections out
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores, mask)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: mask_after_softmax
# says: multiplies the weights by the mask after the softmax
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores)
    attention = attention if mask is None else attention * mask
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: mask_inverted
# says: takes True for forbidden
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = given_masked_softmax(scores, None if mask is None else ~mask)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% wrong: unstable
# says: a softmax of its own that exponentiates large scores as they are
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    B, T, D = query.shape
    S, K = key.shape[1], D // num_heads

    def project(x, name):
        x = x @ weights["w_" + name] + weights["b_" + name]
        return x.reshape(B, -1, num_heads, K).swapaxes(1, 2)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    scores = q @ k.swapaxes(-2, -1) / np.sqrt(K)
    if mask is not None and mask.ndim == 3:
        mask = mask[:, None]
    attention = np.exp(scores) if mask is None else np.exp(scores) * mask
    total = attention.sum(axis=-1, keepdims=True)
    attention = attention / np.where(total == 0, 1, total)
    heads = attention @ v
    merged = heads.swapaxes(1, 2).reshape(B, T, D)
    return merged @ weights["w_o"] + weights["b_o"], attention


# %% right: way_2
# why: einsum with kernels of shape (D, H, K), as Keras keeps them; the output as a sum over the heads
def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    D = query.shape[-1]
    K = D // num_heads
    q, k, v = (
        np.einsum("btd,dhk->bhtk", x, weights["w_" + n].reshape(D, num_heads, K))
        + weights["b_" + n].reshape(num_heads, 1, K)
        for x, n in ((query, "q"), (key, "k"), (value, "v"))
    )
    scores = np.einsum("bhtk,bhsk->bhts", q, k) * K**-0.5
    if mask is None:
        allowed = np.ones(scores.shape, dtype=bool)
    else:
        allowed = np.broadcast_to(np.expand_dims(mask, 1) if np.ndim(mask) == 3 else mask, scores.shape)
    top = np.max(scores, axis=-1, keepdims=True, where=allowed, initial=-1e300)
    parts = np.where(allowed, np.exp(np.minimum(scores - top, 0.0)), 0.0)
    attention = parts / np.maximum(parts.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    output = np.einsum("bhts,bhsk,hkd->btd", attention, v, weights["w_o"].reshape(num_heads, K, D))
    return output + weights["b_o"], attention


# %% right: way_4
# why: TensorFlow with heads made by tf.split and tf.concat, in the precision of the query
import tensorflow as tf


def multi_head_attention(query, value, key, weights, num_heads, mask=None):
    dtype = query.dtype
    w = {n: tf.cast(a, dtype) for n, a in weights.items()}
    q = tf.stack(tf.split(tf.cast(query, dtype) @ w["w_q"] + w["b_q"], num_heads, axis=-1), axis=1)
    k = tf.stack(tf.split(tf.cast(key, dtype) @ w["w_k"] + w["b_k"], num_heads, axis=-1), axis=1)
    v = tf.stack(tf.split(tf.cast(value, dtype) @ w["w_v"] + w["b_v"], num_heads, axis=-1), axis=1)
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(q.shape[-1], dtype))
    if mask is None:
        attention = tf.nn.softmax(scores)
    else:
        allowed = tf.convert_to_tensor(mask)
        allowed = tf.broadcast_to(allowed[:, None] if len(allowed.shape) == 3 else allowed, scores.shape)
        attention = tf.nn.softmax(tf.where(allowed, scores, scores.dtype.min))
        attention = tf.where(allowed, attention, tf.zeros_like(attention))
    merged = tf.concat(tf.unstack(attention @ v, axis=1), axis=-1)
    return (merged @ w["w_o"] + w["b_o"]).numpy(), attention.numpy()
