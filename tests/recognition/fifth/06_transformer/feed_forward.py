# %% wrong: hidden_bias_after_relu
# says: The bias b1 is added after the ReLU instead of before it, so the maximum with 0 is taken of x w1 alone.
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(np.matmul(x, w1), 0)
    hidden = hidden + b1
    return np.matmul(hidden, w2) + b2


# %% wrong: residual_included
# says: The input x is added to the result. The residual belongs to the layer around the feed-forward, not to the feed-forward itself.
def feed_forward(x, w1, b1, w2, b2):
    def dense(a, w, b):
        return np.einsum("...i,ij->...j", a, w) + b

    h = dense(x, w1, b1)
    h = np.where(h > 0, h, 0.0)
    return x + dense(h, w2, b2)
