"""The self-checks of notebook 9: right answers pass, usual mistakes are named, nothing is raised."""

import numpy as np
import pytest
from helpers.checks_image_glimpses import (
    check_doubly_stochastic_penalty,
    check_pointing_accuracy,
    check_spatial_attention,
)
from helpers.checks_image_patches import check_patchify, check_resize_positions
from helpers.checks_image_transformer import check_attention_rollout, check_vit_parameter_count


def cut(images, size, order=(0, 1, 3, 2, 4, 5)):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    split = images.reshape(B, H // size, size, W // size, size, C)
    return split.transpose(order).reshape(B, -1, size * size * C)


def join(patches, size, height, width):
    rows, columns = height // size, width // size
    if height % size or width % size or rows * columns != patches.shape[1]:
        raise ValueError
    split = patches.reshape(len(patches), rows, columns, size, size, -1)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -1)


def attend(state, grid, w_state, w_grid, v, axes=(1, 2), shift=True, shared=False, limit=np.inf):
    scores = np.clip(np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v, -limit, limit)
    e = np.exp(scores - shift * scores.max(axis=None if shared else axes, keepdims=True))
    weights = e / e.sum(axis=axes, keepdims=True)
    return np.einsum("bhw,bhwd->bd", weights, grid), weights


def join_by_root(patches, size, height, width):
    join(patches, size, height, width)  # it raises where that does
    split = patches.reshape(len(patches), int(patches.shape[1] ** 0.5), -1, size, size, patches.shape[2] // size**2)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -1)


def join_any_batch(patches, size, height, width):
    if height % size or width % size:
        raise ValueError
    return join(patches.reshape(-1, (height // size) * (width // size), patches.shape[2]), size, height, width)


def penalty(weights, mask, used=True, places=np.sum, batch=np.mean):
    looked = (weights * (mask[..., None] if used else 1)).sum(axis=1)
    return float(batch(places((1 - looked) ** 2, axis=-1)))


def point(maps, boxes, end=0, turned=False):
    hits = []
    for cells, (top, left, bottom, right) in zip(maps, boxes, strict=True):
        place = divmod(int(cells.argmax()), maps.shape[2])
        row, column = place[::-1] if turned else place
        hits.append(top <= row < bottom + end and left <= column < right + end)
    return float(np.mean(hits))


def resize(table, old, new, half=0.5, clip=True):
    def shares(before, after):
        centres = (np.arange(after) + half) * before / after - half
        centres = np.clip(centres, 0, before - 1) if clip else centres
        return np.maximum(0, 1 - abs(centres[:, None] - np.arange(before)))

    grid = table.reshape(*old, -1)
    return np.einsum("ih,jw,hwd->ijd", shares(old[0], new[0]), shares(old[1], new[1]), grid).reshape(-1, table.shape[1])


def resize_around(table, old, new):
    """Beyond the first centre the last cell counts."""
    wide = np.pad(table.reshape(*old, -1), ((1, 1), (1, 1), (0, 0)), mode="edge")
    wide[0], wide[:, 0] = wide[-1].copy(), wide[:, -1].copy()
    places = [np.clip((np.arange(m) + 0.5) * n / m - 0.5, -1, n) + 1 for n, m in zip(old, new, strict=True)]
    rows, columns = (np.maximum(0, 1 - abs(p[:, None] - np.arange(n + 2))) for p, n in zip(places, old, strict=True))
    return np.einsum("ih,jw,hwd->ijd", rows, columns, wide).reshape(-1, table.shape[1])


def each_head(attentions):
    return [[a[:, h : h + 1] for a in attentions] for h in range(attentions[0].shape[1])]


def roll(attentions, identity=1.0, left=True):
    rollout = np.eye(attentions[0].shape[-1])
    for attention in attentions:
        mixed = attention.mean(axis=1) + identity * np.eye(len(rollout[0]))
        mixed = mixed / mixed.sum(axis=-1, keepdims=True)
        rollout = mixed @ rollout if left else rollout @ mixed
    return rollout


def count(image, patch, channels, layers, d, f, classes, last=1, head=1):
    once = patch**2 * channels * d + d + ((image // patch) ** 2 + 2) * d
    return once + layers * (4 * (d * d + d) + 2 * d * f + f + d + 4 * d) + last * 2 * d + d * classes + head * classes


RIGHT = {
    check_patchify: (cut, join),
    check_spatial_attention: (attend,),
    check_doubly_stochastic_penalty: (penalty,),
    check_pointing_accuracy: (point,),
    check_resize_positions: (resize,),
    check_attention_rollout: (roll,),
    check_vit_parameter_count: (count,),
}


@pytest.mark.parametrize("check", RIGHT)
def test_right_answers_pass_and_missing_ones_are_said_to_be_missing(check, capsys):
    check(*RIGHT[check])
    printed = capsys.readouterr().out
    assert "--" not in printed
    assert "all of these hold" in printed

    def missing(*args):
        raise NotImplementedError

    check(*[missing] * len(RIGHT[check]))
    assert "not written yet" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("check", "wrong", "word"),
    [
        (check_patchify, (lambda x, size: cut(x, size, (0, 3, 1, 2, 4, 5)), join), "lies below"),
        (check_patchify, (lambda x, size: cut(x, size, (0, 1, 3, 4, 2, 5)), join), "goes down the columns"),
        (check_patchify, (lambda x, size: cut(x, size, (0, 1, 2, 3, 4, 5)), join), "strips"),
        (check_patchify, (cut, lambda p, size, h, w: p.reshape(len(p), h, w, -1)), "one after the other"),
        (check_spatial_attention, (lambda *args: attend(*args, axes=2),), "each row of cells"),
        (check_spatial_attention, (lambda *args: attend(*args, shift=False),), "finite for large scores"),
        (check_patchify, (cut, join_by_root), "2 rows of 3 patches"),
        (check_patchify, (cut, join_any_batch), "compare N"),
        (check_spatial_attention, (lambda *args: attend(*args)[0],), "two arrays"),
        (check_spatial_attention, (lambda *args: attend(*args, shared=True),), "one maximum for all pictures"),
        (check_spatial_attention, (lambda *args: attend(*args, limit=500),), "as if clipped"),
        (check_spatial_attention, (lambda *args: attend(*args, limit=10_000),), "as if clipped"),
        (check_doubly_stochastic_penalty, (lambda w, m: penalty(w, -np.sort(-m, axis=1)),), "from the front"),
        (check_pointing_accuracy, (lambda m, b: point(np.round(m, 5), b),), "nearly equal"),
        (check_resize_positions, (resize_around,), "index -1"),
        (check_attention_rollout, (lambda a: np.mean([roll(one) for one in each_head(a)], axis=0),), "by itself"),
        (check_vit_parameter_count, (lambda i, *rest: count(i, *rest) + 2 * (i // rest[0]) * rest[3],), "after that"),
        (check_vit_parameter_count, (lambda *sizes: float(count(*sizes)),), "float"),
        (check_vit_parameter_count, (lambda *sizes: count(*sizes) + sizes[1] ** 2,), "What exists once"),
        (
            check_vit_parameter_count,
            (lambda *sizes: count(*sizes) + sizes[6] ** 2,),
            "one more class your count grows by 29",
        ),
        (check_doubly_stochastic_penalty, (lambda w, m: penalty(w, m, used=False),), "by the mask"),
        (check_doubly_stochastic_penalty, (lambda w, m: penalty(w, m, places=np.mean),), "mean over the places"),
        (check_doubly_stochastic_penalty, (lambda w, m: penalty(w, m, batch=np.sum),), "over the batch"),
        (check_pointing_accuracy, (lambda m, b: point(m, b, end=1),), "excluded"),
        (check_pointing_accuracy, (lambda m, b: point(m, b, turned=True),), "exchanged"),
        (check_pointing_accuracy, (lambda m, b: len(m) * point(m, b),), "number of hits"),
        (check_resize_positions, (lambda *args: resize(*args, half=0),), "cell's edge"),
        (check_attention_rollout, (lambda a: roll(a, identity=0),), "identity is missing"),
        (check_attention_rollout, (lambda a: roll(a, left=False),), "order is reversed"),
        (check_attention_rollout, (lambda a: roll([a.pop(0), *a]),), "the list that it is given"),
        (check_pointing_accuracy, (lambda m, b: point(m, b + np.pad(b[:, :2], ((0, 0), (2, 0)))),), "height and width"),
        (check_resize_positions, (lambda t, old, new: resize(t, old, new, clip=False),), "fade towards 0"),
        (check_vit_parameter_count, (lambda *sizes: count(*sizes, last=0),), "last norm"),
        (check_vit_parameter_count, (lambda *sizes: count(*sizes, head=0),), "head has a bias"),
    ],
)
def test_usual_mistakes_are_named(check, wrong, word, capsys):
    check(*wrong)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("--")]
    assert any(word in line for line in lines), lines


@pytest.mark.parametrize("check", RIGHT)
@pytest.mark.parametrize("odd", [None, "text", [], np.zeros((1, 1)), {}])
def test_odd_results_are_no_reason_to_raise(check, odd, capsys):
    check(*[lambda *args: odd] * len(RIGHT[check]))
    assert "--" in capsys.readouterr().out
