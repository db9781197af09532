# %% wrong: mean_term_missing
# says: That is the mean of value times key. A covariance subtracts the product of the two means.
# self-check: mean term is missing
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return (value * weights[:, None]).T @ key / root

# %% wrong: transposed
# says: Your rows are entries of the query. Rows belong to outputs: (V, K).
# self-check: transposed
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return (key - weights @ key).T @ (value * weights[:, None]) / root

# %% wrong: scale_missing_in_front
# says: The chain rule gives a factor 1/sqrt(K) from the scores. It is missing in front.
# self-check: scale 1/sqrt(K) is missing
def attention_jacobian(query, key, value):
    weights = given_masked_softmax(key @ query / np.sqrt(query.shape[-1]))
    return (value * weights[:, None]).T @ (key - weights @ key)

# %% wrong: scores_not_scaled
# says: The factor in front is there, but the weights come from scores without a scale.
# self-check: query and keys, scaled
def attention_jacobian(query, key, value):
    weights = given_masked_softmax(key @ query)
    return (value * weights[:, None]).T @ (key - weights @ key) / np.sqrt(query.shape[-1])

# %% wrong: width_instead_of_its_root
# says: You divide by K. The square root is missing.
# self-check: divided by K
def attention_jacobian(query, key, value):
    weights = given_masked_softmax(key @ query / np.sqrt(query.shape[-1]))
    return (value * weights[:, None]).T @ (key - weights @ key) / query.shape[-1]

# %% wrong: plain_means
# says: You take the plain mean of the keys. The means are weighted by the attention.
# self-check: slope of the output
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return (value * weights[:, None]).T @ (key - key.mean(axis=0)) / root

# %% wrong: weights_missing
# says: You sum over the keys without weights. Keys that are not looked at do not move the output.
# self-check: weights are missing
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return (value - weights @ value).T @ (key - weights @ key) / root

# %% wrong: weights_twice
# says: You weight both factors, so every key counts by the square of its weight.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)[:, None]
    return (weights * (value - (weights * value).sum(0))).T @ (weights * (key - (weights * key).sum(0))) / root

# %% wrong: sign_reversed
# says: The sign is reversed: the product of the means is what is subtracted.
# self-check: sign is reversed
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return np.outer(weights @ value, weights @ key) / root - (value * weights[:, None]).T @ key / root

# %% wrong: overflow
# says: exp overflows for large scores. Use the given softmax, or subtract the largest score.
# self-check: overflow
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    e = np.exp(key @ query / root)
    weights = e / e.sum()
    return (value * weights[:, None]).T @ (key - weights @ key) / root

# %% wrong: shifted_by_the_largest_amount
# says: You subtract the largest amount of all scores. If they are all far below 0, every exponential becomes 0: subtract the largest score.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    scores = key @ query / root
    e = np.exp(scores - np.abs(scores).max())
    weights = e / e.sum()
    return (value * weights[:, None]).T @ (key - weights @ key) / root

# %% wrong: shifted_by_the_first_score
# says: You subtract the first score. If another one is far above it, exp overflows: subtract the largest score.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    scores = key @ query / root
    e = np.exp(scores - scores[0])
    weights = e / e.sum()
    return (value * weights[:, None]).T @ (key - weights @ key) / root

# %% wrong: softmax_jacobian_only
# says: You treat the softmax entry by entry, w(1 - w). Each weight depends on all scores: diag(w) - w w^T.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    return (value * (weights * (1 - weights))[:, None]).T @ key / root

# %% wrong: scores_clipped
# says: You clip the scores before exp, so that large ones become equal. Subtract the largest score instead.
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    e = np.exp(np.clip(key @ query / root, -300, 300))
    weights = e / e.sum()
    centred = key - weights @ key
    return (value * weights[:, None]).T @ centred / root

# %% right: by_the_chain_rule
# why: the Jacobian of the softmax between the two matrices
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[-1])
    w = given_masked_softmax(key @ query / root)
    return value.T @ (np.diag(w) - np.outer(w, w)) @ key / root

# %% right: einsum
# why: the mean of the products minus the product of the means
def attention_jacobian(query, key, value):
    root = len(query) ** 0.5
    w = given_masked_softmax(np.einsum("sk,k->s", key, query) / root)
    both = np.einsum("s,sv,sk->vk", w, value, key)
    return (both - np.einsum("s,sv,t,tk->vk", w, value, w, key)) / root

# %% right: loop_over_keys
# why: a sum of outer products, both factors centred
def attention_jacobian(query, key, value):
    root = np.sqrt(key.shape[1])
    w = given_masked_softmax(key @ query / root)
    mean_key, mean_value = w @ key, w @ value
    total = np.zeros((value.shape[1], key.shape[1]))
    for weight, k, v in zip(w, key, value):
        total += weight * np.outer(v - mean_value, k - mean_key)
    return total / root

# %% right: by_automatic_differentiation
# why: TensorFlow differentiates the formula
def attention_jacobian(query, key, value):
    import tensorflow as tf

    q, k, v = (tf.convert_to_tensor(x) for x in (query, key, value))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(q)
        w = tf.nn.softmax(tf.linalg.matvec(k, q) / np.sqrt(query.shape[-1]))
        outputs = [tf.reduce_sum(w * v[:, i]) for i in range(value.shape[1])]
    return np.stack([tape.gradient(o, q).numpy() for o in outputs])

# %% equivalent
# because: the query has one axis, and its width is that of the key
# was: root = np.sqrt(query.shape[-1])
# now: root = np.sqrt(key.shape[-1])
# was: root = np.sqrt(query.shape[-1])
# now: root = np.sqrt(query.shape[0])
