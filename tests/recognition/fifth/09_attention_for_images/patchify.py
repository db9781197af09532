# %% wrong: channel_first_inside_a_patch
# says: Inside a patch the order is channel, row, column instead of row, column, channel. unpatchify undoes the same order, so there and back works, and one channel looks right.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError("size does not divide the picture")
    a = images.reshape(B, H // size, size, W // size, size, C)
    a = a.transpose(0, 1, 3, 5, 2, 4)
    return a.reshape(B, (H // size) * (W // size), size * size * C)


def unpatchify(patches, size, height, width):
    if height % size or width % size:
        raise ValueError("size does not divide the picture")
    rows, columns = height // size, width // size
    B, N, F = patches.shape
    if N != rows * columns:
        raise ValueError("wrong number of patches")
    C = F // size ** 2
    a = patches.reshape(B, rows, columns, C, size, size)
    return a.transpose(0, 1, 4, 2, 5, 3).reshape(B, height, width, C)


# %% wrong: unpatchify_does_not_check_the_remainder
# says: unpatchify compares only the number of patches after whole division and does not check that size divides height and width, so for such a size it returns too small a picture instead of raising a ValueError.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError(f"{size} does not divide {H} and {W}")
    rows = []
    for top in range(0, H, size):
        for left in range(0, W, size):
            rows.append(images[:, top:top + size, left:left + size].reshape(B, -1))
    return np.stack(rows, axis=1)


def unpatchify(patches, size, height, width):
    n_rows = height // size
    n_columns = width // size
    if patches.shape[1] != n_rows * n_columns:
        raise ValueError("the number of patches does not fit")
    B = patches.shape[0]
    C = patches.shape[2] // (size * size)
    images = np.zeros((B, n_rows * size, n_columns * size, C), dtype=patches.dtype)
    for k in range(patches.shape[1]):
        r, c = divmod(k, n_columns)
        block = patches[:, k].reshape(B, size, size, C)
        images[:, r * size:(r + 1) * size, c * size:(c + 1) * size] = block
    return images


# %% right: split_and_concatenate
# why: The pictures are cut with np.split along the height and then along the width, and put together with np.concatenate in the opposite order; order and checks are those of the exercise.
def patchify(images, size):
    B, H, W, C = images.shape
    if any(n % size for n in (H, W)):
        raise ValueError(f"patches of {size} do not fit into {H} x {W}")
    flat = [piece.reshape(B, 1, size * size * C)
            for band in np.split(images, H // size, axis=1)
            for piece in np.split(band, W // size, axis=2)]
    return np.concatenate(flat, axis=1)


def unpatchify(patches, size, height, width):
    (down, rest_h), (across, rest_w) = divmod(height, size), divmod(width, size)
    if rest_h or rest_w or patches.shape[1] != down * across:
        raise ValueError(f"{patches.shape[1]} patches of {size} do not make {height} x {width}")
    pieces = [patches[:, k].reshape(len(patches), size, size, -1) for k in range(down * across)]
    bands = [np.concatenate(pieces[r * across:(r + 1) * across], axis=2) for r in range(down)]
    return np.concatenate(bands, axis=1)
