# %% wrong: cells_start_at_corners
# says: New cell i is looked up at i * old / new without the half cell, so corners instead of centres of the cells are matched.
def resize_positions(table, old, new):
    (h, w), (h2, w2) = old, new
    grid = np.asarray(table, dtype="float64").reshape(h, w, -1)

    def along(array, n, m):
        at = np.clip(np.arange(m) * n / m, 0, n - 1)
        low = np.floor(at).astype(int)
        high = np.minimum(low + 1, n - 1)
        part = (at - low)[:, None, None]
        return (1 - part) * array[low] + part * array[high]

    grid = along(grid, h, h2)
    grid = along(grid.transpose(1, 0, 2), w, w2).transpose(1, 0, 2)
    return grid.reshape(h2 * w2, -1)


# %% wrong: line_goes_on
# says: Beyond the outermost old centres the line through the last two cells is continued, but there the border has to be repeated.
def resize_positions(table, old, new):
    table = np.asarray(table, dtype="float64")
    grid = table.reshape(old[0], old[1], table.shape[1])
    for axis in (0, 1):
        n, m = old[axis], new[axis]
        slices = []
        for i in range(m):
            x = (i + 0.5) * n / m - 0.5
            left = min(max(int(np.floor(x)), 0), max(n - 2, 0))
            right = min(left + 1, n - 1)
            t = x - left
            slices.append(np.take(grid, left, axis=axis) * (1 - t) + np.take(grid, right, axis=axis) * t)
        grid = np.stack(slices, axis=axis)
    return grid.reshape(new[0] * new[1], -1)


# %% wrong: widened_when_shrinking
# says: When the grid shrinks, the interpolation is widened over more old cells (antialiasing); only the two nearest cells may be used.
def resize_positions(table, old, new):
    table = np.asarray(table, dtype="float64")

    def matrix(n, m):
        result = np.zeros((m, n))
        reach = max(1.0, n / m)
        for i in range(m):
            centre = (i + 0.5) * n / m
            for j in range(n):
                distance = abs(j + 0.5 - centre) / reach
                result[i, j] = max(0.0, 1.0 - distance)
            result[i] /= result[i].sum()
        return result

    rows, columns = matrix(old[0], new[0]), matrix(old[1], new[1])
    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", rows, columns, grid).reshape(new[0] * new[1], -1)


# %% right: way_1
# why: np.interp of unit vectors gives one matrix for each side (it repeats the border by itself), and their Kronecker product acts on the flat table.
def resize_positions(table, old, new):
    def side(n, m):
        centres = (np.arange(m) + 0.5) / m
        known = (np.arange(n) + 0.5) / n
        return np.stack([np.interp(centres, known, unit) for unit in np.eye(n)], axis=1)

    h, w = (int(k) for k in old)
    h2, w2 = (int(k) for k in new)
    return np.kron(side(h, h2), side(w, w2)) @ np.asarray(table).astype("float64")
