"""The Transformer that a student built, made ready to be trained, decoded and looked into."""

import keras
from helpers.translator import make_translator

#: What each use of attention is called, by whether its queries and its keys come from the source.
_USES = {
    (True, True): "encoder self-attention",
    (False, False): "decoder self-attention",
    (False, True): "cross-attention",
}


class AttentionAndWeights(keras.layers.Layer):
    """An attention of Keras that hands out its weights too, wherever it stands in the graph of a model."""

    def __init__(self, attention, **options):
        super().__init__(**options)
        self.attention, self.built = attention, True

    def call(self, query, value, key=None, attention_mask=None, use_causal_mask=False, training=None):
        """Return what the attention computes, `(B, T, D)`, and its weights, `(B, H, T, S)`."""
        options = {"attention_mask": attention_mask, "use_causal_mask": use_causal_mask, "training": training}
        return self.attention(query, value, key, **options, return_attention_scores=True)

    def get_config(self):
        """Return what the layer was made with."""
        return {**super().get_config(), "attention": keras.layers.serialize(self.attention)}

    @classmethod
    def from_config(cls, config):
        """Return a layer with an attention of the same configuration, and new weights."""
        return cls(**{**config, "attention": keras.layers.deserialize(config["attention"])})


def _with_maps(built, source_length, target_length, expected):
    """Return a model of fixed lengths and one of its attention weights, both with the layers of `built`.

    Raises:
        ValueError: If `built` is no functional model with `expected` layers of attention in its graph.
    """
    maps = {use: [] for use in _USES.values()}

    def call(layer, *args, **options):
        if not isinstance(layer, keras.layers.MultiHeadAttention):
            return layer(*args, **options)
        output, weights = AttentionAndWeights(layer)(*args, **options)
        rows, columns = weights.shape[2:]
        maps[_USES[rows == source_length, columns == source_length]].append(weights)
        return output

    inputs = [keras.Input((length,), dtype="int32") for length in (source_length, target_length)]
    model = keras.models.clone_model(built, inputs, clone_function=lambda layer: layer, call_function=call)
    if [len(layers) for layers in maps.values()] != [expected] * len(maps):
        raise ValueError(f"{expected} layers of each attention expected")
    return model, keras.Model(model.inputs, maps)


def make_own_translator(own, config, source_length, target_length):
    """Build the student's Transformer for sentences of fixed length, or the course's own.

    Args:
        own: What `yours(build_transformer, model_logits)` returns: a pair of functions, or None for the course's model.
        config: As in exercise 6.5; `source_length` and `target_length` must differ.
        source_length: Ids in a source, S.
        target_length: Ids that the decoder reads, T.

    Returns:
        `(model, maps)`: from `[source ids (B, S), decoder input (B, T)]` to logits `(B, T, vocab_size)`, and with the
        same layers to a dict of weights, each a list of `(B, H, T, S)`, one for each layer.
    """
    if own is not None:
        try:
            return _with_maps(own[0](dict(config)), source_length, target_length, config["num_layers"])
        except Exception as error:  # a model of another kind, whose attention nobody can find
            print(f"[build_transformer: ours, because the weights of attention cannot be read from yours: {error}]")
    sizes = {"width": config["d_model"], "num_heads": config["num_heads"], "depth": config["num_layers"]}
    words = config["source_vocab_size"], config["target_vocab_size"]
    return make_translator(*words, source_length, target_length, d_ff=config["d_ff"], **sizes)
