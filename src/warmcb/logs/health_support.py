"""What a log can tell about policies other than the one that decided."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb.logs.health_drawn import Drawn

_LEAST = 1e-100  # a probability whose weight can be squared


class ActionCounts(NamedTuple):
    """What became of one action.

    Attributes:
        name: of the action.
        offered: in how many decisions it could have been chosen.
        explored: in how many of these it had a chance.
        expected: the sum of its probabilities.
        played: how often it was chosen.
        effective: how many decisions a log that always plays it would have to have, to tell as much about it.

    """

    name: str
    offered: int
    explored: int
    expected: float
    played: int
    effective: float


class Support:
    """Chances of actions, summed over decisions."""

    def __init__(self) -> None:
        self.decisions = 0
        self.full = 0
        """Decisions in which every allowed action had a chance."""
        self.forbidden = 0
        """Decisions in which an action was chosen that was not allowed."""
        self.largest_weight = 1.0
        """The largest 1/p of a chosen action."""
        self._uniform = np.zeros(2)
        self._counts = np.zeros((6, 0))

    def add(self, drawn: Drawn) -> None:
        """Take decisions in."""
        has_chance = drawn.probabilities > 0
        n_decisions = len(drawn)
        sizes = np.bincount(drawn.rows, drawn.allowed, minlength=n_decisions)
        unexplored = np.bincount(drawn.rows, drawn.allowed & ~has_chance, minlength=n_decisions)
        weights = 1 / np.maximum(drawn.probabilities[drawn.chosen], _LEAST)
        is_allowed = drawn.allowed[drawn.chosen]
        self.decisions += n_decisions
        self.full += int(np.count_nonzero(unexplored == 0))
        self.forbidden += int(np.count_nonzero(~is_allowed))
        self.largest_weight = max(self.largest_weight, float(weights.max(initial=1.0)))
        # Where an allowed action had no chance, no weight can stand for it.
        uniform = (weights / np.maximum(sizes, 1))[is_allowed & (unexplored == 0)]
        self._uniform += [uniform.sum(), (uniform**2).sum()]
        self._add_actions(drawn, has_chance, weights)

    def _add_actions(self, drawn: Drawn, has_chance: NDArray[np.bool_], weights: NDArray[np.float64]) -> None:
        size = max(self._counts.shape[1], int(drawn.codes.max(initial=-1)) + 1)
        played = drawn.codes[drawn.chosen]
        new = [
            np.bincount(drawn.codes, drawn.allowed, minlength=size),
            np.bincount(drawn.codes, drawn.allowed & has_chance, minlength=size),
            np.bincount(drawn.codes, drawn.probabilities, minlength=size),
            np.bincount(played, minlength=size),
            np.bincount(played, weights, minlength=size),
            np.bincount(played, weights**2, minlength=size),
        ]
        self._counts = np.pad(self._counts, ((0, 0), (0, size - self._counts.shape[1]))) + np.array(new)

    @property
    def effective(self) -> float:
        """The effective sample size for a policy that draws uniformly."""
        total, squares = self._uniform
        return float(total**2 / squares) if squares else 0.0

    def actions(self, names: list[str]) -> list[ActionCounts]:
        """Every action, in the order of `names`."""
        offered, explored, expected, played, weights, squares = self._counts
        effective = np.divide(weights**2, squares, out=np.zeros_like(weights), where=squares > 0)
        numbers = zip(
            offered.astype(int).tolist(),
            explored.astype(int).tolist(),
            expected.tolist(),
            played.astype(int).tolist(),
            effective.tolist(),
            strict=True,
        )
        return [ActionCounts(name, *counts) for name, counts in zip(names, numbers, strict=True)]
