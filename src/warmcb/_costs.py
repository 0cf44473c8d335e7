"""Tables of costs: labels (n,), whose action costs 0 and all others 1, or costs (n, K).

An unknown cost is NaN: its action was not judged, or is not allowed.
"""

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
    """The cost of each action, summed over the rows in which it is known."""
    if table.ndim == 1:
        return len(table) - np.bincount(table, minlength=n_actions).astype(np.float64)
    return np.asarray(np.nansum(table, axis=0), dtype=np.float64)


def counts(table: CostTable, n_actions: int) -> NDArray[np.float64]:
    """The number of rows in which the cost of each action is known."""
    if table.ndim == 1:
        return np.full(n_actions, float(len(table)))
    return np.asarray((~np.isnan(table)).sum(axis=0), dtype=np.float64)


def best_constant(table: CostTable, n_actions: int) -> int:
    """The action with the lowest mean cost over the rows in which it is known."""
    known = counts(table, n_actions)
    return int(np.argmin(np.where(known > 0, totals(table, n_actions) / np.maximum(known, 1), np.inf)))


def known(table: CostTable, row: int) -> NDArray[np.uint8] | None:
    """Which costs of a row are known; None if all are."""
    if table.ndim == 1 or not np.isnan(table[row]).any():
        return None
    return np.asarray(~np.isnan(table[row]), dtype=np.uint8)


def mask(table: CostTable) -> NDArray[np.uint8] | None:
    """Which costs are known, (n, K); None if all are."""
    if table.ndim == 1 or not np.isnan(table).any():
        return None
    return np.asarray(~np.isnan(table), dtype=np.uint8)


def as_matrix(table: CostTable, n_actions: int) -> NDArray[np.float64]:
    """The cost of each action in each row."""
    if table.ndim == 1:
        return 1.0 - np.eye(n_actions)[table]
    return np.asarray(table, dtype=np.float64)
