"""Self-checks of notebook 9: cutting pictures into patches, positions for another grid."""

import numpy as np
from helpers.checks import self_check
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, name_tried, observed


def near(a, b):
    """Return whether two results have the same shape and, up to rounding, the same values."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-4, atol=1e-5))


def refuses(report, function, args, line, question):
    """Print whether a call raises ValueError; if not, what it does and a question."""
    try:
        function(*args)
    except ValueError:
        report.expect(True, line)
    except Exception as error:
        report.expect(False, line, Observed(f"It raised {type(error).__name__}. {question}"))
    else:
        report.expect(False, line, Observed(f"Nothing was raised. {question}"))


@self_check("patchify")
def check_patchify(report, patchify, unpatchify):
    """Check the order inside and outside a patch, the way back, and what does not fit."""
    picture = np.arange(2 * 4 * 6 * 3, dtype=float).reshape(2, 4, 6, 3)
    got = call_explained(report, patchify, picture, 2, on="images (2, 4, 6, 3) and size 2",
                         expected="There are 2 x 3 patches of 2 * 2 * 3 numbers.")  # fmt: skip
    got = report.array(got, (2, 6, 12), what="patchify's result")
    first, second = picture[:, :2, :2], picture[:, :2, 2:4]
    if near(got, picture.reshape(2, 6, 12)):
        hint = "a plain reshape cuts strips out of a row; split both axes first, then bring the grid's axes together"
        report.expect(False, "the first patch is the top left corner", hint, stop=True)
    slips = {"inside a patch the rows come first, then columns; yours goes down the columns":
                 first.swapaxes(1, 2).reshape(2, 12),
             "the channels of a pixel stay together; yours puts whole channels one after the other":
                 first.transpose(0, 3, 1, 2).reshape(2, 12)}  # fmt: skip
    hint = name_mistake(got[:, 0], slips, first.reshape(2, 12), "Is it images[:, :2, :2], flattened?")
    report.expect(near(got[:, 0], first.reshape(2, 12)), "the first patch is the top left corner", hint, stop=True)
    hint = observed(got[:, 1], second.reshape(2, 12), "Which corner do you take next?")
    if near(got[:, 1], picture[:, 2:, :2].reshape(2, 12)):
        hint = "your second patch lies below the first; patches are read row by row, as one reads a page"
    report.expect(near(got[:, 1], second.reshape(2, 12)), "the second patch is right of the first", hint, stop=True)
    refuses(report, patchify, (picture, 4), "a size that does not divide the width raises ValueError",
            "Which two remainders decide?")  # fmt: skip
    refuses(report, patchify, (picture.swapaxes(1, 2), 4), "and one that does not divide the height, too",
            "Which two remainders decide?")  # fmt: skip
    patches = np.concatenate([first.reshape(2, 1, 12), got[:, 1:]], axis=1)
    back = call_explained(report, unpatchify, patches, 2, 4, 6, on="patches (2, 6, 12), size 2, height 4, width 6")
    back = report.array(back, (2, 4, 6, 3), what="unpatchify's result")
    hint = observed(back, picture, "Which step of patchify do you undo first?")
    if near(back, patches.reshape(2, 4, 6, 3)):
        hint = "a plain reshape puts the patches one after the other; split, transpose, then join"
    report.expect(near(back, picture), "unpatchify brings the picture back", hint, stop=True)
    numbers = np.repeat(np.arange(6.0), 4).reshape(1, 6, 4)  # patch n holds n
    tall = call_explained(report, unpatchify, numbers, 2, 6, 4, on="patches (1, 6, 4), size 2, height 6, width 4")
    tall = report.array(tall, (1, 6, 4, 1), what="a tall picture")
    blocks, lying = (np.kron(np.arange(6.0).reshape(grid), np.ones((2, 2))) for grid in ((3, 2), (2, 3)))
    slips = {"you make 2 rows of 3 patches, and this picture has 3 rows of 2; count rows and columns from its size":
                 lying.reshape(6, 4)}  # fmt: skip
    hint = name_mistake(tall[0, ..., 0], slips, blocks, "How many rows of patches does it have, and how many columns?")
    report.expect(near(tall[0, ..., 0], blocks), "and a tall one, too", hint, stop=True)
    refuses(report, unpatchify, (patches, 2, 4, 8), "too few patches for the picture raise ValueError",
            "How many patches does such a picture need?")  # fmt: skip
    refuses(report, unpatchify, (np.concatenate([patches, patches], axis=1), 2, 4, 6), "and so do twice as many",
            "Do you compare N, the size of axis 1, with the number that such a picture needs?")  # fmt: skip
    refuses(report, unpatchify, (patches, 2, 5, 6), "a height that is no multiple of size raises ValueError",
            "Which two remainders decide?")  # fmt: skip


def _wraps_around(report, resize_positions):
    """Return whether the cell at the other end counts beyond the first centre: of 0, 4, 100 a quarter of 100."""
    three = np.array([[0.0], [4.0], [100.0]])
    got = call_explained(report, resize_positions, three, (1, 3), (1, 6), on="old (1, 3), new (1, 6)")
    return near(got, [[25.0], [1.0], [3.0], [28.0], [76.0], [100.0]])


_ROWS_OF_CELLS = [[[0.0, 10.0], [4.0, 30.0]], [[1.0, 7.0], [3.0, -2.0], [8.0, 0.5]]]
#: What known mistakes make of these rows, by the number of new cells; tests/unit/test_held_image.py makes it anew.
_RESIZED = {
    "this puts the outermost centres on the corners; a centre lies half a cell inside the picture":
        {4: [[0, 10], [1.33333, 16.6667], [2.66667, 23.3333], [4, 30]],
         5: [[1, 7], [2, 2.5], [3, -2], [5.5, -0.75], [8, 0.5]]},
    "this copies the nearest position; interpolate between two":
        {4: [[0, 10], [0, 10], [4, 30], [4, 30]], 5: [[1, 7], [1, 7], [3, -2], [8, 0.5], [8, 0.5]]},
    "beyond the last centre the border is repeated; yours goes on along the line":
        {4: [[-1, 5], [1, 15], [3, 25], [5, 35]], 5: [[0.6, 8.8], [1.8, 3.4], [3, -2], [6, -0.5], [9, 1]]},
    "beyond the outermost centres your values fade towards 0; the shares of a new cell sum to 1 there, too":
        {4: [[0, 7.5], [1, 15], [3, 25], [3, 22.5]], 5: [[0.8, 5.6], [1.8, 3.4], [3, -2], [6, -0.5], [6.4, 0.4]]},
    "yours starts at the cell's edge, not at its centre: add 0.5 before and subtract it after":
        {4: [[0, 10], [2, 20], [4, 30], [4, 30]], 5: [[1, 7], [2.2, 1.6], [4, -1.5], [7, 0], [8, 0.5]]},
}  # fmt: skip


@self_check("resize_positions")
def check_resize_positions(report, resize_positions):
    """Check small grids along one axis and then both, up and down."""
    row, longer = map(np.array, _ROWS_OF_CELLS)
    got = call_explained(report, resize_positions, row, (1, 2), (1, 4), on="a table (2, 2), old (1, 2), new (1, 4)")
    got = report.array(got, (4, 2))
    want = row[0] + np.array([[0.0], [0.25], [0.75], [1.0]]) * (row[1] - row[0])
    asked = "The new centres are at -0.25, 0.25, 0.75 and 1.25 old cells. Are yours? Which two old cells do you take?"
    cases = [(row, (1, 2), (1, 4)), (longer, (1, 3), (1, 5))]
    slips = {text: lambda table, old, new, held=held: held[new[1]] for text, held in _RESIZED.items()}
    hint = name_tried(resize_positions, cases, slips, want, asked)
    if near(got[0], got[1]) and near(got[1:], want[1:]) and _wraps_around(report, resize_positions):
        hint = "before the first centre your lower neighbour is index -1, and that is the last cell; repeat the border"
    report.expect(near(got, want), "two cells become four: 0, 1, 3 and 4 for values 0 and 4", hint, stop=True)
    column = call_explained(report, resize_positions, row, (2, 1), (4, 1), on="old (2, 1), new (4, 1)")
    hint = observed(column, want, "Which of the two numbers of a grid is its height?")
    report.expect(near(column, want), "the same along the height", hint, stop=True)
    grid = np.array([[0.0], [1.0], [2.0], [30.0], [31.0], [32.0]])
    got = call_explained(report, resize_positions, grid, (2, 3), (4, 3), on="old (2, 3), new (4, 3)")
    got = report.array(got, (12, 1), what="the result for another grid")
    want = (np.array([0.0, 7.5, 22.5, 30.0])[:, None] + np.arange(3.0)).reshape(12, 1)
    hint = observed(got, want, "Is your table a grid (h, w, D), a grid (w, h, D) or one long line?")
    report.expect(near(got, want), "each column of a grid stays a column", hint, stop=True)
    down = call_explained(report, resize_positions, grid, (2, 3), (1, 3), on="old (2, 3), new (1, 3)")
    hint = observed(down, [[15.0], [16.0], [17.0]], "Where is the centre of the one new row?")
    report.expect(near(down, [[15.0], [16.0], [17.0]]), "two rows become one", hint)
    wide = np.arange(4.0)[:, None] ** 2
    down = call_explained(report, resize_positions, wide, (1, 4), (1, 1), on="old (1, 4), new (1, 1)")
    asked = "Without antialiasing only the two nearest cells count, those with the values 1 and 4. Which do you use?"
    hint = observed(down, [[2.5]], asked)
    report.expect(near(down, [[2.5]]), "four cells become one: the two in the middle count", hint)
    same = call_explained(report, resize_positions, grid, (2, 3), (2, 3), on="equal grids")
    report.expect(near(same, grid), "the same grid brings the same table back", observed(same, grid))
