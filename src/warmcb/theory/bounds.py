"""The paper's guarantees as functions, in its letters: sections 3 and 4, and the propositions of the appendix.

V and W bound how far the λ-weighted empirical costs of all policies are from their means; G and H what the policy that
minimises them costs more than the best one. All arguments but the `Problem` may be arrays, which are broadcast against
each other; plain numbers give a NumPy scalar.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError

Doubles = NDArray[np.float64]

_MANY = 10**18
_EXACT_ROUNDS = 2**10


@dataclass(frozen=True, slots=True)
class Problem:
    """What the bounds depend on besides the similarity: K, n_s, n_b, ε, |Π|, and δ, the probability that they fail.

    Args:
        K: the number of actions, at least 2.
        n_s: the number of labelled examples of the warm start; 0 for none.
        n_b: the number of rounds of the interaction, at least 1.
        epsilon: ε in (0, 1], the share of rounds that explore uniformly.
        n_policies: |Π|, the number of policies in the class, at least 1.
        delta: δ in (0, 1/e).

    >>> Problem(K=2, n_s=100, n_b=1000, epsilon=0.1, n_policies=50).epochs
    10

    """

    K: int
    n_s: int
    n_b: int
    epsilon: float
    n_policies: int
    delta: float = 0.05

    def __post_init__(self) -> None:
        below = math.nextafter(1 / math.e, 0)
        checked = {
            "K": _inputs.integer("K", self.K, 2, 2**20),
            "n_s": _inputs.integer("n_s", self.n_s, 0, _MANY),
            "n_b": _inputs.integer("n_b", self.n_b, 1, _MANY),
            "epsilon": _inputs.number("epsilon", self.epsilon, "a number in (0, 1]", 0.0, 1.0, low_excluded=True),
            "n_policies": _inputs.integer("n_policies", self.n_policies, 1),
            "delta": _inputs.number("delta", self.delta, "a number in (0, 1/e)", 0.0, below, low_excluded=True),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def epochs(self) -> int:
        """E = ⌈log₂ n_b⌉, the epochs of Algorithm 2; 1 for a single round, where the paper's 0 leaves no logarithm."""
        return max(1, (self.n_b - 1).bit_length())


def V(t: ArrayLike, lam: ArrayLike, problem: Problem) -> Doubles:  # noqa: N802
    """V_t(λ) = 2·√((λ²Kt/ε + (1−λ)²n_s)·L) + (λK/ε + 1−λ)·L with L = ln(8·n_b·|Π|/δ).

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1]: the weight of the rounds; the labels have 1−λ.
        problem: K, n_s, n_b, ε, |Π| and δ.

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    >>> problem = Problem(K=2, n_s=4, n_b=1, epsilon=0.5, n_policies=1, delta=8 / math.e**9)  # L = 9
    >>> V(1, [0.0, 1.0], problem)  # 2·√(4·9) + 9 and 2·√(4·9) + 4·9
    array([21., 48.])

    """
    t, lam = _arrays(t=t, lam=lam)
    L = _log(problem, problem.n_b, problem.n_policies)
    inverse = problem.K / problem.epsilon
    variance = lam**2 * inverse * t + (1 - lam) ** 2 * problem.n_s
    return 2 * np.sqrt(variance * L) + (lam * inverse + (1 - lam)) * L


def G(t: ArrayLike, lam: ArrayLike, problem: Problem, alpha: ArrayLike, Delta: ArrayLike) -> Doubles:  # noqa: N802
    """G_t(λ, α, Δ) = ((1−λ)·n_s·Δ + 2·V_t(λ)) / (λt + (1−λ)·n_s·α).

    At each t the better of λ = 0 and λ = 1 is within √2 of the best λ (the paper's proposition). Over all rounds, for
    which theorem 1 takes one λ, it need not be: `tests/theory/test_bounds.py` has a case where the golden ratio is
    lost.

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1]: the weight of the rounds; the labels have 1−λ. It must be above 0 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.
        alpha: α of the similarity, at least 0; larger is better. It must be above 0 where `lam` is 0.
        Delta: Δ of the similarity, at least 0; smaller is better.

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    >>> problem = Problem(K=2, n_s=4, n_b=1, epsilon=0.5, n_policies=1, delta=8 / math.e**9)
    >>> G(1, [0.0, 1.0], problem, alpha=0.5, Delta=0.25)  # (1 + 42)/2 and 96/1
    array([21.5, 96. ])

    """
    t, lam, alpha, Delta = _arrays(t=t, lam=lam, alpha=alpha, Delta=Delta)
    if problem.n_s == 0 and np.any(lam == 0):
        raise InputError("lam is 0; expected more, as n_s is 0: without labels λ = 0 learns from nothing")
    if np.any((lam == 0) & (alpha == 0)):
        raise InputError("alpha is 0; expected more where lam is 0: labels that tell nothing cannot do alone")
    labels = (1 - lam) * problem.n_s
    with np.errstate(over="ignore"):
        return (labels * Delta + 2 * V(t, lam, problem)) / (lam * t + labels * alpha)


def W(t: ArrayLike, lam: ArrayLike, problem: Problem) -> Doubles:  # noqa: N802
    """W_t(λ) = 2·√((λ²K/(tε) + (1−λ)²(E+1)/n_s)·L) + (λK/(tε) + (1−λ)(E+1)/n_s)·L with L = ln(8·E·|Π|/δ).

    E is `problem.epochs`.

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1]: the weight of the rounds; the labels have 1−λ. It must be 1 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    >>> problem = Problem(K=2, n_s=8, n_b=2, epsilon=0.5, n_policies=1, delta=8 / math.e**9)  # E = 1, L = 9
    >>> W(1, [0.0, 1.0], problem)  # 2·√(9/4) + 9/4 and 2·√(4·9) + 4·9
    array([ 5.25, 48.  ])

    """
    t, lam = _arrays(t=t, lam=lam)
    if problem.n_s == 0 and np.any(lam < 1):
        raise InputError(f"lam is {lam.min():g}; expected 1, as n_s is 0: without labels there is nothing to weigh")
    L = _log(problem, problem.epochs, problem.n_policies)
    of_rounds = problem.K / problem.epsilon / t
    of_labels = (problem.epochs + 1) / max(problem.n_s, 1)
    variance = lam**2 * of_rounds + (1 - lam) ** 2 * of_labels
    return 2 * np.sqrt(variance * L) + (lam * of_rounds + (1 - lam) * of_labels) * L


def H(t: ArrayLike, lam: ArrayLike, problem: Problem, alpha: ArrayLike, Delta: ArrayLike) -> Doubles:  # noqa: N802
    """H_t(λ, α, Δ) = (λΔ + 2·W_t(λ)) / (1−λ + λα).

    Args:
        t: the round, from 1 on.
        lam: λ in [0, 1]: the weight of the rounds; the labels have 1−λ. It must be 1 if n_s is 0.
        problem: K, n_s, n_b, ε, |Π| and δ.
        alpha: α of the similarity, at least 0; larger is better. It must be above 0 where `lam` is 1.
        Delta: Δ of the similarity, at least 0; smaller is better.

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    >>> problem = Problem(K=2, n_s=8, n_b=2, epsilon=0.5, n_policies=1, delta=8 / math.e**9)
    >>> H(1, [0.0, 1.0], problem, alpha=0.5, Delta=0.25)  # 10.5/1 and (0.25 + 96)/0.5
    array([ 10.5, 192.5])

    """
    t, lam, alpha, Delta = _arrays(t=t, lam=lam, alpha=alpha, Delta=Delta)
    if np.any((lam == 1) & (alpha == 0)):
        raise InputError("alpha is 0; expected more where lam is 1: rounds that tell nothing cannot do alone")
    with np.errstate(over="ignore"):
        return (lam * Delta + 2 * W(t, lam, problem)) / (1 - lam + lam * alpha)


class Bound(NamedTuple):
    """The right-hand side of a theorem, term by term. A total of 1 or more promises nothing.

    All terms are in the unit of an average cost a round.

    Attributes:
        exploration: ε: what uniform exploration costs.
        deviation: how far the costs of the contexts that came are from their means.
        selection: what it costs to choose λ from Λ.
        mixture: what the policies of the best λ cost: the bias and the variance of both sources.
        lam: the λ of Λ that attains the minimum.

    """

    exploration: float
    deviation: float
    selection: float
    mixture: float
    lam: float

    @property
    def total(self) -> float:
        """The bound itself: the sum of the four terms."""
        return self.exploration + self.deviation + self.selection + self.mixture


def theorem_1(
    problem: Problem, lambdas: int | Sequence[float] | Doubles, alpha: float, Delta: float, *, capped: bool = False
) -> Bound:
    """Bound on Algorithm 1's average regret, if the supervised costs are (α, Δ)-similar to the bandit's.

    Beyond 1,024 rounds the sum over t is taken in runs of about t/1,024 rounds: correct to seven digits, for any n_b.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        lambdas: Λ, as `ArrowCB` takes it. A λ that learns from nothing (0 with n_s·α = 0) never attains the minimum.
        alpha: of the similarity; larger is better.
        Delta: of the similarity; smaller is better.
        capped: with min(1, G_t), which the proof shows, in place of the printed G_t.

    Returns:
        the bound, term by term; its `lam` is the best λ of Λ.

    >>> bound = theorem_1(Problem(K=2, n_s=10**10, n_b=10**12, epsilon=0.01, n_policies=1000), 8, alpha=1, Delta=0)
    >>> round(bound.total, 3), bound.lam == lambda_0_bandit(K=2, epsilon=0.01)
    (0.019, True)

    """
    Lambda = _inputs.lambdas(lambdas, {8: eight_lambdas(problem.K, problem.epsilon)})
    alpha, Delta = _at_least_0("alpha", alpha), _at_least_0("Delta", Delta)
    learns = (Lambda > 0) | (problem.n_s * alpha > 0)
    return _theorem_1(problem, len(Lambda), *_best(G, Lambda, learns, problem, alpha, Delta, capped))


def corollary(problem: Problem, lambdas: int | Sequence[float] | Doubles, *, capped: bool = False) -> Bound:
    """Theorem 1 at λ = 1, whatever the similarity: what is left when the warm start is of no use.

    The paper prints ε + O(√(ln(n_b|Π||Λ|/δ)/(n_b ε))); this is the value, with the constants, the √K and the ln(e·n_b)
    that are hidden there.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ.
        lambdas: Λ, as `ArrowCB` takes it. It must contain 1.
        capped: as in `theorem_1`.

    Returns:
        the bound, term by term; its `lam` is 1.

    >>> round(corollary(Problem(K=2, n_s=0, n_b=10**12, epsilon=0.01, n_policies=1000), 2).total, 3)
    0.033

    """
    Lambda = _inputs.lambdas(lambdas, {8: eight_lambdas(problem.K, problem.epsilon)})
    if Lambda[-1] != 1:
        raise InputError(f"lambdas end with {Lambda[-1]}; expected 1 among them, of which the corollary speaks")
    return _theorem_1(problem, len(Lambda), *_best(G, Lambda, Lambda == 1, problem, 1.0, 0.0, capped))


def theorem_2(
    problem: Problem, lambdas: int | Sequence[float] | Doubles, alpha: float, Delta: float, *, capped: bool = False
) -> Bound:
    """Bound on Algorithm 2's average regret, if the bandit's costs are (α, Δ)-similar to the supervised ones.

    Args:
        problem: K, n_s, n_b, ε, |Π| and δ; n_s at least 1.
        lambdas: Λ, as `SupervisedTruth` takes it. A λ that learns from nothing (1 with α = 0) never attains the
            minimum.
        alpha: of the similarity, at least 0; larger is better.
        Delta: of the similarity, at least 0; smaller is better.
        capped: with min(1, H_t) in place of H_t. This is not the paper's: min(1, H_t) halves no faster than H_t when t
            doubles, so that its proof holds for it too.

    Returns:
        the bound, term by term; its `lam` is the best λ of Λ.

    >>> bound = theorem_2(Problem(K=2, n_s=10**7, n_b=10**9, epsilon=0.01, n_policies=1000), 8, alpha=1, Delta=0)
    >>> round(bound.total, 3), round(bound.lam, 3)
    (0.044, 0.857)

    """
    Lambda = _inputs.lambdas(lambdas, {8: np.linspace(0, 1, 8).tolist()})
    alpha, Delta = _at_least_0("alpha", alpha), _at_least_0("Delta", Delta)
    if problem.n_s == 0:
        raise InputError("n_s is 0; expected at least 1: Algorithm 2 selects λ on labels")
    E = problem.epochs
    lam, average = _best(H, Lambda, (Lambda < 1) | (alpha > 0), problem, alpha, Delta, capped)
    return Bound(
        exploration=problem.epsilon,
        deviation=3 * math.sqrt(_log(problem, problem.n_policies) / problem.n_b),
        selection=math.sqrt(2 * (E + 1) * _log(problem, E, len(Lambda)) / problem.n_s),
        mixture=2 * average,
        lam=lam,
    )


def lambda_0_bandit(K: int, epsilon: float) -> float:
    """λ₀ = ε/(K+ε), for identical sources in Algorithm 1: an example of the interaction is worth ε/K labels.

    Args:
        K: the number of actions, at least 2.
        epsilon: ε in [0, 1], the share of rounds that explore uniformly.

    >>> lambda_0_bandit(K=3, epsilon=1.0)
    0.25

    """
    K, epsilon = _inputs.integer("K", K, 2, 2**20), _inputs.fraction("epsilon", epsilon)
    return epsilon / (K + epsilon)


def lambda_0_supervised(problem: Problem) -> float:
    """λ₀ = n_b·ε/(n_s·K + n_b·ε), for identical sources in Algorithm 2, which weighs averages.

    Args:
        problem: of it n_b, ε, n_s and K count; |Π| and δ do not matter.

    >>> lambda_0_supervised(Problem(K=2, n_s=30, n_b=400, epsilon=0.1, n_policies=5))
    0.4

    """
    rounds = problem.n_b * problem.epsilon
    return rounds / (problem.n_s * problem.K + rounds)


def effective_sample_size(t: ArrayLike, problem: Problem) -> Doubles:
    """n_s + εt/K: how many labels both sources are worth after t rounds, if they are identical.

    Section 3 of the paper prints n_s + Kt/ε; its own G_t(λ₀, 1, 0) = 4·√(L/m) + 4·L/m has this m, as has section 4.

    Args:
        t: the number of rounds, from 1 on.
        problem: of it n_s, ε and K count; the rest does not matter.

    Returns:
        a number of labels for each t.

    >>> effective_sample_size([10, 1000], Problem(K=2, n_s=30, n_b=1000, epsilon=0.1, n_policies=5))
    array([30.5, 80. ])

    """
    (t,) = _arrays(t=t)
    return problem.n_s + problem.epsilon * t / problem.K


def minimax_lower_bound(d: ArrayLike, m: ArrayLike, n: ArrayLike, Delta: ArrayLike) -> Doubles:
    """No learner's expected excess cost is below min(√(d/m) + 4Δ, √(d/n))/16 for all (1, Δ)-similar pairs of sources.

    The paper states 8Δ; its proof shows 4Δ.

    Args:
        d: the VC dimension of the policies, at least 1.
        m: the number of examples of the other source, at least 32·d.
        n: the number of examples of the truth, at least 32·d.
        Delta: Δ of the similarity, in [0, 1/4].

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    >>> minimax_lower_bound(d=1, m=10_000, n=[100, 400], Delta=0.01)  # min(0.05, 0.1)/16, min(0.05, 0.05)/16
    array([0.003125, 0.003125])

    """
    d, m, n, Delta = _arrays(d=d, m=m, n=n, Delta=Delta)
    for name, examples in (("m", m), ("n", n)):
        _check(name, examples, 32 * d, math.inf, "at least 32·d examples")
    _check("Delta", Delta, 0, 1 / 4, "a number in [0, 1/4]")
    return np.minimum(np.sqrt(d / m) + 4 * Delta, np.sqrt(d / n)) / 16


def ucb_T0(Delta: ArrayLike, n_s: ArrayLike) -> Doubles:  # noqa: N802
    """T₀ = exp(Δ²·n_s/16) − 1: for at least so many rounds `WarmUCB` plays the worse of two arms only.

    Its labels say (½, ½ + Δ/2), the truth is (½, ½ − Δ/2). Infinite where a float ends.

    Args:
        Delta: Δ in [0, 1].
        n_s: the number of labels, at least 0.

    Returns:
        a number of rounds for each combination of the arguments, broadcast against each other.

    >>> ucb_T0(0.5, [0, 640])  # e¹⁰ − 1
    array([    0.        , 22025.46579481])

    """
    Delta, n_s = _arrays(Delta=Delta, n_s=n_s)
    _check("Delta", Delta, 0, 1, "a number in [0, 1], so that costs are")
    with np.errstate(over="ignore"):
        return np.expm1(Delta**2 * n_s / 16)


def ucb_regret(Delta: ArrayLike, n_s: ArrayLike) -> Doubles:
    """Δ/2·(T₀ − 1): a lower bound on the regret of `WarmUCB` there, once n_b ≥ T₀ + 1; below 0 it says nothing.

    Args:
        Delta: Δ in [0, 1], as in `ucb_T0`.
        n_s: the number of labels, at least 0.

    Returns:
        the regret, summed over all rounds, for each combination of the arguments.

    >>> round(float(ucb_regret(0.5, 640)), 3)  # (e¹⁰ − 2)/4
    5506.116

    """
    Delta, n_s = _arrays(Delta=Delta, n_s=n_s)
    return Delta / 2 * (ucb_T0(Delta, n_s) - 1)


def _log(problem: Problem, *counts: int) -> float:
    """ln(8·counts/δ), for counts of any size."""
    return math.log(8) + sum(map(math.log, counts)) - math.log(problem.delta)


def _theorem_1(problem: Problem, n_lambdas: int, lam: float, average: float) -> Bound:
    n_b, epsilon = problem.n_b, problem.epsilon
    return Bound(
        exploration=epsilon,
        deviation=3 * math.sqrt(_log(problem, n_b, problem.n_policies) / n_b),
        selection=32 * math.sqrt(problem.K * _log(problem, n_b, n_lambdas) / (n_b * epsilon)),
        mixture=(1 + math.log(n_b)) * average,
        lam=lam,
    )


def _best(
    excess: Callable[..., Doubles],
    Lambda: Doubles,
    learns: NDArray[np.bool_],
    problem: Problem,
    alpha: float,
    Delta: float,
    capped: bool,
) -> tuple[float, float]:
    """The λ, of those that learn, with the smallest average of `excess`, G or H, over all rounds; and that average."""
    if not learns.any():
        why = f"n_s is {problem.n_s} and alpha {alpha:g}"
        raise InputError(f"lambdas is {Lambda.tolist()}; expected a λ that learns from something, as {why}")
    Lambda = Lambda[learns]
    t, counts = _runs(problem.n_b)
    cap = 1.0 if capped else math.inf
    averages = [np.minimum(excess(t, lam, problem, alpha, Delta), cap) @ counts / problem.n_b for lam in Lambda]
    best = int(np.argmin(averages))
    return float(Lambda[best]), float(averages[best])


def _runs(n_b: int) -> tuple[Doubles, Doubles]:
    """The rounds 1 to n_b as runs: the middle of each, and its length, which is 1 as long as there are not too many."""
    ends = np.arange(min(n_b, _EXACT_ROUNDS) + 1.0)
    if n_b > _EXACT_ROUNDS:
        many = math.ceil(_EXACT_ROUNDS * math.log(n_b / _EXACT_ROUNDS))
        ends = np.unique(np.append(ends, np.geomspace(_EXACT_ROUNDS, n_b, many + 1).round()))
    return (ends[:-1] + 1 + ends[1:]) / 2, np.diff(ends)


# What callers bring

_AT_LEAST_0 = (0, 1e300, "a number of at least 0")
_COUNT = (0, _MANY, "a number from 0 to 10¹⁸")
_RANGES = {
    "t": (1, _MANY, "a round from 1 to 10¹⁸"),
    "lam": (0, 1, "a number in [0, 1]"),
    "alpha": _AT_LEAST_0,
    "Delta": _AT_LEAST_0,
    "n_s": _COUNT,
    "d": (1, _MANY, "a VC dimension of at least 1"),
    "m": _COUNT,
    "n": _COUNT,
}


def _arrays(**values: ArrayLike) -> list[Doubles]:
    """The arguments as arrays of floats in their ranges, of shapes that fit together."""
    arrays = [_array(name, value) for name, value in values.items()]
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = " and ".join(f"{name} of shape {array.shape}" for name, array in zip(values, arrays, strict=True))
        raise InputError(f"{shapes} do not fit together; expected shapes that broadcast") from None
    return arrays


def _array(name: str, value: ArrayLike) -> Doubles:
    low, high, expected = _RANGES[name]
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r:.60}; expected {expected}") from None
    array = array.astype(np.float64)
    _check(name, array, low, high, expected)
    return array


def _check(name: str, array: Doubles, low: float | Doubles, high: float, expected: str) -> None:
    wrong = ~((array >= low) & (array <= high))
    if wrong.any():
        raise InputError(f"{name} is {np.broadcast_to(array, wrong.shape)[wrong][0]:g}; expected {expected}")


def _at_least_0(name: str, value: object) -> float:
    return _inputs.number(name, value, "a number of at least 0", 0.0, 1e300)
