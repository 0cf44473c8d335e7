"""What lies behind the verdicts on ARRoW-CB 8: ε, the number of actions, the ratio, and the price of choosing λ.

    python benchmarks/verdicts.py [STUDY]

The settings of STUDY, the folder of a study, are split by ε, by the number of actions, by the ratio and by the noise.
At last the bundled data sets are played with Algorithm 2, and with its learner on the labels alone: all of them, or the
one part of the split that trains.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.progress import track
from rich.table import Table

from warmcb import SupervisedTruth
from warmcb.catalogue import BEST_LAMBDA, title
from warmcb.data import suite
from warmcb.noise import Noise
from warmcb.simulation import simulate_many
from warmcb.study.cells import Cells
from warmcb.study.estimates import TooFewFamiliesError, positive
from warmcb.study.grid import FIGURE_2, Grid

NOISES = ("none", "cyc:0.25", "cyc:1", "maj:1")
EPSILON = 0.0125
ACTIONS = {"2": (2, 2), "3 to 9": (3, 9), "10 and more": (10, 10**9)}
RIVALS = ("sim-bandit", "bandit-only", "arrow-2")


def by_epsilon(scores: pl.DataFrame) -> Table:
    table = Table("ε", *(f"{title(name)} − ARRoW-CB 8" for name in RIVALS))
    for epsilon in scores["epsilon"].unique().sort():
        part = scores.filter(pl.col("epsilon") == epsilon)
        table.add_row(f"{epsilon:g}", *(lead(part, name) for name in RIVALS))
    return table


def by_actions(scores: pl.DataFrame) -> Table:
    table = Table("actions", "families", "Sim-Bandit − ARRoW-CB 8", "the same in average cost")
    for name, (low, high) in ({"all": (2, 10**9)} | ACTIONS).items():
        part = scores.filter(pl.col("n_actions").is_between(low, high))
        if len(part):
            leads = [lead(part, "sim-bandit", column=column) for column in ("excess", "average_cost")]
            table.add_row(name, str(part["family"].n_unique()), *leads)
    return table


def by_ratio(scores: pl.DataFrame) -> Table:
    noises = {"noiseless": ["none"], "uar 0.25": ["uar:0.25"]}
    table = Table("ratio", "families", *(f"Sup-Only − ARRoW-CB 8, {name}" for name in noises))
    for ratio in scores["ratio"].unique().sort():
        part = scores.filter(pl.col("ratio") == ratio)
        leads = [lead(part, "sup-only", noise) for noise in noises.values()]
        table.add_row(f"{ratio:g}", str(part["family"].n_unique()), *leads)
    return table


def price_of_choice(scores: pl.DataFrame) -> Table:
    table = Table("noise", "best single λ − ARRoW-CB 8", "the same in average cost", "Sim-Bandit − ARRoW-CB 8")
    for noise in FIGURE_2:
        leads = [lead(scores, BEST_LAMBDA, [noise], column) for column in ("excess", "average_cost")]
        table.add_row(Noise.parse(noise).title, *leads, lead(scores, "sim-bandit", [noise]))
    return table


def lead(scores: pl.DataFrame, other: str, noises: Sequence[str] = (), column: str = "excess") -> str:
    """By how much ARRoW-CB 8 is ahead of another algorithm."""
    cells = Cells(scores, [column])
    try:
        gap = positive((cells.mean(other, noises) - cells.mean("arrow-8", noises))[0])
    except TooFewFamiliesError as error:
        return f"{error.families} families"
    return f"{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def price_of_validation() -> Table:
    table = Table("noise in the rounds", "data sets", "labels alone, all", "labels alone, one part", "Algorithm 2")
    datasets = [source.load() for source in suite("bundled")]
    for noise in NOISES:
        costs = []
        for data in track(datasets, console=Console(stderr=True)):
            *_, size = Grid().sizes(data.X.shape[0])
            horizon = size.checkpoints[-1]
            # Two λ that are the same for all that matters: the warm start is split, and nothing else is learned from.
            kinds: list[int | tuple[float, ...]] = [(0.0,), (0.0, 1e-12), 8]
            players = [
                SupervisedTruth(data.n_actions, epsilon=EPSILON, horizon=horizon, lambdas=kind) for kind in kinds
            ]
            runs = simulate_many(
                players, data.X, data.y, warm_start=size.warm_start, interaction=horizon, noise=noise,
                truth="supervised",
            )  # fmt: skip
            costs.append([run.average_cost for run in runs])
        table.add_row(noise, str(len(datasets)), *(f"{cost:.3f}" for cost in np.mean(costs, axis=0)))
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path, nargs="?")
    options = parser.parse_args()
    console = Console(width=120)
    if options.study is not None:
        scores = pl.read_parquet(options.study / "scores.parquet").filter(pl.col("tuning") == "hindsight")
        console.print(by_epsilon(scores))
        scores = scores.filter(pl.col("epsilon") == EPSILON)
        console.print(by_actions(scores), by_ratio(scores))
        if BEST_LAMBDA in scores["algorithm"]:
            console.print(price_of_choice(scores))
    console.print(price_of_validation())


if __name__ == "__main__":
    main()
