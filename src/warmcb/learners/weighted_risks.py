"""The risks of a finite class of policies on both sources, and the best policy for each λ.

The costs of each policy are summed, so the best policy for any λ is found by comparison, without training.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs
from warmcb._costs import CostTable

Doubles = NDArray[np.float64]


class WeightedRisks:
    """The summed costs of each policy on both sources.

    Adding an example, and finding the best policy for a λ, take time in proportion to the number of policies.

    Args:
        n_policies: the number of policies.

    Attributes:
        supervised: the summed cost of each policy on the labelled examples.
        bandit: the summed estimated cost of each policy in the rounds.
        examples: the number of labelled examples.
        rounds: the number of rounds.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.weighted_risks import WeightedRisks
        >>> risks = WeightedRisks(2)
        >>> risks.add_labelled(np.array([[0, 1], [0, 1]]), np.array([0, 0], dtype=np.int32))  # policy 1 errs twice
        >>> risks.add_round(np.array([0, 1]), action=0, estimate=3.0)  # and policy 0 pays 3 in a round
        >>> risks.best(np.array([0.0, 0.5, 1.0]))
        array([0, 1, 1])

    """

    def __init__(self, n_policies: int) -> None:
        self.supervised = np.zeros(n_policies)
        self.bandit = np.zeros(n_policies)
        self.examples = 0
        self.rounds = 0

    def add_labelled(self, actions: NDArray[Any], table: CostTable) -> None:
        """Add labelled examples.

        Args:
            actions: the action of each policy in each example, as `Policies.actions` gives them.
            table: the right action of each example, or its costs of all actions.

        """
        for chosen, row in zip(actions, table, strict=True):
            self.supervised += _costs.paid(np.broadcast_to(row, (len(chosen), *row.shape)), chosen)
        self.examples += len(actions)

    def add_round(self, actions: NDArray[Any], action: int, estimate: float) -> None:
        """Add a round, with the inverse-propensity estimate of the costs. All actions but one have the estimate 0.

        Args:
            actions: the action of each policy.
            action: the action that was played.
            estimate: its cost, divided by its probability.

        """
        self.bandit[actions == action] += estimate
        self.rounds += 1

    def best(self, lambdas: Doubles, *, averaged: bool = False) -> NDArray[np.int64]:
        """Find the policy with the lowest λ·bandit + (1−λ)·supervised, for each λ.

        Args:
            lambdas: the values of λ.
            averaged: whether to weigh the averages of the costs instead of the sums.

        Returns:
            the number of a policy for each λ.

        """
        supervised, bandit = self.supervised, self.bandit
        if averaged:
            supervised, bandit = supervised / max(self.examples, 1), bandit / max(self.rounds, 1)
        return np.array([np.argmin(lam * bandit + (1 - lam) * supervised) for lam in lambdas])
