"""Bounds on Algorithm 1, where the bandit's costs are the truth: section 3 of the paper.

All arguments except the `Problem` may be arrays. They are broadcast against each other; plain numbers give a NumPy
scalar.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from warmcb import _inputs
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError
from warmcb.theory._arguments import Doubles, as_arrays, at_least_0
from warmcb.theory._averages import best_average
from warmcb.theory.problem import Bound, Problem, log_term


def V(t: ArrayLike, lam: ArrayLike, problem: Problem) -> Doubles:  # noqa: N802
    """V_t(λ): how far the λ-weighted empirical costs of all policies may be from their means, after t rounds.

    V_t(λ) = 2·√((λ²Kt/ε + (1−λ)²n_s)·L) + (λK/ε + 1−λ)·L with L = ln(8·n_b·|Π|/δ).

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1], the weight of the rounds; the labels have the weight 1−λ.
        problem: K, n_s, n_b, ε, |Π| and δ.

    Returns:
        one value for each combination of the arguments.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> import math
        >>> problem = Problem(K=2, n_s=4, n_b=1, epsilon=0.5, n_policies=1, delta=8 / math.e**9)  # L = 9
        >>> V(1, [0.0, 1.0], problem)  # 2·√(4·9) + 9 and 2·√(4·9) + 4·9
        array([21., 48.])

    """
    t, lam = as_arrays(t=t, lam=lam)
    L = log_term(problem, problem.n_b, problem.n_policies)
    inverse = problem.K / problem.epsilon
    variance = lam**2 * inverse * t + (1 - lam) ** 2 * problem.n_s
    return 2 * np.sqrt(variance * L) + (lam * inverse + (1 - lam)) * L


def G(t: ArrayLike, lam: ArrayLike, problem: Problem, alpha: ArrayLike, Delta: ArrayLike) -> Doubles:  # noqa: N802
    """G_t(λ, α, Δ): the largest excess cost of the policy that minimises the λ-weighted empirical costs at round t.

    G_t(λ, α, Δ) = ((1−λ)·n_s·Δ + 2·V_t(λ)) / (λt + (1−λ)·n_s·α).

    At each t, the better of λ = 0 and λ = 1 is within a factor of √2 of the best λ (a proposition of the paper).
    Theorem 1 uses one λ for all rounds. There the factor can be larger: in one example it is the golden ratio, 1.618.

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1], the weight of the rounds; the labels have the weight 1−λ. It must be above 0 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.
        alpha: α of the similarity, at least 0; larger is better. It must be above 0 where `lam` is 0.
        Delta: Δ of the similarity, at least 0; smaller is better.

    Returns:
        one value for each combination of the arguments.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> import math
        >>> problem = Problem(K=2, n_s=4, n_b=1, epsilon=0.5, n_policies=1, delta=8 / math.e**9)
        >>> G(1, [0.0, 1.0], problem, alpha=0.5, Delta=0.25)  # (1 + 42)/2 and 96/1
        array([21.5, 96. ])

    """
    t, lam, alpha, Delta = as_arrays(t=t, lam=lam, alpha=alpha, Delta=Delta)
    if problem.n_s == 0 and np.any(lam == 0):
        raise InputError("lam is 0; expected more than 0, as n_s is 0: without labels λ = 0 learns from nothing")
    if np.any((lam == 0) & (alpha == 0)):
        raise InputError("alpha is 0; expected more than 0 where lam is 0: with α = 0 labels alone teach nothing")
    labels = (1 - lam) * problem.n_s
    with np.errstate(over="ignore"):
        return (labels * Delta + 2 * V(t, lam, problem)) / (lam * t + labels * alpha)


def theorem_1(
    problem: Problem, lambdas: int | Sequence[float] | Doubles, alpha: float, Delta: float, *, capped: bool = False
) -> Bound:
    """Bound the average regret of Algorithm 1, for labels that are (α, Δ)-similar to the bandit's costs.

    Beyond 1,024 rounds the sum over t is computed in blocks of about t/1,024 rounds. It is correct to seven digits,
    for any n_b.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        lambdas: Λ, as `ArrowCB` takes it. A λ that learns from nothing (0 with n_s·α = 0) is left out.
        alpha: α of the similarity, at least 0; larger is better.
        Delta: Δ of the similarity, at least 0; smaller is better.
        capped: use min(1, G_t) instead of G_t. The paper prints G_t, but its proof shows min(1, G_t).

    Returns:
        the bound, term by term. Its `lam` is the best λ of Λ.

    Raises:
        InputError: an argument is out of its range, or no λ learns from anything.

    Examples:
        >>> from warmcb.theory import Problem, lambda_0_bandit, theorem_1
        >>> bound = theorem_1(Problem(K=2, n_s=10**10, n_b=10**12, epsilon=0.01, n_policies=1000), 8, alpha=1, Delta=0)
        >>> round(bound.total, 3), bound.lam == lambda_0_bandit(K=2, epsilon=0.01)
        (0.019, True)

    """
    Lambda = _inputs.lambdas(lambdas, {8: eight_lambdas(problem.K, problem.epsilon)})
    alpha, Delta = at_least_0("alpha", alpha), at_least_0("Delta", Delta)
    learns = (Lambda > 0) | (problem.n_s * alpha > 0)
    return _bound(problem, len(Lambda), *best_average(G, Lambda, learns, problem, alpha, Delta, capped))


def corollary(problem: Problem, lambdas: int | Sequence[float] | Doubles, *, capped: bool = False) -> Bound:
    """Bound the average regret of Algorithm 1 for any labels at all: theorem 1 at λ = 1.

    The paper prints ε + O(√(ln(n_b|Π||Λ|/δ)/(n_b ε))). This is the value itself, with the constants, the √K and the
    ln(e·n_b) that the O hides.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        lambdas: Λ, as `ArrowCB` takes it. It must contain 1.
        capped: as in `theorem_1`.

    Returns:
        the bound, term by term. Its `lam` is 1.

    Raises:
        InputError: Λ does not contain 1.

    Examples:
        >>> from warmcb.theory import Problem, corollary
        >>> round(corollary(Problem(K=2, n_s=0, n_b=10**12, epsilon=0.01, n_policies=1000), 2).total, 3)
        0.033

    """
    Lambda = _inputs.lambdas(lambdas, {8: eight_lambdas(problem.K, problem.epsilon)})
    if Lambda[-1] != 1:
        raise InputError(f"lambdas end with {Lambda[-1]}; expected 1 among them, as the corollary is about λ = 1")
    return _bound(problem, len(Lambda), *best_average(G, Lambda, Lambda == 1, problem, 1.0, 0.0, capped))


def _bound(problem: Problem, n_lambdas: int, lam: float, average: float) -> Bound:
    n_b, epsilon = problem.n_b, problem.epsilon
    return Bound(
        exploration=epsilon,
        deviation=3 * math.sqrt(log_term(problem, n_b, problem.n_policies) / n_b),
        selection=32 * math.sqrt(problem.K * log_term(problem, n_b, n_lambdas) / (n_b * epsilon)),
        mixture=(1 + math.log(n_b)) * average,
        lam=lam,
    )


def lambda_0_bandit(K: int, epsilon: float) -> float:
    """λ₀ = ε/(K+ε), the best λ of Algorithm 1 if both sources are identical.

    With it, one round weighs as much as ε/K labels.

    Args:
        K: the number of actions, at least 2.
        epsilon: ε in [0, 1], the share of rounds that explore uniformly.

    Returns:
        λ₀.

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> lambda_0_bandit(K=3, epsilon=1.0)
        0.25

    """
    K, epsilon = _inputs.integer("K", K, 2, 2**20), _inputs.fraction("epsilon", epsilon)
    return epsilon / (K + epsilon)


def effective_sample_size(t: ArrayLike, problem: Problem) -> Doubles:
    """n_s + εt/K: the number of labels that both sources together are worth after t rounds, if they are identical.

    Section 3 of the paper prints n_s + Kt/ε. This is the m of its own G_t(λ₀, 1, 0) = 4·√(L/m) + 4·L/m, and of its
    section 4.

    Args:
        t: the number of rounds, from 1 on.
        problem: n_s, ε and K; the rest does not matter.

    Returns:
        a number of labels for each t.

    Raises:
        InputError: a t is below 1.

    Examples:
        >>> effective_sample_size([10, 1000], Problem(K=2, n_s=30, n_b=1000, epsilon=0.1, n_policies=5))
        array([30.5, 80. ])

    """
    (t,) = as_arrays(t=t)
    return problem.n_s + problem.epsilon * t / problem.K
