# %% wrong: one_maximum_for_the_batch
# says: For stability it subtracts the largest score of the whole batch instead of each picture's own, so a picture whose scores are all far lower underflows to 0/0 and gets nan.
def spatial_attention(state, grid, w_state, w_grid, v):
    hidden = np.tanh((state @ w_state)[:, None, None, :] + grid @ w_grid)
    scores = hidden @ v
    e = np.exp(scores - np.max(scores))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    context = np.einsum("bhw,bhwd->bd", weights, grid)
    return context, weights


# %% wrong: mean_of_weighted_cells
# says: The context is the mean over the cells of weight times cell instead of the sum, so it is too small by the number of cells.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = np.shape(grid)
    cells = np.reshape(grid, (B, h * w, D))
    scores = np.tanh((state @ w_state)[:, None, :] + cells @ w_grid) @ v
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=1, keepdims=True)
    context = np.mean(weights[:, :, None] * cells, axis=1)
    return context, weights.reshape(B, h, w)
