"""A small model that reads giver and receiver off the verb, and its attention computed by the student's function."""

import keras
import numpy as np
from helpers.diagrams_multi_head import show_head_rows
from helpers.layer_uses import matrices_of
from helpers.role_sentences import NAMES, ROLE_WORDS, SENTENCE_LENGTH, VERB_POSITION, encode_role_sentence
from helpers.tables import to_width


def build_reader(num_heads, width=24, keys="words", hidden=0):
    """Build words plus positions, one attention layer, and a linear map for each role at the verb.

    Args:
        num_heads: Number of heads; each has the width `width / num_heads`.
        width: Width D of the word vectors.
        keys: `"words"` for self-attention, or `"positions"` if the keys may know where a word is, but not which.
        hidden: Units of a hidden layer with ReLU between the attention and the two maps; 0 for none.

    Returns:
        A model from ids `(B, 5)` to two arrays of logits, for the giver and for the receiver.
    """
    layers, ops = keras.layers, keras.ops
    normal = keras.initializers.RandomNormal(stddev=1.0)
    ids = keras.Input((SENTENCE_LENGTH,), dtype="int32")
    places = layers.Embedding(SENTENCE_LENGTH, width, embeddings_initializer=normal, name="positions")
    words = layers.Embedding(len(ROLE_WORDS), width, embeddings_initializer=normal, name="words")(ids)
    x = words + places(ops.zeros_like(ids) + ops.arange(SENTENCE_LENGTH))  # (B, T, D); from the ids, so it is trained
    key = x if keys == "words" else x - words
    y = layers.MultiHeadAttention(num_heads, width // num_heads, name="attention")(x, x, key)[:, VERB_POSITION]
    y = layers.Dense(hidden, activation="relu")(y) if hidden else y
    return keras.Model(ids, [layers.Dense(len(NAMES), name=role)(y) for role in ("giver", "receiver")])


def train_reader(num_heads, sentences, seed=0, epochs=12, **options):
    """Build a reader and train it.

    Args:
        num_heads: Number of heads.
        sentences: What `make_role_sentences` returns.
        seed: Seed of the weights and of the batches.
        epochs: How often the sentences are seen.
        **options: Passed to `build_reader`.

    Returns:
        The trained model.
    """
    keras.utils.clear_session()  # layers are named from the start, so a second training repeats the first
    keras.utils.set_random_seed(seed)
    model = build_reader(num_heads, **options)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-2), loss, steps_per_execution=24, jit_compile=False)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    model.fit(sentences[0], list(sentences[1:]), epochs=epochs, batch_size=128, verbose=0)
    return model


def role_accuracy(answers, giver, receiver):
    """Return the accuracy for giver, for receiver and for both, from two arrays of names or of logits."""
    named = [np.asarray(a).argmax(axis=-1) if np.ndim(a) == 2 else np.asarray(a) for a in answers]
    right = [a == b for a, b in zip(named, (giver, receiver), strict=True)]
    return [float(r.mean()) for r in (*right, right[0] & right[1])]


def read_roles(model, ids, attend=None, off=None):
    """Name giver and receiver with the arrays of a trained reader, step by step.

    Args:
        model: A reader with linear maps after the attention.
        ids: Sentences `(N, 5)`.
        attend: The student's `multi_head_attention`; None lets a Keras layer attend.
        off: The head that is switched off, from 0; None for none.

    Returns:
        `(giver, receiver, maps)`: names `(N,)` twice, as numbers, and the weights of attention `(N, H, T, T)`.
    """
    layer = model.get_layer("attention")
    num_heads, arrays = layer.num_heads, [w.copy() for w in layer.get_weights()]
    if off is not None:
        arrays[6][off] = 0.0  # the kernel of W_O is (H, K, D): the rows of this head
    x = model.get_layer("words").get_weights()[0][ids] + model.get_layer("positions").get_weights()[0]
    if attend is None:
        fresh = keras.layers.MultiHeadAttention(num_heads, arrays[0].shape[2])
        fresh.build(x.shape, x.shape)
        fresh.set_weights(arrays)
        output, maps = fresh(x, x, return_attention_scores=True)
    else:
        output, maps = attend(x, x, x, matrices_of(arrays), num_heads)
    verb = np.asarray(output)[:, VERB_POSITION]
    maps_to_names = [model.get_layer(role).get_weights() for role in ("giver", "receiver")]
    return *((verb @ kernel + bias).argmax(axis=-1) for kernel, bias in maps_to_names), np.asarray(maps)


def show_agreement(model, sentences, attend=None):
    """Print the accuracy of the answers computed step by step, and how many differ from the model's own."""
    ids, *roles = sentences
    mine, own = read_roles(model, ids, attend)[:2], model(ids)
    different = sum(int((a != np.asarray(b).argmax(axis=-1)).sum()) for a, b in zip(mine, own, strict=True))
    giver, receiver, both = role_accuracy(mine, *roles)
    print(f"giver {giver:.2f}, receiver {receiver:.2f}, both {both:.2f}")
    print(f"answers that differ from those of the Keras model: {different} of {2 * len(ids):,}")


def switch_off(model, sentences, attend=None):
    """Print the accuracy with all heads and without each of them; return it as a dict from label to three shares."""
    ids, *roles = sentences
    found = {}
    print(f"{'':16}giver  receiver  both")
    for off in (None, *range(model.get_layer("attention").num_heads)):
        label = "all heads" if off is None else f"without head {off + 1}"
        found[label] = role_accuracy(read_roles(model, ids, attend, off)[:2], *roles)
        giver, receiver, both = found[label]
        print(f"{to_width(label, 15)} {giver:5.2f} {receiver:9.2f} {both:5.2f}")
    return found


def mean_weight_on_roles(maps, sentences):
    """Print and return the mean weights that the verb gives to giver and receiver, a row `(2,)` for each head.

    Args:
        maps: Weights of attention `(N, H, T, T)`.
        sentences: What `make_role_sentences` returned.
    """
    ids, *roles = sentences
    rows, each = maps[:, :, VERB_POSITION], np.arange(len(ids))
    means = np.zeros((maps.shape[1], 2))
    for h in range(len(means)):
        places = [(ids == names[:, None]).argmax(axis=1) for names in roles]  # names have the first ids
        giver, receiver = means[h] = [rows[each, h, place].mean() for place in places]
        print(f"head {h + 1}: mean weight on the giver {giver:.2f}, on the receiver {receiver:.2f}")
    return means


def show_verb_rows(readers, sentences, attend=None):
    """Draw where the verb looks, for each head of each reader; one panel a sentence.

    Args:
        readers: Dict from label to reader.
        sentences: Texts of five words.
        attend: The student's `multi_head_attention`; None lets a Keras layer attend.
    """
    words = [text.split() for text in sentences]
    ids = np.stack([encode_role_sentence(sentence) for sentence in words])
    panels = [{} for _ in words]
    for label, model in readers.items():
        maps = read_roles(model, ids, attend)[2]  # (N, H, T, T)
        for panel, heads in zip(panels, maps, strict=True):
            names = [f"{label}: head {h + 1}" if len(heads) > 1 else label for h in range(len(heads))]
            panel |= dict(zip(names, heads[:, VERB_POSITION], strict=True))
    show_head_rows(panels, words, "Where the verb looks")
