"""The size of a run, and which of its quantities the time of an algorithm depends on."""

import math
from typing import NamedTuple


class Workload(NamedTuple):
    """The size of a run, from which its time is estimated.

    Attributes:
        rounds: the number of rounds and labelled examples together.
        n_features: the number of features of a context.
        nonzeros: the average number of features of a context that are not 0.
        n_actions: the number of actions, K.

    Examples:
        >>> from warmcb.catalogue import Workload
        >>> Workload(rounds=1000, n_features=20, nonzeros=5.0, n_actions=3).quantities()["scores"]
        15000.0

    """

    rounds: int
    n_features: int
    nonzeros: float
    n_actions: int

    def quantities(self) -> dict[str, float]:
        """Compute the quantities that the time of a run may depend on.

        Returns:
            the quantities by name. `terms` are those of recursive least squares (src/core/least_squares/terms.hpp).

        """
        whole = self.n_features < 256
        bends = min(192, 500 / math.sqrt(max(self.n_actions, 1)))
        terms = min(2 * self.n_features + 1, 256) + self.n_actions + bends if whole else self.n_features + 1
        return {
            "rounds": self.rounds,
            "features": self.rounds * self.nonzeros,
            "scores": self.rounds * self.nonzeros * self.n_actions,
            "terms": self.rounds * terms * self.n_actions,
            "covariances": self.rounds * terms * (terms if whole else 16),
            "products": self.rounds * self.nonzeros**2,
            "solutions": self.n_actions * self.n_features**3,
        }


# The quantities that the time of each kind of algorithm depends on.
CONSTANT = ("rounds",)
ONLINE = ("rounds", "features", "scores")
RECURSIVE = (*ONLINE, "terms", "covariances")
LEAST_SQUARES = (*ONLINE, "products", "solutions")
ANYTHING = tuple(Workload(0, 0, 0.0, 0).quantities())
