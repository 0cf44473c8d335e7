"""What a round gives: a decision, and the record of many."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Decision(NamedTuple):
    """An action, the probability with which it was drawn, and the whole distribution it was drawn from."""

    action: int
    probability: float
    probabilities: NDArray[np.float64]


class Trace(NamedTuple):
    """What happened in each round of a run. `lambdas`: the λ that was in charge, NaN for a bandit without one."""

    actions: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    costs: NDArray[np.float64]
    lambdas: NDArray[np.float64]


class Rounds:
    """Output arrays of the compiled rounds."""

    def __init__(self, size: int) -> None:
        self.actions = np.empty(size, dtype=np.int32)
        self.probabilities = np.empty(size)
        self.costs = np.empty(size)
        self.lanes = np.zeros(size, dtype=np.int32)

    def arrays(
        self, begin: int = 0, end: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        part = slice(begin, end)
        return self.actions[part], self.probabilities[part], self.costs[part], self.lanes[part]

    def trace(self, lambdas: NDArray[np.float64]) -> Trace:
        return Trace(self.actions, self.probabilities, self.costs, lambdas[self.lanes])


def certain(action: int, n_actions: int) -> NDArray[np.float64]:
    """The distribution that has one action only."""
    probabilities = np.zeros(n_actions)
    probabilities[action] = 1.0
    return probabilities
