# %% wrong: plain_reshape
# says: A plain reshape cuts a row of pixels into strips. Split height and width first, then bring the axes that count patches together.
# self-check: strips
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    return images.reshape(B, (H // size) * (W // size), size * size * C)

# %% wrong: columns_of_patches_first
# says: Your patches go down the columns. They are read like the words of a page, row by row.
# self-check: read row by row
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    x = images.reshape(B, H // size, size, W // size, size, C)
    return x.transpose(0, 3, 1, 2, 4, 5).reshape(B, -1, size * size * C)

# %% wrong: columns_inside_first
# says: Inside a patch you go down the columns of pixels. The order is row, column, channel.
# self-check: goes down the columns
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    x = images.reshape(B, H // size, size, W // size, size, C)
    return x.transpose(0, 1, 3, 4, 2, 5).reshape(B, -1, size * size * C)

# %% wrong: channels_first
# says: You put whole channels one after the other. The channels of a pixel stay together: row, column, channel.
# self-check: channels of a pixel
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    x = images.reshape(B, H // size, size, W // size, size, C)
    return x.transpose(0, 1, 3, 5, 2, 4).reshape(B, -1, size * size * C)

# %% wrong: crops_what_is_left
# says: You cut off what does not fit. The contract asks for a ValueError.
# self-check: raises ValueError
def patchify(images, size):
    B, H, W, C = images.shape
    rows, columns = H // size, W // size
    x = images[:, : rows * size, : columns * size].reshape(B, rows, size, columns, size, C)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, size * size * C)

# %% wrong: only_the_width_is_checked
# says: You compare the width with the size only. The height has to be a multiple of it as well.
# self-check: does not divide the height
def patchify(images, size):
    B, H, W, C = images.shape
    if W % size:
        raise ValueError
    rows, columns = H // size, W // size
    x = images[:, : rows * size].reshape(B, rows, size, columns, size, C)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, size * size * C)

# %% wrong: square_pictures_only
# says: You used the height for both sides. Pictures need not be square.
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    n = H // size
    x = images[:, :, : n * size].reshape(B, n, size, -1, size, C)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, size * size * C)

# %% wrong: back_by_plain_reshape
# says: Your unpatchify writes one patch after the other. Undo the transpose of patchify as well.
# self-check: one after the other
def unpatchify(patches, size, height, width):
    if height % size or width % size or patches.shape[1] != (height // size) * (width // size):
        raise ValueError
    return patches.reshape(len(patches), height, width, -1)

# %% wrong: back_without_a_check
# says: unpatchify has to raise a ValueError if the number of patches does not fit the picture.
def unpatchify(patches, size, height, width):
    rows, columns = height // size, width // size
    x = np.resize(patches, (len(patches), rows * columns, patches.shape[2]))
    x = x.reshape(len(patches), rows, columns, size, size, -1)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), rows * size, columns * size, -1)

# %% wrong: back_with_sides_exchanged
# says: In unpatchify rows and columns of patches have changed places: the height says how many rows there are.
def unpatchify(patches, size, height, width):
    rows, columns = width // size, height // size
    if height % size or width % size or patches.shape[1] != rows * columns:
        raise ValueError
    x = patches.reshape(len(patches), rows, columns, size, size, -1)
    return x.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -1)

# %% wrong: grid_from_the_root_of_n
# says: You took the root of N for the rows of the grid. That fits square pictures alone; count rows and columns from height and width.
# self-check: rows of 3 patches
def unpatchify(patches, size, height, width):
    if height % size or width % size or (height // size) * (width // size) != patches.shape[1]:
        raise ValueError("the patches do not fit the picture")
    side = int(np.sqrt(patches.shape[1]))
    split = patches.reshape(len(patches), side, -1, size, size, patches.shape[2] // size**2)
    return split.swapaxes(2, 3).reshape(len(patches), height, width, -1)

# %% wrong: batch_of_any_size
# says: You let reshape work out the batch, so two pictures of two patches pass as one of four. Compare N with the number of patches of such a picture.
# self-check: compare N
def unpatchify(patches, size, height, width):
    if height % size or width % size:
        raise ValueError("size does not divide the picture")
    split = patches.reshape(-1, height // size, width // size, size, size, patches.shape[2] // size**2)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(-1, height, width, split.shape[-1])

# %% wrong: pixels_counted_only
# says: You compare the number of pixels. Six patches of 2 x 2 are as many as 3 x 8 pixels, but do not make such a picture: both sides must be divided.
def unpatchify(patches, size, height, width):
    rows, columns = height // size, width // size
    if patches.shape[1] * size * size != height * width:
        raise ValueError(f"{patches.shape[1]} patches of {size} pixels do not make a picture of {height} x {width}")
    split = patches.reshape(len(patches), rows, columns, size, size, -1)
    return split.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -1)

# %% right: slices
# why: every patch cut out by itself, every patch written back to its place
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size != 0 or W % size != 0:
        raise ValueError("the size does not divide the picture")
    corners = [(i, j) for i in range(0, H, size) for j in range(0, W, size)]
    return np.stack([images[:, i : i + size, j : j + size].reshape(B, -1) for i, j in corners], axis=1)


def unpatchify(patches, size, height, width):
    corners = [(i, j) for i in range(0, height, size) for j in range(0, width, size)]
    if height % size != 0 or width % size != 0 or len(corners) != patches.shape[1]:
        raise ValueError("the patches do not fit")
    images = np.zeros((len(patches), height, width, patches.shape[2] // size**2))
    for n, (i, j) in enumerate(corners):
        images[:, i : i + size, j : j + size] = patches[:, n].reshape(len(patches), size, size, -1)
    return images

# %% right: with_einsum
# why: the axes named by letters
def patchify(images, size):
    B, H, W, C = images.shape
    if H % size or W % size:
        raise ValueError
    x = images.reshape(B, H // size, size, W // size, size, C)
    return np.einsum("bhpwqc->bhwpqc", x).reshape(B, -1, size * size * C)


def unpatchify(patches, size, height, width):
    if height % size or width % size or patches.shape[1] * size * size != height * width:
        raise ValueError
    x = patches.reshape(len(patches), height // size, width // size, size, size, -1)
    return np.einsum("bhwpqc->bhpwqc", x).reshape(len(patches), height, width, -1)

# %% right: with_swapaxes
# why: the library's swapaxes, and errors by divmod
def patchify(images, size):
    (rows, more), (columns, rest) = divmod(images.shape[1], size), divmod(images.shape[2], size)
    if more or rest:
        raise ValueError
    split = np.swapaxes(images.reshape(len(images), rows, size, columns, size, images.shape[3]), 2, 3)
    return split.reshape(len(images), rows * columns, size * size * images.shape[3])


def unpatchify(patches, size, height, width):
    (rows, more), (columns, rest) = divmod(height, size), divmod(width, size)
    if more or rest or rows * columns != patches.shape[1]:
        raise ValueError
    channels = patches.shape[2] // (size * size)
    split = patches.reshape(len(patches), rows, columns, size, size, channels)
    return np.swapaxes(split, 2, 3).reshape(len(patches), height, width, channels)

# %% equivalent
# because: reshape raises a ValueError by itself if the size does not divide both sides
# was: if H % size or W % size:
# now: pass
# was: if H % size or W % size:
# now: if H % size and W % size:
# was: if H % size or W % size:
# now: if H % size:
# was: if H % size or W % size:
# now: if W % size:
# was: raise ValueError(f'patches of {size} pixels do not fit a picture of {H} x {W}')
# now: pass

# %% equivalent
# because: axes that are neighbours before and after the transpose, and joined in the end, may be split anywhere
# was: split = images.reshape(B, H // size, size, W // size, size, C)
# now: split = images.reshape(H // size, B, size, W // size, size, C)
# was: split = images.reshape(B, H // size, size, W // size, size, C)
# now: split = images.reshape(B, H // size, size, W // size, C, size)
# was: split = patches.reshape(len(patches), rows, columns, size, size, -1)
# now: split = patches.reshape(rows, len(patches), columns, size, size, -1)
# was: split = patches.reshape(len(patches), rows, columns, size, size, -1)
# now: split = patches.reshape(len(patches), rows, columns, size, -1, size)

# %% equivalent
# because: NumPy takes any negative size as the one to be worked out
# was: return split.transpose(0, 1, 3, 2, 4, 5).reshape(B, -1, size * size * C)
# now: return split.transpose(0, 1, 3, 2, 4, 5).reshape(B, -2, size * size * C)
# was: split = patches.reshape(len(patches), rows, columns, size, size, -1)
# now: split = patches.reshape(len(patches), rows, columns, size, size, -2)
# was: return split.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -1)
# now: return split.transpose(0, 1, 3, 2, 4, 5).reshape(len(patches), height, width, -2)

# %% equivalent
# because: a reshape that does not fit raises a ValueError as well
# was: if height % size or width % size or rows * columns != patches.shape[1]: ;; split = patches.reshape(len(patches), rows, columns, size, size, -1)
# now: split = patches.reshape(len(patches), rows, columns, size, size, -1) ;; if height % size or width % size or rows * columns != patches.shape[1]:
