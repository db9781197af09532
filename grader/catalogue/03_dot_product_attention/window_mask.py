# %% wrong: radius_excluded
# says: A distance equal to the radius is inside the window; yours ends one step early.
# self-check: off by one
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) < radius

# %% wrong: one_step_too_wide
# says: Your window reaches one step too far.
# self-check: at most radius
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius + 1

# %% wrong: past_only
# says: Your window reaches to one side. It goes radius steps to both.
# self-check: one side only
def window_mask(T, S, radius):
    distance = np.arange(T)[:, None] - np.arange(S)
    return (distance >= 0) & (distance <= radius)

# %% wrong: window_inverted
# says: Your mask is True outside the window. True means may attend.
# self-check: inverted
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) > radius

# %% wrong: transposed
# says: Your rows are keys. Rows belong to queries: the shape is (T, S).
# self-check: has shape
def window_mask(T, S, radius):
    return np.abs(np.arange(S)[:, None] - np.arange(T)) <= radius

# %% wrong: width_for_radius
# says: You take the radius for the width of the whole window. It is the distance to either side.
# self-check: off by one
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius // 2

# %% wrong: soft_result
# says: You mix the values by a softmax. Hard attention takes one value, whole.
# self-check: soft mixture
def hard_attention(scores, value):
    return given_masked_softmax(scores) @ value

# %% wrong: last_of_ties
# says: Of equal scores you take the last key. The first wins.
# self-check: last one of ties
def hard_attention(scores, value):
    last = scores.shape[-1] - 1 - np.argmax(scores[:, ::-1], axis=-1)
    return value[last]

# %% wrong: mean_of_ties
# says: You average the values of equal scores. Hard attention takes the first of them.
# self-check: average the ties
def hard_attention(scores, value):
    best = scores == scores.max(axis=-1, keepdims=True)
    return (best / best.sum(axis=-1, keepdims=True)) @ value

# %% wrong: largest_subtracted_in_place
# says: You subtract the largest score in place: the array that was handed in is changed, in float32 at least. Make a new one.
def hard_attention(scores, value):
    scores = np.asarray(scores, "float32")
    scores -= scores.max(axis=-1, keepdims=True)
    return np.asarray(value)[np.argmax(scores, axis=-1)]

# %% wrong: argmax_over_queries
# says: You look for the best query of each key. Each query chooses among the keys, the last axis.
# self-check: has shape
def hard_attention(scores, value):
    return value[np.argmax(scores, axis=0)]

# %% wrong: value_times_score
# says: You multiply the value by its score. It comes whole.
# self-check: do not multiply
def hard_attention(scores, value):
    best = np.argmax(scores, axis=-1)
    return scores[np.arange(len(scores)), best][:, None] * value[best]

# %% wrong: smallest_score
# says: You take the key with the smallest score.
# self-check: largest score
def hard_attention(scores, value):
    return value[np.argmin(scores, axis=-1)]

# %% wrong: largest_absolute_score
# says: You compare absolute values. A score of -9 is worse than one of 1.
def hard_attention(scores, value):
    return value[np.argmax(np.abs(scores), axis=-1)]

# %% right: loops
# why: entry by entry
def window_mask(T, S, radius):
    return np.array([[abs(i - j) <= radius for j in range(S)] for i in range(T)])


def hard_attention(scores, value):
    return np.stack([value[int(row.argmax())] for row in scores])

# %% right: triangles
# why: a band is one triangle without another; hard attention as a product with a one-hot matrix
def window_mask(T, S, radius):
    return np.tri(T, S, radius, dtype=bool) & ~np.tri(T, S, -radius - 1, dtype=bool)


def hard_attention(scores, value):
    one_hot = np.eye(scores.shape[-1])[np.argmax(scores, axis=-1)]
    return one_hot @ value

# %% right: with_keras
# why: the library's operations give the same arrays
def window_mask(T, S, radius):
    distance = keras.ops.expand_dims(keras.ops.arange(T), 1) - keras.ops.arange(S)
    return keras.ops.convert_to_numpy(keras.ops.abs(distance) <= radius)


def hard_attention(scores, value):
    return keras.ops.convert_to_numpy(keras.ops.take(value, keras.ops.argmax(scores, axis=-1), axis=0))

# %% right: float32_and_take
# why: any float dtype may come out
def hard_attention(scores, value):
    return np.take(value, np.argmax(scores, axis=1), axis=0).astype("float32")

# %% equivalent
# because: a distance is the same in both directions
# was: distance = np.abs(np.arange(T)[:, None] - np.arange(S)[None, :])
# now: distance = np.abs(np.arange(S)[None, :] - np.arange(T)[:, None])
