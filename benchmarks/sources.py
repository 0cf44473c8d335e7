"""Several sources of labels, and starts from logs without probabilities: what each is worth to WarmBandit.

    python benchmarks/sources.py --data DIR [--only labels log speed] [--seeds 1] [--every 1]

DIR has data sets of classes, one Parquet file each; --every 3 takes every third of them. Rows are shuffled by the seed.

labels: two sources of 200 labels each. The first is right. The second is right as well, or wrong: always the next class
(cyc 1), a class at random (uar 1), or always the most frequent one (maj 1). Then up to 12,000 rows less these 400 are
played. "one source": the 400 labels without the names of their sources.

log: 500 events of a policy whose action is right with the probability 0.7 or 0.1, and else another at random; or right
wherever one feature is below its 70 % quantile, and else always the next class. Then 1,000 rounds are played.
"imitation": what was done as labels; "regression": what it cost; "both": the two as two sources; "paid=": the same,
but only what cost less than the average is imitated.

speed: microseconds of processor time a round of pendigits, by the number of sources.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import WarmBandit, _inputs
from warmcb.data import read_file
from warmcb.noise import Noise

LARGEST, LABELS, EVENTS, ROUNDS = 12_000, 200, 500, 1_000
WRONG = ("cyc", "uar", "maj")
FEWEST = 2 * LABELS + EVENTS + ROUNDS
"""Smaller data sets are left out."""

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]
Start = Callable[[WarmBandit], object]


class Rows(NamedTuple):
    """The shuffled rows of a data set."""

    X: Any
    y: Ints
    n_actions: int

    def part(self, begin: int, end: int) -> "Rows":
        return Rows(self.X[begin:end], self.y[begin:end], self.n_actions)


def rows_of(path: Path, seed: int) -> Rows:
    data = read_file(path)
    y = np.asarray(data.y, dtype=np.int32)
    order = np.random.default_rng(seed).permutation(len(y))[:LARGEST]
    return Rows(data.X[order], y[order], int(y.max()) + 1)


def cost_after(start: Start, X: Any, table: Ints | Floats, n_actions: int, seed: int) -> float:
    """The mean cost of rounds after a start; table: labels, or the cost of each action."""
    bandit = WarmBandit(n_actions, seed=seed)
    start(bandit)
    return float(bandit._play_rounds(_inputs.matrix(X, None), table, 0, len(table)).costs.mean())


# Two sources


def starts_from_labels(first: Rows, second: Rows, seed: int) -> Iterator[tuple[str, Start]]:
    def teach(*sources: tuple[str, Rows, Ints]) -> Start:
        def start(bandit: WarmBandit) -> None:
            for name, rows, labels in sources:
                bandit.warm_start(rows.X, labels, source=name)

        return start

    right = ("right", first, first.y)
    yield "no labels", teach()
    yield "right", teach(right)
    yield "right, two sources", teach(right, ("second", second, second.y))
    yield "right, one source", teach(right, ("right", second, second.y))
    majority = int(np.bincount(first.y).argmax())
    for kind in WRONG:
        labels = Noise(kind, 1.0).corrupt(second.y, second.n_actions, majority, seed)
        wrong = ("wrong", second, labels)
        yield f"{kind} 1", teach(wrong)
        yield f"{kind} 1, two sources", teach(right, wrong)
        yield f"{kind} 1, two sources, wrong first", teach(wrong, right)
        yield f"{kind} 1, one source", teach(right, ("right", second, labels))


def costs_with_labels(rows: Rows, seed: int) -> dict[str, float]:
    first, second = rows.part(0, LABELS), rows.part(LABELS, 2 * LABELS)
    rounds = rows.part(2 * LABELS, LARGEST)
    return {name: cost_after(start, *rounds, seed) for name, start in starts_from_labels(first, second, seed)}


# Logs without probabilities


def right_with(p: float, rows: Rows, random: np.random.Generator) -> Ints:
    """What a policy does that is right with probability p."""
    other = (rows.y + random.integers(1, rows.n_actions, len(rows.y))) % rows.n_actions
    return np.where(random.random(len(rows.y)) < p, rows.y, other).astype(np.int32)


def wrong_in_a_region(rows: Rows, random: np.random.Generator) -> Ints:
    """What a policy does that is wrong wherever one feature is large."""
    dense = rows.X.toarray() if hasattr(rows.X, "toarray") else np.asarray(rows.X)
    column = int(np.argmax([len(np.unique(dense[:, j])) for j in range(dense.shape[1])]))
    ranks = np.argsort(np.argsort(dense[:, column] + 1e-9 * random.random(len(dense))))
    return np.where(ranks < 0.7 * len(ranks), rows.y, (rows.y + 1) % rows.n_actions).astype(np.int32)


POLICIES: dict[str, Callable[[Rows, np.random.Generator], Ints]] = {
    "right in 70 %": partial(right_with, 0.7),
    "right in 10 %": partial(right_with, 0.1),
    "wrong in a region": wrong_in_a_region,
}


def starts_from_log(X: Any, done: Ints, paid: Floats, n_actions: int) -> dict[str, Start]:
    judged = np.eye(n_actions, dtype=np.bool_)[done]
    regression = {"costs": np.where(judged, paid[:, np.newaxis], np.nan), "actions": judged}
    return {
        "imitation": lambda bandit: bandit.warm_start(X, done),
        "regression": lambda bandit: bandit.warm_start(X, **regression),
        "both": lambda bandit: bandit.warm_start(X, done, source="a").warm_start(X, **regression, source="b"),
        "paid=": lambda bandit: bandit.warm_start(X, done, paid=paid),
    }


def costs_with_log(rows: Rows, seed: int) -> dict[str, float]:
    log, rounds = rows.part(0, EVENTS), rows.part(EVENTS, EVENTS + ROUNDS)
    random = np.random.default_rng(seed)
    found = {"no start": cost_after(lambda bandit: bandit, *rounds, seed)}
    for name, policy in POLICIES.items():
        done = policy(log, random)
        paid = (done != log.y).astype(np.float64)
        for way, start in starts_from_log(log.X, done, paid, log.n_actions).items():
            found[f"{name}: {way}"] = cost_after(start, *rounds, seed)
    return found


# Speed


def microseconds(rows: Rows, n_sources: int) -> float:
    """Of a round, with so many sources of 50 labels."""
    bandit = WarmBandit(rows.n_actions)
    for source in range(n_sources):
        part = rows.part(50 * source, 50 * (source + 1))
        bandit.warm_start(part.X, part.y, source=str(source))
    played, begin, end = _inputs.matrix(rows.X, None), 400, 3400
    started = time.process_time()
    bandit._play_rounds(played, rows.y, begin, end)
    return 1e6 * (time.process_time() - started) / (end - begin)


def print_speed(path: Path) -> None:
    rows = rows_of(path, seed=0)
    print_row("sources", "µs a round")
    print_row("---", "---")
    for n_sources in (1, 2, 4, 8):
        print_row(str(n_sources), f"{min(microseconds(rows, n_sources) for _ in range(3)):.0f}")


# Tables


def print_table(costs: Mapping[str, Floats], reference: str) -> None:
    """Means over data sets and seeds, beside those of one of the columns; costs: data sets × seeds."""
    print_row("start", "mean cost", f"above {reference}", "worst data set", "data sets with a lower cost")
    print_row(*["---"] * 5)
    for name, found in costs.items():
        more = (found - costs[reference]).mean(axis=1)
        cells = [found.mean(), more.mean(), more.max()]
        print_row(name, *(f"{cell:.4f}".replace("-", "−") for cell in cells), f"{(more < 0).mean():.0%}")
    print(flush=True)


def print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=["labels", "log", "speed"], choices=["labels", "log", "speed"])
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="a folder of data sets")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    paths = sorted(arguments.data.glob("*.parquet"))[:: arguments.every]
    for table in arguments.only:
        if table == "speed":
            print_speed(arguments.data / "pendigits.parquet")
            continue
        costs_of = costs_with_labels if table == "labels" else costs_with_log
        found = []
        for path in paths:
            seeds = [rows_of(path, seed) for seed in range(arguments.seeds)]
            if len(seeds[0].y) >= FEWEST:
                found.append([costs_of(rows, seed) for seed, rows in enumerate(seeds)])
        print(f"{table}: {len(found)} data sets × {arguments.seeds} seeds\n")
        columns = {name: np.array([[one[name] for one in seeds] for seeds in found]) for name in found[0][0]}
        print_table(columns, "right" if table == "labels" else "no start")


if __name__ == "__main__":
    main()
