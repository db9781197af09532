# %% wrong: channels_first_in_a_patch
# says: Inside a patch the channel comes first, then row and column; both functions agree, so the way back still works.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size does not divide the picture")
    parts = images.reshape(B, H // size, size, W // size, size, C)
    return parts.transpose(0, 1, 3, 5, 2, 4).reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    B, N, L = patches.shape
    if height % size or width % size or N != (height // size) * (width // size):
        raise ValueError("the patches do not fit")
    C = L // (size * size)
    parts = patches.reshape(B, height // size, width // size, C, size, size)
    return parts.transpose(0, 1, 4, 2, 5, 3).reshape(B, height, width, C)


# %% wrong: unpatchify_checks_nothing
# says: unpatchify lets -1 work out the channels and checks nothing, so surplus patches become channels and a side that does not fit is cut.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"{size} does not divide {H} x {W}")
    parts = images.reshape(B, H // size, size, W // size, size, C).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(B, (H // size) * (W // size), size * size * C)


def unpatchify(patches, size, height, width):
    rows, columns = height // size, width // size
    parts = patches.reshape(len(patches), rows, columns, size, size, -1).transpose(0, 1, 3, 2, 4, 5)
    return parts.reshape(len(patches), rows * size, columns * size, -1)


# %% wrong: grid_sides_exchanged
# says: unpatchify takes the number of columns for the number of rows when it restores the grid, which goes unnoticed for square pictures.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size must divide height and width")
    rows = [images[:, y : y + size, x : x + size].reshape(B, -1) for y in range(0, H, size) for x in range(0, W, size)]
    return np.stack(rows, axis=1)


def unpatchify(patches, size, height, width):
    B, N, L = patches.shape
    if height % size or width % size or N != height * width // size**2:
        raise ValueError("patches and picture do not fit")
    parts = patches.reshape(B, width // size, height // size, size, size, L // size**2)
    return parts.transpose(0, 1, 3, 2, 4, 5).reshape(B, height, width, L // size**2)


# %% right: way_1
# why: sorts the pixels by four keys once and moves them with one list of indices, forwards and backwards
def _reading_order(size, height, width):
    if height % size or width % size:
        raise ValueError(f"{size} does not divide {height} x {width}")
    y, x = np.divmod(np.arange(height * width), width)
    return np.lexsort((x % size, y % size, x // size, y // size))


def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    order = _reading_order(size, H, W)
    return images.reshape(B, H * W, C)[:, order].reshape(B, H * W // size**2, size * size * C)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    order = _reading_order(size, height, width)
    if patches.shape[1] * size * size != height * width:
        raise ValueError(f"{patches.shape[1]} patches do not make a picture of {height} x {width}")
    C = patches.shape[2] // size**2
    pixels = np.empty((len(patches), height * width, C), dtype=patches.dtype)
    pixels[:, order] = patches.reshape(len(patches), height * width, C)
    return pixels.reshape(len(patches), height, width, C)
