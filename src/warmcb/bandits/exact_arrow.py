"""Algorithm 1 exactly as printed: over a finite class, with the average of all policies that a λ has had.

The line numbers below are the paper's. `ArrowCB` is the algorithm of its experiments; this is the one of theorem 1.
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
from warmcb.learners.finite_class import Policies, WeightedRisks


class ExactArrow(_finite.HasPolicies):
    """ARRoW-CB over a finite class of policies.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        policies: Π; or a number, for the constant actions and as many random linear policies.
        epsilon: share of uniform exploration.
        lambdas: Λ, as in `ArrowCB`.
        seed: of the exploration, and of policies that are drawn.

    How often each policy was the best for each λ is all that the average policy needs to know, so that the state does
    not grow with the rounds.

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
        """λ_t, of the round to come."""
        return float(self.lambdas_[self._lane])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """For each λ the estimated average cost of its policies (line 7)."""
        if self.n_features_ is None:
            return np.zeros(len(self.lambdas_))
        return self._validated / max(self._risks.rounds, 1)

    @property
    def rounds_(self) -> int:
        """The number of rounds behind `scores_`."""
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
