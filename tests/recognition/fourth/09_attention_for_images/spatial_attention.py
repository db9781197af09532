# %% wrong: softmax_in_each_row
# says: The softmax runs over the columns of each row of the grid, so each row sums to 1; it has to run over all cells of a picture.
def spatial_attention(state, grid, w_state, w_grid, v):
    hidden = np.tanh((state @ w_state)[:, None, None, :] + grid @ w_grid)
    scores = hidden @ v
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    context = np.einsum("bhw,bhwd->bd", weights, grid)
    return context, weights


# %% wrong: maximum_of_the_batch
# says: The largest score of the whole batch is subtracted instead of each picture's own, so a picture with much lower scores underflows to 0 / 0.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    cells = grid.reshape(B, h * w, D)
    query = np.expand_dims(np.matmul(state, w_state), 1)
    scores = np.sum(v * np.tanh(query + np.matmul(cells, w_grid)), axis=2)
    powers = np.exp(scores - np.max(scores))
    weights = powers / np.sum(powers, axis=1, keepdims=True)
    context = np.sum(weights[:, :, None] * cells, axis=1)
    return context, weights.reshape(B, h, w)


# %% wrong: columns_listed_first
# says: The scores are listed column by column but put back row by row, so the weights stand at the wrong cells of the grid.
def spatial_attention(state, grid, w_state, w_grid, v):
    B, h, w, D = grid.shape
    contexts, maps = [], []
    for b in range(B):
        projected = state[b] @ w_state
        cells = [grid[b, i, j] for j in range(w) for i in range(h)]
        scores = np.array([v @ np.tanh(projected + cell @ w_grid) for cell in cells], dtype="float64")
        a = np.exp(scores - scores.max())
        a = a / a.sum()
        contexts.append(sum(weight * cell for weight, cell in zip(a, cells)))
        maps.append(a.reshape(h, w))
    return np.array(contexts), np.array(maps)


# %% right: way_1
# why: Each weight is one over the sum of exp(score of other - score of this), computed with logaddexp of all differences, so no maximum is needed.
def spatial_attention(state, grid, w_state, w_grid, v):
    s, g, ws, wg, u = (np.asarray(a).astype("float64") for a in (state, grid, w_state, w_grid, v))
    B, h, w, D = g.shape
    cells = g.reshape(B, h * w, D)
    scores = np.einsum("bna,a->bn", np.tanh(np.einsum("bq,qa->ba", s, ws)[:, None] + cells @ wg), u)
    gaps = scores[:, None, :] - scores[:, :, None]
    weights = np.exp(-np.logaddexp.reduce(gaps, axis=2))
    return (weights[:, None] @ cells)[:, 0], weights.reshape(B, h, w)
