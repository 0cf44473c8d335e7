"""All units of work of a grid, and the key under which the result of each is kept."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import product

from warmcb import _own
from warmcb.catalogue import algorithm
from warmcb.study.code import code_version
from warmcb.study.facts import DataFacts
from warmcb.study.grid import Grid
from warmcb.study.units import OptimalUnit, RunsUnit, Unit


def plan(grid: Grid, datasets: Sequence[DataFacts]) -> list[Unit]:
    """All units, in the order of the results."""
    units: list[Unit] = []
    for data, shuffle in product(datasets, range(grid.shuffles)):
        units.append(OptimalUnit(data, shuffle, grid.seed))
        for size in grid.sizes(data.n_rows):
            for noises, epsilon, names in _groups(grid, shuffle, data.is_described):
                sources = _sources(names, noises, grid.truth)
                rest = (epsilon, shuffle, grid.seeds, names, grid.learning_rates, grid.seed, sources)
                units.append(RunsUnit(data, size, noises, grid.truth, *rest))
    return units


def _groups(
    grid: Grid, shuffle: int, described: bool
) -> Iterator[tuple[tuple[str, ...], tuple[float, ...], tuple[str, ...]]]:
    """Groups of noises, ε and the algorithms to run under them.

    An algorithm that does not depend on the noise or on ε runs once for all of them. A user's own algorithm has its own
    units, so that the others need not be computed again when it is edited.
    """
    wanted: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
    for part in grid.parts(described=described):
        if shuffle < part.shuffles:
            for name in part.algorithms:
                _, epsilon = wanted.get(name, ((), ()))
                wanted[name] = part.noises, (*epsilon, *part.epsilon)
    together: dict[tuple[tuple[str, ...], tuple[float, ...], str], list[str]] = {}
    for name, (noises, epsilon) in wanted.items():
        by_noise = [(noise,) for noise in noises] if algorithm(name).sees_noise(grid.truth) else [noises]
        by_epsilon = [(one,) for one in epsilon] if algorithm(name).explores else [epsilon]
        for group in product(by_noise, by_epsilon):
            together.setdefault((*group, name if _own.is_own(name) else ""), []).append(name)
    for (noises, epsilon, _), names in together.items():
        yield noises, epsilon, tuple(names)


def _sources(names: Sequence[str], noises: Sequence[str], truth: str) -> tuple[tuple[str, str], ...]:
    """The user's own code that the results of these algorithms under these noises depend on."""
    seen = noises if any(algorithm(name).sees_noise(truth) for name in names) else ()
    return tuple(
        (name, _own.find(argument, name).version)
        for argument, given in (("algorithm", names), ("noise", seen))
        for name in given
        if _own.is_own(name)
    )


def key(unit: Unit) -> str:
    """The key of a result: a hash of the data, the setting and the code."""
    what = {"kind": unit.kind, "code": code_version()} | asdict(unit)
    return hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=16).hexdigest()
