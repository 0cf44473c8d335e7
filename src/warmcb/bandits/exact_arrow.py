"""Algorithm 1 exactly as printed: over a finite class of policies, playing the average of all policies of a λ.

Line numbers in comments are those of the paper. `ArrowCB` is the algorithm of its experiments; this is the algorithm of
theorem 1.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits import _finite
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits.arrow import eight_lambdas
from warmcb.bandits.decisions import CheckedEvent
from warmcb.learners.finite_class import Policies
from warmcb.learners.weighted_risks import WeightedRisks


class ExactArrow(_finite.HasPolicies):
    """ARRoW-CB over a finite class of policies, exactly as printed. Theorem 1 is about this algorithm.

    It plays the average of all policies that the λ in charge has had. For that it counts how often each policy was the
    best for each λ, so its state does not grow with the rounds.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        policies: the class Π of `warmcb.learners.finite_class`; or a number n, for the K constant policies and n
            random linear policies.
        epsilon: the share of uniform exploration, ε.
        lambdas: Λ, as in `ArrowCB`.
        seed: the seed of all random draws, including random policies.

    Attributes:
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        lambdas_: Λ in ascending order.
        lambda_: the λ in charge of the next round.
        scores_: the estimated average cost of the policies of each λ; the lowest is in charge.
        rounds_: the number of rounds that `scores_` are computed from.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, Algorithm 1. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import ExactArrow
        >>> bandit = ExactArrow(n_actions=2, policies=10, seed=1).warm_start([[1.0], [-1.0]], [0, 1])
        >>> bandit.decide([1.0]).probabilities  # line 3: the first round is uniform
        array([0.5, 0.5])

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        policies: int | Policies = 256,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self.policies = _finite.checked(policies, self.n_actions)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.lambdas_ = _inputs.lambdas(lambdas, {8: eight_lambdas(self.n_actions, self.epsilon)})
        self.lambdas = _inputs.plain_lambdas(lambdas)

    @property
    def lambda_(self) -> float:
        """The λ in charge of the next round, λ_t."""
        return float(self.lambdas_[self._lane])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The estimated average cost of the policies of each λ (line 7); the lowest is in charge."""
        if self.n_features_ is None:
            return np.zeros(len(self.lambdas_))
        return self._validated / max(self._risks.rounds, 1)

    @property
    def rounds_(self) -> int:
        """The number of rounds that `scores_` are computed from."""
        return self._risks.rounds if self.n_features_ is not None else 0

    @property
    def _lane(self) -> int:
        return int(np.argmin(self._validated)) if self.n_features_ is not None else 0

    def _build(self, n_features: int) -> None:
        self._policies = _finite.resolved(self.policies, self.n_actions, n_features, self.seed)
        self._risks = WeightedRisks(len(self._policies))
        self._counts = np.zeros((len(self.lambdas_), len(self._policies)))
        self._validated = np.zeros(len(self.lambdas_))

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._risks.add_labelled(_finite.actions_of(self._policies, rows), table)

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        uniform = np.full(self.n_actions, 1 / self.n_actions)
        if self._risks.rounds == 0:
            return uniform
        actions = _finite.actions_of(self._policies, row)[0]
        chosen = np.bincount(actions, weights=self._counts[self._lane], minlength=self.n_actions)
        return np.asarray((1 - self.epsilon) * chosen / self._risks.rounds + self.epsilon * uniform)  # line 3

    def _learn(self, row: Rows, event: CheckedEvent) -> None:
        estimate = _finite.estimate(event.cost, event.probability)  # line 5
        best = self._risks.best(self.lambdas_)  # line 6: π_t^λ, from the rounds before this one
        self._counts[np.arange(len(best)), best] += 1
        actions = _finite.actions_of(self._policies, row)[0]
        self._validated[actions[best] == event.action] += estimate  # line 7
        self._risks.add_round(actions, event.action, estimate)

    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        newest = self._risks.best(self.lambdas_[[self._lane]])
        return np.ascontiguousarray(_finite.actions_of(self._policies, rows)[:, newest[0]])

    def _state(self) -> State:
        return {
            "supervised": self._risks.supervised,
            "bandit": self._risks.bandit,
            "examples": np.array(self._risks.examples),
            "rounds": np.array(self._risks.rounds),
            "counts": self._counts,
            "validated": self._validated,
        }

    def _restore(self, state: State) -> None:
        copy_into(self._risks.supervised, state["supervised"])
        copy_into(self._risks.bandit, state["bandit"])
        copy_into(self._counts, state["counts"])
        copy_into(self._validated, state["validated"])
        self._risks.examples = int(state["examples"])
        self._risks.rounds = int(state["rounds"])
