"""What each part of WarmBandit brings, by hand."""

import polars as pl
import pytest

from warmcb.catalogue import ABLATION, CATALOGUE, GROUPS, PAPER, STUDIED
from warmcb.catalogue.lookup import without_parts
from warmcb.study.ablation import ablation, excess
from warmcb.study.grid import Grid

ERRORS = {
    "arrow-8": {"none": 0.5, "cyc": 0.6},
    "warm": {"none": 0.2, "cyc": 0.3},
    "warm-online": {"none": 0.4, "cyc": 0.5},
    "warm-bandit-only": {"none": 0.4, "cyc": 0.25},
    "warm-sup-only": {"none": 0.25, "cyc": 0.9},
}


@pytest.fixture
def scores() -> pl.DataFrame:
    rows = [
        {"dataset": f"d{i}", "family": f"f{i}", "warm_start": 100, "interaction": 200, "ratio": 2.0, "noise": noise}
        | {"noise_p": float(noise != "none")}
        | {"epsilon": 0.1, "algorithm": name, "average_cost": error / 2, "normalized_error": error}
        | {"excess": 2 * error}
        for i in range(6)
        for name, of_noise in ERRORS.items()
        for noise, error in of_noise.items()
    ]
    return pl.DataFrame(rows)


def test_the_loss_is_the_excess_that_a_change_adds(scores: pl.DataFrame) -> None:
    whole, *parts = ablation(scores)
    assert (whole["algorithm"], whole["value"]) == ("warm", 0)
    assert [row["algorithm"] for row in parts] == ["warm-bandit-only", "warm-online", "warm-sup-only"]
    online = parts[1]
    assert [online[key] for key in ("area", "value", "low", "high")] == pytest.approx([0.45, 0.4, 0.4, 0.4])
    assert (online["win"], online["lose"]) == (1.0, 0.0)


def test_the_choice_costs_what_lies_above_the_better_source(scores: pl.DataFrame) -> None:
    worst, best = excess(scores)
    assert (worst["noise"], worst["better"]) == ("cyc", "warm-bandit-only")
    assert (best["noise"], best["better"]) == ("none", "warm-sup-only")
    assert [worst["above"], best["above"]] == pytest.approx([0.05, -0.05])
    assert [worst["value"], best["value"]] == pytest.approx([0.1, -0.1])


def test_nothing_to_compare(scores: pl.DataFrame) -> None:
    assert ablation(scores.filter(pl.col("algorithm") != "warm")) == []
    assert ablation(scores.filter(pl.col("algorithm").is_in(["warm", "arrow-8"]))) == []
    assert excess(scores.filter(pl.col("algorithm") != "warm-sup-only")) == []


def test_groups_stand_for_their_members() -> None:
    assert Grid.of({"algorithms": ["paper", "warm"]}).algorithms == (*PAPER, "warm")
    assert Grid.of({"algorithms": ["ablation"]}).algorithms == GROUPS["ablation"]
    assert set(GROUPS["ablation"]) <= set(STUDIED)


def test_parts_are_drawn_only_when_they_are_all_there_is() -> None:
    assert without_parts(["arrow-8", "warm", "warm-2"]) == ["arrow-8", "warm"]
    assert without_parts(ABLATION[:2]) == list(ABLATION[:2])


@pytest.mark.parametrize("name", GROUPS["ablation"])
def test_every_part_is_a_bandit(name: str) -> None:
    bandit = CATALOGUE[name].make(3, epsilon=0.1, learning_rate=None, horizon=None, seed=1)
    bandit.warm_start([[0.0], [1.0], [2.0]], [0, 1, 2])
    assert bandit.decide([1.0]).action in range(3)
