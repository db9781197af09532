# %% wrong: epsilon_outside_the_root
# says: Divides by the standard deviation plus epsilon, instead of the root of variance plus epsilon.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    std = x.std(axis=-1, keepdims=True)
    return gamma * (x - mean) / (std + epsilon) + beta


# %% wrong: centres_x_in_place
# says: `x -= mean` changes the array of the caller.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x -= np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(x**2, axis=-1, keepdims=True)
    return gamma * x / np.sqrt(variance + epsilon) + beta


# %% wrong: epsilon_hard_coded
# says: Ignores the argument `epsilon` and always uses 1e-5.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gamma + beta


# %% right: way_1
# why: Centres with the matrix I - 1/D and gets the root from `np.hypot` of the root mean square and the root of epsilon.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    D = x.shape[-1]
    centred = x @ (np.eye(D) - 1.0 / D)
    size = np.linalg.norm(centred, axis=-1, keepdims=True) / D**0.5
    return centred * (gamma / np.hypot(size, epsilon**0.5)) + beta
