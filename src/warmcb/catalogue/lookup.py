"""Algorithms by name: the catalogue's, and a user's own."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any

from warmcb import _own
from warmcb._messages import named
from warmcb.catalogue.entries import ABLATION, BEST_LAMBDA, CATALOGUE, CLASSES
from warmcb.catalogue.entry import SOURCES, Algorithm
from warmcb.catalogue.look import Look
from warmcb.catalogue.workload import ANYTHING
from warmcb.errors import InputError
from warmcb.simulation import PlaysRounds


def algorithm(name: str, among: Collection[str] = CATALOGUE.keys()) -> Algorithm:
    """An entry by its name, or one for a user's own `package.module:Class`.

    Args:
        name: of the entry; or a user's own class or function, which is then imported.
        among: the names that are allowed; by default all of the catalogue. A user's own is always allowed.

    >>> algorithm("sup-only").learns_from
    ('labels',)

    """
    if _own.is_own(name):
        return _own_algorithm(name)
    if name not in among:
        raise InputError(f"algorithm is {name!r}; expected one of {', '.join(among)}, or package.module:Class")
    return CATALOGUE[name]


def make_bandit(name: str, n_actions: int, **settings: Any) -> PlaysRounds:
    """A bandit by the name of its class, or a user's own.

    Args:
        name: one of `CLASSES`, or `package.module:Class`.
        n_actions: K.
        **settings: parameters of the class, by name. Those that the class does not have are left out.

    >>> make_bandit("sup-only", 3, epsilon=0.1, learning_rate=0.3)
    SupOnly(n_actions=3, learning_rate=0.3, horizon=None, seed=0)

    """
    return algorithm(name, CLASSES).make(n_actions, **settings)


@cache
def _own_algorithm(name: str) -> Algorithm:
    """The entry of a user's own class, or of a function that makes a bandit; one bandit is made to see that it works.

    What it learns from, its title and whether it plays described actions are the attributes `learns_from`, `title` and
    `described`, if there are any.
    """
    kind = _own.find("algorithm", name).value
    learns_from = getattr(kind, "learns_from", SOURCES)
    if not isinstance(learns_from, tuple | list | set | frozenset) or not {*learns_from} <= {*SOURCES}:
        raise InputError(f"learns_from of {name} is {learns_from!r}; expected some of {', '.join(SOURCES)}")
    title = getattr(kind, "title", _own.short_name(name))
    if not isinstance(title, str) or not title.isprintable() or not title.strip():
        raise InputError(f"title of {name} is {title!r}; expected a line of text")
    described = getattr(kind, "described", False)
    if not isinstance(described, bool):
        raise InputError(f"described of {name} is {described!r}; expected True or False")
    entry = Algorithm(name, title, kind, learns_from=tuple(learns_from), costs=ANYTHING, described=described)
    check_making(entry, n_actions=2)
    return entry


def check_making(entry: Algorithm, n_actions: int) -> None:
    """Refuse a user's own class of which no bandit can be made.

    Args:
        entry: of the class.
        n_actions: K of the bandit that is made to see.

    """
    settings = {"epsilon": 0.0125, "learning_rate": 0.5, "horizon": 1000, "seed": 0, "action": 0}
    try:
        bandit = entry.make(n_actions, **settings)
    except Exception as error:  # a user's code may raise anything
        reason = named(error)
        expected = "expected one that needs nothing" if entry.described else "expected one that takes n_actions"
        raise InputError(
            f"algorithm is {entry.name!r}, of which no bandit can be made; {expected} ({reason})"
        ) from None
    for method in ("warm_start", "decide", "learn"):
        if not callable(getattr(bandit, method, None)):
            raise InputError(
                f"algorithm is {entry.name!r}, whose bandits have no {method}; expected warm_start, decide and learn"
            )


def title(name: str) -> str:
    """How people call an algorithm; one that cannot be found keeps its name.

    Args:
        name: of an entry, `BEST_LAMBDA`, or `package.module:Class`.

    """
    if name == BEST_LAMBDA:
        return "the best single λ"
    try:
        return algorithm(name).title
    except InputError:
        return name


def is_described(name: str) -> bool:
    """Whether an algorithm plays described actions; one that cannot be found does not.

    Args:
        name: as in `title`.

    """
    try:
        return name != BEST_LAMBDA and algorithm(name).described
    except InputError:
        return False


def without_parts(names: Sequence[str]) -> list[str]:
    """Those to be drawn: variants of one algorithm are compared elsewhere, unless they are all there is.

    Args:
        names: of algorithms.

    Returns:
        some of them, in the same order.

    """
    return [name for name in names if name not in (*ABLATION, BEST_LAMBDA)] or list(names)


def looks(algorithms: Iterable[str]) -> dict[str, Look]:
    """The look of each algorithm; strangers are grey, each with one dot more between its dashes.

    The colours are those of Okabe, Ito and Tol; the dashes are for those who see none.

    Args:
        algorithms: their names. Those that the catalogue gives no look are strangers.

    Returns:
        a look for each of them, by name; and for all others that have one in the catalogue.

    """
    known = {name: entry.look for name, entry in CATALOGUE.items() if entry.look is not None}
    strangers = sorted(set(algorithms) - known.keys())
    return known | {name: Look("#555555", (9, 2, *(1, 2) * n)) for n, name in enumerate(strangers, 2)}
