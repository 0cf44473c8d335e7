"""Made-up logs for tests of estimators, intervals and confidence sequences."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from warmcb.logs._checks import Doubles
from warmcb.logs.evidence import Evidence


class Logged(NamedTuple):
    """Decisions of a world in which a policy's value is known."""

    evidence: Evidence
    rival: Evidence
    overlap: Doubles
    truth: float
    lead: float


def make_evidence(seed: int, n: int = 300, *, dropped: bool = False, model: bool = False, units: int = 0) -> Evidence:
    """Weights with a heavy tail and a mean of 1, rewards in [0, 1]."""
    random = np.random.default_rng(seed)
    probabilities = 0.05 + 0.95 * random.beta(0.5, 0.5, size=n)
    played = random.random(n) < probabilities
    weights = np.where(played, random.random(n) / probabilities * 2, 0.0)
    rewards = random.random(n) if seed % 2 else (random.random(n) < 0.4).astype(np.float64)
    return Evidence(
        weights,
        rewards,
        np.maximum(weights, 2 / probabilities),
        expected=random.random(n) if model else None,
        expected_played=random.random(n) if model else None,
        units=random.integers(units, size=n) if units else None,
        dropped=np.where(random.random(n) < 0.5, 0.8 * random.random(n), 0.0) if dropped else None,
    )


def make_log(seed: int, n: int) -> Logged:
    """Three actions that bring 1 with probability 0.1, 0.3 and 0.6 plus 0.2·x; the log prefers the worst."""
    random = np.random.default_rng(seed)
    x = random.random(n)
    chances = np.array([0.1, 0.3, 0.6]) + 0.2 * x[:, None]
    logged = np.column_stack([0.8 - 0.2 * x, 0.1 + 0.1 * x, 0.1 + 0.1 * x])
    actions = (logged.cumsum(axis=1) < random.random((n, 1))).sum(axis=1).clip(max=2)
    rewards = (random.random(n) < chances[np.arange(n), actions]).astype(np.float64)
    policy, rival = np.array([0.1, 0.1, 0.8]), np.array([0.1, 0.4, 0.5])
    found = []
    for one in (policy, rival):
        ratios = one / logged
        weights = ratios[np.arange(n), actions]
        guesses = chances * 0.9  # a model that is a little wrong
        found.append(Evidence(weights, rewards, ratios.max(axis=1), guesses @ one, guesses[np.arange(n), actions]))
    overlap = np.full(n, np.minimum(policy, rival).sum())
    means = np.array([0.2, 0.4, 0.7])
    return Logged(found[0], found[1], overlap, float(means @ policy), float(means @ (policy - rival)))


def scaled(evidence: Evidence, shift: float = 0.0, scale: float = 1.0) -> Evidence:
    """The same decisions with rewards in another unit."""

    def moved(values: Doubles | None) -> Doubles | None:
        return None if values is None else shift + scale * values

    return Evidence(
        evidence.weights,
        shift + scale * evidence.rewards,
        evidence.largest_weights,
        moved(evidence.expected),
        moved(evidence.expected_played),
        evidence.units,
        evidence.dropped,
    )


def in_order(evidence: Evidence, order: NDArray[np.int64]) -> Evidence:
    """The same decisions in another order."""
    given = {name: getattr(evidence, name) for name in Evidence.__dataclass_fields__}
    moved: dict[str, Any] = {name: values[order] for name, values in given.items() if values is not None}
    return Evidence(**moved)


def told(peer: Any, evidence: Evidence) -> Any:
    """What an estimator or an interval of vw-estimators says about the same decisions."""
    for i, (weight, reward) in enumerate(zip(evidence.weights.tolist(), evidence.rewards.tolist(), strict=True)):
        dropped = {} if evidence.dropped is None else {"p_drop": float(evidence.dropped[i])}
        peer.add_example(1.0, reward, weight, **dropped)
    return peer.get()


seeds = st.integers(0, 10_000)
