"""A training takes one epoch, whatever was asked for; for a notebook's kernel.

For a run that asks whether the code works with other libraries. What a whole training ends with depends on the
libraries in its last digits, and is compared with the saved outputs where they were made (`test_alone.py`).
"""

import functools
import inspect

import keras


def train_briefly():
    """Let `keras.Model.fit` go once through its data; all else of a call stays as it is."""
    train = keras.Model.fit
    signature = inspect.signature(train)

    @functools.wraps(train)
    def fit(*args, **options):
        call = signature.bind(*args, **options)
        call.arguments["epochs"] = 1
        return train(*call.args, **call.kwargs)

    keras.Model.fit = fit
