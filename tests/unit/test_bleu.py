"""Exercise 7.5 gives what sacrebleu gives.

The values are those of sacrebleu 2.6.0, divided by 100, which is no dependency of this project:
`BLEU(max_ngram_order=n, tokenize="none", smooth_method="none").corpus_score(candidates, [references])` of
`sacrebleu.metrics`, each sentence as its words joined by spaces.
"""

import random
from pathlib import Path

import numpy as np
import pytest

from grader.core.catalogue import read_catalogue
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE, NAME = Course(Path(__file__).parents[2]), "07_training_and_decoding"
#: For each seed of `made_up` the scores for n = 1, 2, 3 and 4.
SACREBLEU = {
    0: [0.7430382, 0.64962441, 0.5757651, 0.5036512],
    1: [0.71428571, 0.53452248, 0.44091114, 0.38260294],
    2: [0.69565217, 0.57215883, 0.47786364, 0.46503302],
    3: [0.69864338, 0.58525902, 0.48806615, 0.40019561],
    4: [0.72912833, 0.58460323, 0.34419303, 0.0],
    5: [0.60869565, 0.42311716, 0.31929065, 0.0],
    6: [0.81767258, 0.74361811, 0.65852004, 0.59208384],
    7: [0.6969697, 0.6222583, 0.52023899, 0.3970272],
}
#: The same for the corpus of `test_bleu_corpus` and the ids of `test_bleu_counts` (n = 4 alone).
CORPUS = (
    ["the cat sat on the mat", "a dog barked", "", "one two three four five"],
    ["the cat lay on the mat", "the dog barked loudly", "yes", "one two three five four"],
    [0.7430381997858698, 0.5927394310539056, 0.42384642649252036, 0.0],
)
IDS = ([3, 5, 3, 5, 3, 7, 3, 5], [3, 5, 3, 5, 3, 5, 9], 0.5721248424548516)


def made_up(seed):
    """Return made-up candidates and references of up to nine words, some candidates shorter, some longer."""
    draw = random.Random(seed)
    references = [[draw.choice("abcde") for _ in range(draw.randint(1, 9))] for _ in range(6)]
    candidates = []
    for words in references:
        kept = [word if draw.random() < 0.8 else draw.choice("abcdef") for word in words if draw.random() < 0.9]
        candidates.append(kept + [draw.choice("abc") for _ in range(draw.randint(0, seed % 3))])
    return candidates, references


def answers():
    one = next(e for e in exercises(read_notebook(COURSE.source(NAME))) if e.name == "bleu")
    known = read_catalogue(COURSE.catalogue / NAME / "bleu.py", one.functions, one.answer)
    return {"reference": one.answer, **{variant.name: variant.source for variant in known.right}}


@pytest.fixture(params=sorted(answers()))
def bleu(request):
    space = {"np": np}
    exec(answers()[request.param], space)
    return space["bleu"]


@pytest.mark.parametrize("seed", SACREBLEU)
def test_a_corpus_has_the_score_that_sacrebleu_gives_it(bleu, seed):
    got = [bleu(*made_up(seed), n) for n in (1, 2, 3, 4)]
    np.testing.assert_allclose(got, SACREBLEU[seed], rtol=0, atol=5e-9)


def test_hidden_values_are_those_of_sacrebleu(bleu):
    candidates, references, scores = CORPUS
    split = [text.split() for text in candidates], [text.split() for text in references]
    np.testing.assert_allclose([bleu(*split, n) for n in (1, 2, 3, 4)], scores, rtol=1e-12)
    np.testing.assert_allclose(bleu([IDS[0]], [IDS[1]]), IDS[2], rtol=1e-12)
