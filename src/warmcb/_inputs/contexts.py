"""Contexts of any supported type as rows of the core."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Rows
from warmcb._inputs.arrays import refuse_mask
from warmcb._messages import one_line, shown
from warmcb._sparse import csr, is_sparse, sparse_rows
from warmcb.errors import InputError

Features = Any
"""A NumPy array, anything that NumPy can convert to one, or a SciPy sparse matrix."""


def one_row(x: Features, features: int | None, columns: tuple[str, ...] | None = None) -> Rows:
    """A single context as rows of the core. `columns` are the names of its features, for errors."""
    if is_sparse(x):
        if x.ndim == 2 and x.shape[0] != 1:
            raise InputError(f"x has shape {x.shape}; expected a single row")
        return _checked(sparse_rows("x", x), "x", features)
    values = dense("x", x)
    if values.ndim == 2 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 1:
        raise InputError(f"x has shape {values.shape}; expected a single row of features")
    return _checked(Rows(values.reshape(1, -1)), "x", features, columns)


def matrix(X: Features, features: int | None, columns: tuple[str, ...] | None = None) -> Rows:
    """A matrix of contexts, one per row, as rows of the core. `columns` are the names of its columns, for errors."""
    if isinstance(X, Sequence) and len(X) == 0:  # an empty list has no number of features
        X = np.empty((0, features or 0))
    X = plain_matrix(X)
    return _checked(sparse_rows("X", X) if is_sparse(X) else Rows(X), "X", features, columns)


def plain_matrix(X: Features) -> Any:
    """X as a NumPy array of float32, or as a CSR matrix; rows of both can be selected."""
    plain = csr("X", X) if is_sparse(X) else dense("X", X)
    if plain.ndim != 2:
        raise InputError(f"X has shape {plain.shape}; expected a matrix with one row for each example")
    return plain


def dense(name: str, X: Features) -> NDArray[np.float32]:
    """X as an array of float32."""
    try:
        with np.errstate(over="ignore", under="ignore"):
            refuse_mask(X)
            array = np.asarray(X)
            if array.dtype.kind not in "biufO":
                raise TypeError(f"it has the type {array.dtype}")
            if array.ndim == 0:
                raise TypeError(f"it is the single value {shown(X)}")
            floats = np.ascontiguousarray(array, dtype=np.float32)
            return floats if floats.flags.aligned else floats.copy()
    except Exception as error:  # a foreign __array__ or __float__ may raise anything
        raise InputError(_no_numbers(name, X, error)) from None


def _no_numbers(name: str, X: object, error: Exception) -> str:
    """Why X is not a table of numbers."""
    kind = type(X).__name__
    if kind in ("Decision", "Decisions"):
        return f"{name} is a {kind}; expected a context, as in learn(x, decision, cost)"
    if isinstance(X, Sequence) and any(isinstance(one, Mapping) for one in X):
        return f"{name} has dictionaries; expected rows of numbers, or a bandit with encoder=Encoder()"
    reason = "its rows have different lengths" if "inhomogeneous" in str(error) else one_line(error)
    return f"{name} is not a table of numbers: {reason}"


def _checked(rows: Rows, name: str, features: int | None, columns: tuple[str, ...] | None = None) -> Rows:
    if features is not None and rows.features != features:
        raise InputError(f"{name} has {rows.features} features; expected {features}, as before")
    bad = rows.first_bad()
    if bad is not None:
        row, column, value = bad
        where = f"x[{column}]" if name == "x" else f"X[{row}, {column}]"
        if columns is not None:
            where = f"the column {shown(columns[column])} of {where.split('[', maxsplit=1)[0]} has {value}"
            raise InputError(f"{where}; expected finite numbers below 3.4e38, or a bandit with encoder=Encoder()")
        raise InputError(f"{where} is {value}; expected a finite number below 3.4e38")
    return rows
