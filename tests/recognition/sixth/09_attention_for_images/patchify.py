# %% wrong: channel_before_pixels
# says: Inside a patch the numbers are ordered channel, row, column instead of row, column, channel (unpatchify undoes the same wrong order, so the round trip works).
def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size must divide height and width")
    parts = images.reshape(B, H // size, size, W // size, size, C)
    return parts.transpose(0, 1, 3, 5, 2, 4).reshape(B, (H // size) * (W // size), size * size * C)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    if height % size or width % size:
        raise ValueError("size must divide height and width")
    rows, columns = height // size, width // size
    if patches.shape[1] != rows * columns:
        raise ValueError("wrong number of patches")
    C = patches.shape[2] // size ** 2
    parts = patches.reshape(len(patches), rows, columns, C, size, size)
    return parts.transpose(0, 1, 4, 2, 5, 3).reshape(len(patches), height, width, C)


# %% wrong: batch_by_minus_one
# says: unpatchify lets reshape work out the batch size with -1 and never compares N with the number of patches, so twice as many patches as fit silently become twice as many pictures instead of a ValueError.
def patchify(images, size):
    B, H, W, C = np.shape(images)
    if H % size != 0 or W % size != 0:
        raise ValueError("size does not divide the picture")
    x = np.reshape(images, (B, H // size, size, W // size, size, C))
    x = np.transpose(x, (0, 1, 3, 2, 4, 5))
    return x.reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    if height % size != 0 or width % size != 0:
        raise ValueError("size does not divide the picture")
    C = np.shape(patches)[-1] // (size * size)
    x = np.reshape(patches, (-1, height // size, width // size, size, size, C))
    x = np.transpose(x, (0, 1, 3, 2, 4, 5))
    return x.reshape(-1, height, width, C)


# %% right: index_table
# why: No transpose: a table of pixel numbers says which pixel goes where, one fancy index cuts, and an assignment through the same table puts together.
def pixel_table(size, height, width):
    if height % size or width % size:
        raise ValueError(f"{size} does not divide {height} and {width}")
    rows = []
    for top in range(0, height, size):
        for left in range(0, width, size):
            rows.append([r * width + c for r in range(top, top + size) for c in range(left, left + size)])
    return np.array(rows)


def patchify(images, size):
    images = np.asarray(images)
    B, H, W, C = images.shape
    table = pixel_table(size, H, W)
    return images.reshape(B, H * W, C)[:, table].reshape(B, len(table), size * size * C)


def unpatchify(patches, size, height, width):
    patches = np.asarray(patches)
    table = pixel_table(size, height, width)
    B, N, numbers = patches.shape
    if N != len(table):
        raise ValueError(f"{N} patches, but the picture needs {len(table)}")
    out = np.empty((B, height * width, numbers // (size * size)), dtype=patches.dtype)
    out[:, table.ravel()] = patches.reshape(B, N * size * size, -1)
    return out.reshape(B, height, width, -1)
