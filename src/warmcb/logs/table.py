"""A log as a table with a row for each decision, in the order of events and slots."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

import polars as pl

from warmcb.logs._lists import list_column
from warmcb.logs.events import Event, Slot

TIME = pl.Datetime("us", "UTC")

SCHEMA: dict[str, pl.DataType] = {
    "event": pl.String(),
    "slot": pl.String(),
    "time": TIME,
    "unit": pl.String(),
    "arm": pl.String(),
    "x": pl.List(pl.Float32),
    "request": pl.String(),
    "described": pl.List(pl.List(pl.Float32)),
    "names": pl.List(pl.String),
    "allowed": pl.List(pl.Boolean),
    "action": pl.UInt32(),
    "probabilities": pl.List(pl.Float64),
    "model": pl.String(),
    "settings": pl.String(),
    "reward": pl.Float64(),
    "rewarded": TIME,
    "activated": pl.Boolean(),
    "filled": pl.Boolean(),
    "dropped": pl.Float64(),
}
"""The columns of a log and their types."""

Row = tuple[Any, ...]
"""The values of a decision in the order of `SCHEMA`; times in microseconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def table_of(events: Iterable[Event]) -> pl.DataFrame:
    """Convert events to a table.

    Args:
        events: the events, in the order of the log.

    Returns:
        a data frame with the columns of `SCHEMA`.

    Examples:
        >>> table = table_of([Event("e1", (Slot(1, (0.2, 0.8), reward=1.0),))])
        >>> table.select("event", "action", "reward").rows()
        [('e1', 1, 1.0)]

    """
    return frame([row for event in events for row in rows_of(event)])


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Make a table of rows."""
    columns = zip(*rows, strict=True) if rows else [()] * len(SCHEMA)
    return pl.DataFrame([_column(*named, values) for named, values in zip(SCHEMA.items(), columns, strict=True)])


def _column(name: str, kind: pl.DataType, values: Sequence[Any]) -> pl.Series:
    if isinstance(kind, pl.List):
        return list_column(name, values, kind)
    if kind == TIME:
        return pl.Series(name, values, dtype=pl.Int64).cast(TIME)
    return pl.Series(name, values, dtype=kind)


def rows_of(event: Event) -> list[Row]:
    """The rows of one event."""
    n_actions = event.n_actions
    return [
        (
            event.id,
            slot.id,
            microseconds(event.time),
            event.unit,
            event.arm,
            event.x,
            event.request,
            event.described,
            event.names,
            None if slot.allowed is None else [action in slot.allowed for action in range(n_actions)],
            slot.action,
            slot.probabilities,
            event.model,
            event.settings,
            slot.reward,
            microseconds(slot.rewarded),
            event.activated,
            slot.filled,
            event.dropped,
        )
        for slot in event.slots
    ]


def events_of(table: pl.DataFrame) -> Iterator[Event]:
    """Convert a table to events. The rows of an event must follow each other.

    Args:
        table: a data frame with the columns of `SCHEMA`.

    Returns:
        the events, one at a time.

    """
    return map(event_of, rows_by_event(table))


def rows_by_event(table: pl.DataFrame) -> Iterator[list[dict[str, Any]]]:
    """The rows of each event."""
    rows = table.select(*SCHEMA).iter_rows(named=True)
    for _, grouped in groupby(enumerate(rows), key=_same_event):
        yield [row for _, row in grouped]


def event_of(rows: list[dict[str, Any]]) -> Event:
    """Make an event of its rows."""
    first = rows[0]
    return Event(
        id=first["event"],
        slots=tuple(map(_slot, rows)),
        time=first["time"],
        unit=first["unit"],
        arm=first["arm"],
        x=_tuple(first["x"]),
        request=first["request"],
        described=None if first["described"] is None else tuple(map(tuple, first["described"])),
        names=_tuple(first["names"]),
        model=first["model"],
        settings=first["settings"],
        activated=first["activated"],
        dropped=first["dropped"],
    )


def microseconds(time: datetime | None) -> int | None:
    """A time in microseconds since 1970, as the table stores it."""
    return None if time is None else (time - _EPOCH) // _MICROSECOND


def _same_event(numbered: tuple[int, dict[str, Any]]) -> tuple[str, int | None]:
    """A key that the rows of one event share. A row without a slot is its own event."""
    number, row = numbered
    return row["event"], number if row["slot"] is None else None


def _slot(row: dict[str, Any]) -> Slot:
    allowed = row["allowed"]
    return Slot(
        action=row["action"],
        probabilities=tuple(row["probabilities"]),
        id=row["slot"],
        allowed=None if allowed is None else tuple(place for place, is_allowed in enumerate(allowed) if is_allowed),
        reward=row["reward"],
        rewarded=row["rewarded"],
        filled=row["filled"],
    )


def _tuple(values: list[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)
