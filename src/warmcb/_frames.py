"""Tables with named columns: read the names, and put the columns into the order of a bandit."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import listed, one_line, shown
from warmcb.errors import InputError

_OBJECT = np.dtype(object)
_COMPARED = 1000  # names to compare a misspelt one with
_POLARS_AS_NUMPY = frozenset(f"{kind}{bits}" for kind in ("Int", "UInt") for bits in (8, 16, 32, 64)) | {
    "Float32",
    "Float64",
}


def columns_of(X: object, name: str = "X") -> tuple[str, ...] | None:
    """The names of the columns of X in their order; None if X has no names.

    These have names: a pandas or Polars DataFrame, a pandas Series with an index of strings (one row of a frame), and a
    mapping from names to numbers (one context). Errors refer to X as `name`.
    """
    kind = type(X)
    if kind is np.ndarray or kind is list:  # the most frequent types first, because this is called in every round
        return None
    if isinstance(X, _class("pandas", "DataFrame")):
        return _pandas_names(name, X.columns)
    if isinstance(X, _class("pandas", "Series")):
        return _pandas_names(name, X.index)
    if isinstance(X, _class("polars", "DataFrame")):
        return tuple(X.columns)
    if isinstance(X, _class("polars", "LazyFrame")):
        raise InputError(f"{name} is a Polars LazyFrame; expected a DataFrame: collect() it first")
    if isinstance(X, Mapping) and not hasattr(X, "tocsr"):  # some of SciPy's sparse matrices are dicts
        return _strings(name, list(X))
    return None


def arranged(name: str, X: object, columns: tuple[str, ...]) -> Any:
    """The numbers of X with its columns in the order of `columns`.

    A frame becomes a matrix: a NumPy array, or a CSR matrix if all columns are sparse columns of pandas. A Series and a
    mapping become a single row. Missing values become NaN, booleans 0 and 1. Anything without names is returned
    unchanged. X is never changed.
    """
    found = columns_of(X, name)
    if found is None:
        return X
    order = None if found == columns else _order(name, found, columns)
    try:
        values = _values(name, X, found)
    except InputError:
        raise
    except Exception as error:  # an integer too large for a float, or any error of a foreign column
        raise InputError(f"{name} is not a table of numbers: {one_line(error)}") from None
    if order is None:
        return values
    return values[order] if values.ndim == 1 else values[:, order]


def is_frame(X: object) -> bool:
    """Whether X is a table of pandas or Polars."""
    kinds = (("pandas", "DataFrame"), ("polars", "DataFrame"), ("polars", "LazyFrame"))
    return any(isinstance(X, _class(*kind)) for kind in kinds)


def is_pandas_series(X: object) -> bool:
    """Whether X may be one row of a pandas frame."""
    return isinstance(X, _class("pandas", "Series"))


def _class(module: str, name: str) -> Any:
    """A class of a module if it has been imported; else there can be no object of that class."""
    return getattr(sys.modules.get(module), name, ())  # isinstance(X, ()) is false


def _pandas_names(name: str, index: Any) -> tuple[str, ...] | None:
    if index.nlevels > 1:
        raise InputError(f"{name} has column names of {index.nlevels} levels; expected one name for each column")
    return _strings(name, index.tolist())


def _strings(name: str, found: list[Any]) -> tuple[str, ...] | None:
    """The names, or None if they are numbers, as in a frame that pandas made from an array."""
    if not set(map(type, found)) <= {str}:
        others = [label for label in found if not isinstance(label, str)]
        if len(others) == len(found):
            return None
        if others:
            raise InputError(f"{name} has the column {shown(others[0])} and named columns; expected strings only")
        found = [str.__str__(label) for label in found]  # converts strings of NumPy and members of an Enum
    if len(set(found)) < len(found):
        label, times = Counter(found).most_common(1)[0]
        raise InputError(f"{name} has the column {shown(label)} {times} times; expected distinct names")
    return tuple(found)


def _order(name: str, found: tuple[str, ...], columns: tuple[str, ...]) -> NDArray[np.intp]:
    """The place of each of `columns` in `found`; an error if their names differ."""
    place = {label: i for i, label in enumerate(found)}
    missing = [label for label in columns if label not in place]
    known = set(columns)
    unknown = [label for label in found if label not in known]
    if missing:
        count = f" (the first of {len(missing)} that are missing)" if len(missing) > 1 else ""
        candidates = [label for label in unknown[:_COMPARED] if len(label) <= 100]
        close = get_close_matches(missing[0][:100], candidates, 1)
        hint = f", but it has the unknown column {shown(close[0])}" if close else ""
        raise InputError(
            f"{name} has no column {shown(missing[0])}{count}{hint}; expected {listed(columns) or 'no columns'}"
        )
    if unknown:
        count = f" (the first of {len(unknown)} such columns)" if len(unknown) > 1 else ""
        what = f"{name} has the unknown column {shown(unknown[0])}{count}"
        raise InputError(f"{what}; expected {listed(columns) or 'no columns'}")
    return np.array([place[label] for label in columns], dtype=np.intp)


def _values(name: str, X: Any, columns: tuple[str, ...]) -> Any:
    if isinstance(X, Mapping):
        return _floats(name, columns, [_unwrapped(value) for value in X.values()])
    if isinstance(X, _class("pandas", "Series")):
        return _pandas_row(name, X, columns)
    if isinstance(X, _class("pandas", "DataFrame")):
        return _pandas_matrix(name, X, columns)
    return _polars_matrix(name, X, columns)


def _polars_matrix(name: str, frame: Any, columns: tuple[str, ...]) -> NDArray[Any]:
    dtypes = frame.dtypes
    kinds = set(dtypes)
    wrong = {dtype for dtype in kinds if not (dtype.is_numeric() or str(dtype) in ("Boolean", "Null"))}
    _refuse(name, columns, dtypes, wrong)
    if {str(dtype) for dtype in kinds} <= _POLARS_AS_NUMPY:
        return np.asarray(frame.to_numpy())
    # For decimals, booleans and integers of 128 bits, to_numpy would make objects or raise an error.
    return np.asarray(frame.cast(sys.modules["polars"].Float64).to_numpy())


def _pandas_matrix(name: str, frame: Any, columns: tuple[str, ...]) -> Any:
    dtypes = frame.dtypes.tolist()
    kinds = set(dtypes)
    _refuse(name, columns, dtypes, {dtype for dtype in kinds if dtype != _OBJECT and not _is_numeric(dtype)})
    if _OBJECT in kinds:
        # Column by column, because NumPy would read the text '1.5' as a number, and fail on NA of pandas.
        matrix = np.empty(frame.shape, dtype=np.float64)
        for i, column in enumerate(columns):
            matrix[:, i] = _pandas_column(name, frame.iloc[:, i], column)
        return matrix
    sparse = sys.modules["pandas"].SparseDtype
    if kinds and all(isinstance(dtype, sparse) and dtype.fill_value == 0 for dtype in kinds):
        return (frame if len(kinds) == 1 else frame.astype(sparse(np.float64, 0.0))).sparse.to_coo().tocsr()
    if len(kinds) == 1 and isinstance(dtypes[0], np.dtype):
        return frame.to_numpy()
    return frame.to_numpy(dtype=np.float64, na_value=np.nan)


def _pandas_column(name: str, series: Any, column: str) -> NDArray[Any]:
    if series.dtype == _OBJECT:
        return _floats(name, [column] * len(series), series.tolist())
    return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))


def _pandas_row(name: str, series: Any, columns: tuple[str, ...]) -> NDArray[Any]:
    if series.dtype == _OBJECT:
        return _floats(name, columns, series.tolist())
    _refuse(name, columns[:1], [series.dtype], set() if _is_numeric(series.dtype) else {series.dtype})
    plain = isinstance(series.dtype, np.dtype)
    return np.asarray(series.to_numpy() if plain else series.to_numpy(dtype=np.float64, na_value=np.nan))


def _is_numeric(dtype: Any) -> bool:
    # The kind detects booleans of Arrow, which are no numbers for pandas; is_numeric_dtype detects its decimals.
    return dtype.kind in "biuf" or (dtype.kind != "c" and bool(sys.modules["pandas"].api.types.is_numeric_dtype(dtype)))


def _floats(name: str, columns: Sequence[str], values: list[Any]) -> NDArray[np.float64]:
    """Python numbers as floats; `columns` has the column of each, for errors."""
    missing = {type(None), type(getattr(sys.modules.get("pandas"), "NA", None))}
    kinds = set(map(type, values))
    wrong = {kind for kind in kinds - missing if not _is_number(kind)}
    if wrong:
        column, value = next(pair for pair in zip(columns, values, strict=True) if type(pair[1]) in wrong)
        what = f"the column {shown(column)} of {name} has {shown(value)}, of the type {type(value).__name__}"
        raise InputError(f"{what}; {_expected(name)}")
    if kinds & missing:
        values = [np.nan if type(value) in missing else value for value in values]
    return np.array(values, dtype=np.float64)


def _is_number(kind: type) -> bool:
    # A time span of NumPy is an integer, but not a number here.
    return issubclass(kind, Real | Decimal | np.bool_) and not issubclass(kind, np.timedelta64)


def _unwrapped(value: Any) -> Any:
    """The number inside a 0-d array or a tensor of one element."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def _refuse(name: str, columns: tuple[str, ...], dtypes: list[Any], wrong: set[Any]) -> None:
    """Raise an error for the first column with a wrong type."""
    for column, dtype in zip(columns, dtypes, strict=False) if wrong else ():
        if dtype in wrong:
            what = f"the column {shown(column)} of {name} has the type {dtype}"
            raise InputError(f"{what}; {_expected(name)}")


def _expected(name: str) -> str:
    """What was expected instead of text and dates. Contexts and actions can be encoded, costs cannot."""
    return "expected numbers" if name == "costs" else "expected numbers, or a bandit with encoder=Encoder()"
