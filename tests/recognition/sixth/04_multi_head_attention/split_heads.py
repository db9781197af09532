# %% wrong: every_hth_column
# says: Gives head h the columns h, h + H, h + 2H, ... (strided) instead of a block of neighbouring columns; merge_heads undoes just that.
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("the number of heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).transpose(0, 3, 1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, H * K)


# %% wrong: merge_without_swapping
# says: split_heads is right, but merge_heads reshapes (B, H, T, K) directly without moving the axis of the heads back first, which mixes up words and heads.
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("the number of heads must divide D")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)


# %% right: np_split_and_concatenate
# why: No reshape at all: np.split cuts the columns (and itself raises the ValueError), np.stack makes the axis of the heads, np.concatenate lays them side by side.
def split_heads(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)
