# %% wrong: channels_first_inside
# says: Inside a patch the order is channel, row, column instead of row, column, channel.
def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size does not divide the picture")
    x = images.reshape(B, H // size, size, W // size, size, C)
    x = np.einsum("brycxd->brcdyx", x)
    return x.reshape(B, (H // size) * (W // size), C * size * size)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    if height % size or width % size:
        raise ValueError("size does not divide the picture")
    rows, columns = height // size, width // size
    if patches.shape[1] != rows * columns:
        raise ValueError("wrong number of patches")
    C = patches.shape[2] // (size * size)
    x = patches.reshape(len(patches), rows, columns, C, size, size)
    return np.einsum("brcdyx->brycxd", x).reshape(len(patches), height, width, C)


# %% wrong: area_is_divisible
# says: patchify checks only whether the area of a patch divides that of the picture; it must check height and width, or the remainder is cut off silently.
def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    if (H * W) % (size * size) != 0:
        raise ValueError("the picture cannot be cut into such patches")
    patches = []
    for r in range(H // size):
        for c in range(W // size):
            piece = images[:, r * size:r * size + size, c * size:c * size + size, :]
            patches.append(piece.reshape(B, size * size * C))
    if not patches:
        raise ValueError("the patches are larger than the picture")
    return np.stack(patches, axis=1)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    if height % size != 0 or width % size != 0:
        raise ValueError("the picture cannot be cut into such patches")
    B, N, L = patches.shape
    if N != (height // size) * (width // size):
        raise ValueError("the number of patches does not fit")
    images = np.zeros((B, height, width, L // size ** 2), dtype=patches.dtype)
    n = 0
    for top in range(0, height, size):
        for left in range(0, width, size):
            images[:, top:top + size, left:left + size] = patches[:, n].reshape(B, size, size, -1)
            n += 1
    return images


# %% wrong: row_length_is_height
# says: unpatchify counts height // size patches in a row of the grid instead of width // size, so a picture that is not square is put together wrongly.
def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"{size} does not divide {H} and {W}")
    return np.stack([images[:, y:y + size, x:x + size].reshape(B, -1)
                     for y in range(0, H, size) for x in range(0, W, size)], axis=1)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    if height % size != 0 or width % size != 0:
        raise ValueError(f"{size} does not divide {height} and {width}")
    B, N, _ = patches.shape
    down, across = width // size, height // size
    if N != down * across:
        raise ValueError(f"{N} patches do not fit")
    grid = patches.reshape(B, down, across, size, size, -1)
    return np.swapaxes(grid, 2, 3).reshape(B, height, width, -1)


# %% right: way_1
# why: An index table says which pixel goes to which place of which patch; patchify gathers with it and unpatchify scatters with the same table.
def patchify(images, size):
    x = np.asarray(images)
    B, H, W, C = x.shape
    if H % size or W % size:
        raise ValueError("size has to divide height and width")
    N = (H // size) * (W // size)
    n, i, j = np.ogrid[:N, :size, :size]
    pixel = (n // (W // size) * size + i) * W + n % (W // size) * size + j
    return x.reshape(B, H * W, C)[:, pixel.ravel()].reshape(B, N, size * size * C)


def unpatchify(patches, size, height, width):
    p = np.asarray(patches)
    if height % size or width % size:
        raise ValueError("size has to divide height and width")
    N = (height // size) * (width // size)
    if p.shape[1] != N:
        raise ValueError("the number of patches does not fit the picture")
    n, i, j = np.ogrid[:N, :size, :size]
    pixel = (n // (width // size) * size + i) * width + n % (width // size) * size + j
    C = p.shape[2] // (size * size)
    flat = np.empty((p.shape[0], height * width, C), dtype=p.dtype)
    flat[:, pixel.ravel()] = p.reshape(p.shape[0], N * size * size, C)
    return flat.reshape(p.shape[0], height, width, C)
