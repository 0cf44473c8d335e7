"""The progress of a study, on standard error: a bar on a terminal, plain lines elsewhere."""

import time
from collections import Counter
from collections.abc import Hashable, Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from warmcb.cli.console import tell
from warmcb.study.engine import Work
from warmcb.study.forecast import Forecast

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_LOOKS = 0.1
_MOST_REMARKS = 30


class StudyProgress:
    """Shows the units that are done, units per second, the remaining time, and the units that run."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Progress(
            TextColumn("{task.description}", table_column=Column(no_wrap=True, min_width=9)),
            BarColumn(bar_width=None, table_column=Column(ratio=1, max_width=30)),
            TextColumn("{task.fields[count]}", table_column=Column(no_wrap=True, min_width=38)),
            TextColumn("{task.fields[now]}", style="dim", table_column=Column(ratio=2, no_wrap=True)),
            console=console,
            disable=not console.is_terminal,
            transient=True,
            expand=True,
        )
        self._task: TaskID | None = None
        self._running: dict[Work, float] = {}
        self._waiting: Counter[Work] = Counter()
        self._first_alike: dict[Hashable, Work] = {}
        self._clock, self._workers = Forecast(), 1
        self._done = self._total = self._found = self._remarks = 0
        self._began = self._last_line = time.monotonic()
        self._last_shown = 0.0

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

    def remark(self, name: str, remark: str) -> None:
        self._remarks += 1
        if self._remarks <= _MOST_REMARKS:
            tell(self._console, f"{name}: {remark}")
        elif self._remarks == _MOST_REMARKS + 1:
            tell(self._console, "more remarks are not shown; warmcb datasets show FILE has those of one file")

    def begins(self, units: Sequence[Work], missing: Sequence[Work], clock: Forecast, workers: int) -> None:
        self._done = self._found = len(units) - len(missing)
        self._total = len(units)
        self._first_alike = {}
        self._waiting = Counter(self._first_alike.setdefault(unit.alike, unit) for unit in missing)
        self._clock, self._workers = clock, workers
        self._began = self._last_line = time.monotonic()
        there = f", {self._found} are done already" if self._found else ""
        self._say(f"{len(missing)} units of work to compute{there}")
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task("computing", total=None, count="", now="")

    def started(self, unit: Work) -> None:
        self._waiting[self._first_alike[unit.alike]] -= unit not in self._running  # a unit may be tried again
        self._running[unit] = time.monotonic()
        if self._bar_is_due():
            self._show(self.seconds_left())

    def finished(self, unit: Work) -> None:
        self._running.pop(unit, None)
        self._done += 1
        line_is_due = self._line_is_due() or self._done == self._total
        if not line_is_due and not self._bar_is_due():
            return
        left = self.seconds_left()
        self._show(left)
        if line_is_due:
            now = "".join(f"; {running.label}" for running in list(self._running)[:1])
            self._say(f"{self._done} of {self._total} units, {self._rate():.1f} per second, {_about(left)} left{now}")

    def seconds_left(self) -> float | None:
        """The remaining time, from the times of the units that are done; None before any is."""
        waiting = self._clock.total(self._waiting)
        if waiting is None:
            return None
        now, expected = time.monotonic(), self._clock.seconds
        running = [max((expected(unit) or 0.0) - (now - since), 0.0) for unit, since in self._running.items()]
        return max((waiting + sum(running)) / self._workers, *running, 0.0)

    def _show(self, left: float | None) -> None:
        if self._task is not None:
            now, elapsed = ", ".join(unit.label for unit in list(self._running)[:2]), time.monotonic() - self._began
            count = f"{self._done}/{self._total} units, {self._rate():.1f}/s, {_about(left)} left"
            total = None if left is None else elapsed + left
            self._bar.update(self._task, completed=elapsed, total=total, count=count, now=escape(now))
            self._last_shown = time.monotonic()

    def _rate(self) -> float:
        return (self._done - self._found) / max(time.monotonic() - self._began, 1e-3)

    def _bar_is_due(self) -> bool:
        return self._console.is_terminal and time.monotonic() - self._last_shown > _SECONDS_BETWEEN_LOOKS

    def _line_is_due(self) -> bool:
        return time.monotonic() - self._last_line > _SECONDS_BETWEEN_LINES

    def _say(self, line: str) -> None:
        if not self._console.is_terminal:
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)
            self._last_line = time.monotonic()


def _about(seconds: float | None) -> str:
    if seconds is None:
        return "unknown time"
    if seconds < 120:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.1f} min" if seconds < 600 else f"about {seconds / 60:.0f} min"
