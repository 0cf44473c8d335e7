"""Small problems with described actions, and SharedBandit in each of its shapes."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tests.support.own_parts import LastWins, Softmax
from warmcb import SharedBandit
from warmcb._core import Costs, Rows
from warmcb.bandits.decisions import Key
from warmcb.contracts import Learner, Outcome

Doubles = NDArray[np.float64]


class Offered(NamedTuple):
    """Rounds: contexts, the actions that are there in each, their ids, and what each would cost."""

    X: Any
    actions: list[Any]
    ids: list[list[Key]] | None
    costs: list[Doubles]

    def x(self, i: int) -> Any:
        return None if self.X is None else self.X[[i]]

    def offer(self, i: int) -> dict[str, Any]:
        return {"x": self.x(i), "actions": self.actions[i], "ids": None if self.ids is None else self.ids[i]}

    def some(self, begin: int, end: int) -> dict[str, Any]:
        part = slice(begin, end)
        ids = None if self.ids is None else self.ids[part]
        return {"X": None if self.X is None else self.X[part], "actions": self.actions[part], "ids": ids}


def make_offers(
    contexts: int | None = 3,
    described: int = 4,
    *,
    n: int = 260,
    ids: bool = False,
    kind: str = "dense",
    most: int = 6,
) -> Offered:
    """A linear rule with products, effects of ids, and noise; features have any unit. One action to `most` of them."""
    random = np.random.default_rng(23)
    units = 10.0 ** random.uniform(-2, 2, size=described)
    X = None if contexts is None else random.normal(size=(n, contexts)) * 10.0 ** random.uniform(-2, 2, size=contexts)
    Z = np.zeros((n, 0)) if X is None else X / np.abs(X).max(axis=0)
    slopes, products = random.normal(size=described), random.normal(size=(Z.shape[1], described))
    effects = random.normal(size=12)
    actions, names, costs = [], [], []
    for i in range(n):
        size = int(random.integers(2 if i == 0 else 1, most + 1))
        numbers = random.permutation(12)[:size]
        A = (
            np.eye(described)[random.permutation(described)[:size]]
            if kind == "one-hot"
            else described_rows(random, size, described)
        )
        rule = A @ slopes + (Z[i] @ products) @ A.T + (effects[numbers] if ids else 0)
        costs.append(np.clip(0.5 + 0.2 * rule + 0.1 * random.normal(size=len(A)), 0, 1))
        A = A if kind == "one-hot" else A * units
        actions.append(sparse.csr_array(A) if kind == "CSR" else A)
        names.append([int(one) if one % 2 else f"item {one}" for one in numbers[: len(A)]])
    return Offered(X, actions, names if ids else None, costs)


def described_rows(random: np.random.Generator, size: int, width: int) -> Doubles:
    """Of wide descriptions about ten columns are not 0."""
    A = random.normal(size=(size, width))
    if width > 100:
        A[random.random(A.shape) > 10 / width] = 0
    return A


class Slopes(Learner):
    """A linear model of a pair for each lane, which makes a small step towards each cost."""

    def __init__(self, step: float = 0.3) -> None:
        self.step = step
        self.weights: Doubles = np.zeros((0, 0))

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> "Slopes":
        started = Slopes(self.step)
        started.weights = np.zeros((n_features + 1, n_lanes))
        return started

    def predict(self, rows: Rows, i: int) -> Any:
        values, columns = self._row(rows, i)
        return (values @ self.weights[columns])[np.newaxis].astype(np.float32)

    def update(self, rows: Rows, i: int, outcome: Outcome, weights: Doubles) -> None:
        self._step(rows, i, outcome.cost, weights)

    def teach(self, rows: Rows, costs: Costs, weights: Doubles) -> None:
        for i, cost in enumerate(costs.matrix(1)[:, 0]):
            if not np.isnan(cost):
                self._step(rows, i, cost, weights)

    def state(self) -> dict[str, NDArray[Any]]:
        return {"weights": self.weights}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        self.weights = np.array(state["weights"])

    def _row(self, rows: Rows, i: int) -> tuple[Doubles, NDArray[np.int32]]:
        values, columns, _ = rows.take(np.array([i]))
        return np.append(values.astype(np.float64), 1.0), np.append(columns, len(self.weights) - 1)

    def _step(self, rows: Rows, i: int, cost: float, weights: Doubles) -> None:
        values, columns = self._row(rows, i)
        errors = cost - values @ self.weights[columns]
        self.weights[columns] += self.step * np.outer(values / (values @ values), weights * errors)


OWN_PARTS = [Softmax, LastWins, Slopes]

PROBLEMS: dict[str, Offered] = {
    "described": make_offers(),
    "ids": make_offers(ids=True),
    "no context": make_offers(None),
    "CSR, ids, no context": make_offers(None, ids=True, kind="CSR"),
    "ids alone": make_offers(2, 0, ids=True),
    "one-hot": make_offers(3, 5, kind="one-hot"),
    "wide": make_offers(None, 600),
    "wide CSR, ids": make_offers(3, 600, ids=True, kind="CSR"),
    "many columns": make_offers(3, 5000, ids=True, kind="CSR"),
}


class Case(NamedTuple):
    """A shape of SharedBandit, and what it is played on."""

    problem: str
    options: dict[str, Any]

    @property
    def offered(self) -> Offered:
        return PROBLEMS[self.problem]

    def make(self) -> SharedBandit:
        return SharedBandit(**{"epsilon": 0.2, "seed": 5} | self.options)


CASES: dict[str, Case] = {name: Case(name, {}) for name in PROBLEMS} | {
    "few ids": Case("ids", {"most_ids": 5}),
    "2 lanes": Case("described", {"lambdas": 2, "features": "squares"}),
    "8 lanes": Case("ids", {"lambdas": 8, "features": "linear"}),
    "own lanes, a range": Case("ids", {"lambdas": (0.2, 0.6, 1.0), "cost_range": (0.0, 1.0)}),
    "never forgets": Case("described", {"half_life": float("inf")}),
    "forgets": Case("ids", {"half_life": 50.0}),
    "the paper's parts": Case("ids", {"learner": "online", "selector": "cost/p", "explorer": "epsilon-greedy"}),
    "one-hot, online": Case("one-hot", {"learner": "online"}),
    "one-hot, own learner": Case("one-hot", {"learner": Slopes()}),
    "own explorer": Case("ids", {"explorer": Softmax(0.2)}),
    "own selector": Case("CSR, ids, no context", {"selector": LastWins(0.3)}),
    "own learner": Case("ids", {"learner": Slopes()}),
}
