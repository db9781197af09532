# %% wrong: sample_variance
# says: Your variance divides by D - 1. Layer normalisation uses the mean of the squares, divided by D.
# self-check: D - 1
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, ddof=1, keepdims=True) if x.shape[-1] > 1 else 0 * x
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta

# %% wrong: epsilon_outside
# says: Epsilon is added to the standard deviation. It belongs to the variance, inside the root.
# self-check: outside
def layer_norm(x, gamma, beta, epsilon=1e-5):
    return gamma * (x - np.mean(x, -1, keepdims=True)) / (np.std(x, -1, keepdims=True) + epsilon) + beta

# %% wrong: over_positions
# says: The statistics run over positions. Each position is normalised along its own features, the last axis.
# self-check: wrong axis
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, 0, keepdims=True), np.var(x, 0, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta

# %% wrong: over_everything
# says: One mean and one variance for the whole array. Each position needs its own.
# self-check: one mean
def layer_norm(x, gamma, beta, epsilon=1e-5):
    return gamma * (x - np.mean(x)) / np.sqrt(np.var(x) + epsilon) + beta

# %% wrong: epsilon_of_keras
# says: You used 1e-3, the default of Keras. The contract's epsilon is an argument, 1e-5 unless told otherwise.
# self-check: Keras' default
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + 1e-3) + beta

# %% wrong: epsilon_fixed
# says: The argument epsilon has no influence.
# self-check: fixed
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + 1e-5) + beta

# %% wrong: no_epsilon
# says: Epsilon is missing; equal features would divide 0 by 0.
# self-check: epsilon is missing
def layer_norm(x, gamma, beta, epsilon=1e-5):
    return gamma * (x - np.mean(x, -1, keepdims=True)) / np.std(x, -1, keepdims=True) + beta

# %% wrong: mean_not_subtracted
# says: That is root mean square normalisation: subtract the mean first.
# self-check: mean is not subtracted
def layer_norm(x, gamma, beta, epsilon=1e-5):
    return gamma * x / np.sqrt(np.mean(x**2, -1, keepdims=True) + epsilon) + beta

# %% wrong: divided_by_variance
# says: You divided by the variance. Take its root.
# self-check: take its root
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * (x - mean) / (variance + epsilon) + beta

# %% wrong: beta_forgotten
# says: beta is not used. The last step adds it.
# self-check: beta is not used
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon)

# %% wrong: gamma_times_all
# says: You scaled after shifting. gamma scales the normalised features, then beta is added.
# self-check: beta comes after gamma
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = np.mean(x, -1, keepdims=True), np.var(x, -1, keepdims=True)
    return gamma * ((x - mean) / np.sqrt(variance + epsilon) + beta)

# %% wrong: changes_its_input
# says: x -= mean changes the caller's array. Work on a new one.
# self-check: copy
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x -= np.mean(x, -1, keepdims=True)
    return gamma * x / np.sqrt(np.mean(x**2, -1, keepdims=True) + epsilon) + beta

# %% right: with_var
# why: np.var divides by D
def layer_norm(x, gamma, beta, epsilon=1e-5):
    scale = gamma / np.sqrt(np.var(x, axis=-1, keepdims=True) + epsilon)
    return scale * x + (beta - scale * np.mean(x, axis=-1, keepdims=True))

# %% right: position_by_position
# why: a loop over all positions
def layer_norm(x, gamma, beta, epsilon=1e-5):
    rows = [gamma * (r - r.mean()) / (r.var() + epsilon) ** 0.5 + beta for r in x.reshape(-1, x.shape[-1])]
    return np.array(rows).reshape(x.shape)

# %% right: with_keras
# why: the layer itself, with this epsilon
def layer_norm(x, gamma, beta, epsilon=1e-5):
    layer = keras.layers.LayerNormalization(epsilon=epsilon, dtype="float64")
    layer.build(x.shape)
    layer.set_weights([gamma, beta])
    return layer(np.asarray(x, dtype="float64")).numpy()

# %% right: with_tensors
# why: moments computed by keras.ops
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = keras.ops.moments(np.asarray(x, dtype="float64"), axes=[-1], keepdims=True)
    return np.asarray(gamma * (x - mean) * keras.ops.rsqrt(variance + epsilon) + beta)

# %% right: by_keras_ops_in_float32
# why: Keras divides x and its mean by the root before it subtracts them
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x, gamma, beta = (np.asarray(a, dtype="float32") for a in (x, gamma, beta))
    return keras.ops.layer_normalization(x, gamma=gamma, beta=beta, epsilon=epsilon)

# %% equivalent
# because: the square of a difference does not depend on its sign
# was: variance = np.mean((x - mean) ** 2, axis=-1, keepdims=True)
# now: variance = np.mean((mean - x) ** 2, axis=-1, keepdims=True)
