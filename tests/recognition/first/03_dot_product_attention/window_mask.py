# %% wrong: largest_magnitude
# says: takes the score of largest absolute value
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius


def hard_attention(scores, value):
    return value[np.argmax(np.abs(scores), axis=-1)]


# %% wrong: mean_of_ties
# says: mixes equal scores: divides the indicator of the largest score by its sum
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius


def hard_attention(scores, value):
    best = scores == scores.max(axis=-1, keepdims=True)
    return (best / best.sum(axis=-1, keepdims=True)) @ value


# %% wrong: less_than
# says: the radius itself is left out: < instead of <=
def window_mask(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) < radius


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% wrong: past_only
# says: the window reaches to the past only
def window_mask(T, S, radius):
    return (np.arange(S) <= np.arange(T)[:, None]) & (np.arange(S) >= np.arange(T)[:, None] - radius)


def hard_attention(scores, value):
    return value[np.argmax(scores, axis=-1)]


# %% right: way_4
# why: np.fromfunction; one-hot rows times the values
def window_mask(T, S, radius):
    return np.fromfunction(lambda i, j: (i - j) ** 2 <= radius**2, (T, S))


def hard_attention(scores, value):
    best = np.eye(len(value))[np.argmax(scores, axis=-1)]
    return best @ value


# %% right: way_3
# why: TensorFlow: broadcast positions, argmax and gather; tensors as results
import tensorflow as tf


def window_mask(T, S, radius):
    i, j = tf.range(T)[:, None], tf.range(S)[None, :]
    return tf.abs(i - j) <= radius


def hard_attention(scores, value):
    return tf.gather(value, tf.argmax(scores, axis=-1))
