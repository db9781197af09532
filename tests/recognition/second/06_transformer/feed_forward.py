# %% wrong: two_axes_only
# says: loops over the rows of each sentence: needs exactly three axes
def feed_forward(x, w1, b1, w2, b2):
    return np.array([[np.maximum(word @ w1 + b1, 0) @ w2 + b2 for word in sentence] for sentence in x])


# %% wrong: no_b2
# says: forgets b2
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    return hidden @ w2


# %% wrong: tensordot_batch
# says: multiplies the first row of the batch only and repeats it
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    out = hidden @ w2 + b2
    return np.broadcast_to(out[:1], out.shape) if x.ndim > 2 else out


# %% wrong: leaky
# says: a leaky ReLU: a little of the negative side stays
def feed_forward(x, w1, b1, w2, b2):
    hidden = x @ w1 + b1
    hidden = np.where(hidden > 0, hidden, 0.01 * hidden)
    return hidden @ w2 + b2


# %% right: way_2
# why: einsum, and the ReLU as a product with a comparison
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.einsum("...d,df->...f", x, w1) + b1
    return np.einsum("...f,fd->...d", hidden * (hidden > 0), w2) + b2
