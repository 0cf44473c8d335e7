"""Tables of costs: labels of shape (n,), which cost 0 where they are met and 1 elsewhere, or costs of shape (n, K)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

CostTable = NDArray[np.int32] | NDArray[np.float64]


def paid(table: CostTable, actions: NDArray[Any] | int) -> NDArray[np.float64]:
    """The cost of one action in each row."""
    if table.ndim == 1:
        return np.asarray(table != actions, dtype=np.float64)
    return np.asarray(table[np.arange(len(table)), actions], dtype=np.float64)


def totals(table: CostTable, n_actions: int) -> NDArray[np.float64]:
    """The cost of each action, summed over the rows."""
    if table.ndim == 1:
        return len(table) - np.bincount(table, minlength=n_actions).astype(np.float64)
    return np.asarray(table.sum(axis=0), dtype=np.float64)


def as_matrix(table: CostTable, n_actions: int) -> NDArray[np.float64]:
    """The cost of every action in each row."""
    if table.ndim == 1:
        return 1.0 - np.eye(n_actions)[table]
    return np.asarray(table, dtype=np.float64)
