"""The unit of costs: by hand, wild costs, any magnitude, and bandits that do not care in what they are paid."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from warmcb import WarmBandit, simulate
from warmcb._core import CostUnit


def after(*costs: float) -> CostUnit:
    unit = CostUnit(None)
    for cost in costs:
        unit.see(cost)
    return unit


def test_a_given_range() -> None:
    unit = CostUnit((2.0, 6.0))
    assert unit.fixed and unit.varied
    assert [unit.see(cost) for cost in (2.0, 6.0, 100.0)] == [None] * 3
    assert [unit.unit(cost) for cost in (2.0, 4.0, 6.0, 100.0)] == [0.0, 0.5, 1.0, 24.5]
    assert (unit.unit(1e9), unit.unit(-1e9)) == (1001.0, -1000.0)  # that is far enough
    assert (unit.low, unit.width) == (2.0, 4.0)


def test_the_first_rounds_by_hand() -> None:
    unit = CostUnit(None)
    assert not unit.fixed and not unit.varied
    assert (unit.see(5.0), unit.see(5.0)) == (None, None)
    assert unit.unit(5.0) == 0.5  # nobody knows whether that is much
    assert unit.see(7.0) == (1.0, -0.5)
    assert (unit.low, unit.width) == (5.0, 2.0)
    assert unit.see(6.0) is None
    assert unit.see(3.0) == (0.5, 0.5)
    assert [unit.unit(cost) for cost in (3.0, 5.0, 6.0, 7.0)] == [0.0, 0.5, 0.75, 1.0]


def test_the_second_cost_may_be_lower() -> None:
    unit = after(5.0)
    assert unit.see(1.0) == (1.0, 0.5)  # what was ½ is the highest now
    assert (unit.unit(5.0), unit.unit(1.0)) == (1.0, 0.0)


def test_the_range_grows_for_128_rounds() -> None:
    unit = after(*[0.0, 1.0] * 63)
    assert unit.see(1.5) == (1 / 1.5, 0.0)
    assert unit.see(2.0) == (0.75, 0.0)  # the 128th
    assert unit.see(3.0) is None
    assert unit.unit(3.0) == 1.5


def test_later_it_is_renewed_when_rounds_have_doubled() -> None:
    unit = after(*[0.0, 1.0] * 64)
    changes = {}
    for seen in range(129, 8193):
        change = unit.see(0.4 if seen % 2 else 0.6)
        if change is not None:
            changes[seen] = change
            # At most halved each time; the costs of the last two spans are within.
            assert unit.low == 0.4
    assert list(changes) == [1024, 2048, 4096]
    np.testing.assert_allclose(changes[1024], (2.0, -0.8))
    np.testing.assert_allclose(changes[2048], (2.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(changes[4096], (1.25, 0.0), atol=1e-12)
    np.testing.assert_allclose(unit.width, 0.2)


def test_what_grew_is_in_the_next_renewal() -> None:
    unit = after(*[0.0, 1.0] * 64, *[3.0] * 127)
    assert (unit.low, unit.width) == (0.0, 1.0)
    assert unit.see(3.0) == (1 / 3, 0.0)


@pytest.mark.parametrize("at", [20, 127, 128, 200])
def test_a_wild_cost_does_not_make_all_others_equal(at: int) -> None:
    """One of 10,000 beside zeros and ones: it counts as ten deviations."""
    costs = [float(i % 2) for i in range(4100)]
    costs[at] = 10_000.0
    unit = after(*costs[:at])
    reach = float(np.mean(costs[:at]) + 10 * np.std(costs[:at]))
    unit.see(10_000.0)
    if at < 128:
        np.testing.assert_allclose([unit.low, unit.width], [0.0, reach])
    assert 0.9 < unit.unit(10_000.0) < 10
    widest = 0.0
    for cost in costs[at + 1 :]:
        unit.see(cost)
        widest = max(widest, unit.width)
    np.testing.assert_allclose(widest, reach)
    np.testing.assert_allclose((unit.low, unit.width), (0.0, 1.0))


def test_a_wild_cost_of_the_very_first_rounds_is_half_as_wide_each_time() -> None:
    """Nobody knew then that it was wild."""
    unit = after(0.0, 1.0, 10_000.0, *[0.0, 1.0] * 510)
    assert unit.width == 10_000
    for seen in range(1023, 8192):
        change = unit.see(float(seen % 2))
        assert (change is None) == (seen + 1 not in (1024, 2048, 4096, 8192))
    assert unit.width == 625


@pytest.mark.parametrize("usual", [0.0, 50.0])
@pytest.mark.parametrize("at", [2, 100, 300])
def test_one_cost_among_equal_ones(usual: float, at: int) -> None:
    """All that is known is that there are two: they are 0 and 1."""
    unit = after(*[usual] * at)
    assert unit.unit(usual) == 0.5
    assert unit.see(10_000.0) == (1.0, -0.5)
    assert (unit.unit(usual), unit.unit(10_000.0)) == (0.0, 1.0)
    for _ in range(20_000):
        unit.see(usual)
    assert 0 <= unit.unit(usual) < 0.01 and 0 < unit.width <= 10_000


@pytest.mark.parametrize("cost", [0.0, 1.0, -3.5, 0.1, 1e16, 1e30, -1e30, 1e-30, 1e100])
def test_equal_costs_are_half_a_unit(cost: float) -> None:
    unit = CostUnit(None)
    for _ in range(600):
        assert unit.see(cost) is None
        assert unit.unit(cost) == 0.5
    assert unit.see(2 * cost + 1) == ((1.0, -0.5) if 2 * cost + 1 > cost else (1.0, 0.5))


@pytest.mark.parametrize("size", [1e-90, 1e-30, 1e-16, 1.0, 1e16, 1e30, 1e99])
def test_any_magnitude(size: float) -> None:
    """As of ones, but for rounding."""
    unit, other = CostUnit(None), CostUnit(None)
    for i in range(700):
        cost = ((i * 37) % 11) / 10 if i > 3 else 0.5
        change, same = unit.see(size * cost), other.see(cost)
        assert (change is None) == (same is None)
        if change is not None and same is not None:
            np.testing.assert_allclose(np.array(change), np.array(same), atol=1e-9)
        np.testing.assert_allclose(unit.unit(size * cost), other.unit(cost), atol=1e-9)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(0, 2**32), st.floats(-1e3, 1e3), st.sampled_from([1e-20, 0.3, 1.0, 1e6]), st.integers(0, 5))
def test_a_change_is_exact(seed: int, shift: float, scale: float, equal: int) -> None:
    """What any earlier cost was, it is in the new unit, too."""
    random = np.random.default_rng(seed)
    shift = 0.0 if scale < 1e-10 else shift
    costs = shift + scale * random.random(600)
    costs[:equal] = costs[0]
    costs[300:] = shift + (costs[300:] - shift) * random.choice([0.1, 1.0, 3.0])
    unit, units = CostUnit(None), np.empty(600)
    for i, cost in enumerate(costs):
        change = unit.see(cost)
        if change is not None:
            units[:i] = change[0] * units[:i] + change[1]
            np.testing.assert_allclose(units[:i], [unit.unit(earlier) for earlier in costs[:i]], atol=1e-8)
        units[i] = unit.unit(cost)
        np.testing.assert_allclose(units[i] * unit.width + unit.low, cost, rtol=1e-9, atol=1e-9 * unit.width)


def test_a_state_goes_on_exactly() -> None:
    random = np.random.default_rng(1)
    unit = CostUnit(None)
    for cost in random.normal(size=1100):
        again = CostUnit(None)
        again.restore(unit.state())
        snapshot = unit.snapshot()
        assert unit.see(cost) == again.see(cost)
        assert unit.unit(cost) == again.unit(cost)
        assert snapshot.state()["seen"] == unit.state()["seen"] - 1
        unit = again


@pytest.mark.parametrize(
    "name, at, value", [("numbers", 1, 0.0), ("numbers", 1, -1.0), ("numbers", 7, -1.0), ("numbers", 0, np.nan)]
)
def test_a_damaged_state_is_refused(name: str, at: int, value: float) -> None:
    state: dict[str, NDArray[Any]] = after(1.0, 2.0).state()
    damaged = state[name].copy()
    damaged[at] = value
    with pytest.raises(ValueError):
        CostUnit(None).restore(state | {name: damaged})
    with pytest.raises(ValueError):
        CostUnit(None).restore(state | {name: damaged[:-1]})
    with pytest.raises(ValueError, match="another range of costs"):
        CostUnit((0.0, 1.0)).restore(state)


# Bandits

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(700, 4))
COSTS = np.clip(0.5 + 0.2 * X[:, :3] + 0.1 * RANDOM.normal(size=(700, 3)), 0, 1)


def actions(costs: NDArray[np.float64], labels: str, **options: Any) -> tuple[NDArray[np.int32], WarmBandit]:
    """Of 600 rounds."""
    bandit = WarmBandit(3, seed=7, **options)
    if labels == "costs":
        bandit.warm_start(X[600:], costs=costs[600:])
    elif labels == "classes":
        bandit.warm_start(X[600:], COSTS[600:].argmin(axis=1))
    run = simulate(bandit, X[:600], costs=costs[:600], shuffle=False)
    return np.asarray(run.trace.actions), run.bandit


USUAL = {labels: actions(COSTS, labels) for labels in ("none", "costs", "classes")}


@pytest.mark.parametrize("labels", USUAL)
@pytest.mark.parametrize("scale", [2.0**-60, 0.25, 2.0**100])
def test_powers_of_two_change_no_decision(labels: str, scale: float) -> None:
    usual, bandit = USUAL[labels]
    ours, scaled = actions(scale * COSTS, labels)
    np.testing.assert_array_equal(ours, usual)
    np.testing.assert_array_equal(scaled.predict_costs(X), scale * bandit.predict_costs(X))


@pytest.mark.slow
@settings(max_examples=25)
@given(st.sampled_from(sorted(USUAL)), st.floats(1e-3, 1e6), st.floats(-100, 100))
def test_no_unit_changes_the_decisions(labels: str, scale: float, shift: float) -> None:
    """Rounding may turn a decision that was a draw; what follows is then another run."""
    usual, bandit = USUAL[labels]
    ours, moved = actions(scale * (COSTS + shift), labels)
    differ = np.flatnonzero(ours != usual)
    if len(differ) == 0:
        expected = scale * (bandit.predict_costs(X) + shift)
        np.testing.assert_allclose(moved.predict_costs(X), expected, atol=1e-3 * scale)
    assert np.mean(ours == usual) > 0.9


def test_rewards_are_costs() -> None:
    usual, _ = USUAL["none"]
    bandit = WarmBandit(3, seed=7)
    for x, cost, action in zip(X[:300], COSTS, usual, strict=False):
        decision = bandit.decide(x)
        assert decision.action == action
        bandit.learn(x, decision, reward=-float(cost[action]))


def test_a_wild_cost_spoils_no_decision() -> None:
    costs = COSTS.copy()
    costs[300] = 10_000.0
    wild, _ = actions(costs, "none")
    usual, _ = USUAL["none"]
    rows = np.arange(400, 600)
    assert COSTS[rows, wild[400:]].mean() < COSTS[rows, usual[400:]].mean() + 0.03


@pytest.mark.parametrize("cost", [0.0, 7.0, 1e30])
def test_bandits_bear_equal_costs(cost: float) -> None:
    _, bandit = actions(np.full((700, 3), cost), "none")
    np.testing.assert_allclose(bandit.predict_costs(X), cost, atol=0.1)
