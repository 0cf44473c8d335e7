"""The benefit of the doubt: by hand, how it fades, and that what has turned good is found again."""

from typing import Any

import numpy as np
import pytest

from tests.support.own_parts import InPython
from warmcb import WarmBandit, simulate
from warmcb._core import Optimism
from warmcb.explorers import EXPLORERS


def test_by_hand() -> None:
    optimism = Optimism(3, 1.5, 1.0)  # a round ago counts half
    np.testing.assert_array_equal(optimism.bonuses, 0)
    optimism.add(0)
    np.testing.assert_allclose(optimism.bonuses, 1.5 / np.array([2.5, 1.5, 1.5]))  # all start with 1
    optimism.add(1)
    np.testing.assert_allclose(optimism.bonuses, 1.5 / np.array([1.75, 2.25, 1.25]), rtol=1e-6)
    optimism.add(0)
    np.testing.assert_allclose(optimism.bonuses, 1.5 / np.array([2.375, 1.625, 1.125]), rtol=1e-6)


def test_what_was_not_played_for_long_is_doubted_again() -> None:
    optimism = Optimism(2, 1.0, 350.0)
    for _ in range(10):
        optimism.add(0)
    counts = (2 ** (-np.arange(11) / 350)).sum()
    np.testing.assert_allclose(optimism.bonuses[0], 1 / (1 + counts), rtol=1e-6)
    for _ in range(350):
        optimism.add(1)
    np.testing.assert_allclose(optimism.bonuses[0], 1 / (1 + counts / 2), rtol=1e-6)
    for _ in range(3500):
        optimism.add(1)
    assert optimism.bonuses[0] > 0.99 and optimism.bonuses[1] < 0.01


def test_late_costs_leave_the_bonuses_a_share_of_the_decisions() -> None:
    optimism = Optimism(2, 1.0, 350.0)
    optimism.wait(300)
    assert optimism.share == 1  # nothing was counted yet
    for age in (12, 20):
        optimism.add(0)
        optimism.wait(age)
    assert (optimism.share, optimism.widened(20.0)) == (1, 20)  # 16 rounds on average are prompt
    optimism.add(0)
    optimism.wait(16 + 3 * 32)
    np.testing.assert_allclose(optimism.share, 16 / (16 + 48))
    np.testing.assert_allclose(optimism.widened(30.0), 40)
    for _ in range(20_000):
        optimism.add(1)
        optimism.wait(0)
    assert optimism.share == 1
    optimism.wait(48_000)  # counts as one of 1,000 rounds
    np.testing.assert_allclose(optimism.share, 16 / (16 + 48), rtol=1e-6)


@pytest.mark.parametrize("explorer", ["inverse-gap", InPython(EXPLORERS["inverse-gap"])])
def test_only_costs_of_its_own_decisions_tell_a_bandit_how_late_they_are(explorer: Any) -> None:
    bandit = WarmBandit(2, explorer=explorer, seed=1)
    first = bandit.decide([1.0])
    for _ in range(10):
        bandit.learn([1.0], bandit.decide([1.0]), 0.5)
    bandit.learn([1.0], first, 0.5)
    assert bandit._optimism.state()["delay"] == 10 / 11  # one of 11 was 10 rounds late
    bandit.observe([1.0], 0, 0.5)
    assert bandit._optimism.state()["delay"] == 10 / 11


def test_a_new_action_starts_like_the_others() -> None:
    optimism = Optimism(2, 2.0, 350.0)
    optimism.add(0)
    optimism.add_action()
    np.testing.assert_allclose(optimism.bonuses, [2 / 3, 1.0, 1.0], rtol=1e-2)
    assert optimism.bonuses[1] > optimism.bonuses[2]  # it was there a round longer


def test_without_strength_nothing_is_counted() -> None:
    optimism = Optimism(2, 0.0, 350.0)
    optimism.add(0)
    np.testing.assert_array_equal(optimism.bonuses, 0)
    assert optimism.state()["rounds"] == 0


def test_a_state_goes_on_exactly() -> None:
    random = np.random.default_rng(1)
    optimism = Optimism(3, 1.5, 20.0)
    for action in random.integers(3, size=600).tolist():
        again, snapshot = Optimism(3, 1.5, 20.0), optimism.snapshot()
        again.restore(optimism.state())
        before = optimism.bonuses
        for one in (optimism, again):
            one.add(action)
            one.wait(40 * action)
        assert again.share == optimism.share
        np.testing.assert_array_equal(again.bonuses, optimism.bonuses)
        np.testing.assert_array_equal(snapshot.bonuses, before)
        optimism = again


@pytest.mark.parametrize(
    "damage",
    [
        {"counts": np.array([1.0, -1.0])},
        {"counts": np.ones(3)},
        {"counts": np.array([1.0, np.inf])},
        {"last": np.array([0, 2], dtype=np.uint64)},
        {"delay": np.array([-1.0])},
        {"delay": np.array([np.nan])},
    ],
)
def test_a_damaged_state_is_refused(damage: dict[str, Any]) -> None:
    optimism = Optimism(2, 1.5, 350.0)
    optimism.add(0)
    with pytest.raises(ValueError):
        Optimism(2, 1.5, 350.0).restore(optimism.state() | damage)
    with pytest.raises(ValueError, match="action out of range"):
        optimism.add(2)


def found_again(optimism: float, seed: int) -> float:
    """How often an action is played that was the worst for 1,500 rounds, and the best for the last 500 of 1,000."""
    random = np.random.default_rng(seed)
    X, costs = random.normal(size=(2500, 2)), np.tile([0.5, 0.9], (2500, 1))
    costs[1500:, 1] = 0.1
    costs = np.clip(costs + 0.1 * random.normal(size=costs.shape), 0, 1)
    bandit = WarmBandit(2, optimism=optimism, epsilon=0.01, cost_range=(0.0, 1.0), seed=seed)
    run = simulate(bandit, X, costs=costs, shuffle=False)
    return float(np.mean(run.trace.actions[-500:] == 1))


@pytest.mark.slow
def test_what_has_turned_good_is_found_again() -> None:
    """By optimism: exploration alone would need too long."""
    with_it, without = ([found_again(strength, seed) for seed in range(6)] for strength in (6.0, 0.0))
    assert np.mean(with_it) > np.mean(without) + 0.3


def extra_cost_of_optimism(late: int, seed: int) -> float:
    """The mean cost above the best action in 3,000 rounds in which nothing changes, after 1,000 others."""
    random = np.random.default_rng(seed)
    X, expected = random.normal(size=(4000, 3)), np.array([0.4, 0.5, 0.6, 0.8])
    costs = np.clip(expected + 0.1 * random.normal(size=(4000, 4)), 0, 1)
    bandit, decisions = WarmBandit(4, seed=seed), []
    for i in range(len(X)):
        decisions.append(bandit.decide(X[i]))
        if (due := i - late) >= 0:
            bandit.learn(X[due], decisions[due], costs[due, decisions[due].action])
    return float(np.mean([expected[decision.action] for decision in decisions[1000:]])) - 0.4


@pytest.mark.slow
@pytest.mark.parametrize("late", [0, 100, 300])
def test_optimism_costs_no_more_if_costs_are_late(late: int) -> None:
    """Without limits, an action in doubt would be played in every round until its first cost arrives."""
    assert np.mean([extra_cost_of_optimism(late, seed) for seed in range(4)]) < 0.006
