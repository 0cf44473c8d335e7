"""The paper's whole grid at ε = 0.0125, timed, and the time that Vowpal Wabbit would need for the same runs.

    python benchmarks/study.py [--data DIR] [--max-rows 12000] [--sample 120]

The study runs with two workers and with one. Vowpal Wabbit plays a random sample of the same runs on one core, each as
a program of its own, as the paper's scripts did, and once more inside this program, without the start. The mean of
their times, times the number of runs, is what all would take.
"""

import argparse
import csv
import multiprocessing
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import vowpalwabbit
from rich.console import Console
from rich.progress import track

import peer
from warmcb.catalogue import algorithm
from warmcb.data import Dataset
from warmcb.noise import Noise
from warmcb.study.draws import noise_seed, row_order
from warmcb.study.engine import Work, processes
from warmcb.study.forecast import Forecast
from warmcb.study.grid import Grid
from warmcb.study.run import capped, find_sources, run_study
from warmcb.study.store import StudyStore
from warmcb.study.units import RunsUnit

console = Console(width=120, highlight=False)


class Clock:
    """Who watches a study to time its parts."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.computing = self.began
        self.units: list[Work] = []

    def reading(self, name: str, number: int, total: int) -> None:
        pass

    def remark(self, name: str, remark: str) -> None:
        pass

    def begins(self, units: Sequence[Work], missing: Sequence[Work], clock: Forecast, workers: int) -> None:
        self.units = list(units)
        self.computing = time.monotonic()

    def started(self, unit: Work) -> None:
        pass

    def finished(self, unit: Work) -> None:
        pass


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """The largest resident set that any worker has had, in MB; grows while the block runs."""
    peak, stop = [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.5):
            for child in multiprocessing.active_children():
                try:
                    status = Path(f"/proc/{child.pid}/status").read_text()
                except OSError:
                    continue
                for line in status.splitlines():
                    if line.startswith("VmHWM:"):
                        peak[0] = max(peak[0], int(line.split()[1]) / 1024)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


class Timing(NamedTuple):
    workers: int
    seconds: float
    computing: float
    memory: float
    units: list[RunsUnit]


def time_study(grid: Grid, folder: Path, workers: int) -> Timing:
    clock = Clock()
    with processes(workers) as engine, peak_memory() as peak:
        outcome = run_study(grid, StudyStore(folder), engine, clock)
    ended = time.monotonic()
    assert not outcome.failures
    units = [unit for unit in clock.units if isinstance(unit, RunsUnit)]
    return Timing(workers, ended - clock.began, ended - clock.computing, peak[0], units)


class Run(NamedTuple):
    unit: RunsUnit
    noise: str
    algorithm: str
    rate: float


def all_runs(units: Sequence[RunsUnit]) -> list[Run]:
    """What Vowpal Wabbit would have to run: Majority is not among it."""
    return [
        Run(unit, noise, name, rate)
        for unit in units
        for noise in unit.noises
        for name in unit.algorithms
        if algorithm(name).has_rate
        for rate in unit.learning_rates
    ]


class Seconds(NamedTuple):
    """Of one run of Vowpal Wabbit: as a program, and inside a program that is running already."""

    as_program: float
    inside: float


def their_seconds(run: Run, dataset: Dataset, folder: Path) -> Seconds:
    unit = run.unit
    order = row_order(unit.seed, dataset.name, unit.shuffle, len(dataset.y))
    X, y = dataset.X[order], dataset.y[order].copy()
    n_s = unit.size.warm_start
    noise = Noise.parse(run.noise)
    seed = noise_seed(unit.seed, dataset.name, unit.shuffle, noise.kind)
    y[:n_s] = noise.corrupt(y[:n_s], dataset.n_actions, int(np.bincount(y).argmax()), seed)
    path = folder / "rows.vw"
    peer.write_rows(path, X, y)
    told = peer.arguments(
        path, run.algorithm, dataset.n_actions, n_s, max(unit.size.checkpoints), unit.epsilon[0], run.rate, bits=18
    )
    return Seconds(
        timed(lambda: subprocess.run([sys.executable, "-m", "vowpalwabbit", *told.split()], check=True)),
        timed(lambda: vowpalwabbit.Workspace(told).finish()),
    )


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def paper_files(folder: Path) -> list[str]:
    """The files of the paper's own data sets, as the folder's manifest tells."""
    manifest = folder / "MANIFEST.csv"
    if not manifest.exists():
        return [str(folder)]
    rows = csv.DictReader(manifest.read_text().splitlines())
    return [str(folder / f"{row['name']}.parquet") for row in rows if row["split"] == "paper"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of data sets; by default the bundled ones")
    parser.add_argument("--max-rows", type=int, default=12000)
    parser.add_argument("--sample", type=int, default=120)
    options = parser.parse_args()
    settings = {"data": paper_files(options.data)} if options.data else {"suites": ["bundled"]}
    once = {"epsilon": [0.0125], "algorithms": ["paper"], "shuffles": 1}
    grid = Grid.of(settings | once | {"max_rows": options.max_rows})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        timings = [time_study(grid, folder / f"{workers}", workers) for workers in (2, 1)]
        for timing in timings:
            console.print(
                f"{timing.workers} workers: {timing.seconds:.0f} s in all, {timing.computing:.0f} s of them computing;"
                f" peak memory of a worker {timing.memory:.0f} MB"
            )
        two, one = timings
        console.print(f"two workers compute {one.computing / two.computing:.2f} times as fast as one")
        runs = all_runs(two.units)
        seconds = sample_seconds(grid, folder, runs, options.sample)
    console.print(f"Vowpal Wabbit, from {len(seconds)} of {len(runs)} runs, one core:")
    for name, column in zip(("a program for each run", "without its start"), np.transpose(seconds), strict=True):
        total, error = column.mean() * len(runs), column.std() / np.sqrt(len(column)) * len(runs)
        faster = total / one.computing
        console.print(f"  {name}: {total / 3600:.1f} ± {error / 3600:.1f} h, {faster:.0f} times ours")


def sample_seconds(grid: Grid, folder: Path, runs: Sequence[Run], size: int) -> list[Seconds]:
    """Vowpal Wabbit's times for a random sample of runs."""
    sources = {source.name: source for source in find_sources(grid)}
    sample = random.Random(0).sample(list(runs), min(size, len(runs)))
    seconds = []
    for run in track(sample, console=Console(stderr=True)):
        dataset = capped(sources[run.unit.data.name].load(), grid)
        assert isinstance(dataset, Dataset)
        seconds.append(their_seconds(run, dataset, folder))
    return seconds


if __name__ == "__main__":
    main()
