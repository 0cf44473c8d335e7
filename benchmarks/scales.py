"""Which scale is ruled least by a few families: the choice behind `SMALLEST_RANGE`.

    python benchmarks/scales.py STUDY

Costs of different data sets can only be averaged on some scale: plain, or divided by how far the best constant action
is above e*, which is nothing on many data sets, so that it needs a lower limit. For each pair of the paper's algorithms
the families differ in the lead of one over the other. The table has the share of that variance that the five most
extreme families make up, averaged over all pairs: the less, the more families speak. It does not look at who leads.
"""

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from warmcb.catalogue import PAPER
from warmcb.study.estimates import Doubles

LIMITS = (0.02, 0.05, 0.1, 0.2, 0.3)


def share_of_the_most_extreme(costs: pl.DataFrame, scale: Doubles, count: int = 5) -> float:
    """Of the variance of leads between families, averaged over pairs of algorithms."""
    families = costs["family"].to_numpy()
    scaled = {name: costs[name].to_numpy() / scale for name in PAPER}
    shares = []
    for first, second in combinations(PAPER, 2):
        leads = scaled[first] - scaled[second]
        means = np.array([leads[families == family].mean() for family in np.unique(families)])
        squares = np.sort((means - means.mean()) ** 2)[::-1]
        shares.append(squares[:count].sum() / squares.sum())
    return float(np.mean(shares))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", type=Path)
    scores = pl.read_parquet(parser.parse_args().study / "scores.parquet")
    scores = scores.filter(pl.col("tuning") == "hindsight", pl.col("epsilon") == 0.0125)
    gap = (pl.col("constant_cost") - pl.col("optimal_cost")).mean().alias("range")
    facts = scores.group_by("dataset").agg(pl.col("family").first(), gap)
    means = scores.group_by("dataset", "algorithm").agg(pl.col("average_cost").mean())
    costs = facts.join(means.pivot("algorithm", index="dataset"), on="dataset").sort("dataset")
    ranges = costs["range"].to_numpy()
    table = Table("scale", "share of the five most extreme families", "data sets at the limit")
    table.add_row("plain costs", f"{share_of_the_most_extreme(costs, np.ones(len(costs))):.0%}", "")
    for limit in LIMITS:
        share = share_of_the_most_extreme(costs, np.maximum(ranges, limit))
        table.add_row(f"range, at least {limit:g}", f"{share:.0%}", f"{(ranges < limit).sum()} of {len(ranges)}")
    Console().print(table)


if __name__ == "__main__":
    main()
