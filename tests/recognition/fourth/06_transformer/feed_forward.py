# %% wrong: relu_before_bias
# says: Applies the ReLU to the product alone and adds b1 after it.
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1, 0) + b1
    return hidden @ w2 + b2


# %% wrong: loses_leading_axes
# says: Flattens all positions into one axis for the products and does not restore the shape.
def feed_forward(x, w1, b1, w2, b2):
    rows = x.reshape(-1, x.shape[-1])
    hidden = np.maximum(0, rows @ w1 + b1)
    return hidden @ w2 + b2


# %% wrong: relu_at_the_end_too
# says: Applies a second ReLU to the output, so nothing is negative.
def feed_forward(x, w1, b1, w2, b2):
    for w, b in ((w1, b1), (w2, b2)):
        x = np.maximum(x @ w + b, 0)
    return x


# %% right: way_1
# why: Takes the ReLU as half the sum of the linear part and its absolute value, each multiplied by w2 on its own.
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.tensordot(x, w1, axes=1) + b1
    return b2 + 0.5 * (np.tensordot(hidden, w2, axes=1) + np.tensordot(np.abs(hidden), w2, axes=1))
