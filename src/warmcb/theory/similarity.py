"""How similar two sources of costs are for a class of policies: section 2 of the paper and its appendix on similarity.

D₂ is (α, Δ)-similar to D₁ (definition 1) if r₂(π) ≥ α·r₁(π) − Δ for every policy, where r₁ and r₂ are its regrets on
both to the policy π* that is best on D₁. For each α the smallest such Δ is a maximum over finitely many policies: Δ(α),
the frontier, is computed exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _inputs, _streams
from warmcb._costs import CostTable
from warmcb._inputs import Features
from warmcb.bandits.arrow import eight_lambdas
from warmcb.errors import InputError
from warmcb.learners.finite_class import JoinedPolicies, LinearPolicies, Policies
from warmcb.theory.bounds import G, Problem

Doubles = NDArray[np.float64]

_DECISIONS = 2**22  # of how many (context, policy) the losses are in memory at a time
_TOLERANCE = 1e-9


class _Lines(NamedTuple):
    """The lines α·slope + intercept that are the highest somewhere on α ≥ 0, the flattest first."""

    slopes: Doubles
    intercepts: Doubles

    def highest(self, alpha: Doubles) -> Doubles:
        return np.asarray((alpha[..., None] * self.slopes + self.intercepts).max(axis=-1))


@dataclass(frozen=True, repr=False)
class Frontier:
    """Δ(α) = max over π of α·r₁(π) − r₂(π): convex, made of straight pieces, never below 0."""

    risks: Doubles
    """The average cost of each policy on both sources; shape (2, |Π|)."""
    best_policy: int
    """π*: the policy with the lowest risk on D₁; of several, the one with the lowest on D₂."""
    level: float
    """How much of the bootstrap's replicates the band covers."""
    _lines: _Lines
    _replicates: tuple[_Lines, ...]
    """Δ(α) with contexts drawn anew."""
    _errors: tuple[_Lines, ...]
    """How much α·r₁ − r₂ is then higher at most, of all policies."""

    def __repr__(self) -> str:
        return f"<Frontier of {self.risks.shape[1]} policies, Δ(1) = {self.Delta(1):.4g}>"

    @property
    def n_replicates(self) -> int:
        """How many replicates the band comes from; 0 if there is none."""
        return len(self._replicates)

    @property
    def regrets(self) -> Doubles:
        """r₁ and r₂: what each policy costs more than π*; shape (2, |Π|)."""
        return self.risks - self.risks[:, [self.best_policy]]

    @property
    def breakpoints(self) -> Doubles:
        """Where one straight piece of Δ(α) ends and the next begins."""
        return -np.diff(self._lines.intercepts) / np.diff(self._lines.slopes)

    def Delta(self, alpha: ArrayLike) -> Doubles:  # noqa: N802
        """The smallest Δ with which D₂ is (α, Δ)-similar to D₁, for each α."""
        return self._lines.highest(_alphas(alpha))

    def band(self, alpha: ArrayLike) -> tuple[Doubles, Doubles]:
        """From where to where Δ(α) may lie, had all contexts been seen; for each α by itself.

        A maximum over policies is estimated too high rather than too low, most of all where many are as good as the
        best. The lower end is therefore as far from Δ(α) as the worst policy's error in the bootstrap, and the upper
        one as far as the replicates of Δ(α) themselves; each holds but for half of 1 − `level`.
        """
        if not self._replicates:
            raise InputError("bootstrap is 0; expected replicates for a band")
        alpha = _alphas(alpha)
        Delta = self._lines.highest(alpha)
        errors = [lines.highest(alpha) for lines in self._errors]
        changes = np.abs([lines.highest(alpha) - Delta for lines in self._replicates])
        below, above = (np.quantile(values, (1 + self.level) / 2, axis=0) for values in (errors, changes))
        return np.clip(Delta - below, 0.0, Delta), Delta + above


def frontier(
    policies: Policies,
    X: Features,
    costs_1: ArrayLike,
    costs_2: ArrayLike,
    *,
    bootstrap: int = 200,
    level: float = 0.95,
    seed: int = 0,
) -> Frontier:
    """Measure how similar D₂ is to D₁, the source that one is judged by.

    Args:
        policies: Π.
        X: the contexts, the same for both sources.
        costs_1: D₁: costs of shape (n, K) or labels of shape (n,); of an expectation or of a sample.
        costs_2: D₂, likewise.
        bootstrap: replicates for the band; 0 for none, which is faster.
        level: how much of the replicates the band covers.
        seed: of the bootstrap.

    >>> from warmcb.learners.finite_class import ConstantPolicies
    >>> judged_by, labels = [0, 0, 0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1, 1, 1]
    >>> similarity = frontier(ConstantPolicies(3), np.zeros((8, 1)), judged_by, labels, bootstrap=0)
    >>> similarity.regrets  # π* always plays 0; the labels would have one play 1
    array([[ 0.   ,  0.375,  0.5  ],
           [ 0.   , -0.5  ,  0.25 ]])
    >>> similarity.Delta([0, 1, 8])  # 0.375α + 0.5 up to α = 6, then 0.5α − 0.25
    array([0.5  , 0.875, 3.75 ])
    >>> similarity.breakpoints
    array([6.])

    """
    X, table_1, table_2 = _checked(policies, X, costs_1, costs_2)
    _inputs.integer("bootstrap", bootstrap, 0, 10**5)
    _inputs.number("level", level, "a number in (0, 1]", 0.0, 1.0, low_excluded=True)
    measured, replicates = _measure(policies, X, table_1, table_2, bootstrap, _inputs.seed(seed))
    regrets = measured - measured[:, [_best(*measured)]]
    again = [pair - pair[:, [_best(*pair)]] for pair in replicates]
    return Frontier(
        measured,
        _best(*measured),
        level,
        _envelope(*regrets),
        tuple(_envelope(*pair) for pair in again),
        tuple(_envelope(*(pair - regrets)) for pair in again),
    )


def risks(policies: Policies, X: Features, costs_1: ArrayLike, costs_2: ArrayLike) -> Doubles:
    """The average cost of each policy on two sources; shape (2, |Π|). Arguments as for `frontier`.

    >>> from warmcb.learners.finite_class import ConstantPolicies
    >>> risks(ConstantPolicies(2), np.zeros((4, 1)), [0, 0, 0, 1], [[0.5, 1.0]] * 4)
    array([[0.25, 0.75],
           [0.5 , 1.  ]])
    """
    measured, _ = _measure(policies, *_checked(policies, X, costs_1, costs_2), 0, 0)
    return measured


def _best(risks_1: Doubles, risks_2: Doubles) -> int:
    return int(np.lexsort((risks_2, risks_1))[0])


def _envelope(regrets_1: Doubles, regrets_2: Doubles) -> _Lines:
    """The lines α·r₁ − r₂ that are the highest somewhere: from the steepest on, each that rises above the last."""
    slopes, intercepts = regrets_1, -regrets_2
    order = np.lexsort((-intercepts, -slopes))
    slopes, intercepts = slopes[order], intercepts[order]
    higher = np.append(True, intercepts[1:] > np.maximum.accumulate(intercepts)[:-1])  # than all that are steeper
    kept: list[tuple[float, float]] = []
    for line in zip(slopes[higher].tolist(), intercepts[higher].tolist(), strict=True):
        while len(kept) > 1 and _crossing(line, kept[-1]) >= _crossing(kept[-1], kept[-2]):
            kept.pop()
        kept.append(line)
    columns = np.array(kept[::-1]).T
    return _Lines(columns[0], columns[1])


def _crossing(flat: tuple[float, float], steep: tuple[float, float]) -> float:
    return (flat[1] - steep[1]) / (steep[0] - flat[0])


def _measure(
    policies: Policies, X: Any, table_1: CostTable, table_2: CostTable, n_replicates: int, seed: int
) -> tuple[Doubles, NDArray[np.float32]]:
    """Risks on both sources, (2, |Π|), and in replicates with contexts drawn anew, (replicates, 2, |Π|)."""
    n, size = X.shape[0], len(policies)
    random = _streams.generator(seed, _streams.POLICIES)
    left = np.full(n_replicates, n)  # contexts that each replicate has still to draw
    sums = np.zeros(size, dtype=np.complex128)  # both sources in one number: each loss is looked up once
    replicates = np.zeros((n_replicates, 2 * size), dtype=np.float32)
    step = max(1, _DECISIONS // size)
    for start in range(0, n, step):
        part = slice(start, start + step)
        rows = X[part].toarray() if hasattr(X, "toarray") else X[part]
        chosen = _actions(policies, rows)
        costs = _costs.as_matrix(table_1[part], policies.n_actions) + 1j * _costs.as_matrix(
            table_2[part], policies.n_actions
        )
        losses = np.empty(chosen.shape if n_replicates else (0, size), dtype=np.complex64)
        for i, (row, actions) in enumerate(zip(costs, chosen, strict=True)):  # a row at a time stays in the cache
            paid = row.take(actions)
            sums += paid
            if n_replicates:
                losses[i] = paid
        if n_replicates:
            weights = _multinomial(random, left, len(rows), n - start)
            left -= weights.sum(axis=1)
            replicates += weights.astype(np.float32) @ losses.view(np.float32)
    pairs = replicates.reshape(n_replicates, size, 2).transpose(0, 2, 1)
    return np.stack([sums.real, sums.imag]) / n, pairs / np.float32(n)


def _multinomial(random: np.random.Generator, left: NDArray[np.int64], size: int, of: int) -> NDArray[np.int64]:
    """How often the next `size` of `of` contexts come up in each replicate that has so many draws left."""
    drawn = random.binomial(left, size / of)
    cells = np.repeat(np.arange(len(left)) * size, drawn) + random.integers(size, size=drawn.sum())
    return np.bincount(cells, minlength=len(left) * size).reshape(len(left), size)


def _actions(policies: Policies, X: NDArray[Any]) -> NDArray[Any]:
    """What `policies.actions` gives, linear ones in blocks: a row's scores may then round otherwise at an exact tie."""
    if isinstance(policies, JoinedPolicies):
        return np.concatenate([_actions(part, X) for part in policies.parts], axis=1)
    if not isinstance(policies, LinearPolicies):
        return policies.actions(X)
    if X.shape[1] + 1 != policies.weights.shape[2]:
        raise InputError(f"X has {X.shape[1]} features; expected {policies.weights.shape[2] - 1}, as the policies")
    X = np.column_stack([X.astype(np.float64), np.ones(len(X))])
    weights = policies.weights.transpose(1, 2, 0)
    chosen = np.zeros((len(X), len(policies)), dtype=np.min_scalar_type(-policies.n_actions))
    height, width = 64, 256  # so few that their scores stay in the cache
    for j in range(0, len(policies), width):
        block = np.ascontiguousarray(weights[:, :, j : j + width])
        for i in range(0, len(X), height):
            _argmin(X[i : i + height], block, chosen[i : i + height, j : j + width])
    return chosen


def _argmin(X: Doubles, weights: Doubles, chosen: NDArray[Any]) -> None:
    """The action with the lowest score, the first of several, into zeros: several times faster than a NumPy argmin."""
    lowest = _product(X, weights[0])
    for action in range(1, len(weights)):
        scores = _product(X, weights[action])
        is_lower = (scores < lowest).astype(chosen.dtype)
        np.maximum(chosen, is_lower * chosen.dtype.type(action), out=chosen)
        np.minimum(lowest, scores, out=lowest)


def _product(X: Doubles, weights: Doubles) -> Doubles:
    """X @ weights, in pieces so small that BLAS starts no threads: on a busy machine they wait for each other."""
    total = X[:, :16] @ weights[:16]
    for j in range(16, len(weights), 16):
        total += X[:, j : j + 16] @ weights[j : j + 16]
    return total


# The paper's examples


@dataclass(frozen=True)
class SimilarSource:
    """A source D₂ made from D₁, and what the paper claims of it: strong (α, Δ)-similarity, by c₂ = c⁺ + c⁻."""

    costs: Doubles
    """E[c₂(a) | x], shape (n, K)."""
    plus: Doubles
    """E[c⁺(a) | x], the useful part; c⁻ is the rest."""
    alpha: float
    Delta: float


def lowest_cost_labels(costs_1: ArrayLike, best_actions: ArrayLike) -> SimilarSource:
    """Example 1: an expert names the action of the lowest cost. (1, 2·P(c(π*(x)) ≥ min over a ≠ π*(x) of c(a))).

    Args:
        costs_1: D₁, shape (n, K).
        best_actions: what π*, the best policy on D₁, does in each context.

    >>> source = lowest_cost_labels([[0.0, 0.3], [0.1, 0.2], [0.5, 0.4], [0.2, 0.9]], best_actions=[0, 0, 0, 0])
    >>> source.costs.tolist()
    [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> source.alpha, source.Delta  # π* is not the lowest in one row of four
    (1.0, 0.5)

    """
    n_actions = _inputs.count_actions(None, costs_1)
    costs = _inputs.cost_table(None, costs_1, len(np.asarray(costs_1)), n_actions)
    best = _named("best_actions", best_actions, len(costs), n_actions)
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
    """Example 2: with probability p a label is replaced by any, as the noise uar does. (1−p, 0).

    >>> uniform_corruption([0, 1], n_actions=2, p=0.5)
    SimilarSource(costs=array([[0.25, 0.75],
           [0.75, 0.25]]), plus=array([[0.25, 0.75],
           [0.75, 0.25]]), alpha=0.5, Delta=0.0)
    """
    true = _true_costs(y, n_actions)
    costs = (1 - _inputs.fraction("p", p)) * true + p * (1 - 1 / n_actions)
    return SimilarSource(costs, costs, 1 - p, 0.0)


def general_corruption(y: ArrayLike, wrong: ArrayLike, n_actions: int, p: float) -> SimilarSource:
    """Example 3: with probability p a label is replaced by whatever an adversary likes. (1, 2p).

    Args:
        y: labels of D₁.
        wrong: the labels that may take their place; or of random ones the expected costs, shape (n, K).
        n_actions: K.
        p: how often they do.

    >>> source = general_corruption([0, 1], wrong=[1, 1], n_actions=2, p=0.25)
    >>> source.costs.tolist(), source.alpha, source.Delta
    ([[0.25, 0.75], [1.0, 0.0]], 1.0, 0.5)

    """
    true = _true_costs(y, n_actions)
    others = _costs.as_matrix(_named("wrong", wrong, len(true), n_actions), n_actions)
    return SimilarSource((1 - _inputs.fraction("p", p)) * true + p * others, true, 1.0, 2 * p)


class StrongSimilarity(NamedTuple):
    """How the two conditions of strong similarity are met."""

    useful: float
    """The smallest E[c⁺(π(x))] − E[c⁺(π*(x))] − α·r₁(π); at least 0 by condition 1."""
    useless: float
    """The largest |E[c⁻(π(x))]|; at most Δ/2 by condition 2."""
    holds: bool
    """Whether both are met, but for rounding."""


def strong_similarity(
    policies: Policies, X: Features, costs_1: ArrayLike, source: SimilarSource, *, tolerance: float = _TOLERANCE
) -> StrongSimilarity:
    """Check the paper's claim about a source made from D₁, on the data and the policies at hand.

    >>> from warmcb.learners.finite_class import ConstantPolicies
    >>> y = [0, 0, 0, 1]
    >>> source = general_corruption(y, wrong=[1, 1, 1, 0], n_actions=2, p=0.25)
    >>> strong_similarity(ConstantPolicies(2), np.zeros((4, 1)), y, source)  # of the Δ/2 = 0.25 half is needed
    StrongSimilarity(useful=0.0, useless=0.125, holds=True)
    """
    true, plus = risks(policies, X, costs_1, source.plus)
    both, _ = risks(policies, X, source.costs, source.costs)
    best = _best(true, plus)
    useful = float((plus - plus[best] - source.alpha * (true - true[best])).min())
    useless = float(np.abs(both - plus).max())
    return StrongSimilarity(useful, useless, useful >= -tolerance and useless <= source.Delta / 2 + tolerance)


# For a practitioner


class BestLambda(NamedTuple):
    """The λ with the lowest bound, and the similarity that proves it."""

    lam: float
    average: float
    """The average of G_t(λ, α, Δ) over the rounds. From the worst policy's regret on it only ranks λ."""
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

    >>> from warmcb.learners.finite_class import ConstantPolicies
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
        lams = _inputs.lambdas(lambdas, eight_lambdas(problem.K, problem.epsilon))
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


# What callers bring


def _checked(policies: object, X: Features, costs_1: ArrayLike, costs_2: ArrayLike) -> tuple[Any, CostTable, CostTable]:
    if not isinstance(policies, Policies):
        raise InputError(f"policies is {policies!r:.60}; expected a class of policies, such as ConstantPolicies(2)")
    if len(policies) == 0:
        raise InputError("policies is empty; expected at least one policy")
    X = _inputs.plain_matrix(X)
    n_rows = len(_inputs.matrix(X, None))  # its values are checked
    if n_rows == 0:
        raise InputError("X has no rows; expected contexts")
    K = policies.n_actions
    return X, _named("costs_1", costs_1, n_rows, K), _named("costs_2", costs_2, n_rows, K)


def _named(name: str, table: ArrayLike, n_rows: int, n_actions: int) -> CostTable:
    """Labels, of one dimension, or costs."""
    try:
        if np.ndim(table) == 1:
            return _inputs.cost_table(table, None, n_rows, n_actions)
        return _inputs.cost_table(None, table, n_rows, n_actions)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _alphas(alpha: ArrayLike) -> Doubles:
    try:
        array = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"alpha is {alpha!r:.60}; expected numbers of at least 0") from None
    wrong = array[~((array >= 0) & (array < np.inf))]
    if wrong.size:
        raise InputError(f"alpha is {wrong[0]:g}; expected a number of at least 0")
    return array


def _true_costs(y: ArrayLike, n_actions: int) -> Doubles:
    n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)
    return _costs.as_matrix(_inputs.labels(y, np.size(y), n_actions), n_actions)
