# %% wrong: future_zero
# says: clips the distance at 0 from above, as if keys after the query did not exist
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.clip(places[None, :] - places[:, None], -R, 0)
    return table[distance + R]


# %% wrong: clip_r_minus_1
# says: clips at R - 1, as if the range were exclusive
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.clip(places[None, :] - places[:, None], -R + 1, R - 1)
    return table[distance + R]


# %% wrong: absolute
# says: the distance without its direction
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.clip(np.abs(places[None, :] - places[:, None]), 0, R)
    return table[distance + R]


# %% wrong: clip_after_shift
# says: adds R first and then clips between -R and R
def relative_bias(length, table):
    R = len(table) // 2
    places = np.arange(length)
    distance = np.clip(places[None, :] - places[:, None] + R, -R, R)
    return table[distance]


# %% right: way_3
# why: TensorFlow: clip_by_value and gather; a tensor
import tensorflow as tf


def relative_bias(length, table):
    R = len(table) // 2
    places = tf.range(length)
    index = tf.clip_by_value(places[None, :] - places[:, None] + R, 0, 2 * R)
    return tf.gather(tf.convert_to_tensor(table), index)


# %% right: way_2
# why: the table lengthened at both ends, then a window of it for each row
def relative_bias(length, table):
    R = len(table) // 2
    far = max(length - 1 - R, 0)
    line = np.pad(table, far, mode="edge")
    middle = R + far
    return np.stack([line[middle - i : middle - i + length] for i in range(length)])
