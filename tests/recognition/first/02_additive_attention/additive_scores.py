# %% wrong: product
# says: multiplies the projections where additive attention adds them
def additive_scores(query, key, w_query, w_key, v):

    q = query @ w_query
    k = key @ w_key
    return np.tanh(q[:, :, None] * k[:, None]) @ v


# %% wrong: scaled
# says: divides by the square root of the width, remembered from dot-product attention
def additive_scores(query, key, w_query, w_key, v):

    hidden = np.tanh((query @ w_query)[:, :, None] + (key @ w_key)[:, None])
    return hidden @ v / np.sqrt(len(v))


# %% wrong: first_sentence
# says: uses the keys of the first sentence for every sentence of the batch
def additive_scores(query, key, w_query, w_key, v):

    B, T, S = query.shape[0], query.shape[1], key.shape[1]
    scores = np.zeros((B, T, S))
    for b in range(B):
        for i in range(T):
            for j in range(S):
                scores[b, i, j] = np.tanh(query[b, i] @ w_query + key[0, j] @ w_key) @ v
    return scores


# %% wrong: tanh_each
# says: applies the tanh to each projection before they are added, so they do not interact
def additive_scores(query, key, w_query, w_key, v):

    q = np.tanh(query @ w_query)
    k = np.tanh(key @ w_key)
    return (q[:, :, None] + k[:, None]) @ v


# %% right: way_3
# why: Keras operations in float32; one query position at a time, stacked; returns a tensor of the backend
def additive_scores(query, key, w_query, w_key, v):

    ops = keras.ops
    query, key, w_query, w_key, v = (ops.cast(ops.convert_to_tensor(a), "float32") for a in (query, key, w_query, w_key, v))
    q, k = ops.matmul(query, w_query), ops.matmul(key, w_key)
    columns = [ops.sum(ops.tanh(q[:, i : i + 1] + k) * v, axis=-1) for i in range(q.shape[1])]
    return ops.stack(columns, axis=1)


# %% right: way_1
# why: pure Python: five loops, one number at a time, with math.tanh
import math


def additive_scores(query, key, w_query, w_key, v):
    def project(x, w):
        return [sum(float(x[d]) * float(w[d][a]) for d in range(len(x))) for a in range(len(v))]

    scores = []
    for queries, keys in zip(query, key):
        projected = [project(k, w_key) for k in keys]
        table = []
        for q in queries:
            asked = project(q, w_query)
            table.append([sum(float(v[a]) * math.tanh(asked[a] + p[a]) for a in range(len(v))) for p in projected])
        scores.append(table)
    return np.array(scores)
