"""What several tests of least squares share: learners of few terms, rows, rounds, and the bends as they are drawn."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import norm

from tests.support.problems import learn_one
from warmcb._core import (
    Composition,
    Costs,
    CostUnit,
    EpsilonGreedy,
    Optimism,
    ProgressiveValidation,
    RecursiveLeastSquares,
    Rows,
    Stream,
    Trial,
)

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

OPTIONS: dict[str, Any] = {
    "contexts": None,
    "crosses": False,
    "widest": 256,
    "squares": True,
    "bends": 8,
    "translations": 0,
    "products": 0,
    "ridge": 10.0,
    "intercept_ridge": 1.0,
    "cross_ridge": 100.0,
    "bend_ridge": 2.0,
    "identity_ridge": 10.0,
    "most_identities": 0,
    "first_guess": 0.5,
    "settled_at": 128,
    "half_life": 0.0,
    "memories": [],
    "rate": 2.0,
    "size_rate": 1.0,
    "share": 0.003,
    "patience": 3.0,
    "largest": 5.0,
    "wild": 10.0,
}


def make(features: int, actions: int = 2, lanes: int = 1, **options: Any) -> RecursiveLeastSquares:
    """It never forgets, unless told; the ridge of the bends is meant for as many as there are."""
    options = OPTIONS | options
    options["bend_ridge"] *= 192 / max(options["bends"], 1)
    return RecursiveLeastSquares(features, actions, lanes, **options)


def as_rows(X: Any, is_sparse: bool = False) -> Rows:
    X = np.ascontiguousarray(np.atleast_2d(X), dtype=np.float32)
    if not is_sparse:
        return Rows(X)
    csr = sparse.csr_array(X)
    return Rows(csr.data, csr.indices.astype(np.int32), csr.indptr.astype(np.int64), X.shape[1])


def update(
    learner: RecursiveLeastSquares, x: Any, action: int, cost: float, weights: Any = (1.0,), is_sparse: bool = False
) -> None:
    rows = as_rows(x, is_sparse)
    learn_one(learner, rows, 0, action, cost, np.array(weights, dtype=np.float64), learner.predict(rows, 0))


def teach(learner: RecursiveLeastSquares, X: Any, costs: Any, weights: Any = (1.0,), is_sparse: bool = False) -> None:
    costs = np.ascontiguousarray(np.atleast_2d(costs), dtype=np.float64)
    learner.teach(as_rows(X, is_sparse), Costs(costs), np.array(weights, dtype=np.float64))


def predictions(learner: Any, X: Any) -> Doubles:
    rows = as_rows(X)
    return np.array([learner.predict(rows, i) for i in range(len(rows))], dtype=np.float64)


def terms(learner: RecursiveLeastSquares, X: Any, translate: bool = True) -> Doubles:
    rows = as_rows(X)
    return np.array([learner.terms(rows, i, translate) for i in range(len(rows))], dtype=np.float64)


def play(learner: RecursiveLeastSquares, X: Any, costs: Doubles, begin: int = 0) -> NDArray[np.int32]:
    """Compiled rounds that explore uniformly; the actions."""
    n, lanes, actions = len(X), learner.lanes, learner.actions
    played, in_charge = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    parts = Trial(actions, 0, 0.0), Optimism(actions, 0.0, 1.0), CostUnit((0.0, 1.0))
    rounds = Composition(learner, ProgressiveValidation(lanes), EpsilonGreedy(), *parts, 1.0)
    rounds.weigh([1.0] * lanes, [], 0.0)
    outputs = played, np.empty(n), np.empty(n), in_charge, np.empty(n)
    rounds.play(Stream(3, 0), as_rows(X), Costs(np.ascontiguousarray(costs)), 0, n, begin, begin, *outputs)
    return played


def same_bits(ours: RecursiveLeastSquares, theirs: RecursiveLeastSquares) -> bool:
    a, b = ours.state(), theirs.state()
    return a.keys() == b.keys() and all(a[name].tobytes() == b[name].tobytes() for name in a)


def linear_problem(random: np.random.Generator, n: int, d: int, k: int = 2) -> tuple[Floats, Doubles]:
    X = random.normal(size=(n, d)).astype(np.float32)
    slopes = random.normal(size=(d, k)) * 0.1 / np.sqrt(d)
    return X, np.clip(0.5 + X @ slopes + 0.02 * random.normal(size=(n, k)), 0, 1)


def error(learner: RecursiveLeastSquares, X: Any, costs: Doubles) -> float:
    """Root mean square, with every lane."""
    return float(np.sqrt(np.mean((predictions(learner, X) - costs[:, :, None]) ** 2)))


LEVELS = norm.ppf((np.arange(32) + 0.5) / 32)
"""The normal scores of the 32 knots."""


def drawn_bends(count: int, features: int) -> list[tuple[list[int], Doubles, float]]:
    """For each bend its features, their weights and its phase, in turns; as src/core/least_squares/terms.hpp says."""
    uniforms = iter(Stream(20190613, 1).uniforms(0, 20 * count).tolist())
    longest = 4 * max(1.0, np.sqrt(8 / features))
    bends = []
    for i in range(count):
        whose: list[int] = []
        weights = []
        for _ in range(min(1 + i % 3, features)):
            feature = int(next(uniforms) * features)
            while feature in whose:
                feature = int(next(uniforms) * features)
            whose.append(feature)
            weights.append(norm.ppf(next(uniforms)))
        length = longest ** next(uniforms) / (2 * np.pi)
        bends.append((whose, np.array(weights) * length / np.linalg.norm(weights), next(uniforms)))
    return bends
