# %% wrong: unbiased
# says: the unbiased covariance of np.cov with aweights, which divides by 1 - sum of squared weights
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    full = np.cov(np.concatenate([value, key], axis=1).T, aweights=weights)
    return full[: value.shape[1], value.shape[1] :] / root


# %% wrong: no_means
# says: leaves out the product of the means
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    product = (value * weights[:, None]).T @ key
    return product / root


# %% wrong: weights_on_keys_axis
# says: weights the values along the wrong axis: works only for as many outputs as keys
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    product = value.T * weights[: value.shape[1], None] @ key
    return (product - np.outer(mean_value, mean_key)) / root


# %% wrong: plain_mean_key
# says: subtracts the plain mean of the keys from the keys before weighting
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    return (value * weights[:, None]).T @ (key - key.mean(axis=0)) / root


# %% right: way_3
# why: automatic differentiation with TensorFlow's tape, in double precision
import tensorflow as tf


def attention_jacobian(query, key, value):
    q, k, v = (tf.convert_to_tensor(a, dtype=tf.float64) for a in (query, key, value))
    with tf.GradientTape() as tape:
        tape.watch(q)
        weights = tf.nn.softmax(tf.linalg.matvec(k, q) / tf.sqrt(tf.cast(tf.size(q), tf.float64)))
        output = tf.linalg.matvec(v, weights, transpose_a=True)
    return tape.jacobian(output, q)


# %% right: way_2
# why: vectorised by way of the Jacobian of the softmax, diag(w) - w w^T
def attention_jacobian(query, key, value):
    scale = len(query) ** -0.5
    scores = scale * (key @ query)
    w = np.exp(scores - scores.max())
    w /= w.sum()
    return value.T @ (np.diag(w) - np.outer(w, w)) @ key * scale
