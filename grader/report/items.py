"""Item analysis: facility, discrimination, quartiles and histograms of marks.

The terms and where they come from:

- *Facility* (difficulty index, p): mean score divided by the most that can be had. Crocker and Algina, Introduction to
  Classical and Modern Test Theory, 1986.
- *Discrimination*: the corrected item-total correlation - Pearson's correlation between the score of an exercise and
  the sum of all other exercises. For an exercise that is either right or wrong it is the point-biserial correlation.
  The exercise itself is left out of the total because it would correlate with itself: Henrysson, Correction of
  item-total correlations in item analysis, Psychometrika 28, 1963, 211-218.
- Under 0.2 discrimination is called low, as in Ebel and Frisbie, Essentials of Educational Measurement, 5th edition,
  1991. When an exercise is called hard or easy is this course's own convention.

Why groups of fewer than ten get no statistics: in a small group a mean, or a count of 0 or of all, speaks of single
persons. Ten was the most common least group size in the published school statistics of the states of the USA (39
states; from 5 to 30): National Center for Education Statistics, Statistical Methods for Protecting Personally
Identifiable Information in Aggregate Reporting, SLDS Technical Brief 3, NCES 2011-603, 2010. It would not be precise
either: of ten submissions, a facility of 0.5 has a standard error of up to 0.16.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

#: Below it, statistics of a group are not shown.
MIN_CLASS = 10
LOW_DISCRIMINATION = 0.2
HARD, EASY = 0.3, 0.9


@dataclass(frozen=True)
class Spread:
    """Where the values of a group lie.

    Args:
        n: How many there are.
        mean: Their mean.
        deviation: Standard deviation of the group (divided by n - 1).
        low: 5th percentile.
        quartile1: 25th percentile.
        median: 50th percentile.
        quartile3: 75th percentile.
        high: 95th percentile.
    """

    n: int
    mean: float
    deviation: float
    low: float
    quartile1: float
    median: float
    quartile3: float
    high: float


def spread(values: np.ndarray | list[float]) -> Spread:
    """Describe a group of at least two values; percentiles are interpolated linearly.

    Args:
        values: Array `(N,)`.
    """
    values = np.asarray(values, dtype=float)
    low, first, middle, third, high = np.percentile(values, [5, 25, 50, 75, 95]).tolist()
    return Spread(len(values), float(values.mean()), float(values.std(ddof=1)), low, first, middle, third, high)


def histogram(shares: np.ndarray) -> list[int]:
    """Count shares of the points in ten classes: 0 to under 10 %, ..., 90 to 100 %.

    Args:
        shares: Array `(N,)`; what lies below 0 or above 1 is counted at the end that it is beyond.
    """
    # Rounded first: 0.7 of 10 points shall not fall under 70 % because of its last bit.
    places = np.floor(np.round(np.asarray(shares, dtype=float) * 10, 9)).astype(int)
    return np.bincount(np.clip(places, 0, 9), minlength=10).tolist()


def facility(scores: np.ndarray, most: float) -> float | None:
    """Return the mean score as a share of the most that can be had; None if nothing can be had.

    Args:
        scores: Array `(N,)`.
        most: Points of the item.
    """
    return float(np.mean(scores)) / most if most > 0 else None


def discrimination(scores: np.ndarray, rest: np.ndarray) -> float | None:
    """Return the correlation of an item with the rest; None if all have the same in either.

    Args:
        scores: Scores of the item, array `(N,)`.
        rest: Sums of the other items, array `(N,)`.
    """
    scores, rest = np.asarray(scores, dtype=float), np.asarray(rest, dtype=float)
    if np.ptp(scores) < 1e-9 or np.ptp(rest) < 1e-9:
        return None
    a, b = scores - scores.mean(), rest - rest.mean()
    return float(np.clip((a @ b) / math.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def interval(correlation: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a correlation by Fisher's transformation, which is approximate.

    Args:
        correlation: Between -1 and 1.
        n: Size of the group, more than 3.
    """
    if abs(correlation) >= 1:
        return correlation, correlation
    middle, reach = math.atanh(correlation), 1.959964 / math.sqrt(n - 3)
    return math.tanh(middle - reach), math.tanh(middle + reach)


def remark(ease: float | None, discriminates: float | None, low: float | None) -> str:
    """Describe what is remarkable about an item.

    Args:
        ease: Its facility.
        discriminates: Its discrimination.
        low: Lower end of the interval of its discrimination.
    """
    words = []
    if ease is not None and ease < HARD:
        words.append("hard")
    elif ease is not None and ease > EASY:
        words.append("easy")
    if discriminates is None:
        words.append("no discrimination: all scores alike")
    elif discriminates < 0:
        words.append("negative discrimination: read its tests")
    elif discriminates < LOW_DISCRIMINATION:
        words.append("low discrimination")
    if discriminates is not None and discriminates >= 0 and low is not None and low <= 0:
        words.append("not told from 0")
    return "; ".join(words)
