# %% wrong: value_from_decoder
# says: keys from the memory, values from the decoder (fits if T equals S)
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, y if y.shape == memory.shape else memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    z = norm("norm2", y + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: memory_normalised
# says: normalises the memory as well, with norm2
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, norm("norm2", memory), norm("norm2", memory), weights["cross_attention"], num_heads, memory_mask)[0]
    z = norm("norm2", y + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: memory_asks
# says: the memory asks and the decoder answers
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(memory, y, y, weights["cross_attention"], num_heads)[0]
    z = norm("norm2", y + crossed[:, : y.shape[1]])
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% wrong: cross_residual_x
# says: the residual of cross-attention carries the layer's x
def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    def norm(name, a):
        return given_layer_norm(a, **weights[name])

    attended = given_multi_head_attention(x, x, x, weights["self_attention"], num_heads, self_mask)[0]
    y = norm("norm1", x + attended)
    crossed = given_multi_head_attention(y, memory, memory, weights["cross_attention"], num_heads, memory_mask)[0]
    z = norm("norm2", x + crossed)
    return norm("norm3", z + given_feed_forward(z, **weights["ffn"]))


# %% right: way_3
# why: TensorFlow with einsum, masked by minus 1e30 and zeros in empty rows, a double precision tensor
import tensorflow as tf


def decoder_layer(x, memory, weights, num_heads, self_mask=None, memory_mask=None):
    x, memory = tf.cast(x, tf.float64), tf.cast(memory, tf.float64)

    def norm(name, a):
        mean, variance = tf.nn.moments(a, [-1], keepdims=True)
        return (a - mean) / tf.sqrt(variance + 1e-5) * weights[name]["gamma"] + weights[name]["beta"]

    def attend(name, query, other, mask):
        w = weights[name]

        def heads(a, n):
            return tf.stack(tf.split(a @ w["w_" + n] + w["b_" + n], num_heads, axis=-1), axis=1)

        q, k, v = heads(query, "q"), heads(other, "k"), heads(other, "v")
        scores = tf.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(q.shape[-1])
        allowed = np.broadcast_to(True if mask is None else mask, (len(query), query.shape[1], other.shape[1]))[:, None]
        shares = tf.nn.softmax(tf.where(allowed, scores, tf.constant(-1e30, tf.float64))) * tf.cast(allowed, tf.float64)
        return tf.concat(tf.unstack(shares @ v, axis=1), axis=-1) @ w["w_o"] + w["b_o"]

    y = norm("norm1", x + attend("self_attention", x, x, self_mask))
    z = norm("norm2", y + attend("cross_attention", y, memory, memory_mask))
    hidden = tf.nn.relu(z @ weights["ffn"]["w1"] + weights["ffn"]["b1"])
    return norm("norm3", z + hidden @ weights["ffn"]["w2"] + weights["ffn"]["b2"])
