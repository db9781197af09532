# %% wrong: extrapolates_before_the_first_centre
# says: Only the lower neighbour is clipped, not the place itself, so before the first old centre the share is negative and the values are extrapolated instead of the border being repeated; at the far end it is right.
def resize_positions(table, old, new):
    def neighbours(n_old, n_new):
        place = (np.arange(n_new) + 0.5) * n_old / n_new - 0.5
        low = np.clip(np.floor(place).astype(int), 0, n_old - 1)
        high = np.minimum(low + 1, n_old - 1)
        return low, high, place - low

    grid = table.reshape(old[0], old[1], -1)
    lo, hi, f = neighbours(old[0], new[0])
    f = f[:, None, None]
    grid = (1 - f) * grid[lo] + f * grid[hi]
    lo, hi, f = neighbours(old[1], new[1])
    f = f[None, :, None]
    grid = (1 - f) * grid[:, lo] + f * grid[:, hi]
    return grid.reshape(new[0] * new[1], -1)


# %% wrong: new_cells_column_by_column
# says: The vectors of the new grid are returned column by column, because the axis of the width stands first when the result is flattened; they should come row by row.
def resize_positions(table, old, new):
    def matrix(n, m):
        centres = np.clip((np.arange(m) + 0.5) * n / m - 0.5, 0, n - 1)
        return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(n)[None, :]))

    down = matrix(old[0], new[0])
    across = matrix(old[1], new[1])
    grid = table.reshape(*old, table.shape[1])
    out = np.einsum("yh,xw,hwd->xyd", down, across, grid)
    return out.reshape(-1, table.shape[1])


# %% right: np_interp_column_by_column
# why: np.interp along the width and then along the height for each feature; it takes the centres as places in units of the side and repeats the border by itself.
def resize_positions(table, old, new):
    def centres(n):
        return (np.arange(n) + 0.5) / n

    def stretch(line, m):
        return np.interp(centres(m), centres(len(line)), line)

    cube = np.reshape(table, (*old, -1))
    cube = np.apply_along_axis(stretch, 1, cube, new[1])
    cube = np.apply_along_axis(stretch, 0, cube, new[0])
    return np.concatenate(list(cube), axis=0)
