# %% wrong: class_token_forgotten
# says: The class token itself is missing: d_model learned numbers.
# self-check: class token
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: no_position_for_the_class_token
# says: The class token has a position too: one more than there are patches.
# self-check: class token
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + n * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: no_last_norm
# says: The last norm, before the head, is missing.
# self-check: last norm
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 0 + d_model * num_classes + num_classes

# %% wrong: no_patch_bias
# says: The projection of the patches has a bias.
# self-check: bias of the patch
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: no_attention_biases
# says: Query, key, value and output each have a bias.
# self-check: each have a bias
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * d_model**2 + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: norm_of_one_vector
# says: A norm has two vectors, gamma and beta.
# self-check: gamma and beta
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 2 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + d_model + d_model * num_classes + num_classes

# %% wrong: no_output_matrix
# says: The output matrix of the attention is missing.
# self-check: output matrix
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 3 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: no_positions
# says: The positions are learned, one for each token.
# self-check: positions are missing
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: feed_forward_without_biases
# says: The feed-forward has two biases, of d_ff and of d_model numbers.
# self-check: two biases
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: channels_forgotten
# says: A patch has patch_size ** 2 * channels numbers.
# self-check: channels numbers
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: patches_of_one_row
# says: You counted the patches of one row. Square that number.
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = image_size // patch_size
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: one_norm_in_a_layer
# says: A layer has two norms, one before the attention and one before the feed-forward.
# self-check: two norms
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 2 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: no_head_bias
# says: The head has a bias.
# self-check: head has a bias
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes

# %% wrong: two_biases_of_the_hidden_width
# says: You gave both maps of the feed-forward a bias of d_ff numbers. The second one ends in d_model numbers.
# self-check: not d_ff
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + 2 * d_ff + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: head_on_all_tokens
# says: Your head reads all tokens side by side. It reads the class token alone: d_model by num_classes, and a bias.
# self-check: not all tokens
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + (n + 1) * d_model * num_classes + num_classes

# %% wrong: norm_of_two_numbers
# says: You counted two numbers for a norm. Its two vectors have d_model numbers each.
# self-check: yours have one
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 + d_model * num_classes + num_classes

# %% wrong: hidden_width_of_four_times
# says: You took four times d_model for the hidden width, as in the published models. It is d_ff.
# self-check: four times
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size) ** 2
    d_ff = 4 * d_model
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: class_token_before_squaring
# says: You added the class token to the patches along a side and squared then. Square first; the class token is one position more.
# self-check: after that
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size // patch_size + 1) ** 2 - 1
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% wrong: a_float
# says: You returned a float. `/` makes one of whole numbers; `//` divides them and stays with whole numbers.
# self-check: float
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    n = (image_size / patch_size) ** 2
    layer = 4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model
    return patch_size**2 * channels * d_model + d_model + d_model + (n + 1) * d_model + num_layers * layer + 2 * d_model + d_model * num_classes + num_classes

# %% right: list_of_shapes
# why: every array of the model listed, sizes added up
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    tokens = (image_size // patch_size) ** 2 + 1
    linear = [(d_model, d_model), (d_model,)]
    layer = 4 * linear + 4 * [(d_model,)] + [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    once = [(patch_size, patch_size, channels, d_model), (d_model,), (1, d_model), (tokens, d_model)]
    once += [(d_model,), (d_model,), (d_model, num_classes), (num_classes,)]
    return int(sum(int(np.prod(shape)) for shape in once + num_layers * layer))

# %% right: closed_formula
# why: one formula
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    side = image_size // patch_size
    layer = 4 * d_model**2 + 2 * d_model * d_ff + 9 * d_model + d_ff
    return d_model * (patch_size**2 * channels + side * side + 5) + num_layers * layer + (d_model + 1) * num_classes

# %% right: numpy_integer
# why: a NumPy integer counts as well
def vit_parameter_count(image_size, patch_size, channels, num_layers, d_model, d_ff, num_classes):
    widths = np.array([d_model, d_model, d_model, d_model], dtype="int64")
    layer = (widths * (d_model + 1)).sum() + (d_model + 1) * d_ff + (d_ff + 1) * d_model + 2 * 2 * d_model
    projection = (patch_size * patch_size * channels + 1) * d_model
    return projection + np.int64((image_size // patch_size) ** 2 + 2) * d_model + num_layers * layer + 2 * d_model + (
        d_model + 1) * num_classes
