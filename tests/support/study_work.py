"""Work for an engine that workers can import: some of it ends badly."""

import os
import signal
import time
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warmcb.study.engine import Work
from warmcb.study.units import Load


@dataclass(frozen=True)
class Square:
    number: int
    size: float = 1.0
    sort: str = ""
    """Squares of the same sort take the same time."""

    @property
    def label(self) -> str:
        return f"square of {self.number}"

    @property
    def alike(self) -> Hashable:
        return self.sort or self.number

    @property
    def load(self) -> Load:
        return Load("square", (self.size,))

    def compute(self, arrays: Path) -> dict[str, list[Any]]:
        return {"square": [self.number**2]}


class Refuses(Square):
    def compute(self, arrays: Path) -> dict[str, list[Any]]:
        raise ValueError(f"not\n{self.number}")


class KillsItsWorker(Square):
    def compute(self, arrays: Path) -> dict[str, list[Any]]:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class KillsOneWorker(Square):
    """Dies once, as a worker does that the system has picked to free memory, and not again."""

    def compute(self, arrays: Path) -> dict[str, list[Any]]:
        try:
            (arrays / "died").touch(exist_ok=False)
        except FileExistsError:
            return super().compute(arrays)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class Sleeps(Square):
    def compute(self, arrays: Path) -> dict[str, list[Any]]:
        (arrays / f"{os.getpid()}.pid").touch()
        time.sleep(600)
        raise AssertionError


@dataclass
class Diary:
    """Who watches, and keeps what was found."""

    found: dict[str, Any] = field(default_factory=dict)
    started_: list[str] = field(default_factory=list)
    finished_: list[str] = field(default_factory=list)

    def keep(self, unit: Work, columns: dict[str, list[Any]]) -> None:
        self.found[unit.label] = columns["square"][0]

    def started(self, unit: Work) -> None:
        self.started_.append(unit.label)

    def finished(self, unit: Work) -> None:
        self.finished_.append(unit.label)
