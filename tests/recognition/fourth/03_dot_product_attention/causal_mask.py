# %% wrong: causal_in_floats
# says: causal_mask returns ones and zeros as floats instead of a boolean array.
def causal_mask(length):
    return np.tril(np.ones((length, length)))


def padding_mask(ids, pad_id=0):
    return np.expand_dims(ids != pad_id, axis=1)


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = np.array(m, dtype=bool) if result is None else np.logical_and(result, m)
    return result


# %% wrong: pad_id_without_effect
# says: padding_mask treats the id 0 as padding whatever pad_id is, so the argument has no effect.
def causal_mask(length):
    i = np.arange(length)
    return i[:, None] >= i[None, :]


def padding_mask(ids, pad_id=0):
    return ids.astype(bool)[:, np.newaxis]


def combine_masks(*masks):
    given = [m for m in masks if m is not None]
    if not given:
        return None
    total = given[0].copy()
    for m in given[1:]:
        total = total & m
    return total


# %% wrong: drops_all_false_masks
# says: combine_masks sorts out None with np.any, which also drops masks that allow nothing, although such a mask is a mask and forbids everything.
def causal_mask(length):
    return np.array([[key <= query for key in range(length)] for query in range(length)])


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    from functools import reduce

    used = [m for m in masks if np.any(m)]
    return reduce(np.logical_and, used[1:], used[0].copy()) if used else None


# %% right: what_is_forbidden
# why: spreads the diagonal downwards for the causal mask, and combines by collecting what any mask forbids (De Morgan)
def causal_mask(length):
    return np.logical_or.accumulate(np.eye(length, dtype=bool), axis=0)


def padding_mask(ids, pad_id=0):
    return np.stack([np.not_equal(ids, pad_id)], axis=1)


def combine_masks(*masks):
    forbidden = None
    for m in masks:
        if m is None:
            continue
        no = np.logical_not(m)
        forbidden = no if forbidden is None else forbidden | no
    return None if forbidden is None else ~forbidden
