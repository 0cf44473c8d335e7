"""What a practitioner asks: which λ to expect, with labels that are so similar to what one is judged by."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError
from warmcb.theory.bounds import G, Problem
from warmcb.theory.similarity import Frontier

Doubles = NDArray[np.float64]


class BestLambda(NamedTuple):
    """The λ with the lowest bound, and the similarity that proves it.

    Attributes:
        lam: the λ, in [0, 1].
        average: the average of G_t(λ, α, Δ) over the rounds. From the worst policy's regret on it only ranks λ.
        alpha: the α of the frontier with which λ has this bound.
        Delta: Δ(α) of the frontier.

    """

    lam: float
    average: float
    alpha: float
    Delta: float


def best_lambda(
    problem: Problem, frontier: Frontier, lambdas: int | Sequence[float] | Doubles | None = None
) -> BestLambda:
    """The λ with which ARRoW-CB is promised most, by theorem 1 and the frontier of its labels against its costs.

    The theorem holds for every (α, Δ(α)), so that the best of them counts: of all α up to 1, or to where the worst
    regret on D₂ is α times the worst on D₁. Larger ones only say what is known without any data, that no policy costs
    more than the worst: for λ = 0 they would win whenever the bounds are no better than that.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        frontier: D₁ are the costs of the interaction, D₂ the labels of the warm start.
        lambdas: to choose from, as `ArrowCB` takes them; by default 0, 1 and 240 between them, even in λ/(1−λ).

    Returns:
        the λ, with the average of its G_t and the (α, Δ) at which that is lowest.

    >>> from warmcb.learners.finite_class import ConstantPolicies
    >>> from warmcb.theory import frontier
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
            raise InputError("lambdas is [0]; expected another one, as n_s is 0: λ = 0 learns from nothing")
    largest_1, largest_2 = frontier.regrets.max(axis=1)
    top = max(1.0, largest_2 / largest_1) if largest_1 > 0 else 1.0
    alphas = np.union1d(np.linspace(0, top, 101)[1:], [1.0, *frontier.breakpoints])
    alphas = alphas[alphas <= top]
    alphas = alphas[np.argsort(np.abs(alphas - 1), kind="stable")]  # where α does not matter, it is 1
    Deltas = frontier.Delta(alphas)
    ends = np.unique(np.geomspace(1, problem.n_b + 1, 400).round())  # runs of rounds: each is as good as its middle
    t, share = (ends[:-1] + ends[1:] - 1) / 2, np.diff(ends) / problem.n_b
    averages = np.array(
        [G(t, lams[:, None], problem, alpha, Delta) @ share for alpha, Delta in zip(alphas, Deltas, strict=True)]
    )
    i, j = np.unravel_index(averages.argmin(), averages.shape)
    return BestLambda(float(lams[j]), float(averages[i, j]), float(alphas[i]), float(Deltas[i]))
