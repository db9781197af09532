# %% wrong: goes_on_beyond_the_border
# says: continues the line of the last two cells beyond the last centre, where the border has to be repeated
def resize_positions(table, old, new):
    grid = np.reshape(table, (*old, -1))
    for axis in (0, 1):
        n = old[axis]
        places = (np.arange(new[axis]) + 0.5) * n / new[axis] - 0.5
        low = np.clip(np.floor(places).astype(int), 0, max(n - 2, 0))
        high = np.minimum(low + 1, n - 1)
        share = (places - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        grid = np.take(grid, low, axis) * (1 - share) + np.take(grid, high, axis) * share
    return grid.reshape(-1, table.shape[1])


# %% wrong: minus_one_is_the_last
# says: before the first centre the lower neighbour has the index -1, which is the last cell: the border wraps around
def resize_positions(table, old, new):
    (h, w), (H, W) = old, new
    grid = table.reshape(h, w, -1)
    rows = []
    for i in range(H):
        y = (i + 0.5) * h / H - 0.5
        y0 = int(np.floor(y))
        y1 = min(y0 + 1, h - 1)
        for j in range(W):
            x = (j + 0.5) * w / W - 0.5
            x0 = int(np.floor(x))
            x1 = min(x0 + 1, w - 1)
            upper = (1 - x + x0) * grid[y0, x0] + (x - x0) * grid[y0, x1]
            lower = (1 - x + x0) * grid[y1, x0] + (x - x0) * grid[y1, x1]
            rows.append((1 - y + y0) * upper + (y - y0) * lower)
    return np.array(rows)


# %% wrong: one_scale_for_both
# says: uses the scale of the height for the width too, so only grids that grow alike in both directions are right
def resize_positions(table, old, new):
    grid = np.reshape(table, (old[0], old[1], -1))
    scale = new[0] / old[0]

    def matrix(n, m):
        places = np.clip((np.arange(m) + 0.5) / scale - 0.5, 0, n - 1)
        return np.maximum(0, 1 - np.abs(places[:, None] - np.arange(n)))

    grid = np.einsum("ih,jw,hwd->ijd", matrix(old[0], new[0]), matrix(old[1], new[1]), grid)
    return grid.reshape(new[0] * new[1], -1)


# %% wrong: averages_when_shrinking
# says: antialiasing averages a shrinking grid over more than the two nearest cells along each side
def resize_positions(table, old, new):
    grid = np.reshape(table, (1, old[0], old[1], -1))
    resized = keras.ops.image.resize(grid, tuple(new), antialias=True, data_format="channels_last")
    return np.asarray(resized).reshape(new[0] * new[1], -1)


# %% wrong: fades_at_the_border
# says: does not keep the places inside the old grid, so at the border the shares sum to less than 1 and values shrink
def resize_positions(table, old, new):
    def shares(n, m):
        places = (np.arange(m) + 0.5) / m * n - 0.5
        return np.maximum(0.0, 1.0 - np.abs(places[:, None] - np.arange(n)[None, :]))

    grid = table.reshape(old[0], old[1], table.shape[1])
    grid = np.tensordot(shares(old[0], new[0]), grid, axes=(1, 0))
    grid = np.tensordot(shares(old[1], new[1]), grid, axes=(1, 1))
    return grid.swapaxes(0, 1).reshape(-1, table.shape[1])


# %% right: four_corners
# why: loops over the new cells; four old cells with four shares in exact fractions, doubled corners at the border
from fractions import Fraction


def resize_positions(table, old, new):
    def neighbours(k, n, m):
        place = min(max(Fraction((2 * k + 1) * n, 2 * m) - Fraction(1, 2), Fraction(0)), Fraction(n - 1))
        low = place.numerator // place.denominator
        return [(low, float(1 - (place - low))), (min(low + 1, n - 1), float(place - low))]

    out = np.zeros((new[0] * new[1], table.shape[1]))
    for i in range(new[0]):
        for j in range(new[1]):
            for y, a in neighbours(i, old[0], new[0]):
                for x, b in neighbours(j, old[1], new[1]):
                    out[i * new[1] + j] += a * b * table[y * old[1] + x]
    return out


# %% right: keras_resize
# why: the table is a small picture, and keras.ops.image.resize does what the text says
def resize_positions(table, old, new):
    picture = keras.ops.reshape(keras.ops.convert_to_tensor(table), (1, *old, table.shape[1]))
    resized = keras.ops.image.resize(picture, tuple(new), interpolation="bilinear", data_format="channels_last")
    return keras.ops.convert_to_numpy(keras.ops.reshape(resized, (-1, table.shape[1])))
