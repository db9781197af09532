# %% wrong: variance_not_about_the_mean
# says: The variance is taken as the mean of the squares of x itself instead of the squares of the deviations from the mean, so a position whose mean is not 0 is divided by too large a number.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x, dtype=float)
    mean = x.mean(axis=-1, keepdims=True)
    variance = (x ** 2).mean(axis=-1, keepdims=True)
    return gamma * (x - mean) / np.sqrt(variance + epsilon) + beta


# %% wrong: epsilon_argument_not_used
# says: The argument epsilon is never used: the helper has its own default of 1e-5 and the caller's value is not handed on, so every other epsilon gives a wrong result.
def standardise(x, epsilon=1e-5):
    d = x.shape[-1]
    centred = x - np.sum(x, axis=-1, keepdims=True) / d
    variance = np.sum(centred * centred, axis=-1, keepdims=True) / d
    return centred / np.sqrt(variance + epsilon)


def layer_norm(x, gamma, beta, epsilon=1e-5):
    return standardise(np.asarray(x, dtype=float)) * gamma + beta


# %% right: centring_matrix
# why: The mean is subtracted by a product with the matrix I - 1/D and the variance comes from an einsum; both act on the last axis only, and the variance divides by D.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x, dtype=float)
    D = x.shape[-1]
    centring = np.eye(D) - np.full((D, D), 1.0 / D)
    c = x @ centring
    power = np.einsum("...d,...d->...", c, c) / D
    return c * ((power + epsilon) ** -0.5)[..., None] * gamma + beta
