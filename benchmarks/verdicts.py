"""What lies behind the verdicts on ARRoW-CB 8: ε, the number of actions, the ratio, and the price of choosing λ.

    python benchmarks/verdicts.py [STUDY]

The settings of STUDY, the folder of a study, are split by ε, by the number of actions and by the ratio. Then the
bundled data sets are played once more, with ARRoW-CB 8, with Sim-Bandit, and with each of the eight λ alone: the best
of them, in hindsight, is what a perfect selector would reach. At last Algorithm 2, and its learner on the labels alone:
all of them, or the one part of the split that trains.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.progress import track
from rich.table import Table

from warmcb import ArrowCB, Bandit, SimBandit, SupervisedTruth
from warmcb.data import suite
from warmcb.data.dataset import Dataset
from warmcb.simulate import simulate_many
from warmcb.study.algorithms import title
from warmcb.study.grid import Grid
from warmcb.study.scores import Areas, interval, make_scores

NOISES = ("none", "cyc:0.25", "cyc:1", "maj:1")
RATES = (0.03, 0.1, 0.3, 1.0, 3.0)
EPSILON = 0.0125
SHUFFLES = 5
ACTIONS = {"2": (2, 2), "3 to 9": (3, 9), "10 and more": (10, 10**9)}


def by_epsilon(scores: pl.DataFrame) -> Table:
    table = Table("ε", *(f"area: {title(name)} − ARRoW-CB 8" for name in ("sim-bandit", "bandit-only", "arrow-2")))
    for epsilon in scores["epsilon"].unique().sort():
        part = scores.filter(pl.col("epsilon") == epsilon)
        table.add_row(f"{epsilon:g}", *(lead(part, name) for name in ("sim-bandit", "bandit-only", "arrow-2")))
    return table


def by_actions(scores: pl.DataFrame) -> Table:
    table = Table("actions", "data sets", "area: Sim-Bandit − ARRoW-CB 8", "average cost: Sim-Bandit − ARRoW-CB 8")
    for name, (low, high) in ({"all": (2, 10**9)} | ACTIONS).items():
        part = scores.filter(pl.col("n_actions").is_between(low, high))
        if not len(part):
            continue
        gaps = [lead(part, "sim-bandit", column) for column in ("normalized_error", "average_cost")]
        table.add_row(name, str(part["dataset"].n_unique()), *gaps)
    return table


def by_ratio(scores: pl.DataFrame) -> Table:
    noises = {"noiseless": ("none", 0.0), "uar 0.25": ("uar", 0.25)}
    table = Table("ratio", "data sets", *(f"area: Sup-Only − ARRoW-CB 8, {name}" for name in noises))
    for ratio in scores["ratio"].unique().sort():
        part = scores.filter(pl.col("ratio") == ratio)
        gaps = [
            lead(part.filter(pl.col("noise") == kind, pl.col("noise_p") == p), "sup-only")
            for kind, p in noises.values()
        ]
        table.add_row(f"{ratio:g}", str(part["dataset"].n_unique()), *gaps)
    return table


def lead(scores: pl.DataFrame, other: str, column: str = "normalized_error") -> str:
    """By how much ARRoW-CB 8 is ahead of another algorithm."""
    areas = Areas(scores, scores["dataset"].unique().sort().to_list(), column)
    gap = interval(areas[other] - areas["arrow-8"])
    return f"{gap.value:+.3f}" if gap.low is None else f"{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def bandits(n_actions: int, horizon: int, seed: int) -> Iterator[tuple[str, Bandit]]:
    lambdas = ArrowCB(n_actions, epsilon=EPSILON).lambdas_.tolist()
    for rate in RATES:
        yield "sim", SimBandit(n_actions, epsilon=EPSILON, learning_rate=rate, seed=seed)
        for kind, values in [("arrow", tuple(lambdas)), *(("single", (value,)) for value in lambdas)]:
            yield (
                kind,
                ArrowCB(n_actions, epsilon=EPSILON, learning_rate=rate, horizon=horizon, lambdas=values, seed=seed),
            )


def best_costs(data: Dataset, noise: str) -> dict[str, float]:
    """The lowest average cost of each kind over learning rates, and over single λ, each a mean of shuffles."""
    *_, size = Grid().sizes(data.X.shape[0])
    n_b = size.checkpoints[-1]
    costs: dict[tuple[str, int], list[float]] = {}
    for shuffle in range(SHUFFLES):
        kinds = list(bandits(data.n_actions, data.X.shape[0] - size.warm_start, shuffle))
        players = [bandit for _, bandit in kinds]
        runs = simulate_many(
            players, data.X, data.y, warm_start=size.warm_start, interaction=n_b, noise=noise, seed=shuffle
        )
        for number, ((kind, _), run) in enumerate(zip(kinds, runs, strict=True)):
            costs.setdefault((kind, number), []).append(run.average_cost)
    return {
        kind: min(float(np.mean(found)) for (of, _), found in costs.items() if of == kind)
        for kind in ("single", "arrow", "sim")
    }


def price_of_choice() -> Table:
    table = Table("noise", "actions", "data sets", "best single λ", "ARRoW-CB 8", "Sim-Bandit")
    datasets = [source.load() for source in suite("bundled")]
    found = {
        (noise, data.name): best_costs(data, noise)
        for noise in track(NOISES, console=Console(stderr=True))
        for data in datasets
    }
    for noise in NOISES:
        for name, chosen in (("2", [d for d in datasets if d.n_actions == 2]),
                             ("3 and more", [d for d in datasets if d.n_actions > 2])):  # fmt: skip
            means = [np.mean([found[noise, data.name][kind] for data in chosen]) for kind in ("single", "arrow", "sim")]
            table.add_row(noise, name, str(len(chosen)), *(f"{mean:.3f}" for mean in means))
    return table


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
        scores = make_scores(pl.read_parquet(options.study / "results.parquet"))
        scores = scores.filter(pl.col("tuning") == "hindsight")
        console.print(by_epsilon(scores))
        scores = scores.filter(pl.col("epsilon") == EPSILON)
        console.print(by_actions(scores), by_ratio(scores))
    console.print(price_of_choice(), price_of_validation())


if __name__ == "__main__":
    main()
