# %% wrong: kernel_flipped
# says: The kernel is flipped, as in the convolution of mathematics. Keras computes a correlation: the first tap looks back.
# self-check: flipped
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - (W - 1) // 2) @ x @ kernel[W - 1 - w] for w in range(W))

# %% wrong: valid_padding
# says: You compute only the outputs for which all taps lie inside. With padding "same" there is an output for every row.
# self-check: valid
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return np.array([sum(x[i + w] @ kernel[w] for w in range(W)) for i in range(max(T - W + 1, 0))])

# %% wrong: causal_padding
# says: All your taps look back. The window is centred: (W - 1) // 2 rows before the output's own, the rest after it.
# self-check: causal
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - (W - 1)) @ x @ kernel[w] for w in range(W))

# %% wrong: all_ahead
# says: All your taps look ahead. The window is centred: the first tap looks (W - 1) // 2 back.
# self-check: ahead
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w) @ x @ kernel[w] for w in range(W))

# %% wrong: even_kernel_off_by_one
# says: For an even number of taps there are (W - 1) // 2 rows of padding before the first row, not W // 2. Odd kernels do not show it.
# self-check: even
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - W // 2) @ x @ kernel[w] for w in range(W))

# %% wrong: wraps_around
# says: Rows that leave at one end come in at the other (np.roll). Outside of x there are zeros.
# self-check: wrapped
def convolution_as_attention(x, kernel):
    W = len(kernel)
    return sum(np.roll(x, (W - 1) // 2 - w, axis=0) @ kernel[w] for w in range(W))

# %% wrong: negative_index
# says: A negative index counts from the end, so the first outputs read the last rows. Outside of x there are zeros.
# self-check: negative index
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    output = np.zeros((T, kernel.shape[2]))
    for i in range(T):
        for w in range(W):
            j = i + w - (W - 1) // 2
            if -T <= j < T:
                output[i] += x[j] @ kernel[w]
    return output

# %% wrong: repeats_the_border
# says: Taps outside look at the first or the last row again. Outside of x there are zeros.
# self-check: repeated
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    output = np.zeros((T, kernel.shape[2]))
    for w in range(W):
        places = np.clip(np.arange(T) + w - (W - 1) // 2, 0, T - 1)
        output += x[places] @ kernel[w]
    return output

# %% wrong: transposed_weights
# says: The maps of the heads are transposed: row i of the map for tap w has its one at i + w - (W - 1) // 2.
# self-check: flipped
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - (W - 1) // 2).T @ x @ kernel[w] for w in range(W))

# %% wrong: normalised
# says: You divide by the number of taps that lie inside. The heads of a convolution are added up, not averaged.
# self-check: taps that lie inside
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    maps = [np.eye(T, k=w - (W - 1) // 2) for w in range(W)]
    return sum(m @ x @ k for m, k in zip(maps, kernel)) / sum(maps).sum(axis=1, keepdims=True)

# %% wrong: one_tap_for_all
# says: Every head uses the same matrix. Tap w has its own, kernel[w].
# self-check: same tap
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum(np.eye(T, k=w - (W - 1) // 2) for w in range(W)) @ x @ kernel[(W - 1) // 2]

# %% wrong: sums_of_columns
# says: Right for one column. With several columns each tap has a matrix (D, V), which you add up instead of multiplying.
# self-check: several columns
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    return sum((np.eye(T, k=w - (W - 1) // 2) @ x).sum(axis=1, keepdims=True) * kernel[w].mean(axis=0) for w in range(W))

# %% wrong: wide_kernel_cut
# says: With more taps than rows you leave the last taps out. Those that fall outside add nothing by themselves; the others count.
# self-check: more taps
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    output = np.zeros((T, kernel.shape[2]))
    for w in range(min(W, T)):
        output += np.eye(T, k=w - (W - 1) // 2) @ x @ kernel[w]
    return output

# %% right: keras_conv
# why: the library's convolution
def convolution_as_attention(x, kernel):
    return np.asarray(keras.ops.conv(x[None], kernel, padding="same"))[0]

# %% right: padded_loop
# why: pads with zeros and adds shifted windows, without maps
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    front = (W - 1) // 2
    padded = np.pad(x, ((front, W - 1 - front), (0, 0)))
    return np.stack([np.einsum("wd,wdv->v", padded[i : i + W], kernel) for i in range(T)])

# %% right: all_heads_at_once
# why: one array of maps (W, T, T), compared by index, and one einsum
def convolution_as_attention(x, kernel):
    T, W = len(x), len(kernel)
    i, j = np.arange(T)[:, None], np.arange(T)
    maps = (j == i + np.arange(W)[:, None, None] - (W - 1) // 2).astype(x.dtype)
    return np.einsum("wij,jd,wdv->iv", maps, x, kernel)

# %% right: scalar_loops
# why: four loops
def convolution_as_attention(x, kernel):
    (T, D), (W, _, V) = x.shape, kernel.shape
    out = np.zeros((T, V), dtype=x.dtype)
    for i, w, d, v in np.ndindex(T, W, D, V):
        j = i + w - (W - 1) // 2
        if 0 <= j < T:
            out[i, v] += x[j, d] * kernel[w, d, v]
    return out

# %% equivalent
# because: the array that is changed in place was made by the function itself
# was: output = output + weights @ x @ kernel[w]
# now: output += weights @ x @ kernel[w]
