"""Check arrays with a number for each decision. Errors name the first wrong number."""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb._messages import shown
from warmcb.errors import InputError

Doubles = NDArray[np.float64]
Units = NDArray[np.int64]

ROUNDING = 1 + 1e-9


def numbers(name: str, values: ArrayLike, size: int | None = None) -> Doubles:
    """Any number for each decision."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(values)}; expected numbers") from None
    return _sized(name, found, size)


def fractions(name: str, values: ArrayLike, size: int) -> Doubles:
    """A number in [0, 1] for each decision."""
    found = numbers(name, values, size)
    refuse_outside(name, found, 0.0, ROUNDING, "numbers in [0, 1]")
    return np.minimum(found, 1.0)


def units(given: ArrayLike, size: int) -> Units | None:
    """Renumber units as 0, 1, 2, … in the order of their first appearance; None if no unit repeats."""
    found = np.asarray(given)
    if found.dtype.kind not in "iu":
        raise InputError(f"units is {shown(given)}; expected integers")
    distinct, first, places = np.unique(_sized("units", found, size), return_index=True, return_inverse=True)
    if len(distinct) == size:
        return None
    codes = np.empty(len(distinct), dtype=np.int64)
    codes[np.argsort(first)] = np.arange(len(distinct))
    return codes[places]


def refuse_outside(name: str, values: Doubles, low: Doubles | float, high: float, expected: str) -> None:
    """Raise an error unless all numbers lie between two limits."""
    wrong = ~((values >= low) & (values <= high))
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{name}[{at}] is {values[at]:g}; expected {expected}")


def rewards_between(rewards: Doubles, reward_range: object) -> tuple[float, float]:
    """The lowest and the highest possible reward; by default those of the log."""
    limits = reward_limits(reward_range)
    if limits is None:
        return float(rewards.min()), float(rewards.max())
    low, high = limits
    refuse_outside("rewards", rewards, low, high, f"numbers in the reward_range [{low:g}, {high:g}]")
    return low, high


def reward_limits(reward_range: object) -> tuple[float, float] | None:
    """The lowest and the highest possible reward as numbers; None if they were not given."""
    if reward_range is None:
        return None
    try:
        low, high = (float(end) for end in reward_range)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        low = high = math.nan
    if not -math.inf < low < high < math.inf:
        raise InputError(f"reward_range is {shown(reward_range)}; expected the lowest and the highest possible reward")
    return low, high


def confidence_level(value: object) -> float:
    """A confidence level."""
    return _inputs.number("level", value, "a number in (0, 1)", 0.0, math.nextafter(1, 0), low_excluded=True)


def _sized(name: str, values: NDArray[Any], size: int | None) -> NDArray[Any]:
    if values.ndim != 1 or (size is not None and len(values) != size):
        expected = "one number for each decision" if size is None else f"{size} numbers, one for each decision"
        raise InputError(f"{name} has the shape {values.shape}; expected {expected}")
    return values
