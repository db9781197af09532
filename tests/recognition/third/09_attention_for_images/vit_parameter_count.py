# %% wrong: float_division
# says: The number of patches comes from an ordinary division, so the count is a float.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size / patch_size) ** 2
    projection = patch_size**2 * channels * d_model + d_model
    tokens = d_model + (patches + 1) * d_model
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    layer = attention + feed_forward + 2 * 2 * d_model
    head = d_model * num_classes + num_classes
    return projection + tokens + num_layers * layer + 2 * d_model + head


# %% wrong: bias_of_the_output_only
# says: Query, key and value are counted without biases; only the output projection of an attention has one.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size // patch_size) ** 2
    embedding = (patch_size * patch_size * channels + 1) * d_model + d_model + (patches + 1) * d_model
    layer = 3 * d_model**2 + d_model**2 + d_model
    layer += (d_model + 1) * d_ff + (d_ff + 1) * d_model + 4 * d_model
    return embedding + num_layers * layer + 2 * d_model + (d_model + 1) * num_classes


# %% wrong: patches_of_one_side
# says: The patches along one side are taken for all patches: their number is not squared.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return a * b + b

    patches = image_size // patch_size
    count = linear(patch_size * patch_size * channels, d_model)
    count += d_model + (patches + 1) * d_model
    count += num_layers * (4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model) + 4 * d_model)
    return count + 2 * d_model + linear(d_model, num_classes)


# %% right: way_1
# why: a bias is one more input that is always 1, so each map is a product; sizes times how often they occur, as a dot product
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    side, wide = int(image_size) // int(patch_size), int(d_model)
    often = [1, side * side + 2, 4 * num_layers, num_layers, num_layers, 4 * num_layers + 2, 1]
    sizes = [
        (int(patch_size) ** 2 * int(channels) + 1) * wide,
        wide,
        (wide + 1) * wide,
        (wide + 1) * int(d_ff),
        (int(d_ff) + 1) * wide,
        wide,
        (wide + 1) * int(num_classes),
    ]
    return sum(int(n) * size for n, size in zip(often, sizes))
