"""Checks of single values: numbers, choices, parts, and the keys of random draws."""

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from warmcb._inputs.arrays import unwrapped
from warmcb._messages import shown
from warmcb.errors import InputError


def integer(name: str, value: object, at_least: int, at_most: int | None = None) -> int:
    if type(value) is int and at_least <= value and (at_most is None or value <= at_most):
        return value
    expected = f"an integer of at least {at_least}" if at_most is None else f"an integer from {at_least} to {at_most}"
    plain = unwrapped(value)
    if not isinstance(plain, Integral) or isinstance(plain, bool):
        raise InputError(f"{name} is {shown(value)}; expected {expected}")
    result = int(plain)
    if result < at_least or (at_most is not None and result > at_most):
        raise InputError(f"{name} is {shown(plain)}; expected {expected}")
    return result


def number(name: str, value: object, expected: str, low: float, high: float, *, low_excluded: bool = False) -> float:
    """`value` as a float in [low, high], or in (low, high]."""
    plain = unwrapped(value)
    if not isinstance(plain, Real):
        raise InputError(f"{name} is {shown(value)}; expected {expected}")
    try:
        result = float(plain)
    except OverflowError:
        result = float("inf")
    if not low <= result <= high or (low_excluded and result == low):
        raise InputError(f"{name} is {shown(plain)}; expected {expected}")
    return result


def fraction(name: str, value: object) -> float:
    return number(name, value, "a number in [0, 1]", 0.0, 1.0)


def learning_rate(value: object) -> float:
    return number("learning_rate", value, "a number from 1e-30 to 1e30", 1e-30, 1e30)


def half_life(value: object) -> float | None:
    if value is None:
        return None
    return number("half_life", value, "a number of rounds above 0, infinity, or None", 0.0, math.inf, low_excluded=True)


def half_lives(name: str, value: object) -> tuple[float, ...]:
    expected = f"{name} is {shown(value)}; expected numbers of rounds, the largest first"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(expected)
    found = tuple(number(name, one, "numbers of rounds", 1.0, 1e12) for one in value)
    if sorted(found, reverse=True) != list(found) or len(found) > 8:
        raise InputError(expected)
    return found


def horizon(value: object) -> int | None:
    return None if value is None else integer("horizon", value, 1, 10**18)


def probability(value: object) -> float:
    if type(value) is float and 0.0 < value <= 1.0:
        return value
    return number("probability", value, "a number in (0, 1]", 0.0, 1.0, low_excluded=True)


def seed(value: object) -> int:
    return integer("seed", value, 0, 2**64 - 1)


def choice(name: str, value: object, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
    return value


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {shown(value)}; expected True or False")
    return bool(value)


def part(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    """A part of a bandit: its name, or an object with `start`."""
    if isinstance(value, str):
        return choice(name, value, tuple(known))
    if isinstance(value, type) or not callable(getattr(value, "start", None)):
        own = "your own object (warmcb.contracts)"
        raise InputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}, or {own}")
    return value


def key(value: object, name: str = "key") -> int | str:
    """The name of a random draw, or the id of an action, as a plain value."""
    plain = unwrapped(value)
    if isinstance(plain, str):
        return str(plain)
    if not isinstance(plain, Integral) or isinstance(plain, bool):
        raise InputError(f"{name} is {shown(value)}; expected a string or an integer")
    if abs(int(plain)) >= 2**255:
        raise InputError(f"{name} is {shown(value)}; expected an integer of at most 255 bits")
    return int(plain)


def keys(given: Sequence[int | str] | None, n_rows: int) -> tuple[int | str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"keys is {shown(given)}; expected a key for each row")
    found = tuple(key(one) for one in given)
    if len(found) != n_rows:
        raise InputError(f"there are {len(found)} keys; expected {n_rows}, one for each row of X")
    return found
