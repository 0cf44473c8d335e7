"""The appendix's UCB1: by hand, and the proposition about its failure."""

import math

import numpy as np
import pytest

from warmcb import UCB1, WarmUCB, simulate


def two_arms(delta: float, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The paper's example: contexts, supervised costs, true costs."""
    return np.zeros((n, 1)), np.tile([0.5, 0.5 + delta / 2], (n, 1)), np.tile([0.5, 0.5 - delta / 2], (n, 1))


def test_bounds_by_hand() -> None:
    bandit = WarmUCB(2).warm_start(np.zeros((4, 1)), costs=[[0.5, 0.25]] * 4)
    assert bandit.bounds_.tolist() == [0.5, 0.25]  # ln 1 = 0
    bandit.learn([0.0], 1, 1.0, 1.0)
    expected = [0.5 - 2 * math.sqrt(math.log(2) / 4), (4 * 0.25 + 1) / 5 - 2 * math.sqrt(math.log(2) / 5)]
    np.testing.assert_allclose(bandit.bounds_, expected)


def test_the_plain_twin_tries_every_action_first() -> None:
    bandit = UCB1(3).warm_start(np.zeros((50, 1)), [2] * 50)
    seen = []
    for _ in range(3):
        decision = bandit.decide([0.0])
        seen.append(decision.action)
        bandit.learn([0.0], decision.action, 0.5, decision.probability)
    assert seen == [0, 1, 2]


@pytest.mark.parametrize("delta, n_s", [(0.5, 400), (0.8, 200)])
def test_the_warm_start_delays_the_best_arm_exponentially(delta: float, n_s: int) -> None:
    """Arm 2 waits for the first t₁ with 2·√(ln(t₁+1)/n_s) > Δ/2 + 2·√(ln(t₁+1)/(n_s+t₁)): beyond exp(Δ²n_s/16) − 1."""
    t = np.arange(1_000_000)
    gap = 2 * np.sqrt(np.log(t + 1) / n_s) - 2 * np.sqrt(np.log(t + 1) / (n_s + t))
    t1 = int(np.flatnonzero(gap > delta / 2)[0])
    assert t1 > math.exp(delta**2 * n_s / 16) - 1
    X, supervised, _ = two_arms(delta, n_s)
    bandit = WarmUCB(2).warm_start(X, costs=supervised)
    X, _, truth = two_arms(delta, t1 + 10)
    run = simulate(bandit, X, costs=truth, shuffle=False)
    assert int(np.flatnonzero(run.trace.actions == 1)[0]) == t1
    plain = simulate(UCB1(2), X, costs=truth, shuffle=False)
    assert np.mean(plain.trace.actions == 1) > 0.8
