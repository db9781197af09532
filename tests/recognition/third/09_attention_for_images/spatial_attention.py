# %% wrong: maximum_of_the_batch
# says: The largest score of the whole batch is subtracted, so a picture whose scores are all far below it ends in 0 divided by 0.
def spatial_attention(state, grid, w_state, w_grid, v):
    hidden = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid)
    scores = hidden @ v
    e = np.exp(scores - scores.max())
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    context = np.einsum("bhw,bhwd->bd", weights, grid)
    return context, weights


# %% wrong: tanh_of_each
# says: The tanh is taken of the projected state and of the projected cell apart, and these are added, instead of one tanh of their sum.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.reshape(B, h * w, D)
    scores = (np.tanh(state @ w_state)[:, None] + np.tanh(cells @ w_grid)) @ v
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return (weights[..., None] * cells).sum(axis=1), weights.reshape(B, h, w)


# %% wrong: map_turned
# says: The flat weights are put back as w rows of h cells, so the map has the wrong shape unless the grid is square.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, D = grid.shape[0], grid.shape[-1]
    w, h = grid.shape[1:3]
    cells = grid.reshape(B, -1, D)
    scores = np.tanh((state @ w_state)[:, None, :] + cells @ w_grid) @ v
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    context = (weights[:, None] @ cells)[:, 0]
    return context, weights.reshape(B, h, w)


# %% right: way_1
# why: picture by picture, the grid keeps its two axes, tensordot throughout, weights as the exponential of a log-softmax
def spatial_attention(state, grid, w_state, w_grid, v):
    state, grid, w_state, w_grid, v = (np.asarray(a, dtype="float64") for a in (state, grid, w_state, w_grid, v))
    maps = np.empty(grid.shape[:3])
    contexts = np.empty((grid.shape[0], grid.shape[3]))
    for number, (query, cells) in enumerate(zip(state, grid)):
        hidden = np.tanh(np.tensordot(cells, w_grid, axes=1) + np.dot(query, w_state))
        scores = np.tensordot(hidden, v, axes=1)
        shares = np.exp(scores - scores.max())
        maps[number] = np.exp(scores - scores.max() - np.log(shares.sum()))
        contexts[number] = np.tensordot(maps[number], cells, axes=2)
    return contexts, maps
