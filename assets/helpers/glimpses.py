"""Captions written step by step with a given attention, and the pointing game on what it looked at."""

import keras
import numpy as np
from helpers.scenes import CAPTION_LENGTH, END, START, WORDS

NAMING = (0, 1, 3, 4)  # the words of a caption that name a thing: colour and shape of the first, then of the second


def write_captions(model, eye, images, attend, given=None):
    """Write captions greedily, one glimpse before each word.

    Args:
        model: The trained captioner; its arrays are used.
        eye: Returns the grid of pictures and the decoder's first state.
        images: Pictures `(N, side, side, 3)`.
        attend: Called with `(state, grid, w_state, w_grid, v)`; returns context `(N, D)` and weights `(N, h, w)`.
        given: Right captions `(N, 6)`: each step then reads the right previous word; None for its own.

    Returns:
        `(words, maps)`: ids `(N, 6)` and weights `(N, 6, h, w)`.
    """
    grid, state = (np.asarray(a) for a in eye.predict(images, verbose=0))
    decoder, table = model.get_layer("decoder"), np.asarray(model.get_layer("words").embeddings)
    arrays = [np.asarray(layer.kernel) for layer in (decoder.state_to_score, decoder.grid_to_score, decoder.score)]
    last, words, maps = np.full(len(images), WORDS.index(START)), [], []
    for t in range(CAPTION_LENGTH):
        embedded = table[last]
        context, weights = attend(state, grid, arrays[0], arrays[1], arrays[2][:, 0])
        context = np.asarray(context, dtype="float32")
        new = decoder.cell(np.concatenate([embedded, context], axis=-1), [keras.ops.convert_to_tensor(state)])[0]
        state = np.asarray(new)
        logits = model.get_layer("logits")(np.concatenate([state, context], axis=-1))
        words.append(np.asarray(logits).argmax(axis=-1))
        maps.append(np.asarray(weights).reshape(grid.shape[:3]))
        last = words[-1] if given is None else given[:, t]
    return np.stack(words, axis=1), np.stack(maps, axis=1)


def one_cell(attend, choose):
    """Return an attention whose context is a single cell instead of a mixture.

    Args:
        attend: As in `write_captions`.
        choose: Called with weights `(N, S)`; returns the number of one cell for each picture.
    """

    def glimpse(state, grid, *arrays):
        weights = np.asarray(attend(state, grid, *arrays)[1])
        cells = choose(weights.reshape(len(grid), -1))
        return grid.reshape(len(grid), -1, grid.shape[-1])[np.arange(len(grid)), cells], weights

    return glimpse


def draw_cells(weights, luck):
    """Draw the number of one cell for each picture, with its weights `(N, S)` as probabilities."""
    return np.array([luck.choice(len(row), p=row / row.sum()) for row in np.asarray(weights, dtype=float)])


def read_caption(ids):
    """Return the words of one caption as a list, without the end mark."""
    words = [WORDS[i] for i in ids]
    return words[: words.index(END)] if END in words else words


def right_captions(written, captions):
    """Return the share of captions in which every word is right."""
    return float((written == captions).all(axis=1).mean())


def naming_maps(maps, boxes):
    """Return the maps of the words that name a thing, `(4 N, h, w)`, and the box of that thing, `(4 N, 4)`."""
    chosen = maps[:, list(NAMING)]
    return chosen.reshape(-1, *chosen.shape[2:]), boxes[:, [0, 0, 1, 1]].reshape(-1, 4)


def mark_inside(boxes, shape):
    """Return which cells of grids of a shape `(h, w)` lie in their boxes, booleans `(N, h, w)`."""
    rows, columns = np.arange(shape[0])[:, None], np.arange(shape[1])[None]
    top, left, bottom, right = (side[:, None, None] for side in np.asarray(boxes).T)
    return (top <= rows) & (rows < bottom) & (left <= columns) & (columns < right)


def play(maps, boxes, pointing=None):
    """Return the share of maps that point into their boxes, by a student's function or, with None, by marks."""
    if pointing is not None:
        return float(pointing(maps, boxes))
    marks, flat = mark_inside(boxes, maps.shape[1:]).reshape(len(maps), -1), maps.reshape(len(maps), -1)
    return float(np.take_along_axis(marks, flat.argmax(axis=1)[:, None], axis=1).mean())


def chance(boxes, shape):
    """Return the share of hits of a cell that is drawn at random: the mean share of a box in its grid."""
    return float(mark_inside(boxes, shape).mean())
