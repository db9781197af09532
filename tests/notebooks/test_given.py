"""What a given function returns is the caller's own: arrays that can be written to and share nothing with arguments."""

import copy
import importlib
from pathlib import Path

import numpy as np

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.names import defined_functions
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).parents[2])
rng = np.random.default_rng(0)
X, NARROW = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
MASK = np.array([True, True, False])
ATTENTION = {f"w_{p}": np.eye(4) for p in "qkvo"} | {f"b_{p}": np.zeros(4) for p in "qkvo"}
CELL = {"gru_x": np.ones((4, 9)), "gru_h": np.ones((3, 9)), "gru_b": np.zeros(9)}
#: Arguments to call each given function with; a new one belongs here.
CALLS = {
    "given_pair_score": [(X[0, 0], X[0, 1], np.eye(4), np.eye(4), np.ones(4))],
    "given_additive_scores": [(X, NARROW, np.eye(4), np.eye(4), np.ones(4))],
    "given_masked_softmax": [(X[..., :3],), (X[..., :3], MASK), (X[..., :3].astype("float32"),)],
    "given_additive_attention": [
        (X, NARROW, None, np.eye(4), np.eye(4), np.ones(4)),
        (X, NARROW, NARROW, np.eye(4), np.eye(4), np.ones(4), np.ones((2, 1, 5), dtype=bool)),
    ],
    "given_spatial_attention": [(X[:, 0], X[:, :, None], np.eye(4), np.eye(4), np.ones(4))],
    "given_gru_cell": [(X[0], X[0, :, :3], CELL)],
    "given_sinusoidal_encoding": [(5, 4)],
    "given_layer_norm": [(X, np.ones(4), np.zeros(4))],
    "given_feed_forward": [(X, np.ones((4, 6)), np.zeros(6), np.ones((6, 4)), np.zeros(4))],
    "given_multi_head_attention": [(X, X, X, ATTENTION, 2), (X, X, X, ATTENTION, 2, np.tri(3, dtype=bool))],
    "given_next_in_table": [([0, 2],)],
    "given_softmax": [(X,), (X.astype("float32"),)],
}


def given(assignment):
    """Return the given functions of a notebook by name."""
    space = {"np": np, "keras": importlib.import_module("keras")}
    names = []
    for cell in read_notebook(COURSE.source(assignment)).cells:
        if kind_of(cell) is CellKind.GIVEN:
            exec(compile(cell.source, assignment, "exec"), space)
            names += [name for name in defined_functions(cell.source) if name.startswith("given_")]
    return {name: space[name] for name in names}


def arrays(value):
    """List the arrays in arguments or a result."""
    if isinstance(value, dict):
        return [a for one in value.values() for a in arrays(one)]
    if isinstance(value, (tuple, list)):
        return [a for one in value for a in arrays(one)]
    return [value] if isinstance(value, np.ndarray) else []


#: What given functions ask themselves: a layer that is made once.
NO_ARRAYS = {"given_additive_layer"}


def test_given_functions_return_fresh_writable_arrays(assignment):
    functions = {name: function for name, function in given(assignment).items() if name not in NO_ARRAYS}
    assert set(functions) <= set(CALLS), "add a call of the new function"
    for name, function in functions.items():
        for args in copy.deepcopy(CALLS[name]):
            before = copy.deepcopy(args)
            found = arrays(function(*args))
            assert found or name == "given_pair_score", f"{name} returned no array"
            for array in found:
                assert array.flags.writeable, f"{name} returns an array that cannot be written to"
                assert not any(np.shares_memory(array, a) for a in arrays(args)), f"{name} hands its argument back"
            again = [a.copy() for a in arrays(function(*args))]
            for array in arrays(function(*args)):
                array += 1
            assert all(map(np.array_equal, arrays(function(*args)), again)), f"{name} remembers what it returned"
            assert all(map(np.array_equal, arrays(args), arrays(before))), f"{name} changes its arguments"
