"""Which of two algorithms costs less, by hand."""

from collections.abc import Sequence

import polars as pl
import pytest

from warmcb.study.differences import Comparison, compare, comparisons
from warmcb.study.scores import SETTING, TUNINGS

COSTS = {"warm": 0.3, "my:first": 0.2, "my:second": 0.2, "arrow-8": 0.4, "sup-only": 0.5}
SWING = {"my:second": (0.05, -0.05)}
"""What an algorithm costs more, in every other family."""


def scores_of(*algorithms: str, families: int = 8, tunings: Sequence[str] = TUNINGS[::2]) -> pl.DataFrame:
    rows = [
        {"dataset": f"d{i}", "family": f"f{i}", "warm_start": 100, "interaction": 200, "ratio": 2.0, "noise": noise}
        | {"noise_p": 0.0, "epsilon": epsilon, "tuning": tuning, "algorithm": name}
        | {"average_cost": COSTS[name] + 0.01 * i * (name == "warm") + SWING.get(name, (0.0, 0.0))[i % 2]}
        | {"learning_rate": None if name == "warm" or ":" in name else 0.5}
        for i in range(families)
        for name in algorithms
        for noise in ("none", "cyc")
        for epsilon in (0.0125, 0.1)
        for tuning in tunings
    ]
    return pl.DataFrame(rows, schema_overrides={"learning_rate": pl.Float64})


def of_pair(found: list[Comparison], name: str, other: str) -> Comparison:
    (one,) = [row for row in found if (row.algorithm, row.other) == (name, other)]
    return one


def test_a_difference_has_an_interval_and_a_word() -> None:
    found = comparisons(scores_of("warm", "my:first", "my:second"))
    clear = of_pair(found, "my:first", "warm").difference
    assert clear.value == pytest.approx(-0.1 - 0.01 * 3.5)
    assert clear.low is not None and clear.high is not None and clear.low < clear.value < clear.high < 0
    assert (clear.lower, clear.higher, clear.families, clear.verdict) == (8, 0, 8, "lower")
    close = of_pair(found, "my:first", "my:second").difference
    assert close.value == pytest.approx(0)
    assert (close.lower, close.higher, close.verdict) == (4, 4, "not significant")
    worse = compare(scores_of("warm", "my:first"), "warm", "my:first")
    assert worse is not None and worse.verdict == "higher"


def test_own_algorithms_are_compared_with_all_and_few_with_each_other() -> None:
    few = comparisons(scores_of("arrow-8", "sup-only", "warm"))
    assert [row[:2] for row in few] == [("arrow-8", "sup-only"), ("arrow-8", "warm"), ("sup-only", "warm")]
    own = comparisons(scores_of(*COSTS))
    with_others = {(name, other) for name in ("my:first", "my:second") for other in ("warm", "arrow-8", "sup-only")}
    assert {row[:2] for row in own} == with_others | {("my:first", "my:second")}
    many = scores_of(*COSTS).with_columns(pl.col("algorithm").replace({"my:first": "majority", "my:second": "half"}))
    assert comparisons(many) == []


def test_without_hindsight_only_if_there_is_a_learning_rate_and_another_family() -> None:
    found = comparisons(scores_of("warm", "arrow-8", "my:first"))
    assert of_pair(found, "my:first", "warm").untuned is None
    assert of_pair(found, "my:first", "arrow-8").untuned is not None
    alone = comparisons(scores_of("arrow-8", "my:first", families=1, tunings=("hindsight",)))
    (only,) = alone
    assert (only.difference.low, only.difference.high, only.difference.verdict) == (None, None, None)
    assert only.difference.value == pytest.approx(-0.2)
    assert only.untuned is None


def test_only_settings_that_both_have_played_count() -> None:
    scores = scores_of("warm", "my:first", families=8)
    dear = pl.col("average_cost") + 10 * (pl.col("noise") == "cyc")
    scores = scores.with_columns(pl.when(pl.col("algorithm") == "warm").then(dear).otherwise(pl.col("average_cost")))
    partly = scores.filter((pl.col("algorithm") == "warm") | (pl.col("noise") == "none"))
    one = partly.filter(pl.col("tuning") == "hindsight", pl.col("epsilon") == 0.1)
    found = compare(one, "my:first", "warm")
    assert found is not None and found.value == pytest.approx(-0.135)
    apart = one.filter((pl.col("algorithm") == "warm") == (pl.col("noise") == "cyc"))
    assert compare(apart, "my:first", "warm") is None
    assert one.select(SETTING).n_unique() == 16
