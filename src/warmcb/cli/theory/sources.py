"""The two sources that `warmcb theory similarity` compares, and the policies that it compares them for."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs, _streams
from warmcb._costs import CostTable
from warmcb._messages import listed
from warmcb.data import Dataset
from warmcb.errors import DataError, InputError
from warmcb.learners.finite_class import ConstantPolicies, LinearPolicies, Policies, TreePolicies
from warmcb.noise import Noise, OwnNoise

_MOST_ROWS_TO_GROW_ON = 20_000


def labels_of(table: CostTable) -> NDArray[Any]:
    return table if table.ndim == 1 else table.argmin(axis=1)


def corrupted(truth: Dataset, noise: Noise | OwnNoise, seed: int) -> CostTable:
    if truth.y is None:
        raise InputError(f"noise is {str(noise)!r}; expected B, as {truth.name} has costs, not labels")
    majority = int(np.bincount(truth.y).argmax())
    return noise.corrupt(truth.y, truth.n_actions, majority, _inputs.seed(seed))


def matched(truth: Dataset, other: Dataset, a: str, b: str) -> CostTable:
    """The labels or costs of B, with the classes of A."""
    if other.X.shape[0] != truth.X.shape[0]:
        raise DataError(f"{b} has {other.X.shape[0]} rows; expected {truth.X.shape[0]}, the same as in {a}")
    if other.X.shape[1] != truth.X.shape[1]:
        raise DataError(f"{b} has {other.X.shape[1]} features; expected {truth.X.shape[1]}, the same as in {a}")
    if (row := _first_difference(truth.X, other.X)) is not None:
        raise DataError(f"{b} has other features in row {row}; expected the same rows as in {a}, in the same order")
    if unknown := [name for name in other.classes if name not in truth.classes]:
        raise DataError(f"{b} has the class {unknown[0]!r}; expected one of {a}: {listed(truth.classes)}")
    if other.y is not None:
        return np.array([truth.classes.index(name) for name in other.classes], dtype=np.int32)[other.y]
    if missing := [name for name in truth.classes if name not in other.classes]:
        raise DataError(f"{b} has no costs of the class {missing[0]!r}; expected costs for all classes of {a}")
    return other.costs[:, [other.classes.index(name) for name in truth.classes]]


def _first_difference(X: Any, Z: Any) -> int | None:
    """The number of the first row in which two matrices of one shape differ, from 1."""
    rows = np.asarray((X != Z).nonzero()[0])
    return int(rows.min()) + 1 if rows.size else None


def policy_class(truth: Dataset, costs_1: CostTable, costs_2: CostTable, count: int, seed: int) -> Policies:
    """A class of policies: some are good for A, some for B, and most are random."""
    random = _streams.generator(_inputs.seed(seed), _streams.SHUFFLE)
    rows = np.sort(random.permutation(truth.X.shape[0])[:_MOST_ROWS_TO_GROW_ON])
    X = truth.X[rows]
    X = X.toarray() if hasattr(X, "toarray") else X
    K, fifth = truth.n_actions, count // 5
    return (
        ConstantPolicies(K)
        + _scaled(LinearPolicies.at_random(count - 3 * fifth, K, X.shape[1], seed), X)
        + TreePolicies.stumps(X, K, fifth, seed)
        + TreePolicies.grown(X, labels_of(costs_1)[rows], K, fifth, seed=seed)
        + TreePolicies.grown(X, labels_of(costs_2)[rows], K, fifth, seed=seed)
    )


def _scaled(policies: LinearPolicies, X: NDArray[Any]) -> LinearPolicies:
    """The same policies on standardised features, so that the unit of a feature does not matter."""
    mean, spread = X.mean(axis=0, dtype=np.float64), X.std(axis=0, dtype=np.float64)
    slopes = policies.weights[:, :, :-1] / np.where(spread > 0, spread, 1)
    return LinearPolicies(np.concatenate([slopes, policies.weights[:, :, -1:] - (slopes @ mean)[..., None]], axis=2))
