"""A small Vision Transformer that is fed with patches, and a convolutional network with as many weights."""

import keras
import numpy as np
from helpers.scenes import COLOURS, GRID, PATCH, SIDE

VIT = {"image_size": SIDE, "patch_size": PATCH, "channels": 3, "num_layers": 3, "d_model": 32, "d_ff": 64,
       "num_classes": len(COLOURS)}  # fmt: skip
HEADS = 2
UPDATES, VIT_RATE, CONV_RATE = 400, 2e-3, 5e-3  # of each training, and its highest learning rate


class Tokens(keras.layers.Layer):
    """Puts a learned class token before the tokens `(B, N, D)` and adds a learned position to each.

    Args:
        positions: Whether to add positions.
    """

    def __init__(self, positions=True, **options):
        super().__init__(**options)
        self.with_positions = positions

    def build(self, shape):
        """Make the class token and one position for it and for each token."""
        small = {"initializer": "random_normal"}
        self.class_token = self.add_weight(shape=(1, shape[2]), name="class_token", **small)
        if self.with_positions:
            self.table = self.add_weight(shape=(shape[1] + 1, shape[2]), name="positions", **small)

    def call(self, x):
        """Return `(B, N + 1, D)`, the class token first."""
        ops = keras.ops
        token = ops.broadcast_to(self.class_token[None], (ops.shape(x)[0], 1, x.shape[2]))
        x = ops.concatenate([token, x], axis=1)
        return x + self.table if self.with_positions else x


def start_vision(seed):
    """Seed everything and let Keras number its layers from the start, so that a second training repeats the first."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)


def as_patches(images, cut=None):
    """Return the lesson's pictures as patches `(N, T, 48)` of 4 x 4 pixels in three colours, float32.

    Args:
        images: `(N, side, side, 3)`.
        cut: A student's function of the pictures and the size of a patch; with None Keras cuts.
    """
    if cut is not None:
        return np.asarray(cut(images, PATCH), dtype="float32")
    cells = np.asarray(keras.ops.image.extract_patches(images, 4))
    return cells.reshape(len(images), -1, 48)


def build_vit(tokens=GRID * GRID, positions=True, sizes=VIT):
    """Build a Vision Transformer with pre-norm layers.

    Returns:
        `(model, look)`: `model(patches)` returns logits `(B, num_classes)`; `look(patches)` the logits and after them
        the attention of each layer, `(B, H, T, T)`, where token 0 is the class token.
    """
    layers, width = keras.layers, sizes["d_model"]
    patches = keras.Input((tokens, sizes["patch_size"] ** 2 * sizes["channels"]))
    x = Tokens(positions, name="tokens")(layers.Dense(width, name="patches")(patches))
    maps = []
    for number in range(sizes["num_layers"]):
        y = layers.LayerNormalization(epsilon=1e-6, name=f"norm_a{number}")(x)
        attention = layers.MultiHeadAttention(HEADS, width // HEADS, name=f"attention{number}")
        y, weights = attention(y, y, return_attention_scores=True)
        maps.append(weights)
        x = x + y
        y = layers.LayerNormalization(epsilon=1e-6, name=f"norm_b{number}")(x)
        y = layers.Dense(sizes["d_ff"], activation="gelu", name=f"hidden{number}")(y)
        x = x + layers.Dense(width, name=f"output{number}")(y)
    x = layers.LayerNormalization(epsilon=1e-6, name="last_norm")(x)
    logits = layers.Dense(sizes["num_classes"], name="head")(x[:, 0])
    return keras.Model(patches, logits), keras.Model(patches, [logits, *maps])


def build_convnet(widths=(24, 40, 52)):
    """Build a convolutional network from pictures to logits; each layer halves the sides, and the maximum is pooled."""
    layers = keras.layers
    images = x = keras.Input((SIDE, SIDE, 3))
    for width in widths:
        x = layers.Conv2D(width, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(images, layers.Dense(len(COLOURS))(layers.GlobalMaxPooling2D()(x)))


def train_classifier(model, inputs, labels, rate, updates=UPDATES, batch_size=64):
    """Train for a number of updates, whatever the size of the training set; return the last epoch's loss."""
    epochs = max(1, round(updates * batch_size / len(inputs)))
    steps = epochs * -(-len(inputs) // batch_size)
    warm_up = max(1, steps // 10)
    schedule = keras.optimizers.schedules.CosineDecay(0.0, steps - warm_up, 0.01, "cosine", rate, warm_up)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(schedule, clipnorm=1.0), loss)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    return model.fit(inputs, labels, batch_size, epochs, verbose=0).history["loss"][-1]


def accuracy(model, inputs, labels):
    """Return the share of pictures whose largest logit is that of their label."""
    return float(np.mean(model.predict(inputs, verbose=0).argmax(axis=-1) == labels))
