"""Differences between algorithms: which of two costs less, and whether that is significant."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import polars as pl

from warmcb import _own
from warmcb.catalogue import BEST_LAMBDA
from warmcb.study.cells import Cells
from warmcb.study.estimates import TooFewFamiliesError, positive
from warmcb.study.grid import main_epsilon
from warmcb.study.scores import SETTING

_MOST_FOR_ALL_PAIRS = 4
LOWER, HIGHER, OPEN = "lower", "higher", "not significant"


class CostDifference(NamedTuple):
    """The average cost of one algorithm minus that of another, over the settings that both have played."""

    value: float
    """The mean. All families and all ratios count the same."""
    low: float | None
    """The lower end of the 95 % interval over families; None if there are too few."""
    high: float | None
    lower: int
    """The number of families in which it is below 0."""
    higher: int
    families: int

    @property
    def verdict(self) -> str | None:
        """Whether the cost is lower, higher, or not significantly different; None without an interval."""
        if self.low is None or self.high is None:
            return None
        return LOWER if self.high < 0 else HIGHER if self.low > 0 else OPEN


class Comparison(NamedTuple):
    """Two algorithms, compared with the best learning rates in hindsight, and without hindsight."""

    algorithm: str
    other: str
    difference: CostDifference
    untuned: CostDifference | None
    """None if neither has a learning rate, or if there are no other families to choose it on."""


def comparisons(scores: pl.DataFrame) -> list[Comparison]:
    """Compare each algorithm of the user with all others, at the main ε. If there are few, compare all pairs."""
    at_main = scores.filter(pl.col("epsilon") == main_epsilon(scores["epsilon"].unique()))
    tuned, untuned = (at_main.filter(pl.col("tuning") == tuning) for tuning in ("hindsight", "other-data"))
    found = []
    for name, other in _pairs(tuned["algorithm"].unique(maintain_order=True).to_list()):
        difference = compare(tuned, name, other)
        if difference is not None:
            has_rate = untuned.filter(pl.col("algorithm").is_in([name, other]))["learning_rate"].count() > 0
            without = compare(untuned, name, other) if has_rate else None
            found.append(Comparison(name, other, difference, without))
    return found


def _pairs(names: list[str]) -> Iterator[tuple[str, str]]:
    own = [name for name in names if _own.is_own(name)]
    others = [name for name in names if name not in (*own, BEST_LAMBDA)]  # which is not run under every noise
    few = len(own) + len(others) <= _MOST_FOR_ALL_PAIRS
    return (pair for pair in combinations([*own, *others], 2) if few or pair[0] in own)


def compare(scores: pl.DataFrame, name: str, other: str) -> CostDifference | None:
    """Compare two algorithms in scores of one ε and one tuning; None if they have no setting in common."""
    one, two = (scores.filter(pl.col("algorithm") == algorithm) for algorithm in (name, other))
    pairs = one.join(two.select(*SETTING, pl.col("average_cost").alias("other_cost")), on=SETTING)
    if not len(pairs):
        return None
    cells = Cells(pairs.with_columns((pl.col("average_cost") - pl.col("other_cost")).alias("more")), ["more"])
    of_family = cells.by_family(name)[:, 0]
    counts = int((of_family < 0).sum()), int((of_family > 0).sum()), len(of_family)
    try:
        found = positive(cells.mean(name)[0])
    except TooFewFamiliesError:
        return CostDifference(float(np.mean(of_family)), None, None, *counts)
    return CostDifference(found.value, found.low, found.high, *counts)
