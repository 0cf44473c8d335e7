"""Estimates of a policy's value: by hand, as properties, and beside vw-estimators and obp."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from estimators.bandits import cressieread, gaussian, ips, snips
from hypothesis import given, settings
from numpy.testing import assert_allclose

import obp_numbers
from tests.support.logged import in_order, make_evidence, make_log, scaled, seeds, told
from warmcb.errors import InputError
from warmcb.logs.cautions import warnings
from warmcb.logs.estimators import ESTIMATORS, difference
from warmcb.logs.evidence import Evidence
from warmcb.logs.summary import compare, summary

OBP = json.loads((Path(__file__).parent / "obp_numbers.json").read_text())
BY_HAND = {
    "weights": [4.0, 0.0, 1.0, 1.0],
    "rewards": [1.0, 1.0, 0.0, 2.0],
    "largest_weights": [4.0, 4.0, 2.0, 2.0],
    "expected": [0.5, 1.0, 0.5, 1.0],
    "expected_played": [0.5, 0.0, 1.0, 1.0],
}


def estimate(name: str, parameter: float | None = None, **changes: Any) -> float:
    return ESTIMATORS[name](Evidence(**{**BY_HAND, **changes}), parameter)


@pytest.mark.parametrize(
    ("name", "parameter", "value"),
    [
        ("ips", None, 6 / 4),
        ("snips", None, 6 / 6),
        ("clipped", 2.0, 4 / 4),
        ("clipped", None, 4 / 4),  # τ = √4
        ("shrunk", 4.0, (16 / 20 + 2 * 4 / 5) / 4),
        ("shrunk", None, (16 / 20 + 2 * 4 / 5) / 4),  # λ = 4
        ("dm", None, 3 / 4),
        ("dr", None, 3 / 4 + (2 - 1 + 1) / 4),
        ("sndr", None, 3 / 4 + (2 - 1 + 1) / 6),
        ("switch", 1.0, 3 / 4 + (-1 + 1) / 4),
        ("switch", None, 3 / 4 + (-1 + 1) / 4),
        ("dr-shrunk", 4.0, 3 / 4 + (16 / 20 / 2 - 4 / 5 + 4 / 5) / 4),
    ],
)
def test_by_hand(name: str, parameter: float | None, value: float) -> None:
    assert estimate(name, parameter) == pytest.approx(value, abs=1e-12)


def test_weights_that_are_too_large_are_corrected_by_their_slope() -> None:
    # With a decision of weight 0 added: w = 4, 0, 1, 1, 0 and w·r = 4, 0, 0, 2, 0.
    w, y = np.array([4.0, 0, 1, 1, 0]), np.array([4.0, 0, 0, 2, 0])
    slope = np.cov(w, y)[0, 1] / np.var(w, ddof=1)
    assert estimate("cressie-read") == pytest.approx(y.mean() - slope * (w.mean() - 1), abs=1e-12)


def test_weights_that_are_too_small_are_filled_up_with_the_mean_reward() -> None:
    assert estimate("cressie-read", weights=[1.0, 0, 1, 1]) == pytest.approx(3 / 4 + 1 / 4 * 1.0, abs=1e-12)


def test_a_decision_counts_for_those_like_it_that_were_left_out() -> None:
    """Dropped = ½: as if the decision were there twice."""
    dropped = [0.0, 0.0, 0.5, 0.0]
    twice = {name: [*values[:3], values[2], values[3]] for name, values in BY_HAND.items()}
    for name, estimator in ESTIMATORS.items():
        if name != "cressie-read":  # to which one decision of twice the weight is not two
            parameter = None if estimator.parameter is None else 3.0
            again = estimator(Evidence(**twice), parameter)
            assert estimate(name, parameter, dropped=dropped) == pytest.approx(again, abs=1e-12), name


def test_no_weight_at_all_leaves_no_self_normalised_estimate() -> None:
    nothing = [0.0] * 4
    assert np.isnan([estimate(name, weights=nothing) for name in ("snips", "sndr")]).all()
    assert estimate("ips", weights=nothing) == 0
    assert estimate("cressie-read", weights=nothing) == 1.0


@given(seed=seeds)
@settings(max_examples=25)
def test_a_shift_of_the_rewards_is_a_shift_of_the_estimate(seed: int) -> None:
    evidence = make_evidence(seed, model=True, dropped=seed % 3 == 0)
    for name in ("snips", "dm", "dr", "sndr", "switch", "dr-shrunk", "cressie-read"):
        estimator = ESTIMATORS[name]
        assert_allclose(estimator(scaled(evidence, shift=5.0)), estimator(evidence) + 5, err_msg=name)


@given(seed=seeds)
@settings(max_examples=25)
def test_the_scale_and_the_order_do_not_matter(seed: int) -> None:
    evidence = make_evidence(seed, model=True, dropped=seed % 3 == 0)
    order = np.random.default_rng(seed).permutation(len(evidence))
    for estimator in ESTIMATORS.values():
        value = estimator(evidence)
        assert_allclose(estimator(scaled(evidence, scale=-3.0)), -3 * value, atol=1e-12)
        assert_allclose(estimator(in_order(evidence, order)), value, atol=1e-12)


@pytest.mark.parametrize("name", ["ips", "dm", "dr", "clipped", "shrunk", "switch", "dr-shrunk"])
def test_two_parts_make_the_whole(name: str) -> None:
    evidence = make_evidence(3, model=True, dropped=True)
    parameter = None if ESTIMATORS[name].parameter is None else 3.0
    parts = [evidence[:100], evidence[100:]]
    values = [ESTIMATORS[name](part, parameter) for part in parts]
    whole = np.average(values, weights=[part.size for part in parts])
    assert ESTIMATORS[name](evidence, parameter) == pytest.approx(whole)


def test_limits_of_the_parameters() -> None:
    evidence = make_evidence(4, model=True)
    values = {name: estimator(evidence) for name, estimator in ESTIMATORS.items()}
    for name, limit in (("clipped", "ips"), ("shrunk", "ips"), ("switch", "dr"), ("dr-shrunk", "dr")):
        assert ESTIMATORS[name](evidence, np.inf) == pytest.approx(values[limit])
        nothing = 0.0 if limit == "ips" else values["dm"]
        assert ESTIMATORS[name](evidence, 1e-12) == pytest.approx(nothing, abs=1e-6)


@given(seed=seeds)
@settings(max_examples=25)
def test_values_equal_those_of_vw_estimators(seed: int) -> None:
    evidence = make_evidence(seed)
    peers = {"ips": ips.Estimator(), "snips": snips.Estimator(), "cressie-read": cressieread.Estimator()}
    for name, peer in peers.items():
        assert ESTIMATORS[name](evidence) == pytest.approx(told(peer, evidence), abs=1e-9), name


def test_ips_of_a_log_with_gaps_is_the_middle_of_the_interval_of_vw_estimators() -> None:
    evidence = make_evidence(5, dropped=True)
    assert ESTIMATORS["ips"](evidence) == pytest.approx(np.mean(told(gaussian.Interval(), evidence)), abs=1e-9)


@pytest.mark.parametrize("seed", obp_numbers.SEEDS)
def test_values_equal_those_of_obp(seed: int) -> None:
    decisions = obp_numbers.made_up(seed)
    for name, value in OBP["seeds"][str(seed)].items():
        assert obp_numbers.ours(decisions, name) == pytest.approx(value, abs=1e-9), name


def test_values_on_the_impressions_of_obp_were_equal() -> None:
    assert len(OBP["impressions"]) == 6
    for numbers in OBP["impressions"].values():
        assert {"dm", "dr", "sndr", "switch 4", "dr-shrunk 20"} < numbers.keys()
        for both in numbers.values():
            assert both["warmcb"] == pytest.approx(both["obp"], abs=1e-9)


def test_estimates_are_near_the_truth() -> None:
    log = make_log(0, 20_000)
    for name in ("ips", "snips", "clipped", "cressie-read", "dr", "sndr", "switch"):
        assert ESTIMATORS[name](log.evidence) == pytest.approx(log.truth, abs=0.03), name
    assert difference(ESTIMATORS["dr"], log.evidence, log.rival).value == pytest.approx(log.lead, abs=0.02)


def test_the_difference_is_that_of_the_estimates() -> None:
    log = make_log(1, 200)
    for name, estimator in ESTIMATORS.items():
        lead = estimator(log.evidence) - estimator(log.rival)
        assert compare(log.evidence, log.rival, name=name).value == pytest.approx(lead), name


def test_a_summary_has_every_estimate_that_can_be_had() -> None:
    evidence = make_evidence(6, model=True)
    assert [one.name for one in summary(evidence)] == list(ESTIMATORS)
    without = summary(make_evidence(6), reward_range=(0, 1))
    assert [one.name for one in without] == ["ips", "snips", "clipped", "shrunk", "cressie-read"]
    kinds = {one.name: [interval.kind for interval in one.intervals] for one in without}
    assert kinds["ips"] == ["gaussian", "empirical Bernstein"]
    assert kinds["cressie-read"] == ["gaussian", "cressie-read"]
    assert [one.kind for one in summary(evidence, names=["dr"])[0].intervals] == ["gaussian", "asymptotic"]
    assert all(one.interval.low <= one.value <= one.interval.high for one in without)


def test_sound_evidence_needs_no_warning() -> None:
    assert warnings(make_log(0, 2000).evidence, actions=[0, 1]) == []


@pytest.mark.parametrize(
    ("weights", "rewards", "largest", "words"),
    [
        ([1.0] + [0.0] * 999, [0, 1] * 500, 1.0, "only 0.10% of the decisions"),
        ([1.0, 0.0] * 30, [0, 1] * 30, 2.0, "effective size is 30 of 60"),
        ([300.0] + [1.0] * 999, [0, 1] * 500, 300.0, "one decision has 23% of all weight"),
        ([1.0] * 1000, [0, 1] * 500, 5000.0, "weights of up to 5,000 were possible, but the largest is 1"),
        ([0.5, 0.4] * 500, [0, 1] * 500, 1.0, "mean weight is 0.45, from 0.445 to 0.455; expected 1"),
        ([2.0, 0.0] * 500, [0, 1] * 500, np.inf, "in 100.00% of the decisions the policy may play an action"),
        ([2.0, 0.0] * 500, [1, 1] * 500, 2.0, "all rewards are 1"),
    ],
)
def test_evidence_that_cannot_answer_says_so(weights: Any, rewards: Any, largest: float, words: str) -> None:
    found = warnings(Evidence(weights, rewards, [largest] * len(weights)))
    assert any(words in text for text in found), found


def test_few_units_and_a_single_action_are_noticed() -> None:
    evidence = Evidence([1.0] * 1000, [0, 1] * 500, [1.0] * 1000, units=np.arange(1000) % 12)
    found = warnings(evidence, actions=[3] * 1000)
    assert [text.split(":")[0] for text in found] == ["there are only 12 units", "the log has a single action"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({name: [] for name in BY_HAND}, "weights is empty"),
        ({"weights": [1.0, -1, 0, 0]}, r"weights\[1\] is -1; expected numbers from 0 to"),
        ({"weights": [1.0, np.nan, 0, 0]}, r"weights\[1\] is nan; expected numbers"),
        ({"weights": [[1.0]]}, r"weights has the shape \(1, 1\)"),
        ({"weights": "none"}, "weights is 'none'; expected numbers"),
        ({"rewards": [1.0]}, r"rewards has the shape \(1,\); expected 4 numbers"),
        ({"rewards": [1.0, 2, 3, np.inf]}, r"rewards\[3\] is inf; expected finite"),
        (
            {"largest_weights": [4.0, 4, 0.5, 2]},
            r"largest_weights\[2\] is 0.5; expected numbers of at least",
        ),
        ({"largest_weights": [4.0, 4, np.nan, 2]}, r"largest_weights\[2\] is nan"),
        ({"expected": None}, "expected is None; expected both"),
        ({"expected_played": None}, "expected_played is None; expected both"),
        ({"units": [0.5, 1, 2, 3]}, "units is .*; expected integers"),
        ({"dropped": [0.0, 0, 0, 1]}, r"dropped\[3\] is 1; expected numbers in \[0, 1\)"),
    ],
)
def test_bad_evidence(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Evidence(**{**BY_HAND, **changes})


def test_bad_arguments() -> None:
    evidence = make_evidence(7)
    with pytest.raises(InputError, match="which 'dr' needs"):
        ESTIMATORS["dr"](evidence)
    with pytest.raises(InputError, match="tau is -1"):
        ESTIMATORS["clipped"](evidence, -1)
    with pytest.raises(InputError, match="'ips' has no parameter"):
        ESTIMATORS["ips"](evidence, 3)
    with pytest.raises(InputError, match="expected a slice"):
        evidence[3]  # type: ignore[index]
    with pytest.raises(InputError, match="names is 'dx'"):
        summary(evidence, names=["dx"])
    with pytest.raises(InputError, match="rewards of the two policies differ"):
        compare(evidence, make_evidence(8))
