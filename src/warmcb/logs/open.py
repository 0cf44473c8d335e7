"""Open a log: a file or a folder of files, which is read as a stream."""

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
    """A log on disk. Each pass reads its events from the start, in bounded memory.

    A decision that appears twice is used once. To detect that, a pass stores 12 bytes for each decision.

    Args:
        path: the file or folder. Use `open_log` instead.

    Attributes:
        path: the file or folder.
        tally: the counts of the last pass so far.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, open_log, write_dsjson
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", [Event("e1", (Slot(1, (0.2, 0.8), reward=1.0),))])
        ...     log = open_log(f"{folder}/log.dsjson")
        ...     events = list(log.events())
        >>> events[0].slots[0].reward, log.tally.decisions
        (1.0, 1)

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tally = Tally()
        files_of(path)  # refuses a path without a log at once

    def tables(self, rows: int = 16384) -> Iterator[pl.DataFrame]:
        """Read the decisions as tables. The decisions of an event are always in the same table.

        Args:
            rows: the approximate number of rows of a table.

        Yields:
            data frames with the columns of a log, which the guide to logs lists.

        Raises:
            DataError: the log has no decision that can be used.

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
        """Read the events one by one.

        Yields:
            each event that can be used.

        Raises:
            DataError: the log has no event that can be used.

        """
        for table in self.tables():
            for rows in rows_by_event(table):
                try:
                    yield event_of(rows)
                except InputError as error:  # a request that is not JSON, which tables do not check
                    self.tally.events -= 1
                    self.tally.decisions -= len(rows)
                    detail = f"event {shown(rows[0]['event'])}: {one_line(error)}"
                    self.tally.add("contradiction", self.path, 0, len(rows), detail)


def open_log(path: str | Path) -> Log:
    """Open a log.

    Args:
        path: a file whose name ends in .parquet, .dsjson, .json or .jsonl, the last three also followed by .gz; or a
            folder of such files, which are read in the order of their names.

    Returns:
        the log. Nothing of it has been read yet.

    Raises:
        DataError: there is no such file or folder, or it has no files of a log.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, open_log, write_dsjson
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", [Event("e1", (Slot(1, (0.2, 0.8), reward=1.0),))])
        ...     [event.id for event in open_log(folder).events()]
        ['e1']

    """
    if not isinstance(path, str | Path):
        raise DataError(f"path is {shown(path)}; expected the name of a log")
    return Log(Path(path))


def _whole_events(tables: Iterator[pl.DataFrame], rows: int) -> Iterator[pl.DataFrame]:
    """Regroup rows into tables of about `rows` rows, without splitting an event of several slots."""
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
    """The first row of the last event, whose other slots may be in the next table; the end if it has one decision."""
    if table["slot"][-1] is None:
        return len(table)
    is_other = (table["event"] != table["event"][-1]) | table["slot"].is_null()
    return 1 + int(is_other.arg_true()[-1]) if is_other.any() else 0


def _count_events(table: pl.DataFrame) -> int:
    is_first = pl.col("slot").is_null() | (pl.col("event") != pl.col("event").shift()).fill_null(True)
    return int(table.select(is_first.sum()).item())
