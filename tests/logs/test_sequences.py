"""Intervals that hold at all moments at once: beside vw-estimators, as properties, and how often they hold."""

import math
from typing import Any

import numpy as np
import pytest
from estimators.bandits import cs
from hypothesis import given, settings
from scipy.integrate import quad

from tests.support.logged import make_evidence, make_log, scaled, seeds, told
from warmcb.errors import InputError
from warmcb.logs.estimators import ESTIMATORS
from warmcb.logs.evidence import Evidence
from warmcb.logs.intervals import gaussian
from warmcb.logs.sequences import _log_wealth, _margins, sequence, sequence_of_difference
from warmcb.logs.summary import compare

LOOKS = np.arange(20, 401, 20)


def modest(seed: int, dropped: bool) -> Evidence:
    """Weights of at most 1.9, whose running means stay below 1 as the peer's guesses need it."""
    evidence = make_evidence(seed, dropped=dropped)
    weights = np.minimum(evidence.weights, 1.9) / 2
    return Evidence(weights, evidence.rewards, evidence.largest_weights, dropped=evidence.dropped)


@given(seed=seeds)
@settings(max_examples=20)
def test_the_sequence_equals_that_of_vw_estimators(seed: int) -> None:
    evidence = modest(seed, dropped=seed % 2 == 0)
    found = sequence(evidence, reward_range=(0, 1)).last
    assert (found.low, found.high) == pytest.approx(told(cs.Interval(), evidence), abs=1e-8)
    assert not found.asymptotic


@given(seed=seeds)
@settings(max_examples=20)
def test_the_sequence_is_hardly_wider_than_that_of_vw_estimators(seed: int) -> None:
    """Whose guesses may exceed 1, where the proof ends; ours do not."""
    evidence = make_evidence(seed)
    low, high = told(cs.Interval(), evidence)
    assert sequence(evidence, reward_range=(0, 1)).last.width <= 1.1 * (high - low)


def test_the_mixture_of_bets_by_numbers() -> None:
    """The bets b have the density e^(b − 1) on [0, 1), up to a constant."""
    for total, spread in ((3.0, 2.0), (10.0, 5.0), (0.5, 0.0)):

        def wealth(b: float, total: float = total, spread: float = spread) -> float:
            return math.exp(b * total - (-math.log1p(-b) - b) * spread) * math.exp(-(1 - b))

        mixture = quad(wealth, 0, 1)[0] / quad(lambda b: math.exp(-(1 - b)), 0, 1)[0]
        assert _log_wealth(np.array([total]), np.array([spread]))[0] == pytest.approx(math.log(mixture), abs=1e-6)


def test_one_enormous_weight_leaves_the_interval_open() -> None:
    """Spreads of 1e16 and of 1e60: the wealth must not be lost among rounded numbers."""
    for weight in (1e8, 1e30):
        evidence = Evidence([1.0] * 99 + [weight], [0.0] * 99 + [1.0], [weight] * 100)
        found = sequence(evidence, reward_range=(0, 1), looks=[99, 100])
        assert found.low[-1] == 0
        assert found.high[-1] == 1 or found.high[-1] >= found.high[0] - 1e-3
    for spread in (1e3, 1e6, 1e12, 1e18, 1e30):
        far = _margins(np.array([spread]), math.log(40))[0] / math.sqrt(spread)
        assert math.sqrt(2 * math.log(40)) < far < 12, spread  # grows like the root of a logarithm


@given(seed=seeds)
@settings(max_examples=20)
def test_a_look_sees_nothing_of_what_comes_later(seed: int) -> None:
    evidence = make_evidence(seed, n=100, dropped=seed % 2 == 0)
    rival = Evidence(np.ones(100), evidence.rewards, np.ones(100), dropped=evidence.dropped)
    for limits in ((0.0, 1.0), None):
        found = sequence(evidence, reward_range=limits, looks=[30, 100])
        early = sequence(evidence[:30], reward_range=limits).last
        assert (found.low[0], found.high[0]) == pytest.approx((early.low, early.high))
        leads = sequence_of_difference(evidence, rival, reward_range=limits, looks=[30, 100])
        early = sequence_of_difference(evidence[:30], rival[:30], reward_range=limits).last
        assert (leads.low[0], leads.high[0]) == pytest.approx((early.low, early.high))


@given(seed=seeds)
@settings(max_examples=20)
def test_sequences_move_with_the_rewards(seed: int) -> None:
    evidence = make_evidence(seed)
    before = sequence(evidence, reward_range=(0, 1), looks=[50, 300])
    after = sequence(scaled(evidence, shift=-4.0, scale=10.0), reward_range=(-4, 6), looks=[50, 300])
    np.testing.assert_allclose(after.low, -4 + 10 * before.low, atol=1e-9)
    np.testing.assert_allclose(after.high, -4 + 10 * before.high, atol=1e-9)


def test_the_difference_changes_its_sign_with_the_order() -> None:
    log = make_log(0, 400)
    for arguments in ({}, {"reward_range": (0.0, 1.0)}, {"reward_range": (0.0, 1.0), "overlap": log.overlap}):
        one = sequence_of_difference(log.evidence, log.rival, **arguments).last
        other = sequence_of_difference(log.rival, log.evidence, **arguments).last
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))


def test_policies_that_are_the_same_do_not_differ() -> None:
    evidence = make_log(0, 4000).evidence
    found = sequence_of_difference(evidence, evidence, overlap=np.ones(4000), reward_range=(0, 1)).last
    assert -0.01 < found.low < 0 < found.high < 0.01
    assert compare(evidence, evidence).interval.width == 0


def test_it_pays_to_know_the_overlap() -> None:
    log = make_log(0, 400)
    known = sequence_of_difference(log.evidence, log.rival, overlap=log.overlap, reward_range=(0, 1)).last
    assert known.width < sequence_of_difference(log.evidence, log.rival, reward_range=(0, 1)).last.width


def test_more_decisions_and_less_confidence_make_it_narrower() -> None:
    evidence = make_log(0, 20_000).evidence
    for limits in ((0.0, 1.0), None):
        found = sequence(evidence, reward_range=limits, looks=[200, 2000, 20_000])
        assert (np.diff(found.high - found.low) < 0).all()
        assert sequence(evidence, reward_range=limits, level=0.8).last.width < found.last.width


def test_the_asymptotic_one_is_a_wider_gaussian_interval() -> None:
    evidence = make_log(0, 1000).evidence
    found, usual = sequence(evidence).last, gaussian(ESTIMATORS["dr"].terms(evidence))
    assert found.asymptotic
    assert found.kind == "asymptotic"
    assert (found.low + found.high) / 2 == pytest.approx((usual.low + usual.high) / 2)
    assert 1.3 < found.width / usual.width < 1.7


def test_with_repeated_units_it_is_asymptotic_over_units() -> None:
    plain = make_log(0, 500).evidence
    weights, rewards, largest, units = (
        np.repeat(some, 2) for some in (plain.weights, plain.rewards, plain.largest_weights, np.arange(500))
    )
    doubled = Evidence(weights, rewards, largest, units=units)
    found = sequence(doubled, reward_range=(0, 1), looks=[400, 1000])
    assert found.asymptotic
    once = sequence(Evidence(plain.weights, plain.rewards, plain.largest_weights), looks=[200, 500])
    np.testing.assert_allclose(found.low, once.low)
    np.testing.assert_allclose(found.high, once.high)


@pytest.mark.slow
def test_sequences_hold_at_all_looks() -> None:
    """In 200 logs of 400 decisions, 20 looks each; the asymptotic one from the 100th decision on."""
    held: dict[str, list[bool]] = {}
    for seed in range(200):
        log = make_log(seed, 400)
        found = {
            "certain": (sequence(log.evidence, reward_range=(0, 1), looks=LOOKS), log.truth),
            "asymptotic": (sequence(log.evidence, looks=LOOKS[5:]), log.truth),
        }
        for name, overlap in (("lead", None), ("lead with overlap", log.overlap)):
            leads = sequence_of_difference(log.evidence, log.rival, overlap=overlap, reward_range=(0, 1), looks=LOOKS)
            found[name] = leads, log.lead
        found["asymptotic lead"] = sequence_of_difference(log.evidence, log.rival, looks=LOOKS[5:]), log.lead
        for name, (some, truth) in found.items():
            held.setdefault(name, []).append(bool(((some.low <= truth) & (truth <= some.high)).all()))
    shares = {name: float(np.mean(some)) for name, some in held.items()}
    assert min(shares.values()) >= 0.95, shares


def test_it_holds_where_weights_depend_on_the_context_and_on_the_value() -> None:
    """The policies differ only where weights are large: a sequence that gave those less weight would miss the lead."""
    held = []
    for seed in range(100):
        random = np.random.default_rng(seed)
        n = 2000
        apart = random.random(n) < 0.3
        probability = np.where(apart, 0.1, 0.9)
        played = random.random(n) < probability
        rewards = np.where(played, 1.0, 0.0)
        weights, largest = np.where(played, 1 / probability, 0.0), 1 / probability
        others = np.where(apart, np.where(played, 0.0, 1 / (1 - probability)), weights)
        pair = Evidence(weights, rewards, largest), Evidence(others, rewards, np.maximum(largest, others))
        found = sequence_of_difference(*pair, overlap=1.0 - apart, reward_range=(0, 1), looks=[100, 500, 2000])
        held.append(bool(((found.low <= 0.3) & (found.high >= 0.3)).all()))
    assert np.mean(held) >= 0.95


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"looks": [0, 1]}, r"looks is \[0, 1\]; expected ascending integers from 1 to 300"),
        ({"looks": [5, 5]}, "looks is"),
        ({"looks": [301]}, "looks is"),
        ({"looks": [1.5]}, "looks is"),
        ({"looks": []}, "looks is"),
        ({"level": 2}, "level is 2"),
        ({"reward_range": (0, 0.5)}, r"rewards\[\d+\] is"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        sequence(make_evidence(1), **arguments)


def test_bad_pairs() -> None:
    evidence = make_evidence(1)
    with pytest.raises(InputError, match=r"overlap\[0\] is 2; expected numbers in \[0, 1\]"):
        sequence_of_difference(evidence, evidence, overlap=[2.0] * 300, reward_range=(0, 1))
    with pytest.raises(InputError, match="rewards of the two policies differ"):
        sequence_of_difference(evidence, make_evidence(2))
