# %% wrong: real_ids_above_pad
# says: padding_mask keeps only ids larger than pad_id, so with a pad_id above 0 real tokens with smaller ids are hidden too; it should hide only ids equal to pad_id.
def causal_mask(length):
    i = np.arange(length)
    return i[None, :] <= i[:, None]


def padding_mask(ids, pad_id=0):
    return (ids > pad_id)[:, np.newaxis, :]


def combine_masks(*masks):
    result = None
    for m in masks:
        if m is None:
            continue
        result = m.copy() if result is None else np.logical_and(result, m)
    return result


# %% wrong: none_counted_as_mask
# says: combine_masks counts how many masks allow a position and compares with the number of all arguments, None included; so as soon as one argument is None, nothing is allowed.
def causal_mask(length):
    return np.tri(length, dtype=bool)


def padding_mask(ids, pad_id=0):
    return np.expand_dims(ids != pad_id, axis=1)


def combine_masks(*masks):
    votes = 0
    found = False
    for m in masks:
        if m is not None:
            votes = votes + np.asarray(m).astype(int)
            found = True
    return votes == len(masks) if found else None
