"""The benefit of the doubt: by hand, how it fades, and that what has turned good is found again."""

from typing import Any

import numpy as np
import pytest

from warmcb import WarmBandit, simulate
from warmcb._core import Optimism


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
