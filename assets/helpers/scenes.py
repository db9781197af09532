"""Generated pictures: coloured shapes whose places, captions and boxes are known."""

import numpy as np

SIDE, PATCH = 24, 4  # pixels of a picture and of a patch
GRID = SIDE // PATCH  # cells of the grid along a side
COLOURS = {"red": (0.86, 0.20, 0.15), "green": (0.10, 0.60, 0.25), "blue": (0.15, 0.35, 0.85),
           "yellow": (0.95, 0.80, 0.15)}  # fmt: skip
SHAPES = ("circle", "square", "cross")
EXTENT = 7  # pixels along a side of the square in which a shape is drawn
START, END = "<start>", "<end>"
WORDS = (START, END, *COLOURS, *SHAPES, "left of", "above")
CAPTION_LENGTH = 6  # colour, shape, relation, colour, shape, end


def draw_shape(shape, extent=EXTENT):
    """Return which pixels of a square of `extent` pixels belong to a shape, booleans `(extent, extent)`."""
    y, x = np.mgrid[:extent, :extent] - (extent - 1) / 2
    if shape == "circle":
        return x**2 + y**2 <= (extent / 2) ** 2
    if shape == "square":
        return (abs(x) <= 0.4 * extent) & (abs(y) <= 0.4 * extent)
    return (abs(x) <= extent / 6) | (abs(y) <= extent / 6)


def draw_scene(things, rng=None, side=SIDE):
    """Draw a picture `(side, side, 3)` with values from 0 to 1.

    Args:
        things: List of `(colour, shape, top, left)`, in pixels.
        rng: Generator for the noise; None draws without.
        side: Pixels of a side.
    """
    picture = np.full((side, side, 3), 0.92)
    for colour, shape, top, left in things:
        picture[top : top + EXTENT, left : left + EXTENT][draw_shape(shape)] = COLOURS[colour]
    if rng is not None:
        picture += 0.05 * rng.normal(size=picture.shape)
    return picture.astype("float32")


def _free_places(rng, count, side):
    """Draw `count` top left corners whose squares do not touch."""
    while True:  # many sets at once, as most of them do not fit
        tries = rng.integers(0, side - EXTENT + 1, size=(64, count, 2))
        apart = abs(tries[:, :, None] - tries[:, None]).max(axis=-1) + 2 * EXTENT * np.eye(count)
        fits = (apart > EXTENT).all(axis=(1, 2))
        if fits.any():
            return tries[fits.argmax()].tolist()


def box_of(top, left):
    """Return the cells that the square around a shape touches: `(top, left, bottom, right)`, the last two excluded."""
    return (top // PATCH, left // PATCH, -(-(top + EXTENT) // PATCH), -(-(left + EXTENT) // PATCH))


def extent_of(box):
    """Return the rows and columns of a box in words, the last ones included."""
    top, left, bottom, right = (int(side) for side in box)
    return f"rows {top} to {bottom - 1}, columns {left} to {right - 1}"


def caption_of(things):
    """Return the caption of two things as a list of words, and the two in the order in which it names them.

    If they are further apart along the width than along the height, the caption says which is left of the other, else
    which is above.
    """
    (_, _, top, left), (_, _, other_top, other_left) = things
    sideways = abs(left - other_left) > abs(top - other_top)
    first, second = sorted(things, key=lambda thing: thing[3] if sideways else thing[2])
    words = [first[0], first[1], "left of" if sideways else "above", second[0], second[1]]
    return words, (first, second)


def make_captioned(count, seed, side=SIDE):
    """Draw pictures of two different things with captions.

    Returns:
        Dictionary of `images (N, side, side, 3)`, `captions (N, 6)`, ids of words ending in END, and `boxes (N, 2, 4)`
        of the two things in the order of the caption, in cells.
    """
    rng = np.random.default_rng(seed)
    kinds = [(colour, shape) for colour in COLOURS for shape in SHAPES]
    images, captions, boxes = [], [], []
    while len(images) < count:
        chosen = rng.choice(len(kinds), 2, replace=False)
        places = _free_places(rng, 2, side)
        if abs(places[0][0] - places[1][0]) == abs(places[0][1] - places[1][1]):
            continue  # neither left of nor above
        things = [(*kinds[k], *place) for k, place in zip(chosen, places, strict=True)]
        words, ordered = caption_of(things)
        images.append(draw_scene(things, rng, side))
        captions.append([WORDS.index(word) for word in [*words, END]])
        boxes.append([box_of(top, left) for _, _, top, left in ordered])
    return {"images": np.stack(images), "captions": np.array(captions), "boxes": np.array(boxes)}


def make_labelled(count, seed, side=SIDE, others=2):
    """Draw pictures with one cross among circles and squares; the label is the colour of the cross.

    Returns:
        Dictionary of `images (N, side, side, 3)`, `labels (N,)`, `boxes (N, 4)`, where the cross is, in cells, and
        `scenes`, for each picture a text that says what is where.
    """
    rng = np.random.default_rng(seed)
    names, images, labels, boxes, said = list(COLOURS), [], [], [], []
    for _ in range(count):
        places = _free_places(rng, 1 + others, side)
        shapes = ["cross", *rng.choice(SHAPES[:2], others)]
        colours = rng.integers(0, len(names), 1 + others)
        things = [(names[c], s, *place) for c, s, place in zip(colours, shapes, places, strict=True)]
        images.append(draw_scene(things, rng, side))
        labels.append(colours[0])
        boxes.append(box_of(*places[0]))
        said.append("; ".join(f"{c} {s} in {extent_of(box_of(*place))}" for c, s, *place in things) + ".")
    return {"images": np.stack(images), "labels": np.array(labels), "boxes": np.array(boxes), "scenes": said}


def keep_apart(top, left, other=(9, 9)):
    """Return the place of a thing, moved left or right just far enough not to touch another one at `other`."""
    if max(abs(top - other[0]), abs(left - other[1])) > EXTENT:
        return top, left
    return (top, other[1] - EXTENT - 1) if left <= other[1] else (top, min(other[1] + EXTENT + 1, SIDE - EXTENT))
