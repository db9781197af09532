# %% wrong: mean_over_heads
# says: averages the heads instead of adding them up
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + weights @ x @ kernel[w]
    return result / W


# %% wrong: negative_index
# says: a negative index counts from the end; only the far end is cut
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.zeros((T, T))
        for i in range(T):
            if i + w - (W - 1) // 2 < T:
                weights[i, i + w - (W - 1) // 2] = 1
        result = result + weights @ x @ kernel[w]
    return result


# %% wrong: elementwise
# says: multiplies entry by entry instead of by the matrix; fits for one column only
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + (weights @ x) * kernel[w][0]
    return result


# %% wrong: sum_of_taps_first
# says: adds the matrices of all taps first and multiplies each head by the sum
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    result = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        weights = np.eye(T, k=w - (W - 1) // 2)
        result = result + weights @ x @ kernel.sum(axis=0)
    return result


# %% right: way_2
# why: all heads in one einsum, their weights by comparing positions
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    looks_at = np.arange(T) + np.arange(W)[:, None] - (W - 1) // 2
    weights = (looks_at[:, :, None] == np.arange(T)).astype(float)
    return np.einsum("wts,sd,wdv->tv", weights, x, kernel)


# %% right: way_1
# why: loops over rows, taps and columns, with one-hot rows written down one by one
def convolution_as_attention(x, kernel):
    T, D = x.shape
    W, _, V = kernel.shape
    result = np.zeros((T, V))
    for w in range(W):
        weights = [[0.0] * T for _ in range(T)]
        for i in range(T):
            at = i + w - (W - 1) // 2
            if 0 <= at < T:
                weights[i][at] = 1.0
        for i in range(T):
            for s in range(T):
                for d in range(D):
                    for v in range(V):
                        result[i, v] += weights[i][s] * x[s, d] * kernel[w, d, v]
    return result
