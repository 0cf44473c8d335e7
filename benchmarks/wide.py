"""Which learner on wide data: exact, in blocks, or online; cost and time a round.

    python benchmarks/wide.py --data DIR

Each row is a learner inside WarmBandit: exact least squares, least squares in blocks, and the paper's online learner.
Two of the data sets are made from `kropt`: all pairs and triples of its columns, one-hot, as they are and hashed.
"""

import argparse
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse

from warmcb import WarmBandit, simulate
from warmcb.data import read_file
from warmcb.learners import OnlineLinear, RecursiveLeastSquares

EPSILON = 0.0125
NOISES = ("none", "uar:0.5", "cyc:1")
WIDEST_WHOLE, WIDEST_IN_BLOCKS = 300, 30_000


class Case(NamedTuple):
    name: str
    X: Any
    y: NDArray[np.int32]
    n_actions: int


LEARNERS: dict[str, OnlineLinear | RecursiveLeastSquares] = {
    "exact": RecursiveLeastSquares("squares", exact_terms=2**10),
    "in blocks": RecursiveLeastSquares("linear", exact_terms=1),
    "online": OnlineLinear(),
}


def cases(folder: Path) -> Iterator[Case]:
    for name in ("optdigits", "musk2", "dna", "splice", "mnist_5k", "hiva_agnostic_train"):
        data = read_file(folder / f"{name}.parquet")
        yield Case(name, data.X, data.y, data.n_actions)
    data = read_file(folder / "kropt.parquet")
    data = data.rows(np.random.default_rng(0).permutation(data.X.shape[0])[:12000])
    columns = crossed(sparse.csr_array(data.X).toarray())
    for name, width, at in (
        ("kropt, crossed", int(columns.max()) + 1, columns),
        ("kropt, hashed", 2**18, columns * 2654435761 % 2**18),
    ):
        starts = np.arange(0, at.size + 1, at.shape[1])
        X = sparse.csr_array((np.ones(at.size, dtype=np.float32), at.ravel(), starts), shape=(len(at), width))
        X.sum_duplicates()
        yield Case(name, X, data.y, data.n_actions)


def crossed(X: NDArray[np.float32]) -> NDArray[np.int64]:
    """For each row the numbers of the one-hot columns that its pairs and triples of values have."""
    groups = np.split(np.arange(X.shape[1]), np.cumsum([4, 4, 8, 8, 8]))  # a rook and two kings: file and rank of each
    codes = [X[:, group].argmax(axis=1) for group in groups]
    found, first = [], 0
    for size in (2, 3):
        for chosen in combinations(codes, size):
            found.append(first + sum(code * 10**i for i, code in enumerate(chosen)))
            first += 10**size
    return np.stack(found, axis=1)


def possible(n_features: int) -> list[str]:
    widest = {"exact": WIDEST_WHOLE, "in blocks": WIDEST_IN_BLOCKS, "online": n_features}
    return [name for name in LEARNERS if n_features <= widest[name]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="a folder of data sets")
    console = Console()
    for case in cases(parser.parse_args().data):
        n_rows, n_features = case.X.shape
        table = Table("learner", *(f"cost, {noise}" for noise in NOISES), "µs a round")
        for name in possible(n_features):
            runs = [
                simulate(
                    WarmBandit(case.n_actions, epsilon=EPSILON, learner=LEARNERS[name]),
                    case.X,
                    case.y,
                    warm_start=max(100, n_rows // 50),
                    noise=noise,
                )
                for noise in NOISES
            ]
            seconds = min(run.seconds for run in runs) / n_rows
            costs = [f"{run.average_cost:.3f}" for run in runs]
            table.add_row(runs[0].bandit.learner_, *costs, f"{1e6 * seconds:.0f}")
        console.print(f"{case.name}: {n_features:,} features, {case.n_actions} actions")
        console.print(table)


if __name__ == "__main__":
    main()
