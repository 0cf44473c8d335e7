"""Find algorithms by name: those of the catalogue, and your own."""

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any

from warmcb import _own
from warmcb._messages import named
from warmcb.catalogue.entries import ABLATION, BEST_LAMBDA, CATALOGUE, CLASSES
from warmcb.catalogue.entry import SOURCES, Algorithm, NoDefaultError
from warmcb.catalogue.look import Look
from warmcb.catalogue.workload import ANYTHING
from warmcb.errors import InputError
from warmcb.simulation import PlaysRounds


def algorithm(name: str, among: Collection[str] = CATALOGUE.keys()) -> Algorithm:
    """Find an algorithm by its name, or import your own.

    Args:
        name: a name of the catalogue, or `package.module:Class` for your own class or function.
        among: the names that are allowed; by default the whole catalogue. Your own are always allowed.

    Returns:
        the entry of the catalogue, or a new one for your own class.

    Raises:
        InputError: the name is unknown, or your own class cannot be imported or used.

    Examples:
        >>> from warmcb.catalogue import algorithm
        >>> algorithm("sup-only").learns_from
        ('labels',)

    """
    if _own.is_own(name):
        return _own_algorithm(name)
    if name not in among:
        own = "package.module:Class or package.module:function"
        raise InputError(f"algorithm is {name!r}; expected one of {', '.join(among)}, or your own, as {own}")
    return CATALOGUE[name]


def make_bandit(name: str, n_actions: int, **settings: Any) -> PlaysRounds:
    """Make a bandit by the name of its class.

    Args:
        name: one of `CLASSES`, or `package.module:Class` for your own class or function.
        n_actions: the number of actions, K.
        **settings: parameters of the class, by name. Those that the class does not have are ignored.

    Returns:
        the bandit.

    Raises:
        InputError: the name is unknown, or your own class cannot be imported or used.

    Examples:
        >>> from warmcb.catalogue import make_bandit
        >>> make_bandit("sup-only", 3, epsilon=0.1, learning_rate=0.3)
        SupOnly(n_actions=3, learning_rate=0.3, horizon=None, seed=0)

    """
    return algorithm(name, CLASSES).make(n_actions, **settings)


@cache
def _own_algorithm(name: str) -> Algorithm:
    """The entry of a class of the user, or of a function that makes a bandit. One bandit is made as a test.

    The class may have the attributes `learns_from`, `title` and `described`.
    """
    kind = _own.find("algorithm", name).value
    learns_from = getattr(kind, "learns_from", SOURCES)
    if not isinstance(learns_from, tuple | list | set | frozenset) or not {*learns_from} <= {*SOURCES}:
        raise InputError(f"learns_from of {name} is {learns_from!r}; expected some of {', '.join(SOURCES)}")
    title = getattr(kind, "title", _own.short_name(name))
    if not isinstance(title, str) or not title.isprintable() or not title.strip():
        raise InputError(f"title of {name} is {title!r}; expected one line of text")
    described = getattr(kind, "described", False)
    if not isinstance(described, bool):
        raise InputError(f"described of {name} is {described!r}; expected True or False")
    entry = Algorithm(name, title, kind, learns_from=tuple(learns_from), costs=ANYTHING, described=described)
    check_making(entry, n_actions=2)
    return entry


def check_making(entry: Algorithm, n_actions: int) -> None:
    """Refuse a class of the user if it cannot make a bandit.

    Args:
        entry: the entry of the class.
        n_actions: the number of actions of the bandit that is made as a test, K.

    Raises:
        InputError: it cannot make a bandit, or the bandit lacks a method.

    """
    settings: dict[str, Any] = {"epsilon": 0.0125, "learning_rate": 0.5, "horizon": 1000, "seed": 0, "action": 0}
    try:
        bandit = entry.make(n_actions, **settings, cost_range=(0.0, 1.0))
    except NoDefaultError:
        raise  # it says all there is to say
    except Exception as error:  # the code of a user may raise anything
        expected = "expected one without required arguments" if entry.described else "expected one that takes n_actions"
        what = f"algorithm is {entry.name!r}, which cannot make a bandit"
        raise InputError(f"{what}; {expected} ({named(error)})") from None
    for method in ("warm_start", "decide", "learn"):
        if not callable(getattr(bandit, method, None)):
            raise InputError(
                f"algorithm is {entry.name!r}, whose bandits have no {method}; expected warm_start, decide and learn"
            )


def title(name: str) -> str:
    """Give the name of an algorithm in figures and tables.

    Args:
        name: a name of the catalogue, `BEST_LAMBDA`, or `package.module:Class`.

    Returns:
        the title; the name itself if there is no such algorithm.

    Examples:
        >>> from warmcb.catalogue import title
        >>> title("arrow-8"), title("best-lambda")
        ('ARRoW-CB 8', 'the best single λ')

    """
    if name == BEST_LAMBDA:
        return "the best single λ"
    try:
        return algorithm(name).title
    except InputError:
        return name


def is_described(name: str) -> bool:
    """Tell whether the actions of an algorithm are described by features.

    Args:
        name: a name of the catalogue, `BEST_LAMBDA`, or `package.module:Class`.

    Returns:
        true if they are; false if there is no such algorithm.

    Examples:
        >>> from warmcb.catalogue import is_described
        >>> is_described("shared"), is_described("warm")
        (True, False)

    """
    try:
        return name != BEST_LAMBDA and algorithm(name).described
    except InputError:
        return False


def without_parts(names: Sequence[str]) -> list[str]:
    """Select the algorithms to draw together. Variants of one algorithm are left out, unless there are no others.

    Args:
        names: the names of the algorithms.

    Returns:
        some of them, in the same order.

    """
    return [name for name in names if name not in (*ABLATION, BEST_LAMBDA)] or list(names)


def looks(algorithms: Iterable[str]) -> dict[str, Look]:
    """Give the style of the line of each algorithm.

    The colors are those of Okabe, Ito and Tol. Dashes differ as well, for readers who cannot see colors. Algorithms
    without a style in the catalogue are grey, each with one more dot between its dashes.

    Args:
        algorithms: the names of the algorithms.

    Returns:
        the styles by name, of the given algorithms and of all that have one in the catalogue.

    Examples:
        >>> from warmcb.catalogue import looks
        >>> looks(["warm", "mine:Bandit"])["mine:Bandit"]
        Look(color='#555555', dashes=(9, 2, 1, 2, 1, 2), width=1.5)

    """
    known = {name: entry.look for name, entry in CATALOGUE.items() if entry.look is not None}
    others = sorted(set(algorithms) - known.keys())
    return known | {name: Look("#555555", (9, 2, *(1, 2) * n)) for n, name in enumerate(others, 2)}
