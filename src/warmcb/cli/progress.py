"""How a study goes, on standard error: a bar for a terminal, plain lines elsewhere."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Column

from warmcb.study.engine import Work

_SECONDS_BETWEEN_LINES = 10.0


class StudyProgress:
    """Units done and total, units a second, the time that remains, and what is running."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}", table_column=Column(no_wrap=True, min_width=9)),
            BarColumn(bar_width=None, table_column=Column(ratio=1, max_width=30)),
            TextColumn("{task.fields[count]}", table_column=Column(no_wrap=True, min_width=22)),
            TimeRemainingColumn(elapsed_when_finished=True, table_column=Column(no_wrap=True, min_width=7)),
            TextColumn("{task.fields[now]}", style="dim", table_column=Column(ratio=2, no_wrap=True)),
            console=console,
            disable=not console.is_terminal,
            transient=True,
            expand=True,
        )
        self._task: TaskID | None = None
        self._running: dict[Work, None] = {}
        self._done = self._total = self._found = 0
        self._effort = self._effort_done = 0.0
        self._began = self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._bar.stop()

    def reading(self, name: str, number: int, total: int) -> None:
        if self._task is None:
            self._task = self._bar.add_task("reading", count="", now="")
        self._bar.update(self._task, completed=number - 1, total=total, count=f"{number}/{total}", now=escape(name))
        if number == 1 or self._line_is_due():
            self._say(f"reading data set {number} of {total}: {name}")

    def begins(self, units: Sequence[Work], missing: Sequence[Work]) -> None:
        self._done = self._found = len(units) - len(missing)
        self._total = len(units)
        self._effort = sum(unit.effort for unit in missing)
        self._began = self._last_line = time.monotonic()
        there = f", {self._found} are there already" if self._found else ""
        self._say(f"{len(missing)} units of work to compute{there}")
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task("computing", total=self._effort, count="", now="")

    def started(self, unit: Work) -> None:
        self._running[unit] = None
        self._show()

    def finished(self, unit: Work) -> None:
        self._running.pop(unit, None)
        self._done += 1
        self._effort_done += unit.effort
        self._show()
        if self._line_is_due() or self._done == self._total:
            now = "".join(f"; {running.label}" for running in list(self._running)[:1])
            self._say(f"{self._done} of {self._total} units, {self._rate():.1f} a second, {self._remaining()}{now}")

    def _show(self) -> None:
        if self._task is not None:
            now = ", ".join(unit.label for unit in list(self._running)[:2])
            count = f"{self._done}/{self._total} units, {self._rate():.1f}/s,"
            self._bar.update(self._task, completed=self._effort_done, count=count, now=escape(now))

    def _rate(self) -> float:
        return (self._done - self._found) / max(time.monotonic() - self._began, 1e-3)

    def _remaining(self) -> str:
        seconds = (time.monotonic() - self._began) * max(self._effort / max(self._effort_done, 1e-12) - 1, 0)
        return f"about {seconds:.0f} s left" if seconds < 120 else f"about {seconds / 60:.0f} min left"

    def _line_is_due(self) -> bool:
        return time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES

    def _say(self, line: str) -> None:
        if not self._console.is_terminal:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)
            self._last_line = time.monotonic()
