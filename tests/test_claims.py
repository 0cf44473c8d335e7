"""Verdicts follow from scores: made-up ones in which we know what is true."""

import json
from typing import Any

import numpy as np
import polars as pl

from study_samples import NOISES, sample_scores
from warmcb.study.claims import PAPERS_CLAIMS, SUPERVISED_TRUTH_CLAIMS, judge


def scores_with(levels: dict[str, dict[str, float]], datasets: int = 30, epsilon: float = 0.0125) -> pl.DataFrame:
    """Normalized errors near a level for each algorithm and noise («*»: all others)."""
    table = sample_scores(datasets, noises=NOISES, epsilons=(epsilon,))
    random = np.random.default_rng(0)
    error = [
        levels[row["algorithm"]].get(f"{row['noise']}:{row['noise_p']:g}", levels[row["algorithm"]]["*"])
        + 0.02 * random.normal()
        for row in table.iter_rows(named=True)
    ]
    return table.with_columns(pl.Series("normalized_error", error), pl.Series("average_cost", error))


AS_PAPER = {
    "arrow-8": {"*": 0.3, "cyc:1": 0.3},
    "arrow-2": {"*": 0.4},
    "bandit-only": {"*": 0.45, "cyc:1": 0.2},
    "sup-only": {"*": 0.6, "none:0": 0.1, "uar:0.25": 0.2},
    "sim-bandit": {"*": 0.5},
    "majority": {"*": 0.9},
}


def verdicts(scores: pl.DataFrame, truth: str = "bandit") -> dict[str, Any]:
    return {claim["id"]: claim["verdict"] for claim in judge(scores, truth)["claims"]}


def test_in_the_papers_world_its_claims_hold() -> None:
    found = verdicts(scores_with(AS_PAPER))
    held = {name for name, verdict in found.items() if verdict == "holds"}
    assert {"aggregate", "above-arrow-2", "above-sim-bandit", "noiseless", "uar", "less-dominant", "cyc-1",
            "cyc-1-leader", "cyc-0.25", "maj-0.25", "warm-start-helps"} <= held  # fmt: skip


def test_in_the_opposite_world_they_do_not() -> None:
    opposite = AS_PAPER | {"sim-bandit": {"*": 0.05}}
    found = verdicts(scores_with(opposite))
    for name in ("aggregate", "above-sim-bandit", "noiseless", "cyc-1", "cyc-0.25", "maj-0.25", "ratios"):
        assert found[name] == "does not hold", name


def test_a_draw_is_too_close_to_call() -> None:
    found = verdicts(scores_with(AS_PAPER | {"sim-bandit": AS_PAPER["arrow-8"]}))
    assert found["aggregate"] == found["above-sim-bandit"] == "too close to call"


def test_what_two_epsilons_tell() -> None:
    small = scores_with(AS_PAPER)
    more = {name: {noise: level + 0.1 for noise, level in AS_PAPER[name].items()} for name in AS_PAPER}
    exploring = more | {"sup-only": AS_PAPER["sup-only"], "arrow-8": {"*": 0.4, "cyc:1": 0.22}}
    exploring["bandit-only"]["cyc:1"] = 0.2
    large = scores_with(exploring, epsilon=0.1)
    found = verdicts(pl.concat([small, large]))
    for name in ("gap-shrinks", "epsilon-costs", "small-epsilon", "large-epsilon"):
        assert found[name] == "holds", name
    assert verdicts(small)["gap-shrinks"] == "not run"


def test_what_was_not_run_has_no_verdict() -> None:
    scores = scores_with(AS_PAPER)
    assert verdicts(scores.filter(pl.col("algorithm") != "sim-bandit"))["above-sim-bandit"] == "not run"
    assert verdicts(scores.filter(pl.col("noise") != "cyc"))["cyc-1"] == "not run"


def test_one_algorithm_alone_is_best_of_nothing() -> None:
    alone = scores_with(AS_PAPER).filter(pl.col("algorithm") == "arrow-8")
    assert set(verdicts(alone).values()) <= {"not run", "too close to call"}


def test_newcomers_do_not_matter() -> None:
    scores = scores_with(AS_PAPER)
    best = scores.filter(pl.col("algorithm") == "arrow-8").with_columns(algorithm=pl.lit("half"), normalized_error=0.0)
    assert verdicts(pl.concat([scores, best])) == verdicts(scores)


def test_all_noises_are_all_ten() -> None:
    assert verdicts(scores_with(AS_PAPER).filter(pl.col("noise") != "uar"))["aggregate"] == "not run"


def test_few_data_sets_decide_nothing() -> None:
    assert set(verdicts(scores_with(AS_PAPER, datasets=3)).values()) <= {"too close to call", "not run"}


def test_numbers_and_the_untuned_verdict() -> None:
    document = json.loads(json.dumps(judge(scores_with(AS_PAPER))))
    first = document["claims"][0]
    assert {number["what"] for number in first["numbers"]} >= {"Sim-Bandit − ARRoW-CB 8"}
    for number in first["numbers"]:
        assert number["low"] < number["value"] < number["high"]
    assert first["untuned"] == "holds"
    assert "95 %" in document["method"]


def test_every_claim_has_a_name_of_its_own() -> None:
    for claims in (PAPERS_CLAIMS, SUPERVISED_TRUTH_CLAIMS):
        assert len({claim.id for claim in claims}) == len(claims)


def test_the_supervised_truth() -> None:
    renamed = {"arrow-8": "supervised-truth", "arrow-2": "least-squares-0", "bandit-only": "least-squares-1",
               "sim-bandit": "least-squares-half"}  # fmt: skip
    scores = scores_with(AS_PAPER)
    found = verdicts(scores.with_columns(pl.col("algorithm").replace(renamed)), "supervised")
    assert found["above-half"] == found["feedback-helps"] == "holds"
    assert found["feedback-safe"] == "does not hold"
