# %% wrong: rows_and_columns_exchanged
# says: Rows and columns have changed places. A box is (top, left, bottom, right): top and bottom belong to the row.
# self-check: exchanged
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= columns) & (columns < bottom) & (left <= rows) & (rows < right)))

# %% wrong: ends_included
# says: You counted bottom and right as part of the box. They are excluded, as in a slice.
# self-check: excluded
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows <= bottom) & (left <= columns) & (columns <= right)))

# %% wrong: starts_excluded
# says: You left top and left out of the box. They belong to it.
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top < rows) & (rows <= bottom - 1) & (left < columns) & (columns <= right - 1)))

# %% wrong: mass_in_the_box
# says: You added up the map inside the box. The pointing game looks at the largest cell alone.
def pointing_accuracy(maps, boxes):
    inside = [m[t:b, l:r].sum() / m.sum() for m, (t, l, b, r) in zip(maps, boxes)]
    return float(np.mean(inside))

# %% wrong: most_of_the_mass
# says: You asked whether most of the map lies in the box. Only the largest cell counts.
def pointing_accuracy(maps, boxes):
    inside = [m[t:b, l:r].sum() > 0.5 * m.sum() for m, (t, l, b, r) in zip(maps, boxes)]
    return float(np.mean(inside))

# %% wrong: any_of_the_ties
# says: With equal cells, you count a hit if any of them lies in the box. Only the first one counts, row by row.
def pointing_accuracy(maps, boxes):
    return float(np.mean([m[t:b, l:r].max() == m.max() for m, (t, l, b, r) in zip(maps, boxes)]))

# %% wrong: last_of_ties
# says: Of equal cells you took the last. The first counts, row by row.
# self-check: the first
def pointing_accuracy(maps, boxes):
    flat = maps.reshape(len(maps), -1)
    rows, columns = np.divmod(flat.shape[1] - 1 - flat[:, ::-1].argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% wrong: a_count
# says: You returned the number of hits. Divide it by the number of maps.
# self-check: number of hits
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.sum((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% wrong: divided_by_the_height
# says: You divided the flat position by the height. A row has as many cells as the map is wide.
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[1])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% wrong: width_and_height_in_the_box
# says: You read the box as (top, left, height, width). Its last two numbers are bottom and right.
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, height, width = boxes.T
    return float(np.mean((top <= rows) & (rows < top + height) & (left <= columns) & (columns < left + width)))

# %% wrong: nearly_equal_is_equal
# says: You treated nearly equal cells as equal. np.isclose calls all tiny numbers equal, so look for the exact maximum.
# self-check: nearly equal
def pointing_accuracy(maps, boxes):
    hits = []
    for cells, (top, left, bottom, right) in zip(maps, boxes):
        row, column = np.argwhere(np.isclose(cells, cells.max()))[0]
        hits.append(top <= row < bottom and left <= column < right)
    return float(np.mean(hits))

# %% wrong: in_float32
# says: In float32, cells become equal that are not. Compare the numbers as they are.
def pointing_accuracy(maps, boxes):
    maps = maps.astype(np.float32)
    rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% wrong: rounded_first
# says: You rounded the map before you looked for its maximum, so cells that differ by little became equal.
# self-check: nearly equal
def pointing_accuracy(maps, boxes):
    rows, columns = np.divmod(np.round(maps, 5).reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% wrong: largest_cell_above_minus_a_thousand
# says: You begin with -1000 as the largest cell so far. If all cells are below that, none is found.
def pointing_accuracy(maps, boxes):
    rows, columns = np.zeros(len(maps), int), np.zeros(len(maps), int)
    for n, cells in enumerate(maps):
        best = -1000
        for (row, column), cell in np.ndenumerate(cells):
            if cell > best:
                best, rows[n], columns[n] = cell, row, column
    top, left, bottom, right = boxes.T
    return float(np.mean((top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)))

# %% right: loops
# why: map by map with unravel_index
def pointing_accuracy(maps, boxes):
    hits = 0
    for cells, (top, left, bottom, right) in zip(maps, boxes):
        row, column = np.unravel_index(np.argmax(cells), cells.shape)
        hits += top <= row < bottom and left <= column < right
    return hits / len(maps)

# %% right: masks
# why: a mask of each box, read at the largest cell
def pointing_accuracy(maps, boxes):
    N, h, w = maps.shape
    inside = np.zeros((N, h, w), dtype=bool)
    for n, (top, left, bottom, right) in enumerate(boxes):
        inside[n, top:bottom, left:right] = True
    return inside.reshape(N, -1)[np.arange(N), maps.reshape(N, -1).argmax(axis=1)].mean()

# %% right: with_keras_ops
# why: the library's argmax, a float32
def pointing_accuracy(maps, boxes):
    best = keras.ops.convert_to_numpy(keras.ops.argmax(keras.ops.reshape(maps, (len(maps), -1)), axis=-1))
    width = maps.shape[-1]
    rows, columns = best // width, best % width
    return np.float32(np.mean([t <= i < b and l <= j < r for i, j, (t, l, b, r) in zip(rows, columns, boxes)]))

# %% equivalent
# because: there are as many boxes as maps
# was: rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
# now: rows, columns = np.divmod(maps.reshape(len(boxes), -1).argmax(axis=1), maps.shape[2])

# %% equivalent
# because: NumPy takes any negative size as the one to be worked out
# was: rows, columns = np.divmod(maps.reshape(len(maps), -1).argmax(axis=1), maps.shape[2])
# now: rows, columns = np.divmod(maps.reshape(len(maps), -2).argmax(axis=1), maps.shape[2])
