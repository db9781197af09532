# %% wrong: height_and_width
# says: reads a box as top, left, height, width instead of top, left, bottom, right
def pointing_accuracy(maps, boxes):
    N, h, w = maps.shape
    rows, columns = np.unravel_index(maps.reshape(N, -1).argmax(axis=1), (h, w))
    top, left, height, width = boxes.T
    return np.mean((top <= rows) & (rows < top + height) & (left <= columns) & (columns < left + width))


# %% wrong: starts_from_zero
# says: starts the search for the largest value at 0, so a map of negative numbers always points to the first cell
def pointing_accuracy(maps, boxes):
    hits = 0
    for a, (top, left, bottom, right) in zip(maps, boxes):
        best, row, column = 0.0, 0, 0
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                if a[i, j] > best:
                    best, row, column = a[i, j], i, j
        hits += top <= row < bottom and left <= column < right
    return hits / len(maps)


# %% wrong: row_and_column_apart
# says: takes the best row and the best column apart; with equal cells these may belong to two cells, not to the first
def pointing_accuracy(maps, boxes):
    rows = maps.max(axis=2).argmax(axis=1)
    columns = maps.max(axis=1).argmax(axis=1)
    inside = (boxes[:, 0] <= rows) & (rows < boxes[:, 2]) & (boxes[:, 1] <= columns) & (columns < boxes[:, 3])
    return inside.mean()


# %% wrong: nearly_equal
# says: np.isclose takes cells for equal that are not: in a map of tiny numbers the first cell always wins
def pointing_accuracy(maps, boxes):
    hits = []
    for a, (top, left, bottom, right) in zip(maps, boxes):
        row, column = np.argwhere(np.isclose(a, a.max()))[0]
        hits.append(top <= row < bottom and left <= column < right)
    return float(np.mean(hits))


# %% wrong: divides_by_the_height
# says: gets the row and the column back with the height instead of the width
def pointing_accuracy(maps, boxes):
    n, height, width = maps.shape
    hits = 0
    for k in range(n):
        row, column = divmod(int(np.argmax(maps[k])), height)
        top, left, bottom, right = boxes[k]
        if row >= top and row < bottom and column >= left and column < right:
            hits += 1
    return hits / n


# %% right: best_of_all_cells
# why: Python's max over the cells keeps the first of equal ones, range tests the sides; the mean may be an int
import statistics


def pointing_accuracy(maps, boxes):
    def hit(a, box):
        top, left, bottom, right = (int(side) for side in box)
        row, column = max(np.ndindex(*a.shape), key=lambda cell: a[cell])
        return int(row in range(top, bottom) and column in range(left, right))

    return statistics.mean([hit(a, box) for a, box in zip(maps, boxes)])


# %% right: drawn_boxes
# why: draws each box as a picture of ones by a slice and reads it at the first largest cell
def pointing_accuracy(maps, boxes):
    drawn = np.zeros(maps.shape, dtype="float32")
    for picture, (top, left, bottom, right) in zip(drawn, boxes):
        picture[top:bottom, left:right] = 1
    first = np.argsort(-maps.reshape(len(maps), -1), axis=1, kind="stable")[:, :1]
    return np.take_along_axis(drawn.reshape(len(maps), -1), first, axis=1).mean()
