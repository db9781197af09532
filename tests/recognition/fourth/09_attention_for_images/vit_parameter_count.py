# %% wrong: class_token_without_position
# says: Only the patches get a learned position; the class token needs one of its own, so there are N + 1 positions.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size // patch_size) ** 2
    embed = patch_size * patch_size * channels * d_model + d_model
    tokens = d_model + patches * d_model
    layer = 4 * (d_model * d_model + d_model) + d_model * d_ff + d_ff + d_ff * d_model + d_model + 4 * d_model
    head = d_model * num_classes + num_classes
    return embed + tokens + num_layers * layer + 2 * d_model + head


# %% wrong: four_times_width
# says: The hidden layer of the feed-forward is taken as 4 * d_model, and the argument d_ff is ignored.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return (a + 1) * b

    norm = 2 * d_model
    n = (image_size // patch_size) * (image_size // patch_size)
    total = linear(patch_size ** 2 * channels, d_model)
    total += d_model
    total += (n + 1) * d_model
    for _ in range(num_layers):
        total += norm + 4 * linear(d_model, d_model)
        total += norm + linear(d_model, 4 * d_model) + linear(4 * d_model, d_model)
    total += norm
    total += linear(d_model, num_classes)
    return total


# %% wrong: float_from_division
# says: The number of patches comes from a division with /, so the result is a float; an integer is required.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    side = image_size / patch_size
    parts = [
        d_model * (channels * patch_size ** 2) + d_model,
        d_model,
        d_model * (side ** 2 + 1),
        num_layers * (2 * 2 * d_model + 4 * d_model * (d_model + 1) + 2 * d_model * d_ff + d_ff + d_model),
        2 * d_model,
        (d_model + 1) * num_classes,
    ]
    return sum(parts)


# %% right: way_1
# why: Appends a 1 to the input of every linear map, so biases are rows; the class token is a bias-like row of the position table's size plus one.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    I, P, C, L, D, F, Y = map(int, (image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes))
    maps = [(C * P * P, D), (D, Y)] + [(D, D), (D, D), (D, D), (D, D), (D, F), (F, D)] * L
    vectors = 1 + 1 + (I // P) ** 2 + 2 * (2 * L + 1)
    return sum((rows + 1) * columns for rows, columns in maps) + vectors * D
