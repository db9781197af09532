# %% wrong: relu_on_x
# says: the ReLU on x
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x, 0) @ w1 + b1
    return hidden @ w2 + b2


# %% wrong: no_b1
# says: forgets b1
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1, 0)
    return hidden @ w2 + b2


# %% wrong: absolute
# says: takes the absolute value for the ReLU
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.abs(x @ w1 + b1)
    return hidden @ w2 + b2


# %% wrong: residual
# says: adds x, as the sublayer around it does
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    return x + hidden @ w2 + b2


# %% right: way_3
# why: Keras operations, tensordot over the last axis; a tensor
def feed_forward(x, w1, b1, w2, b2):
    hidden = keras.ops.relu(keras.ops.tensordot(x, w1, axes=1) + b1)
    return keras.ops.tensordot(hidden, w2, axes=1) + b2


# %% right: way_1
# why: loops over positions, hidden units and features
def feed_forward(x, w1, b1, w2, b2):
    D, F = w1.shape
    result = np.zeros(x.shape)
    for place in np.ndindex(x.shape[:-1]):
        hidden = []
        for f in range(F):
            total = b1[f]
            for d in range(D):
                total += x[place][d] * w1[d, f]
            hidden.append(total if total > 0 else 0.0)
        for d in range(D):
            result[place + (d,)] = b2[d] + sum(hidden[f] * w2[f, d] for f in range(F))
    return result
