"""A search asks a trained translator: one sentence, the words so far, the log probabilities of the next one."""

import numpy as np
from helpers.next_words import next_log_probs_for


class Model:
    """Logits that name the position and the word that was read there."""

    output_shape = (None, 4, 6)

    def __init__(self):
        self.calls = 0

    def predict_on_batch(self, inputs):
        self.calls += 1
        source, read = inputs
        assert source.shape == (1, 3)
        assert read.shape == (1, 4)
        logits = np.zeros((1, 4, 6))
        for place, word in enumerate(read[0]):
            logits[0, place, (word + place) % 6] = 5.0
        return logits


def test_it_answers_for_the_last_word_with_probabilities():
    ask = next_log_probs_for(Model(), np.array([3, 4, 5]))
    for tokens, best in (([1], 1), ([1, 3], 4), ([1, 3, 5, 4], 1)):
        got = ask(tokens)
        assert got.shape == (6,)
        assert got.argmax() == best
        np.testing.assert_allclose(np.exp(got).sum(), 1)


def test_it_asks_once_and_keeps_its_memory_to_itself():
    model = Model()
    ask = next_log_probs_for(model, np.array([3, 4, 5]))
    first = ask([1, np.int64(3)])
    first[:] = 0
    assert ask([1, 3]).max() < 0
    assert model.calls == 1
