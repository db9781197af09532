# %% wrong: epsilon_outside
# says: adds epsilon to the root instead of to the variance
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / (np.sqrt(variance) + epsilon) + beta


# %% wrong: keras_default
# says: takes Keras' default of 1e-3 for epsilon
def layer_norm(x, gamma, beta, epsilon=1e-3):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% wrong: all_axes
# says: one mean and one variance for everything
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean()
    variance = x.var()
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% wrong: batch_axis
# says: normalises each feature over the positions, the first axis
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=0, keepdims=True)
    variance = x.var(axis=0, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% right: way_4
# why: the Keras layer with its weights set, in double precision
def layer_norm(x, gamma, beta, epsilon=1e-5):
    layer = keras.layers.LayerNormalization(epsilon=epsilon, dtype="float64")
    rows = np.reshape(x, (-1, np.shape(x)[-1]))
    layer.build(rows.shape)
    layer.set_weights([gamma, beta])
    return np.reshape(layer(rows), np.shape(x))


# %% right: way_1
# why: pure Python over the rows, statistics written out
import math


def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x, dtype=float)
    D = x.shape[-1]
    rows = []
    for row in x.reshape(-1, D):
        mean = sum(row) / D
        variance = sum((a - mean) ** 2 for a in row) / D
        root = math.sqrt(variance + epsilon)
        rows.append([gamma[d] * (row[d] - mean) / root + beta[d] for d in range(D)])
    return np.array(rows).reshape(x.shape)
