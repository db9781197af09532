# %% wrong: centre_w_half
# says: Centres the kernel at W // 2 instead of (W - 1) // 2, which differs for even W.
def convolution_as_attention(x, kernel):
    T, W = x.shape[0], kernel.shape[0]
    out = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        attention = np.eye(T, k=w - W // 2)
        out += attention @ x @ kernel[w]
    return out


# %% wrong: negative_column_wraps
# says: Checks only the right edge; a negative column index counts from the end, so the first rows see the last ones.
def convolution_as_attention(x, kernel):
    T, W = x.shape[0], kernel.shape[0]
    out = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        attention = np.zeros((T, T))
        for i in range(T):
            j = i + w - (W - 1) // 2
            if -T <= j < T:
                attention[i, j] = 1.0
        out += attention @ x @ kernel[w]
    return out


# %% wrong: at_most_t_taps
# says: Loops over min(W, T) taps, because the maps have only T columns, so it loses the last taps of a kernel that is longer than the sentence.
def convolution_as_attention(x, kernel):
    T, W = x.shape[0], kernel.shape[0]
    left = (W - 1) // 2
    out = np.zeros((T, kernel.shape[2]))
    for w in range(min(W, T)):
        out = out + np.eye(T, k=w - left) @ (x @ kernel[w])
    return out


# %% right: way_1
# why: Uses `np.convolve` with a reversed kernel for each pair of columns and cuts the matching rows out of the full result.
def convolution_as_attention(x, kernel):
    T, D = x.shape
    W, _, V = kernel.shape
    start = W - 1 - (W - 1) // 2
    columns = [
        sum(np.convolve(x[:, d], kernel[::-1, d, v], mode="full") for d in range(D))[start : start + T]
        for v in range(V)
    ]
    return np.array(columns).T
