"""A log by its path: a file, or a folder of files, read as a stream as often as one likes."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from warmcb._messages import one_line, shown
from warmcb.errors import DataError, InputError
from warmcb.logs.checks import Checks
from warmcb.logs.events import Event
from warmcb.logs.files import batches, files_of
from warmcb.logs.table import event_of, rows_by_event
from warmcb.logs.tally import Tally


class Log:
    """Events in order, on disk. Each pass reads them anew, in bounded memory.

    Decisions that came twice are told by a hash of their ids, of which a pass keeps 12 bytes for each decision.

    Attributes:
        path: the file or folder.
        tally: what the last pass has found so far.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tally = Tally()
        files_of(path)  # a path without a log is refused at once

    def tables(self, rows: int = 16384) -> Iterator[pl.DataFrame]:
        """The decisions, some at a time; an event is never divided.

        Args:
            rows: about how many at a time.

        Yields:
            frames with the columns of `warmcb.logs.table.SCHEMA`.

        """
        if rows < 1:
            raise InputError(f"rows is {shown(rows)}; expected at least 1")
        self.tally = tally = Tally()
        checks = Checks(tally)
        found = (batch for file in files_of(self.path) for batch in batches(file, rows, tally))
        for table in _whole_events(map(checks.checked, found), rows):
            tally.decisions += len(table)
            tally.events += _count_events(table)
            yield table
        if not tally.decisions:
            raise DataError(f"{self.path} has no decision that can be used: {'; '.join(tally.lines()[1:]) or 'empty'}")

    def events(self) -> Iterator[Event]:
        """The events, one at a time.

        Yields:
            each event that can be used.

        """
        for table in self.tables():
            for rows in rows_by_event(table):
                try:
                    yield event_of(rows)
                except InputError as error:  # a request that is no JSON: tables do not look into it
                    self.tally.events -= 1
                    self.tally.decisions -= len(rows)
                    detail = f"event {shown(rows[0]['event'])}: {one_line(error)}"
                    self.tally.add("contradiction", self.path, 0, len(rows), detail)


def open_log(path: str | Path) -> Log:
    """Open a log.

    Args:
        path: a file whose name ends in .parquet, .dsjson, .json or .jsonl (the last three also with .gz behind it), or
            a folder of such files, which are read in the order of their names.

    Returns:
        the log; nothing of it is read yet.

    """
    if not isinstance(path, str | Path):
        raise DataError(f"path is {shown(path)}; expected the name of a log")
    return Log(Path(path))


def _whole_events(tables: Iterator[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """The same rows in tables of about `rows`; an event of several slots stays together."""
    waiting: list[pl.DataFrame] = []
    for table in tables:
        waiting.append(table)
        if sum(map(len, waiting)) >= rows:
            joined = pl.concat(waiting)
            end = _last_start(joined)
            if end:
                yield joined[:end]
            waiting = [joined[end:]]
    if rest := [table for table in waiting if len(table)]:
        yield pl.concat(rest)


def _last_start(table: pl.DataFrame) -> int:
    """Where the last event begins, whose next slots may come with the next table; the end, if it has one decision."""
    if table["slot"][-1] is None:
        return len(table)
    is_other = (table["event"] != table["event"][-1]) | table["slot"].is_null()
    return 1 + int(is_other.arg_true()[-1]) if is_other.any() else 0


def _count_events(table: pl.DataFrame) -> int:
    is_first = pl.col("slot").is_null() | (pl.col("event") != pl.col("event").shift()).fill_null(True)
    return int(table.select(is_first.sum()).item())
