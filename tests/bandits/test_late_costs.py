"""Costs that arrive late: many decisions are made before the first of them is learned."""

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from warmcb import WarmBandit, load

LABELS, AT_ONCE = 300, 80


def readers(seed: int, n: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """The age of readers, the hour and their device; and the section that they want."""
    random = np.random.default_rng(seed)
    age, hour, device = random.integers(16, 81, n), random.integers(0, 24, n), random.integers(0, 3, n)
    wanted = np.select([(device == 0) & (hour < 10), age < 25, hour >= 18, age > 50], [4, 2, 1, 0], default=3)
    empty = np.zeros((n, 27))  # as of an encoder that has more columns than names
    return np.column_stack([age, hour, np.eye(3)[device], empty]).astype(np.float32), wanted


def some_wrong(wanted: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Labels of which a fifth is wrong."""
    random = np.random.default_rng(seed + 1000)
    return np.where(random.random(len(wanted)) < 0.2, random.integers(0, 5, len(wanted)), wanted)


def share_right(bandit: WarmBandit) -> float:
    X, wanted = readers(99, 500)
    return float(np.mean(bandit.predict(X) == wanted))


def learn_at_once(bandit: WarmBandit, X: Any, wanted: Any) -> None:
    decisions = [bandit.decide(x) for x in X]
    for x, decision, right in zip(X, decisions, wanted, strict=True):
        bandit.learn(x, decision, cost=float(decision.action != right))


def test_a_batch_of_late_costs_does_not_spoil_what_right_labels_taught() -> None:
    before, after = [], []
    for seed in range(6):
        X, wanted = readers(seed, LABELS + AT_ONCE)
        bandit = WarmBandit(5, seed=seed).warm_start(X[:LABELS], some_wrong(wanted[:LABELS], seed))
        before.append(share_right(bandit))
        learn_at_once(bandit, X[LABELS:], wanted[LABELS:])
        after.append(share_right(bandit))
    assert np.mean(after) > np.mean(before)
    assert np.min(np.subtract(after, before)) > -0.1


def test_the_first_late_costs_do_not_either() -> None:
    """When the first of them is learned, 80 decisions have been made, and many more follow."""
    changes = []
    for seed in range(6):
        X, wanted = readers(seed, LABELS + AT_ONCE)
        bandit = WarmBandit(5, seed=seed).warm_start(X[:LABELS], some_wrong(wanted[:LABELS], seed))
        decisions = [bandit.decide(x) for x in X[LABELS:]]
        shares = [share_right(bandit)]
        for x, decision, right in zip(X[LABELS:], decisions, wanted[LABELS:], strict=True):
            bandit.learn(x, decision, cost=float(decision.action != right))
            shares.append(share_right(bandit))
        changes.append(np.mean(shares) - shares[0])
    assert np.mean(changes) > -0.025


@pytest.mark.parametrize("delay", [0, 50, 200])
def test_wrong_labels_are_left_however_late_costs_are(delay: int) -> None:
    X, wanted = readers(3, LABELS + 1500)
    bandit = WarmBandit(5, seed=3, cost_range=(0, 1)).warm_start(X[:LABELS], (wanted[:LABELS] + 1) % 5)
    waiting: deque[Any] = deque()
    for x, right in zip(X[LABELS:], wanted[LABELS:], strict=True):
        decision = bandit.decide(x)
        waiting.append((x, decision, float(decision.action != right)))
        if len(waiting) > delay:
            bandit.learn(*waiting.popleft())
    assert share_right(bandit) > 0.8


def test_a_bandit_saved_among_late_costs_goes_on_exactly(tmp_path: Path) -> None:
    """The unit of costs changes after the bandit was saved, so it learns the rounds that it kept once more."""
    X, wanted = readers(4, LABELS + AT_ONCE)
    bandit = WarmBandit(5, seed=4).warm_start(X[:LABELS], wanted[:LABELS])
    learn_at_once(bandit, X[LABELS:], wanted[LABELS:])
    bandit.save(tmp_path / "model")
    copy = load(tmp_path / "model")
    assert isinstance(copy, WarmBandit)
    for one in (bandit, copy):
        one.learn(X[0], one.decide(X[0], key="last"), cost=7.0)
    np.testing.assert_array_equal(bandit.predict_costs(X), copy.predict_costs(X))
