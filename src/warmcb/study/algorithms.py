"""The algorithms of a study by name: a class, and what is fixed about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warmcb.bandits import Bandit
from warmcb.bandits.arrow import eight_lambdas
from warmcb.bandits.by_name import ALGORITHMS as CLASSES
from warmcb.bandits.by_name import make_bandit
from warmcb.errors import InputError


@dataclass(frozen=True)
class Algorithm:
    """A class of bandits by its name, a title for figures, and the settings that are not the study's to make."""

    kind: str
    title: str
    fixed: Mapping[str, Any] = field(default_factory=dict)
    learns_from: tuple[str, ...] = ("labels", "rounds")
    lane: int | None = None
    """Of ARRoW-CB's eight λ the only one, counted from 0."""

    @property
    def has_rate(self) -> bool:
        return "learning_rate" in CLASSES[self.kind]._parameters

    @property
    def explores(self) -> bool:
        """Whether its runs differ between ε."""
        return "epsilon" in CLASSES[self.kind]._parameters and self.fixed.get("epsilon") != 0.0

    def sees_noise(self, truth: str) -> bool:
        """Whether its runs differ between noises: the side that is not the truth has them."""
        return ("labels" if truth == "bandit" else "rounds") in self.learns_from

    def make(self, n_actions: int, *, epsilon: float = 0.0125, **settings: Any) -> Bandit:
        settings |= {"epsilon": epsilon} | dict(self.fixed)
        if self.lane is not None:
            settings["lambdas"] = (eight_lambdas(n_actions, epsilon)[self.lane],)
        return make_bandit(self.kind, n_actions, **settings)


PAPER = ("arrow-8", "arrow-2", "bandit-only", "sup-only", "sim-bandit", "majority")
"""The six of the paper's study; the worst of them is the normalized error's 1."""

SUPERVISED_TRUTH = (
    "supervised-truth", "sup-only", "bandit-only", "half", "least-squares-0", "least-squares-1", "least-squares-half",
    "majority",
)  # fmt: skip
"""Those of the study where the supervised costs are the truth: Algorithm 2, and each single weight in its place."""

ALGORITHMS: dict[str, Algorithm] = {
    "arrow-8": Algorithm("arrow", "ARRoW-CB 8", {"lambdas": 8}),
    "arrow-2": Algorithm("arrow", "ARRoW-CB 2", {"lambdas": 2}),
    "bandit-only": Algorithm("bandit-only", "Bandit-Only", learns_from=("rounds",)),
    "sup-only": Algorithm("sup-only", "Sup-Only", learns_from=("labels",)),
    "sim-bandit": Algorithm("sim-bandit", "Sim-Bandit"),
    "majority": Algorithm("majority", "Majority", learns_from=()),
    "warm": Algorithm("warm", "WarmBandit"),
    "warm-online": Algorithm("warm", "WarmBandit, online learner", {"learner": "online"}),
    "warm-no-squares": Algorithm("warm", "WarmBandit, no squares", {"squares": False}),
    "warm-cost/p": Algorithm("warm", "WarmBandit, cost/p", {"selector": "cost/p"}),
    "warm-baseline": Algorithm("warm", "WarmBandit, (cost − ½)/p", {"selector": "baseline"}),
    "warm-running-baseline": Algorithm("warm", "WarmBandit, running baseline", {"selector": "running-baseline"}),
    "warm-self-normalised": Algorithm("warm", "WarmBandit, self-normalised", {"selector": "self-normalised"}),
    "warm-doubly-robust": Algorithm("warm", "WarmBandit, doubly robust", {"selector": "doubly-robust"}),
    "warm-doubly-robust-in-charge": Algorithm(
        "warm", "WarmBandit, doubly robust in charge", {"selector": "doubly-robust-in-charge"}
    ),
    "warm-epsilon-greedy": Algorithm("warm", "WarmBandit, ε-greedy", {"explorer": "epsilon-greedy"}),
    "warm-2": Algorithm("warm", "WarmBandit, Λ = {0, 1}", {"lambdas": 2}),
    "warm-bandit-only": Algorithm("warm", "WarmBandit, Λ = {1}", {"lambdas": (1.0,)}, learns_from=("rounds",)),
    "warm-sup-only": Algorithm(
        "warm", "WarmBandit, Λ = {0}", {"lambdas": (0.0,), "epsilon": 0.0}, learns_from=("labels",)
    ),
    "lambda-0": Algorithm("arrow", "λ = 0 alone", learns_from=("labels",), lane=0),
    "lambda-zeta/8": Algorithm("arrow", "λ = ζ/8 alone", lane=1),
    "lambda-zeta/4": Algorithm("arrow", "λ = ζ/4 alone", lane=2),
    "lambda-zeta/2": Algorithm("arrow", "λ = ζ/2 alone", lane=3),
    "lambda-zeta": Algorithm("arrow", "λ = ζ alone", lane=4),
    "lambda-1/2": Algorithm("arrow", "λ = ½ + ζ/2 alone", lane=5),
    "lambda-3/4": Algorithm("arrow", "λ = ¾ + ζ/4 alone", lane=6),
    "half": Algorithm("arrow", "λ = ½", {"lambdas": (0.5,)}),
    "supervised-truth": Algorithm("supervised-truth", "Algorithm 2", {"lambdas": 8}),
    "least-squares-0": Algorithm("supervised-truth", "Least squares, λ = 0", {"lambdas": (0.0,), "epsilon": 0.0}),
    "least-squares-1": Algorithm("supervised-truth", "Least squares, λ = 1", {"lambdas": (1.0,)}),
    "least-squares-half": Algorithm("supervised-truth", "Least squares, λ = ½", {"lambdas": (0.5,)}),
}

ABLATION = tuple(name for name in ALGORITHMS if name.startswith("warm-"))
"""WarmBandit with one part changed, and with one source only."""

SINGLE_LAMBDA = tuple(name for name, known in ALGORITHMS.items() if known.lane is not None)
"""ARRoW-CB with one of its eight λ only. The eighth, λ = 1, is Bandit-Only."""

BEST_LAMBDA = "best-lambda"
"""ARRoW-CB with a single λ, which is chosen together with the rate: in scores, the singles are one algorithm."""

GROUPS = {"paper": PAPER, "ablation": ("warm", *ABLATION), "single-lambda": SINGLE_LAMBDA}
"""Several algorithms by one name."""


def title(name: str) -> str:
    """How people call an algorithm; one that this version does not know keeps its name."""
    if name == BEST_LAMBDA:
        return "the best single λ"
    return ALGORITHMS[name].title if name in ALGORITHMS else name


def without_parts(names: Sequence[str]) -> list[str]:
    """Those to be drawn: variants of one algorithm are compared elsewhere, unless they are all there is."""
    return [name for name in names if name not in (*ABLATION, BEST_LAMBDA)] or list(names)


def algorithm(name: str) -> Algorithm:
    if name not in ALGORITHMS:
        raise InputError(f"algorithm is {name!r}; expected one of {', '.join(ALGORITHMS)}")
    return ALGORITHMS[name]
