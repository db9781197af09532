"""Self-checks of notebook 3: causal, padding and window masks, hard attention."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import hinted
from helpers.observed import Observed, name_mistake, name_slip, observed, quietly


@self_check("causal_mask")
def check_causal_mask(report, causal_mask, padding_mask, combine_masks):
    """Check the three functions that make and combine masks, each on its own."""
    with report.part("causal_mask"):
        causal = report.array(report.call(causal_mask, 4), (4, 4), "b", "causal_mask(4)")
        if np.array_equal(causal, np.triu(np.ones((4, 4)))):
            hint = "transposed: you allow the future instead of the past"
        elif np.array_equal(causal, np.triu(np.ones((4, 4)), 1)):
            hint = "inverted: True means that the query may attend"
        elif np.array_equal(causal, np.tri(4, k=-1)):
            hint = "the diagonal is lost: a position may attend to itself"
        elif np.array_equal(causal, np.tri(4, k=1)):
            hint = "one step of the future is allowed: query i may attend to the keys 0 to i"
        else:
            hint = observed(causal, np.tri(4, dtype=bool), "Which keys may query i attend to?")
        report.expect(np.array_equal(causal, np.tri(4)), "causal_mask: query i sees keys 0 to i", hint)
    with report.part("padding_mask"):
        ids = np.array([[5, 0, 7], [3, 8, 8]])
        padding = np.asarray(report.call(padding_mask, ids))
        hint = Observed(f"Yours has shape {padding.shape}")
        report.expect(padding.shape == (2, 1, 3), "padding_mask returns the shape (B, 1, S)", hint, stop=True)
        padding = report.array(padding, (2, 1, 3), "b", "padding_mask")
        right = np.array([[[True, False, True]], [[True, True, True]]])
        found = quietly(padding_mask, np.array([[5, 0, 0, 0]]))  # padding at the end is found at least
        mistakes = {
            "inverted: True marks a real token": ~right,
            "the ids that are not padding are counted, and so many positions from the first on are taken for real": (
                np.array([[[True, True, False]], [[True] * 3]])
            ),
        }
        if np.array_equal(found, [[[True, False, False, False]]]):
            mistakes["the 0 between two words is not found"] = np.array([[[True] * 3]] * 2)
        hint = name_mistake(padding, mistakes, right, "Which of these ids are 0?")
        if report.expect(np.array_equal(padding, right), "padding_mask is False on padding only", hint):
            other = np.asarray(report.call(padding_mask, ids, 8))
            mistakes = {
                "only ids equal to pad_id are padding": np.zeros((2, 1, 3), dtype=bool),
                "pad_id is ignored: the padding id is an argument": right,
            }
            right = np.array([[[True, True, True]], [[True, False, False]]])
            hint = name_mistake(other, mistakes, right, "Which of these ids are 8?")
            report.expect(np.array_equal(other, right), "with pad_id=8 it is the 8 that pads", hint)
    with report.part("combine_masks"):
        past, real = np.tri(3, dtype=bool), np.array([[[True, False, True]], [[True] * 3]])  # not the student's masks
        asked = "`mask is not None` asks whether there is a mask"
        combine = hinted(combine_masks, asked, "The truth value of an array")
        both = np.asarray(report.call(combine, past, real))
        mistakes = {
            "that is OR: a key must be allowed by every mask, AND": past | real,
            "only the first mask counts": np.broadcast_to(past, (2, 3, 3)),
            "only the last mask counts": np.broadcast_to(real, (2, 3, 3)),
            "that is true where the masks agree; a key must be allowed by every mask": past == real,
        }
        hint = name_mistake(both, mistakes, past & real, "Do both masks allow that key?")
        report.expect(np.array_equal(both, past & real), "combine_masks allows what all masks allow", hint, stop=True)
        kept = report.call(combine_masks, None, past, None)
        hint = observed(kept, past, "What does None say about a key?")
        report.expect(np.array_equal(kept, past), "None is ignored", hint)
        three = np.asarray(report.call(combine_masks, past, past.T, ~np.eye(3, dtype=bool)))
        mistakes = {"the third mask is not used: go through all of them": np.eye(3, dtype=bool)}
        hint = name_mistake(three, mistakes, np.zeros((3, 3), dtype=bool), "Do all three masks allow that key?")
        report.expect(not np.any(three), "three masks combine as well", hint)
        closed = np.asarray(report.call(combine_masks, past, np.zeros((3, 3), dtype=bool)))
        hint = name_mistake(closed, {"a mask that allows nothing counts as none": past}, past & False, "What is left?")
        report.expect(not np.any(closed), "a mask that allows nothing leaves nothing", hint)
        nothing = report.call(lambda: [combine_masks(None, None)])[0]
        hint = f"yours is {type(nothing).__name__}: return None if all masks are None"
        report.expect(nothing is None, "without any mask the result is None", hint)
    report.name = "causal_mask, padding_mask, combine_masks"


_HARD_CASES = (
    (np.array([[0.1, 0.7, -0.9], [0.3, 0.0, 0.3]]), np.array([[1.0, 10.0], [3.0, 20.0], [4.0, 50.0]])),
    (
        np.array([[-1.0, 0.5, 0.0, 0.75, 0.5], [0.25, -0.5, 0.25, -0.75, -1.0], [-0.5, -0.25, -1.0, -0.25, -0.5]]),
        np.array([[1.0, -2.0], [0.5, 1.5], [-1.0, 3.0], [2.0, 0.0], [-3.0, 1.0]]),
    ),
)
#: The window of radius 2 for five queries and eight keys, a row for each query, and the windows of known mistakes.
_WINDOWS = {
    "": "###..... ####.... #####... .#####.. ..#####.",
    "off by one: a distance equal to the radius is inside": "##...... ###..... .###.... ..###... ...###..",
    "one step too wide: True where the distance of i and j is at most radius":
        "####.... #####... ######.. #######. .#######",
    "all later keys are allowed: a distance has no sign, np.abs": "######## ######## ######## .####### ..######",
    "all earlier keys are allowed: a distance has no sign, np.abs": "###..... ####.... #####... ######.. #######.",
    "one side only, the past: the window reaches to both sides": "#....... ##...... ###..... .###.... ..###...",
    "one side only, the future: the window reaches to both sides": "###..... .###.... ..###... ...###.. ....###.",
    "the last key of the window is missing": "##...... ###..... ####.... .####... ..####..",
    "the first key of the window is missing": "###..... ####.... .####... ..####.. ...####.",
    "the query's own position is missing: its distance is 0": ".##..... #.##.... ##.##... .##.##.. ..##.##.",
    "the window wraps around from one end to the other": "###...## ####...# #####... .#####.. ..#####.",
}  # fmt: skip


def _drawn(rows):
    """Return a mask as it is drawn, with `#` for True."""
    return np.array([[letter == "#" for letter in row] for row in rows.split()])


#: What known mistakes take by hard attention in both cases.
_HARD_SLIPS = {
    "that is a soft mixture: take one value, whole":
        [[[-1.4, -30.0], [1.5, 18.0]], [[-0.75, 3.25], [1.25, -1.5], [1.375, -2.875]]],
    "the value comes whole: do not multiply it by its score":
        [[[2.1, 14.0], [0.3, 3.0]], [[1.5, 0.0], [0.25, -0.5], [-0.125, -0.375]]],
    "that is the value with the smallest score; take the largest score":
        [[[4.0, 50.0], [3.0, 20.0]], [[1.0, -2.0], [-3.0, 1.0], [-1.0, 3.0]]],
    "the sign of the scores is lost; -0.9 is less than 0.7":
        [[[4.0, 50.0], [1.0, 10.0]], [[1.0, -2.0], [-3.0, 1.0], [-1.0, 3.0]]],
    "you average the ties": [[[3.0, 20.0], [2.5, 30.0]], [[2.0, 0.0], [0.0, 0.5], [1.25, 0.75]]],
    "you take the last one of ties": [[[3.0, 20.0], [4.0, 50.0]], [[2.0, 0.0], [-1.0, 3.0], [2.0, 0.0]]],
    "that is a soft mixture, by a softmax: take one value, whole": [
        [[2.48836, 20.3249], [2.63515, 27.2971]],
        [[-0.0766587, 0.941572], [0.0359567, 0.63806], [0.116634, 0.530599]],
    ],
}  # fmt: skip


@self_check("window_mask")
def check_window_mask(report, window_mask, hard_attention):
    """Check `window_mask` and `hard_attention`."""
    with report.part("window_mask"):
        mask = report.array(report.call(window_mask, 5, 8, 2), (5, 8), "b", "window_mask(5, 8, 2)")
        mistakes = {text: _drawn(rows) for text, rows in _WINDOWS.items()}
        right = mistakes.pop("")
        mistakes["inverted: True means that the query may attend"] = ~right
        hint = name_mistake(mask, mistakes, right, "From which key to which key should this query see?")
        report.expect(np.array_equal(mask, right), "query i sees keys i - radius to i + radius", hint, stop=True)
        zero = np.asarray(report.call(window_mask, 3, 5, 0))
        hint = observed(zero, np.eye(3, 5, dtype=bool), "Which position has the distance 0?")
        report.expect(np.array_equal(zero, np.eye(3, 5)), "with radius 0 a query sees only its own position", hint)
    with report.part("hard_attention"):
        scores, value = _HARD_CASES[0]
        output = report.array(report.call(hard_attention, scores, value), (2, 2), "f", "hard_attention")
        results = [quietly(hard_attention, *case) for case in _HARD_CASES]
        slips = {text: outputs.__getitem__ for text, outputs in _HARD_SLIPS.items()}
        named = "" if any(result is None for result in results) else name_slip(results, [(0,), (1,)], slips)
        hint = named or observed(output, value[[1, 0]], "Which score of that query is the largest?")
        report.expect(np.array_equal(output[0], value[1]), "a query gets the value of its best key", hint, stop=True)
        report.expect(np.array_equal(output[1], value[0]), "of equal scores the first wins", hint)
    report.name = "window_mask, hard_attention"
