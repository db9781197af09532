# %% wrong: width_grows
# says: wider models get larger rates
def noam_learning_rate(step, d_model, warmup_steps):
    return d_model**0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: width_no_root
# says: divides by d_model, not by its root
def noam_learning_rate(step, d_model, warmup_steps):
    return d_model**-1.0 * min(step**-0.5, step * warmup_steps**-1.5)


# %% wrong: integer_division
# says: integer division in the rising branch
def noam_learning_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(step**-0.5, (step // warmup_steps) * warmup_steps**-0.5)


# %% wrong: inverse_decay
# says: falls with the step, not with its root
def noam_learning_rate(step, d_model, warmup_steps):
    return d_model**-0.5 * min(warmup_steps**0.5 / step, step * warmup_steps**-1.5)


# %% right: way_3
# why: TensorFlow in single precision, as a Keras schedule would; a scalar tensor
import tensorflow as tf


def noam_learning_rate(step, d_model, warmup_steps):
    n, w = tf.cast(step, tf.float32), tf.cast(warmup_steps, tf.float32)
    return tf.math.rsqrt(tf.cast(d_model, tf.float32)) * tf.minimum(tf.math.rsqrt(n), n * w**-1.5)


# %% right: way_2
# why: NumPy; a NumPy float
def noam_learning_rate(step, d_model, warmup_steps):
    branches = np.array([np.power(float(step), -0.5), step * np.power(float(warmup_steps), -1.5)])
    return branches.min() / np.sqrt(d_model)
