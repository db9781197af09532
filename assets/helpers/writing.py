"""A trained stack that writes in NumPy, position by position with a cache, or all anew each time."""

import time

import numpy as np


def arrays_of(stack):
    """Return the arrays of a stack: tables, for each layer the dict of exercise 8.5 and the rest, the last norm."""
    layers = []
    for attend, dense, norms in zip(stack.attention, stack.feed_forward, stack.norms, strict=True):
        width = stack.settings["d_model"]
        parts = attend.get_weights()
        names = [kind + part for part in "qkvo" for kind in ("w_", "b_")]
        attention = {n: a.reshape((width, width) if n[0] == "w" else width) for n, a in zip(names, parts, strict=True)}
        layers.append((attention, [d.get_weights() for d in dense], [n.get_weights() for n in norms]))
    tables = [table.get_weights()[0] for table in (stack.words, stack.places)]
    return tables, layers, stack.last_norm.get_weights()


def _normed(x, arrays):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * arrays[0] + arrays[1]


def attend_anew(x, weights, num_heads, kept=None):
    """Return causal attention for all positions of a text `(T, D)`, or with keys and values `kept` for the last one."""
    rows, D = x if kept is None else x[-1:], x.shape[1]
    sees = np.arange(len(x)) <= np.arange(len(x) - len(rows), len(x))[:, None]
    parts = {n: rows @ weights["w_" + n] + weights["b_" + n] for n in "qkv"}
    for n, known in (kept or {}).items():
        known[-1:], parts[n] = parts[n], known  # the last row is the new one
    mixed = np.empty_like(rows)
    for columns in np.split(np.arange(D), num_heads):
        q, k, v = (parts[n][:, columns] for n in "qkv")
        e = np.where(sees, q @ k.T / np.sqrt(len(columns)), -np.inf)
        e = np.exp(e - e.max(axis=1, keepdims=True))
        mixed[:, columns] = e / e.sum(axis=1, keepdims=True) @ v
    return mixed @ weights["w_o"] + weights["b_o"]


class Writer:
    """A trained causal stack that continues texts.

    Args:
        stack: The stack.
        step: The student's `step_with_cache`; None computes all positions anew for each subword.
    """

    def __init__(self, stack, step=None):
        self.tables, self.layers, self.last = arrays_of(stack)
        self.heads, self.length, self.step = stack.settings["num_heads"], stack.settings["length"], step

    def _layer(self, x, layer, attend):
        attention, ((w_1, b_1), (w_2, b_2)), (norm_1, norm_2) = layer
        x = x + attend(_normed(x, norm_1), attention)
        return x + np.maximum(_normed(x, norm_2) @ w_1 + b_1, 0) @ w_2 + b_2

    def _next(self, ids, caches):
        """Return the logits after ids, of which the caches have seen all but the last."""
        words, places = self.tables
        if self.step is None:
            x = words[ids] + places[: len(ids)]
            for layer in self.layers:
                x = self._layer(x, layer, lambda y, weights: attend_anew(y, weights, self.heads))
            return _normed(x[-1], self.last) @ words.T
        x = words[ids[-1:]] + places[len(ids) - 1]  # (1, D)
        for n, layer in enumerate(self.layers):

            def attend(y, weights, n=n):
                output, caches[n] = self.step(y, weights, self.heads, caches[n])
                return np.asarray(output)

            x = self._layer(x, layer, attend)
        return (_normed(x, self.last) @ words.T)[0]

    def logits(self, ids):
        """Return the logits `(T, vocab_size)` for ids `(T,)`, position by position."""
        caches = [None] * len(self.layers)
        return np.stack([self._next(list(ids[: t + 1]), caches) for t in range(len(ids))])

    def write(self, ids, shape, rng, end, most=60):
        """Continue a text, and return the ids of the continuation.

        Args:
            ids: Ids of the beginning, `END` first.
            shape: Function of the logits that returns probabilities.
            rng: NumPy random generator.
            end: Id that ends a text.
            most: Largest number of ids in all.
        """
        ids, caches, begun = [int(i) for i in ids], [None] * len(self.layers), len(ids)
        if self.step is not None:
            for t in range(1, begun):
                self._next(ids[:t], caches)
        while len(ids) < min(most, self.length):
            p = np.asarray(shape(self._next(ids, caches)), dtype="float64")
            ids.append(int(rng.choice(len(p), p=p / p.sum())))
            if ids[-1] == end:
                break
        return ids[begun:]


def softmax_only(temperature):
    """Return a function from logits to probabilities at a temperature above 0, without any filter."""

    def shape(logits):
        e = np.exp((logits - np.max(logits)) / temperature)
        return e / e.sum()

    return shape


_MEASURED = {}  # a clock never says the same twice; a session that runs the cell again sees what it saw before


def _seconds(step, length, width, num_heads):
    """Return the seconds of one more position, all anew and with a cache: the fastest of twenty."""
    key = getattr(step, "__code__", step), length, width, num_heads  # the same answer, run again, has equal code
    if key in _MEASURED:
        return _MEASURED[key]
    rng = np.random.default_rng(0)
    weights = {k + p: rng.normal(size=(width, width) if k == "w_" else width) / 8 for p in "qkvo" for k in ("w_", "b_")}
    x = rng.normal(size=(length, width))
    cache = {n: rng.normal(size=(1, num_heads, length - 1, width // num_heads)) for n in ("key", "value")}
    kept = {n: rng.normal(size=(length, width)) for n in "kv"}
    ways = [lambda: attend_anew(x, weights, num_heads), lambda: attend_anew(x, weights, num_heads, kept)]
    ways[1:] = ways[1:] if step is None else [lambda: step(x[-1:], weights, num_heads, cache)]
    best = [np.inf] * len(ways)
    for n, way in [*enumerate(ways)] * 20:  # by turns, so that a busy moment spoils one call of each
        begun = time.perf_counter()
        way()
        best[n] = min(best[n], time.perf_counter() - begun)
    return _MEASURED.setdefault(key, best)


def time_steps(step, lengths=(64, 256, 1024)):
    """Print what one more position costs with a cache and without; return how many times more, at the last length.

    Args:
        step: The student's `step_with_cache`; None takes a step of ours.
        lengths: Numbers of positions.
    """
    print("positions   all anew   with the cache")
    for length in lengths:
        spent = _seconds(step, length, 64, 4)
        print(f"{length:9}   {1e3 * spent[0]:5.1f} ms   {1e3 * spent[1]:8.2f} ms")
    return round(spent[0] / spent[1])
