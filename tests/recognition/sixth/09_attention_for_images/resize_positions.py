# %% wrong: border_is_extrapolated
# says: Beyond the outermost old centre it continues the straight line of the last two centres instead of repeating the border.
def resize_positions(table, old, new):
    table = np.asarray(table)
    h, w = old

    def matrix(n, m):
        out = np.zeros((m, n))
        for i in range(m):
            place = (i + 0.5) * n / m - 0.5
            low = min(max(int(np.floor(place)), 0), max(n - 2, 0))
            high = min(low + 1, n - 1)
            share = place - low
            out[i, low] += 1 - share
            out[i, high] += share
        return out

    grid = table.reshape(h, w, -1)
    out = np.einsum("ih,jw,hwd->ijd", matrix(h, new[0]), matrix(w, new[1]), grid)
    return out.reshape(new[0] * new[1], -1)


# %% wrong: averages_when_shrinking
# says: When the grid shrinks, the triangle of the interpolation is widened, so each new cell averages over more than the two nearest old centres (antialiasing).
def resize_positions(table, old, new):
    def matrix(n, m):
        scale = n / m
        width = max(1.0, scale)
        places = np.clip((np.arange(m) + 0.5) * scale - 0.5, 0, n - 1)
        shares = np.maximum(0, 1 - np.abs(places[:, None] - np.arange(n)) / width)
        return shares / shares.sum(axis=1, keepdims=True)

    grid = np.reshape(table, (old[0], old[1], -1))
    grid = np.tensordot(matrix(old[0], new[0]), grid, axes=(1, 0))
    grid = np.einsum("jw,iwd->ijd", matrix(old[1], new[1]), grid)
    return grid.reshape(new[0] * new[1], -1)


# %% right: interp_column_by_column
# why: Applies np.interp with centres as fractions of the side to one line at a time, first along the height and then along the width, by np.apply_along_axis.
def resize_positions(table, old, new):
    grid = np.asarray(table).reshape(*old, -1)
    for axis in (0, 1):
        there = (np.arange(old[axis]) + 0.5) / old[axis]
        wanted = (np.arange(new[axis]) + 0.5) / new[axis]
        grid = np.apply_along_axis(lambda line: np.interp(wanted, there, line), axis, grid)
    return grid.reshape(new[0] * new[1], -1)
