# %% wrong: inplace_and
# says: combines with &= into the first mask, which changes the caller's array and cannot grow
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    kept = [m for m in masks if m is not None]
    if not kept:
        return None
    kept.sort(key=lambda m: -m.ndim)
    result = np.broadcast_to(kept[0], np.broadcast_shapes(*(m.shape for m in kept)))
    if result.shape == kept[0].shape:
        result = kept[0]
    else:
        result = result.copy()
    for m in kept[1:]:
        result &= m
    return result


# %% wrong: triu
# says: the upper triangle: allows the future instead of the past
def causal_mask(length):
    return np.triu(np.ones((length, length), dtype=bool))


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = m if result is None else result & m
    return result


# %% wrong: after_first_pad
# says: counts the tokens that are not padding and takes the first so many for real, wherever the padding stands
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    lengths = (ids != pad_id).sum(axis=1)
    return (np.arange(ids.shape[1]) < lengths[:, None])[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = m if result is None else result & m
    return result


# %% wrong: true_is_forbidden
# says: True marks what has to be hidden: future and padding; masks then combine by or
def causal_mask(length):
    return np.triu(np.ones((length, length), dtype=bool), k=1)


def padding_mask(ids, pad_id=0):
    return (ids == pad_id)[:, None, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is not None:
            result = m if result is None else result | m
    return result


# %% right: way_1
# why: pure Python loops and nested lists, made arrays at the end
def causal_mask(length):
    return np.array([[j <= i for j in range(length)] for i in range(length)], dtype=bool)


def padding_mask(ids, pad_id=0):
    return np.array([[[bool(token != pad_id) for token in row]] for row in ids])


def combine_masks(*masks):
    left = [np.asarray(m, dtype=bool) for m in masks if m is not None]
    if not left:
        return None
    shape = np.broadcast_shapes(*(m.shape for m in left))
    result = np.zeros(shape, dtype=bool)
    for index in np.ndindex(*shape):
        result[index] = all(bool(np.broadcast_to(m, shape)[index]) for m in left)
    return result


# %% right: way_4
# why: cumulative sum of the identity; combining by the product of booleans; a single mask is handed back as it is
def causal_mask(length):
    return np.cumsum(np.eye(length, dtype=int)[:, ::-1], axis=1)[:, ::-1].astype(bool)


def padding_mask(ids, pad_id=0):
    ids = np.asarray(ids)
    return ~(ids == pad_id).reshape(ids.shape[0], 1, ids.shape[1])


def combine_masks(*masks):
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else result * mask
    return result
