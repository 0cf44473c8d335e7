"""Were actions drawn with the probabilities that were logged? A test that may be looked at whenever one likes.

Let S be a set of actions that is fixed before the draw, q its probability by the log, and X = 1 if the action was drawn
from S. If the log is right, exp(θ·X) / (1 + q·(exp(θ) − 1)) has the mean 1 in each round, whatever happened before, so
that the product over rounds is a martingale for each θ. So is a mixture of such products over sets and over θ, which
begins at 1. By Ville's inequality it ever exceeds 20 with a probability of at most 1/20.

The sets are: the action that is likeliest by the log, which tells when another model has drawn; actions whose
probabilities lie in some range; each action. These three share the weight of the mixture equally. The weight of the
i-th action that was on offer is 1/(i·(i + 1)) of the last share: no number of actions must be known.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from warmcb.logs.health_drawn import Drawn

ALARM = 20.0
"""The e-value at which the log is wrong, with an error of at most 1 in 20 over all times."""

EDGES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.8, 1.0)
"""The ranges of probabilities that are tested by themselves."""

_STEPS = 0.05 * 2.0 ** np.arange(7)
_THETAS = np.concatenate([-_STEPS[::-1], _STEPS])
_ODDS = np.expm1(_THETAS)


class Compared(NamedTuple):
    """A set of actions: how often it was drawn, and how often it should have been.

    Attributes:
        what: the set, in words.
        drawn: how often one of it was drawn.
        expected: the sum of its logged probabilities.
        trials: how often an action of it was on offer.
        evalue: of the test for this set alone; far above 1 speaks against the log.

    """

    what: str
    drawn: float
    expected: float
    trials: float
    evalue: float


class _Sets:
    """Sets of one kind, each with its counts and its martingale for each θ."""

    def __init__(self) -> None:
        self.drawn = np.zeros(0)
        self.expected = np.zeros(0)
        self.trials = np.zeros(0)
        self._norms = np.zeros((0, len(_THETAS)))

    def add(self, codes: NDArray[np.int64], probabilities: NDArray[np.float64], drawn: NDArray[np.int64]) -> None:
        """The sets that were there with their probabilities, and those that were drawn from."""
        size = max(len(self.drawn), int(codes.max(initial=-1)) + 1)
        grown = size - len(self.drawn)
        self.drawn = np.pad(self.drawn, (0, grown)) + np.bincount(drawn, minlength=size)
        self.expected = np.pad(self.expected, (0, grown)) + np.bincount(codes, probabilities, minlength=size)
        self.trials = np.pad(self.trials, (0, grown)) + np.bincount(codes, minlength=size)
        self._norms = np.pad(self._norms, ((0, grown), (0, 0)))
        for place, odds in enumerate(_ODDS):
            self._norms[:, place] += np.bincount(codes, np.log1p(probabilities * odds), minlength=size)

    def logs(self) -> NDArray[np.float64]:
        """The logarithm of each set's e-value."""
        return np.asarray(logsumexp(np.outer(self.drawn, _THETAS) - self._norms, axis=1) - np.log(len(_THETAS)))


class Frequencies:
    """The test, round by round."""

    def __init__(self) -> None:
        self._likeliest, self._ranges, self._actions = _Sets(), _Sets(), _Sets()
        self.highest = 0.0
        """The logarithm of the highest e-value at any look."""

    def add(self, drawn: Drawn) -> None:
        """Take decisions in, and look at the test once."""
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
        """The logarithm of the e-value of the whole mixture, now."""
        actions = self._actions.logs()
        places = 1.0 + np.arange(len(actions))
        weights = np.append(1 / (places * (places + 1)), 1 / (1 + len(actions)))  # the last: of those yet to come
        n_ranges = len(EDGES) - 1
        ranges = self._ranges.logs()
        unseen = np.full(n_ranges - len(ranges), 0.0)  # a set that was never there still has its 1
        parts = [
            logsumexp(self._likeliest.logs()),
            logsumexp(np.concatenate([ranges, unseen])) - np.log(n_ranges),
            logsumexp(np.append(actions, 0.0), b=weights),
        ]
        return float(logsumexp(parts) - np.log(3))

    def by_range(self) -> list[Compared]:
        """The ranges of probabilities that there were."""
        words = [f"actions with a probability from {low:g} to {high:g}" for low, high in pairwise(EDGES)]
        return _compared(self._ranges, words)

    def by_action(self, names: list[str]) -> list[Compared]:
        """Every action."""
        return _compared(self._actions, names)

    def worst(self, names: list[str]) -> Compared:
        """The set that speaks most clearly against the log."""
        likeliest = _compared(self._likeliest, ["the likeliest action"])
        return max(likeliest + self.by_range() + self.by_action(names), key=lambda one: one.evalue)


def _summed(
    rows: NDArray[np.int64], sets: NDArray[np.int64], probabilities: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Each set of each round once, with its whole probability."""
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
