"""A test whether actions were drawn with the logged probabilities. It is valid at all times.

Let S be a set of actions that is fixed before the draw, q its logged probability, and X = 1 if the drawn action is in
S. If the log is right, exp(θ·X) / (1 + q·(exp(θ) − 1)) has the mean 1 in each round, whatever happened before. So the
product over rounds is a martingale for each θ, and so is a mixture of such products over sets and θ, which starts at 1.
By Ville's inequality it ever exceeds 20 with a probability of at most 1/20.

The sets are: the action with the highest logged probability, which shows if another model has drawn; the actions whose
probabilities lie in a range; and each single action. These three kinds have equal weight in the mixture. Within the
last kind, the i-th action on offer has the weight 1/(i·(i + 1)), so the number of actions need not be known.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from warmcb.logs.health_drawn import Drawn

ALARM = 20.0
"""The e-value above which the log is called wrong. The probability of a false alarm, at any time, is at most 1/20."""

EDGES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 1.0)
"""The ranges of probabilities that are tested."""

_STEPS = 0.05 * 2.0 ** np.arange(7)
_THETAS = np.concatenate([-_STEPS[::-1], _STEPS])
_ODDS = np.expm1(_THETAS)


class Compared(NamedTuple):
    """A set of actions: the number of draws, and the expected number.

    Attributes:
        what: a description of the set.
        drawn: the number of draws of its actions.
        expected: the expected number of draws, which is the sum of the logged probabilities.
        trials: the number of decisions in which one of its actions was on offer.
        evalue: the e-value of the test for this set alone. If it is far above 1, the log is probably wrong.

    """

    what: str
    drawn: float
    expected: float
    trials: float
    evalue: float


class _Sets:
    """Sets of one kind, each with its counts and a martingale for each θ."""

    def __init__(self) -> None:
        self.drawn = np.zeros(0)
        self.expected = np.zeros(0)
        self.trials = np.zeros(0)
        self._norms = np.zeros((0, len(_THETAS)))

    def add(self, codes: NDArray[np.int64], probabilities: NDArray[np.float64], drawn: NDArray[np.int64]) -> None:
        """Add the sets on offer with their probabilities, and the sets of the drawn actions."""
        size = max(len(self.drawn), int(codes.max(initial=-1)) + 1)
        grown = size - len(self.drawn)
        self.drawn = np.pad(self.drawn, (0, grown)) + np.bincount(drawn, minlength=size)
        self.expected = np.pad(self.expected, (0, grown)) + np.bincount(codes, probabilities, minlength=size)
        self.trials = np.pad(self.trials, (0, grown)) + np.bincount(codes, minlength=size)
        self._norms = np.pad(self._norms, ((0, grown), (0, 0)))
        for place, odds in enumerate(_ODDS):
            self._norms[:, place] += np.bincount(codes, np.log1p(probabilities * odds), minlength=size)

    def logs(self) -> NDArray[np.float64]:
        """The logarithm of the e-value of each set."""
        return np.asarray(logsumexp(np.outer(self.drawn, _THETAS) - self._norms, axis=1) - np.log(len(_THETAS)))


class Frequencies:
    """The test, updated round by round."""

    def __init__(self) -> None:
        self._likeliest, self._ranges, self._actions = _Sets(), _Sets(), _Sets()
        self.highest = 0.0
        """The logarithm of the highest e-value so far."""

    def add(self, drawn: Drawn) -> None:
        """Add decisions, and update the highest e-value."""
        probabilities = drawn.probabilities
        highest = np.maximum.reduceat(probabilities, drawn.starts)
        is_highest = np.flatnonzero(probabilities == highest[drawn.rows])
        likeliest = is_highest[np.unique(drawn.rows[is_highest], return_index=True)[1]]
        zeros = np.zeros(len(drawn), np.int64)
        self._likeliest.add(zeros, np.minimum(highest, 1.0), zeros[drawn.chosen == likeliest])
        ranges = np.searchsorted(EDGES, probabilities, side="right") - 1
        ranges = np.minimum(ranges, len(EDGES) - 2)
        self._ranges.add(*_summed(drawn.rows, ranges, probabilities), ranges[drawn.chosen])
        self._actions.add(drawn.codes, probabilities, drawn.codes[drawn.chosen])
        self.highest = max(self.highest, self.log_evalue())

    def log_evalue(self) -> float:
        """The logarithm of the present e-value of the whole mixture."""
        actions = self._actions.logs()
        places = 1.0 + np.arange(len(actions))
        weights = np.append(1 / (places * (places + 1)), 1 / (1 + len(actions)))  # the last one is for future actions
        n_ranges = len(EDGES) - 1
        ranges = self._ranges.logs()
        unseen = np.full(n_ranges - len(ranges), 0.0)  # the e-value of a set that was never on offer is 1
        parts = [
            logsumexp(self._likeliest.logs()),
            logsumexp(np.concatenate([ranges, unseen])) - np.log(n_ranges),
            logsumexp(np.append(actions, 0.0), b=weights),
        ]
        return float(logsumexp(parts) - np.log(3))

    def by_range(self) -> list[Compared]:
        """The draws of each range of probabilities."""
        words = [f"actions with a probability from {low:g} to {high:g}" for low, high in pairwise(EDGES)]
        return _compared(self._ranges, words)

    def by_action(self, names: list[str]) -> list[Compared]:
        """The draws of each action."""
        return _compared(self._actions, names)

    def worst(self, names: list[str]) -> Compared:
        """The set with the highest e-value."""
        likeliest = _compared(self._likeliest, ["the likeliest action"])
        return max(likeliest + self.by_range() + self.by_action(names), key=lambda one: one.evalue)


def _summed(
    rows: NDArray[np.int64], sets: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each set of each round once, with the sum of its probabilities."""
    n_sets = len(EDGES) - 1
    sums = np.bincount(rows * n_sets + sets, probabilities)
    there = np.flatnonzero(sums)
    return there % n_sets, np.minimum(sums[there], 1.0)


def _compared(sets: _Sets, words: list[str]) -> list[Compared]:
    with np.errstate(over="ignore"):
        evalues = np.exp(sets.logs())
    columns = (sets.drawn, sets.expected, sets.trials, evalues)
    counts = zip(*(column.tolist() for column in columns), strict=True)
    return [Compared(word, *numbers) for word, numbers in zip(words, counts, strict=False)]
