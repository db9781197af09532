# %% wrong: column_by_column
# says: reads the patches down the columns first, against "row by row from the top left"; unpatchify undoes just that
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size does not fit")
    a = images.reshape(B, H // size, size, W // size, size, C)
    return a.transpose(0, 3, 1, 2, 4, 5).reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    if height % size or width % size:
        raise ValueError("size does not fit")
    h, w = height // size, width // size
    B, N, length = patches.shape
    if N != h * w:
        raise ValueError("wrong number of patches")
    a = patches.reshape(B, w, h, size, size, length // size**2)
    return a.transpose(0, 2, 3, 1, 4, 5).reshape(B, height, width, -1)


# %% wrong: channel_first
# says: inside a patch the order is channel, row, column instead of row, column, channel
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"{size} does not divide {H} and {W}")
    rows = []
    for top in range(0, H, size):
        for left in range(0, W, size):
            piece = images[:, top : top + size, left : left + size]
            rows.append(np.moveaxis(piece, -1, 1).reshape(B, -1))
    return np.stack(rows, axis=1)


def unpatchify(patches, size, height, width):
    if height % size != 0 or width % size != 0:
        raise ValueError(f"{size} does not divide {height} and {width}")
    B, N, length = patches.shape
    if N != (height // size) * (width // size):
        raise ValueError("wrong number of patches")
    C = length // (size * size)
    pictures = np.zeros((B, height, width, C), dtype=patches.dtype)
    for n in range(N):
        i, j = divmod(n, width // size)
        piece = patches[:, n].reshape(B, C, size, size)
        pictures[:, i * size : (i + 1) * size, j * size : (j + 1) * size] = np.moveaxis(piece, 1, -1)
    return pictures


# %% wrong: square_grid
# says: unpatchify takes the root of N as the height of the grid, so most pictures that are not square do not come back
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size must divide the height and the width")
    a = images.reshape(B, H // size, size, W // size, size, C).swapaxes(2, 3)
    return a.reshape(B, (H // size) * (W // size), size * size * C)


def unpatchify(patches, size, height, width):
    if height % size or width % size or patches.shape[1] != (height // size) * (width // size):
        raise ValueError("the patches do not fit the picture")
    side = int(np.sqrt(patches.shape[1]))
    a = patches.reshape(len(patches), side, -1, size, size, patches.shape[2] // size**2).swapaxes(2, 3)
    return a.reshape(len(patches), height, width, -1)


# %% wrong: batch_takes_the_rest
# says: N is never compared; the -1 at the batch lets 2 pictures of 2 patches pass as 1 picture of 4, without an error
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size must divide the height and the width")
    a = images.reshape(B, H // size, size, W // size, size, C)
    return a.transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    if height % size or width % size:
        raise ValueError("size must divide the height and the width")
    C = patches.shape[-1] // (size * size)
    a = patches.reshape(-1, height // size, width // size, size, size, C)
    return a.transpose(0, 1, 3, 2, 4, 5).reshape(-1, height, width, C)


# %% wrong: and_for_or
# says: raises only if neither side fits; where one side fits, the rest of the other is cut off without an error
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size and W % size:
        raise ValueError("size does not divide the picture")
    patches = np.zeros((B, (H // size) * (W // size), size * size * C), dtype=images.dtype)
    n = 0
    for i in range(H // size):
        for j in range(W // size):
            patches[:, n] = images[:, i * size : (i + 1) * size, j * size : (j + 1) * size].reshape(B, -1)
            n += 1
    return patches


def unpatchify(patches, size, height, width):
    if (height % size and width % size) or patches.shape[1] != (height // size) * (width // size):
        raise ValueError("the patches do not fit the picture")
    B, C = len(patches), patches.shape[2] // (size * size)
    images = np.zeros((B, height, width, C), dtype=patches.dtype)
    n = 0
    for i in range(height // size):
        for j in range(width // size):
            images[:, i * size : (i + 1) * size, j * size : (j + 1) * size] = patches[:, n].reshape(B, size, size, C)
            n += 1
    return images


# %% right: order_of_numbers
# why: cuts a picture of positions in memory once, then gathers the numbers of all pictures in that order, or scatters
def positions(H, W, C, size):
    if H % size or W % size:
        raise ValueError(f"patches of {size} do not fill {H} times {W} pixels")
    numbers = np.arange(H * W * C).reshape(H, W, C)
    strips = [numbers[top : top + size] for top in range(0, H, size)]
    return np.concatenate([part.ravel() for strip in strips for part in np.split(strip, W // size, axis=1)])


def patchify(images, size):
    B, H, W, C = np.shape(images)
    order = positions(H, W, C, size)
    return np.reshape(images, (B, -1))[:, order].reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    B, N, length = np.shape(patches)
    if height % size or width % size or N * size * size != height * width:
        raise ValueError(f"{N} patches of {size} do not make {height} times {width} pixels")
    flat = np.empty((B, N * length), np.asarray(patches).dtype)
    flat[:, positions(height, width, length // size**2, size)] = np.reshape(patches, (B, -1))
    return flat.reshape(B, height, width, -1)


# %% right: keras_rows_of_patches
# why: keras.ops with two swaps; unpatchify joins the patches of a strip, then the strips
def patchify(images, size):
    B, H, W, C = images.shape
    for side in (H, W):
        if side % size > 0:
            raise ValueError(f"{size} does not divide {side}")
    strips = keras.ops.reshape(images, (B * (H // size), size, W // size, size * C))
    return keras.ops.convert_to_numpy(keras.ops.reshape(keras.ops.swapaxes(strips, 1, 2), (B, -1, size * size * C)))


def unpatchify(patches, size, height, width):
    (h, rest_h), (w, rest_w) = divmod(height, size), divmod(width, size)
    if rest_h or rest_w or patches.shape[1] != h * w:
        raise ValueError("no such picture")
    B = patches.shape[0]
    tiles = [patches[:, n].reshape(B, size, size, -1) for n in range(h * w)]
    strips = [np.concatenate(tiles[i * w : (i + 1) * w], axis=2) for i in range(h)]
    return np.concatenate(strips, axis=1)
