# %% wrong: first_bias_after_relu
# says: Adds b1 after the ReLU instead of before it.
def feed_forward(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (np.asarray(a) for a in (x, w1, b1, w2, b2))
    hidden = np.maximum(x @ w1, 0) + b1
    return hidden @ w2 + b2


# %% wrong: residual_added
# says: Adds the input x to the result, as the whole sublayer does later, although only the feed-forward itself is asked for.
def feed_forward(x, w1, b1, w2, b2):
    x, w1, b1, w2, b2 = (np.asarray(a) for a in (x, w1, b1, w2, b2))
    hidden = np.maximum(0, x @ w1 + b1)
    return x + hidden @ w2 + b2
