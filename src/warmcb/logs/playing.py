"""Bandits and policies on the decisions of a log: their probabilities, their predictions, and learning."""

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
"""For each decision, the weight π(a)/p(a) above which rejection sampling accepts it; None to learn all decisions."""


class Player(ABC):
    """A bandit or a policy on the decisions of a log. Results are flat: a number for each logged action.

    Args:
        bandit: a bandit or a policy.
        rows: converts contexts and actions to rows; by default with the encoder of the bandit.
        reward_range: the lowest and the highest possible reward. A bandit with a `cost_range` needs it.

    """

    def __init__(self, bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None) -> None:
        self.bandit = bandit
        self.reward_range = reward_range
        encoder = getattr(getattr(bandit, "_bandit", bandit), "encoder", None)
        self.rows = rows or (Plain() if encoder is None else Encoded(encoder))

    @abstractmethod
    def probabilities(self, logged: Logged) -> Flat:
        """The probability of each action. The counted draws of the bandit are not used."""

    @abstractmethod
    def expected(self, logged: Logged) -> Flat:
        """The predicted reward of each action; 0 for actions that are not allowed."""

    @abstractmethod
    def learn(self, logged: Logged) -> None:
        """Learn the decisions off-policy."""

    @abstractmethod
    def play(self, logged: Logged, bars: Bars = None) -> tuple[Flat, NDArray[np.bool_]]:
        """Decide and learn, one decision after the other.

        Args:
            logged: the decisions.
            bars: decisions with a higher weight are learned, with the probabilities of the bandit. By default all are
                learned off-policy.

        Returns:
            the probability of each action, and which decisions were learned.

        """

    def greedy(self, logged: Logged) -> Flat:
        """Probability 1 for the allowed action with the highest predicted reward, the first one if several have it."""
        expected = np.where(logged.allowed, self.expected(logged), -np.inf)
        flat = np.zeros(len(expected))
        flat[first_best(expected, logged.starts)] = 1.0
        return flat

    def _costs(self, logged: Logged) -> NDArray[np.float64]:
        """The costs of the decisions, in the `cost_range` of the bandit if it has one."""
        worst, best = rewards_between(logged.reward, self.reward_range)
        if self.bandit.cost_range is None:
            return -logged.reward
        low, high = self.bandit.cost_range
        if self.reward_range is not None:
            return np.asarray(low + (high - low) * ((best - logged.reward) / (best - worst)))
        if -best < low or -worst > high:
            needs = f"{type(self.bandit).__name__} needs costs from {low:g} to {high:g}"
            expected = f"expected the lowest and the highest reward (--reward-range), as {needs}"
            raise InputError(f"reward_range is None; {expected}")
        return -logged.reward

    @property
    def _policy(self) -> Any:
        """A snapshot, which does not change when it decides."""
        return self.bandit if isinstance(self.bandit, Policy | SharedPolicy) else self.bandit.policy()


class NumberedPlayer(Player):
    """A bandit whose actions have numbers or names.

    Args:
        bandit: a bandit or a policy.
        rows: converts contexts to rows.
        reward_range: the lowest and the highest possible reward.
        by_place: whether the number of an action is its place, whatever its name. Decisions may have fewer actions.

    """

    def __init__(
        self, bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None, *, by_place: bool = False
    ) -> None:
        super().__init__(bandit, rows, reward_range)
        self.by_place = by_place
        self._order: list[str | None] | None = None  # the names by place, if the bandit has no names

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
        """The number of each logged action, and the allowed numbers in each decision; None if all are allowed."""
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
            raise DataError(f"the actions of event {shown(event)} have no names; expected names, as in other events")
        number_of: dict[str | None, int] = {name: number for number, name in enumerate(known)}
        found = names.to_list()
        if strange := [name for name in found if name not in number_of]:
            raise InputError(
                f"the log has the action {shown(strange[0])}; expected one of {shown(list(known))}, as in the policy"
            )
        numbers = np.array([number_of[name] for name in found])
        cells = logged.row_of_each * len(known) + numbers
        if len(np.unique(cells)) < len(cells):
            twice = int(np.flatnonzero(np.bincount(cells) > 1)[0])
            event, name = logged.table["event"][twice // len(known)], known[twice % len(known)]
            raise DataError(f"event {shown(event)} has the action {shown(name)} twice; expected different names")
        return numbers

    def _refuse_other_places(self, logged: Logged, names: list[str | None]) -> None:
        """Raise an error unless the places of the log are the numbers of the bandit."""
        count = self.bandit.n_actions
        if (other := logged.sizes[logged.sizes != count]).size:
            raise InputError(f"the log has {other[0]} actions; expected {count}, as the policy has")
        for begin in range(0, len(names), count):
            self._order = self._order or names[:count]
            if names[begin : begin + count] != self._order:
                found = f"the names {shown(self._order)} and {shown(names[begin : begin + count])}"
                raise InputError(f"the log has {found}; expected a bandit with names, as their order changes")

    def _contexts(self, logged: Logged) -> Any:
        """Rows of numbers. Without contexts, all rows are equal."""
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
        before = np.concatenate([[0], np.cumsum(logged.allowed)])  # the number of allowed actions before each place
        rows: NDArray[np.int64] = before[logged.chosen] - before[logged.starts[:-1]]
        return rows

    def _flat(self, logged: Logged, of_allowed: list[Any]) -> Flat:
        flat = np.zeros(len(logged.probabilities))
        flat[logged.allowed] = np.concatenate(of_allowed) if of_allowed else []
        return flat


def player_of(bandit: Any, rows: Plain | Encoded | None = None, reward_range: Range = None) -> Player:
    """The player of a bandit or a policy."""
    if isinstance(bandit, SharedBandit | SharedPolicy):
        return DescribedPlayer(bandit, rows, reward_range)
    if isinstance(bandit, Bandit | Policy):
        return NumberedPlayer(bandit, rows, reward_range)
    raise InputError(f"the policy is {shown(bandit)}; expected a bandit or a policy of warmcb")


class Learning:
    """A policy that learns each decision after it was evaluated.

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
    """The probability to learn a logged action with: that of the log or of the bandit; 0 if it is not learned."""
    if bars is None:
        return logged
    return own if own > bars[i] * logged else 0.0


def first_best(values: Flat, starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of the highest value of each decision, the first one if several have it."""
    best = np.repeat(np.maximum.reduceat(values, starts[:-1]), np.diff(starts))
    places = np.flatnonzero(values == best)
    return places[np.searchsorted(places, starts[:-1])]
