"""Exact least squares for mixtures of two sources, from the normal equations of each source."""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


class NormalEquations(NamedTuple):
    """The normal equations of the examples of one source.

    An example has D inputs x, which are its features and a 1 for the intercept, and a weight h.

    Attributes:
        gram: Σ h·x·xᵀ for each action, of shape (K, D, D); or of shape (1, D, D) if all actions share it.
        moment: Σ h·cost·x for each action, of shape (K, D).
        examples: the number of examples.

    Examples:
        >>> import numpy as np
        >>> from scipy.sparse import csr_array
        >>> from warmcb.learners import NormalEquations
        >>> found = NormalEquations.of_full_costs(csr_array([[1.0], [3.0]]), np.array([[0.0, 1.0], [1.0, 0.0]]))
        >>> found.gram
        array([[[10.,  4.],
                [ 4.,  2.]]])
        >>> found.moment
        array([[3., 1.],
               [1., 1.]])

    """

    gram: Doubles
    moment: Doubles
    examples: int

    @classmethod
    def of_full_costs(cls, X: Any, costs: Doubles) -> Self:
        """Compute the normal equations of examples with the costs of all actions.

        Args:
            X: contexts, one per row, as a SciPy sparse matrix. The intercept is added.
            costs: the cost of each action in each row, of shape (n, K); NaN if it is unknown.

        Returns:
            the normal equations, with a weight of 1 for each example.

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
        """Compute the weighted mean square of each input.

        Returns:
            an array of shape (D,), averaged over the actions.

        """
        return np.asarray(np.einsum("kjj->j", self.gram) / (len(self.gram) * max(self.examples, 1)))


def solve_mixtures(
    lambdas: Doubles, supervised: NormalEquations, bandit: NormalEquations, ridge: float
) -> NDArray[np.float32]:
    """Minimise λ · mean bandit loss + (1−λ) · mean supervised loss + ridge, for each λ.

    The ridge is relative to the mean squares of the inputs, so their units do not matter.

    Args:
        lambdas: the values of λ.
        supervised: the normal equations of the warm start.
        bandit: the normal equations of the rounds.
        ridge: the strength of the ridge: the number of examples of each source that it counts for.

    Returns:
        the weights of the regressors, of shape (D, K, number of λ).

    Examples:
        >>> import numpy as np
        >>> from scipy.sparse import csr_array
        >>> from warmcb.learners import NormalEquations, solve_mixtures
        >>> X = csr_array([[1.0], [-1.0]] * 50)
        >>> labels = NormalEquations.of_full_costs(X, np.array([[0.0, 1.0], [1.0, 0.0]] * 50))
        >>> rounds = NormalEquations.of_full_costs(X, np.array([[1.0, 0.0], [0.0, 1.0]] * 50))
        >>> weights = solve_mixtures(np.array([0.0, 1.0]), labels, rounds, ridge=1.0)
        >>> weights[0].round(2)  # the feature has opposite weights for λ = 0 and λ = 1
        array([[-0.5,  0.5],
               [ 0.5, -0.5]], dtype=float32)

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
