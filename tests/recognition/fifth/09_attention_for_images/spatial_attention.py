# %% wrong: maximum_over_the_whole_batch
# says: Before the exponential the largest score of the whole batch is subtracted instead of each picture's own, so with large scores all exponentials of another picture become 0 and its weights 0/0, not a number.
def spatial_attention(state, grid, w_state, w_grid, v):
    hidden = np.tanh((state @ w_state)[:, None, None, :] + grid @ w_grid)
    scores = hidden @ v
    e = np.exp(scores - np.max(scores))
    weights = e / e.sum(axis=(1, 2), keepdims=True)
    context = np.einsum("bij,bijd->bd", weights, grid)
    return context, weights


# %% wrong: context_from_a_reshape_instead_of_a_transpose
# says: For the context the grid is reshaped to (B, D, cells), which does not swap the axes but mixes features and cells; the weights are right, the context is not unless D or the number of cells is 1.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.reshape(B, h * w, D)
    query = np.expand_dims(state @ w_state, 1)
    scores = np.tanh(query + cells @ w_grid) @ v
    scores = scores - scores.max(axis=1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=1, keepdims=True)
    features = grid.reshape(B, D, h * w)
    context = np.sum(features * weights[:, None, :], axis=-1)
    return context, weights.reshape(B, h, w)
