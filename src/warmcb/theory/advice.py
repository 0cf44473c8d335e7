"""The λ with the best guarantee, for labels of known similarity."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError
from warmcb.theory.algorithm_1 import G
from warmcb.theory.problem import Problem
from warmcb.theory.similarity import Frontier

Doubles = NDArray[np.float64]


class BestLambda(NamedTuple):
    """The λ with the lowest bound, and the similarity that the bound uses.

    Attributes:
        lam: the λ, in [0, 1].
        average: the average of G_t(λ, α, Δ) over the rounds. If it is above the regret of the worst policy, it ranks
            the λ but guarantees nothing.
        alpha: the α at which this bound is lowest.
        Delta: Δ(α) of the frontier.

    """

    lam: float
    average: float
    alpha: float
    Delta: float


def best_lambda(
    problem: Problem, frontier: Frontier, lambdas: int | Sequence[float] | Doubles | None = None
) -> BestLambda:
    """Find the λ for which theorem 1 guarantees ARRoW-CB the lowest cost.

    The theorem holds for every (α, Δ(α)) of the frontier, so the best of them counts. Only α up to 1 are tried, or up
    to the ratio of the largest regret on D₂ to the largest on D₁, if that is more. A larger α says only that no policy
    costs more than the worst one, which is known without data.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        frontier: the similarity of D₂, the labels of the warm start, to D₁, the costs of the interaction.
        lambdas: the λ to choose from, as `ArrowCB` takes them. By default 0, 1 and 240 values between them, evenly
            spaced in the logarithm of λ/(1−λ).

    Returns:
        the λ, with the average of its G_t and the (α, Δ) at which that average is lowest.

    Raises:
        InputError: `lambdas` is not a valid Λ, or n_s is 0 and Λ contains only 0.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import ConstantPolicies
        >>> from warmcb.theory import Problem, best_lambda, frontier
        >>> same = frontier(ConstantPolicies(2), np.zeros((4, 1)), [0, 0, 0, 1], [0, 0, 0, 1], bootstrap=0)
        >>> problem = Problem(K=2, n_s=10_000, n_b=10**6, epsilon=0.1, n_policies=2)
        >>> best = best_lambda(problem, same)
        >>> round(best.lam, 2), best.alpha, best.Delta  # ε/(K+ε) = 0.05
        (0.05, 1.0, 0.0)

    """
    if lambdas is None:
        odds = np.geomspace(1e-6, 1e6, 240)
        lams = np.concatenate([[0.0], odds / (1 + odds), [1.0]])
    else:
        lams = _inputs.lambdas(lambdas, {8: eight_lambdas(problem.K, problem.epsilon)})
    if problem.n_s == 0:
        lams = lams[lams > 0]
        if not lams.size:
            raise InputError("lambdas is [0]; expected another λ, as n_s is 0: λ = 0 learns from nothing")
    largest_1, largest_2 = frontier.regrets.max(axis=1)
    top = max(1.0, largest_2 / largest_1) if largest_1 > 0 else 1.0
    alphas = np.union1d(np.linspace(0, top, 101)[1:], [1.0, *frontier.breakpoints])
    alphas = alphas[alphas <= top]
    alphas = alphas[np.argsort(np.abs(alphas - 1), kind="stable")]  # of equally good α, the one next to 1 counts
    Deltas = frontier.Delta(alphas)
    ends = np.unique(np.geomspace(1, problem.n_b + 1, 400).round())  # of blocks; t is the middle of each
    t, share = (ends[:-1] + ends[1:] - 1) / 2, np.diff(ends) / problem.n_b
    averages = np.array(
        [G(t, lams[:, None], problem, alpha, Delta) @ share for alpha, Delta in zip(alphas, Deltas, strict=True)]
    )
    i, j = np.unravel_index(averages.argmin(), averages.shape)
    return BestLambda(float(lams[j]), float(averages[i, j]), float(alphas[i]), float(Deltas[i]))
