"""How long the theory takes: the exact Algorithm 1, the frontier, the two figures.

python benchmarks/theory.py
"""

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from warmcb import ExactArrow, simulate
from warmcb.learners.finite_class import LinearPolicies, TablePolicies
from warmcb.theory import frontier
from warmcb.theory.measurement import measure_all
from warmcb.theory.pictures import plot_failure, plot_regret

N_POLICIES = 10_000


def exact_arrow() -> None:
    X = np.random.default_rng(0).normal(size=(10_300, 6))
    bandit = ExactArrow(3, policies=N_POLICIES, epsilon=0.1)
    simulate(bandit, X, X[:, :3].argmax(axis=1), warm_start=300, interaction=10_000)


def table_frontier() -> None:
    random = np.random.default_rng(0)
    policies = TablePolicies(random.integers(5, size=(1000, N_POLICIES)), 5)
    contexts = random.integers(1000, size=(50_000, 1)).astype(float)
    frontier(policies, contexts, random.random((50_000, 5)), random.random((50_000, 5)), bootstrap=0)


def linear_frontier() -> None:
    random = np.random.default_rng(0)
    policies = LinearPolicies.at_random(N_POLICIES, 3, 10)
    X, y = random.normal(size=(50_000, 10)), random.integers(3, size=(2, 50_000))
    frontier(policies, X, y[0], y[1], bootstrap=0)


def failure_figure() -> None:
    plot_failure().savefig("/dev/null", format="svg")


def regret_figure() -> None:
    plot_regret(measure_all(seeds=20)).savefig("/dev/null", format="svg")


PARTS: dict[str, Callable[[], None]] = {
    "exact Algorithm 1, |Π| = 10,000, 10,000 rounds, 8 λ": exact_arrow,
    "frontier, |Π| = 10,000 (table), 50,000 contexts": table_frontier,
    "frontier, |Π| = 10,000 (linear, K = 3, d = 10), 50,000 contexts": linear_frontier,
    "the failure figure": failure_figure,
    "the measurement figure": regret_figure,
}


def main() -> None:
    table = Table("what", "seconds")
    for name, work in PARTS.items():
        started = time.perf_counter()
        work()
        table.add_row(name, f"{time.perf_counter() - started:.1f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
