"""Made-up problems: units of cost, arms that no feature tells apart, worlds that change, labels of odd shape.

The seed decides everything. X are contexts, C the costs of all actions, y the right actions.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Mode = Literal["rotated", "new weights", "times 100", "plus 50"]
MODES: tuple[Mode, ...] = ("rotated", "new weights", "times 100", "plus 50")

ARMS = (0.1, 0.15, 0.05, 0.2)
"""The chance that an arm costs 1."""

TURN = 5000
"""The round in which the last action of `turned_good` becomes the best."""


def rescaled(C: Floats, low: float, high: float) -> Floats:
    """Costs of [0, 1] in another unit."""
    return low + (high - low) * C


def unit(seed: int, low: float = 0.0, high: float = 1.0, n: int = 8000) -> tuple[Floats, Floats, Floats]:
    """Five linear costs with noise: X, the costs in [low, high], and C in [0, 1]."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 8))
    weights = random.normal(size=(8, 5)) / np.sqrt(8)
    noise = random.normal(size=(n, 5))
    C = np.clip(0.5 + 0.2 * (X @ weights) + 0.1 * noise, 0, 1)
    return X, rescaled(C, low, high), C


def arms(seed: int, n: int = 5000) -> tuple[Floats, Floats]:
    """Costs of 0 or 1 that are rarely 1, and features that never change: X, C."""
    C = np.random.default_rng(seed).random((n, len(ARMS))) < np.array(ARMS)
    return np.full((n, 4), 7.0), C.astype(np.float64)


def change(seed: int, mode: Mode, n: int = 10_000) -> tuple[Floats, Ints]:
    """Four linear classes until the middle, where the classes or the features change: X, y."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    y = (X @ random.normal(size=(6, 4))).argmax(axis=1)
    later = slice(n // 2, None)
    match mode:
        case "rotated":
            y[later] = (y[later] + 1) % 4
        case "new weights":
            y[later] = (X[later] @ random.normal(size=(6, 4))).argmax(axis=1)
        case "times 100":
            X[later] *= 100
        case "plus 50":
            X[later] += 50
    return X, y


def rounds_to_recover(costs: Floats, fresh: Floats, window: int = 200) -> float:
    """How many rounds it takes to be nearly as good as a bandit that knows nothing of the time before the change.

    Args:
        costs: what each round after the change has cost.
        fresh: the same rounds, played by a bandit that starts at the change.
        window: the number of rounds that are averaged.

    Returns:
        the end of the first window that costs at most 0.1 more than the fresh bandit's last 2,000 rounds; infinity if
        there is none.

    """
    averages = np.convolve(costs, np.full(window, 1 / window), "valid")
    good = np.flatnonzero(averages <= fresh[-2000:].mean() + 0.1)
    return float(good[0] + window) if len(good) else np.inf


def slow_drift(seed: int, n: int = 20_000) -> tuple[Floats, Ints]:
    """Four linear classes; their weights go half around a circle: X, y."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    first, second = random.normal(size=(2, 6, 4))
    angle = np.arange(n)[:, np.newaxis] / n * np.pi
    return X, (np.cos(angle) * (X @ first) + np.sin(angle) * (X @ second)).argmax(axis=1)


def turned_good(seed: int, n: int = 20_000) -> tuple[Floats, Floats]:
    """Three actions that cost 0 or 1 by chance, and a fourth that costs 0.9, after `TURN` 0.05: X says nothing, C."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    C = np.full((n, 4), 0.9)
    C[:, :3] = random.random((n, 3)) < 0.5
    C[TURN:, 3] = 0.05
    return X, C


def one_in_a_hundred(seed: int, n: int = 12_000) -> tuple[Floats, Ints]:
    """Two overlapping clouds; one row in a hundred is of the class 1: X, y."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.01).astype(np.int64)
    X = random.normal(size=(n, 8))
    X[y == 1, :3] += 2
    return X, y


def more_features_than_rows(seed: int, n: int = 300) -> tuple[Floats, Ints]:
    """Two linear classes of 500 features: X, y."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 500))
    return X, (X @ random.normal(size=500) > 0).astype(np.int64)


def half_right(seed: int, n: int = 6000) -> tuple[Floats, Ints, Ints]:
    """Four linear classes; labels are wrong, each by one, where the last feature is positive: X, labels, y."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6))
    y = (X @ random.normal(size=(6, 4))).argmax(axis=1)
    return X, (y + (X[:, -1] > 0)) % 4, y
