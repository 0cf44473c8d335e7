"""WarmBandit with nothing tuned: costs in any unit, arms without features, worlds that change, odd labels.

    python benchmarks/world.py [--only change slow_drift] [--seeds 20] [--workers 2]
                               [--data DIR] [--streams DIR]

Seeds 0, 1, ... are those of the problem and of the bandit. Values are means over them, of recovery medians. The
problems are in `made_up.py`; data files are shuffled by the seed, streams keep their order. A range of costs that the
bandit does not take is `refused`.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: a worker keeps to one core

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import made_up
from made_up import Floats, Ints, Mode
from warmcb import Trace, WarmBandit, simulate
from warmcb.data import read_file
from warmcb.errors import InputError

RANGES = ((0.0, 1.0), (0.0, 0.1), (0.9, 1.0), (0.0, 500.0), (-3.0, -2.0))
FILES = ("letter", "pendigits", "nursery", "abalone_bin")
STREAMS = ("elec2", "sea", "2cht", "chessboard")
NO_LABELS: Ints = np.empty(0, dtype=np.int64)


class Row(NamedTuple):
    """A row of the table: what one seed gives, and how the numbers of all seeds, one in each row, are written."""

    problem: str
    what: str
    measure: Callable[[int], list[float]]
    write: Callable[[Floats], str]


def play(bandit: WarmBandit, X: Any, labels: Ints, **answers: Any) -> Trace:
    """Teach the first rows, one for each label, and play the others in their order; `answers` are `y` or `costs`."""
    taught = len(labels)
    if taught:
        bandit.warm_start(X[:taught], labels)
    shown = {name: table[taught:] for name, table in answers.items()}
    return simulate(bandit, X[taught:], shuffle=False, **shown).trace


def play_labels(seed: int, n_actions: int, X: Any, y: Ints, taught: int) -> Trace:
    return play(WarmBandit(n_actions, seed=seed), X, y[:taught], y=y)


# What is measured, for one seed


def cost_of_each_range(seed: int, X: Any, C: Floats, labels: Ints) -> list[float]:
    """The average cost, counted in [0, 1], when rounds show costs of each range; NaN if they are refused."""
    found, rounds = [], C[len(labels) :]
    for low, high in RANGES:
        try:
            trace = play(WarmBandit(C.shape[1], seed=seed), X, labels, costs=made_up.rescaled(C, low, high))
        except InputError:
            if low >= 0 and high <= 1:
                raise
            found.append(np.nan)
        else:
            found.append(float(rounds[np.arange(len(rounds)), trace.actions].mean()))
    return found


def unit(seed: int, taught: int) -> list[float]:
    X, _, C = made_up.unit(seed)
    return cost_of_each_range(seed, X, C, C[:taught].argmin(axis=1))


def data_file(seed: int, path: Path) -> list[float]:
    n_actions, X, y = labelled(path)
    order = np.random.default_rng(seed).permutation(len(y))[:12_000]
    X, y = X[order], y[order]
    return cost_of_each_range(seed, X, 1 - np.eye(n_actions)[y], y[: round(0.04 * len(y))])


def labelled(path: Path) -> tuple[int, Any, Ints]:
    data = read_file(path)
    return data.n_actions, data.X, data.y.astype(np.int64)


def arms(seed: int) -> list[float]:
    X, C = made_up.arms(seed)
    played = play(WarmBandit(C.shape[1], seed=seed), X, NO_LABELS, costs=C).actions[-1000:]
    return [float((played == np.argmin(made_up.ARMS)).mean() < 0.5)]


def change(seed: int, mode: Mode) -> list[float]:
    X, y = made_up.change(seed, mode)
    half, taught = len(y) // 2, 100
    costs = play_labels(seed, 4, X, y, taught).costs[half - taught :]
    fresh = play_labels(seed, 4, X[half:], y[half:], 0).costs
    return [made_up.rounds_to_recover(after, fresh) for after in (costs, fresh)]


def slow_drift(seed: int) -> list[float]:
    return [float(play_labels(seed, 4, *made_up.slow_drift(seed), taught=100).costs[-4000:].mean())]


def stream(seed: int, path: Path) -> list[float]:
    n_actions, X, y = labelled(path)
    return [float(play_labels(seed, n_actions, X[:30_000], y[:30_000], 100).costs.mean())]


def turned_good(seed: int) -> list[float]:
    X, C = made_up.turned_good(seed)
    played = play(WarmBandit(4, seed=seed), X, NO_LABELS, costs=C).actions
    return [float((played[5500:7000] == 3).mean())]


def one_in_a_hundred(seed: int) -> list[float]:
    X, y = made_up.one_in_a_hundred(seed)
    trace = play_labels(seed, 2, X, y, 200)
    return [float(trace.costs.mean()), float((trace.actions[y[200:] == 1] == 1).mean())]


def more_features_than_rows(seed: int) -> list[float]:
    X, y = made_up.more_features_than_rows(seed)
    bandits = WarmBandit(2, seed=seed), WarmBandit(2, learner="online", seed=seed)
    return [float(play(bandit, X, NO_LABELS, y=y).costs.mean()) for bandit in bandits]


def half_right(seed: int) -> list[float]:
    X, labels, y = made_up.half_right(seed)
    bandits = WarmBandit(4, seed=seed), WarmBandit(4, lambdas=[1.0], seed=seed)
    both, alone = (float(play(bandit, X, labels[:500], y=y).costs.mean()) for bandit in bandits)
    return [both, alone, alone - both]


# How it is written


def means(found: Floats) -> str:
    averages = found.mean(axis=0)
    return " / ".join("refused" if np.isnan(value) else f"{value:.4f}".replace("-", "−") for value in averages)


def means_of_ranges(found: Floats) -> str:
    averages = found.mean(axis=0)
    return f"{means(found)}: {np.nanmax(np.abs(averages - averages[0])):.4f}"


def shares(found: Floats) -> str:
    return f"{found.mean():.0%}"


def recovery(found: Floats) -> str:
    ours, fresh = np.median(found, axis=0)
    return f"{ours:,.0f} / {fresh:,.0f} / {ours / fresh:.1f}".replace("inf", "never")


def rows(data: Path | None, streams: Path | None) -> Iterator[Row]:
    """The whole table; rows whose file is not there are left out."""
    named = " / ".join(f"[{low:g}, {high:g}]".replace("-", "−") for low, high in RANGES)
    ranges = f"average cost with costs in {named}: largest difference from the first"
    for taught in (0, 200):
        yield Row("unit", f"{taught or 'no'} labels: {ranges}", partial(unit, taught=taught), means_of_ranges)
    for name, path in found_files(data, FILES):
        yield Row(name, f"labels of 4 %: {ranges}", partial(data_file, path=path), means_of_ranges)
    yield Row("arms", "runs that do not play the best arm in half of the last 1,000 rounds", arms, shares)
    for mode in made_up.MODES:
        what = f"{mode}: rounds to recover / of a fresh bandit / ratio"
        yield Row("change", what, partial(change, mode=mode), recovery)
    yield Row("slow_drift", "average cost of the last 4,000 rounds", slow_drift, means)
    for name, path in found_files(streams, STREAMS):
        yield Row(name, "average cost, first 30,000 rows in their order", partial(stream, path=path), means)
    yield Row("turned_good", "share of the good action in rounds 5,500 to 7,000", turned_good, shares)
    yield Row("one_in_a_hundred", "average cost / recall", one_in_a_hundred, means)
    what = "500 features, 300 rounds: average cost / of the online learner"
    yield Row("more_features_than_rows", what, more_features_than_rows, means)
    yield Row("half_right", "average cost / of rounds alone / how far below that", half_right, means)


def found_files(folder: Path | None, names: Sequence[str]) -> Iterator[tuple[str, Path]]:
    for name in names:
        if folder and (path := folder / f"{name}.parquet").exists():
            yield name, path
        else:
            print(f"{name}: left out, because there is no file of it", file=sys.stderr)


def main() -> None:
    made = (
        "unit", "arms", "change", "slow_drift", "turned_good", "one_in_a_hundred", "more_features_than_rows",
        "half_right",
    )  # fmt: skip
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = (*made, *FILES, *STREAMS)
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help="some of " + ", ".join(names))
    parser.add_argument("--seeds", type=int, default=20, help="how many")
    parser.add_argument("--workers", type=int, default=2, help="how many processes")
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with " + ", ".join(FILES))
    parser.add_argument("--streams", type=Path, metavar="DIR", help="a folder with " + ", ".join(STREAMS))
    options = parser.parse_args()
    table = [row for row in rows(options.data, options.streams) if not options.only or row.problem in options.only]
    print("| problem | what is measured | value |\n| --- | --- | --- |", flush=True)
    with ProcessPoolExecutor(options.workers) as pool:
        started = [[pool.submit(row.measure, seed) for seed in range(options.seeds)] for row in table]
        for row, runs in zip(table, started, strict=True):
            value = row.write(np.array([run.result() for run in runs]))
            print(f"| {row.problem} | {row.what} | {value} |", flush=True)


if __name__ == "__main__":
    main()
