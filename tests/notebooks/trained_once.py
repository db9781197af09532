"""A training or prediction that begins exactly as an earlier one did ends at once, as it did; for a notebook's kernel.

Training is most of what running every demonstration again would cost, and it is a function of what it begins with. So
`Model.fit` remembers what went in - layers and all variables of the model, optimizer, loss, data, options, the state of
all random numbers - and what came out. Whatever differs in anything is trained: a cell that goes on with a trained
model, that does not seed, whose data have changed. So is what cannot be described. `Model.predict` is a function of
weights and inputs, and remembered likewise, unless it draws random numbers.
"""

import functools
import hashlib
import inspect
import json
import random
import re

import keras
import numpy as np
from keras.src.backend.common import global_state
from tensorflow.python.eager import context

_DEPTH = 8
#: Bytes of the predictions that are remembered; a kernel may take 2 GiB.
MAX_PREDICTED = 150_000_000


class NotDescribedError(Exception):
    """Something that a training begins with cannot be written down."""


def described(value, depth=_DEPTH):
    """Write down a value as JSON has it.

    Raises:
        NotDescribedError: If that is not possible.
    """
    if value is None or value is ... or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(described(v, depth) for v in value)]
    if isinstance(value, dict):
        return {repr(k): described(v, depth) for k, v in value.items()}
    if not depth:
        raise NotDescribedError(type(value))
    if hasattr(value, "__array__"):
        numbers = np.ascontiguousarray(value)
        if numbers.dtype == object:
            raise NotDescribedError("an array of objects")
        return [str(numbers.dtype), numbers.shape, hashlib.sha256(numbers.tobytes()).hexdigest()]
    if inspect.isfunction(value):
        code, around = value.__code__, [cell.cell_contents for cell in value.__closure__ or ()]
        constants = [c for c in code.co_consts if not inspect.iscode(c)]
        return [code.co_code.hex(), code.co_names, described([constants, around, value.__defaults__], depth - 1)]
    return [type(value).__qualname__, described(_parts(value), depth - 1)]


def _parts(value):
    """Return what an object of Keras was made with."""
    if isinstance(value, keras.callbacks.LearningRateScheduler):
        return vars(value)
    try:
        return value.get_config(), getattr(
            value, "_fn_kwargs", None
        )  # the configuration of Keras' Huber is not complete
    except NotImplementedError:  # a schedule of the learning rate that somebody wrote
        return vars(value)
    except AttributeError:
        raise NotDescribedError(type(value)) from None


def _has_config(layer):
    try:
        layer.get_config()
    except NotImplementedError:
        return False
    return True


def _attributes(layer):
    """Describe a layer that was made with something for which Keras has no words, such as a function.

    What a layer computes comes from its class, its weights, and what its attributes hold: all of these are described.
    """
    own = sorted(vars(layer).keys() - vars(keras.layers.Layer()) - {"get_config"})
    own = [name for name in own if not name.startswith("_self_")]  # with which TensorFlow keeps books
    return {"name": layer.name} | {name: described(vars(layer)[name]) for name in own}


def layers_of(model):
    """Write down how a model is put together; automatic names, whose numbers go on counting, are counted anew."""
    layers = model._flatten_layers()
    without = [layer for layer in layers if layer is not model and not _has_config(layer)]
    try:
        for layer in without:
            object.__setattr__(layer, "get_config", functools.partial(_attributes, layer))
        text = json.dumps(model.get_config(), default=lambda part: described(part))
    except NotImplementedError:
        raise NotDescribedError(type(model)) from None
    finally:
        for layer in without:
            layer.__dict__.pop("get_config", None)
    names = {part.name for part in [*layers, *getattr(model, "operations", ())]}
    counted = {}

    def anew(found):
        name = found[2]
        return json.dumps(counted.setdefault(name, f"part {len(counted)}")) if name in names else found[0]

    own = [type(layer).call for layer in layers if not type(layer).__module__.startswith("keras.")]
    return [re.sub(r'"(\'?)(\w+)\1"', anew, text), [type(layer).__qualname__ for layer in layers], described(own)]


def chances():
    """Return the state of every source of random numbers that a training draws from."""
    drawn = global_state.get_global_attribute("global_seed_generator")
    seed = global_state.get_global_attribute("global_random_seed")
    eager = context.context()._rng
    return {
        "random": random.getstate(),
        "numpy": np.random.get_state(),
        "tensorflow": [context.global_seed(), eager and eager.getstate()],
        "keras": [seed, drawn and keras.ops.convert_to_numpy(drawn.state)],
    }


def _restore(state):
    random.setstate(state["random"])
    np.random.set_state(state["numpy"])
    seed, eager = state["tensorflow"]
    assert seed == context.global_seed()  # what a training begins with
    if eager:
        context.context()._rng.setstate(eager)
    _, drawn = state["keras"]
    if drawn is not None:
        global_state.get_global_attribute("global_seed_generator").state.assign(drawn)


def beginning(model, arguments):
    """Return a digest of all that a training begins with, or None if not all of it can be described."""
    if not model.built or not model.compiled:
        return None
    compiled = dict(model._compile_config.config)
    del compiled["optimizer"]
    plain = {k: v for k, v in vars(model.optimizer).items() if k[0] != "_" and k not in ("name", "built")}
    model.optimizer.build(model.trainable_variables)
    try:
        all_of_it = [
            layers_of(model),
            [described(v) for v in [*model.variables, *model.optimizer.variables]],
            [type(model.optimizer).__qualname__, described([plain, model.optimizer._learning_rate])],
            described([compiled, arguments, chances()]),
        ]
    except NotDescribedError:
        return None
    return hashlib.sha256(json.dumps(all_of_it).encode()).hexdigest()


def remember_trainings():
    """Let `keras.Model.fit` train what it has not trained before.

    Returns:
        What is remembered, by the beginning of the training: the state of the variables, of the random numbers, and
        the history.
    """
    kept, train = {}, keras.Model.fit
    signature = inspect.signature(train)

    @functools.wraps(train)
    def fit(model, *args, **options):
        begun = beginning(model, dict(signature.bind(model, *args, **options).arguments, self=None))
        if begun not in kept:
            history = train(model, *args, **options)
            if begun:
                variables = [keras.ops.convert_to_numpy(v) for v in [*model.variables, *model.optimizer.variables]]
                kept[begun] = variables, chances(), history.epoch, history.history, history.params
            return history
        variables, state, epoch, values, params = kept[begun]
        for variable, value in zip([*model.variables, *model.optimizer.variables], variables, strict=True):
            variable.assign(value)
        _restore(state)
        history = keras.callbacks.History()
        history.set_model(model)
        history.epoch, history.history, history.params = list(epoch), {k: list(v) for k, v in values.items()}, params
        model.history = history
        return history

    keras.Model.fit = fit
    return kept


def remember_predictions():
    """Let `keras.Model.predict` compute what it has not computed before.

    Returns:
        What is remembered: the arrays, by the digest of weights, inputs and options.
    """
    kept, predict, left = {}, keras.Model.predict, [MAX_PREDICTED]
    signature = inspect.signature(predict)

    @functools.wraps(predict)
    def remembered(model, *args, **options):
        try:
            arguments = dict(signature.bind(model, *args, **options).arguments, self=None)
            variables = [v.path.endswith("seed_generator_state") or described(v) for v in model.variables]
            begun = json.dumps([layers_of(model), variables, described(arguments)])
        except NotDescribedError:
            return predict(model, *args, **options)
        begun = hashlib.sha256(begun.encode()).hexdigest()
        if begun not in kept:
            before = json.dumps(described(chances_of(model)))
            found = predict(model, *args, **options)
            size = sum(part.nbytes for part in keras.tree.flatten(found))
            if size > left[0] or before != json.dumps(described(chances_of(model))):
                return found
            left[0] -= size
            kept[begun] = keras.tree.map_structure(np.copy, found)
            return found
        return keras.tree.map_structure(np.copy, kept[begun])

    keras.Model.predict = remembered
    return kept


def chances_of(model):
    """Return what a prediction would change if it drew random numbers: the sources, and the layers' own."""
    own = [keras.ops.convert_to_numpy(v) for v in model.non_trainable_variables]
    return [[repr(state) for state in chances().values()], own]
