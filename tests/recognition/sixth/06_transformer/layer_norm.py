# %% wrong: squares_without_the_mean
# says: The variance is the mean of the squares of x itself; the mean is not subtracted before squaring.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x)
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(x ** 2, axis=-1, keepdims=True)
    return np.asarray(gamma) * (x - mean) / np.sqrt(variance + epsilon) + np.asarray(beta)


# %% wrong: epsilon_ignored
# says: Always uses 1e-5 and ignores the argument epsilon.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x)
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred ** 2).mean(axis=-1, keepdims=True)
    return centred / np.sqrt(variance + 1e-5) * np.asarray(gamma) + np.asarray(beta)


# %% right: centring_matrix
# why: Subtracts the mean by multiplying with the centring matrix I - 1/D, and gets the variance from an einsum of the centred rows with themselves.
def layer_norm(x, gamma, beta, epsilon=1e-5):
    x = np.asarray(x, dtype="float64")
    D = x.shape[-1]
    centred = x @ (np.eye(D) - np.full((D, D), 1 / D))
    variance = np.einsum("...d,...d->...", centred, centred) / D
    scale = np.multiply.outer((variance + epsilon) ** -0.5, np.asarray(gamma, dtype="float64"))
    return centred * scale + np.asarray(beta)
