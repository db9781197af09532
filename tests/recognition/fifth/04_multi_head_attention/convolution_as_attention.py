# %% wrong: negative_floor_division
# says: For an even number of taps the maps are one column too far to the left, because (1 - W) // 2 rounds the negative number down; the offset should be -((W - 1) // 2).
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    first = (1 - W) // 2
    return sum(np.eye(T, k=first + w) @ x @ kernel[w] for w in range(W))


# %% wrong: wraps_around
# says: The maps are made by rolling the identity, so at the edges a tap reads the other end of the sequence instead of zero.
def convolution_as_attention(x, kernel):
    T = x.shape[0]
    W, _, V = kernel.shape
    out = np.zeros((T, V))
    for w in range(W):
        attention_map = np.roll(np.eye(T), w - (W - 1) // 2, axis=1)
        out += attention_map @ (x @ kernel[w])
    return out
