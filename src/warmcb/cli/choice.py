"""The algorithm that a user names, and which of the command's options it has."""

from collections.abc import Mapping
from typing import Any

from warmcb.catalogue import CLASSES, algorithm, make_bandit
from warmcb.errors import InputError


def check_options(chosen: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, those that are not None; one that the algorithm does not have is refused."""
    known = algorithm(chosen, CLASSES).parameters
    has = [name for name in options if name in known]
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in has:
            others = f"it has: {', '.join(has)}" if has else "it has none"
            raise InputError(f"{name} is {value!r}; {chosen} has no such option ({others})")
    return given


def build(chosen: str, n_actions: int, options: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """A bandit with a user's options, and with what the command knows where the algorithm has a parameter for it."""
    return make_bandit(chosen, n_actions, **options, **known)
