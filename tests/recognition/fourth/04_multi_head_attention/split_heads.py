# %% wrong: strided_columns
# says: Splits the last axis as (K, H) instead of (H, K), so head h gets the columns h, h + H, h + 2H, ...; merging undoes it, so the round trip works.
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError("num_heads must divide the width")
    return x.reshape(B, T, D // num_heads, num_heads).transpose(0, 3, 1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, H * K)


# %% wrong: merge_reads_size_before_swap
# says: merge_heads swaps the axes but takes the size of axis 1 of the array before the swap (H instead of T), so it is right only if H equals T.
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} heads do not divide {D}")
    return np.transpose(np.reshape(x, (B, T, num_heads, D // num_heads)), (0, 2, 1, 3))


def merge_heads(x):
    return np.swapaxes(x, 1, 2).reshape(x.shape[0], x.shape[1], -1)


# %% wrong: drops_the_rest
# says: Cuts blocks of D // H columns without checking that H divides D, so the last columns silently vanish instead of a ValueError.
def split_heads(x, num_heads):
    K = x.shape[-1] // num_heads
    return np.stack([x[:, :, h * K : (h + 1) * K] for h in range(num_heads)], axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)


# %% right: way_1
# why: Selects the columns by products with a reshaped identity matrix; the reshape itself raises the ValueError.
def split_heads(x, num_heads):
    D = x.shape[2]
    pick = np.eye(D).reshape(D, num_heads, D // num_heads)  # ValueError if H does not divide D
    return np.einsum("btd,dhk->bhtk", x, pick)


def merge_heads(x):
    H, K = x.shape[1], x.shape[3]
    return np.einsum("bhtk,hkd->btd", x, np.eye(H * K).reshape(H, K, H * K))
