"""Tables with a round in each row: a list of actions in a column, their costs, and the context in other columns."""

from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb._messages import listed
from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import narrow, wide_encoder
from warmcb.data.remarks import (
    described_remarks,
    hidden_columns_remarks,
    is_number,
    missing_numbers_remark,
    missing_values_remarks,
)
from warmcb.errors import DataError, InputError

_COSTS, _COST, _TARGET, _IDS, _ID = "costs", "cost", "target", "ids", "id"


class _Features(NamedTuple):
    matrix: Any | None
    columns: tuple[str, ...] | None
    remarks: tuple[str, ...] = ()


def is_list(kind: pl.DataType) -> bool:
    return isinstance(kind, pl.List | pl.Array)


def read_action_table(name: str, table: pl.DataFrame, actions: str, target: str | None) -> DescribedDataset:
    """Encode a table whose rows are rounds. `read_described` explains its columns.

    Args:
        name: the name of the data set.
        table: the table.
        actions: the column of the lists of actions.
        target: the column of the right action.

    """
    if actions not in table.columns or not is_list(table.schema[actions]):
        found = f"no column {actions!r}" if actions not in table.columns else f"no lists in the column {actions!r}"
        raise DataError(f"{name} has {found}; expected a list of actions in each row")
    if len(table) == 0:
        raise DataError(f"{name} has no rows; expected rounds")
    rounds = table[actions]
    sizes = _lengths(rounds)
    if (empty := np.flatnonzero(sizes == 0)).size:
        raise DataError(f"{name} has no actions in round {empty[0] + 1}; expected at least one")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    every = _flat(rounds)
    if every.null_count():
        i = np.searchsorted(starts, every.is_null().arg_max() or 0, side="right")
        raise DataError(f"{name} has an action without a value in round {i}; expected its features")
    context = table.drop(actions)
    fields = every.struct.unnest() if isinstance(every.dtype, pl.Struct) else pl.DataFrame()
    costs, used = _costs(name, context, fields, sizes, target)
    ids = _ids(name, context, fields, sizes)
    fields, context = fields.drop(_COST, _ID, strict=False), context.drop(*used, _IDS, strict=False)
    A = _table_features(name, fields) if isinstance(every.dtype, pl.Struct) else _number_lists(name, every)
    X = _table_features(name, context)
    known_ids = [] if ids is None else ids.drop_nulls().to_list()
    return DescribedDataset(
        name,
        X.matrix,
        np.zeros((len(every), 0), dtype=np.float32) if A.matrix is None else A.matrix,
        starts,
        costs,
        tuple(known_ids) if len(known_ids) == len(every) else None,
        X.columns,
        A.columns,
        (
            *X.remarks,
            *(f"{actions}: {remark}" for remark in A.remarks),
            *described_remarks(starts, costs, len(known_ids)),
        ),
    )


def _lengths(column: pl.Series) -> NDArray[np.int64]:
    """The length of each list; 0 for a missing list."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    return column.list.len().fill_null(0).cast(pl.Int64).to_numpy()


def _flat(column: pl.Series) -> pl.Series:
    """The entries of all lists in one column."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    return column.filter(column.list.len() > 0).explode()


def _costs(
    name: str, context: pl.DataFrame, fields: pl.DataFrame, sizes: NDArray[np.int64], target: str | None
) -> tuple[NDArray[np.float64], list[str]]:
    """The cost of each action, and the columns of the context that it comes from."""
    if target is not None and target not in context.columns:
        raise DataError(f"{name} has no column {target!r}; expected one of {listed(context.columns)}")
    column = target or (_TARGET if _TARGET in context.columns else None)
    places = [f"the column {_COSTS!r}"] if _COSTS in context.columns else []
    places += [f"the field {_COST!r} of its actions"] if _COST in fields.columns else []
    places += [f"the column {column!r}"] if column else []
    if len(places) != 1:
        found = f"costs in {' and in '.join(places)}" if places else "no costs"
        expected = f"expected a column {_COSTS!r}, a field {_COST!r} of its actions or a column {_TARGET!r}"
        raise DataError(f"{name} has {found}; {expected}")
    if column:
        return _costs_of_target(name, context[column], sizes), [column]
    if _COST in fields.columns:
        return _as_costs(name, fields[_COST]), []
    costs = np.full(sizes.sum(), np.nan)
    known = _refuse_lengths(name, context[_COSTS], sizes)
    costs[np.repeat(known, sizes)] = _as_costs(name, _flat(context[_COSTS]))
    return costs, [_COSTS]


def _as_costs(name: str, column: pl.Series) -> NDArray[np.float64]:
    if not column.dtype.is_numeric() and column.dtype != pl.Null:
        raise DataError(f"{name} has costs of the type {column.dtype}; expected numbers")
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy()


def _costs_of_target(name: str, column: pl.Series, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """0 for the right action and 1 for all others of its round; NaN if the right action is missing."""
    if not column.dtype.is_numeric():
        raise DataError(f"{name} has the type {column.dtype} in the column {column.name!r}; expected integers")
    column = column.cast(pl.Float64).fill_nan(None)  # integers with gaps are floats in many tables
    known = column.is_not_null().to_numpy()
    right = column.fill_null(0).to_numpy()
    if (outside := np.flatnonzero((right < 0) | (right >= sizes) | (right % 1 != 0))).size:
        i = outside[0]
        expected = f"expected an integer from 0 to {sizes[i] - 1}, the row of an action"
        raise DataError(f"{name} has {right[i]:g} in the column {column.name!r}, round {i + 1}; {expected}")
    costs = np.where(np.repeat(known, sizes), 1.0, np.nan)
    begins = np.cumsum(sizes) - sizes
    costs[(begins + right.astype(np.int64))[known]] = 0.0
    return costs


def _ids(name: str, context: pl.DataFrame, fields: pl.DataFrame, sizes: NDArray[np.int64]) -> pl.Series | None:
    if _IDS in context.columns and _ID in fields.columns:
        raise DataError(f"{name} has ids in the column {_IDS!r} and in the field {_ID!r}; expected one of them")
    if _IDS in context.columns:
        _refuse_lengths(name, context[_IDS], sizes)
        ids = _flat(context[_IDS])
    elif _ID in fields.columns:
        ids = fields[_ID]
    else:
        return None
    if ids.dtype in (pl.Categorical, pl.Enum):
        ids = ids.cast(pl.String)
    if ids.dtype not in (pl.String, pl.Null) and not ids.dtype.is_integer():
        raise DataError(f"{name} has ids of the type {ids.dtype}; expected texts or integers")
    return ids


def _refuse_lengths(name: str, column: pl.Series, sizes: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Refuse lists whose length is not the number of actions. Returns which lists exist."""
    if not is_list(column.dtype):
        raise DataError(f"{name} has the type {column.dtype} in the column {column.name!r}; expected lists")
    is_there, lengths = column.is_not_null().to_numpy(), _lengths(column)
    if (wrong := np.flatnonzero(is_there & (lengths != sizes))).size:
        i = wrong[0]
        found = f"{lengths[i]} {column.name} in round {i + 1}"
        raise DataError(f"{name} has {found}; expected {sizes[i]}, one for each action")
    return is_there


def _table_features(name: str, table: pl.DataFrame) -> _Features:
    """Numeric columns unchanged, with 0 for missing numbers. If there are other columns, all columns are encoded.

    Columns whose names start with _ are always dropped, because the encoder ignores them.
    """
    hidden = [column for column in table.columns if column.startswith("_")]
    table = table.drop(hidden).with_columns(pl.selectors.float().fill_nan(None))
    empty = [series.name for series in table if series.null_count() == len(series)]
    table = table.drop(empty)
    remarks = (*hidden_columns_remarks(hidden), *missing_values_remarks(table, empty))
    if table.width == 0:
        return _Features(None, None, remarks)
    is_numeric = [is_number(series) for series in table]
    table = table.with_columns(
        series.cast(pl.Float64).fill_null(0) for series, numeric in zip(table, is_numeric, strict=True) if numeric
    )
    if all(is_numeric):
        return _Features(_as_floats(table.to_numpy()), tuple(table.columns), remarks)
    encoder = wide_encoder()
    try:
        matrix, columns = narrow(encoder, encoder.encode_many(table))
    except InputError as error:
        raise DataError(f"{name}: {error}") from None
    return _Features(matrix, columns, remarks) if columns else _Features(None, None, remarks)


def _number_lists(name: str, every: pl.Series) -> _Features:
    """Actions that are lists of numbers, all of the same length."""
    if not is_list(every.dtype) or not every.dtype.inner.is_numeric():  # type: ignore[attr-defined]
        raise DataError(f"{name} has actions of the type {every.dtype}; expected structs or lists of numbers")
    widths = _lengths(every)
    if len(different := np.unique(widths)) > 1:
        raise DataError(
            f"{name} has actions of {different[0]} and of {different[1]} numbers; expected the same number for all"
        )
    numbers = _flat(every).cast(pl.Float64).fill_nan(None)
    missing = numbers.null_count()
    remarks = (missing_numbers_remark(missing),) if missing else ()
    return _Features(_as_floats(numbers.fill_null(0).to_numpy()).reshape(len(every), -1), None, remarks)


def _as_floats(numbers: NDArray[np.float64]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):  # numbers that overflow are refused later, with their place
        return np.ascontiguousarray(numbers, dtype=np.float32)
