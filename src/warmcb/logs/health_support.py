"""How much a log can tell about other policies."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb.logs.health_drawn import Drawn

_LEAST = 1e-100  # the squared weight of a smaller probability would overflow


class ActionCounts(NamedTuple):
    """The counts of one action in a log.

    Attributes:
        name: the name of the action.
        offered: the number of decisions in which it was allowed.
        explored: the number of these in which it had a probability above 0.
        expected: the sum of its probabilities.
        played: the number of decisions in which it was chosen.
        effective: the number of decisions that would give as much information, if it was always chosen.

    """

    name: str
    offered: int
    explored: int
    expected: float
    played: int
    effective: float


class Support:
    """Sums over decisions of the probabilities of actions."""

    def __init__(self) -> None:
        self.decisions = 0
        self.full = 0
        """The number of decisions in which each allowed action had a probability above 0."""
        self.forbidden = 0
        """The number of decisions in which the chosen action was not allowed."""
        self.largest_weight = 1.0
        """The largest 1/p of a chosen action."""
        self._uniform = np.zeros(2)
        self._counts = np.zeros((6, 0))

    def add(self, drawn: Drawn) -> None:
        """Add decisions."""
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
        # Decisions in which an allowed action has the probability 0 say nothing about the uniform policy.
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
        """The counts of each action, in the order of `names`."""
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
