"""A trained translator as the function that a search asks for the next word."""

import numpy as np


def next_log_probs_for(model, source):
    """Return the function that `beam_search` asks about one source sentence.

    Args:
        model: From `[source ids (B, S), decoder input (B, T)]` to logits `(B, T, vocab_size)`.
        source: Ids of the sentence, `(S,)`.

    Returns:
        Function from a list of at most T ids, the start mark first, to log probabilities `(vocab_size,)`.
    """
    known = {}

    def ask(tokens):
        asked = tuple(int(t) for t in tokens)
        if asked not in known:
            read = np.zeros((1, model.output_shape[1]), dtype=int)
            read[0, : len(asked)] = asked
            logits = model.predict_on_batch([source[None], read])[0, len(asked) - 1].astype(float)
            logits -= logits.max()
            known[asked] = logits - np.log(np.exp(logits).sum())
        return known[asked].copy()

    return ask
