# %% wrong: divided_by_the_height
# says: Row and column come from dividing the flat position by the height instead of the width, which only fits square maps.
def pointing_accuracy(maps, boxes):
    N, h, w = maps.shape
    row, column = np.divmod(maps.reshape(N, -1).argmax(axis=1), h)
    top, left, bottom, right = np.asarray(boxes).T
    return float(np.mean((top <= row) & (row < bottom) & (left <= column) & (column < right)))


# %% wrong: best_begins_at_zero
# says: The search for the largest cell begins with 0 as the best so far, so of a map without positive cells the first cell is taken.
def pointing_accuracy(maps, boxes):
    hits = 0
    for cells, (top, left, bottom, right) in zip(maps, boxes):
        best, place = 0.0, (0, 0)
        for i in range(cells.shape[0]):
            for j in range(cells.shape[1]):
                if cells[i, j] > best:
                    best, place = cells[i, j], (i, j)
        hits += top <= place[0] < bottom and left <= place[1] < right
    return hits / len(maps)


# %% wrong: row_and_column_apart
# says: The first row and the first column with a largest value are found each by itself, so with ties they may meet in a cell that is not the first, or not even a largest.
def pointing_accuracy(maps, boxes):
    maps, boxes = np.asarray(maps), np.asarray(boxes)
    rows = maps.max(axis=2).argmax(axis=1)
    columns = maps.max(axis=1).argmax(axis=1)
    inside = (boxes[:, 0] <= rows) & (rows < boxes[:, 2]) & (boxes[:, 1] <= columns) & (columns < boxes[:, 3])
    return inside.mean()


# %% right: way_1
# why: plain Python: max over the pairs (row, column), and ranges tell whether they lie in the box
def pointing_accuracy(maps, boxes):
    hits = []
    for cells, box in zip(np.asarray(maps).tolist(), np.asarray(boxes).tolist()):
        places = [(i, j) for i, line in enumerate(cells) for j in range(len(line))]
        i, j = max(places, key=lambda place: cells[place[0]][place[1]])
        hits.append(i in range(box[0], box[2]) and j in range(box[1], box[3]))
    return sum(hits) / len(hits)
