# %% wrong: remainder_dropped
# says: If the number of heads does not divide D, split_heads raises no ValueError; it silently drops the remaining columns.
def split_heads(x, num_heads):
    K = x.shape[-1] // num_heads
    heads = [x[:, :, h * K:(h + 1) * K] for h in range(num_heads)]
    return np.stack(heads, axis=1)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, H * K)


# %% wrong: merged_columns_interleaved
# says: merge_heads puts the axis of the heads last before it reshapes, so the columns of the heads alternate instead of each head keeping a block of its own; it does not undo split_heads.
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide the width")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return np.moveaxis(x, 1, -1).reshape(B, T, H * K)


# %% right: split_and_concatenate
# why: np.split cuts the columns into equal blocks in order and itself raises ValueError if the division is not equal; np.concatenate over the heads along the last axis is its inverse.
def split_heads(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)
