"""The paper's baselines (section 5): the single sources, the naive mixture, and the best constant action."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _costs, _streams
from warmcb._core import Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits._numbered import Bandit
from warmcb.bandits._sources import LABELS
from warmcb.bandits.arrow import ArrowCB
from warmcb.bandits.decisions import Action, CheckedEvent, Trace, certain


class BanditOnly(ArrowCB):
    """Learns from the interaction alone: ARRoW-CB with Λ = {1}.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: share of uniform exploration.
        learning_rate: of the online learner.
        horizon: the number of rounds to come, if known; it scales the weights as in `ArrowCB`.
        seed: of the exploration.

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.0125,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        own: dict[str, Any] = {"epsilon": epsilon, "learning_rate": learning_rate, "horizon": horizon}
        super().__init__(n_actions, actions=actions, lambdas=(1.0,), seed=seed, **own)


class SupOnly(ArrowCB):
    """Plays what the warm start taught: ARRoW-CB with Λ = {0}, no exploration, no training in the interaction.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        learning_rate: of the online learner.
        horizon: the number of rounds to come, if known; it scales the weights as in `ArrowCB`.
        seed: of the draws between actions that look the same.

    """

    _trains = False

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        own: dict[str, Any] = {"learning_rate": learning_rate, "horizon": horizon}
        super().__init__(n_actions, actions=actions, epsilon=0.0, lambdas=(0.0,), seed=seed, **own)


class SimBandit(ArrowCB):
    """Treats the warm start as bandit rounds too: explores there, and learns the cost of the chosen action only.

    All examples weigh alike, 1/(K·p): the mixture of λ = ½.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: share of uniform exploration.
        learning_rate: of the online learner.
        seed: of the exploration.

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.0125,
        learning_rate: float = 0.5,
        seed: int = 0,
    ) -> None:
        own: dict[str, Any] = {"epsilon": epsilon, "learning_rate": learning_rate}
        super().__init__(n_actions, actions=actions, lambdas=(0.5,), seed=seed, **own)

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return np.zeros(1), np.array([1 / self.n_actions])

    def _warm_start(self, rows: Rows, table: CostTable, source: str = LABELS) -> None:
        unscored = _core.FixedLane(0, 1)  # λ is scored on the interaction alone
        others = self._explorer, self._trial, self._optimism, self._unit
        rounds = _core.Composition(self._learner, unscored, *others, self.epsilon)
        rounds.weigh(self._bandit_weights.tolist(), [], 0.0)
        random = Stream(self.seed, _streams.WARM_START)
        self._play_compiled(rounds, random, self._warm_examples, rows, table, 0, len(rows))
        self._listen_to(source)
        self._count_examples(table, source)


class Majority(Bandit):
    """Always plays one action: `action`, or else the one with the lowest mean cost in the warm start.

    The paper's baseline is the best constant action of the whole data set. The command `warmcb simulate` knows it, and
    gives it as `action`.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        action: the action to play, by number or name. Where it is not allowed, the cheapest of the allowed ones is
            played.
        seed: not used, as nothing is drawn at random.

    >>> Majority(n_actions=3).warm_start([[0.0], [0.0], [0.0]], [2, 1, 2]).decide([0.0]).action
    2

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        action: int | str | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self._given = None if action is None else self._actions.number(action)
        self.action = action if isinstance(action, str) else self._given
        self._costs = np.zeros(self.n_actions)
        self._counts = np.zeros(self.n_actions)

    @property
    def action_(self) -> Action:
        """The action it plays."""
        return self._actions.all[self._best(None)]

    def _best(self, allowed: Allowed) -> int:
        """The given action, or else the cheapest of the allowed ones; an action that nobody has judged costs ½."""
        if self._given is not None and (allowed is None or allowed[self._given]):
            return self._given
        means = np.where(self._counts > 0, self._costs / np.maximum(self._counts, 1), 0.5)
        return int(np.argmin(means if allowed is None else np.where(allowed, means, np.inf)))

    def _build(self, n_features: int) -> None:
        pass

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._costs += _costs.totals(table, self.n_actions)
        self._counts += _costs.counts(table, self.n_actions)

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        return certain(self._best(allowed), self.n_actions)

    def _learn(self, row: Rows, event: CheckedEvent) -> None:
        pass

    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        if mask is None:
            return np.full(len(rows), self._best(None), dtype=np.int32)
        return np.array([self._best(allowed) for allowed in mask], dtype=np.int32)

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        chosen = self._predict(rows, _costs.mask(table))[begin:end]
        paid = _costs.paid(table[begin:end], chosen)
        return Trace(
            chosen,
            np.ones(end - begin),
            paid,
            np.full(end - begin, np.nan),
            self.learned_ + np.arange(end - begin, dtype=np.float64),
        )

    def _state(self) -> State:
        return {"costs": self._costs, "counts": self._counts}

    def _restore(self, state: State) -> None:
        copy_into(self._costs, state["costs"])
        copy_into(self._counts, state["counts"])
