"""Scores on cases that a hand can compute."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmcb.study.scores import SETTING, area, cdf, make_scores, standings


def results(*rows: tuple[Any, ...]) -> pl.DataFrame:
    """Rows of (data set, algorithm, rate, cost), or with a ratio and a noise too; e* is 0.1, the best constant 0.6.

    The family of a data set is the first letter of its name.
    """
    full = []
    for row in rows:
        dataset, algorithm, rate, cost, *rest = row
        ratio, noise, shuffle = rest or (23.0, "none", 0)
        full.append((dataset, 3000, 4, 2, 120, int(120 * ratio), ratio, noise, 0.0 if noise == "none" else 1.0, 0.0125,
                     algorithm, rate, shuffle, 0, cost, 0.1, 0.6, dataset[0]))  # fmt: skip
    names = ["dataset", "n_rows", "n_features", "n_actions", "warm_start", "interaction", "ratio", "noise", "noise_p",
             "epsilon", "algorithm", "learning_rate", "shuffle", "seed", "average_cost", "optimal_cost",
             "constant_cost", "family"]  # fmt: skip
    return pl.DataFrame(full, schema=names, orient="row")


def chosen(scores: pl.DataFrame, tuning: str) -> dict[tuple[str, str], tuple[float, float]]:
    found = scores.filter(pl.col("tuning") == tuning)
    return {(row["dataset"], row["algorithm"]): (row["learning_rate"], row["average_cost"])
            for row in found.iter_rows(named=True)}  # fmt: skip


def test_the_normalized_error() -> None:
    scores = make_scores(results(("a", "arrow-8", 0.1, 0.2), ("a", "sup-only", 0.1, 0.5), ("a", "majority", None, 0.3)))
    errors = dict(scores.filter(pl.col("tuning") == "hindsight").select("algorithm", "normalized_error").iter_rows())
    assert errors == pytest.approx({"arrow-8": 0.1 / 0.4001, "sup-only": 0.4 / 0.4001, "majority": 0.2 / 0.4001})


def test_newcomers_do_not_move_the_scale() -> None:
    rows = [("a", "arrow-8", 0.1, 0.2), ("a", "majority", None, 0.3)]
    errors = [
        make_scores(results(*rows, *more)).filter(pl.col("algorithm") == "arrow-8")["normalized_error"][0]
        for more in ([], [("a", "half", 0.1, 0.9)])
    ]
    assert errors[0] == errors[1]


def test_where_even_the_worst_beats_the_floor_all_are_best() -> None:
    scores = make_scores(results(("a", "arrow-8", 0.1, 0.02), ("a", "majority", None, 0.05)))
    assert (scores["normalized_error"] < 0).all()


def test_one_scale_for_every_tuning_and_epsilon() -> None:
    rows = results(("a", "arrow-8", 0.1, 0.2), ("a", "arrow-8", 1.0, 0.3), ("b", "arrow-8", 0.1, 0.9),
                   ("b", "arrow-8", 1.0, 0.4))  # fmt: skip
    scores = make_scores(rows)
    excess = {(row["tuning"], row["dataset"]): row["excess"] for row in scores.iter_rows(named=True)}
    assert excess["hindsight", "a"] == pytest.approx((0.2 - 0.1) / 0.5)
    assert excess["one-rate", "a"] == pytest.approx((0.3 - 0.1) / 0.5)
    assert excess["other-data", "b"] == pytest.approx((0.9 - 0.1) / 0.5)  # worse than 1, and not clipped


def test_a_tiny_range_does_not_rule() -> None:
    rows = results(("a", "arrow-8", 0.1, 0.2)).with_columns(constant_cost=pl.lit(0.101))
    assert make_scores(rows)["excess"][0] == pytest.approx(0.1 / 0.2)


def test_the_range_is_the_data_sets_not_the_shuffles() -> None:
    rows = pl.concat(
        [
            results(("a", "arrow-8", 0.1, 0.2, 23.0, "none", 0)),
            results(("a", "arrow-8", 0.1, 0.4, 23.0, "none", 1)).with_columns(optimal_cost=pl.lit(0.3)),
        ]
    )
    assert make_scores(rows)["excess"][0] == pytest.approx((0.3 - 0.2) / (0.6 - 0.2))


def test_the_family_is_left_out_of_the_choice() -> None:
    """a1 and a2 are twins that want the smallest rate; a rate from other data must not come from the twin."""
    rows = [(name, "arrow-8", rate, cost) for name in ("a1", "a2") for rate, cost in ((0.1, 0.1), (1.0, 0.9))]
    rows += [("b", "arrow-8", 0.1, 0.5), ("b", "arrow-8", 1.0, 0.4)]
    found = {name: rate for (name, _), (rate, _) in chosen(make_scores(results(*rows)), "other-data").items()}
    assert found == {"a1": 1.0, "a2": 1.0, "b": 0.1}


def test_a_family_counts_once_in_the_choice_of_one_rate() -> None:
    rows = [(name, "arrow-8", rate, cost) for name in ("a1", "a2", "a3") for rate, cost in ((0.1, 0.2), (1.0, 0.3))]
    rows += [("b", "arrow-8", 0.1, 0.6), ("b", "arrow-8", 1.0, 0.4)]
    assert {rate for rate, _ in chosen(make_scores(results(*rows)), "one-rate").values()} == {1.0}


def test_the_best_single_lambda_is_one_algorithm() -> None:
    rows = results(
        ("a", "arrow-8", 0.1, 0.5),
        ("a", "lambda-0", 0.1, 0.4),
        ("a", "lambda-1/2", 1.0, 0.3),
        ("a", "bandit-only", 0.1, 0.35),
        ("b", "bandit-only", 0.1, 0.2),
    )
    scores = make_scores(rows).filter(pl.col("tuning") == "hindsight")
    found = scores.filter(pl.col("algorithm") == "best-lambda")
    assert found.select("dataset", "variant", "learning_rate", "average_cost").rows() == [("a", "lambda-1/2", 1.0, 0.3)]
    assert set(scores["algorithm"]) == {"arrow-8", "bandit-only", "best-lambda"}
    assert "best-lambda" not in set(standings(scores)["algorithm"])


def test_three_ways_to_choose_a_rate() -> None:
    scores = make_scores(
        results(
            ("a", "arrow-8", 0.1, 0.2),
            ("a", "arrow-8", 1.0, 0.3),
            ("a", "arrow-8", 10.0, 0.6),
            ("b", "arrow-8", 0.1, 0.7),
            ("b", "arrow-8", 1.0, 0.3),
            ("b", "arrow-8", 10.0, 0.25),
            ("c", "arrow-8", 0.1, 0.45),
            ("c", "arrow-8", 1.0, 0.3),
            ("c", "arrow-8", 10.0, 0.2),
        )
    )  # fmt: skip
    assert {key: rate for (key, _), (rate, _) in chosen(scores, "hindsight").items()} == {"a": 0.1, "b": 10, "c": 10}
    assert {rate for rate, _ in chosen(scores, "one-rate").values()} == {1.0}  # means 0.45, 0.3, 0.35
    others = {key: rate for (key, _), (rate, _) in chosen(scores, "other-data").items()}
    assert others == {"a": 10.0, "b": 1.0, "c": 1.0}  # a: 0.575, 0.3, 0.225; b: 0.325, 0.3, 0.4; c: 0.45, 0.3, 0.425


def test_shuffles_are_averaged_before_the_rate_is_chosen() -> None:
    scores = make_scores(
        results(
            ("a", "arrow-8", 0.1, 0.1, 23.0, "none", 0),
            ("a", "arrow-8", 0.1, 0.9, 23.0, "none", 1),
            ("a", "arrow-8", 1.0, 0.4, 23.0, "none", 0),
            ("a", "arrow-8", 1.0, 0.4, 23.0, "none", 1),
        )
    )  # fmt: skip
    ((rate, cost),) = chosen(scores, "hindsight").values()
    assert rate == 1.0
    assert cost == pytest.approx(0.4)


def test_a_single_data_set_has_no_others() -> None:
    scores = make_scores(results(("a", "arrow-8", 0.1, 0.2), ("a", "arrow-8", 1.0, 0.3)))
    assert scores["tuning"].unique().sort().to_list() == ["hindsight", "one-rate"]


def uneven() -> pl.DataFrame:
    """Noiseless: ratio 23 twice, ratio 46 once; cyc: ratio 23 once."""
    rows = [("a", 0.0, 23.0, "none"), ("b", 0.5, 23.0, "none"), ("a", 1.0, 46.0, "none"), ("a", 0.25, 23.0, "cyc")]
    columns = {
        "dataset": [row[0] for row in rows],
        "ratio": [row[2] for row in rows],
        "noise": [row[3] for row in rows],
        "noise_p": [0.0, 0.0, 0.0, 1.0],
        "algorithm": ["arrow-8"] * 4,
        "normalized_error": [row[1] for row in rows],
    }
    return pl.DataFrame(columns)


def test_every_ratio_then_every_noise_counts_alike() -> None:
    at = np.array([-0.1, 0.0, 0.3, 0.5, 1.0])
    np.testing.assert_allclose(cdf(uneven(), "arrow-8", at), [0, 1 / 8, 5 / 8, 3 / 4, 1])
    assert area(uneven(), "arrow-8") == pytest.approx(((0.25 + 1) / 2 + 0.25) / 2)


@pytest.mark.slow
@given(st.lists(st.floats(-1, 2), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_the_area_above_the_cdf_is_the_mean_of_the_clipped_error(errors: list[float], random: Any) -> None:
    n = len(errors)
    table = pl.DataFrame(
        {
            "dataset": [random.choice("abc") for _ in range(n)],
            "ratio": [random.choice([23.0, 46.0]) for _ in range(n)],
            "noise": [random.choice(["uar", "cyc"]) for _ in range(n)],
            "noise_p": [1.0] * n,
            "algorithm": ["arrow-8"] * n,
            "normalized_error": errors,
        }
    )
    at = np.linspace(0, 1, 20001)
    below = cdf(table, "arrow-8", at)
    above = 1 - (below[:-1] + below[1:]).mean() / 2
    assert area(table, "arrow-8") == pytest.approx(above, abs=1e-3)
    assert (np.diff(below) >= -1e-12).all()
    assert below[-1] <= 1 + 1e-12


def test_standings() -> None:
    table = make_scores(
        results(
            ("a", "arrow-8", 0.1, 0.2),
            ("a", "sup-only", 0.1, 0.3),
            ("a", "majority", None, 0.5),
            ("b", "arrow-8", 0.1, 0.3),
            ("b", "sup-only", 0.1, 0.301),
            ("b", "majority", None, 0.2),
        )
    )  # fmt: skip
    found = standings(table.filter(pl.col("tuning") == "hindsight"))
    rows = {row["algorithm"]: row for row in found.iter_rows(named=True)}
    assert (rows["arrow-8"]["win"], rows["arrow-8"]["lose"]) == (None, None)
    assert (rows["sup-only"]["win"], rows["sup-only"]["lose"]) == (0, 0.5)  # 0.001 is a draw
    assert (rows["majority"]["win"], rows["majority"]["lose"]) == (0.5, 0.5)
    assert rows["arrow-8"]["mean_rank"] == 1.5
    assert rows["majority"]["mean_cost"] == pytest.approx(0.35)
    assert found["area"].is_sorted()
    assert found["excess"].null_count() == 3  # two families are too few


def test_standings_on_the_scale_of_the_verdicts() -> None:
    rows = [(name, "arrow-8", 0.1, 0.1 + step) for name, step in zip("abcdef", np.linspace(0, 0.5, 6), strict=True)]
    (row,) = standings(make_scores(results(*rows)).filter(pl.col("tuning") == "hindsight")).to_dicts()
    assert row["excess"] == pytest.approx(0.5)
    assert row["low"] < 0.5 < row["high"]


def test_settings_name_the_columns_of_results() -> None:
    assert set(SETTING) <= set(results(("a", "arrow-8", 0.1, 0.2)).columns)
