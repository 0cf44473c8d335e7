"""The baselines of the paper (section 5): each source alone, the naive mixture, and the best constant action."""

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
    """A baseline that ignores labels: ARRoW-CB with Λ = {1}.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        epsilon: the share of uniform exploration, ε.
        learning_rate: the step size of the online learner.
        horizon: the number of rounds to come, if it is known. It scales the weights as in `ArrowCB`.
        seed: the seed of all random draws.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, section 5. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import BanditOnly
        >>> bandit = BanditOnly(n_actions=2).warm_start([[1.0], [-1.0]], [0, 1])
        >>> bandit.lambda_
        1.0
        >>> bandit.predict_costs([[1.0]])  # nothing was learned from the labels
        array([[0., 0.]])

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
    """A baseline that learns from labels alone: ARRoW-CB with Λ = {0}. It does not explore.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        learning_rate: the step size of the online learner.
        horizon: the number of rounds to come, if it is known. It scales the weights as in `ArrowCB`.
        seed: the seed of the draws between actions with equal scores.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, section 5. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import SupOnly
        >>> bandit = SupOnly(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
        >>> bandit.decide([1.0]).probabilities
        array([1., 0.])

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
    """A baseline that treats labelled examples as rounds: it draws an action, and learns only the cost of that action.

    All examples have the same weight, 1/(K·p). This is the mixture with λ = ½.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        epsilon: the share of uniform exploration, ε.
        learning_rate: the step size of the online learner.
        seed: the seed of all random draws.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, section 5. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import SimBandit
        >>> bandit = SimBandit(n_actions=2, epsilon=0.1).warm_start([[1.0], [-1.0]] * 20, [0, 1] * 20)
        >>> bandit.predict([[1.0], [-1.0]])
        array([0, 1], dtype=int32)

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
        unscored = _core.FixedLane(0, 1)  # only the rounds of the interaction count for `scores_`
        others = self._explorer, self._trial, self._optimism, self._unit
        rounds = _core.Composition(self._learner, unscored, *others, self.epsilon)
        rounds.weigh(self._bandit_weights.tolist(), [], 0.0)
        random = Stream(self.seed, _streams.WARM_START)
        self._play_compiled(rounds, random, self._warm_examples, rows, table, 0, len(rows))
        self._listen_to(source)
        self._count_examples(table, source)


class Majority(Bandit):
    """A baseline that always plays the same action, by default the one with the lowest mean cost in the warm start.

    The baseline of the paper is the best constant action of the whole data set. The command `warmcb simulate` computes
    it, and passes it as `action`.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        action: the action to play, by number or name. If it is not allowed in a round, the allowed action with the
            lowest mean cost is played.
        seed: not used, as nothing is drawn at random.

    Attributes:
        action_: the action that it plays.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, section 5. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import Majority
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
        """The action that it plays."""
        return self._actions.all[self._best(None)]

    def _best(self, allowed: Allowed) -> int:
        """The given action if it is allowed, else the cheapest allowed one. An action without labels costs ½."""
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
