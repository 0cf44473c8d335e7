"""ARRoW-CB, Algorithm 1 of Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting Contextual Bandits, ICML 2019.

As in its experiments (section 5, appendix A), the policy π^λ is the greedy one of a linear regressor taught online, and
line 3 plays the newest policy instead of the average of all. The order of a round stands in `_lanes.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import EpsilonGreedy, OnlineLinear, ProgressiveValidation, Rows
from warmcb._costs import CostTable
from warmcb.bandits._lanes import LaneBandit
from warmcb.errors import OrderError


class ArrowCB(LaneBandit):
    """Contextual bandit that weighs bandit against supervised examples by a λ it selects online.

    Args:
        n_actions: K, at least 2.
        epsilon: share of uniform exploration.
        lambdas: Λ. 8: the paper's {0, ζ/8, ζ/4, ζ/2, ζ, ½+ζ/2, ¾+ζ/4, 1}, ζ = ε/(K+ε); 2: {0, 1}; or any in [0, 1].
        learning_rate: of the online learner; try 0.1 to 3 by `simulate` on data of your own.
        horizon: the number of rounds to come, if known. An example of the warm start weighs (1−λ)·c, one of the
            interaction λ·c/p, and c makes the average weight 1, as in Vowpal Wabbit; that takes n_s and n_b. Without
            a horizon c = 1/(1−λ+Kλ), which needs neither: λ = 0 and λ = 1 are then the plain learners of one source.
        seed: of the exploration.

    `learn` scores λ with the predictions of the moment it is called, not of the moment of the decision: a bandit whose
    costs arrive late is scored by newer, usually better policies than the ones that were played. Without any example
    of a warm start the largest λ is in charge: a plain bandit.

    >>> bandit = ArrowCB(n_actions=2, epsilon=0.1, seed=1).warm_start([[1.0], [-1.0]], [0, 1])
    >>> decision = bandit.decide([1.0])
    >>> bandit.learn([1.0], decision.action, cost=0.0, probability=decision.probability)
    >>> bandit.lambda_
    0.0

    """

    _learner: OnlineLinear
    _explorer: EpsilonGreedy

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.learning_rate = _inputs.learning_rate(learning_rate)
        self.horizon = _inputs.horizon(horizon)
        self.lambdas_ = _inputs.lambdas(lambdas, eight_lambdas(self.n_actions, self.epsilon))
        self.lambdas = lambdas if isinstance(lambdas, int) else tuple(self.lambdas_.tolist())
        self._explorer = EpsilonGreedy(self.epsilon)

    def _make_learner(self, n_features: int) -> OnlineLinear:
        return OnlineLinear(n_features, self.n_actions, len(self.lambdas_), self.learning_rate)

    def _make_selector(self) -> ProgressiveValidation:
        return ProgressiveValidation(len(self.lambdas_))

    def _weigh(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.horizon is None:
            total, length = (1 - self.lambdas_) + self.n_actions * self.lambdas_, 1
        else:
            total = (1 - self.lambdas_) * self._warm_examples + self.n_actions * self.lambdas_ * self.horizon
            length = self._warm_examples + self.horizon
        total = np.maximum(total, 1e-300)
        return np.minimum((1 - self.lambdas_) / total, 1e20) * length, self.lambdas_ / total * length

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        if self.horizon is not None and (self._warm_examples or self._selector.rounds):
            seen = f"{self._warm_examples} examples and {self._selector.rounds} rounds"
            raise OrderError(
                f"warm_start came after {seen}; with a horizon it is expected once, before the first round"
            )
        super()._warm_start(rows, table)


def eight_lambdas(n_actions: int, epsilon: float) -> list[float]:
    zeta = epsilon / (n_actions + epsilon)
    return [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
