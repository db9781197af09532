# %% wrong: bias_of_the_hidden_width
# says: gives both maps of the feed-forward a bias of d_ff numbers; the second one ends in d_model numbers
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size // patch_size) ** 2
    projection = patch_size**2 * channels * d_model + d_model
    tokens = d_model + (patches + 1) * d_model
    layer = 4 * (d_model**2 + d_model) + 2 * (d_model * d_ff + d_ff) + 2 * 2 * d_model
    head = d_model * num_classes + num_classes
    return projection + tokens + num_layers * layer + 2 * d_model + head


# %% wrong: head_reads_all_tokens
# says: the head reads all tokens side by side; it is linear on the class token alone, d_model by num_classes
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    def linear(a, b):
        return a * b + b

    n = (image_size // patch_size) ** 2 + 1
    norm = 2 * d_model
    layer = 2 * norm + 4 * linear(d_model, d_model) + linear(d_model, d_ff) + linear(d_ff, d_model)
    embedding = linear(patch_size * patch_size * channels, d_model) + d_model + n * d_model
    return embedding + num_layers * layer + norm + linear(n * d_model, num_classes)


# %% wrong: norm_of_two_numbers
# says: a norm counts 2 numbers; it has two vectors, each of d_model numbers
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    total = (patch_size * patch_size * channels + 1) * d_model
    total += d_model + ((image_size // patch_size) ** 2 + 1) * d_model
    for _ in range(num_layers):
        total += 2 + 2
        total += 4 * (d_model + 1) * d_model
        total += (d_model + 1) * d_ff + (d_ff + 1) * d_model
    total += 2
    return total + (d_model + 1) * num_classes


# %% wrong: four_times_as_wide
# says: takes the hidden layer as four times d_model, as in the published model, and ignores d_ff
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    patches = (image_size // patch_size) ** 2
    attention = 4 * d_model * (d_model + 1)
    feed_forward = 8 * d_model**2 + 5 * d_model
    layers = num_layers * (attention + feed_forward + 4 * d_model)
    first = d_model * (channels * patch_size**2 + 1) + d_model * (patches + 2)
    return first + layers + 2 * d_model + num_classes * (d_model + 1)


# %% wrong: one_more_before_squaring
# says: adds the class token to the side of the grid and squares then, so there are too many positions
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    positions = (image_size // patch_size + 1) ** 2 * d_model
    class_token = d_model
    patch_map = channels * patch_size * patch_size * d_model + d_model
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    layers = num_layers * (attention + feed_forward + norms)
    return patch_map + class_token + positions + layers + 2 * d_model + d_model * num_classes + num_classes


# %% right: list_of_shapes
# why: lists the shape of every weight, as a saved model would, and adds up the products
import math


def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    side = image_size // patch_size
    norm = [(d_model,), (d_model,)]
    shapes = [(patch_size, patch_size, channels, d_model), (d_model,), (1, d_model), (side * side + 1, d_model)]
    for _ in range(num_layers):
        shapes += norm + norm + 4 * [(d_model, d_model), (d_model,)]
        shapes += [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    shapes += norm + [(d_model, num_classes), (num_classes,)]
    return sum(math.prod(shape) for shape in shapes)


# %% right: widths_in_pairs
# why: every linear map is a pair of widths with a one added for the bias; one dot product, the result a NumPy integer
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    side = len(range(0, image_size, patch_size))
    inputs = [patch_size**2 * channels, d_model, *num_layers * [d_model, d_model, d_model, d_model, d_model, d_ff]]
    outputs = [d_model, num_classes, *num_layers * [d_model, d_model, d_model, d_model, d_ff, d_model]]
    linear = np.dot(np.array(inputs, dtype="int64") + 1, np.array(outputs, dtype="int64"))
    vectors = side**2 + 2 + 2 * (2 * num_layers + 1)
    return linear + vectors * d_model
