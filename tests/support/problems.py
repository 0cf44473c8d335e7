"""Small problems that every test can use, and a maker of every bandit there is."""

from collections.abc import Callable
from functools import partial
from inspect import isabstract
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import warmcb
from warmcb import Bandit
from warmcb._core import Rows
from warmcb.contracts import Outcome


class Problem(NamedTuple):
    """Contexts, the best action of each, and the costs of all; `answers` are what a bandit is told."""

    X: Any
    y: NDArray[np.int32]
    costs: NDArray[np.float64]
    labelled: bool

    @property
    def answers(self) -> dict[str, Any]:
        return {"y": self.y} if self.labelled else {"costs": self.costs}


def make_problem(n: int = 400, d: int = 6, k: int = 3, *, is_sparse: bool = False, labels: bool = True) -> Problem:
    random = np.random.default_rng(11)
    X = random.normal(size=(n, d)) * 10.0 ** random.uniform(-2, 2, size=d)
    if is_sparse:
        X[random.random(X.shape) < 0.6] = 0
    utility = (X / np.abs(X).max(axis=0)) @ random.normal(size=(d, k))
    y = utility.argmax(axis=1).astype(np.int32)
    costs = 1.0 - np.eye(k)[y]
    if not labels:
        costs = np.clip(0.7 * costs + 0.3 * random.random(costs.shape), 0, 1)
    return Problem(sparse.csr_array(X) if is_sparse else X, y, costs, labels)


def learn_one(
    learner: Any, rows: Rows, i: int, action: int, cost: float, weights: Any, scores: Any, probability: float = 1.0
) -> None:
    """What an action in row i cost."""
    greedy = np.zeros(scores.shape[1], dtype=np.int32)
    outcome = Outcome(scores, greedy, action, float(cost), probability, 1.0, 1.0)
    learner.update(rows, i, outcome, np.asarray(weights, dtype=np.float64))


def every_bandit() -> dict[str, Callable[[], Bandit]]:
    """A maker for each built-in class, so that a class written tomorrow is checked tomorrow, and for some variants."""
    known = [kind for kind in Bandit._classes.values() if issubclass(kind, Bandit)]
    built_in = [kind for kind in known if kind.__module__.startswith("warmcb.") and not isabstract(kind)]
    makers: dict[str, Callable[[], Bandit]] = {kind.__name__: partial(kind, n_actions=3, seed=5) for kind in built_in}
    return makers | {
        "ArrowCB 2 lanes": lambda: warmcb.ArrowCB(3, lambdas=2, epsilon=0.2, seed=5),
        "ArrowCB 13 lanes": lambda: warmcb.ArrowCB(3, lambdas=np.linspace(0, 1, 13).tolist(), epsilon=0.2, seed=5),
        "ArrowCB with a horizon": lambda: warmcb.ArrowCB(3, epsilon=0.1, horizon=300, seed=5),
        "BanditOnly, all exploration": lambda: warmcb.BanditOnly(3, epsilon=1.0, seed=5),
        "SupervisedTruth with a horizon": lambda: warmcb.SupervisedTruth(3, horizon=300, seed=5),
        "WarmBandit of the paper's parts": lambda: warmcb.WarmBandit(
            3, learner="online", selector="cost/p", explorer="epsilon-greedy", epsilon=0.2, seed=5
        ),
        "WarmBandit 2 lanes, doubly robust": lambda: warmcb.WarmBandit(3, lambdas=2, selector="doubly-robust", seed=5),
        "Majority, given": lambda: warmcb.Majority(3, action=2),
    }


BANDITS = every_bandit()
