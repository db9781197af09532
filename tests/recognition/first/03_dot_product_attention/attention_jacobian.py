# %% wrong: scale_value_width
# says: takes the root of the width of value
def attention_jacobian(query, key, value):
    root = np.sqrt(value.shape[-1])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    product = (value * weights[:, None]).T @ key
    return (product - np.outer(mean_value, mean_key)) / root


# %% wrong: unstable
# says: exponentiates the scores as they are: large scores overflow
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = np.exp(key @ query / root)
    weights = weights / weights.sum()
    mean_key = weights @ key
    mean_value = weights @ value
    product = (value * weights[:, None]).T @ key
    return (product - np.outer(mean_value, mean_key)) / root


# %% wrong: np_cov
# says: takes np.cov-like equal weights 1/S after finding the weights
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = weights @ key
    mean_value = weights @ value
    return (value - mean_value).T @ (key - mean_key) / len(key) / root


# %% wrong: plain_means
# says: subtracts the plain means instead of the weighted ones
def attention_jacobian(query, key, value):
    root = np.sqrt(query.shape[0])
    weights = given_masked_softmax(key @ query / root)
    mean_key = key.mean(axis=0)
    mean_value = value.mean(axis=0)
    product = (value * weights[:, None]).T @ key
    return (product - np.outer(mean_value, mean_key)) / root


# %% right: way_4
# why: central differences with a small step instead of the formula, exact to nine digits
def attention_jacobian(query, key, value):
    def output(q):
        return given_masked_softmax(key @ q / np.sqrt(len(q))) @ value

    steps = 1e-5 * np.eye(len(query))
    return np.array([(output(query + d) - output(query - d)) / 2e-5 for d in steps]).T


# %% right: way_1
# why: pure Python loops for weights, means and entries
import math


def attention_jacobian(query, key, value):
    S, K = key.shape
    V = value.shape[1]
    scores = [sum(float(query[c]) * float(key[s, c]) for c in range(K)) / math.sqrt(K) for s in range(S)]
    parts = [math.exp(x - max(scores)) for x in scores]
    w = [p / sum(parts) for p in parts]
    mean_key = [sum(w[s] * key[s, b] for s in range(S)) for b in range(K)]
    result = np.zeros((V, K))
    for a in range(V):
        for b in range(K):
            result[a, b] = sum(w[s] * value[s, a] * (key[s, b] - mean_key[b]) for s in range(S)) / math.sqrt(K)
    return result
