"""Check sparse matrices before SciPy uses them, because it trusts their index arrays and may read invalid memory."""

import sys
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Rows
from warmcb._messages import one_line, shown
from warmcb.errors import InputError


def is_sparse(X: object) -> bool:
    # A sparse matrix exists only if SciPy has been imported, so it need not be imported here.
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def csr(name: str, X: Any) -> Any:
    """X as CSR of float32 with sorted columns in each row. An array of one dimension keeps it."""
    _refuse_broken(name, X, X.format)
    if X.dtype.kind not in "biuf":
        raise InputError(f"{name} has the type {X.dtype}; expected numbers")
    if X.shape[-1] >= 2**31:
        raise InputError(f"{name} has {X.shape[-1]} columns; expected fewer than 2³¹")
    try:
        with np.errstate(over="ignore", under="ignore"):
            found = X.tocsr().astype(np.float32, copy=False)
    except (ValueError, TypeError) as error:
        raise InputError(f"{name} is not a valid {X.format.upper()} matrix: {one_line(error)}") from None
    if X.format != "csr":
        _refuse_broken(name, found, X.format)
    if not _columns_rise(found.indices, found.indptr):
        found = found.copy()
        found.has_sorted_indices = found.has_canonical_format = False  # SciPy caches these flags
        found.sum_duplicates()
    return found


def plain_csr(values: NDArray[np.float32], indices: NDArray[np.int32], starts: NDArray[np.int32], columns: int) -> Any:
    """A CSR matrix of arrays that were checked. Checking them again in SciPy would take longer than making them."""
    empty = _empty(len(starts) - 1, columns)
    matrix = object.__new__(type(empty))
    matrix.__dict__.update(vars(empty))
    matrix.data, matrix.indices, matrix.indptr = values, indices, starts
    return matrix


@lru_cache(maxsize=64)
def _empty(rows: int, columns: int) -> Any:
    from scipy.sparse import csr_array

    return csr_array((rows, columns), dtype=np.float32)


def sparse_rows(name: str, X: Any) -> Rows:
    rows = _rows_as_they_are(X)
    if rows is None:
        found = csr(name, X)
        indices, starts = (np.ascontiguousarray(found.indices, np.int32), np.ascontiguousarray(found.indptr, np.int64))
        rows = Rows(np.ascontiguousarray(found.data), indices, starts, found.shape[-1])
    return rows


def _rows_as_they_are(X: Any) -> Rows | None:
    """The rows of a valid CSR matrix without SciPy; None if it has to be converted or refused first."""
    try:
        if X.format != "csr" or X.shape[-1] >= 2**31 or X.data.dtype.kind not in "biuf":
            return None
        if len(X.indptr) != (X.shape[0] if len(X.shape) == 2 else 1) + 1 or X.indptr[0] != 0:
            return None
        values, starts = X.data, np.ascontiguousarray(X.indptr, dtype=np.int64)
        if values.dtype != np.float32:
            with np.errstate(over="ignore", under="ignore"):
                values = values.astype(np.float32)
        rows = Rows(np.ascontiguousarray(values), np.ascontiguousarray(X.indices), starts, X.shape[-1])  # it checks all
        return rows if _columns_rise(X.indices, starts) else None
    except Exception:  # the attributes may be anything
        return None


def _columns_rise(indices: NDArray[Any], starts: NDArray[Any]) -> bool:
    """Whether the columns of each row are sorted and distinct."""
    columns = indices[: starts[-1]]
    rises = columns[1:] > columns[:-1]
    if len(starts) > 2:
        begins = starts[1:-1]
        rises[begins[(begins > 0) & (begins < len(columns))] - 1] = True  # from the end of a row to the next row
    return bool(rises.all())


def _refuse_broken(name: str, X: Any, brought_as: str) -> None:
    """Check the index arrays of X. SciPy trusts them, and would read and write outside of its arrays."""
    try:
        if X.format in ("csr", "csc", "bsr"):
            _check_compressed(X)
        elif X.format == "coo":
            _check_coordinates(X)
        elif X.format == "dia":
            offsets = _index_array("offsets", X.offsets)
            if X.data.shape[:-1] != offsets.shape or _is_outside(offsets, -(2**31), 2**31):
                raise ValueError("offsets do not fit data")
        elif X.format == "lil" and not (
            len(X.rows) == len(X.data) == X.shape[0] and [*map(len, X.rows)] == [*map(len, X.data)]
        ):
            raise ValueError("rows do not fit data")
    except Exception as error:  # the attributes may be anything
        raise InputError(f"{name} is not a valid {brought_as.upper()} matrix: {one_line(error)}") from None


def _check_compressed(X: Any) -> None:
    """Check CSR, CSC (CSR of columns) or BSR (CSR of blocks)."""
    data, indices, starts = X.data, _index_array("indices", X.indices), _index_array("indptr", X.indptr)
    rows, columns = X.shape if len(X.shape) == 2 else (1, X.shape[0])
    if not isinstance(data, np.ndarray) or data.ndim != (3 if X.format == "bsr" else 1):
        raise ValueError(f"data is {shown(data)}; expected an array of numbers")
    if X.format == "csc":
        rows, columns = columns, rows
    elif X.format == "bsr":
        height, width = data.shape[1:]
        if rows % height or columns % width:
            raise ValueError(f"its blocks are {height} × {width}; expected blocks that fill {rows} × {columns}")
        rows, columns = rows // height, columns // width
    if len(starts) != rows + 1:
        raise ValueError(f"indptr has {len(starts)} entries; expected {rows + 1}")
    if len(indices) != len(data):
        raise ValueError(f"indices has {len(indices)} entries; expected {len(data)}, as many as data")
    if starts[0] != 0:
        raise ValueError(f"indptr[0] is {starts[0]}; expected 0")
    falls = starts[1:] < starts[:-1]
    if falls.any():
        row = int(np.argmax(falls))
        raise ValueError(f"indptr[{row + 1}] is {starts[row + 1]}; expected at least {starts[row]}, the entry before")
    if starts[-1] > len(data):
        row = int(np.argmax(starts > len(data)))
        raise ValueError(f"indptr[{row}] is {starts[row]}; expected at most {len(data)}, the number of values")
    _check_range("indices", indices[: starts[-1]], columns)


def _check_coordinates(X: Any) -> None:
    axes = X.coords if hasattr(X, "coords") else (X.row, X.col)
    if len(axes) != len(X.shape) or X.data.ndim != 1:
        raise ValueError("its coordinates do not fit its shape")
    for axis, (coordinates, size) in enumerate(zip(axes, X.shape, strict=True)):
        where = f"coords[{axis}]"
        if len(_index_array(where, coordinates)) != len(X.data):
            raise ValueError(f"{where} has {len(coordinates)} entries; expected {len(X.data)}, as many as data")
        _check_range(where, coordinates, size)


def _index_array(name: str, array: Any) -> NDArray[Any]:
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} is {shown(array)}; expected an array of integers of one dimension")
    return array


def _check_range(name: str, indices: NDArray[Any], end: int) -> None:
    if _is_outside(indices, 0, end):
        place = int(np.argmax((indices < 0) | (indices >= end)))
        raise ValueError(f"{name}[{place}] is {indices[place]}; expected an integer from 0 to {end - 1}")


def _is_outside(integers: NDArray[Any], low: int, end: int) -> bool:
    return len(integers) > 0 and not (int(integers.min()) >= low and int(integers.max()) < end)


def nonzeros_per_row(matrix: Any) -> float:
    """The average number of values in a row that are not 0."""
    nonzeros = matrix.nnz if is_sparse(matrix) else np.count_nonzero(matrix)
    return float(nonzeros / matrix.shape[0])
