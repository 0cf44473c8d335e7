"""Offers of a `SharedBandit`: what a learner sees of them, whether they are one-hot, and the last one."""

from typing import Any, NamedTuple

import numpy as np

from warmcb import _core
from warmcb._core import Offers, Pairing, Rows
from warmcb.bandits._offers import Offering
from warmcb.bandits._parts import checked_scores
from warmcb.contracts import Doubles, Floats, Outcome


class DescribedOffer:
    """A context, and the features of the actions on offer."""

    def __init__(self, pairing: Pairing, offers: Offers, i: int) -> None:
        self.pairing, self.offers, self.i = pairing, offers, i

    @property
    def rows(self) -> Rows:
        """Each pair of context and action as a row."""
        return Rows(*self.offers.pairs(self.pairing, self.i), self.pairing.features)

    @property
    def n_allowed(self) -> int:
        return self.offers.count(self.i)

    def scores(self, learner: Any, n_lanes: int) -> Floats:
        if isinstance(learner, _core.Predictor):
            return learner.predict_described(self.pairing, self.offers, self.i)
        rows = self.rows
        return np.concatenate([checked_scores(learner, rows, a, (1, n_lanes)) for a in range(len(rows))])

    def values(self, action: int, n_features: int) -> dict[int, float]:
        """The features that are not 0, by column; those of the context come before those of the action."""
        values, columns, starts = self.offers.pairs(self.pairing, self.i)
        entries = slice(*starts[action : action + 2].tolist())
        found = zip(columns[entries].tolist(), values[entries].tolist(), strict=True)
        return {column: value for column, value in found if column < n_features}

    def update(self, learner: Any, outcome: Outcome, weights: Doubles) -> None:
        if isinstance(learner, _core.Learner):
            learner.update_described(self.pairing, self.offers, self.i, outcome, weights)
            return
        rows, played = self.rows, outcome.action
        of_pair = outcome._replace(scores=outcome.scores[played : played + 1], action=0)
        learner.update(rows, played, of_pair._replace(greedy=np.zeros_like(outcome.greedy)), weights)


class Last(NamedTuple):
    """The last offer. Most decisions are learned before the next one, so their offer need not be checked again."""

    x: bytes | None
    offering: Any

    def is_of(self, x: Any, actions: Any, ids: Any) -> bool:
        offering = self.offering
        if offering is None or actions is not offering.descriptions or ids is not offering.ids:
            return False
        return self.x is not None and self.x == bytes_of(x)


def bytes_of(x: Any) -> bytes | None:
    """Bytes that tell contexts apart; None if comparing would take longer than checking the context again."""
    if x is None:
        return b""
    return x.tobytes() + x.dtype.str.encode() if type(x) is np.ndarray and x.dtype.kind in "fiu" else None


def is_one_hot(offering: Offering) -> bool:
    """Whether in each offer each action has its own column."""
    starts = offering.starts
    if offering.widths.described < 2 or (np.diff(starts) < 2).all() or not has_one_hot_rows(offering):
        return False
    columns = offering.descriptions.nonzero()[1]
    rounds = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return len(np.unique(rounds * offering.widths.described + columns)) == len(columns)


def has_one_hot_rows(offering: Offering) -> bool:
    """Whether each action has a single nonzero feature, which is 1."""
    descriptions = offering.descriptions
    rows, columns = descriptions.nonzero()
    each_once = len(rows) == descriptions.shape[0] and not (np.diff(rows) != 1).any()
    return each_once and not (descriptions[rows, columns] != 1).any()
