"""Bounds on Algorithm 2, where the supervised costs are the truth: section 4 of the paper.

All arguments except the `Problem` may be arrays. They are broadcast against each other; plain numbers give a NumPy
scalar.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from warmcb import _inputs
from warmcb.errors import InputError
from warmcb.theory._arguments import Doubles, as_arrays, at_least_0
from warmcb.theory._averages import best_average
from warmcb.theory.problem import Bound, Problem, log_term


def W(t: ArrayLike, lam: ArrayLike, problem: Problem) -> Doubles:  # noqa: N802
    """W_t(λ): how far the λ-weighted empirical costs of all policies may be from their means, after t rounds.

    W_t(λ) = 2·√((λ²K/(tε) + (1−λ)²(E+1)/n_s)·L) + (λK/(tε) + (1−λ)(E+1)/n_s)·L with L = ln(8·E·|Π|/δ), where E is
    `problem.epochs`.

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1], the weight of the rounds; the labels have the weight 1−λ. It must be 1 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.

    Returns:
        one value for each combination of the arguments.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> import math
        >>> problem = Problem(K=2, n_s=8, n_b=2, epsilon=0.5, n_policies=1, delta=8 / math.e**9)  # E = 1, L = 9
        >>> W(1, [0.0, 1.0], problem)  # 2·√(9/4) + 9/4 and 2·√(4·9) + 4·9
        array([ 5.25, 48.  ])

    """
    t, lam = as_arrays(t=t, lam=lam)
    if problem.n_s == 0 and np.any(lam < 1):
        raise InputError(f"lam is {lam.min():g}; expected 1, as n_s is 0: there are no labels to weigh")
    L = log_term(problem, problem.epochs, problem.n_policies)
    of_rounds = problem.K / problem.epsilon / t
    of_labels = (problem.epochs + 1) / max(problem.n_s, 1)
    variance = lam**2 * of_rounds + (1 - lam) ** 2 * of_labels
    return 2 * np.sqrt(variance * L) + (lam * of_rounds + (1 - lam) * of_labels) * L


def H(t: ArrayLike, lam: ArrayLike, problem: Problem, alpha: ArrayLike, Delta: ArrayLike) -> Doubles:  # noqa: N802
    """H_t(λ, α, Δ): the largest excess cost of the policy that minimises the λ-weighted empirical costs at round t.

    H_t(λ, α, Δ) = (λΔ + 2·W_t(λ)) / (1−λ + λα).

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1], the weight of the rounds; the labels have the weight 1−λ. It must be 1 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.
        alpha: α of the similarity, at least 0; larger is better. It must be above 0 where `lam` is 1.
        Delta: Δ of the similarity, at least 0; smaller is better.

    Returns:
        one value for each combination of the arguments.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> import math
        >>> problem = Problem(K=2, n_s=8, n_b=2, epsilon=0.5, n_policies=1, delta=8 / math.e**9)
        >>> H(1, [0.0, 1.0], problem, alpha=0.5, Delta=0.25)  # 10.5/1 and (0.25 + 96)/0.5
        array([ 10.5, 192.5])

    """
    t, lam, alpha, Delta = as_arrays(t=t, lam=lam, alpha=alpha, Delta=Delta)
    if np.any((lam == 1) & (alpha == 0)):
        raise InputError("alpha is 0; expected more than 0 where lam is 1: with α = 0 rounds alone teach nothing")
    with np.errstate(over="ignore"):
        return (lam * Delta + 2 * W(t, lam, problem)) / (1 - lam + lam * alpha)


def theorem_2(
    problem: Problem, lambdas: int | Sequence[float] | Doubles, alpha: float, Delta: float, *, capped: bool = False
) -> Bound:
    """Bound the average regret of Algorithm 2, for a bandit whose costs are (α, Δ)-similar to the supervised ones.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ; n_s is at least 1.
        lambdas: Λ, as `SupervisedTruth` takes it. A λ that learns from nothing (1 with α = 0) is left out.
        alpha: α of the similarity, at least 0; larger is better.
        Delta: Δ of the similarity, at least 0; smaller is better.
        capped: use min(1, H_t) instead of H_t. This is not in the paper, but its proof also holds for min(1, H_t),
            which at most halves when t doubles, as H_t does.

    Returns:
        the bound, term by term. Its `lam` is the best λ of Λ.

    Raises:
        InputError: an argument is out of its range, n_s is 0, or no λ learns from anything.

    Examples:
        >>> from warmcb.theory import Problem, theorem_2
        >>> bound = theorem_2(Problem(K=2, n_s=10**7, n_b=10**9, epsilon=0.01, n_policies=1000), 8, alpha=1, Delta=0)
        >>> round(bound.total, 3), round(bound.lam, 3)
        (0.044, 0.857)

    """
    Lambda = _inputs.lambdas(lambdas, {8: np.linspace(0, 1, 8).tolist()})
    alpha, Delta = at_least_0("alpha", alpha), at_least_0("Delta", Delta)
    if problem.n_s == 0:
        raise InputError("n_s is 0; expected at least 1: Algorithm 2 selects λ on labels")
    E = problem.epochs
    lam, average = best_average(H, Lambda, (Lambda < 1) | (alpha > 0), problem, alpha, Delta, capped)
    return Bound(
        exploration=problem.epsilon,
        deviation=3 * math.sqrt(log_term(problem, problem.n_policies) / problem.n_b),
        selection=math.sqrt(2 * (E + 1) * log_term(problem, E, len(Lambda)) / problem.n_s),
        mixture=2 * average,
        lam=lam,
    )


def lambda_0_supervised(problem: Problem) -> float:
    """λ₀ = n_b·ε/(n_s·K + n_b·ε), the best λ of Algorithm 2 if both sources are identical.

    Args:
        problem: n_b, ε, n_s and K; |Π| and δ do not matter.

    Returns:
        λ₀.

    Examples:
        >>> lambda_0_supervised(Problem(K=2, n_s=30, n_b=400, epsilon=0.1, n_policies=5))
        0.4

    """
    rounds = problem.n_b * problem.epsilon
    return rounds / (problem.n_s * problem.K + rounds)
