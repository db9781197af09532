# %% wrong: window_taps_t
# says: runs over at most T taps, so a kernel longer than x is cut
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(min(W, T)):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + weights @ x @ kernel[w]
    return result


# %% wrong: softmax
# says: puts a softmax on the one-hot rows, since weights of a head should sum to 1
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + given_masked_softmax(100.0 * weights) @ x @ kernel[w]
    return result


# %% wrong: causal
# says: a causal convolution: all taps look back
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - W + 1)
        result = result + weights @ x @ kernel[w]
    return result


# %% wrong: flipped
# says: flips the kernel, as the mathematical convolution does
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + weights @ x @ kernel[W - 1 - w]
    return result


# %% right: way_3
# why: TensorFlow: tf.one_hot makes empty rows where the index falls outside; gives a float64 tensor
import tensorflow as tf


def convolution_as_attention(x, kernel):
    T, W = x.shape[0], kernel.shape[0]
    heads = []
    for w in range(W):
        weights = tf.one_hot(tf.range(T) + (w - (W - 1) // 2), T, dtype=tf.float64)
        heads.append(weights @ tf.cast(x, tf.float64) @ tf.cast(kernel[w], tf.float64))
    return tf.add_n(heads)
