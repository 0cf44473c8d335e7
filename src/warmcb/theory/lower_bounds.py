"""Lower bounds: a cost that no learner can avoid, and the regret of a naive warm start (appendix of the paper)."""

import math

import numpy as np
from numpy.typing import ArrayLike

from warmcb.theory._arguments import Doubles, as_arrays, require_range


def minimax_lower_bound(d: ArrayLike, m: ArrayLike, n: ArrayLike, Delta: ArrayLike) -> Doubles:
    """min(√(d/m) + 4Δ, √(d/n))/16: some pair of (1, Δ)-similar sources costs any learner at least this much.

    It is a lower bound on the largest expected excess cost over all such pairs. The paper states 8Δ; its proof shows
    4Δ.

    Args:
        d: the VC dimension of the policies, at least 1.
        m: the number of examples of the other source, at least 32·d.
        n: the number of examples of the true source, at least 32·d.
        Delta: Δ of the similarity, in [0, 1/4].

    Returns:
        one value for each combination of the arguments, broadcast against each other.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> minimax_lower_bound(d=1, m=10_000, n=[100, 400], Delta=0.01)  # min(0.05, 0.1)/16, min(0.05, 0.05)/16
        array([0.003125, 0.003125])

    """
    d, m, n, Delta = as_arrays(d=d, m=m, n=n, Delta=Delta)
    for name, examples in (("m", m), ("n", n)):
        require_range(name, examples, 32 * d, math.inf, "at least 32·d examples")
    require_range("Delta", Delta, 0, 1 / 4, "a number in [0, 1/4]")
    return np.minimum(np.sqrt(d / m) + 4 * Delta, np.sqrt(d / n)) / 16


def ucb_T0(Delta: ArrayLike, n_s: ArrayLike) -> Doubles:  # noqa: N802
    """T₀ = exp(Δ²·n_s/16) − 1: `WarmUCB` plays only the worse of two arms for at least this many rounds.

    In this example the labels say that the arms cost (½, ½ + Δ/2). Their true costs are (½, ½ − Δ/2).

    Args:
        Delta: Δ in [0, 1].
        n_s: the number of labels, at least 0.

    Returns:
        a number of rounds for each combination of the arguments, broadcast against each other; infinity if it is
        too large for a float.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> ucb_T0(0.5, [0, 640])  # e¹⁰ − 1
        array([    0.        , 22025.46579481])

    """
    Delta, n_s = as_arrays(Delta=Delta, n_s=n_s)
    require_range("Delta", Delta, 0, 1, "a number in [0, 1], so that costs are in [0, 1]")
    with np.errstate(over="ignore"):
        return np.expm1(Delta**2 * n_s / 16)


def ucb_regret(Delta: ArrayLike, n_s: ArrayLike) -> Doubles:
    """Δ/2·(T₀ − 1): a lower bound on the regret of `WarmUCB` in the example of `ucb_T0`, if n_b ≥ T₀ + 1.

    Args:
        Delta: Δ in [0, 1], as in `ucb_T0`.
        n_s: the number of labels, at least 0.

    Returns:
        the regret, summed over all rounds, for each combination of the arguments. A negative value says nothing.

    Raises:
        InputError: an argument is out of its range, or the shapes do not broadcast.

    Examples:
        >>> round(float(ucb_regret(0.5, 640)), 3)  # (e¹⁰ − 2)/4
        5506.116

    """
    Delta, n_s = as_arrays(Delta=Delta, n_s=n_s)
    return Delta / 2 * (ucb_T0(Delta, n_s) - 1)
