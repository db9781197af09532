# %% wrong: nearly_equal_cells_tie
# says: Treats cells that are only nearly equal to the maximum (np.isclose) as ties and takes the first of them.
def pointing_accuracy(maps, boxes):
    hits = 0
    for m, (top, left, bottom, right) in zip(np.asarray(maps), np.asarray(boxes)):
        candidates = np.argwhere(np.isclose(m, m.max()))
        row, column = candidates[0]
        if top <= row < bottom and left <= column < right:
            hits += 1
    return hits / len(maps)


# %% wrong: ties_column_by_column
# says: Of equal cells it takes the first one column by column, not row by row, because it looks for the maximum in the transposed map.
def pointing_accuracy(maps, boxes):
    maps = np.asarray(maps)
    boxes = np.asarray(boxes)
    n, h, w = maps.shape
    flat = maps.transpose(0, 2, 1).reshape(n, w * h)
    column, row = np.divmod(flat.argmax(axis=1), h)
    top, left, bottom, right = boxes.T
    inside = (row >= top) & (row < bottom) & (column >= left) & (column < right)
    return inside.mean()
