"""A training takes one step, whatever was asked for, and few rows are predicted; for a notebook's kernel.

For a run that asks whether the code works with other libraries, or in another language. What a whole training ends with
depends on the libraries in its last digits, and is compared with the saved outputs where they were made
(`test_alone.py`). Making a graph of a training takes longer than that step, so only the first trainings have one. What
such a model predicts is worth no more: a translator that never ends a sentence would write 1,400 of them to the end.
"""

import functools
import inspect

import keras
import numpy as np

#: Of a training.
STEPS = 1
#: Of a prediction; the others have the same numbers, again and again.
ROWS = 64


def train_briefly(graphs=0):
    """Let `keras.Model.fit` make one epoch of `STEPS` steps, and `predict` compute `ROWS` rows.

    All else of a call stays as it is. The history has as many numbers as there would have been, all of them those of
    this epoch; a prediction has as many rows.

    Args:
        graphs: How many trainings are compiled as a whole one is; those after them run step by step.

    Returns:
        What turns this off (given `False`) and on again; it is on.
    """
    train, predict, left = keras.Model.fit, keras.Model.predict, [graphs]
    signature = inspect.signature(train)

    @functools.wraps(train)
    def fit(*args, **options):
        call = signature.bind(*args, **options)
        asked = call.arguments.get("epochs", 1)
        call.arguments["epochs"] = 1
        x = keras.tree.flatten(call.arguments["x"])[0]
        if hasattr(x, "shape"):  # else it has no length to be known beforehand
            size = call.arguments["batch_size"] = call.arguments.get("batch_size") or 32  # else all data in few steps
            call.arguments["steps_per_epoch"] = min(-(-len(x) // size), STEPS)
        model, eagerly = call.arguments["self"], call.arguments["self"].run_eagerly
        at_once = model.steps_per_execution
        model.run_eagerly = eagerly or left[0] <= 0
        if model.run_eagerly:
            model.steps_per_execution = 1  # else so many steps are made one by one, however few were asked for
        left[0] -= 1
        try:
            history = train(*call.args, **call.kwargs)
            history.history = {name: values * asked for name, values in history.history.items()}
            return history
        finally:
            model.run_eagerly, model.steps_per_execution = eagerly, at_once

    @functools.wraps(predict)
    def some(model, x, *args, **options):
        parts = keras.tree.flatten(x)
        counts = {len(part) for part in parts if hasattr(part, "shape")}
        if len(counts) != 1 or max(counts) <= ROWS or not all(hasattr(part, "shape") for part in parts):
            return predict(model, x, *args, **options)
        found = predict(model, keras.tree.map_structure(lambda part: part[:ROWS], x), *args, **options)
        rows = np.arange(counts.pop()) % ROWS
        return keras.tree.map_structure(lambda part: part[rows], found)

    def switch(on):
        keras.Model.fit, keras.Model.predict = (fit, some) if on else (train, predict)

    switch(True)
    return switch
