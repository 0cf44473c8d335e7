"""The catalogue of algorithms: what each is called, how it is made, what it learns from, its look, and what it costs.

Commands, studies and figures know algorithms by the names that stand here. A user's own class needs no entry: it is
named `package.module:Class`.
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
"""What an algorithm can learn from: the labels of the warm start, the rounds of the interaction."""


class Look(NamedTuple):
    """How to draw a line.

    Attributes:
        color: as Matplotlib takes it, such as "#D55E00".
        dashes: lengths on and off, in line widths; empty for a solid line.
        width: of the line, in points.

    """

    color: str
    dashes: tuple[float, ...]
    width: float = 1.5

    @property
    def style(self) -> Literal["-"] | tuple[float, tuple[float, ...]]:
        """What Matplotlib calls a line style."""
        return (0, self.dashes) if self.dashes else "-"


class Workload(NamedTuple):
    """The size of one run.

    Attributes:
        rounds: how many there are, with the examples of the warm start.
        n_features: the width of a context.
        nonzeros: how many features of a context are not 0, on average.
        n_actions: K.

    """

    rounds: int
    n_features: int
    nonzeros: float
    n_actions: int

    def quantities(self) -> dict[str, float]:
        """What the time of a run may depend on. `terms` are those of least squares (src/core/terms.hpp)."""
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
        name: by which commands, studies and results know it.
        title: how people call it, in figures and tables.
        kind: the class, or a function that makes an object of it.
        fixed: the settings that belong to the name, and that nobody else sets.
        learns_from: some of `SOURCES`.
        costs: the quantities of a workload that its time depends on, by their names in `Workload.quantities`.
        look: how its line is drawn; None: as those of strangers are.
        lane: of ARRoW-CB's eight λ the only one, counted from 0; None: all that its settings say.
        described: whether it plays actions that are described by features, and not numbers from 0 to K−1.

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
        """What its class can be told."""
        return tuple(inspect.signature(self.kind).parameters)

    @property
    def has_rate(self) -> bool:
        """Whether its class takes a learning rate."""
        return "learning_rate" in self.parameters

    @property
    def explores(self) -> bool:
        """Whether its runs differ between ε."""
        return "epsilon" in self.parameters and self.fixed.get("epsilon") != 0.0

    def sees_noise(self, truth: str) -> bool:
        """Whether its runs differ between noises: the side that is not the truth has them.

        Args:
            truth: which source can be believed, "bandit" or "supervised", as in `simulate`.

        """
        return ("labels" if truth == "bandit" else "rounds") in self.learns_from

    def make(self, n_actions: int, **settings: Any) -> PlaysRounds:
        """A new bandit.

        Args:
            n_actions: K; one for described actions is not told it.
            **settings: parameters of the class, by name. Those that the class does not have are left out, and what is
                fixed goes first.

        """
        settings |= self.fixed
        if self.lane is not None:
            settings["lambdas"] = (eight_lambdas(n_actions, settings.get("epsilon", 0.0125))[self.lane],)
        taken = {name: value for name, value in settings.items() if name in self.parameters}
        return self.kind(**taken) if self.described else self.kind(n_actions=n_actions, **taken)

    def work(self, load: Workload) -> tuple[float, ...]:
        """The quantities that one run costs; 0 for those that its time does not depend on.

        Args:
            load: the size of the run.

        Returns:
            a number for each of `load.quantities()`, in their order.

        """
        return tuple(value if name in self.costs else 0.0 for name, value in load.quantities().items())


def _warm(name: str, change: str, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """WarmBandit with something changed."""
    costs = _ONLINE if fixed.get("learner") == "online" else _RECURSIVE
    return Algorithm(name, f"WarmBandit, {change}", WarmBandit, fixed, learns_from, costs)


def _least_squares(name: str, title: str, look: Look, **fixed: Any) -> Algorithm:
    """Algorithm 2, or a single λ of its learner."""
    return Algorithm(name, title, SupervisedTruth, fixed, costs=_LEAST_SQUARES, look=look)


def _shared(name: str, title: str, look: Look, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """SharedBandit, or with one source only."""
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

STUDIED = tuple(entry.name for entry in _STUDIED)
"""What a study can play."""

CLASSES = (
    "warm", "shared", "arrow", "bandit-only", "sup-only", "sim-bandit", "majority", "supervised-truth", "exact-arrow",
    "exact-supervised-truth", "warm-ucb", "ucb1",
)  # fmt: skip
"""Each class by one name, without fixed settings: what `warmcb simulate` plays."""

PAPER = ("arrow-8", "arrow-2", "bandit-only", "sup-only", "sim-bandit", "majority")
"""The six of the paper's study; the worst of them is the normalized error's 1."""

SUPERVISED_TRUTH = (
    "supervised-truth", "sup-only", "bandit-only", "half", "least-squares-0", "least-squares-1", "least-squares-half",
    "majority",
)  # fmt: skip
"""Those of the study where the supervised costs are the truth: Algorithm 2, and each single weight in its place."""

ABLATION = tuple(name for name in STUDIED if name.startswith("warm-"))
"""WarmBandit with one part changed, and with one source only."""

SINGLE_LAMBDA = tuple(name for name in STUDIED if CATALOGUE[name].lane is not None)
"""ARRoW-CB with one of its eight λ only. The eighth, λ = 1, is Bandit-Only."""

DESCRIBED = tuple(name for name in STUDIED if CATALOGUE[name].described)
"""Those for described actions: SharedBandit, and with one source only."""

BEST_LAMBDA = "best-lambda"
"""ARRoW-CB with a single λ, which is chosen together with the rate: in scores, the singles are one algorithm."""

GROUPS = {"paper": PAPER, "ablation": ("warm", *ABLATION), "single-lambda": SINGLE_LAMBDA, "described": DESCRIBED}
"""Several algorithms by one name."""


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
    entry = Algorithm(name, title, kind, learns_from=tuple(learns_from), costs=_ANYTHING, described=described)
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
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
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


def without_parts(names: Sequence[str]) -> list[str]:
    """Those to be drawn: variants of one algorithm are compared elsewhere, unless they are all there is.

    Args:
        names: of algorithms.

    Returns:
        some of them, in the same order.

    """
    return [name for name in names if name not in (*ABLATION, BEST_LAMBDA)] or list(names)
