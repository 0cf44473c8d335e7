"""Remarks on a data set for the user: what was left out or replaced, and what looks unusual."""

from collections.abc import Iterator, Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb._messages import counted

_MOST_NAMES = 5
_FEWEST_IDS = 20  # in fewer rows, integers may all differ by chance
_CURE = (
    ", which says nothing about any other: replace it by the month, the weekday or a number of days (above 255 features"
    " the model is linear)"
)
# A date in the format of ISO 8601, alone or followed by a time.
_ISO_DATE = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]\d{2}:\d{2}.*)?$"


def is_number(series: pl.Series) -> bool:
    """Whether a column is encoded as numbers, and not one-hot."""
    return series.dtype.is_numeric() or series.dtype == pl.Boolean


def table_remarks(
    features: pl.DataFrame, target: str, n_classes: int, dropped_rows: int, dropped: list[str]
) -> Iterator[str]:
    """The remarks on a table after its rows without a target and its columns without values were dropped."""
    n_rows = len(features)
    if dropped_rows:
        yield dropped_rows_remark(dropped_rows)
    yield from missing_values_remarks(features, dropped)
    if n_classes > max(20, n_rows // 4):
        yield f"the target {target} has {n_classes} classes in {n_rows} rows: is it a number to be estimated?"
    for series in features:
        if is_number(series):
            if _is_numbering(series):
                yield f"the column {series.name} has another integer in each of {n_rows} rows: is it an id?"
            continue
        levels = series.n_unique()
        if kind := _kind_of_time(series):
            count = series.drop_nulls().n_unique()
            yield f"{series.name}: {counted(count, kind)} became one level{'' if count == 1 else f' each{_CURE}'}"
        elif levels > max(100, n_rows // 4):
            yield f"the column {series.name} has {levels} levels in {n_rows} rows, each a feature: is it an id?"


def described_remarks(starts: NDArray[np.int64], costs: NDArray[np.float64], n_ids: int) -> Iterator[str]:
    """The remarks on rounds with described actions, of which `n_ids` have an id."""
    n_actions = len(costs)
    known = np.add.reduceat(~np.isnan(costs), starts[:-1], dtype=np.int64)
    if unknown := int(np.count_nonzero(known == 0)):
        yield f"{counted(unknown, 'round')} without any known cost"
    if 0 < n_ids < n_actions:
        yield f"ids were dropped: {n_actions - n_ids} of {n_actions} actions have none"


def missing_values_remarks(features: pl.DataFrame, dropped: list[str]) -> Iterator[str]:
    """The remarks on missing values in a table after its columns without values were dropped."""
    if dropped:
        yield f"columns without any value were dropped: {_listed(dropped)}"
    missing = {series.name: series.null_count() for series in features if series.null_count()}
    numbers = {name: count for name, count in missing.items() if is_number(features[name])}
    yield from missing_remarks(numbers, {name: count for name, count in missing.items() if name not in numbers})


def hidden_columns_remarks(hidden: list[str]) -> Iterator[str]:
    if hidden:
        yield f"columns whose names begin with _ were dropped: {_listed(hidden)}"


def skipped_remarks(counts: Mapping[str, int]) -> Iterator[str]:
    """The number of skipped lines of each kind; kinds are given in the singular."""
    for kind, count in counts.items():
        yield f"{counted(count, kind)} {'was' if count == 1 else 'were'} skipped"


def dropped_rows_remark(count: int) -> str:
    return f"{counted(count, 'row')} without a target {'was' if count == 1 else 'were'} dropped"


def missing_remarks(numbers: Mapping[str, int], levels: Mapping[str, int]) -> Iterator[str]:
    """The number of missing values, in numeric columns and in one-hot columns."""
    if numbers:
        yield missing_numbers_remark(sum(numbers.values()), f" {_in_columns(numbers)}")
    if levels:
        count = sum(levels.values())
        what = "is a level of its own" if count == 1 else "are a level of their own"
        yield f"{counted(count, 'missing value')} {_in_columns(levels)} {what}"


def missing_numbers_remark(count: int, where: str = "") -> str:
    return f"{counted(count, 'missing number')}{where} {'counts' if count == 1 else 'count'} as 0"


def _in_columns(counts: Mapping[str, int]) -> str:
    return f"in {counted(len(counts), 'column')} ({_listed(list(counts))})"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES} more"


def _is_numbering(series: pl.Series) -> bool:
    """Whether a column of numbers has another integer in each row, as an index or the numbers of customers have."""
    if series.dtype == pl.Boolean or len(series) < _FEWEST_IDS or series.null_count():
        return False
    return bool((series.floor() == series).all()) and series.n_unique() == len(series)


def _kind_of_time(series: pl.Series) -> str | None:
    """The kind of a column of dates or times, "date" or "time"; None for other columns."""
    if series.dtype.is_temporal():
        return "date" if series.dtype == pl.Date else "time"
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return None
    texts = series.drop_nulls().unique().cast(pl.String)
    return "date" if len(texts) and texts.str.strip_chars().str.contains(_ISO_DATE).all() else None
