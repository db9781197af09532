"""The pictures of notebook 9: what a caption says is what was drawn, and a box holds its thing."""

import itertools

import numpy as np
from helpers import scenes


def test_captions_say_what_was_drawn_and_boxes_hold_it():
    data = scenes.make_captioned(60, seed=3)
    assert data["images"].shape == (60, scenes.SIDE, scenes.SIDE, 3)
    for picture, ids, boxes in zip(data["images"], data["captions"], data["boxes"], strict=True):
        words = [scenes.WORDS[i] for i in ids]
        assert words[-1] == scenes.END
        for colour, (top, left, bottom, right) in zip((words[0], words[3]), boxes, strict=True):
            inside = picture[scenes.PATCH * top : scenes.PATCH * bottom, scenes.PATCH * left : scenes.PATCH * right]
            nearest = abs(inside - np.array(scenes.COLOURS[colour])).sum(axis=-1).min()
            assert nearest < 0.5
        (a, b), sideways = boxes, words[2] == "left of"
        assert a[1] <= b[1] if sideways else a[0] <= b[0]


def test_labels_are_the_colour_of_the_one_cross():
    data = scenes.make_labelled(40, seed=4)
    names = list(scenes.COLOURS)
    for picture, label, box in zip(data["images"], data["labels"], data["boxes"], strict=True):
        top, left, bottom, right = (scenes.PATCH * side for side in box)
        middle = picture[top:bottom, left:right].reshape(-1, 3)
        close = abs(middle - np.array(scenes.COLOURS[names[label]])).sum(axis=-1) < 0.5
        assert 15 <= close.sum() <= 40


def test_the_amounts_of_colours_give_the_cross_away():
    """What notebook 9 says of its task: the odds of two rules that know no shape, and that counting pixels suffices."""
    pixels = {shape: int(scenes.draw_shape(shape).sum()) for shape in scenes.SHAPES}
    assert pixels == {"circle": 37, "square": 25, "cross": 33}
    answers, frequent, pointed = {}, [], []
    for colours in itertools.product(range(4), repeat=3):  # that of the cross first
        counts = np.bincount(colours, minlength=4)
        frequent.append((counts[colours[0]] == counts.max()) / (counts == counts.max()).sum())
        pointed.append(1 / counts[colours[0]])
        for others in itertools.product(("circle", "square"), repeat=2):
            amounts = np.bincount(colours, [pixels[shape] for shape in ("cross", *others)], minlength=4)
            answers.setdefault(tuple(amounts), set()).add(colours[0])
    assert np.isclose(np.mean(frequent), 9 / 16)
    assert np.isclose(np.mean(pointed), 9 / 16 + 6 / 16 / 2 + 1 / 16 / 3)
    assert all(len(found) == 1 for found in answers.values())


def test_the_same_seed_draws_the_same_pictures():
    for make in (scenes.make_captioned, scenes.make_labelled):
        np.testing.assert_array_equal(make(5, seed=1)["images"], make(5, seed=1)["images"])


def test_things_are_kept_apart():
    for top in range(scenes.SIDE - scenes.EXTENT + 1):
        for left in range(scenes.SIDE - scenes.EXTENT + 1):
            row, column = scenes.keep_apart(top, left)
            assert max(abs(row - 9), abs(column - 9)) > scenes.EXTENT
            assert 0 <= row <= scenes.SIDE - scenes.EXTENT
            assert 0 <= column <= scenes.SIDE - scenes.EXTENT
