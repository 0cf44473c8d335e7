"""The default: what the paper's algorithm became when nothing was left to tune; docs/beyond.md says why."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import Contest, RecursiveLeastSquares
from warmcb.bandits._lanes import LaneBandit
from warmcb.explorers import EpsilonGreedy, Explorer, InverseGap
from warmcb.learners import Learner, OnlineLinear
from warmcb.selectors import RULES, ProgressiveValidation, Selector

_LAMBDAS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0)
_LEARNERS = ("auto", "online")
_SELECTORS = (*RULES, "cost/p")
_EXPLORERS: dict[str, type[Explorer]] = {"inverse-gap": InverseGap, "epsilon-greedy": EpsilonGreedy}

_EXACT_TERMS = 256  # more would take more than a tenth of a millisecond a round; squares stop here
_BLOCK = 8  # of terms beyond that; larger ones are a little better, and far slower
_MOST_FEATURES = 4096  # of least squares; on wide and sparse data the online learner is as good, and smaller
_MOST_COVARIANCES = 2**29  # K·terms²·|Λ|: half of them are kept, a gigabyte


class WarmBandit(LaneBandit):
    """Contextual bandit that starts from labels of unknown worth and has nothing to tune.

    A least-squares regressor for each λ, exact after each example; λ selected by forecasts; exploration that fades
    where the costs are clear. An example of the warm start weighs 1−λ, a round λ.

    Args:
        n_actions: K, at least 2.
        epsilon: the largest share of exploration; it falls with the rounds, and where actions are clearly worse.
        lambdas: Λ. 8: {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}; 2: {0, 1}; or any in [0, 1].
        learner: "auto": least squares, exact up to 256 terms, in blocks up to 4,096 features, and beyond that, or with
            too many actions, "online": the paper's learner, at learning rate ½. `learner_` tells which it is.
        squares: whether least squares see the squares of features that have more than two values.
        selector: how λ is scored: a rule of `warmcb.selectors`, or "cost/p" as in the paper.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper.
        seed: of the exploration.

    >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
    >>> decision = bandit.decide([1.0])
    >>> decision.action
    0
    >>> bandit.learn([1.0], decision.action, cost=0.0, probability=decision.probability)
    >>> bandit.learner_
    'least squares, 2 terms'

    """

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float = 0.05,
        lambdas: int | Sequence[float] = 8,
        learner: str = "auto",
        squares: bool = True,
        selector: str = "forecast",
        explorer: str = "inverse-gap",
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.lambdas_ = _inputs.lambdas(lambdas, list(_LAMBDAS))
        self.lambdas = lambdas if isinstance(lambdas, int) else tuple(self.lambdas_.tolist())
        self.learner = _inputs.choice("learner", learner, _LEARNERS)
        self.squares = _inputs.flag("squares", squares)
        self.selector = _inputs.choice("selector", selector, _SELECTORS)
        self.explorer = _inputs.choice("explorer", explorer, tuple(_EXPLORERS))
        self._explorer = _EXPLORERS[self.explorer](self.epsilon)

    @property
    def learner_(self) -> str:
        """What learns: it depends on the size of the data."""
        if self.n_features_ is None:
            return "nothing yet"
        learner = self._learner
        if isinstance(learner, OnlineLinear):
            return "online"
        terms = f"least squares, {len(learner.weights)} terms"
        return terms if learner.block == 0 else f"{terms} in blocks of {learner.block}"

    @property
    def intervals_(self) -> NDArray[np.float64]:
        """For each λ how much more its policies have cost a round than those of the largest λ: from … to, |Λ| × 2.

        All of them hold at all times together with 95 %, if every round is learned before the next is decided. They
        are about the policies of all rounds so far, the earlier ones weighing more. With the paper's selector nothing
        is known: from −1 to 1.
        """
        if self.n_features_ is None or not isinstance(self._selector, Contest):
            return np.tile([-1.0, 1.0], (len(self.lambdas_), 1))
        return self._selector.intervals

    @property
    def dropped_(self) -> NDArray[np.bool_]:
        """Which λ are out for good: those whose interval has once been above 0."""
        if self.n_features_ is None or not isinstance(self._selector, Contest):
            return np.zeros(len(self.lambdas_), dtype=np.bool_)
        return self._selector.dropped.astype(np.bool_)

    def _make_learner(self, n_features: int) -> Learner:
        shape = (n_features, self.n_actions, len(self.lambdas_))
        most = _MOST_COVARIANCES // (self.n_actions * len(self.lambdas_))
        exact = min(_EXACT_TERMS, math.isqrt(most))
        fits = n_features < exact or n_features * _BLOCK <= most
        if self.learner == "online" or n_features > _MOST_FEATURES or not fits:
            return OnlineLinear(*shape, 0.5)
        return RecursiveLeastSquares(*shape, widest=exact, block=_BLOCK, squares=self.squares)

    def _make_selector(self) -> Selector:
        lanes = len(self.lambdas_)
        return ProgressiveValidation(lanes) if self.selector == "cost/p" else Contest(lanes, self.selector)

    def _weigh(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # An online step is as large as its weight, and rounds come with 1/p there: the average weight shall be 1.
        total = 1 - self.lambdas_ + self.n_actions * self.lambdas_ if isinstance(self._learner, OnlineLinear) else 1
        return (1 - self.lambdas_) / total, self.lambdas_ / total
