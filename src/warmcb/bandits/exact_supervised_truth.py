"""Algorithm 2 exactly as printed, over a finite class of policies: the one of theorem 2.

The line numbers below are the paper's. What an epoch is stands in `_epochs.py`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits import _finite
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits._epochs import EpochBandit
from warmcb.bandits.decisions import CheckedEvent
from warmcb.learners.finite_class import Policies, WeightedRisks


class ExactSupervisedTruth(_finite.HasPolicies, EpochBandit):
    """`SupervisedTruth` over a finite class of policies.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        policies: Π; or a number, for the constant actions and as many random linear policies.
        epsilon: share of uniform exploration.
        lambdas: Λ, as in `SupervisedTruth`.
        horizon: n_b, as in `SupervisedTruth`.
        seed: of the exploration, and of policies that are drawn.

    >>> bandit = ExactSupervisedTruth(n_actions=2, policies=10, horizon=4).warm_start([[1.0], [-1.0]] * 6, [0, 1] * 6)
    >>> bandit.predict([[1.0], [-1.0]])
    array([0, 1], dtype=int32)

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        policies: int | Policies = 256,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        EpochBandit.__init__(self, n_actions, actions, epsilon, lambdas, horizon, seed)
        self.policies = _finite.checked(policies, self.n_actions)

    def _build(self, n_features: int) -> None:
        self._policies = _finite.resolved(self.policies, self.n_actions, n_features, self.seed)
        self._risks = WeightedRisks(len(self._policies))
        self._best = np.zeros(len(self.lambdas_), dtype=np.int64)
        self._begin(n_features)

    def _train(self, rows: Rows, table: CostTable) -> None:
        self._risks.supervised[...] = 0
        self._risks.examples = 0
        self._risks.add_labelled(_finite.actions_of(self._policies, rows), table)

    def _add(self, row: Rows, event: CheckedEvent) -> None:
        estimate = _finite.estimate(event.cost, event.probability)  # line 9
        self._risks.add_round(_finite.actions_of(self._policies, row)[0], event.action, estimate)

    def _fit(self, learned: int) -> None:
        self._best = self._risks.best(self.lambdas_, averaged=True)  # line 11

    def _greedy(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        return _finite.actions_of(self._policies, rows)[:, self._best]

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        probabilities = np.full(self.n_actions, self._share() / self.n_actions)
        probabilities[self._greedy(row, None)[0, self._lane]] += 1 - self._share()
        return probabilities  # line 7

    def _state(self) -> State:
        return self._epoch_state() | {
            "bandit": self._risks.bandit,
            "rounds": np.array(self._risks.rounds),
            "best": self._best,
        }

    def _restore(self, state: State) -> None:
        copy_into(self._risks.bandit, state["bandit"])
        copy_into(self._best, state["best"])
        self._risks.rounds = int(state["rounds"])
        self._restore_epoch(state)
