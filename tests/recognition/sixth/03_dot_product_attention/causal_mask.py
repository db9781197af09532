# %% wrong: combine_ors_instead
# says: combine_masks allows what any mask allows (or) instead of what all masks allow.
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, :]


def combine_masks(*masks):
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else result | mask
    return result


# %% wrong: pad_id_ignored
# says: padding_mask always compares with 0 and ignores the argument pad_id.
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return (ids != 0)[:, None, :]


def combine_masks(*masks):
    result = None
    for mask in masks:
        if mask is not None:
            result = mask if result is None else result & mask
    return result
