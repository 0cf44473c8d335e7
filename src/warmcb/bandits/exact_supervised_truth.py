"""Algorithm 2 exactly as printed, over a finite class of policies: the algorithm of theorem 2.

Line numbers in comments are those of the paper. `_epochs.py` defines the epochs.
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
from warmcb.learners.finite_class import Policies
from warmcb.learners.weighted_risks import WeightedRisks


class ExactSupervisedTruth(_finite.HasPolicies, EpochBandit):
    """Algorithm 2 over a finite class of policies, exactly as printed. Theorem 2 is about this algorithm.

    `SupervisedTruth` explains how it works.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        policies: the class Π of `warmcb.learners.finite_class`; or a number n, for the K constant policies and n
            random linear policies.
        epsilon: the share of uniform exploration, ε.
        lambdas: Λ, as in `SupervisedTruth`.
        horizon: the number of rounds to come, n_b, as in `SupervisedTruth`.
        seed: the seed of all random draws, including random policies.

    Attributes:
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        epochs_: the number of epochs, E.
        lambdas_: Λ in ascending order.
        lambda_: the λ in charge, selected at the end of the last epoch.
        scores_: the mean cost of each λ on the last validation part; the lowest is in charge.
        rounds_: the number of labelled examples in that part.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, Algorithm 2. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import ExactSupervisedTruth
        >>> bandit = ExactSupervisedTruth(n_actions=2, policies=10, horizon=4)
        >>> bandit.warm_start([[1.0], [-1.0]] * 6, [0, 1] * 6).predict([[1.0], [-1.0]])
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
