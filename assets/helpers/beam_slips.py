"""What beam searches with the usual mistakes find, to hold an answer of notebook 7 against."""

import numpy as np


def hashed_model(seed):
    """Make a model of four ids whose probabilities depend on all ids so far."""

    def next_log_probs(tokens):
        n = seed
        for token in tokens:
            n = (31 * n + 17 * int(token) + 7) % 1009
        shares = 1 + n * np.array([3, 5, 7, 11]) % 97
        return np.log(shares / shares.sum())

    return next_log_probs


#: Seed of a model, beam size, steps and alpha; the start id is 0, the end id 1.
BEAM_CASES = (
    (23, 2, 4, 1.0),
    (8, 2, 4, 6.0),
    (26, 2, 4, 6.0),
    (37, 2, 4, 6.0),
    (18, 3, 3, 1.0),
    (11, 2, 4, 6.0),
    (50, 3, 3, 1.0),
    (32, 2, 5, 2.0),
)
#: How many ids a search with each mistake returns in these cases, and their score.
BEAM_SLIPS = {
    "the smallest sums are kept: sort in the other direction":
        [(4, -5.16238), (3, -0.67032), (4, -0.858886), (3, -0.83638), (3, -4.58504),
         (4, -0.704439), (3, -4.96105), (1, -4.11912)],
    "the end id is kept; leave it out":
        [(4, -2.47925), (3, -0.459338), (2, -0.724033), (4, -0.392453), (2, -1.37714),
         (4, -0.355603), (2, -1.36577), (1, -1.27866)],
    "the end id's log probability is missing from the score":
        [(4, -2.47925), (2, -0.322584), (1, -0.41932), (4, -0.392453), (1, -0.547783),
         (4, -0.355603), (1, -0.598722), (0, 0.0)],
    "it went on after the end id: an ended hypothesis only keeps its place":
        [(4, -2.47925), (3, -0.310089), (2, -0.292419), (4, -0.359665), (2, -1.90153),
         (1, -0.327369), (1, -1.81153), (5, -1.49981)],
    "as many others as before go on: an ended hypothesis takes up a place in the beam":
        [(4, -2.47925), (3, -0.317014), (4, -0.363915), (4, -0.384655), (1, -1.37714),
         (3, -0.326268), (1, -1.36577), (0, -1.27866)],
    "an ended hypothesis is set aside, which frees its place: it should keep its place in the beam":
        [(4, -2.47925), (4, -0.350267), (4, -0.363915), (4, -0.359665), (1, -1.37714),
         (3, -0.326268), (1, -1.36577), (0, -1.27866)],
    "an ended hypothesis is lost: it keeps its place in the beam until better ones push it out":
        [(4, -2.47925), (4, -0.350267), (4, -0.363915), (4, -0.359665), (3, -2.06088),
         (3, -0.326268), (3, -2.08744), (5, -1.49981)],
    "the first ended hypothesis wins too soon: all compete after the last step":
        [(4, -2.47925), (1, -0.679402), (0, -0.758388), (0, -1.37021), (0, -2.40486),
         (0, -0.894312), (0, -2.01223), (0, -1.27866)],
    "it stops too soon, when enough have ended, in the beam or not: all compete after the last step":
        [(2, -1.32547), (1, -0.679402), (1, -0.724033), (2, -0.861373), (1, -1.37714),
         (2, -0.889413), (1, -1.36577), (2, -1.14517)],
    "yours is the mean of the log probabilities; with alpha=0 the score is their sum":
        [(4, -0.619813), (2, -0.153113), (1, -0.362016), (4, -0.0981133), (3, -0.686959),
         (4, -0.0889008), (1, -0.682884), (5, -0.299963)],
    "unfinished hypotheses are lost: all compete after the last step":
        [(0, -np.inf), (2, -0.459338), (1, -0.724033), (0, -1.37021), (1, -1.37714),
         (0, -0.894312), (1, -1.36577), (0, -1.27866)],
    "beam_size has no influence: keep several hypotheses":
        [(4, -2.47925), (2, -0.459338), (0, -0.758388), (4, -0.392453), (1, -1.37714),
         (0, -0.894312), (1, -1.36577), (5, -1.49981)],
    "yours prunes by score: the penalty affects only the final choice":
        [(4, -2.47925), (4, -0.350267), (1, -0.724033), (4, -0.359665), (1, -1.37714),
         (4, -0.355603), (1, -1.36577), (5, -1.49981)],
    "the penalty is ignored":
        [(4, -3.71888), (1, -1.7132), (0, -0.758388), (0, -1.37021), (1, -1.60666),
         (0, -0.894312), (1, -1.5934), (0, -1.27866)],
    "the largest raw sum wins: the final choice compares sums divided by the penalty":
        [(4, -2.47925), (1, -0.679402), (0, -0.758388), (0, -1.37021), (1, -1.37714),
         (0, -0.894312), (1, -1.36577), (0, -1.27866)],
    "the sum is returned undivided: the score is the sum divided by the penalty":
        [(4, -3.71888), (2, -2.58086), (1, -1.82574), (4, -4.47029), (1, -1.60666),
         (4, -4.05054), (1, -1.5934), (0, -1.27866)],
    "you multiply by the penalty; divide the sum by it":
        [(4, -5.57831), (1, -4.32004), (0, -0.758388), (0, -1.37021), (1, -1.87444),
         (0, -0.894312), (1, -1.85896), (0, -1.27866)],
    "the penalty is a power of n itself: it is ((5 + n) / 6) ** alpha":
        [(4, -0.929719), (2, -0.00354028), (1, -0.0285272), (4, -0.00109138), (1, -0.803332),
         (4, -0.000988902), (1, -0.796698), (5, -0.166646)],
    "alpha multiplies the penalty: it is the power, ((5 + n) / 6) ** alpha":
        [(4, -2.47925), (1, -0.244742), (0, -0.126398), (0, -0.228368), (1, -1.37714),
         (0, -0.149052), (1, -1.36577), (0, -0.639332)],
    "n counts the end id as well":
        [(4, -2.47925), (2, -1.02349), (1, -1.82574), (4, -0.392453), (1, -1.60666),
         (4, -0.355603), (1, -1.5934), (5, -1.49981)],
    "n leaves the start id out":
        [(4, -2.23133), (2, -0.226578), (0, -0.300753), (4, -0.208566), (1, -1.205),
         (4, -0.188982), (1, -1.19505), (0, -0.939426)],
    "max_length counts steps; yours makes one less":
        [(3, -2.16818), (2, -0.459338), (1, -0.724033), (3, -0.56297), (1, -1.37714),
         (3, -0.578792), (1, -1.36577), (0, -1.27866)],
    "max_length counts steps; yours makes one more":
        [(5, -2.76143), (2, -0.459338), (1, -0.724033), (4, -0.247383), (1, -1.37714),
         (5, -0.231252), (1, -1.36577), (0, -1.27866)],
}  # fmt: skip
