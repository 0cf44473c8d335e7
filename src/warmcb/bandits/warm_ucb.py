"""UCB1 with a warm start (Algorithm 3, in the appendix of the paper), and UCB1 without one.

Both ignore the context. The first shows how a naive warm start fails: if labels are wrong by Δ, the best action is not
played for exp(Δ²·n_s/16) rounds.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs
from warmcb._core import Costs, LowerConfidenceBounds, Rows, play_ucb
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits._numbered import Bandit
from warmcb.bandits.decisions import CheckedEvent, RoundArrays, Trace, certain


class WarmUCB(Bandit):
    """UCB1 whose means and confidence bounds start from the labelled examples. It ignores the context.

    The paper uses it to show that a naive warm start fails. Do not use it with labels that may be wrong.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        seed: not used, as nothing is drawn at random.

    Attributes:
        bounds_: the lower confidence bound of the cost of each action.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, Algorithm 3. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import WarmUCB
        >>> bandit = WarmUCB(n_actions=2).warm_start([[0.0]] * 100, costs=[[0.5, 0.6]] * 100)
        >>> bandit.decide([0.0]).action
        0

    """

    def __init__(self, n_actions: int | None = None, *, actions: Sequence[str] | None = None, seed: int = 0) -> None:
        super().__init__(n_actions, actions, seed)

    @property
    def bounds_(self) -> NDArray[np.float64]:
        """The lower confidence bound of the cost of each action (line 4)."""
        if self.n_features_ is None:
            return np.full(self.n_actions, -np.inf)
        return np.array([self._bounds.bound(a) for a in range(self.n_actions)])

    def _build(self, n_features: int) -> None:
        self._bounds = LowerConfidenceBounds(self.n_actions)

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._bounds.sums[...] += _costs.totals(table, self.n_actions)  # line 3, first sum
        self._bounds.counts[...] += _costs.counts(table, self.n_actions)

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        return certain(self._bounds.best(allowed), self.n_actions)  # line 5

    def _learn(self, row: Rows, event: CheckedEvent) -> None:
        self._bounds.add(event.action, event.cost)  # lines 2 and 3

    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        if mask is None:
            return np.full(len(rows), self._bounds.best(), dtype=np.int32)
        return np.array([self._bounds.best(allowed) for allowed in mask], dtype=np.int32)

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        out = RoundArrays(end - begin)
        play_ucb(self._bounds, Costs(table), begin, end, *out.arrays())
        return out.trace(np.array([np.nan]), self.learned_)

    def _state(self) -> State:
        bounds = self._bounds
        return {"sums": bounds.sums, "counts": bounds.counts, "rounds": np.array(bounds.rounds)}

    def _restore(self, state: State) -> None:
        copy_into(self._bounds.sums, state["sums"])
        copy_into(self._bounds.counts, state["counts"])
        self._bounds.rounds = int(state["rounds"])


class UCB1(WarmUCB):
    """UCB1 on costs, which ignores labels and contexts.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        seed: not used, as nothing is drawn at random.

    References:
        Auer, Cesa-Bianchi, Fischer: *Finite-time Analysis of the Multiarmed Bandit Problem*, Machine Learning 47, 2002.

    Examples:
        >>> from warmcb import UCB1
        >>> bandit = UCB1(n_actions=2)
        >>> for cost in (0.5, 0.2, 0.2):
        ...     decision = bandit.decide([0.0])
        ...     bandit.learn([0.0], decision, cost)
        >>> decision.action
        1

    """

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        pass
