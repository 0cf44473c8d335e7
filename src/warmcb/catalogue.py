"""The catalogue of algorithms: their names, classes, settings, sources of learning, line styles and run times.

Commands, studies and figures use the names of this catalogue. Your own class needs no entry: its name is
`package.module:Class`.
"""

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

from warmcb import _own
from warmcb.bandits import (
    UCB1,
    ArrowCB,
    BanditOnly,
    ExactArrow,
    ExactSupervisedTruth,
    Majority,
    SharedBandit,
    SimBandit,
    SupervisedTruth,
    SupOnly,
    WarmBandit,
    WarmUCB,
)
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError
from warmcb.learners.linear import RecursiveLeastSquares
from warmcb.simulation import PlaysRounds

__all__ = [
    "ABLATION",
    "BEST_LAMBDA",
    "CATALOGUE",
    "CLASSES",
    "DESCRIBED",
    "GROUPS",
    "PAPER",
    "SINGLE_LAMBDA",
    "SOURCES",
    "STUDIED",
    "SUPERVISED_TRUTH",
    "Algorithm",
    "Look",
    "Workload",
    "algorithm",
    "is_described",
    "looks",
    "make_bandit",
    "title",
]

SOURCES = ("labels", "rounds")
"""What an algorithm can learn from: the labels of the warm start, and the rounds of the interaction."""


class Look(NamedTuple):
    """The style of a line in figures.

    Attributes:
        color: a color of Matplotlib, such as "#D55E00".
        dashes: the lengths of dashes and gaps, in line widths; empty for a solid line.
        width: the width of the line, in points.

    Examples:
        >>> from warmcb.catalogue import Look
        >>> Look("#D55E00", (8, 2)).style
        (0, (8, 2))

    """

    color: str
    dashes: tuple[float, ...]
    width: float = 1.5

    @property
    def style(self) -> Literal["-"] | tuple[float, tuple[float, ...]]:
        """The line style for Matplotlib."""
        return (0, self.dashes) if self.dashes else "-"


class Workload(NamedTuple):
    """The size of a run, from which its time is estimated.

    Attributes:
        rounds: the number of rounds and labelled examples together.
        n_features: the number of features of a context.
        nonzeros: the average number of features of a context that are not 0.
        n_actions: the number of actions, K.

    Examples:
        >>> from warmcb.catalogue import Workload
        >>> Workload(rounds=1000, n_features=20, nonzeros=5.0, n_actions=3).quantities()["scores"]
        15000.0

    """

    rounds: int
    n_features: int
    nonzeros: float
    n_actions: int

    def quantities(self) -> dict[str, float]:
        """Compute the quantities that the time of a run may depend on.

        Returns:
            the quantities by name. `terms` are those of recursive least squares (src/core/terms.hpp).

        """
        whole = self.n_features < 256
        bends = min(192, 500 / math.sqrt(max(self.n_actions, 1)))
        terms = min(2 * self.n_features + 1, 256) + self.n_actions + bends if whole else self.n_features + 1
        return {
            "rounds": self.rounds,
            "features": self.rounds * self.nonzeros,
            "scores": self.rounds * self.nonzeros * self.n_actions,
            "terms": self.rounds * terms * self.n_actions,
            "covariances": self.rounds * terms * (terms if whole else 16),
            "products": self.rounds * self.nonzeros**2,
            "solutions": self.n_actions * self.n_features**3,
        }


_CONSTANT = ("rounds",)
_ONLINE = ("rounds", "features", "scores")
_RECURSIVE = (*_ONLINE, "terms", "covariances")
_LEAST_SQUARES = (*_ONLINE, "products", "solutions")
_ANYTHING = tuple(Workload(0, 0, 0.0, 0).quantities())


@dataclass(frozen=True)
class Algorithm:
    """An entry of the catalogue.

    Attributes:
        name: the name in commands, studies and results.
        title: the name in figures and tables.
        kind: the class, or a function that makes an object of it.
        fixed: the settings that belong to the name. Callers cannot change them.
        learns_from: some of `SOURCES`.
        costs: the quantities that its time depends on, by their names in `Workload.quantities`.
        look: the style of its line; None for the style of unknown algorithms.
        lane: for ARRoW-CB with a single λ, its place among the eight of the paper, from 0; else None.
        described: whether its actions are described by features, instead of numbered.

    Examples:
        >>> from warmcb.catalogue import CATALOGUE
        >>> entry = CATALOGUE["sup-only"]
        >>> entry.title, entry.learns_from, entry.explores
        ('Sup-Only', ('labels',), False)
        >>> entry.make(3, learning_rate=0.1)
        SupOnly(n_actions=3, learning_rate=0.1, horizon=None, seed=0)

    """

    name: str
    title: str
    kind: Callable[..., PlaysRounds]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    learns_from: tuple[str, ...] = SOURCES
    costs: tuple[str, ...] = _ONLINE
    look: Look | None = None
    lane: int | None = None
    described: bool = False

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters of its class."""
        return tuple(inspect.signature(self.kind).parameters)

    @property
    def has_rate(self) -> bool:
        """Whether its class has a learning rate."""
        return "learning_rate" in self.parameters

    @property
    def explores(self) -> bool:
        """Whether its runs depend on ε."""
        return "epsilon" in self.parameters and self.fixed.get("epsilon") != 0.0

    def sees_noise(self, truth: str) -> bool:
        """Tell whether its runs depend on the noise, which is in the source that is not the truth.

        Args:
            truth: the source without noise, "bandit" or "supervised", as in `simulate`.

        Returns:
            true if they do.

        """
        return ("labels" if truth == "bandit" else "rounds") in self.learns_from

    def make(self, n_actions: int, **settings: Any) -> PlaysRounds:
        """Make a new bandit.

        Args:
            n_actions: the number of actions, K; ignored if actions are described.
            **settings: parameters of the class, by name. Those that the class does not have are ignored. Fixed
                settings take precedence.

        Returns:
            the bandit.

        """
        settings |= self.fixed
        if self.lane is not None:
            settings["lambdas"] = (eight_lambdas(n_actions, settings.get("epsilon", 0.0125))[self.lane],)
        taken = {name: value for name, value in settings.items() if name in self.parameters}
        return self.kind(**taken) if self.described else self.kind(n_actions=n_actions, **taken)

    def work(self, load: Workload) -> tuple[float, ...]:
        """Compute the quantities that the time of a run depends on.

        Args:
            load: the size of the run.

        Returns:
            a number for each of `load.quantities()`, in their order; 0 if the time does not depend on it.

        """
        return tuple(value if name in self.costs else 0.0 for name, value in load.quantities().items())


def _warm(name: str, change: str, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """WarmBandit with one change."""
    costs = _ONLINE if fixed.get("learner") == "online" else _RECURSIVE
    return Algorithm(name, f"WarmBandit, {change}", WarmBandit, fixed, learns_from, costs)


def _least_squares(name: str, title: str, look: Look, **fixed: Any) -> Algorithm:
    """Algorithm 2, or a single λ of its learner."""
    return Algorithm(name, title, SupervisedTruth, fixed, costs=_LEAST_SQUARES, look=look)


def _shared(name: str, title: str, look: Look, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """SharedBandit, with both sources or with one only."""
    return Algorithm(name, title, SharedBandit, fixed, learns_from, _RECURSIVE, look, described=True)


_ARROW = Look("#D55E00", (), 2.2)

_STUDIED = (
    Algorithm("arrow-8", "ARRoW-CB 8", ArrowCB, {"lambdas": 8}, look=_ARROW),
    Algorithm("arrow-2", "ARRoW-CB 2", ArrowCB, {"lambdas": 2}, look=Look("#E69F00", (8, 2), 1.8)),
    Algorithm("bandit-only", "Bandit-Only", BanditOnly, learns_from=("rounds",), look=Look("#0072B2", (3.7, 1.6))),
    Algorithm("sup-only", "Sup-Only", SupOnly, learns_from=("labels",), look=Look("#009E73", (6.4, 1.6, 1, 1.6))),
    Algorithm("sim-bandit", "Sim-Bandit", SimBandit, look=Look("#CC79A7", (3, 1, 1, 1, 1, 1))),
    Algorithm("majority", "Majority", Majority, learns_from=(), costs=_CONSTANT, look=Look("#999999", (1, 1.65))),
    Algorithm("warm", "WarmBandit", WarmBandit, costs=_RECURSIVE, look=Look("#000000", (), 1.6)),
    _warm("warm-online", "online learner", learner="online"),
    _warm("warm-squares", "parabolas", features="squares"),
    _warm("warm-linear", "linear", features="linear"),
    _warm("warm-no-translation", "labels not translated", learner=RecursiveLeastSquares(translate=False)),
    _warm("warm-no-forgetting", "never forgets", half_life=math.inf),
    _warm("warm-no-optimism", "no optimism", optimism=0.0),
    _warm("warm-cost/p", "cost/p", selector="cost/p"),
    _warm("warm-baseline", "(cost − ½)/p", selector="baseline"),
    _warm("warm-running-baseline", "running baseline", selector="running-baseline"),
    _warm("warm-self-normalised", "self-normalised", selector="self-normalised"),
    _warm("warm-doubly-robust", "doubly robust", selector="doubly-robust"),
    _warm("warm-doubly-robust-in-charge", "doubly robust in charge", selector="doubly-robust-in-charge"),
    _warm("warm-epsilon-greedy", "ε-greedy", explorer="epsilon-greedy"),
    _warm("warm-2", "Λ = {0, 1}", lambdas=2),
    _warm("warm-bandit-only", "Λ = {1}", learns_from=("rounds",), lambdas=(1.0,)),
    _warm("warm-sup-only", "Λ = {0}", learns_from=("labels",), lambdas=(0.0,), epsilon=0.0, optimism=0.0),
    _shared("shared", "SharedBandit", Look("#44AA99", (), 1.8)),
    _shared("shared-bandit-only", "SharedBandit, Λ = {1}", Look("#88CCEE", (2, 2)), ("rounds",), lambdas=(1.0,)),
    _shared(
        "shared-sup-only",
        "SharedBandit, Λ = {0}",
        Look("#DDCC77", (7, 1, 1, 1)),
        ("labels",),
        lambdas=(0.0,),
        epsilon=0.0,
    ),
    Algorithm("lambda-0", "λ = 0 alone", ArrowCB, learns_from=("labels",), lane=0),
    Algorithm("lambda-zeta/8", "λ = ζ/8 alone", ArrowCB, lane=1),
    Algorithm("lambda-zeta/4", "λ = ζ/4 alone", ArrowCB, lane=2),
    Algorithm("lambda-zeta/2", "λ = ζ/2 alone", ArrowCB, lane=3),
    Algorithm("lambda-zeta", "λ = ζ alone", ArrowCB, lane=4),
    Algorithm("lambda-1/2", "λ = ½ + ζ/2 alone", ArrowCB, lane=5),
    Algorithm("lambda-3/4", "λ = ¾ + ζ/4 alone", ArrowCB, lane=6),
    Algorithm("half", "λ = ½", ArrowCB, {"lambdas": (0.5,)}, look=Look("#999933", (1.5, 0.7))),
    _least_squares("supervised-truth", "Algorithm 2", Look("#882255", (12, 2, 3, 2), 2.2)),
    _least_squares("least-squares-0", "Least squares, λ = 0", Look("#332288", (1, 4)), lambdas=(0.0,), epsilon=0.0),
    _least_squares("least-squares-1", "Least squares, λ = 1", Look("#117733", (10, 4)), lambdas=(1.0,)),
    _least_squares("least-squares-half", "Least squares, λ = ½", Look("#AA4499", (5, 4)), lambdas=(0.5,)),
)
_NOT_STUDIED = (
    Algorithm("arrow", "ARRoW-CB", ArrowCB, look=_ARROW),
    Algorithm("exact-arrow", "ARRoW-CB over a finite class", ExactArrow, costs=_ANYTHING),
    Algorithm("exact-supervised-truth", "Algorithm 2 over a finite class", ExactSupervisedTruth, costs=_ANYTHING),
    Algorithm("warm-ucb", "UCB1, warm-started", WarmUCB, costs=_CONSTANT, look=Look("#56B4E9", (3.7, 2.6))),
    Algorithm("ucb1", "UCB1", UCB1, learns_from=("rounds",), costs=_CONSTANT, look=Look("#000000", (1, 2.6))),
)

CATALOGUE: dict[str, Algorithm] = {entry.name: entry for entry in (*_STUDIED, *_NOT_STUDIED)}
"""All algorithms by name."""

STUDIED = tuple(entry.name for entry in _STUDIED)
"""The names of the algorithms that a study can play."""

CLASSES = (
    "warm", "shared", "arrow", "bandit-only", "sup-only", "sim-bandit", "majority", "supervised-truth", "exact-arrow",
    "exact-supervised-truth", "warm-ucb", "ucb1",
)  # fmt: skip
"""One name for each class, without fixed settings. `warmcb simulate` accepts these names."""

PAPER = ("arrow-8", "arrow-2", "bandit-only", "sup-only", "sim-bandit", "majority")
"""The six algorithms of the paper's study. The worst of them has a normalized error of 1."""

SUPERVISED_TRUTH = (
    "supervised-truth", "sup-only", "bandit-only", "half", "least-squares-0", "least-squares-1", "least-squares-half",
    "majority",
)  # fmt: skip
"""The algorithms of the study in which the labels are the truth: Algorithm 2, and single weights in its place."""

ABLATION = tuple(name for name in STUDIED if name.startswith("warm-"))
"""WarmBandit with one part changed, or with one source only."""

SINGLE_LAMBDA = tuple(name for name in STUDIED if CATALOGUE[name].lane is not None)
"""ARRoW-CB with only one of its eight λ. The eighth, λ = 1, is Bandit-Only."""

DESCRIBED = tuple(name for name in STUDIED if CATALOGUE[name].described)
"""The algorithms for described actions: SharedBandit, with both sources or with one only."""

BEST_LAMBDA = "best-lambda"
"""The name in scores for ARRoW-CB with the best single λ, which is chosen together with the learning rate."""

GROUPS = {"paper": PAPER, "ablation": ("warm", *ABLATION), "single-lambda": SINGLE_LAMBDA, "described": DESCRIBED}
"""Groups of algorithms by name."""


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
        raise InputError(f"algorithm is {name!r}; expected one of {', '.join(among)}, or package.module:Class")
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
    entry = Algorithm(name, title, kind, learns_from=tuple(learns_from), costs=_ANYTHING, described=described)
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
    settings = {"epsilon": 0.0125, "learning_rate": 0.5, "horizon": 1000, "seed": 0, "action": 0}
    try:
        bandit = entry.make(n_actions, **settings)
    except Exception as error:  # the code of a user may raise anything
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        expected = "expected one without required arguments" if entry.described else "expected one that takes n_actions"
        raise InputError(f"algorithm is {entry.name!r}, which cannot make a bandit; {expected} ({reason})") from None
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


def without_parts(names: Sequence[str]) -> list[str]:
    """Select the algorithms to draw together. Variants of one algorithm are left out, unless there are no others.

    Args:
        names: the names of the algorithms.

    Returns:
        some of them, in the same order.

    """
    return [name for name in names if name not in (*ABLATION, BEST_LAMBDA)] or list(names)
