# %% wrong: gamma_per_position
# says: takes gamma and beta for one number per position
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma[: x.shape[-2], None] * (x - mean) / np.sqrt(variance + epsilon) + beta[: x.shape[-2], None] if x.ndim > 1 else gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% wrong: beta_before_gamma
# says: shifts before it scales
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * ((x - mean) / np.sqrt(variance + epsilon) + beta)


# %% wrong: inplace
# says: subtracts the mean with -= and changes the caller's array
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    x -= mean
    return gamma * x / np.sqrt(variance + epsilon) + beta


# %% wrong: no_root
# says: divides by the variance instead of its root
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / (variance + epsilon) + beta


# %% right: way_3
# why: TensorFlow's moments and batch_normalization with the statistics of the last axis; a tensor
import tensorflow as tf


def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = tf.convert_to_tensor(x)
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, tf.cast(beta, x.dtype), tf.cast(gamma, x.dtype), epsilon)


# %% right: way_2
# why: centred first, variance by einsum, multiplied by the reciprocal of the root
def layer_norm(x, gamma, beta, epsilon=1e-5):
    centred = x - np.average(x, axis=-1)[..., np.newaxis]
    variance = np.einsum("...d,...d->...", centred, centred)[..., np.newaxis] / x.shape[-1]
    return centred * (variance + epsilon) ** -0.5 * gamma + beta
