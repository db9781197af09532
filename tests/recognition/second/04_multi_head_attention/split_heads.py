# %% wrong: merge_reshape_alone
# says: merges by reshape alone, without bringing the heads behind the words
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)


# %% wrong: no_swap
# says: forgets to swap: (B, T, H, K)
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, num_heads, D // num_heads)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


# %% wrong: merge_mean
# says: merges by averaging the heads and repeating the mean to the old width
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return np.tile(x.mean(axis=1), (1, 1, H))


# %% wrong: inplace_shape
# says: sets x.shape, which reshapes the caller's array as well
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    x.shape = (B, T, num_heads, D // num_heads)
    return x.swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


# %% right: way_4
# why: refuses with a subclass of ValueError, which whoever catches ValueError catches as well
class HeadsError(ValueError):
    pass


def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise HeadsError(f"{num_heads} heads do not divide {x.shape[-1]}")
    return np.einsum("bthk->bhtk", x.reshape(*x.shape[:2], num_heads, -1))


def merge_heads(x):
    return np.einsum("bhtk->bthk", x).reshape(x.shape[0], x.shape[2], -1)


# %% right: way_3
# why: Keras operations; tensors as results
def split_heads(x, num_heads):
    B, T, D = x.shape
    K, rest = divmod(D, num_heads)
    if rest:
        raise ValueError(f"width {D}, {num_heads} heads")
    return keras.ops.transpose(keras.ops.reshape(x, (B, T, num_heads, K)), (0, 2, 1, 3))


def merge_heads(x):
    B, H, T, K = x.shape
    return keras.ops.reshape(keras.ops.transpose(x, (0, 2, 1, 3)), (B, T, H * K))
