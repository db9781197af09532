# %% wrong: no_half_cell
# says: New cell i is looked up at i times old / new, without the half cells, so the edges of the cells are not aligned and all is shifted.
def resize_positions(table, old, new):
    def matrix(n, m):
        places = np.clip(np.arange(m) * n / m, 0, n - 1)
        return np.maximum(0, 1 - np.abs(places[:, None] - np.arange(n)))

    grid = np.asarray(table).reshape(*old, -1)
    grid = np.einsum("ih,hwd->iwd", matrix(old[0], new[0]), grid)
    grid = np.einsum("jw,iwd->ijd", matrix(old[1], new[1]), grid)
    return grid.reshape(new[0] * new[1], -1)


# %% wrong: averages_when_it_shrinks
# says: The resizing is called with antialiasing, so a grid that shrinks is averaged over more cells.
def resize_positions(table, old, new):
    picture = np.asarray(table, dtype="float32").reshape(1, old[0], old[1], -1)
    resized = keras.ops.image.resize(picture, tuple(new), interpolation="bilinear", antialias=True)
    return np.array(resized).reshape(new[0] * new[1], -1)


# %% wrong: table_read_by_columns
# says: The table is cut into w rows of h cells, so height and width are exchanged when it becomes a grid.
def resize_positions(table, old, new):
    table = np.asarray(table, dtype="float64")
    grid = table.reshape(old[1], old[0], -1).swapaxes(0, 1)
    for axis in (0, 1):
        n, m = old[axis], new[axis]
        x = np.clip((np.arange(m) + 0.5) * n / m - 0.5, 0, n - 1)
        low = np.floor(x).astype(int)
        high = np.minimum(low + 1, n - 1)
        share = (x - low).reshape([-1 if a == axis else 1 for a in range(3)])
        grid = (1 - share) * np.take(grid, low, axis=axis) + share * np.take(grid, high, axis=axis)
    return grid.reshape(new[0] * new[1], -1)


# %% right: way_1
# why: one matrix for the whole table, the Kronecker product of two matrices whose columns come from np.interp of unit vectors
def resize_positions(table, old, new):
    def along(n, m):
        centres, wanted = (np.arange(n) + 0.5) / n, (np.arange(m) + 0.5) / m
        return np.stack([np.interp(wanted, centres, unit) for unit in np.eye(n)], axis=1)

    matrix = np.kron(along(old[0], new[0]), along(old[1], new[1]))
    return np.dot(matrix, np.asarray(table, dtype="float64"))
