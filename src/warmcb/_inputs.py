"""The door: whatever a caller brings becomes what the core takes, or an error that says what was expected."""

import sys
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb.errors import InputError

Features = Any
"""A NumPy array, anything NumPy can turn into one, or a SciPy sparse matrix."""


def integer(name: str, value: object, at_least: int, at_most: int | None = None) -> int:
    expected = f"an integer of at least {at_least}" if at_most is None else f"an integer from {at_least} to {at_most}"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise InputError(f"{name} is {value!r}; expected {expected}")
    result = int(value)
    if result < at_least or (at_most is not None and result > at_most):
        raise InputError(f"{name} is {value}; expected {expected}")
    return result


def number(name: str, value: object, expected: str, low: float, high: float, *, low_excluded: bool = False) -> float:
    """`value` as a float in [low, high], or in (low, high]."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise InputError(f"{name} is {value!r}; expected {expected}")
    result = float(value)
    if not low <= result <= high or (low_excluded and result == low):
        raise InputError(f"{name} is {value}; expected {expected}")
    return result


def fraction(name: str, value: object) -> float:
    return number(name, value, "a number in [0, 1]", 0.0, 1.0)


def positive(name: str, value: object) -> float:
    return number(name, value, "a finite number above 0", 0.0, sys.float_info.max, low_excluded=True)


def seed(value: object) -> int:
    return integer("seed", value, 0, 2**64 - 1)


def one_row(x: Features, features: int | None) -> Rows:
    """A single context as rows of the core."""
    if _is_sparse(x):
        if x.ndim == 2 and x.shape[0] != 1:
            raise InputError(f"x has shape {x.shape}; expected a single row")
        return _checked(_sparse_rows("x", x.reshape(1, -1) if x.ndim == 1 else x), "x", features)
    values = _dense("x", x)
    if values.ndim == 2 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 1:
        raise InputError(f"x has shape {values.shape}; expected a single row of features")
    return _checked(Rows(values.reshape(1, -1)), "x", features)


def matrix(X: Features, features: int | None) -> Rows:
    """A matrix of contexts, one per row, as rows of the core."""
    X = plain_matrix(X)
    return _checked(_sparse_rows("X", X) if _is_sparse(X) else Rows(X), "X", features)


def plain_matrix(X: Features) -> Any:
    """X as something whose rows can be picked: a NumPy array of float32, or a CSR matrix."""
    if _is_sparse(X):
        if X.ndim != 2:
            raise InputError(f"X has shape {X.shape}; expected a matrix with one row for each example")
        return X.tocsr()
    values = _dense("X", X)
    if values.ndim != 2:
        raise InputError(f"X has shape {values.shape}; expected a matrix with one row for each example")
    return values


def cost_table(y: ArrayLike | None, costs: ArrayLike | None, n_rows: int, n_actions: int) -> CostTable:
    """Labels of shape (n,) or costs of shape (n, K), whichever of the two was given."""
    if (y is None) == (costs is None):
        raise InputError("y and costs: expected exactly one of them")
    return labels(y, n_rows, n_actions) if y is not None else _costs(costs, n_rows, n_actions)


def labels(y: ArrayLike, n_rows: int, n_actions: int) -> NDArray[np.int32]:
    array = np.asarray(y)
    if array.shape != (n_rows,):
        raise InputError(f"y has shape {array.shape}; expected ({n_rows},), one label for each row of X")
    if n_rows and not np.issubdtype(array.dtype, np.number):
        raise InputError(f"y has the type {array.dtype}; expected integer labels from 0 to {n_actions - 1}")
    wrong = np.flatnonzero(~((array >= 0) & (array < n_actions) & (array == np.floor(array))))
    if wrong.size:
        expected = f"expected an integer label from 0 to {n_actions - 1}"
        raise InputError(f"y[{wrong[0]}] is {array[wrong[0]]}; {expected}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _costs(costs: ArrayLike | None, n_rows: int, n_actions: int) -> NDArray[np.float64]:
    try:
        array = np.ascontiguousarray(costs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"costs are not numbers ({error}); expected shape ({n_rows}, {n_actions})") from None
    if array.shape != (n_rows, n_actions):
        raise InputError(f"costs have shape {array.shape}; expected ({n_rows}, {n_actions}): rows of X by actions")
    wrong = np.argwhere(~((array >= 0) & (array <= 1)))
    if wrong.size:
        row, action = wrong[0]
        raise InputError(f"costs[{row}, {action}] is {array[row, action]}; expected a number in [0, 1]")
    return array


def lambdas(value: object, eight: Sequence[float]) -> NDArray[np.float64]:
    """Λ in ascending order: 8 stands for `eight`, 2 for {0, 1}."""
    expected = "expected 8, 2 or a sequence of numbers in [0, 1]"
    if isinstance(value, Integral) and not isinstance(value, bool):
        if value not in (2, 8):
            raise InputError(f"lambdas is {value}; {expected}")
        return np.array([0.0, 1.0] if value == 2 else eight, dtype=np.float64)
    try:
        array = np.unique(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"lambdas is {value!r}; {expected}") from None
    if array.size == 0 or not ((array >= 0) & (array <= 1)).all():
        raise InputError(f"lambdas is {value!r}; {expected}")
    return array


def _is_sparse(X: object) -> bool:
    # A sparse matrix can only exist once SciPy has been imported: no need to import it for the others.
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def _dense(name: str, X: Features) -> NDArray[np.float32]:
    try:
        with np.errstate(over="ignore", under="ignore"):
            return np.ascontiguousarray(X, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} is not a table of numbers: {error}") from None


def _sparse_rows(name: str, X: Any) -> Rows:
    csr = X.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.shape[1] >= 2**31:
        raise InputError(f"{name} has {csr.shape[1]} columns; expected fewer than 2³¹")
    with np.errstate(over="ignore", under="ignore"):
        values = np.ascontiguousarray(csr.data, dtype=np.float32)
    indices = np.ascontiguousarray(csr.indices, dtype=np.int32)
    return Rows(values, indices, np.ascontiguousarray(csr.indptr, dtype=np.int64), csr.shape[1])


def _checked(rows: Rows, name: str, features: int | None) -> Rows:
    if features is not None and rows.features != features:
        raise InputError(f"{name} has {rows.features} features; expected {features}, as before")
    bad = rows.first_bad()
    if bad >= 0:
        where = name if len(rows) == 1 else f"{name}[{bad}]"
        raise InputError(f"{where} has a feature that is NaN or infinite; expected finite numbers below 3.4e38")
    return rows
