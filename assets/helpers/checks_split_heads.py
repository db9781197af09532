"""Self-check of notebook 4: splitting into heads."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import name_mistake


@self_check("split_heads")
def check_split_heads(report, split_heads, merge_heads):
    """Check splitting element by element and its error, then merging alone."""
    with report.part("split_heads"):
        x = np.arange(60.0).reshape(2, 5, 6)
        got = report.array(report.call(split_heads, x, 3), (2, 3, 5, 2), "f", "split_heads(x, 3) of x (2, 5, 6)")
        blocks = np.stack([x[..., 0:2], x[..., 2:4], x[..., 4:6]], axis=1)
        mistakes = {
            "reshape alone cuts the memory, so a head holds whole words and parts of others": x.reshape(2, 3, 5, 2),
            "yours are interleaved: head 0 has columns 0, 3, ..., it should have columns 0 and 1": np.stack(
                [x[..., 0::3], x[..., 1::3], x[..., 2::3]], axis=1
            ),
            "the heads come in reverse order": blocks[:, ::-1],
            "the words of each head come in reverse order": blocks[:, :, ::-1],
            "all heads hold the columns of the first one": blocks[:, [0, 0, 0]],
            "words and columns are mixed: turn the axes, do not reshape them": blocks.swapaxes(-2, -1).reshape(
                2, 3, 5, 2
            ),
        }
        hint = name_mistake(got, mistakes, blocks, "Which columns of which word should head 0 have?")
        report.expect(np.array_equal(got, blocks), "each head holds its block of columns", hint, stop=True)
        raised = {}
        for words in (5, 4):
            try:
                split_heads(x[:, :words], 4)
                raised[words] = "nothing"
            except Exception as error:
                raised[words] = "ValueError" if isinstance(error, ValueError) else type(error).__name__
        hint = f"yours raised {raised[5]}"
        if raised[5] == "ValueError":
            hint = "for 5 words yours does, for 4 words it does not: the heads have to divide the width, not the words"
        right = set(raised.values()) == {"ValueError"}
        report.expect(right, "4 heads and a width of 6 raise a ValueError", hint)
    with report.part("merge_heads"):
        heads = np.arange(60.0).reshape(2, 3, 5, 2)
        merged = report.array(report.call(merge_heads, heads), (2, 5, 6), "f", "merge_heads of (2, 3, 5, 2)")
        want = np.concatenate([heads[:, 0], heads[:, 1], heads[:, 2]], axis=-1)
        mistakes = {
            "reshape alone mixes words: first bring the axis of the heads after that of the words": heads.reshape(
                2, 5, 6
            ),
            "yours are interleaved: the columns of one head belong together": heads.transpose(0, 2, 3, 1).reshape(
                2, 5, 6
            ),
            "the heads come in reverse order": np.concatenate([heads[:, 2], heads[:, 1], heads[:, 0]], axis=-1),
            "the heads are averaged; each has columns of its own": np.tile(heads.mean(axis=1), 3),
        }
        hint = name_mistake(merged, mistakes, want, "Where do columns 0 and 1 of a merged word come from?")
        report.expect(np.array_equal(merged, want), "merging lays the heads side by side", hint)
