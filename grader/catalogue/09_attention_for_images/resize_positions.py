# %% wrong: corners_aligned
# says: You put the outermost centres on the corners. A centre lies half a cell inside the picture: align the edges, not the centres.
# self-check: on the corners
def resize_positions(table, old, new):
    def shares(before, after):
        centres = np.linspace(0, before - 1, after) if after > 1 else np.array([(before - 1) / 2])
        return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before)))

    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(new[0] * new[1], -1)

# %% wrong: nearest_copied
# says: You copied the nearest position. Interpolate between the two nearest centres.
# self-check: copies the nearest
def resize_positions(table, old, new):
    grid = table.reshape(old[0], old[1], -1)
    rows = ((np.arange(new[0]) + 0.5) * old[0] / new[0]).astype(int)
    columns = ((np.arange(new[1]) + 0.5) * old[1] / new[1]).astype(int)
    return grid[rows][:, columns].reshape(new[0] * new[1], -1)

# %% wrong: from_the_edge
# says: Your new cells start at the old cells' edges. Add half a cell before you scale and take it away afterwards.
# self-check: cell's edge
def resize_positions(table, old, new):
    def shares(before, after):
        centres = np.clip(np.arange(after) * before / after, 0, before - 1)
        return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before)))

    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(new[0] * new[1], -1)

# %% wrong: flattened
# says: You interpolated along the table as if it were one long line. Restore the grid first: each column stays a column.
# self-check: one long line
def resize_positions(table, old, new):
    before, after = len(table), new[0] * new[1]
    centres = np.clip((np.arange(after) + 0.5) * before / after - 0.5, 0, before - 1)
    return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before))) @ table

# %% wrong: axes_exchanged
# says: Height and width have changed places: the table is (h, w, D), row by row.
def resize_positions(table, old, new):
    def shares(before, after):
        centres = np.clip((np.arange(after) + 0.5) * before / after - 0.5, 0, before - 1)
        return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before)))

    grid = table.reshape(old[1], old[0], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[1], new[1]), shares(old[0], new[0]), grid).reshape(new[0] * new[1], -1)

# %% wrong: border_continued
# says: Beyond the last centre you went on along the line. The border is repeated there.
# self-check: goes on along the line
def resize_positions(table, old, new):
    def shares(before, after):
        centres = (np.arange(after) + 0.5) * before / after - 0.5
        matrix = np.zeros((after, before))
        for i, c in enumerate(centres):
            k = min(max(int(np.floor(c)), 0), max(before - 2, 0))
            matrix[i, k] += 1 - (c - k) if before > 1 else 1
            if before > 1:
                matrix[i, k + 1] += c - k
        return matrix

    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(new[0] * new[1], -1)

# %% wrong: border_fades
# says: Beyond the last centre your values fade towards 0, because the shares there do not sum to 1. Repeat the border.
def resize_positions(table, old, new):
    def shares(before, after):
        centres = (np.arange(after) + 0.5) * before / after - 0.5
        return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before)))

    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(new[0] * new[1], -1)

# %% wrong: antialiased
# says: When the grid shrinks, you average over all old cells that a new one covers. Only the two nearest centres count.
# self-check: antialiasing
def resize_positions(table, old, new):
    picture = np.asarray(table, dtype="float32").reshape(1, old[0], old[1], -1)
    return np.asarray(keras.ops.image.resize(picture, new, interpolation="bilinear", antialias=True)).reshape(new[0] * new[1], -1)

# %% wrong: bicubic
# says: You interpolated with cubic curves. Bilinear means along straight lines between the two nearest centres.
def resize_positions(table, old, new):
    picture = np.asarray(table, dtype="float32").reshape(1, old[0], old[1], -1)
    return np.asarray(keras.ops.image.resize(picture, new, interpolation="bicubic")).reshape(new[0] * new[1], -1)

# %% wrong: border_wraps_around
# says: Before the first centre your lower neighbour has the index -1, which is the last cell. Repeat the border there.
# self-check: index -1
def resize_positions(table, old, new):
    def shares(before, after):
        centres = (np.arange(after) + 0.5) * before / after - 0.5
        low = np.floor(centres).astype(int)
        matrix = np.zeros((after, before))
        matrix[np.arange(after), low] += 1 - (centres - low)
        matrix[np.arange(after), np.minimum(low + 1, before - 1)] += centres - low
        return matrix

    grid = table.reshape(old[0], old[1], -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(new[0] * new[1], -1)

# %% right: with_keras
# why: the library's function, in float32
def resize_positions(table, old, new):
    picture = np.asarray(table, dtype="float32").reshape(1, old[0], old[1], -1)
    return np.asarray(keras.ops.image.resize(picture, tuple(new), interpolation="bilinear", antialias=False)).reshape(new[0] * new[1], -1)

# %% right: with_interp
# why: np.interp for each column of numbers, first along the width, then along the height
def resize_positions(table, old, new):
    grid = np.asarray(table, dtype=float).reshape(old[0], old[1], -1)
    for axis in (1, 0):
        places = (np.arange(new[axis]) + 0.5) * old[axis] / new[axis] - 0.5
        grid = np.apply_along_axis(lambda line: np.interp(places, np.arange(len(line)), line), axis, grid)
    return grid.reshape(new[0] * new[1], -1)

# %% right: two_neighbours
# why: the four neighbours of each new centre, weighted by hand
def resize_positions(table, old, new):
    grid, result = table.reshape(old[0], old[1], -1), []
    for i in range(new[0]):
        y = min(max((i + 0.5) * old[0] / new[0] - 0.5, 0), old[0] - 1)
        for j in range(new[1]):
            x = min(max((j + 0.5) * old[1] / new[1] - 0.5, 0), old[1] - 1)
            a, b = int(y), int(x)
            c, d = min(a + 1, old[0] - 1), min(b + 1, old[1] - 1)
            upper = grid[a, b] * (1 - (x - b)) + grid[a, d] * (x - b)
            lower = grid[c, b] * (1 - (x - b)) + grid[c, d] * (x - b)
            result.append(upper * (1 - (y - a)) + lower * (y - a))
    return np.array(result)

# %% equivalent
# because: clipping 0 to the range from the centre to the last cell gives the centre clipped to 0 and the last cell
# was: centres = np.clip(centres, 0, before - 1)
# now: centres = np.clip(0, centres, before - 1)

# %% equivalent
# because: a distance does not depend on the sign
# was: return np.maximum(0, 1 - np.abs(centres[:, None] - np.arange(before)))
# now: return np.maximum(0, 1 - np.abs(np.arange(before) - centres[:, None]))

# %% equivalent
# because: NumPy takes any negative size as the one to be worked out
# was: grid = table.reshape(old[0], old[1], -1)
# now: grid = table.reshape(old[0], old[1], -2)
# was: return resized.reshape(new[0] * new[1], -1)
# now: return resized.reshape(new[0] * new[1], -2)
