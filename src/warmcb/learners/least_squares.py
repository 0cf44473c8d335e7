"""Exact least squares for every mixture of two sources, from the normal equations of each."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


class NormalEquations(NamedTuple):
    """The normal equations of one source of examples, with D inputs: the features and the intercept.

    Attributes:
        gram: Σ h·x·xᵀ of each action, (K, D, D), or one that all share, (1, D, D).
        moment: Σ h·cost·x of each action: (K, D).
        examples: how many examples there were.

    """

    gram: Doubles
    moment: Doubles
    examples: int

    @classmethod
    def of_full_costs(cls, X: Any, costs: Doubles) -> Self:
        """The normal equations of examples that show the cost of every action.

        Args:
            X: contexts, a SciPy matrix; the intercept is added.
            costs: the cost of each action in each row, NaN where nobody knows: (n, K).

        """
        from scipy import sparse  # only Algorithm 2 needs it, and it takes as long to import as all the rest

        with_intercept = sparse.hstack([X.astype(np.float64), np.ones((X.shape[0], 1))]).tocsr()
        known = ~np.isnan(costs)
        if known.all():
            gram = (with_intercept.T @ with_intercept).toarray()[np.newaxis]
        else:
            of_each = [with_intercept[known[:, action]] for action in range(costs.shape[1])]
            gram = np.array([(rows.T @ rows).toarray() for rows in of_each])
        return cls(gram, (with_intercept.T @ np.where(known, costs, 0.0)).T, X.shape[0])

    def mean_squares(self) -> Doubles:
        """The (weighted) mean square of each input."""
        return np.asarray(np.einsum("kjj->j", self.gram) / (len(self.gram) * max(self.examples, 1)))


def solve_mixtures(
    lambdas: Doubles, supervised: NormalEquations, bandit: NormalEquations, ridge: float
) -> NDArray[np.float32]:
    """Weights (D, K, |Λ|) that minimise λ · mean bandit loss + (1−λ) · mean supervised loss + ridge.

    The ridge is relative to the inputs' own mean squares, so that units do not matter.

    Args:
        lambdas: Λ.
        supervised: the normal equations of the warm start.
        bandit: those of the rounds.
        ridge: of how many examples of each source the ridge counts.

    """
    present = max(1, (supervised.examples > 0) + (bandit.examples > 0))
    mean_squares = (supervised.mean_squares() + bandit.mean_squares()) / present
    unit = 1 / np.sqrt(np.where(mean_squares > 0, mean_squares, 1.0))
    solutions = []
    for lam in lambdas:
        of_bandit = lam / max(bandit.examples, 1)
        of_supervised = (1 - lam) / max(supervised.examples, 1)
        penalty = ridge * (of_bandit + of_supervised) * np.eye(len(unit))
        gram = (of_bandit * bandit.gram + of_supervised * supervised.gram) * np.outer(unit, unit) + penalty
        moment = (of_bandit * bandit.moment + of_supervised * supervised.moment) * unit
        solutions.append(np.linalg.solve(gram, moment[..., np.newaxis])[..., 0] * unit)
    largest = np.finfo(np.float32).max
    with np.errstate(under="ignore"):
        return np.clip(np.transpose(solutions, (2, 1, 0)), -largest, largest).astype(np.float32, order="C")
