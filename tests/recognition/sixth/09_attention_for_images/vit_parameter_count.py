# %% wrong: no_position_for_class_token
# says: Counts one learned position for each patch but none for the class token.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size // patch_size) ** 2
    projection = patch_size * patch_size * channels * d_model + d_model
    tokens = d_model + patches * d_model
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    layer = attention + feed_forward + 2 * 2 * d_model
    head = d_model * num_classes + num_classes
    return projection + tokens + num_layers * layer + 2 * d_model + head


# %% wrong: true_division_makes_a_float
# says: Divides the image size by the patch size with / instead of //, so the count that is returned is a float and not an integer.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return a * b + b

    patches = (image_size / patch_size) ** 2
    norm = 2 * d_model
    layer = 4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model) + 2 * norm
    total = linear(patch_size ** 2 * channels, d_model)
    total += d_model + (patches + 1) * d_model
    return total + num_layers * layer + norm + linear(d_model, num_classes)


# %% right: list_of_shapes
# why: Writes down the shape of every single array of the model in a list and adds up their sizes.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return [(a, b), (b,)]

    norm = [(d_model,), (d_model,)]
    side = image_size // patch_size
    shapes = linear(patch_size * patch_size * channels, d_model) + [(d_model,), (side * side + 1, d_model)]
    for _ in range(num_layers):
        shapes += norm + linear(d_model, d_model) * 4 + norm + linear(d_model, d_ff) + linear(d_ff, d_model)
    shapes += norm + linear(d_model, num_classes)
    total = 0
    for shape in shapes:
        size = 1
        for n in shape:
            size *= int(n)
        total += size
    return total
