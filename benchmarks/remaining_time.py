"""How well a study forecasts its remaining time: the forecast beside the truth, every ten seconds.

    python benchmarks/remaining_time.py [--data DIR] [options of the grid as NAME=VALUE,VALUE...]

    python benchmarks/remaining_time.py algorithms=paper,ablation epsilon=0.0125 shuffles=1

Without arguments it plays the default study. The factor is the larger of forecast/true and true/forecast, after the
first minute and until twenty seconds before the end.
"""

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from warmcb.cli.study_progress import StudyProgress
from warmcb.study.asked import grid_of
from warmcb.study.engine import Work, processes
from warmcb.study.grid import Grid
from warmcb.study.run import run_study
from warmcb.study.store import StudyStore

EVERY, FROM, UNTIL = 10.0, 60.0, 20.0


class Watch(StudyProgress):
    """Shows nothing, and notes what would have been shown."""

    def __init__(self) -> None:
        super().__init__(Console(quiet=True))
        self.started_at = time.monotonic()
        self.notes: list[tuple[float, float]] = []

    def finished(self, unit: Work) -> None:
        super().finished(unit)
        elapsed = time.monotonic() - self.started_at
        if not self.notes or elapsed - self.notes[-1][0] > EVERY:
            self.notes.append((elapsed, self.seconds_left() or 0.0))


def parsed(words: list[str]) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for word in words:
        name, _, text = word.partition("=")
        kind = getattr(Grid(), name)
        values = [float(one) if name == "epsilon" else one for one in text.split(",")]
        settings[name] = values if isinstance(kind, tuple) else int(text)
    return settings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE")
    options = parser.parse_args()
    data = {} if options.data is None else {"data": [str(options.data)]}
    watch = Watch()
    with tempfile.TemporaryDirectory() as folder, processes(options.workers) as engine:
        run_study(grid_of(data | parsed(options.settings)), StudyStore(Path(folder) / "study"), engine, watch)
        total = time.monotonic() - watch.started_at
    table = Table("after (s)", "forecast (s)", "true (s)", "factor")
    worst = 1.0
    for elapsed, forecast in watch.notes:
        true = total - elapsed
        if elapsed >= FROM and true >= UNTIL:
            factor = max(forecast / true, true / max(forecast, 1e-9))
            worst = max(worst, factor)
            table.add_row(f"{elapsed:.0f}", f"{forecast:.0f}", f"{true:.0f}", f"{factor:.2f}")
    console = Console()
    console.print(table)
    console.print(f"{total:.0f} s in all; worst factor after the first minute: {worst:.2f}")


if __name__ == "__main__":
    main()
