"""A log as a folder of Parquet files, one or more for each day."""

import math
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path

import polars as pl
from polars.datatypes import DataTypeClass

from warmcb._atomic import replacing, sweep
from warmcb._messages import listed, short
from warmcb.errors import DataError
from warmcb.logs.events import Event
from warmcb.logs.table import SCHEMA, TIME, table_of
from warmcb.logs.tally import Tally

_Type = pl.DataType | DataTypeClass

_ROW_GROUP = 16384  # rows that are read at once
_MOST_EVENTS = 131_072  # events in memory at once

_EXPECTED = {
    "action": "UInt32, the position of the chosen action",
    "probabilities": "List(Float64), one number for each action",
}
_PER_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}  # in units of a time
_FIRST_DAY, _LAST_DAY = ((day - date(1970, 1, 1)).days for day in (date.min, date.max))
_DEFAULTS = {"arm": pl.lit("model"), "activated": pl.lit(True), "filled": pl.lit(False), "dropped": pl.lit(0.0)}


def append_parquet(folder: str | Path, events: Iterable[Event]) -> list[Path]:
    """Append events to a log, as new files `day=2026-11-16/part-….parquet` with a row for each decision.

    A file appears when it is complete: readers never see a part of it, even after a crash. Its name starts with the
    time of its first event, so files sort by time, and has a random part, so several writers may share a folder. Long
    streams are written to several files.

    Args:
        folder: the folder of the log. It is created if it does not exist.
        events: the events, in the order of the log.

    Returns:
        the files that were written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, append_parquet, open_log
        >>> with TemporaryDirectory() as folder:
        ...     files = append_parquet(folder, [Event("e1", (Slot(1, (0.2, 0.8), reward=1.0),))])
        ...     [event.slots[0].reward for event in open_log(folder).events()]
        [1.0]

    """
    folder, written, events = Path(folder), [], iter(events)
    while some := list(islice(events, _MOST_EVENTS)):
        table = table_of(some)
        days = table["time"].dt.strftime("%Y-%m-%d").fill_null("unknown")
        for day in days.unique(maintain_order=True):
            place = folder / f"day={day}"
            place.mkdir(parents=True, exist_ok=True)
            sweep(place)
            written.append(_write(table.filter(days == day), place))
    return written


def _write(table: pl.DataFrame, place: Path) -> Path:
    first = table["time"][0] or datetime.now(UTC)
    path = place / f"part-{first:%H%M%S.%f}-{secrets.token_hex(8)}.parquet"
    with replacing(path) as file:
        table.write_parquet(file, compression="zstd", row_group_size=_ROW_GROUP)
    return path


def read_parquet(path: Path, rows: int, tally: Tally) -> Iterator[pl.DataFrame]:
    """Read the rows of a file in batches, with the types of the table. Missing optional columns get defaults."""
    lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    have = lazy.collect_schema()
    if missing := {"event", "action", "probabilities"} - set(have):
        raise DataError(f"it has no column {', '.join(sorted(missing))}")
    for name, found in have.items():
        if name in SCHEMA and not _can_be_read(found, SCHEMA[name]):
            expected = _EXPECTED.get(name, SCHEMA[name])
            raise DataError(f"the column {name} has the type {short(str(found))}; expected {expected}")
    # pandas writes its index as a column whose name begins so.
    if ignored := [name for name in have if name not in SCHEMA and not name.startswith("__")]:
        tally.add("ignored columns", path, 0, detail=listed(ignored))
    columns = [
        (_typed(name, have[name], kind) if name in have else _DEFAULTS.get(name, pl.lit(None)).cast(kind)).alias(name)
        for name, kind in SCHEMA.items()
    ]
    typed = lazy.select(columns).with_columns(pl.col(name).fill_null(value) for name, value in _DEFAULTS.items())
    for start in range(0, lazy.select(pl.len()).collect().item(), rows):
        yield typed.slice(start, rows).collect()


def _can_be_read(found: _Type, kind: _Type) -> bool:
    """Whether the values of a column, or of its lists, can be converted without another meaning."""
    if found == pl.Null:
        return True
    if isinstance(kind, pl.List):
        return isinstance(found, pl.List | pl.Array) and _can_be_read(found.inner, kind.inner)
    if kind == TIME:  # a number could be of seconds or of milliseconds
        return found in (pl.Datetime, pl.Date)
    if kind.is_float():
        return found.is_numeric() or found in (pl.Boolean, pl.String)
    if kind == pl.String:
        return found.is_numeric() or found in (pl.String, pl.Categorical, pl.Enum, pl.Binary, pl.Boolean)
    return found.is_numeric() or found == kind


def _typed(name: str, found: pl.DataType, kind: pl.DataType) -> pl.Expr:
    """A column with its type. A wrong value becomes null or NaN: it loses its decision, but not the file."""
    column = pl.col(name)
    if found == pl.Null:
        return column.cast(kind)
    if kind == TIME:  # beyond all calendars Polars panics
        days = column.to_physical() // (_PER_DAY[found.time_unit] if isinstance(found, pl.Datetime) else 1)
        return pl.when(days.is_between(_FIRST_DAY, _LAST_DAY)).then(column).cast(kind)
    if name == "action":
        whole = column.cast(kind, strict=False)
        return pl.when(whole == column).then(whole)
    if name == "reward":  # null means that there is no reward
        number = column.cast(kind, strict=False)
        return pl.when(column.is_not_null() & number.is_null()).then(pl.lit(math.nan)).otherwise(number)
    return column.cast(kind, strict=name != "probabilities")
