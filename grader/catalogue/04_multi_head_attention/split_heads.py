# %% wrong: reshape_only
# says: A reshape to (B, H, T, K) in one go cuts the memory into consecutive pieces, and memory runs word by word. A head
#   then holds whole words and parts of others. The round trip works all the same, so look at the elements.
# self-check: reshape alone
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, num_heads, T, D // num_heads)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)

# %% wrong: interleaved
# says: Your head h holds every H-th column. The columns of one head are a block, h * K to (h + 1) * K: in the reshape the
#   axis of the heads comes before that of their columns.
# self-check: interleaved
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, D // num_heads, num_heads).transpose(0, 3, 1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, H * K)

# %% wrong: no_error
# says: A number of heads that does not divide D should raise a ValueError; yours drops the columns that are left over.
# self-check: ValueError
def split_heads(x, num_heads):
    B, T, D = x.shape
    K = D // num_heads
    return x[..., : num_heads * K].reshape(B, T, num_heads, K).swapaxes(1, 2)

# %% wrong: assert_for_error
# says: An assert raises AssertionError, and Python can switch asserts off. The docstring names ValueError.
# self-check: ValueError
def split_heads(x, num_heads):
    B, T, D = x.shape
    assert D % num_heads == 0, "num_heads must divide D"
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)

# %% wrong: heads_last
# says: You cut the columns into blocks but left the axis of the heads after T. Attention multiplies the last two axes, so
#   these have to be T and K.
# self-check: shape
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, num_heads, D // num_heads)

# %% wrong: transposed_words
# says: The last two axes are exchanged: each head should be (T, K), a row for each word.
# self-check: shape
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, num_heads, D // num_heads).transpose(0, 2, 3, 1)

# %% wrong: reversed_heads
# says: The heads come in reverse order: head 0 holds the last columns.
# self-check: reverse
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)[:, ::-1]

# %% wrong: merge_by_reshape
# says: Splitting is right. The way back needs the exchange of axes too, and before the reshape: T has to come before H.
# self-check: reshape alone
def merge_heads(x):
    B, H, T, K = x.shape
    return x.reshape(B, T, H * K)

# %% wrong: merge_interleaved
# says: Merging mixes the columns of the heads like cards. The columns of one head should lie side by side.
# self-check: interleaved
def merge_heads(x):
    B, H, T, K = x.shape
    return x.transpose(0, 2, 3, 1).reshape(B, T, K * H)

# %% wrong: whole_copies
# says: Every head gets a copy of all columns. The heads share the columns out: each has K = D / H of them.
# self-check: shape
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("num_heads must divide D")
    return np.repeat(x[:, None], num_heads, axis=1)

# %% wrong: wrong_test_for_divisor
# says: Check the remainder, D % num_heads. That D is at least num_heads says nothing about it.
# self-check: ValueError
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D < num_heads:
        raise ValueError("too many heads")
    return x[..., : num_heads * (D // num_heads)].reshape(B, T, num_heads, -1).swapaxes(1, 2)

# %% right: an_exception_of_ones_own
# why: a subclass of ValueError is a ValueError
def split_heads(x, num_heads):
    class DoesNotDivide(ValueError):
        pass

    if x.shape[-1] % num_heads != 0:
        raise DoesNotDivide(f"{num_heads} does not divide {x.shape[-1]}")
    return np.stack(np.split(x, num_heads, axis=-1), axis=1)

# %% right: by_slices
# why: a loop over the heads takes each block of columns
def split_heads(x, num_heads):
    width = x.shape[-1]
    if width % num_heads != 0:
        raise ValueError("no")
    K = width // num_heads
    return np.stack([x[:, :, h * K : (h + 1) * K] for h in range(num_heads)], axis=1)


def merge_heads(x):
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)

# %% right: np_split
# why: np.split cuts equal parts and raises the ValueError itself
def split_heads(x, num_heads):
    return np.stack(np.split(np.array(x), num_heads, axis=-1), axis=1)


def merge_heads(x):
    return np.concatenate(list(np.moveaxis(x, 1, 0)), axis=-1)

# %% right: einsum
# why: reshape, then axes by name in an einsum
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(f"{num_heads} does not divide {D}")
    return np.einsum("bthk->bhtk", x.reshape(B, T, num_heads, -1))


def merge_heads(x):
    return np.einsum("bhtk->bthk", x).reshape(x.shape[0], x.shape[2], -1)

# %% right: element_by_element
# why: four loops, slow and plain
def split_heads(x, num_heads):
    B, T, D = x.shape
    K = D // num_heads
    if K * num_heads != D:
        raise ValueError("K would not be whole")
    out = np.empty((B, num_heads, T, K), dtype=x.dtype)
    for b, t, d in np.ndindex(B, T, D):
        out[b, d // K, t, d % K] = x[b, t, d]
    return out

# %% right: keras_ops
# why: the same steps as tensors
def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError("D / H is not whole")
    return keras.ops.transpose(keras.ops.reshape(x, (B, T, num_heads, D // num_heads)), (0, 2, 1, 3))


def merge_heads(x):
    B, H, T, K = x.shape
    return keras.ops.convert_to_numpy(keras.ops.reshape(keras.ops.transpose(x, (0, 2, 1, 3)), (B, T, H * K)))

# %% equivalent
# because: NumPy's reshape raises a ValueError itself where H * (D // H) is not D; the contract asks for no more
# was: if D % num_heads:
# now: pass
# was: raise ValueError(f'Invalid argument num_heads. Expected a divisor of {D}. Received: {num_heads}')
# now: pass

# %% equivalent
# because: exchanging two axes is the same whichever is named first
# was: return x.reshape(B, T, num_heads, D // num_heads).swapaxes(1, 2)
# now: return x.reshape(B, T, num_heads, D // num_heads).swapaxes(2, 1)
# was: return x.swapaxes(1, 2).reshape(B, T, H * K)
# now: return x.swapaxes(2, 1).reshape(B, T, H * K)
