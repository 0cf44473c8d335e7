"""How bandits meet the decisions of a log: what they would do, what they expect, and how they learn from it."""

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import shown
from warmcb.bandits import Bandit, Decision, Decisions, Policy, SharedBandit, SharedPolicy
from warmcb.errors import DataError, InputError
from warmcb.logs._checks import rewards_between
from warmcb.logs.logged import Flat, Logged
from warmcb.logs.rows import Encoded, Narrowed, Plain

AnyBandit = Bandit | SharedBandit
Range = tuple[float, float] | None

Bars = NDArray[np.float64] | None
"""For each decision a weight π(a)/p(a) above which it counts as the bandit's own; None: all are learned."""


class Player(ABC):
    """A bandit, or a policy, and the decisions of a log. What it gives is flat: a number for each logged action.

    Args:
        bandit: a bandit or a policy.
        rows: how contexts and actions become rows; by default by the bandit's own encoder.
        reward_range: the lowest and the highest possible reward: what a bandit that wants costs in a range needs.

    """

    def __init__(self, bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None) -> None:
        self.bandit = bandit
        self.reward_range = reward_range
        encoder = getattr(getattr(bandit, "_bandit", bandit), "encoder", None)
        self.rows = rows or (Plain() if encoder is None else Encoded(encoder))

    @abstractmethod
    def probabilities(self, logged: Logged) -> Flat:
        """With which probability it would choose each action; its draws are not touched."""

    @abstractmethod
    def expected(self, logged: Logged) -> Flat:
        """The reward that it expects of each action; 0 for those that are not allowed."""

    @abstractmethod
    def learn(self, logged: Logged) -> None:
        """Learn what was logged, off-policy."""

    @abstractmethod
    def play(self, logged: Logged, bars: Bars = None) -> tuple[Flat, NDArray[np.bool_]]:
        """Decide and learn, one decision after the other.

        Args:
            logged: the decisions.
            bars: those whose weight is above them are learned, as the bandit's own, with the bandit's probabilities.
                None: all are learned, off-policy.

        Returns:
            with which probability it would have chosen each action, and which decisions it has learned.

        """

    def greedy(self, logged: Logged) -> Flat:
        """Certainty for the allowed action that is expected to bring most, the first among equals."""
        expected = np.where(logged.allowed, self.expected(logged), -np.inf)
        flat = np.zeros(len(expected))
        flat[first_best(expected, logged.starts)] = 1.0
        return flat

    def _costs(self, logged: Logged) -> NDArray[np.float64]:
        """What the decisions have cost, in the bandit's own range if it has one."""
        worst, best = rewards_between(logged.reward, self.reward_range)
        if self.bandit.cost_range is None:
            return -logged.reward
        low, high = self.bandit.cost_range
        if self.reward_range is not None:
            return np.asarray(low + (high - low) * ((best - logged.reward) / (best - worst)))
        if -best < low or -worst > high:
            wants = f"{type(self.bandit).__name__} wants costs from {low:g} to {high:g}"
            raise InputError(f"reward_range is None; expected the lowest and the highest reward, as {wants}")
        return -logged.reward

    @property
    def _policy(self) -> Any:
        """A snapshot: deciding with it changes nothing."""
        return self.bandit if isinstance(self.bandit, Policy | SharedPolicy) else self.bandit.policy()


class NumberedPlayer(Player):
    """A bandit whose actions have numbers or names.

    Args:
        bandit: a bandit or a policy.
        rows: how contexts become rows.
        reward_range: the lowest and the highest possible reward.
        by_place: an action is what stands at its place, whatever it is called; decisions may have fewer actions.

    """

    def __init__(
        self, bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None, *, by_place: bool = False
    ) -> None:
        super().__init__(bandit, rows, reward_range)
        self.by_place = by_place
        self._order: list[str | None] | None = None  # of names, if the bandit knows none

    def probabilities(self, logged: Logged) -> Flat:
        numbers, mask = self._numbers(logged)
        decisions = self._policy.decide_many(self._contexts(logged), actions=mask)
        return self._flat(logged, decisions.probabilities, numbers)

    def expected(self, logged: Logged) -> Flat:
        numbers, _ = self._numbers(logged)
        rewards = -self.bandit.predict_costs(self._contexts(logged))
        return np.where(logged.allowed, self._flat(logged, rewards, numbers), 0.0)

    def learn(self, logged: Logged) -> None:
        numbers, mask = self._numbers(logged)
        bandit, n = self.bandit, len(logged)
        everything = np.ones((n, bandit.n_actions), dtype=np.bool_) if mask is None else mask
        probabilities = np.zeros((n, bandit.n_actions))
        probabilities[logged.row_of_each, numbers] = logged.probabilities
        actions, chances = bandit._actions.spoken(numbers[logged.chosen]), logged.probabilities[logged.chosen]
        rounds = bandit.learned_ + np.arange(n)
        decisions = Decisions(actions, chances, probabilities, everything, rounds, (None,) * n, bandit.actions)
        bandit.learn_many(self._contexts(logged), decisions, self._costs(logged))

    def play(self, logged: Logged, bars: Bars = None) -> tuple[Flat, NDArray[np.bool_]]:
        bandit, contexts = self.bandit, self._contexts(logged)
        numbers, mask = self._numbers(logged)
        flat, learned = np.zeros(len(logged.probabilities)), np.ones(len(logged), dtype=np.bool_)
        costs = self._costs(logged).tolist()
        for i, (begin, end) in enumerate(pairwise(logged.starts.tolist())):
            x = contexts[i : i + 1]
            allowed = None if mask is None else bandit._actions.spoken(np.flatnonzero(mask[i])).tolist()
            flat[begin:end] = bandit.decide(x, actions=allowed).probabilities[numbers[begin:end]]
            chosen = logged.chosen[i]
            action = bandit._actions.all[numbers[chosen]]
            probability = _learned_with(flat[chosen], logged.probabilities[chosen], bars, i)
            learned[i] = probability > 0
            if learned[i]:
                bandit.learn(x, action, costs[i], probability, actions=allowed)
        return flat, learned

    def _numbers(self, logged: Logged) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
        """The number of each logged action, and which numbers are allowed; None: all of them, everywhere."""
        count, known = self.bandit.n_actions, self.bandit.actions
        is_named, names = logged.entries("names")
        if known is not None and is_named.any():
            numbers = self._by_name(logged, known)
        else:
            numbers = logged.places
            if not self.by_place:
                self._refuse_other_places(logged, names.to_list())
        if logged.allowed.all() and (logged.sizes == count).all():
            return numbers.astype(np.int32), None
        mask = np.zeros((len(logged), count), dtype=np.bool_)
        mask[logged.row_of_each[logged.allowed], numbers[logged.allowed]] = True
        return numbers.astype(np.int32), mask

    def _by_name(self, logged: Logged, known: tuple[str, ...]) -> NDArray[np.int64]:
        is_named, names = logged.entries("names")
        if not is_named.all():
            event = logged.table["event"][int(logged.row_of_each[np.argmin(is_named)])]
            raise DataError(f"the actions of event {shown(event)} have no names; expected names, as other events have")
        number_of: dict[str | None, int] = {name: number for number, name in enumerate(known)}
        found = names.to_list()
        if strange := [name for name in found if name not in number_of]:
            raise InputError(
                f"the log has the action {shown(strange[0])}; expected one of {shown(list(known))}, as the policy has"
            )
        numbers = np.array([number_of[name] for name in found])
        cells = logged.row_of_each * len(known) + numbers
        if len(np.unique(cells)) < len(cells):
            twice = int(np.flatnonzero(np.bincount(cells) > 1)[0])
            event, name = logged.table["event"][twice // len(known)], known[twice % len(known)]
            raise DataError(f"event {shown(event)} has the action {shown(name)} twice; expected different names")
        return numbers

    def _refuse_other_places(self, logged: Logged, names: list[str | None]) -> None:
        """An error unless the places of the log mean the bandit's numbers."""
        count = self.bandit.n_actions
        if (other := logged.sizes[logged.sizes != count]).size:
            raise InputError(f"the log has {other[0]} actions; expected {count}, as the policy has")
        for begin in range(0, len(names), count):
            self._order = self._order or names[:count]
            if names[begin : begin + count] != self._order:
                found = f"the names {shown(self._order)} and {shown(names[begin : begin + count])}"
                raise InputError(f"the log has {found}; expected a bandit with names, as they change their places")

    def _contexts(self, logged: Logged) -> Any:
        """Rows of numbers; where there are no contexts, all are alike."""
        contexts = self.rows.contexts(logged)
        return np.ones((len(logged), 1), dtype=np.float32) if contexts is None else contexts

    def _flat(self, logged: Logged, table: NDArray[np.float64], numbers: NDArray[np.int32]) -> Flat:
        flat: Flat = table[logged.row_of_each, numbers]
        return flat


class DescribedPlayer(Player):
    """A bandit whose actions are described."""

    def probabilities(self, logged: Logged) -> Flat:
        decisions = self._policy.decide_many(*self.rows.offers(logged))
        return self._flat(logged, [one.probabilities for one in decisions])

    def expected(self, logged: Logged) -> Flat:
        return self._flat(logged, [-costs for costs in self.bandit.predict_costs(*self.rows.offers(logged))])

    def learn(self, logged: Logged) -> None:
        contexts, actions, ids = self.rows.offers(logged)
        chances = np.split(logged.probabilities[logged.allowed], np.cumsum([one.shape[0] for one in actions])[:-1])
        learned = self.bandit.learned_
        decisions = [
            Decision(row, float(own[row]), own, offer, learned + i, None, None if ids is None else tuple(ids[i]))
            for i, (row, own, offer) in enumerate(
                zip(self._chosen_rows(logged).tolist(), chances, actions, strict=True)
            )
        ]
        self.bandit.learn_many(contexts, decisions, self._costs(logged))

    def play(self, logged: Logged, bars: Bars = None) -> tuple[Flat, NDArray[np.bool_]]:
        bandit, (contexts, actions, ids) = self.bandit, self.rows.offers(logged)
        flat, learned = np.zeros(len(logged.probabilities)), np.ones(len(logged), dtype=np.bool_)
        rows, costs = self._chosen_rows(logged), self._costs(logged).tolist()
        for i, (begin, end) in enumerate(pairwise(logged.starts.tolist())):
            x = None if contexts is None else contexts[i : i + 1]
            of_round = {"actions": actions[i], "ids": None if ids is None else ids[i]}
            own = bandit.decide(x, **of_round).probabilities
            flat[begin:end][logged.allowed[begin:end]] = own
            probability = _learned_with(own[rows[i]], logged.probabilities[logged.chosen[i]], bars, i)
            learned[i] = probability > 0
            if learned[i]:
                bandit.learn(x, int(rows[i]), costs[i], probability, **of_round)
        return flat, learned

    def _chosen_rows(self, logged: Logged) -> NDArray[np.int64]:
        """The row of each chosen action among the allowed ones."""
        before = np.concatenate([[0], np.cumsum(logged.allowed)])  # allowed actions before each place
        rows: NDArray[np.int64] = before[logged.chosen] - before[logged.starts[:-1]]
        return rows

    def _flat(self, logged: Logged, of_allowed: list[Any]) -> Flat:
        flat = np.zeros(len(logged.probabilities))
        flat[logged.allowed] = np.concatenate(of_allowed) if of_allowed else []
        return flat


def player_of(bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None) -> Player:
    """What lets a bandit or a policy of this package meet a log."""
    if isinstance(bandit, SharedBandit | SharedPolicy):
        return DescribedPlayer(bandit, rows, reward_range)
    if isinstance(bandit, Bandit | Policy):
        return NumberedPlayer(bandit, rows, reward_range)
    raise InputError(f"the policy is {shown(bandit)}; expected a bandit or a policy of warmcb")


class Learning:
    """A policy that learns while it is asked: after each decision what became of it.

    Args:
        bandit: a fresh bandit.
        reward_range: the lowest and the highest possible reward, if they are known.

    """

    def __init__(self, bandit: AnyBandit, reward_range: Range = None) -> None:
        self.bandit = bandit
        self.reward_range = reward_range
        self._player: Player | None = None

    def play(self, logged: Logged, bars: Bars = None) -> tuple[Flat, NDArray[np.bool_]]:
        """Decide and learn, as `Player.play` does."""
        if self._player is None:
            narrowed = Narrowed() if logged.has_records and self.bandit.encoder is None else None
            self._player = player_of(self.bandit, narrowed, self.reward_range)
        return self._player.play(logged, bars)

    def __call__(self, logged: Logged) -> Flat:
        return self.play(logged)[0]


def _learned_with(own: float, logged: float, bars: Bars, i: int) -> float:
    """The probability with which a logged action is learned: the log's, or the bandit's own; 0: it is not learned."""
    if bars is None:
        return logged
    return own if own > bars[i] * logged else 0.0


def first_best(values: Flat, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of the highest value of each decision, the first among equals."""
    best = np.repeat(np.maximum.reduceat(values, starts[:-1]), np.diff(starts))
    places = np.flatnonzero(values == best)
    return places[np.searchsorted(places, starts[:-1])]
