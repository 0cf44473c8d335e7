"""How often the 95 % intervals of a study contain the truth, in made-up worlds where it is known.

    python benchmarks/interval_coverage.py [--worlds 10000] [--study STUDY]

Two algorithms differ by 0.03 on average. A family has a level and a trend over the ratios of its own, twins differ a
little, and the study has the bundled data sets' eight families, which serve four to seven ratios. The effects of
families are normal, heavy-tailed or skewed. The bootstrap is the one that the jackknife replaced.

With a study, its own families are the world: as many as are named are drawn from them, with replacement, and the truth
is the mean over all. Each pair of the paper's algorithms is such a world; the table has the worst and the median.
"""

import argparse
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from warmcb.catalogue import PAPER
from warmcb.study.estimates import Doubles, mean_over_ratios, positive

BUNDLED_LAYOUT = ((2, 4), (2, 7), (4, 5), (2, 6), (1, 5), (1, 5), (2, 4), (1, 5))
"""How many members each family has, and how many of the seven ratios it serves."""
TRUTH = 0.03

Interval = Callable[[Doubles], tuple[float, float]]
Draw = Callable[[np.random.Generator, int], Doubles]

EFFECTS: dict[str, Draw] = {
    "normal": lambda random, size: random.normal(size=size),
    "heavy tails (Student, 4 degrees)": lambda random, size: random.standard_t(4, size=size) / np.sqrt(2),
    "skewed (exponential)": lambda random, size: random.exponential(size=size) - 1,
}


def jackknife(cells: Doubles) -> tuple[float, float]:
    """The interval of the verdicts."""
    found = positive(mean_over_ratios(cells))
    return found.low, found.high


def percentiles(cells: Doubles) -> tuple[float, float]:
    """Families drawn with replacement, all ratios; draws that miss a ratio are dropped."""
    drawn = cells[np.random.default_rng(0).integers(len(cells), size=(400, len(cells)))]
    there = np.isfinite(drawn)
    with np.errstate(invalid="ignore"):
        means = np.where(there, drawn, 0).sum(axis=1) / there.sum(axis=1)
    low, high = np.nanquantile(means.mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


def worlds(effect: Draw, count: int) -> Iterator[Doubles]:
    """What studies find: the difference in each family at each ratio."""
    random = np.random.default_rng(5)
    for _ in range(count):
        cells = np.full((len(BUNDLED_LAYOUT), 7), np.nan)
        for family, (members, ratios) in enumerate(BUNDLED_LAYOUT):
            level, trend = 0.04 * effect(random, 2)
            twins = 0.01 * random.normal(size=(members, 1)) + 0.01 * random.normal(size=(members, ratios))
            cells[family, :ratios] = TRUTH + level + trend * np.arange(ratios) / 10 + twins.mean(axis=0)
        yield cells


def coverage(interval: Interval, effect: Draw, count: int) -> float:
    found = [interval(cells) for cells in worlds(effect, count)]
    return float(np.mean([low <= TRUTH <= high for low, high in found]))


def real_leads(study: Path) -> Iterator[Doubles]:
    """For each pair of algorithms the lead of one in each family, at the ratios that all families serve."""
    scores = pl.read_parquet(study / "scores.parquet").filter(
        pl.col("tuning") == "hindsight", pl.col("epsilon") == 0.0125, pl.col("ratio") <= 23
    )
    means = scores.group_by("family", "ratio", "algorithm").agg(pl.col("excess").mean())
    tables = {
        name: means.filter(pl.col("algorithm") == name).pivot("ratio", index="family", values="excess").sort("family")
        for name in PAPER
    }
    for first, second in combinations(PAPER, 2):
        yield (tables[first].drop("family") - tables[second].drop("family")).to_numpy()


def coverage_of_draws(leads: Doubles, families: int, count: int) -> float:
    random, truth = np.random.default_rng(5), leads.mean()
    found = [jackknife(leads[random.integers(len(leads), size=families)]) for _ in range(count)]
    return float(np.mean([low <= truth <= high for low, high in found]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=10_000)
    parser.add_argument("--study", type=Path)
    options = parser.parse_args()
    count = options.worlds
    table = Table("effects of families", "jackknife", "bootstrap of families")
    for name, effect in EFFECTS.items():
        shares = coverage(jackknife, effect, count), coverage(percentiles, effect, count // 10)
        table.add_row(name, *(f"{share:.1%}" for share in shares))
    Console().print(table)
    if options.study is not None:
        worlds_of_study = list(real_leads(options.study))
        table = Table("families drawn", "worst pair", "median pair")
        for families in (8, 16, len(worlds_of_study[0])):
            covered = [coverage_of_draws(leads, families, count // 10) for leads in worlds_of_study]
            table.add_row(str(families), f"{min(covered):.1%}", f"{np.median(covered):.1%}")
        Console().print(table)


if __name__ == "__main__":
    main()
