# %% wrong: relu_twice
# says: There is a second ReLU after the output. The result may be negative.
# self-check: second ReLU
def feed_forward(x, w1, b1, w2, b2):
    return np.maximum(np.maximum(x @ w1 + b1, 0) @ w2 + b2, 0)

# %% wrong: no_relu
# says: Without the ReLU the two products are one linear map.
# self-check: ReLU is missing
def feed_forward(x, w1, b1, w2, b2):
    return (x @ w1 + b1) @ w2 + b2

# %% wrong: mixes_positions
# says: You averaged over positions. The feed-forward acts on each position alone.
# self-check: mixes positions
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.maximum(x @ w1 + b1, 0)
    return (hidden + hidden.mean(axis=-2, keepdims=True) if x.ndim > 1 else hidden) @ w2 + b2

# %% wrong: bias_after_relu
# says: b1 is added after the ReLU. It belongs inside.
# self-check: belongs inside
def feed_forward(x, w1, b1, w2, b2):
    return (np.maximum(x @ w1, 0) + b1) @ w2 + b2

# %% wrong: no_first_bias
# says: b1 is not used.
# self-check: b1 is missing
def feed_forward(x, w1, b1, w2, b2):
    return np.maximum(x @ w1, 0) @ w2 + b2

# %% wrong: no_second_bias
# says: b2 is not used.
# self-check: b2 is missing
def feed_forward(x, w1, b1, w2, b2):
    return np.maximum(x @ w1 + b1, 0) @ w2

# %% wrong: residual_added
# says: You added x. The residual belongs to the layer around it.
# self-check: residual
def feed_forward(x, w1, b1, w2, b2):
    return x + np.maximum(x @ w1 + b1, 0) @ w2 + b2

# %% wrong: tanh_for_relu
# says: A tanh is used in place of the ReLU.
# self-check: tanh
def feed_forward(x, w1, b1, w2, b2):
    return np.tanh(x @ w1 + b1) @ w2 + b2

# %% wrong: relu_on_the_input
# says: The ReLU is applied to x. It belongs on the hidden layer.
# self-check: not on x
def feed_forward(x, w1, b1, w2, b2):
    return (np.maximum(x, 0) @ w1 + b1) @ w2 + b2

# %% wrong: relu_at_the_end
# says: The ReLU comes after the second product. It belongs between the two.
# self-check: between the products
def feed_forward(x, w1, b1, w2, b2):
    return np.maximum((x @ w1 + b1) @ w2 + b2, 0)

# %% right: with_where
# why: the ReLU written as a choice
def feed_forward(x, w1, b1, w2, b2):
    hidden = x @ w1 + b1
    return np.where(hidden > 0, hidden, 0) @ w2 + b2

# %% right: with_einsum
# why: einsum over the last axis
def feed_forward(x, w1, b1, w2, b2):
    hidden = np.einsum("...d,df->...f", x, w1) + b1
    return np.einsum("...f,fd->...d", hidden * (hidden > 0), w2) + b2

# %% right: position_by_position
# why: a loop over positions
def feed_forward(x, w1, b1, w2, b2):
    rows = [w2.T @ np.clip(w1.T @ row + b1, 0, None) + b2 for row in x.reshape(-1, x.shape[-1])]
    return np.array(rows).reshape(x.shape)

# %% right: with_keras
# why: the library's ReLU
def feed_forward(x, w1, b1, w2, b2):
    return np.asarray(keras.ops.relu(x @ w1 + b1)) @ w2 + b2
