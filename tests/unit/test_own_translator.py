"""The student's own Transformer is trained and looked into; what cannot be looked into is replaced by the course's."""

import keras
import numpy as np
import pytest
from helpers import norm_places, own_translator

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE, NAME = Course.find(), "06_transformer"
CONFIG = {
    "num_layers": 2, "d_model": 8, "num_heads": 2, "d_ff": 6, "source_vocab_size": 10, "target_vocab_size": 9,
    "max_length": 7, "dropout": 0.0, "norm_first": False,
}  # fmt: skip
SOURCE, TARGET = np.array([[7, 3, 8, 2, 0]]), np.array([[1, 6, 3, 2, 7, 4, 0]])


def exercise(name):
    return next(e for e in exercises(read_notebook(COURSE.source(NAME))) if e.name == name)


def defined(name, source):
    """Run an answer with what the given cells define."""
    space = {"np": np, "keras": keras}
    for cell in read_notebook(COURSE.source(NAME)).cells:
        if kind_of(cell) is CellKind.GIVEN and grade_id(cell).startswith("given_"):
            exec(cell.source, space)
    exec(source, space)
    return space[name]


def right_answers(name):
    one = exercise(name)
    known = read_catalogue(COURSE.catalogue / NAME / f"{name}.py", one.functions, one.answer)
    return {"reference": one.answer, **{variant.name: variant.source for variant in known.right}}


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("answer", sorted(right_answers("build_transformer")))
def test_a_right_answer_keeps_its_weights_and_shows_all_its_maps(answer, norm_first, capsys):
    build = defined("build_transformer", right_answers("build_transformer")[answer])
    built = []

    def own(config):
        built.append(build(config))
        return built[0]

    model, maps = own_translator.make_own_translator((own, None), CONFIG | {"norm_first": norm_first}, 5, 7)
    assert capsys.readouterr().out == ""  # it is not replaced by ours
    np.testing.assert_allclose(model([SOURCE, TARGET]), built[0]([SOURCE, TARGET]), atol=1e-5)
    assert {id(w) for w in model.trainable_weights} == {id(w) for w in built[0].trainable_weights}
    assert model.output_shape == (None, 7, 9)
    shown = maps([SOURCE, TARGET])
    shapes = {"encoder self-attention": (5, 5), "decoder self-attention": (7, 7), "cross-attention": (7, 5)}
    assert {use: [tuple(w.shape) for w in layers] for use, layers in shown.items()} == {
        use: [(1, 2, *shape)] * 2 for use, shape in shapes.items()
    }
    for use, layers in shown.items():
        for weights in map(np.asarray, layers):
            np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
            if use == "decoder self-attention":
                assert not np.triu(weights, 1).any()
            else:
                assert weights[..., -1].max() < 1e-6  # padding of the source


@pytest.mark.parametrize("own", [None, (lambda config: None, None), (lambda config: 1 / 0, None)])
def test_ours_stands_in(own, capsys):
    model, maps = own_translator.make_own_translator(own, CONFIG, 5, 7)
    assert model.output_shape == (None, 7, 9)
    assert [len(layers) for layers in maps([SOURCE, TARGET]).values()] == [2, 2, 2]
    assert ("cannot be read from yours" in capsys.readouterr().out) is (own is not None)


@pytest.mark.parametrize("norm_first", [False, True])
def test_a_stack_of_the_students_layers_is_as_large_as_ours(norm_first):
    layer = defined("encoder_layer", exercise("encoder_layer").answer)
    sizes = [norm_places.size_at_depth(3, norm_first, one) for one in (layer, None)]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-4)
    assert (sizes[0] > 1.2) is norm_first
