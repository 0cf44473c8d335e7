"""Verdicts follow from results: made-up ones in which we know what is true."""

import json
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.support.study_samples import NOISES
from warmcb.catalogue import PAPER, SINGLE_LAMBDA
from warmcb.errors import InputError
from warmcb.study.asked import grid_of
from warmcb.study.claims import CLAIMS, chosen_claims
from warmcb.study.grid import Grid
from warmcb.study.verdicts import judge

Levels = dict[str, dict[str, float]]


def results_with(
    levels: Levels,
    families: int = 30,
    epsilon: float = 0.0125,
    shuffles: int = 1,
    ratios: tuple[float, ...] = (2.875, 5.75, 23.0, 184.0),
    noise: float = 0.02,
) -> pl.DataFrame:
    """Average costs near a level for each algorithm and noise ("*": all others); e* is 0, the best constant 1."""
    random = np.random.default_rng(0)
    rows = []
    for family, ratio, under, shuffle in product(range(families), ratios, NOISES, range(shuffles)):
        kind, p = under.split(":")
        for name, level in levels.items():
            cost = level.get(f"{kind}:{float(p):g}", level["*"]) + noise * random.normal()
            rows.append((f"d{family}", f"f{family}", 20000, 4, 3, 100, int(100 * ratio), ratio, kind, float(p), epsilon,
                         name, 0.1, shuffle, 0, cost, 0.0, 1.0))  # fmt: skip
    names = ["dataset", "family", "n_rows", "n_features", "n_actions", "warm_start", "interaction", "ratio", "noise",
             "noise_p", "epsilon", "algorithm", "learning_rate", "shuffle", "seed", "average_cost", "optimal_cost",
             "constant_cost"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


AS_PAPER = {
    "arrow-8": {"*": 0.3, "cyc:1": 0.3},
    "arrow-2": {"*": 0.4},
    "bandit-only": {"*": 0.45, "cyc:1": 0.2},
    "sup-only": {"*": 0.6, "none:0": 0.1, "uar:0.25": 0.2},
    "sim-bandit": {"*": 0.5},
    "majority": {"*": 0.9},
}


def verdicts(results: pl.DataFrame, truth: str = "bandit", tuning: str = "verdict") -> dict[str, Any]:
    return {claim["id"]: claim[tuning] for claim in judge(results, truth)["claims"]}


@pytest.fixture(scope="module")
def as_paper() -> pl.DataFrame:
    return results_with(AS_PAPER)


@pytest.mark.slow
def test_in_the_papers_world_its_claims_hold(as_paper: pl.DataFrame) -> None:
    found = verdicts(as_paper)
    held = {name for name, verdict in found.items() if verdict == "holds"}
    assert {"aggregate", "above-arrow-2", "above-sim-bandit", "noiseless", "uar", "less-dominant", "cyc-1",
            "cyc-1-leader", "cyc-0.25", "maj-0.25", "warm-start-helps", "feedback-helps", "hard-baseline", "ratios",
            "ratios-both-sources", "best-or-close", "sup-only-leads", "no-hit"} <= held  # fmt: skip


@pytest.mark.slow
def test_in_the_opposite_world_they_do_not() -> None:
    found = verdicts(results_with(AS_PAPER | {"sim-bandit": {"*": 0.05}}))
    for name in ("aggregate", "above-sim-bandit", "noiseless", "cyc-1", "cyc-0.25", "maj-0.25", "ratios",
                 "aggregate-curve", "maj-0.25-curve", "best-or-close", "uar-1-leader"):  # fmt: skip
        assert found[name] == "does not hold", name


@pytest.mark.slow
def test_a_draw_is_too_close_to_call_and_says_what_would_have_been_seen() -> None:
    found = judge(results_with(AS_PAPER | {"sim-bandit": AS_PAPER["arrow-8"]}))["claims"]
    by_id = {claim["id"]: claim for claim in found}
    for name in ("aggregate", "above-sim-bandit"):
        assert by_id[name]["verdict"] == "too close to call"
        assert 0 < by_id[name]["seen"] < 0.05


@pytest.mark.slow
def test_curves_need_many_families_to_dominate(as_paper: pl.DataFrame) -> None:
    """Of thirty families none says otherwise, but one in twenty may: 0.95³⁰ = 0.2."""
    assert verdicts(as_paper)["maj-0.25-curve"] == "too close to call"
    many = results_with(AS_PAPER, families=160, ratios=(23.0,))
    assert verdicts(many)["maj-0.25-curve"] == "holds"


@pytest.mark.slow
def test_curves_may_cross_a_little() -> None:
    """One family of thirty on which the rival is better is no more than 0.05 of the settings."""
    table = results_with(AS_PAPER, noise=0.0)
    better = pl.when(pl.col("algorithm") == "sim-bandit", pl.col("family") == "f7").then(0.0)
    found = verdicts(table.with_columns(better.otherwise(pl.col("average_cost")).alias("average_cost")))
    assert found["maj-0.25-curve"] == "too close to call"
    assert found["maj-0.25"] == "holds"


@pytest.mark.slow
def test_a_rate_from_other_data_is_one_for_all_noises(as_paper: pl.DataFrame) -> None:
    """With some noises only, it would be another rate: no verdict without hindsight."""
    some = as_paper.filter(pl.col("noise").is_in(["none", "uar"]))
    assert verdicts(some)["less-dominant"] == "holds"
    assert verdicts(some, tuning="untuned")["less-dominant"] == "not run"


@pytest.mark.slow
def test_asking_for_one_claim_does_not_make_it_easier(as_paper: pl.DataFrame) -> None:
    every = {claim["id"]: claim["p"] for claim in judge(as_paper)["claims"]}
    (alone,) = judge(as_paper, claims=("aggregate",))["claims"]
    assert alone["p"] == every["aggregate"]


@pytest.mark.slow
def test_what_a_failed_unit_leaves_incomplete_does_not_count(as_paper: pl.DataFrame) -> None:
    """One algorithm is missing on one data set: the others are not compared there either."""
    lost = as_paper.filter(
        (pl.col("algorithm") != "arrow-2") | (pl.col("dataset") != "d3") | (pl.col("noise") != "cyc")
    )
    paired = as_paper.filter((pl.col("dataset") != "d3") | (pl.col("noise") != "cyc"))
    numbers = [judge(table)["claims"][0]["numbers"] for table in (lost, paired)]
    assert numbers[0] == numbers[1]


@pytest.mark.slow
def test_what_two_epsilons_tell(as_paper: pl.DataFrame) -> None:
    more = {name: {noise: level + 0.1 for noise, level in AS_PAPER[name].items()} for name in AS_PAPER}
    exploring = more | {"sup-only": AS_PAPER["sup-only"], "arrow-8": {"*": 0.4, "cyc:1": 0.22}}
    exploring["bandit-only"]["cyc:1"] = 0.2
    large = results_with(exploring, epsilon=0.1)
    found = verdicts(pl.concat([as_paper, large]))
    for name in ("gap-shrinks", "epsilon-costs", "small-epsilon", "large-epsilon", "both-sources-large-epsilon"):
        assert found[name] == "holds", name
    assert verdicts(as_paper)["gap-shrinks"] == "not run"


@pytest.mark.slow
def test_across_epsilons_only_the_shuffles_of_both_count() -> None:
    """At the main ε a third shuffle is much cheaper; it must not make the other ε look dear."""
    main = results_with(AS_PAPER, shuffles=3)
    lucky = pl.when(pl.col("shuffle") == 2).then(pl.col("average_cost") / 2).otherwise(pl.col("average_cost"))
    other = results_with(AS_PAPER, shuffles=2, epsilon=0.1)
    both = pl.concat([main.with_columns(lucky.alias("average_cost")), other])
    claims = {claim["id"]: claim for claim in judge(both)["claims"]}
    assert claims["small-epsilon"]["numbers"][0]["value"] == pytest.approx(0, abs=0.01)


@pytest.mark.slow
def test_what_was_not_run_has_no_verdict(as_paper: pl.DataFrame) -> None:
    assert verdicts(as_paper.filter(pl.col("algorithm") != "sim-bandit"))["above-sim-bandit"] == "not run"
    assert verdicts(as_paper.filter(pl.col("noise") != "cyc"))["cyc-1"] == "not run"
    assert verdicts(as_paper)["best-lambda"] == "not run"


def test_one_algorithm_alone_is_best_of_nothing(as_paper: pl.DataFrame) -> None:
    alone = as_paper.filter(pl.col("algorithm") == "arrow-8")
    assert set(verdicts(alone).values()) == {"not run"}


@pytest.mark.slow
def test_newcomers_do_not_matter(as_paper: pl.DataFrame) -> None:
    best = as_paper.filter(pl.col("algorithm") == "arrow-8").with_columns(algorithm=pl.lit("half"), average_cost=0.0)
    assert verdicts(pl.concat([as_paper, best])) == verdicts(as_paper)


def test_all_noises_are_all_ten(as_paper: pl.DataFrame) -> None:
    assert verdicts(as_paper.filter(pl.col("noise") != "uar"))["aggregate"] == "not run"


def test_few_families_decide_nothing() -> None:
    assert set(verdicts(results_with(AS_PAPER, families=4)).values()) == {"needs more data", "not run"}


def test_twins_are_no_more_evidence() -> None:
    """Four families of eight members each are still four."""
    table = results_with(AS_PAPER, families=32)
    twins = table.with_columns((pl.col("family").str.slice(1).cast(pl.Int64) % 4).cast(pl.String).alias("family"))
    assert set(verdicts(twins).values()) == {"needs more data", "not run"}


@pytest.mark.slow
def test_a_thin_ratio_alone_needs_more_data(as_paper: pl.DataFrame) -> None:
    few = {f"d{i}" for i in range(3)}
    thin = as_paper.filter((pl.col("ratio") != 184) | pl.col("dataset").is_in(few))
    claims = {claim["id"]: claim for claim in judge(thin)["claims"]}
    assert claims["large-ratio"]["verdict"] == claims["ratios"]["verdict"] == "needs more data"
    assert claims["large-ratio"]["families"] == 3
    assert claims["aggregate"]["verdict"] == "holds"


@pytest.mark.slow
def test_a_claim_of_many_ratios_can_fail_where_there_is_enough() -> None:
    table = results_with(AS_PAPER | {"sim-bandit": {"*": 0.05}})
    thin = table.filter((pl.col("ratio") != 184) | (pl.col("dataset") == "d0"))
    assert verdicts(thin)["ratios"] == "does not hold"


@pytest.mark.slow
def test_all_claims_are_corrected_together() -> None:
    """In a world without differences a twentieth of all studies may say anything at all, not a twentieth of claims."""
    same = {name: {"*": 0.3} for name in PAPER}
    claims = judge(results_with(same))["claims"]
    decided = [
        claim for claim in claims if claim["verdict"] in ("holds", "does not hold") and "curve" not in claim["id"]
    ]
    assert decided == []
    judged = [claim for claim in claims if claim["p"] is not None]
    assert min(claim["p"] for claim in judged) > 0.05


@pytest.mark.slow
def test_numbers_and_the_untuned_verdict(as_paper: pl.DataFrame) -> None:
    document = json.loads(json.dumps(judge(as_paper)))
    first = document["claims"][0]
    assert {number["what"] for number in first["numbers"]} >= {"Sim-Bandit − ARRoW-CB 8"}
    values = [number["value"] for number in first["numbers"]]
    assert values == sorted(values)
    for number in first["numbers"]:
        assert number["low"] < number["value"] < number["high"]
        assert number["cost"] == pytest.approx(number["value"])  # the best constant costs 1, e* is 0
    assert first["untuned"] == "holds"
    assert "95 %" in document["method"]
    assert "at most 5 %" in document["correction"]
    assert f"{len(CLAIMS['bandit'])} claims" in document["correction"]


def test_every_claim_has_a_name_of_its_own() -> None:
    for claims in CLAIMS.values():
        assert len({claim.id for claim in claims}) == len(claims)


def test_claims_by_name() -> None:
    assert [claim.id for claim in chosen_claims(("uar", "ratios"), "bandit")] == ["uar", "ratios"]
    with pytest.raises(InputError, match="claims has 'speed'; expected some of aggregate, "):
        chosen_claims(("speed",), "bandit")


def test_a_claim_needs_only_a_part_of_the_study() -> None:
    grid = grid_of({"claims": ["gap-shrinks"], "shuffles": 10})
    assert set(grid.algorithms) == {"arrow-8", "bandit-only"}
    assert (grid.noises, grid.epsilon) == (("cyc:1",), (0.0125, 0.1))
    assert (grid.extras, grid.side_shuffles) == ((), 10)
    curves = grid_of({"claims": ["maj-0.25-curve"]})
    assert curves.algorithms == PAPER  # the worst of them is the scale's 1
    single = grid_of({"claims": ["best-lambda"]})
    assert set(single.algorithms) == {"arrow-8", "bandit-only", *SINGLE_LAMBDA}


@pytest.mark.slow
def test_what_a_claim_needs_is_enough_to_judge_it() -> None:
    levels = AS_PAPER | {name: {"*": 0.35} for name in SINGLE_LAMBDA}
    everything = pl.concat([results_with(levels, 6, epsilon) for epsilon in Grid().epsilon])
    for claim in CLAIMS["bandit"]:
        grid = grid_of({"claims": [claim.id]})
        wanted = pl.struct("noise", "noise_p").is_in(
            [
                {"noise": noise.partition(":")[0], "noise_p": float(noise.partition(":")[2] or 0)}
                for noise in grid.noises
            ]
        )
        part = everything.filter(
            pl.col("algorithm").is_in(grid.algorithms), pl.col("epsilon").is_in(grid.epsilon), wanted
        )
        (found,) = judge(part, claims=(claim.id,))["claims"]
        assert found["verdict"] != "not run", claim.id


def test_the_supervised_truth() -> None:
    renamed = {"arrow-8": "supervised-truth", "arrow-2": "least-squares-0", "bandit-only": "least-squares-1",
               "sim-bandit": "least-squares-half"}  # fmt: skip
    table = results_with(AS_PAPER).with_columns(pl.col("algorithm").replace(renamed))
    found = verdicts(table, "supervised")
    assert found["above-half"] == found["feedback-helps"] == "holds"
    assert found["feedback-safe"] == "does not hold"
