# %% wrong: swap_wrong_axes
# says: swaps the last two axes too: (B, H, K, T), the same shape if T equals K
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(0, 2, 3, 1)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


# %% wrong: checks_words
# says: asks whether the heads divide the number of words T, not the width
def split_heads(x, num_heads):
    B, T, D = x.shape
    if T % num_heads != 0 and D % num_heads != 0 or D < num_heads:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x[..., : D // num_heads * num_heads].reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


# %% wrong: interleaved
# says: cuts the last axis into (K, H), so that a head gets every H-th column
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, D // num_heads, num_heads).transpose(0, 3, 1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, H * K)


# %% wrong: merge_interleaved
# says: moves the heads to the very end before merging: their columns alternate
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads != 0:
        raise ValueError(f"{num_heads} heads do not divide a width of {D}")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return np.moveaxis(x, 1, -1).reshape(B, T, H * K)


# %% right: way_1
# why: pure Python loops over batch, head, word and column
def split_heads(x, num_heads):
    B, T, D = np.shape(x)
    if D % num_heads:
        raise ValueError("the number of heads has to divide the width")
    K = D // num_heads
    heads = []
    for sentence in x:
        heads.append([[[word[h * K + c] for c in range(K)] for word in sentence] for h in range(num_heads)])
    return np.array(heads)


def merge_heads(x):
    merged = []
    for sentence in x:
        rows = []
        for t in range(len(sentence[0])):
            row = []
            for head in sentence:
                row.extend(head[t])
            rows.append(row)
        merged.append(rows)
    return np.array(merged)


# %% right: way_2
# why: np.split, which refuses unequal blocks with ValueError by itself, and np.concatenate
def split_heads(x, num_heads):
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)


def merge_heads(x):
    return np.concatenate(np.moveaxis(x, 1, 0), axis=-1)
