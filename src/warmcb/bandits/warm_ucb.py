"""The warm-started UCB1 of the paper's appendix (Algorithm 3), and its plain twin.

Both ignore the context. The first shows how a naive warm start fails: labels that are wrong by Δ keep the best action
from being played for exp(Δ²·n_s/16) rounds.
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
    """UCB1 on costs whose means and confidence bounds start from the warm start's examples.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        seed: not used, as nothing is drawn at random.

    >>> bandit = WarmUCB(n_actions=2).warm_start([[0.0]] * 100, costs=[[0.5, 0.6]] * 100)
    >>> bandit.decide([0.0]).action
    0

    """

    def __init__(self, n_actions: int | None = None, *, actions: Sequence[str] | None = None, seed: int = 0) -> None:
        super().__init__(n_actions, actions, seed)

    @property
    def bounds_(self) -> NDArray[np.float64]:
        """The lower confidence bound of each action's cost (line 4)."""
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
    """The plain twin: the same, but the warm start teaches it nothing.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        seed: not used, as nothing is drawn at random.

    """

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        pass
