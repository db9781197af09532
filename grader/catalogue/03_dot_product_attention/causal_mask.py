# %% wrong: future_instead_of_past
# says: Your triangle is transposed: each position sees itself and the future. It may see the past.
# self-check: transposed
def causal_mask(length):
    return np.triu(np.ones((length, length), dtype=bool))

# %% wrong: diagonal_lost
# says: A position may attend to itself; without the diagonal the first one may look nowhere.
# self-check: diagonal
def causal_mask(length):
    return np.tri(length, k=-1, dtype=bool)

# %% wrong: one_step_of_future
# says: Your triangle reaches one step into the future: query i sees key i + 1.
# self-check: query i may attend
def causal_mask(length):
    return np.tri(length, k=1, dtype=bool)

# %% wrong: causal_inverted
# says: Your mask is True where a position must not look. True means may attend.
# self-check: inverted
def causal_mask(length):
    return ~np.tri(length, dtype=bool)

# %% wrong: not_boolean
# says: Your mask holds numbers. Masks are boolean here.
# self-check: True and False
def causal_mask(length):
    return np.tri(length)

# %% wrong: padding_inverted
# says: Your padding mask is True at the padding. True marks what may be attended to, the real tokens.
# self-check: inverted
def padding_mask(ids, pad_id=0):
    return (ids == pad_id)[:, None, :]

# %% wrong: no_axis_for_queries
# says: The padding mask lacks the axis of the queries, so that (B, S) would be taken for (T, S). Insert it: (B, 1, S).
# self-check: the shape (B, 1, S)
def padding_mask(ids, pad_id=0):
    return ids != pad_id

# %% wrong: axis_at_the_end
# says: Your axis of size 1 stands at the keys: the mask hides queries. It belongs between batch and keys.
# self-check: the shape (B, 1, S)
def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, :, None]

# %% wrong: pad_id_ignored
# says: You compare with 0. The padding id is an argument, and 0 may be a real token.
# self-check: pad_id is ignored
def padding_mask(ids, pad_id=0):
    return (ids != 0)[:, None, :]

# %% wrong: positive_ids_are_real
# says: You take all larger ids for real. Only the id equal to pad_id is padding; it may be any number.
# self-check: pad_id
def padding_mask(ids, pad_id=0):
    return (ids > pad_id)[:, None, :]

# %% wrong: or_for_and
# says: You allow what any mask allows. What one mask forbids is forbidden: AND.
# self-check: that is OR
def combine_masks(*masks):
    combined = None
    for mask in masks:
        if mask is not None:
            combined = mask if combined is None else combined | mask
    return combined

# %% wrong: none_forbids
# says: None stands for no mask. It has to be left out, not treated as False.
# self-check: None is ignored
def combine_masks(*masks):
    combined = np.ones((), dtype=bool)
    for mask in masks:
        combined = combined & (np.zeros((), dtype=bool) if mask is None else mask)
    return combined

# %% wrong: first_two_only
# says: You combine two masks. There may be more, and None among them.
# self-check: go through all
def combine_masks(*masks):
    masks = [m for m in masks if m is not None]
    if not masks:
        return None
    return masks[0] if len(masks) == 1 else masks[0] & masks[1]

# %% wrong: matrix_left_out_of_many
# says: With more than two masks you leave out the (T, S) one. Every mask counts, however many there are.
def combine_masks(*masks):
    masks = [m for m in masks if m is not None]
    if not masks:
        return None
    shape = np.broadcast_shapes(*(m.shape for m in masks))
    if len(masks) > 2:
        masks = [m for m in masks if m.ndim != 2]
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined & mask
    return np.broadcast_to(combined, shape).copy()

# %% wrong: changes_the_first
# says: `&=` changes the first mask, which is not yours. Write `combined = combined & mask`.
def combine_masks(*masks):
    masks = [m for m in masks if m is not None]
    if not masks:
        return None
    combined = masks[0]
    for mask in masks[1:]:
        if np.broadcast_shapes(combined.shape, mask.shape) == combined.shape:
            combined &= mask
        else:
            combined = mask & combined if mask.ndim < 3 else np.logical_and(mask, combined, out=mask) if np.broadcast_shapes(combined.shape, mask.shape) == mask.shape else combined & mask
    return combined

# %% wrong: nothing_allowed_taken_for_no_mask
# says: combine_masks leaves out a mask that is False everywhere, as if it were None. It is a mask: it forbids everything.
def combine_masks(*masks):
    combined = None
    for mask in masks:
        if mask is not None and np.any(mask):
            combined = mask if combined is None else combined & mask
    return combined

# %% right: comparisons
# why: the triangle as a comparison of positions, the masks multiplied
def causal_mask(length):
    position = np.arange(length)
    return position[:, None] >= position[None, :]


def padding_mask(ids, pad_id=0):
    return np.not_equal(np.expand_dims(ids, axis=1), pad_id)


def combine_masks(*masks):
    masks = [m for m in masks if m is not None]
    if not masks:
        return None
    combined = masks[0]
    for mask in masks[1:]:
        combined = combined * mask
    return combined

# %% right: loops
# why: entry by entry
def causal_mask(length):
    return np.array([[j <= i for j in range(length)] for i in range(length)])


def padding_mask(ids, pad_id=0):
    return np.array([[[bool(token != pad_id) for token in row]] for row in ids])


def combine_masks(*masks):
    real = [np.asarray(m) for m in masks if m is not None]
    if not real:
        return None
    real = np.broadcast_arrays(*real)
    return np.all(np.stack(real), axis=0)

# %% right: with_keras
# why: the library's operations give the same masks
def causal_mask(length):
    return keras.ops.convert_to_numpy(keras.ops.tril(keras.ops.ones((length, length), dtype="bool")))


def padding_mask(ids, pad_id=0):
    return keras.ops.convert_to_numpy(keras.ops.not_equal(keras.ops.expand_dims(ids, 1), pad_id))

# %% right: by_reduction
# why: functools.reduce over logical_and
def combine_masks(*masks):
    import functools

    real = [m for m in masks if m is not None]
    return functools.reduce(np.logical_and, real) if real else None
