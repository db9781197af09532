"""A training takes one epoch of at most ten steps, whatever was asked for; for a notebook's kernel.

For a run that asks whether the code works with other libraries. What a whole training ends with depends on the
libraries in its last digits, and is compared with the saved outputs where they were made (`test_alone.py`).
"""

import functools
import inspect

import keras

#: Enough for a loss that changes, and for each kind of step (in graph mode, the last and smaller batch) to be made.
STEPS = 10


def train_briefly():
    """Let `keras.Model.fit` make one epoch of at most ten steps; all else of a call stays as it is."""
    train = keras.Model.fit
    signature = inspect.signature(train)

    @functools.wraps(train)
    def fit(*args, **options):
        call = signature.bind(*args, **options)
        call.arguments["epochs"] = 1
        x = keras.tree.flatten(call.arguments["x"])[0]
        if hasattr(x, "shape"):  # else it has no length to be known beforehand
            steps = -(-len(x) // (call.arguments.get("batch_size") or 32))
            call.arguments["steps_per_epoch"] = min(steps, STEPS)
        return train(*call.args, **call.kwargs)

    keras.Model.fit = fit
