# %% wrong: softmax_over_the_width
# says: Your softmax runs over the width only, so each row of cells sums to 1. One picture has one sum, over all its cells.
# self-check: each row of cells
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights = e / e.sum(axis=2, keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: softmax_over_the_height
# says: Your softmax runs over the height only, so each column of cells sums to 1. One picture has one sum, over all its cells.
# self-check: each column of cells
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = e / e.sum(axis=1, keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: softmax_over_the_batch
# says: All pictures of the batch share one sum. Each picture needs its own.
# self-check: all pictures share
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max())
    weights = e / e.sum()
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: weights_transposed
# says: Height and width of your weights have changed places: they have the shape (B, h, w).
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights.swapaxes(1, 2)

# %% wrong: no_tanh
# says: The tanh is missing. Without it the state adds the same number to all scores of a picture and cancels.
# self-check: tanh
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = ((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: state_forgotten
# says: The state has no influence on your weights. It is the query: add its projection before the tanh.
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh(grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: returns_scores
# says: You returned the scores. The softmax turns them into weights.
# self-check: these are the scores
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    return np.einsum("bhw,bhwd->bd", scores, grid), scores

# %% wrong: mean_over_the_weighted_cells
# says: You took the mean of the weighted cells. The weights sum to 1 already, so the context is the sum.
# self-check: divided by the number of cells
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return (weights[..., None] * grid).mean(axis=(1, 2)), weights

# %% wrong: no_maximum_subtracted
# says: exp overflows for large scores. Subtract the largest score of each picture first.
# self-check: finite for large scores
def spatial_attention(state, grid, w_state, w_grid, v):
    e = np.exp(np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v)
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: weights_first
# says: You returned the weights first. The context comes first.
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return weights, np.einsum("bhw,bhwd->bd", weights, grid)

# %% wrong: one_maximum_for_the_batch
# says: You subtracted the largest score of the whole batch. A picture with much lower scores then divides 0 by 0. Subtract each picture's own maximum.
# self-check: one maximum for all pictures
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(scores - scores.max())
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: scores_clipped
# says: You clipped the scores, so all beyond the limit come out equal. Subtract the picture's maximum instead, which changes no weight.
# self-check: as if clipped
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    e = np.exp(np.clip(scores, -80, 80))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% wrong: scores_clipped_at_the_size_of_v
# says: You clipped the scores at 1e4. That is the bound of an entry of v, and a score adds up several of them.
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.clip(np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v, -1e4, 1e4)
    e = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights

# %% right: flattened
# why: the grid as a sentence of h * w words
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.reshape(B, h * w, D)
    scores = np.tanh((state @ w_state)[:, None] + cells @ w_grid) @ v
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    return (weights[:, None] @ cells)[:, 0], weights.reshape(B, h, w)

# %% right: loops
# why: cell by cell
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    weights, context = np.zeros((B, h, w)), np.zeros((B, D))
    for b in range(B):
        scores = np.array([[v @ np.tanh(state[b] @ w_state + cell @ w_grid) for cell in row] for row in grid[b]])
        weights[b] = np.exp(scores - scores.max())
        weights[b] /= weights[b].sum()
        for i in range(h):
            for j in range(w):
                context[b] += weights[b, i, j] * grid[b, i, j]
    return context, weights

# %% right: with_keras
# why: the library's layer on projected inputs
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = np.asarray(grid, dtype="float64").reshape(B, h * w, D)
    inputs = [np.asarray(state @ w_state, dtype="float64")[:, None], cells, cells @ np.asarray(w_grid, dtype="float64")]
    layer = keras.layers.AdditiveAttention(dtype="float64")
    layer.build([a.shape for a in inputs])
    layer.scale.assign(v)
    context, weights = layer(inputs, return_attention_scores=True)
    return np.asarray(context)[:, 0], np.asarray(weights).reshape(B, h, w)

# %% right: logarithms
# why: the logarithm of the sum, by np.logaddexp, which never overflows; far cells are clipped only after the maximum is gone
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.einsum("bhwa,a->bhw", np.tanh(np.einsum("bq,qa->ba", state, w_state)[:, None, None] + grid @ w_grid), v)
    rest = scores - np.logaddexp.reduce(np.logaddexp.reduce(scores, axis=2, keepdims=True), axis=1, keepdims=True)
    weights = np.exp(np.maximum(rest, -700 if rest.dtype == np.float64 else -80))
    return (weights[..., None] * grid).sum(axis=1).sum(axis=1), weights
