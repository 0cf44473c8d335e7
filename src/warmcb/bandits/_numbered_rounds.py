"""The rounds of bandits with numbered actions: the methods that an algorithm implements, and those it may speed up.

`Bandit` adds the public methods, and reads their arguments. The methods here get checked arguments only.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs, _inputs
from warmcb._core import Rows, draw
from warmcb._costs import CostTable
from warmcb._messages import shown
from warmcb._states import State
from warmcb.bandits._actions import Actions, Allowed, CheckedEvents, Mask
from warmcb.bandits._base import BaseBandit
from warmcb.bandits.decisions import CheckedEvent, RoundArrays, Trace
from warmcb.bandits.explanations import Explanation
from warmcb.errors import InputError, UnsupportedError

_LARGEST_MODEL = 2**38  # weights, for all λ together: far beyond any machine, far below any overflow
_MOST_ACTIONS = 2**20


class NumberedRounds(BaseBandit):
    """A bandit whose actions are numbered from 0 to K−1, without its public methods."""

    n_actions: int
    actions: tuple[str, ...] | None

    _takes_allowed: ClassVar[bool] = True
    """Whether the caller may restrict the allowed actions."""

    def __init__(self, n_actions: int | None, actions: Sequence[str] | None, seed: int) -> None:
        self.actions = _inputs.action_names(actions)
        if isinstance(n_actions, list | tuple):
            raise InputError(f"n_actions is {shown(n_actions)}; expected an integer: names are given as actions=")
        if self.actions is not None and n_actions is None:
            n_actions = len(self.actions)
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, _MOST_ACTIONS)
        if self.actions is not None and len(self.actions) != self.n_actions:
            raise InputError(f"n_actions is {n_actions}; expected {len(self.actions)}, the number of actions, or none")
        super().__init__(seed)
        self._actions = Actions(self.n_actions, self.actions)

    # Implemented by each algorithm

    @abstractmethod
    def _build(self, n_features: int) -> None:
        """Allocate the state, now that the number of features is known."""

    @abstractmethod
    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        """Learn from labels (n,), or from costs (n, K) in which NaN means unknown."""

    @abstractmethod
    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        """The probability of each action in a single row; 0 for those that are not allowed."""

    @abstractmethod
    def _learn(self, row: Rows, event: CheckedEvent) -> None:
        """Learn the outcome of a round."""

    @abstractmethod
    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        """The greedy action in each row."""

    # Optional, or faster when an algorithm overrides them

    def _predict_costs(self, rows: Rows) -> NDArray[np.float64]:
        """The expected cost of each action in each row, (n, K)."""
        raise UnsupportedError(f"{type(self).__name__} has no model of costs; expected a bandit that predicts them")

    def _explain(self, row: Rows, event: CheckedEvent, most: int) -> Explanation:
        """Why the action of an event was chosen, with at most `most` contributions."""
        raise UnsupportedError(f"{type(self).__name__} has no terms to explain; expected a WarmBandit or an ArrowCB")

    def _choose(self, row: Rows, allowed: Allowed, uniform: float) -> tuple[int, NDArray[np.float64]]:
        """The action that a uniform number in [0, 1) draws, and the probabilities of all actions."""
        probabilities = self._distribution(row, allowed)
        return draw(probabilities, uniform), probabilities

    def _choose_many(
        self, rows: Rows, mask: Mask, uniforms: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The same for many rows."""
        chosen = np.empty(len(rows), dtype=np.int32)
        probabilities = np.empty((len(rows), self.n_actions))
        for i in range(len(rows)):
            allowed = None if mask is None else mask[i]
            chosen[i], probabilities[i] = self._choose(rows.row(i), allowed, float(uniforms[i]))
        return chosen, probabilities

    def _learn_many(self, rows: Rows, events: CheckedEvents) -> None:
        """Learn the outcomes of many rounds, in their order."""
        actions, costs, probabilities, mask, rounds = events
        numbers = zip(actions.tolist(), costs.tolist(), probabilities.tolist(), rounds.tolist(), strict=True)
        for i, (action, cost, probability, round_) in enumerate(numbers):
            allowed = None if mask is None else mask[i]
            self._learn(rows.row(i), CheckedEvent(action, cost, probability, allowed, round_))
            self.learned_ += 1

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        """Decide and learn in the rows [begin, end). `_play_rounds` counts the draws and rounds afterwards."""
        out = RoundArrays(end - begin)
        lambdas, memories = np.empty(end - begin), np.empty(end - begin)
        learned, uniforms = self.learned_, self._draws.uniforms(None, end - begin)
        for t, i in enumerate(range(begin, end)):
            row, allowed = rows.row(i), _costs.known(table, i)
            lambdas[t], memories[t] = self.lambda_, self.memory_
            action, probabilities = self._choose(row, allowed, float(uniforms[t]))
            cost = float(_costs.paid(table[i : i + 1], action)[0])
            self._learn(row, CheckedEvent(action, cost, float(probabilities[action]), allowed, learned + t))
            self.learned_ = learned + t + 1
            out.actions[t], out.probabilities[t], out.costs[t] = action, probabilities[action], cost
        self.learned_ = learned
        return Trace(out.actions, out.probabilities, out.costs, lambdas, memories)

    # The first data, and whole runs

    def _meet(self, rows: Rows) -> None:
        """Build the model if these are the first data."""
        if self.n_features_ is not None:
            return
        self._check_size(self.n_actions, rows.features)
        try:
            self._build(rows.features)
        except MemoryError:
            raise self._too_large(self.n_actions, rows.features) from None
        self.n_features_ = rows.features

    def _check_size(self, n_actions: int, n_features: int) -> None:
        if n_actions * (n_features + 1) * max(1, len(self.lambdas_)) > _LARGEST_MODEL or n_actions > _MOST_ACTIONS:
            raise self._too_large(n_actions, n_features)

    def _too_large(self, n_actions: int, n_features: int) -> InputError:
        sizes = f"{n_actions} actions × {n_features} features × {len(self.lambdas_)} λ"
        return InputError(f"the model has {sizes}; expected one that fits into memory")

    def _check_allowed(self) -> None:
        if not self._takes_allowed:
            raise UnsupportedError(f"{type(self).__name__} cannot restrict the actions; expected actions=None")

    def _play_rounds(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        """Decide and learn in the rows [begin, end): the same rounds, bit for bit, as the live calls.

        Actions whose cost is NaN are not allowed.
        """
        with self._lock:
            if _costs.mask(table) is not None:
                self._check_allowed()
            self._meet(rows)
            trace = self._play(rows, table, begin, end)
            self._draws.count += end - begin
            self.learned_ += end - begin
            return trace

    # Implementation of the base class

    def _shape(self) -> State:
        met = self.n_features_ is not None
        sizes = {"at_first": self._actions.at_first, "n_features": self.n_features_ if met else -1}
        return {name: np.array(size) for name, size in sizes.items()}

    def _rebuild(self, state: State) -> None:
        at_first = _inputs.integer("at_first", int(state["at_first"]), 2, self.n_actions)
        self._actions = Actions(self.n_actions, self.actions, at_first)
        n_features = int(state["n_features"])
        if n_features >= 0:
            self._check_size(self.n_actions, n_features)
            self._build(n_features)
            self.n_features_ = n_features
