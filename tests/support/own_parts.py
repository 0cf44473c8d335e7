"""Parts of somebody's own that several tests play with."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Costs, Rows
from warmcb.contracts import Explorer, Learner, Opinions, Outcome, Selector


class InPython:
    """Somebody's own class that only passes on what a compiled part says: rounds then go in Python's order."""

    def __init__(self, part: Any) -> None:
        self.part = part

    def start(self, *shape: int) -> "InPython":
        return InPython(self.part.start(*shape))

    def snapshot(self) -> "InPython":
        return InPython(self.part.snapshot())

    def with_lanes(self, origins: list[int]) -> "InPython":
        return InPython(self.part.with_lanes(origins))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "part":
            raise AttributeError(name)
        return getattr(self.part, name)


@dataclass
class Softmax(Explorer):
    """Explores in proportion to exp(−score/temperature), with a floor."""

    temperature: float = 0.1

    def distribution(self, opinions: Opinions) -> NDArray[np.float64]:
        gaps = opinions.scores[:, opinions.in_charge] - opinions.scores[:, opinions.in_charge].min()
        weights = np.where(opinions.allowed, np.exp(-gaps.astype(np.float64) / self.temperature), 0.0)
        uniform = opinions.allowed / opinions.allowed.sum()
        return np.asarray((1 - opinions.epsilon) * weights / weights.sum() + opinions.epsilon * uniform)

    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        return allowed / epsilon


class LastWins(Selector):
    """The lane whose action was played last for less than `limit` is in charge. It keeps something: who that was."""

    def __init__(self, limit: float = 0.5) -> None:
        self.limit = limit
        self.lanes, self.last, self.first, self.rounds = 0, 0, 0, 0

    def start(self, n_lanes: int) -> "LastWins":
        started = LastWins(self.limit)
        started.lanes = n_lanes
        return started

    @property
    def best(self) -> int:
        return max(self.last, self.first)

    @property
    def eligible(self) -> NDArray[np.uint8]:
        return (np.arange(self.lanes) >= self.first).astype(np.uint8)

    @property
    def scores(self) -> NDArray[np.float64]:
        return np.asarray(np.arange(self.lanes) != self.best, dtype=np.float64)

    def admit(self, first: int) -> None:
        self.first = first

    def add(self, outcome: Outcome) -> None:
        self.rounds += 1
        wins = np.flatnonzero(outcome.greedy == outcome.action)
        if outcome.cost < self.limit and wins.size:
            self.last = int(wins[0])

    def state(self) -> dict[str, NDArray[Any]]:
        return {"last": np.array([self.last, self.rounds])}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        self.last, self.rounds = (int(number) for number in state["last"])


class MeanCosts(Learner):
    """The mean cost of each action in each lane, whatever the context."""

    def __init__(self) -> None:
        self.sums = self.weights = np.zeros((0, 0))

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> "MeanCosts":
        started = MeanCosts()
        started.sums = np.full((n_actions, n_lanes), 0.5)
        started.weights = np.ones((n_actions, n_lanes))
        return started

    def predict(self, rows: Rows, i: int) -> NDArray[np.float32]:
        assert rows.dense().shape == (len(rows), rows.features)
        return (self.sums / self.weights).astype(np.float32)

    def update(self, rows: Rows, i: int, outcome: Outcome, weights: NDArray[np.float64]) -> None:
        self.sums[outcome.action] += weights * outcome.cost
        self.weights[outcome.action] += weights

    def teach(self, rows: Rows, costs: Costs, weights: NDArray[np.float64]) -> None:
        matrix = costs.matrix(len(self.sums))
        self.sums += np.outer(np.nansum(matrix, axis=0), weights)
        self.weights += np.outer((~np.isnan(matrix)).sum(axis=0), weights)

    def state(self) -> dict[str, NDArray[Any]]:
        return {"sums": self.sums, "weights": self.weights}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        self.sums, self.weights = np.array(state["sums"]), np.array(state["weights"])
