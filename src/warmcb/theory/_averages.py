"""The average of G_t or H_t over all rounds, and the λ that minimises it."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from warmcb.errors import InputError
from warmcb.theory._arguments import Doubles
from warmcb.theory.problem import Problem

_EXACT_ROUNDS = 2**10


def best_average(
    excess: Callable[..., Doubles],
    Lambda: Doubles,
    learns: NDArray[np.bool_],
    problem: Problem,
    alpha: float,
    Delta: float,
    capped: bool,
) -> tuple[float, float]:
    """Find the λ with the smallest average excess cost over all rounds.

    Args:
        excess: G or H.
        Lambda: Λ.
        learns: for each λ whether it learns from anything; the others are left out.
        problem: K, n_s, n_b, ε, |Π| and δ.
        alpha: α of the similarity.
        Delta: Δ of the similarity.
        capped: whether an excess cost counts as 1 at most.

    Returns:
        the λ, and its average.

    """
    if not learns.any():
        why = f"n_s is {problem.n_s} and alpha {alpha:g}"
        raise InputError(f"lambdas is {Lambda.tolist()}; expected a λ that learns from something, as {why}")
    Lambda = Lambda[learns]
    t, lengths = _blocks(problem.n_b)
    cap = 1.0 if capped else math.inf
    averages = [np.minimum(excess(t, lam, problem, alpha, Delta), cap) @ lengths / problem.n_b for lam in Lambda]
    best = int(np.argmin(averages))
    return float(Lambda[best]), float(averages[best])


def _blocks(n_b: int) -> tuple[Doubles, Doubles]:
    """Rounds 1 to n_b in blocks: the middle and the length of each. The first 1,024 blocks are single rounds."""
    ends = np.arange(min(n_b, _EXACT_ROUNDS) + 1.0)
    if n_b > _EXACT_ROUNDS:
        many = math.ceil(_EXACT_ROUNDS * math.log(n_b / _EXACT_ROUNDS))
        ends = np.unique(np.append(ends, np.geomspace(_EXACT_ROUNDS, n_b, many + 1).round()))
    return (ends[:-1] + 1 + ends[1:]) / 2, np.diff(ends)
