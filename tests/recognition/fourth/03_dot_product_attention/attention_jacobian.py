# %% wrong: root_missing_in_derivative
# says: The derivative of the scores with respect to the query lacks the factor 1 / sqrt(K), so the result is too large by the root of K.
def attention_jacobian(query, key, value):
    w = given_masked_softmax(key @ query / np.sqrt(len(query)))
    softmax_part = np.diag(w) - np.outer(w, w)
    return value.T @ softmax_part @ key


# %% wrong: plain_mean_of_keys
# says: The keys are centred by their plain mean; the derivative of the softmax subtracts their mean weighted by the attention weights.
def attention_jacobian(query, key, value):
    root = query.shape[0] ** 0.5
    weights = given_masked_softmax(np.dot(key, query) / root)
    centre = key.mean(axis=0)
    result = np.zeros((value.shape[1], key.shape[1]))
    for w, k, v in zip(weights, key, value):
        result += w * np.outer(v, k - centre) / root
    return result


# %% wrong: plain_exponentials
# says: The softmax is computed without subtracting the maximum, so for scores of 1e4 the exponentials overflow and the result is nan.
def attention_jacobian(query, key, value):
    K = query.size
    e = np.exp(np.einsum("k,sk->s", query, key) / np.sqrt(K))
    w = e / e.sum()
    mean_key = w @ key
    return np.einsum("s,sv,sk->vk", w, value, key - mean_key) / np.sqrt(K)


# %% right: weighted_covariance
# why: the Jacobian is the covariance of values and keys under the attention weights, divided by sqrt(K), and np.cov computes just that
def attention_jacobian(query, key, value):
    q, k, v = (np.asarray(a, dtype=np.float64) for a in (query, key, value))
    scores = k @ q / np.sqrt(q.size)
    weights = np.exp(scores - scores.max())
    joint = np.cov(np.hstack([v, k]), rowvar=False, ddof=0, aweights=weights / weights.sum())
    return np.reshape(joint, (v.shape[1] + k.shape[1], -1))[: v.shape[1], v.shape[1] :] / np.sqrt(q.size)
