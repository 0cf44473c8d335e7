"""The similarity of two sources of costs for a class of policies: section 2 of the paper and its appendix.

D₂ is (α, Δ)-similar to D₁ (definition 1) if r₂(π) ≥ α·r₁(π) − Δ for every policy π. Here r₁ and r₂ are the regrets of
π on the two sources, relative to π*, the best policy on D₁. For each α there is a smallest such Δ. It is a maximum over
finitely many policies, so Δ(α), the frontier, can be computed exactly.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _inputs, _streams
from warmcb._costs import CostTable
from warmcb._inputs import Features
from warmcb.errors import InputError
from warmcb.learners.finite_class import JoinedPolicies, LinearPolicies, Policies

Doubles = NDArray[np.float64]

_DECISIONS = 2**22  # the number of pairs (context, policy) whose losses are in memory at a time


class _Lines(NamedTuple):
    """Lines α·slope + intercept, each the highest for some α ≥ 0; the flattest comes first."""

    slopes: Doubles
    intercepts: Doubles

    def highest(self, alpha: Doubles) -> Doubles:
        return np.asarray((alpha[..., None] * self.slopes + self.intercepts).max(axis=-1))


@dataclass(frozen=True, repr=False)
class Frontier:
    """Δ(α) = max over π of α·r₁(π) − r₂(π), the smallest Δ for each α.

    The function is convex, piecewise linear and never below 0. `frontier` computes it.

    Attributes:
        risks: the average cost of each policy on both sources; shape (2, |Π|).
        best_policy: the number of π*, the policy with the lowest risk on D₁. Among several it is the one with the
            lowest risk on D₂.
        level: the confidence level of the band, in (0, 1].

    """

    risks: Doubles
    best_policy: int
    level: float
    _lines: _Lines
    _replicates: tuple[_Lines, ...]
    """Δ(α) of each bootstrap replicate."""
    _errors: tuple[_Lines, ...]
    """For each replicate, the largest increase of α·r₁ − r₂ over all policies."""

    def __repr__(self) -> str:
        return f"<Frontier of {self.risks.shape[1]} policies, Δ(1) = {self.Delta(1):.4g}>"

    @property
    def n_replicates(self) -> int:
        """The number of bootstrap replicates of the band; 0 if there is no band."""
        return len(self._replicates)

    @property
    def regrets(self) -> Doubles:
        """r₁ and r₂, the regret of each policy relative to π*; shape (2, |Π|)."""
        return self.risks - self.risks[:, [self.best_policy]]

    @property
    def breakpoints(self) -> Doubles:
        """The values of α where the slope of Δ(α) changes."""
        return -np.diff(self._lines.intercepts) / np.diff(self._lines.slopes)

    def Delta(self, alpha: ArrayLike) -> Doubles:  # noqa: N802
        """Compute the smallest Δ for which D₂ is (α, Δ)-similar to D₁, for each α.

        Args:
            alpha: α of at least 0: a number, or an array of any shape.

        Returns:
            Δ(α), in the shape of `alpha`.

        Raises:
            InputError: an α is negative or not finite.

        """
        return self._lines.highest(_alphas(alpha))

    def band(self, alpha: ArrayLike) -> tuple[Doubles, Doubles]:
        """Compute a confidence band for Δ(α), as only some contexts were observed. It holds for each α separately.

        The estimate of a maximum over policies tends to be too high, most of all if many policies are close to the
        best. The lower end therefore uses the largest error of any policy in the bootstrap. The upper end uses the
        replicates of Δ(α) themselves. Each end fails with probability (1 − `level`)/2.

        Args:
            alpha: as in `Delta`.

        Returns:
            the lower and the upper end, both in the shape of `alpha`.

        Raises:
            InputError: there are no bootstrap replicates, or an α is negative or not finite.

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
    """Measure how similar D₂ is to D₁, the source of the true costs.

    Args:
        policies: Π, such as `ConstantPolicies(2)` or `LinearPolicies.at_random(…)`; at least one policy.
        X: the contexts, one in each row. Both sources share them.
        costs_1: D₁: costs of shape (n, K), or labels of shape (n,). Costs may be samples or expectations.
        costs_2: D₂, in the same form.
        bootstrap: the number of bootstrap replicates for the band; 0 for no band, which is faster.
        level: the confidence level of the band, in (0, 1].
        seed: the seed of the bootstrap.

    Returns:
        Δ(α) for every α, with the risks of all policies.

    Raises:
        InputError: an argument is out of its range, or the data do not fit together.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import ConstantPolicies
        >>> from warmcb.theory import frontier
        >>> true_labels, labels = [0, 0, 0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1, 1, 1]
        >>> similarity = frontier(ConstantPolicies(3), np.zeros((8, 1)), true_labels, labels, bootstrap=0)
        >>> similarity.regrets  # π* always plays 0; according to the labels, 1 is better
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
    regrets = measured - measured[:, [best_of(*measured)]]
    again = [pair - pair[:, [best_of(*pair)]] for pair in replicates]
    return Frontier(
        measured,
        best_of(*measured),
        level,
        _envelope(*regrets),
        tuple(_envelope(*pair) for pair in again),
        tuple(_envelope(*(pair - regrets)) for pair in again),
    )


def risks(policies: Policies, X: Features, costs_1: ArrayLike, costs_2: ArrayLike) -> Doubles:
    """Compute the average cost of each policy on two sources.

    Args:
        policies: as in `frontier`.
        X: as in `frontier`.
        costs_1: as in `frontier`.
        costs_2: as in `frontier`.

    Returns:
        the risks on D₁ and on D₂; shape (2, |Π|).

    Raises:
        InputError: the data do not fit together.

    Examples:
        >>> import numpy as np
        >>> from warmcb.learners.finite_class import ConstantPolicies
        >>> from warmcb.theory import risks
        >>> risks(ConstantPolicies(2), np.zeros((4, 1)), [0, 0, 0, 1], [[0.5, 1.0]] * 4)
        array([[0.25, 0.75],
               [0.5 , 1.  ]])

    """
    measured, _ = _measure(policies, *_checked(policies, X, costs_1, costs_2), 0, 0)
    return measured


def best_of(risks_1: Doubles, risks_2: Doubles) -> int:
    """Find π*, the policy with the lowest risk on the first source; among several, the lowest on the second.

    Args:
        risks_1: the average cost of each policy on the first source; shape (|Π|,).
        risks_2: the same on the second.

    Returns:
        the number of the policy, from 0.

    """
    return int(np.lexsort((risks_2, risks_1))[0])


def _envelope(regrets_1: Doubles, regrets_2: Doubles) -> _Lines:
    """Find the lines α·r₁ − r₂ that are the highest for some α ≥ 0, beginning with the steepest one."""
    slopes, intercepts = regrets_1, -regrets_2
    order = np.lexsort((-intercepts, -slopes))
    slopes, intercepts = slopes[order], intercepts[order]
    higher = np.append(True, intercepts[1:] > np.maximum.accumulate(intercepts)[:-1])  # than all steeper lines
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
    """Compute the risks on both sources, (2, |Π|), and in each bootstrap replicate, (replicates, 2, |Π|)."""
    n, size = X.shape[0], len(policies)
    random = _streams.generator(seed, _streams.POLICIES)
    left = np.full(n_replicates, n)  # contexts that each replicate has not drawn yet
    sums = np.zeros(size, dtype=np.complex128)  # a complex number holds both sources, so each loss is looked up once
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
    """Draw how often each replicate has the next `size` of `of` contexts; `left`: the draws that it has left."""
    drawn = random.binomial(left, size / of)
    cells = np.repeat(np.arange(len(left)) * size, drawn) + random.integers(size, size=drawn.sum())
    return np.bincount(cells, minlength=len(left) * size).reshape(len(left), size)


def _actions(policies: Policies, X: NDArray[Any]) -> NDArray[Any]:
    """`policies.actions`, with linear policies in blocks. The rounding of scores may differ at exact ties."""
    if isinstance(policies, JoinedPolicies):
        return np.concatenate([_actions(part, X) for part in policies.parts], axis=1)
    if not isinstance(policies, LinearPolicies):
        return policies.actions(X)
    if X.shape[1] + 1 != policies.weights.shape[2]:
        raise InputError(f"X has {X.shape[1]} features; expected {policies.weights.shape[2] - 1}, as the policies")
    X = np.column_stack([X.astype(np.float64), np.ones(len(X))])
    weights = policies.weights.transpose(1, 2, 0)
    chosen = np.zeros((len(X), len(policies)), dtype=np.min_scalar_type(-policies.n_actions))
    height, width = 64, 256  # small enough that the scores stay in the cache
    for j in range(0, len(policies), width):
        block = np.ascontiguousarray(weights[:, :, j : j + width])
        for i in range(0, len(X), height):
            _argmin(X[i : i + height], block, chosen[i : i + height, j : j + width])
    return chosen


def _argmin(X: Doubles, weights: Doubles, chosen: NDArray[Any]) -> None:
    """Write the first action with the lowest score into `chosen`, which holds zeros. Much faster than np.argmin."""
    lowest = _product(X, weights[0])
    for action in range(1, len(weights)):
        scores = _product(X, weights[action])
        is_lower = (scores < lowest).astype(chosen.dtype)
        np.maximum(chosen, is_lower * chosen.dtype.type(action), out=chosen)
        np.minimum(lowest, scores, out=lowest)


def _product(X: Doubles, weights: Doubles) -> Doubles:
    """X @ weights in small pieces, for which BLAS starts no threads. On a busy machine its threads are slow."""
    total = X[:, :16] @ weights[:16]
    for j in range(16, len(weights), 16):
        total += X[:, j : j + 16] @ weights[j : j + 16]
    return total


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
    return X, table_of("costs_1", costs_1, n_rows, K), table_of("costs_2", costs_2, n_rows, K)


def table_of(name: str, table: ArrayLike, n_rows: int, n_actions: int) -> CostTable:
    """Check labels or costs.

    Args:
        name: the argument, for the message.
        table: labels of shape (n,), or costs of shape (n, K).
        n_rows: n.
        n_actions: K.

    Returns:
        the table, in the types that the core takes.

    """
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
