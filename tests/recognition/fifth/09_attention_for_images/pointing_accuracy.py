# %% wrong: any_of_the_equal_cells_counts
# says: A map is a hit if any of its equally large cells lies in the box; of equal cells only the first one should count.
def pointing_accuracy(maps, boxes):
    N, h, w = maps.shape
    largest = maps == maps.max(axis=(1, 2), keepdims=True)
    top, left, bottom, right = (boxes[:, k, None, None] for k in range(4))
    r = np.arange(h)[None, :, None]
    c = np.arange(w)[None, None, :]
    inside = (r >= top) & (r < bottom) & (c >= left) & (c < right)
    return np.mean((largest & inside).any(axis=(1, 2)))


# %% wrong: search_starts_at_zero
# says: The search for the largest cell begins with best = 0, so in a map without a positive number no cell is ever found and the corner (0, 0) counts as its largest cell.
def pointing_accuracy(maps, boxes):
    hits = 0
    for grid, (top, left, bottom, right) in zip(maps, boxes):
        best, row, column = 0.0, 0, 0
        for i in range(grid.shape[0]):
            for j in range(grid.shape[1]):
                if grid[i, j] > best:
                    best, row, column = grid[i, j], i, j
        if top <= row < bottom and left <= column < right:
            hits += 1
    return hits / len(maps)


# %% right: max_with_a_key
# why: Python's max with a key returns the first of equal cells, and the cells are listed row by row; range objects test the half-open box.
def pointing_accuracy(maps, boxes):
    N, h, w = maps.shape
    cells = [(i, j) for i in range(h) for j in range(w)]
    hits = []
    for grid, box in zip(maps, boxes):
        top, left, bottom, right = map(int, box)
        i, j = max(cells, key=lambda cell: grid[cell])
        hits.append(i in range(top, bottom) and j in range(left, right))
    return sum(hits) / N
