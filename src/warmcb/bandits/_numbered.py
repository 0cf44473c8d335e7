"""Bandits whose actions have numbers: the public methods, and the checks of their arguments."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _frames, _inputs
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb._messages import shown
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits._base import Columns
from warmcb.bandits._numbered_rounds import NumberedRounds
from warmcb.bandits.decisions import Action, Decision, Decisions, Key
from warmcb.bandits.explanations import Explanation, checked_decision
from warmcb.errors import InputError, OrderError, UnsupportedError

if TYPE_CHECKING:
    from warmcb.bandits.policy import Policy

_set = object.__setattr__
_of_vector = Rows.of_vector


class Bandit(NumberedRounds):
    """The base class of all bandits whose actions are numbered from 0 to K−1.

    A round has three steps: `decide` chooses an action for a context, the caller plays it, and `learn` gets its cost.
    Lower costs are better. `warm_start` teaches labelled examples, usually before the first round.

    Parameters cannot be changed after the first data. Several threads may share a bandit: each call waits for the
    others. Threads that only decide are faster with a `policy`.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        seed: the seed of all random draws.

    Attributes:
        n_actions: the number of actions, K.
        actions: the names of the actions; None if they have no names.
        seed: the seed of all random draws.
        cost_range: the lowest and the highest possible cost; None if costs may be any finite number.
        encoder: turns dictionaries, JSON and data frames into rows; None if contexts are rows already.
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        lambdas_: Λ, the candidate weights of bandit feedback against labels, in ascending order; empty for a bandit
            without λ.
        lambda_: the λ in charge; NaN for a bandit without λ.
        scores_: the estimated average cost of each λ; the lowest is in charge. Empty for a bandit without λ.
        rounds_: the number of rounds, or of validation examples, that `scores_` are computed from.
        memory_: the number of rounds that the model effectively rests on; all of them for a bandit that never forgets.

    Examples:
        >>> from warmcb import ArrowCB, Bandit
        >>> bandit = ArrowCB(actions=["news", "sports"], seed=1)
        >>> isinstance(bandit, Bandit)
        True
        >>> decision = bandit.decide([0.5, 1.0])
        >>> bandit.learn([0.5, 1.0], decision, cost=0.0)
        >>> bandit.learned_, bandit.n_features_
        (1, 2)

    """

    # Public methods

    def warm_start(
        self,
        X: _inputs.Features,
        y: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        actions: ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled examples.

        Args:
            X: contexts, one per row: an array, a SciPy sparse matrix, or a pandas or Polars data frame. It may have
                no rows.
            y: the right action of each row, by number or name. It costs 0, every other action costs 1.
            costs: instead of `y`, the cost of each action in each row, of shape (n, K).
            actions: which actions were judged: a boolean array of shape (n, K), or a list of actions for all rows.
                The costs of other actions may be NaN.

        Returns:
            the bandit itself.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            table = self._cost_table(y, costs, actions, len(rows))
            if len(rows):
                self._meet(rows)
                self._warm_start(rows, table)
                self._remember(columns)
            return self

    def decide(self, x: _inputs.Features, actions: Iterable[Action] | None = None, key: Key | None = None) -> Decision:
        """Choose an action for one context.

        Args:
            x: the context: a row of numbers. With named columns, also a dictionary or a data frame of one row.
            actions: the allowed actions, by number or name; by default all.
            key: the name of the random draw, such as the id of an event. The same key draws the same number in every
                process. Without a key, the bandit counts its draws.

        Returns:
            the decision. Keep it, because `learn` needs it.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.

        """
        with self._lock:
            columns, row = self._row(x)
            allowed, playable = (None, self._actions.all) if actions is None else self._allow(actions)
            key = None if key is None else _inputs.key(key)
            if self.n_features_ is None:
                self._meet(row)
            action, probabilities = self._choose(row, allowed, self._draws.uniform(key))
            if key is None:
                self._draws.count += 1
            if columns is not None:
                self._remember(columns)
            chosen, probability = self._actions.all[action], probabilities.item(action)
            # As Decision(…), in half the time.
            return tuple.__new__(Decision, (chosen, probability, probabilities, playable, self.learned_, key, None))

    def decide_many(
        self, X: _inputs.Features, actions: ArrayLike | None = None, keys: Sequence[Key] | None = None
    ) -> Decisions:
        """Choose an action for each row of X.

        The decisions are the same, bit for bit, as those of `decide` row by row, but much faster.

        Args:
            X: contexts, one per row.
            actions: the allowed actions: a boolean array of shape (n, K), or a list of actions for all rows.
            keys: the name of the random draw of each row, as in `decide`.

        Returns:
            the decisions, as arrays.

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            n_rows = len(rows)
            mask = self._mask(actions, n_rows)
            named = _inputs.keys(keys, n_rows)
            if n_rows == 0:
                return self._decisions(np.empty(0, dtype=np.int32), np.empty((0, self.n_actions)), mask, ())
            self._meet(rows)
            chosen, probabilities = self._choose_many(rows, mask, self._draws.uniforms(named, n_rows))
            if named is None:
                self._draws.count += n_rows
            self._remember(columns)
            return self._decisions(chosen, probabilities, mask, named or (None,) * n_rows)

    def learn(
        self,
        x: _inputs.Features,
        action: Decision | Action,
        cost: float | None = None,
        probability: float | None = None,
        *,
        actions: Iterable[Action] | None = None,
        reward: float | None = None,
    ) -> None:
        """Learn the cost of a decision: `learn(x, decision, cost)`.

        Costs may arrive late, out of order, or in another process. Each λ is scored with its current predictions.
        ε and the largest importance weight are those of the round of the decision.

        Args:
            x: the context of the decision.
            action: the decision; or the action that another system played, by number or name.
            cost: the cost, a finite number within `cost_range`.
            probability: the probability with which the other system played the action. Only without a decision.
            actions: the actions that the other system could have played; by default all. Only without a decision.
            reward: the reward, instead of a cost: the cost is −reward.

        Raises:
            InputError: an argument has a value that cannot be used, or the decision is not from a bandit like this.

        """
        with self._lock:
            columns, row = self._row(x)
            cost = _inputs.cost_or_reward(cost, reward, self.cost_range)
            if not isinstance(action, Decision):
                self._allow(actions)
                event = self._actions.foreign_event(action, cost, probability, actions, self.learned_)
            elif probability is None and actions is None:
                event = self._actions.event(action, cost)
            else:
                raise InputError("learn got a decision and also a probability or actions; expected the decision alone")
            if self.n_features_ is None:
                self._meet(row)
            self._learn(row, event)
            _set(self, "learned_", self.learned_ + 1)  # skips __setattr__, which takes a tenth of the time
            if columns is not None:
                self._remember(columns)

    def learn_many(
        self,
        X: _inputs.Features,
        decisions: Sequence[Decision],
        costs: ArrayLike | None = None,
        *,
        rewards: ArrayLike | None = None,
    ) -> None:
        """Learn the costs of many decisions, in their order.

        The result is the same, bit for bit, as that of `learn` one by one, but much faster.

        Args:
            X: the contexts of the decisions, one per row.
            decisions: the decisions of `decide_many`, or any sequence of decisions.
            costs: the cost of each decision.
            rewards: the reward of each decision, instead of costs: a cost is −reward.

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            if not isinstance(decisions, Sequence) or len(decisions) != len(rows):
                found = f"{len(decisions)} decisions" if isinstance(decisions, Sequence) else shown(decisions)
                raise InputError(f"there are {found}; expected {len(rows)} decisions, one for each row of X")
            events = self._actions.events(
                decisions, _inputs.paid_costs_or_rewards(costs, rewards, len(rows), self.cost_range)
            )
            if len(rows):
                learned = self.learned_
                self._meet(rows)
                self._learn_many(rows, events)
                self.learned_ = learned + len(rows)
                self._remember(columns)

    def observe(
        self, x: _inputs.Features, action: Action, cost: float | None = None, *, reward: float | None = None
    ) -> None:
        """Learn the cost of an action that was not drawn, but chosen by a rule, a person or a fallback.

        The model learns from it as from a round with probability 1. It does not count as exploration, and is not a
        fair test of any λ: `scores_` and `learned_` do not change.

        Args:
            x: the context.
            action: the action that was played, by number or name.
            cost: the cost, a finite number within `cost_range`.
            reward: the reward, instead of a cost: the cost is −reward.

        Raises:
            UnsupportedError: this bandit cannot learn from such costs.

        Examples:
            >>> from warmcb import WarmBandit
            >>> bandit = WarmBandit(actions=["news", "sports"])
            >>> bandit.observe([1.0, 0.0], "news", cost=0.2)  # an editor placed it
            >>> bandit.learned_
            0

        """
        raise UnsupportedError(f"{type(self).__name__} cannot observe costs; expected a WarmBandit or an ArrowCB")

    def predict(self, X: _inputs.Features, actions: ArrayLike | None = None) -> NDArray[Any]:
        """Give the greedy action for each row of X, without exploration. The bandit does not change.

        Args:
            X: contexts, one per row.
            actions: the allowed actions, as in `decide_many`.

        Returns:
            the actions, by name if they have names.

        Raises:
            OrderError: the bandit has not seen any data yet.

        """
        with self._lock:
            rows = self._known_rows("predict", X)
            return self._actions.spoken(self._predict(rows, self._mask(actions, len(rows))))

    def predict_costs(self, X: _inputs.Features) -> NDArray[np.float64]:
        """Predict the cost of each action in each row of X, with the λ in charge.

        The predictions come from a regression. They may lie slightly outside of the range of costs.

        Args:
            X: contexts, one per row.

        Returns:
            the expected costs, of shape (n, K), in the unit of the costs given to `learn`.

        Raises:
            OrderError: the bandit has not seen any data yet.
            UnsupportedError: this bandit has no model of costs.

        """
        with self._lock:
            return self._predict_costs(self._known_rows("predict_costs", X))

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Explain a decision: how much each feature adds to the expected cost, compared with the runner-up.

        The runner-up is the allowed action with the lowest expected cost among all others. If the bandit explored,
        that is the greedy action. Expected costs are those of the λ that is in charge now.

        Args:
            x: the context of the decision.
            decision: the decision.
            most: the largest number of contributions to list. The remaining ones are summed up as "all else".

        Returns:
            the explanation; `print` shows it as a table.

        Raises:
            OrderError: the bandit has not seen any data yet.
            UnsupportedError: the scores of this bandit are not sums of terms.

        """
        with self._lock:
            if self.n_features_ is None:
                raise OrderError("explain came before any data; expected warm_start, decide or learn first")
            event = self._actions.event(checked_decision(decision), 0.0)
            return self._explain(self._row(x)[1], event, most)

    def add_action(self, name: str | None = None) -> None:
        """Add an action to a running bandit. Nothing that was learned is lost.

        The costs of the new action are unknown. It is played in at least a quarter of the rounds until 100 of its
        rounds were learned, and it is preferred in case of doubt until 1,000 were. To retire an action, do not allow
        it any more.

        Args:
            name: the name of the action, if the others have names.

        Raises:
            UnsupportedError: this bandit, or its learner, cannot add actions.

        """
        raise UnsupportedError(f"{type(self).__name__} cannot add new actions; expected a WarmBandit or an ArrowCB")

    def policy(self) -> "Policy":
        # Returns the narrower type; the text is that of the base class.
        policy: Policy = super().policy()  # type: ignore[assignment]
        return policy

    # Used within the package

    def _decisions(
        self, chosen: NDArray[np.int32], probabilities: NDArray[np.float64], mask: Mask, keys: Sequence[Key | None]
    ) -> Decisions:
        return Decisions(
            self._actions.spoken(chosen),
            probabilities[np.arange(len(chosen)), chosen],
            probabilities,
            np.broadcast_to(True, probabilities.shape) if mask is None else mask.astype(np.bool_),
            np.full(len(chosen), self.learned_),
            tuple(keys),
            self.actions,
        )

    def _as_policy(self) -> "Policy":
        from warmcb.bandits.policy import Policy

        return Policy(self)

    # Reading arguments

    def _row(self, x: _inputs.Features) -> tuple[Columns, Rows]:
        n_features = self.n_features_
        if type(x) is np.ndarray and n_features is not None and self.encoder is None:
            row = _of_vector(x, n_features)
            if row is not None:
                return None, row
        x = self._encoded_row(x)
        columns = _frames.columns_of(x, "x")
        if columns is not None:
            x = _frames.arranged("x", x, self.features_ or columns)
        return columns, _inputs.one_row(x, self.n_features_, columns and (self.features_ or columns))

    def _rows(self, name: str, X: _inputs.Features) -> tuple[Columns, Rows]:
        X = self._encoded_rows(X)
        columns = _frames.columns_of(X, name)
        if columns is not None:
            X = _frames.arranged(name, X, self.features_ or columns)
        return columns, _inputs.matrix(X, self.n_features_, columns and (self.features_ or columns))

    def _cost_table(
        self, y: ArrayLike | None, costs: ArrayLike | None, actions: ArrayLike | None, n_rows: int
    ) -> CostTable:
        judged, numbers = self._mask(actions, n_rows), self._actions.numbers
        return _inputs.cost_table(y, costs, n_rows, self.n_actions, judged, numbers, self.cost_range)

    def _known_rows(self, method: str, X: _inputs.Features) -> Rows:
        _, rows = self._rows("X", X)
        if self.n_features_ is None:
            raise OrderError(f"{method} came before any data; expected warm_start, decide or learn first")
        return rows

    def _allow(self, actions: Iterable[Action] | None) -> tuple[Allowed, tuple[Action, ...]]:
        if actions is not None:
            self._check_allowed()
        return self._actions.allow(actions)

    def _mask(self, actions: ArrayLike | None, n_rows: int) -> Mask:
        if actions is not None:
            self._check_allowed()
        return self._actions.mask(actions, n_rows)
