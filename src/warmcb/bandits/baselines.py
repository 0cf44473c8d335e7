"""The paper's baselines (section 5): the single sources, the naive mixture, and the best constant action."""

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs, _inputs, _streams
from warmcb._core import ProgressiveValidation, Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits._base import Bandit
from warmcb.bandits._rounds import Trace, certain
from warmcb.bandits.arrow import ArrowCB


class BanditOnly(ArrowCB):
    """Learns from the interaction alone: ARRoW-CB with Λ = {1}."""

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float = 0.0125,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(
            n_actions, epsilon=epsilon, lambdas=(1.0,), learning_rate=learning_rate, horizon=horizon, seed=seed
        )


class SupOnly(ArrowCB):
    """Plays what the warm start taught: ARRoW-CB with Λ = {0}, no exploration, no training in the interaction."""

    _trains = False

    def __init__(
        self, n_actions: int, *, learning_rate: float = 0.5, horizon: int | None = None, seed: int = 0
    ) -> None:
        super().__init__(
            n_actions, epsilon=0.0, lambdas=(0.0,), learning_rate=learning_rate, horizon=horizon, seed=seed
        )


class SimBandit(ArrowCB):
    """Treats the warm start as bandit rounds too: explores there, and learns the cost of the chosen action only.

    All examples weigh alike, 1/(K·p): the mixture of λ = ½.
    """

    def __init__(self, n_actions: int, *, epsilon: float = 0.0125, learning_rate: float = 0.5, seed: int = 0) -> None:
        super().__init__(n_actions, epsilon=epsilon, lambdas=(0.5,), learning_rate=learning_rate, seed=seed)

    def _weigh(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.zeros(1), np.array([1 / self.n_actions])

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        unscored = ProgressiveValidation(1)  # λ is scored on the interaction alone
        random = Stream(self.seed, _streams.WARM_START)
        self._play_rows(rows, table, 0, len(rows), unscored, random, self._warm_examples)
        self._count_examples(len(rows))


class Majority(Bandit):
    """Plays one action for ever: `action`, or else the one with the lowest mean cost in the warm start.

    The paper's baseline is the best constant action of the whole data set. Who knows it, as the command
    `warmcb simulate` does, gives it as `action`.

    >>> Majority(n_actions=3).warm_start([[0.0], [0.0], [0.0]], [2, 1, 2]).decide([0.0]).action
    2
    """

    def __init__(self, n_actions: int, *, action: int | None = None, seed: int = 0) -> None:
        super().__init__(n_actions, seed)
        self.action = None if action is None else _inputs.integer("action", action, 0, self.n_actions - 1)
        self._costs = np.zeros(self.n_actions)

    @property
    def action_(self) -> int:
        """The action it plays."""
        return int(np.argmin(self._costs)) if self.action is None else self.action

    def _build(self, n_features: int) -> None:
        pass

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._costs += _costs.totals(table, self.n_actions)

    def _distribution(self, row: Rows) -> NDArray[np.float64]:
        return certain(self.action_, self.n_actions)

    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None:
        pass

    def _predict(self, rows: Rows) -> NDArray[np.int32]:
        return np.full(len(rows), self.action_, dtype=np.int32)

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        size = end - begin
        paid = _costs.paid(table[begin:end], self.action_)
        return Trace(np.full(size, self.action_, dtype=np.int32), np.ones(size), paid, np.full(size, np.nan))

    def _state(self) -> State:
        return {"costs": self._costs}

    def _restore(self, state: State) -> None:
        copy_into(self._costs, state["costs"])
