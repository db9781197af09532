# %% wrong: divided_by_height
# says: The flat index is split by the height of the map instead of its width, so row and column are wrong on maps that are not square.
def pointing_accuracy(maps, boxes):
    maps = np.asarray(maps)
    N, h, w = maps.shape
    flat = maps.reshape(N, -1).argmax(axis=1)
    hits = 0
    for index, (top, left, bottom, right) in zip(flat, np.asarray(boxes)):
        row, column = divmod(int(index), h)
        if top <= row < bottom and left <= column < right:
            hits += 1
    return hits / N


# %% wrong: any_largest_cell
# says: A map is a hit if any of several equal largest cells lies in the box; only the first one, row by row, counts.
def pointing_accuracy(maps, boxes):
    results = []
    for m, box in zip(np.asarray(maps), np.asarray(boxes)):
        top, left, bottom, right = [int(k) for k in box]
        inside = np.max(m[top:bottom, left:right], initial=-np.inf)
        results.append(inside == np.max(m))
    return float(np.mean(results))


# %% wrong: rounded_to_float32
# says: The maps are rounded to float32 first, so cells that differ only in later digits count as equal and the first of them is taken.
def pointing_accuracy(maps, boxes):
    maps = np.array(maps, dtype="float32")
    boxes = np.asarray(boxes)
    n, h, w = maps.shape
    row, column = np.unravel_index(np.argmax(maps.reshape(n, h * w), axis=-1), (h, w))
    top, left, bottom, right = boxes.T
    hit = (top <= row) & (row < bottom) & (left <= column) & (column < right)
    return hit.mean()


# %% right: way_1
# why: Python's max over all index pairs returns the first of equal cells in row order, and membership in two ranges is the test for the box.
def pointing_accuracy(maps, boxes):
    m = np.asarray(maps)
    N, h, w = m.shape
    hits = 0
    for n, (top, left, bottom, right) in enumerate(np.asarray(boxes).tolist()):
        i, j = max(np.ndindex(h, w), key=lambda cell: m[(n, *cell)])
        hits += i in range(top, bottom) and j in range(left, right)
    return hits / N
