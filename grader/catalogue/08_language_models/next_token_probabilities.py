# %% wrong: multiplies_by_the_temperature
# says: You multiply the logits by the temperature. A high temperature should flatten the distribution, so divide.
# self-check: multiplies
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _shape(logits, 1 / temperature if temperature else temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: temperature_on_probabilities
# says: Your temperature has no effect. It belongs to the logits; where probabilities are divided by it, it cancels when you divide by the sum.
# self-check: cancels
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError
    return _shape(logits, 1.0 if temperature else 0, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: no_case_for_zero
# says: Temperature 0 divides by zero. It needs a case of its own: the first of the largest logits with probability 1.
# self-check: case of its own
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return _shape(np.asarray(logits) / 0.0, 1.0, top_k, top_p)
    return _shape(logits, temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: small_temperature_taken_for_zero
# says: You treat small temperatures like 0. Only 0 means the largest logit alone; any other divides the logits.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _shape(logits, 0 if 0 < temperature < 0.01 else temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: temperature_at_least_a_tenth
# says: You raise small temperatures to a smallest one. Any temperature above 0 divides the logits as it is.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _shape(logits, max(temperature, 0.1) if temperature > 0 else temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: zero_shares_ties
# says: At temperature 0 yours shares the probability among all largest logits. The first of them takes it all.
# self-check: first of the largest
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    _shape(logits, temperature, top_k, top_p)
    if temperature == 0:
        best = np.asarray(logits) == np.max(logits)
        return best / best.sum()
    return _shape(logits, temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: unstable
# says: exp overflows for large logits. Subtract the largest one first.
# self-check: logits of 1e4 work
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0 or np.abs(logits).max() < 500 * temperature:
        return good
    e = np.exp(np.asarray(logits) / temperature)
    return e / e.sum()


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: divided_in_place
# says: You divide the logits in place: the array that was handed in is changed, in float32 at least. Make a new one.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits, "float32")
    if temperature == 0:
        return (np.arange(len(logits)) == logits.argmax()).astype("float32")
    logits -= logits.max()
    logits /= temperature
    p = np.exp(logits.astype("float64"))
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
    p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: top_k_not_renormalised
# says: After top-k you do not divide by the sum, so top-p takes too many ids, or the result does not add up to 1.
# self-check: divide by the sum
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0:
        return good
    p = _shape(logits, temperature, None, None)
    if top_k is not None:
        p[np.argsort(-p, kind="stable")[top_k:]] = 0
    if top_p is not None:
        order = np.argsort(-p, kind="stable")
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
        p = p / p.sum()
    return p


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: top_p_of_the_whole
# says: Your top-p measures the distribution before top-k. It should work on what top-k has left, divided by its sum.
# self-check: top-k first
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0:
        return good
    return _shape(logits, temperature, top_k, None) * (_shape(logits, temperature, None, top_p) > 0) / (
        _shape(logits, temperature, top_k, None) * (_shape(logits, temperature, None, top_p) > 0)
    ).sum()


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: crossing_token_lost
# says: The id that crosses the line is missing from your set. It belongs to it, or a single likely id would leave an empty set.
# self-check: crosses the line
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0 or top_p is None:
        return good
    p = _shape(logits, temperature, top_k, None)
    order = np.argsort(-np.asarray(logits), kind="stable")
    keep = np.cumsum(p[order]) < top_p
    keep[0] = True
    p[order[~keep]] = 0
    return p / p.sum()


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: one_too_many
# says: Your set goes on when its sum has reached top_p exactly. It should end there.
# self-check: reaches top_p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0 or top_p is None:
        return good
    p = _shape(logits, temperature, top_k, None)
    order = np.argsort(-np.asarray(logits), kind="stable")
    p[order[np.cumsum(p[order]) - p[order] > top_p]] = 0
    return p / p.sum()


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: threshold_keeps_all_ties
# says: You keep every id that is as likely as the last one of the top k. With ties these are more than k: the lower ids go first.
# self-check: exactly two
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0 or top_k is None or top_k >= len(logits):
        return good
    line = np.sort(logits)[-top_k]
    return _shape(np.where(logits >= line, logits, -1e9), temperature, None, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: sorted_result
# says: Your result is in the order of the probabilities. Each probability belongs at the place of its id.
# self-check: in their places
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    return good if top_k is None and top_p is None else np.sort(good)[::-1]


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: later_ids_first
# says: Of equally likely ids yours keeps the higher ones, because a sorted list was reversed. Sort -logits with kind="stable".
# self-check: lower ones
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return _shape(logits, temperature, top_k, top_p)
    return _shape(np.asarray(logits)[::-1], temperature, top_k, top_p)[::-1]


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: temperature_last
# says: You choose the ids at temperature 1 and apply the temperature to what is kept. It comes first, so it decides how many ids reach
#   top_p.
# self-check: temperature comes before top-p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    good = _shape(logits, temperature, top_k, top_p)
    if temperature == 0:
        return good
    kept = _shape(logits, 1.0, top_k, top_p) > 0
    p = np.where(kept, _shape(logits, temperature, None, None), 0)
    return p / p.sum()


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: zero_before_the_checks
# says: At temperature 0 yours answers before it looks at top_k and top_p, so impossible ones are not refused. Check all three first.
# self-check: 'temperature': 0, 'top_k': 0
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return np.eye(len(logits))[np.argmax(logits)]
    return _shape(logits, temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: no_errors
# says: Settings without a meaning should raise a ValueError; yours returns something for them.
# self-check: raises a ValueError
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _shape(
        logits, abs(temperature), None if top_k is None else max(1, top_k),
        None if top_p is None else min(1.0, max(1e-9, top_p)),
    )


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: asserts
# says: An assert raises an AssertionError, and Python can switch asserts off. The docstring names ValueError.
# self-check: raises a ValueError
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    assert temperature >= 0
    assert top_k is None or top_k >= 1
    assert top_p is None or 0 < top_p <= 1
    return _shape(logits, temperature, top_k, top_p)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: top_p_zero_is_none
# says: `if top_p` is False for 0 as well, so an impossible setting passes. Compare with None.
# self-check: raises a ValueError
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    return _shape(logits, temperature, top_k or None, top_p or None)


def _shape(logits, temperature, top_k, top_p):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    logits = np.asarray(logits)
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: largest_absolute_logit
# says: You subtract the largest absolute value. Where all logits are far below 0, exp makes zeros of all of them, and 0 / 0 is nan. Subtract the largest logit.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - np.abs(logits).max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: top_p_of_one_keeps_one_id
# says: You look for the first sum that reaches top_p. The sum of all may be rounded below 1, and of no True at all argmax is 0.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.argmax(np.cumsum(p[order]) >= top_p) + 1 :]] = 0
    return p / p.sum()

# %% wrong: top_p_by_another_order
# says: You sort once more for top_p, and not stably: of equally likely ids not the lower ones are kept.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        order = np.argsort(-p)
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: logits_left_out_become_minus_ten_thousand
# says: You give ids that are not kept the logit -10,000. If the others are no larger, they keep a share. Use -inf, or set their probabilities to 0.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return np.eye(len(logits))[logits.argmax()]
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        z = np.array(logits, dtype="float64")
        z[order[top_k:]] = -1e4
        p = np.exp((z - z.max()) / temperature)
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: truth_values_at_temperature_zero
# says: At temperature 0 you return truth values. Return floats, as at any other temperature.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < (1 if top_p is None else top_p) <= 1:
        raise ValueError(f"Invalid argument. Received: {temperature}, {top_k}, {top_p}")
    if temperature == 0:
        return np.arange(len(logits)) == logits.argmax()
    p = np.exp((logits - logits.max()) / temperature)
    p = p / p.sum()
    order = np.argsort(-logits, kind="stable")
    if top_k is not None:
        p[order[top_k:]] = 0
        p = p / p.sum()
    if top_p is not None:
        p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% wrong: temperature_at_most_5
# says: You cut the temperature at 5. It may be any number of at least 0.
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1): raise ValueError("x")
    if temperature == 0: return np.eye(len(logits))[logits.argmax()]
    temperature = min(temperature, 5.0)
    order = np.argsort(-logits, kind="stable")
    p = np.exp((logits - logits.max()) / temperature); p /= p.sum()
    if top_k is not None: p[order[top_k:]] = 0; p /= p.sum()
    if top_p is not None: p[order[np.cumsum(p[order]) - p[order] >= top_p]] = 0
    return p / p.sum()

# %% right: with_keras
# why: the softmax of Keras, and minus infinity for what is not kept
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError("top_p")
    size, scaled = len(logits), np.array(logits, dtype="float64")
    if temperature == 0:
        return np.array([float(i == int(np.argmax(logits))) for i in range(size)])
    scaled = scaled / temperature
    order = sorted(range(size), key=lambda i: (-scaled[i], i))
    if top_k is not None:
        scaled[order[top_k:]] = -np.inf
    if top_p is not None:
        p, total = np.array(keras.ops.softmax(scaled)), 0.0
        for i in order:
            if total >= top_p:
                scaled[i] = -np.inf
            total += p[i]
    return np.array(keras.ops.softmax(scaled))

# %% right: sorted_and_scattered
# why: works on the sorted list and puts the result back into its places
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    bad = temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1)
    if bad:
        raise ValueError("no such setting")
    order = np.lexsort((np.arange(len(logits)), -np.asarray(logits)))
    result = np.zeros(len(logits))
    if temperature == 0:
        result[order[0]] = 1.0
        return result
    top = np.asarray(logits, dtype=float)[order]
    p = np.exp((top - top[0]) / temperature)
    p = p / p.sum()
    if top_k is not None:
        p = p[:top_k] / p[:top_k].sum()
    if top_p is not None:
        size = min(int(np.searchsorted(np.cumsum(p), top_p)) + 1, len(p))
        p = p[:size] / p[:size].sum()
    result[order[: len(p)]] = p
    return result

# %% right: one_by_one
# why: a loop that gives out ids until k of them are kept or their sum reaches p
def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    class Refused(ValueError):
        pass

    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise Refused
    values = [float(x) for x in logits]
    order = sorted(range(len(values)), key=lambda i: -values[i])
    if temperature == 0:
        order, weights = order[:1], [1.0]
    else:
        weights = [float(np.exp((values[i] - values[order[0]]) / temperature)) for i in order]
    order, weights = order[:top_k], weights[:top_k]
    total, so_far, kept = sum(weights), 0.0, {}
    for i, w in zip(order, weights):
        kept[i] = w
        so_far += w / total
        if top_p is not None and so_far >= top_p:
            break
    return np.array([kept.get(i, 0.0) / sum(kept.values()) for i in range(len(values))])

# %% equivalent
# because: at temperature 0 the quotient is computed for nothing, with a warning, and thrown away
# was: if temperature == 0: ;; p = np.exp((logits - logits.max()) / temperature)
# now: p = np.exp((logits - logits.max()) / temperature) ;; if temperature == 0:

# %% equivalent
# because: p is the function's own array
# was: p = p / p.sum()
# now: p /= p.sum()
# was: p = p / p.sum() #2
# now: p /= p.sum()
