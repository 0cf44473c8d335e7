"""A log as a folder of Parquet files, one or more for each day."""

import math
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import polars as pl

from warmcb._atomic import replacing, sweep
from warmcb._messages import listed
from warmcb.errors import DataError
from warmcb.logs.events import Event
from warmcb.logs.table import SCHEMA, TIME, table_of
from warmcb.logs.tally import Tally

_ROW_GROUP = 16384  # rows that are read at once
_MOST_EVENTS = 131_072  # events in memory at once

_EXPECTED = {
    "action": "UInt32, the position of the chosen action",
    "probabilities": "List(Float64), one number for each action",
}
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
            raise DataError(f"the column {name} has the type {found}; expected {_EXPECTED.get(name, SCHEMA[name])}")
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


def _can_be_read(found: pl.DataType, kind: pl.DataType) -> bool:
    """Whether the values of a column can be converted. The sizes of numbers, and the type in lists, may differ."""
    if found == pl.Null:
        return True
    if isinstance(kind, pl.List):
        return isinstance(found, pl.List | pl.Array)
    if kind == TIME:  # a number could be of seconds or of milliseconds
        return isinstance(found, pl.Datetime | pl.Date)
    return found.is_numeric() if kind.is_integer() else not found.is_nested()


def _typed(name: str, found: pl.DataType, kind: pl.DataType) -> pl.Expr:
    """A column with its type. A wrong value becomes null or NaN: it loses its decision, but not the file."""
    column = pl.col(name)
    if name == "reward":  # null means that there is no reward
        number = column.cast(kind, strict=False)
        return pl.when(column.is_not_null() & number.is_null()).then(pl.lit(math.nan)).otherwise(number)
    can_be_null = name == "probabilities" or (name == "action" and found.is_numeric())
    return column.cast(kind, strict=not can_be_null)
