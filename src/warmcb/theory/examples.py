"""The paper's examples of similar sources (appendix on similarity), and a check of its claims about them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _inputs
from warmcb._inputs import Features
from warmcb.errors import InputError
from warmcb.learners.finite_class import Policies
from warmcb.theory.similarity import best_of, risks, table_of

Doubles = NDArray[np.float64]

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class SimilarSource:
    """A source D₂ that is made from D₁, and the strong (α, Δ)-similarity that the paper claims for it.

    Strong similarity is about a useful and a useless part of the costs, c₂ = c⁺ + c⁻.

    Attributes:
        costs: E[c₂(a) | x], shape (n, K).
        plus: E[c⁺(a) | x], the useful part, shape (n, K).
        alpha: the α that the paper claims; larger is better.
        Delta: the Δ that the paper claims; smaller is better.

    """

    costs: Doubles
    plus: Doubles
    alpha: float
    Delta: float


def lowest_cost_labels(costs_1: ArrayLike, best_actions: ArrayLike) -> SimilarSource:
    """Example 1: an expert names the action with the lowest cost.

    The claim is (1, 2·P(c(π*(x)) ≥ min over a ≠ π*(x) of c(a)))-similarity.

    Args:
        costs_1: D₁, shape (n, K).
        best_actions: the action of π*, the best policy on D₁, in each context; shape (n,).

    Returns:
        D₂, in which the named action costs 0 and any other action costs 1.

    Raises:
        InputError: the costs or the actions are not valid.

    Examples:
        >>> source = lowest_cost_labels([[0.0, 0.3], [0.1, 0.2], [0.5, 0.4], [0.2, 0.9]], best_actions=[0, 0, 0, 0])
        >>> source.costs.tolist()
        [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
        >>> source.alpha, source.Delta  # π* is not the cheapest action in one row of four
        (1.0, 0.5)

    """
    n_actions = _inputs.count_actions(None, costs_1)
    costs = _inputs.cost_table(None, costs_1, len(np.asarray(costs_1)), n_actions)
    best = table_of("best_actions", best_actions, len(costs), n_actions)
    if best.ndim != 1:
        raise InputError(f"best_actions have shape {best.shape}; expected ({len(costs)},), one for each context")
    others = costs.copy()
    others[np.arange(len(costs)), best] = np.inf
    mistaken = np.mean(_costs.paid(costs, best) >= others.min(axis=1))
    labels = costs.argmin(axis=1).astype(np.int32)
    return SimilarSource(
        _costs.as_matrix(labels, n_actions), _costs.as_matrix(best, n_actions), 1.0, 2 * float(mistaken)
    )


def uniform_corruption(y: ArrayLike, n_actions: int, p: float) -> SimilarSource:
    """Example 2: with probability p a label is replaced by a uniformly random one, as the noise uar does.

    The claim is (1−p, 0)-similarity.

    Args:
        y: the labels of D₁, in 0..K−1; shape (n,).
        n_actions: K, at least 2.
        p: the probability of a replacement, in [0, 1]. The new label is one of all K, so it can be the true one.

    Returns:
        D₂, with its costs in expectation over the replacement.

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> uniform_corruption([0, 1], n_actions=2, p=0.5)
        SimilarSource(costs=array([[0.25, 0.75],
               [0.75, 0.25]]), plus=array([[0.25, 0.75],
               [0.75, 0.25]]), alpha=0.5, Delta=0.0)

    """
    true = _true_costs(y, n_actions)
    costs = (1 - _inputs.fraction("p", p)) * true + p * (1 - 1 / n_actions)
    return SimilarSource(costs, costs, 1 - p, 0.0)


def general_corruption(y: ArrayLike, wrong: ArrayLike, n_actions: int, p: float) -> SimilarSource:
    """Example 3: with probability p a label is replaced by one that an adversary chooses.

    The claim is (1, 2p)-similarity.

    Args:
        y: the labels of D₁, in 0..K−1; shape (n,).
        wrong: the adversary's labels, shape (n,); or, if they are random, their expected costs, shape (n, K).
        n_actions: K, at least 2.
        p: the probability of a replacement, in [0, 1].

    Returns:
        D₂, with its costs in expectation over the replacement.

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> source = general_corruption([0, 1], wrong=[1, 1], n_actions=2, p=0.25)
        >>> source.costs.tolist(), source.alpha, source.Delta
        ([[0.25, 0.75], [1.0, 0.0]], 1.0, 0.5)

    """
    true = _true_costs(y, n_actions)
    others = _costs.as_matrix(table_of("wrong", wrong, len(true), n_actions), n_actions)
    return SimilarSource((1 - _inputs.fraction("p", p)) * true + p * others, true, 1.0, 2 * p)


class StrongSimilarity(NamedTuple):
    """Whether the two conditions of strong similarity hold, and by how much.

    Attributes:
        useful: the smallest E[c⁺(π(x))] − E[c⁺(π*(x))] − α·r₁(π) over all π. Condition 1 requires at least 0.
        useless: the largest |E[c⁻(π(x))]| over all π. Condition 2 requires at most Δ/2.
        holds: whether both conditions hold, up to rounding.

    """

    useful: float
    useless: float
    holds: bool


def strong_similarity(
    policies: Policies, X: Features, costs_1: ArrayLike, source: SimilarSource, *, tolerance: float = _TOLERANCE
) -> StrongSimilarity:
    """Check the claimed similarity of a source that is made from D₁, on given contexts and policies.

    Args:
        policies: Π.
        X: the contexts, one in each row.
        costs_1: D₁: costs of shape (n, K), or labels of shape (n,).
        source: D₂ on the same contexts, with the claimed α and Δ.
        tolerance: the rounding error that is allowed in each condition.

    Returns:
        how far the two conditions are met.

    Raises:
        InputError: the data do not fit together.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import ConstantPolicies
        >>> y = [0, 0, 0, 1]
        >>> source = general_corruption(y, wrong=[1, 1, 1, 0], n_actions=2, p=0.25)
        >>> strong_similarity(ConstantPolicies(2), np.zeros((4, 1)), y, source)  # Δ/2 is 0.25
        StrongSimilarity(useful=0.0, useless=0.125, holds=True)

    """
    true, plus = risks(policies, X, costs_1, source.plus)
    both, _ = risks(policies, X, source.costs, source.costs)
    best = best_of(true, plus)
    useful = float((plus - plus[best] - source.alpha * (true - true[best])).min())
    useless = float(np.abs(both - plus).max())
    return StrongSimilarity(useful, useless, useful >= -tolerance and useless <= source.Delta / 2 + tolerance)


def _true_costs(y: ArrayLike, n_actions: int) -> Doubles:
    n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)
    return _costs.as_matrix(_inputs.labels(y, np.size(y), n_actions), n_actions)
