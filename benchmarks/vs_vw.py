"""Speed beside Vowpal Wabbit with eight λ: the same rows, one core.

    python benchmarks/vs_vw.py [--data DIR] [--repeats 5]

A round's time is the difference of two runs that read the same file and play a different number of rounds, so that
start-up and parsing cancel out; the best of several. Data sets that DIR does not have are made up, in the same shape.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: the peak is that of one core

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse

import peer
import warmcb
from warmcb._core import instruction_sets
from warmcb.data import read_file

EPSILON, RATE, LANES = 0.0125, 0.5, 8


class Case(NamedTuple):
    name: str
    X: Any
    y: NDArray[np.int32]
    n_actions: int


def stand_in(name: str, n: int, d: int, k: int, nonzeros: int) -> Case:
    """Made-up rows of a given shape."""
    random = np.random.default_rng(0)
    indices = (
        np.argsort(random.random((n, d)), axis=1)[:, :nonzeros] if d < 5000 else random.integers(d, size=(n, nonzeros))
    )
    starts = np.arange(n + 1) * nonzeros
    X = sparse.csr_array((random.random(n * nonzeros).astype(np.float32), indices.ravel(), starts), shape=(n, d))
    X.sum_duplicates()
    y = np.asarray((X @ random.normal(size=(d, k))).argmax(axis=1), dtype=np.int32)
    return Case(name, X, y, k)


def cases(folder: Path | None) -> list[Case]:
    wanted = [
        ("letter", (20000, 16, 26, 16)),
        ("pendigits", (10992, 16, 10, 14)),
        ("bank_campaign", (30000, 60, 2, 18)),
        ("nursery", (12960, 27, 5, 8)),
        ("mnist_5k", (5000, 784, 10, 151)),
    ]
    found = []
    for name, shape in wanted:
        if folder and (path := folder / f"{name}.parquet").exists():
            data = read_file(path)
            X = data.X if name in ("letter", "pendigits") else sparse.csr_array(data.X)
            found.append(Case(name, X, data.y, data.n_actions))
        else:
            found.append(stand_in(f"like {name}", *shape))
    return [*found, stand_in("documents", 20000, 2**18, 20, 100)]


def best_difference(run: Callable[[int], float], short: int, long: int, repeats: int) -> float:
    """Seconds per round."""
    return float(min(run(long) for _ in range(repeats)) - min(run(short) for _ in range(repeats))) / (long - short)


def their_round(case: Case, warm_start: int, short: int, long: int, repeats: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        peer.write_rows(path, case.X, case.y)

        def run(rounds: int) -> float:
            return peer.run(
                path,
                "arrow-8",
                n_actions=case.n_actions,
                warm_start=warm_start,
                interaction=rounds,
                epsilon=EPSILON,
                learning_rate=RATE,
            ).seconds

        return best_difference(run, short, long, repeats)


def our_round(
    case: Case, make: Callable[[Case], warmcb.Bandit], warm_start: int, short: int, long: int, repeats: int
) -> float:
    def run(rounds: int) -> float:
        common = {"warm_start": warm_start, "interaction": rounds, "shuffle": False}
        return warmcb.simulate(make(case), case.X, case.y, **common).seconds  # type: ignore[arg-type]

    return best_difference(run, short, long, 4 * repeats)


def arrow(case: Case) -> warmcb.ArrowCB:
    return warmcb.ArrowCB(case.n_actions, epsilon=EPSILON, learning_rate=RATE)


def warm(case: Case) -> warmcb.WarmBandit:
    return warmcb.WarmBandit(case.n_actions, epsilon=EPSILON)


def linear(case: Case) -> warmcb.WarmBandit:
    return warmcb.WarmBandit(case.n_actions, epsilon=EPSILON, features="linear")


def peak_multiply_adds() -> float:
    """Multiply-adds per second of one core, as the matrix product reaches them."""
    matrix = np.ones((1024, 1024), dtype=np.float32)
    seconds = []
    for _ in range(7):
        started = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - started)
    return 1024**3 / min(seconds)


def thread_scaling(case: Case) -> float:
    """How many times faster two threads play sixteen bandits than one thread does."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(5):
        for threads, measured in seconds.items():
            bandits = [warmcb.ArrowCB(case.n_actions, epsilon=EPSILON, seed=seed) for seed in range(16)]
            started = time.perf_counter()
            warmcb.simulate_many(bandits, case.X, case.y, warm_start=100, threads=threads)
            measured.append(time.perf_counter() - started)
    return min(seconds[1]) / min(seconds[2])


def live_loop() -> float:
    """Seconds of one decide and one learn from Python, K = 10, d = 100."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 100))
    best = np.inf
    for _ in range(5):
        bandit = warmcb.ArrowCB(10)
        started = time.perf_counter()
        for x in X:
            decision = bandit.decide(x)
            bandit.learn(x, decision.action, 0.5, decision.probability)
        best = min(best, (time.perf_counter() - started) / len(X))
    return best


def longest_learn() -> float:
    """Seconds of the longest `learn` of 3,000, K = 100, d = 120, where features grow a thousandfold."""
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 120)) * np.geomspace(1, 1000, 3000)[:, None]
    bandit = warmcb.WarmBandit(100)
    longest = 0.0
    for x in X:
        decision = bandit.decide(x)
        started = time.perf_counter()
        bandit.learn(x, decision, random.random())
        longest = max(longest, time.perf_counter() - started)
    return longest


def import_seconds() -> float:
    def best(code: str) -> float:
        seconds = []
        for _ in range(7):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            seconds.append(time.perf_counter() - started)
        return min(seconds)

    return best("import warmcb") - best("pass")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of data sets; others are made up")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    peak = peak_multiply_adds()
    table = Table(
        "data", "K", "features", "non-zeros", "Vowpal Wabbit", "ArrowCB", "times faster", "of the peak",
        "WarmBandit", "times faster", "linear", "times faster",
    )  # fmt: skip
    all_cases = cases(options.data)
    for case in all_cases:
        n = case.X.shape[0]
        warm_start, short, long = 100, n // 10, n - 100
        theirs = their_round(case, warm_start, short, long, options.repeats)
        ours = our_round(case, arrow, warm_start, short, long, options.repeats)
        untuned, straight = (our_round(case, make, warm_start, short, long, 1) for make in (warm, linear))
        nonzeros = sparse.csr_array(case.X).nnz / n
        share = case.n_actions * (nonzeros + 1) * LANES / ours / peak
        table.add_row(
            case.name,
            str(case.n_actions),
            str(case.X.shape[1]),
            f"{nonzeros:.0f}",
            f"{theirs * 1e6:.1f} µs",
            f"{ours * 1e6:.2f} µs",
            f"{theirs / ours:.0f}",
            f"{share:.0%}",
            f"{untuned * 1e6:.2f} µs",
            f"{theirs / untuned:.1f}",
            f"{straight * 1e6:.2f} µs",
            f"{theirs / straight:.1f}",
        )
    console = Console(width=140)
    console.print(table)
    letter = all_cases[0]
    bandit = arrow(letter)
    bandit.warm_start(letter.X[:100], letter.y[:100])
    learner = bandit._learner
    per_weight = (learner.weights.nbytes + learner.scales.nbytes) / learner.weights.size
    console.print(f"instruction sets: {', '.join(instruction_sets())} (the first is used)")
    console.print(
        f"peak: {peak / 1e9:.0f} billion multiply-adds a second, measured by NumPy's matrix product on one core"
    )
    console.print(f"memory: {per_weight:.0f} bytes per weight and lane")
    console.print(f"two threads: {thread_scaling(letter):.2f} times one")
    console.print(f"live loop, K=10, d=100: {live_loop() * 1e6:.1f} µs a round")
    console.print(f"longest learn of WarmBandit, K=100, d=120, features that grow: {longest_learn() * 1e3:.0f} ms")
    console.print(f"import warmcb: {import_seconds():.2f} s")


if __name__ == "__main__":
    main()
