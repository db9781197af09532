# %% wrong: centre_at_half_the_width
# says: Takes W // 2 as the centre tap instead of (W - 1) // 2, so even kernels are shifted by one position.
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - W // 2) @ x @ kernel[w] for w in range(W))


# %% wrong: wraps_around_the_ends
# says: Shifts the rows with np.roll, so neighbours beyond one end come from the other end instead of counting as zero.
def convolution_as_attention(x, kernel):
    W = len(kernel)
    out = np.zeros((x.shape[0], kernel.shape[2]))
    for w in range(W):
        out = out + np.roll(x, (W - 1) // 2 - w, axis=0) @ kernel[w]
    return out
