"""From the settings of a user to a grid, and from a grid to its command."""

import shlex
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from warmcb.errors import InputError
from warmcb.study.claims import chosen_claims
from warmcb.study.evidence import RIVALS, Needs
from warmcb.study.grid import Grid

_FOLLOW = ("suites", "algorithms", "extras", "noises", "epsilon", "side_shuffles")
"""Settings whose defaults depend on other settings, also on those before them in this list."""


def grid_of(settings: Mapping[str, Any], start: Grid | None = None) -> Grid:
    """Make a grid with these settings. If claims are named, the defaults are what these claims need.

    >>> grid_of({"claims": ["gap-shrinks"], "shuffles": 10}).noises
    ('cyc:1',)
    """
    start = Grid() if start is None else start
    if not settings.get("claims"):
        return start.changed(settings)
    told = start.changed({name: settings[name] for name in ("claims", "truth") if name in settings})
    needs = {claim.id: _needs(claim.id, told.truth) for claim in chosen_claims(told.claims, told.truth)}
    together = {
        name: list(dict.fromkeys(one for of_claim in needs.values() for one in of_claim[name]))
        for name in ("algorithms", "noises", "epsilon")
    }
    shuffles = settings.get("shuffles", told.shuffles)
    grid = told.changed(together | {"extras": [], "side_shuffles": shuffles} | dict(settings))
    for claim, of_claim in needs.items():
        _check(grid, claim, of_claim)
    return grid


def _needs(claim: str, truth: str) -> dict[str, list[Any]]:
    needs = Needs(RIVALS[truth])
    for one in chosen_claims((claim,), truth):
        one.differences(needs)
    return needs.settings()


def _check(grid: Grid, claim: str, needs: Mapping[str, list[Any]]) -> None:
    """Refuse a grid that lacks what a named claim needs."""
    played = {"algorithms": (*grid.algorithms, *grid.extras), "noises": grid.noises, "epsilon": grid.epsilon}
    for name, found in played.items():
        if missing := [one for one in needs[name] if one not in found]:
            raise InputError(
                f"{name} is {','.join(map(str, found))} with the claim {claim}; expected {missing[0]} as well,"
                " which it needs"
            )


def options(grid: Grid) -> list[str]:
    """The options of the command for a grid: all settings that are neither defaults nor follow from the others."""
    wanted, default = asdict(grid), asdict(Grid())
    said = {name: value for name, value in wanted.items() if name not in _FOLLOW and value != default[name]}
    for name in _FOLLOW:
        if wanted[name] != asdict(_unchecked(said))[name]:
            said[name] = wanted[name]
    words = []
    for name in (name for name in wanted if name in said):
        value = said[name]
        option = "--suite" if name == "suites" else f"--{name.replace('_', '-')}"
        joined = ",".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
        words += [word for one in (value if name == "data" else [joined]) for word in (option, one)]
    return words


def _unchecked(settings: Mapping[str, Any]) -> Grid:
    try:
        return grid_of(settings)
    except InputError:  # some settings are valid only together with others
        return Grid().changed(settings)


def command(grid: Grid) -> str:
    """The command that runs a grid."""
    return shlex.join(["warmcb", "reproduce", *options(grid)])
