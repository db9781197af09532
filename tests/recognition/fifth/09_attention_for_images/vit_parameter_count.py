# %% wrong: returns_a_float
# says: The number of patches is computed with / instead of //, so the result is a float, although an integer is asked for.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size / patch_size) ** 2
    projection = patch_size ** 2 * channels * d_model + d_model
    tokens = d_model + (patches + 1) * d_model
    attention = 4 * (d_model ** 2 + d_model)
    ffn = d_model * d_ff + d_ff + d_ff * d_model + d_model
    layer = attention + ffn + 4 * d_model
    head = d_model * num_classes + num_classes
    return projection + tokens + num_layers * layer + 2 * d_model + head


# %% wrong: projection_bias_for_each_channel
# says: The bias of the patch projection is counted once for each channel; the flattened patch with all its channels goes through one linear map with one bias of d_model numbers.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return a * b + b

    side = image_size // patch_size
    total = channels * linear(patch_size * patch_size, d_model)
    total += d_model * (side * side + 2)
    total += num_layers * (4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model) + 2 * 2 * d_model)
    total += 2 * d_model + linear(d_model, num_classes)
    return total
