"""The algorithm that a user names, and which of the command's options it has."""

import inspect
from collections.abc import Mapping
from typing import Any

from warmcb.bandits import Bandit
from warmcb.catalogue import CLASSES, make_bandit
from warmcb.errors import InputError

NAMES = tuple(CLASSES)


def check_options(algorithm: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, those that are not None; one that the algorithm does not have is refused."""
    if algorithm not in NAMES:
        raise InputError(f"algorithm is {algorithm!r}; expected one of {', '.join(NAMES)}")
    has = [name for name in options if name in _parameters(algorithm)]
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in has:
            others = f"it has: {', '.join(has)}" if has else "it has none"
            raise InputError(f"{name} is {value!r}; {algorithm} has no such option ({others})")
    return given


def build(algorithm: str, n_actions: int, options: Mapping[str, Any], known: Mapping[str, Any]) -> Bandit:
    """A bandit with a user's options, and with what the command knows where the algorithm has a parameter for it."""
    has = _parameters(algorithm)
    return make_bandit(algorithm, n_actions, **options, **{name: known[name] for name in known if name in has})


def _parameters(algorithm: str) -> frozenset[str]:
    return frozenset(inspect.signature(CLASSES[algorithm]).parameters)
