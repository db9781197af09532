# %% wrong: one_maximum_for_all
# says: subtracts the largest score of the whole batch, so a picture with much lower scores becomes 0 / 0, not finite
def spatial_attention(state, grid, w_state, w_grid, v):
    hidden = np.tanh((state @ w_state)[:, None, None, :] + grid @ w_grid)
    scores = hidden @ v
    e = np.exp(scores - scores.max())
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    context = np.einsum("bhw,bhwd->bd", weights, grid)
    return context, weights


# %% wrong: scaled_score
# says: divides the scores by the root of A, as dot products are; the score is v . tanh(...) and nothing else
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.reshape(B, h * w, D)
    scores = np.tanh((state @ w_state)[:, None] + cells @ w_grid) @ v / np.sqrt(len(v))
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return (weights[:, None] @ cells)[:, 0], weights.reshape(B, h, w)


# %% wrong: clipped_scores
# says: clips the scores at 500 so that exp does not overflow; all scores beyond become equal, which changes the weights
def spatial_attention(state, grid, w_state, w_grid, v):
    query = state @ w_state
    keys = grid @ w_grid
    scores = np.sum(v * np.tanh(query[:, None, None] + keys), axis=-1).astype("float64")
    e = np.exp(np.clip(scores, -500, 500))
    weights = e / np.sum(e, axis=(1, 2), keepdims=True)
    context = np.sum(weights[..., None] * grid, axis=(1, 2))
    return context, weights


# %% wrong: weights_in_other_cells
# says: flattens the grid column by column and restores it row by row, so the weights stand in the wrong cells
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.swapaxes(1, 2).reshape(B, -1, D)
    scores = np.tanh(np.expand_dims(state @ w_state, 1) + cells @ w_grid) @ v
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    context = np.einsum("bn,bnd->bd", weights, cells)
    return context, weights.reshape(B, h, w)


# %% wrong: grid_weighted_in_place
# says: weights the cells in place, so the caller's grid is modified
def spatial_attention(state, grid, w_state, w_grid, v):
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    weights = np.exp(scores - scores.max(axis=(1, 2), keepdims=True))
    weights = weights / weights.sum(axis=(1, 2), keepdims=True)
    grid *= weights[..., None]
    return grid.sum(axis=(1, 2)), weights


# %% right: cell_by_cell
# why: loops over pictures and cells, with plain dot products, and adds up the context cell by cell
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    contexts, all_weights = np.zeros((B, D)), np.zeros((B, h, w))
    for b in range(B):
        query = np.dot(state[b], w_state)
        scores = {(i, j): float(np.dot(np.tanh(query + np.dot(grid[b, i, j], w_grid)), v)) for i, j in np.ndindex(h, w)}
        top = max(scores.values())
        total = sum(np.exp(s - top) for s in scores.values())
        for cell, score in scores.items():
            all_weights[b][cell] = np.exp(score - top) / total
            contexts[b] += all_weights[b][cell] * grid[b][cell]
    return contexts, all_weights


# %% right: keras_softmax_of_two_axes
# why: keras.ops keeps both axes; one softmax over a tuple of axes, and a tensordot of the context for each picture
def spatial_attention(state, grid, w_state, w_grid, v):
    ops = keras.ops
    arrays = (np.asarray(a, "float64") for a in (state, grid, w_state, w_grid, v))
    state, grid, w_state, w_grid, v = (ops.convert_to_tensor(a) for a in arrays)
    hidden = ops.tanh(ops.reshape(ops.matmul(state, w_state), (state.shape[0], 1, 1, -1)) + ops.matmul(grid, w_grid))
    weights = ops.softmax(ops.sum(hidden * v, axis=-1), axis=(1, 2))
    context = ops.stack([ops.tensordot(a, cells, axes=2) for a, cells in zip(ops.unstack(weights), ops.unstack(grid))])
    return ops.convert_to_numpy(context), ops.convert_to_numpy(weights)
