"""The entries of the catalogue, and groups of them for commands and studies."""

import math
from typing import Any

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
from warmcb.catalogue.entry import SOURCES, Algorithm
from warmcb.catalogue.look import Look
from warmcb.catalogue.workload import ANYTHING, CONSTANT, LEAST_SQUARES, ONLINE, RECURSIVE
from warmcb.learners.linear import RecursiveLeastSquares


def _warm(name: str, change: str, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """WarmBandit with one change."""
    costs = ONLINE if fixed.get("learner") == "online" else RECURSIVE
    return Algorithm(name, f"WarmBandit, {change}", WarmBandit, fixed, learns_from, costs)


def _least_squares(name: str, title: str, look: Look, **fixed: Any) -> Algorithm:
    """Algorithm 2, or a single λ of its learner."""
    return Algorithm(name, title, SupervisedTruth, fixed, costs=LEAST_SQUARES, look=look)


def _shared(name: str, title: str, look: Look, learns_from: tuple[str, ...] = SOURCES, **fixed: Any) -> Algorithm:
    """SharedBandit, with both sources or with one only."""
    return Algorithm(name, title, SharedBandit, fixed, learns_from, RECURSIVE, look, described=True)


_ARROW = Look("#D55E00", (), 2.2)

_STUDIED = (
    Algorithm("arrow-8", "ARRoW-CB 8", ArrowCB, {"lambdas": 8}, look=_ARROW),
    Algorithm("arrow-2", "ARRoW-CB 2", ArrowCB, {"lambdas": 2}, look=Look("#E69F00", (8, 2), 1.8)),
    Algorithm("bandit-only", "Bandit-Only", BanditOnly, learns_from=("rounds",), look=Look("#0072B2", (3.7, 1.6))),
    Algorithm("sup-only", "Sup-Only", SupOnly, learns_from=("labels",), look=Look("#009E73", (6.4, 1.6, 1, 1.6))),
    Algorithm("sim-bandit", "Sim-Bandit", SimBandit, look=Look("#CC79A7", (3, 1, 1, 1, 1, 1))),
    Algorithm("majority", "Majority", Majority, learns_from=(), costs=CONSTANT, look=Look("#999999", (1, 1.65))),
    Algorithm("warm", "WarmBandit", WarmBandit, costs=RECURSIVE, look=Look("#000000", (), 1.6)),
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
    Algorithm("exact-arrow", "ARRoW-CB over a finite class", ExactArrow, costs=ANYTHING),
    Algorithm("exact-supervised-truth", "Algorithm 2 over a finite class", ExactSupervisedTruth, costs=ANYTHING),
    Algorithm("warm-ucb", "UCB1, warm-started", WarmUCB, costs=CONSTANT, look=Look("#56B4E9", (3.7, 2.6))),
    Algorithm("ucb1", "UCB1", UCB1, learns_from=("rounds",), costs=CONSTANT, look=Look("#000000", (1, 2.6))),
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
