"""The default: what the paper's algorithm became when nothing was left to tune; docs/beyond.md says why."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits.arrow import LaneBandit
from warmcb.contracts import StartsExplorer, StartsLearner, StartsSelector
from warmcb.errors import InputError
from warmcb.explorers import EXPLORERS
from warmcb.learners.linear import LEARNERS, BySize
from warmcb.selectors import SELECTORS

_LAMBDAS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1.0)


class WarmBandit(LaneBandit):
    """Contextual bandit that starts from labels of unknown worth and has nothing to tune.

    A least-squares regressor for each λ, exact after each example; λ selected by forecasts; exploration that fades
    where the costs are clear. An example of the warm start weighs 1−λ, a round λ.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: the largest share of exploration; it falls with the rounds, and where actions are clearly worse.
        lambdas: Λ. 8: {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}; 2: {0, 1}; or any in [0, 1].
        learner: "auto": least squares, exact up to 256 terms, in blocks up to 4,096 features, and beyond that, or with
            too many actions, "online": the paper's learner, at learning rate ½. Or one of `warmcb.learners`, or your
            own. `learner_` tells which it is.
        squares: whether the learner "auto" sees the squares of features that have more than two values.
        selector: how λ is scored: a rule of `warmcb.selectors`, or "cost/p" as in the paper. Or a selector.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper. Or an explorer.
        seed: of the exploration.

    >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
    >>> decision = bandit.decide([1.0])
    >>> decision.action
    0
    >>> bandit.learn([1.0], decision, cost=0.0)
    >>> bandit.learner_
    'least squares, 2 terms'
    >>> from warmcb.explorers import InverseGap
    >>> bandit = WarmBandit(actions=["sports", "politics"], explorer=InverseGap(sharpness=3.0))

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.05,
        lambdas: int | Sequence[float] = 8,
        learner: str | StartsLearner = "auto",
        squares: bool = True,
        selector: str | StartsSelector = "forecast",
        explorer: str | StartsExplorer = "inverse-gap",
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.lambdas_ = _inputs.lambdas(lambdas, list(_LAMBDAS))
        self.lambdas = _inputs.plain_lambdas(lambdas)
        self.learner = _inputs.part("learner", learner, LEARNERS)
        self.squares = _inputs.flag("squares", squares)
        self.selector = _inputs.part("selector", selector, SELECTORS)
        self.explorer = _inputs.part("explorer", explorer, EXPLORERS)
        if not self.squares and self.learner != "auto":
            raise InputError(f"squares is False beside learner={self.learner!r}; expected it with the learner auto")

    @property
    def learner_(self) -> str:
        """What learns: it depends on the size of the data."""
        with self._lock:
            return "nothing yet" if self.n_features_ is None else str(self._learner.description)

    @property
    def intervals_(self) -> NDArray[np.float64]:
        """For each λ how much more its policies have cost a round than those of the largest λ: from … to, |Λ| × 2.

        All of them hold at all times together with 95 %, if every round is learned before the next is decided. They
        are about the policies of all rounds so far, the earlier ones weighing more. With the paper's selector nothing
        is known: from −1 to 1.
        """
        with self._lock:
            return (
                np.tile([-1.0, 1.0], (len(self.lambdas_), 1)) if self.n_features_ is None else self._selector.intervals
            )

    @property
    def dropped_(self) -> NDArray[np.bool_]:
        """Which λ are out for good: those whose interval has once been above 0."""
        with self._lock:
            dropped = np.zeros(len(self.lambdas_)) if self.n_features_ is None else self._selector.dropped
            return dropped.astype(np.bool_)

    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        learner = BySize(squares=False) if not self.squares else _named(self.learner, LEARNERS)
        selector, explorer = _named(self.selector, SELECTORS), _named(self.explorer, EXPLORERS)
        return learner.start(n_features, self.n_actions, n_lanes), selector.start(n_lanes), explorer.start()

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # An online step is as large as its weight, and rounds come with 1/p there: the average weight shall be 1.
        total = 1 - lambdas + self.n_actions * lambdas if self._learner.weighs_by_propensity else 1
        return (1 - lambdas) / total, lambdas / total


def _named(part: Any, known: dict[str, Any]) -> Any:
    return known[part] if isinstance(part, str) else part
