"""The actions of a bandit: their number, their names, which are allowed, and which were played."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb._messages import shown
from warmcb.bandits.decisions import Action, CheckedEvent, Decision, Decisions
from warmcb.errors import InputError

Allowed = NDArray[np.uint8] | None
"""For each action, whether it is allowed; None if all are."""
Mask = NDArray[np.uint8] | None
"""The same for many rows, of shape (n, K)."""


class CheckedEvents(NamedTuple):
    """The outcomes of many decisions, after all checks."""

    actions: NDArray[np.int32]
    costs: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    mask: Mask
    rounds: NDArray[np.uint64]


class Actions:
    """K actions, with or without names. Actions in arguments are checked here, and translated to numbers.

    Attributes:
        count: the number of actions, K.
        names: their names; None if they have no names.
        all: all actions, by name if they have names.
        numbers: the number of each name.
        at_first: the number of actions at the start.

    """

    def __init__(self, count: int, names: tuple[str, ...] | None, at_first: int | None = None) -> None:
        self.count, self.names = count, names
        self.at_first = count if at_first is None else at_first
        self.all: tuple[Action, ...] = tuple(range(count)) if names is None else names
        self.numbers = {name: number for number, name in enumerate(names or ())}

    def number(self, action: object) -> int:
        return _inputs.action(action, self.count, self.numbers)

    def spoken(self, numbers: NDArray[np.int32]) -> NDArray[np.int32] | NDArray[np.str_]:
        """Actions by name, if they have names."""
        return numbers if self.names is None else np.array(self.names)[numbers]

    def allow(self, actions: Iterable[Action] | None) -> tuple[Allowed, tuple[Action, ...]]:
        """The allowed actions, as a mask for the core and as a tuple for the caller."""
        if actions is None or actions is self.all:
            return None, self.all
        allowed = _inputs.allowed(actions, self.count, self.numbers)
        return allowed, tuple(self.all[number] for number in np.flatnonzero(allowed).tolist())

    def mask(self, actions: ArrayLike | None, n_rows: int) -> Mask:
        """The allowed actions of many rows."""
        return _inputs.mask(actions, n_rows, self.count, self.numbers)

    # Decisions with their costs

    def event(self, decision: Decision, cost: float) -> CheckedEvent:
        """Check a decision of this bandit. Its cost has been checked already."""
        action, probability, probabilities, actions, round_, _, _ = decision
        if type(actions) is not tuple and decision.is_described:
            raise InputError("the decision is about described actions; expected one about numbered actions")
        known = probabilities.shape if type(probabilities) is np.ndarray else np.shape(probabilities)
        if len(known) != 1 or not self.at_first <= known[0] <= self.count:
            raise InputError(f"the decision is from a bandit with {_size(known)}; expected {self.count} actions")
        number = self._own_number(action)
        allowed = None if actions == self.all else self._own_allowed(actions or ())
        if number >= known[0] or allowed is not None:
            self._check_played(action, number, allowed, known[0])
        if type(round_) is not int or not 0 <= round_ <= 2**62:
            round_ = _inputs.integer("round", round_, 0, 2**62)
        # As CheckedEvent(…), in half the time.
        return tuple.__new__(CheckedEvent, (number, cost, _inputs.probability(probability), allowed, round_))

    def foreign_event(
        self, action: object, cost: float, probability: object, actions: Iterable[Action] | None, learned: int
    ) -> CheckedEvent:
        """Check the action that another system played, with its cost."""
        if probability is None:
            raise InputError(f"action is {shown(action)} without a probability; expected a Decision, or both")
        number = self.number(action)
        allowed = self.allow(actions)[0]
        self._check_played(action, number, allowed, self.count)
        return CheckedEvent(number, cost, _inputs.probability(probability), allowed, learned)

    def events(self, decisions: Sequence[Decision], costs: NDArray[np.float64]) -> CheckedEvents:
        """Check many decisions of this bandit, with their costs."""
        if isinstance(decisions, Decisions):
            shape = np.shape(decisions.probabilities)
            if shape == (len(costs), self.count):
                return self._events_of_arrays(decisions, costs)
            if len(shape) != 2 or shape[0] != len(costs):
                raise InputError(f"decisions.probabilities has the shape {shape}; expected rows of X by actions")
        for i, decision in enumerate(decisions):
            if not isinstance(decision, Decision):
                raise InputError(f"decisions[{i}] is {shown(decision)}; expected a Decision")
        events = [self.event(decision, float(cost)) for decision, cost in zip(decisions, costs, strict=True)]
        everything = np.ones(self.count, dtype=np.uint8)
        masked = any(event.allowed is not None for event in events)
        return CheckedEvents(
            np.array([event.action for event in events], dtype=np.int32),
            costs,
            np.array([event.probability for event in events], dtype=np.float64),
            np.array([everything if one.allowed is None else one.allowed for one in events]) if masked else None,
            np.array([event.round for event in events], dtype=np.uint64),
        )

    def _events_of_arrays(self, many: Decisions, costs: NDArray[np.float64]) -> CheckedEvents:
        n_rows = len(costs)
        if many.names != self.names:
            raise InputError("the decisions have other names of actions; expected those of this bandit")
        allowed = np.asarray(many.actions)
        if allowed.shape != (n_rows, self.count) or allowed.dtype != np.bool_:
            raise InputError("decisions.actions is not a boolean array (n, K); expected the decisions unchanged")
        for name, kinds in (("probability", "f"), ("round", "iu")):
            array = np.asarray(getattr(many, name))
            if array.shape != (n_rows,) or array.dtype.kind not in kinds:
                what = f"decisions.{name} is {shown(array.tolist())}"
                raise InputError(f"{what}; expected the decisions unchanged")
        numbers = self._own_numbers(np.asarray(many.action))
        checks = {
            "action": allowed[np.arange(n_rows), numbers],
            "probability": (many.probability > 0) & (many.probability <= 1),
            "round": (many.round >= 0) & (many.round <= 2**62),
        }
        for name, fine in checks.items():
            wrong = np.flatnonzero(~np.broadcast_to(fine, n_rows))
            if wrong.size:
                value = getattr(many, name)[wrong[0]]
                raise InputError(f"decisions.{name}[{wrong[0]}] is {value}; expected the decisions unchanged")
        mask = None if allowed.all() else np.ascontiguousarray(allowed, dtype=np.uint8)
        probabilities = np.ascontiguousarray(many.probability, dtype=np.float64)
        return CheckedEvents(numbers, costs, probabilities, mask, many.round.astype(np.uint64))

    def _own_numbers(self, actions: NDArray[Any]) -> NDArray[np.int32]:
        in_range = actions.dtype.kind in "iu" and ((actions >= 0) & (actions < self.count)).all()
        if self.names is None and in_range:
            return actions.astype(np.int32)
        return np.array([self._own_number(action) for action in actions.tolist()], dtype=np.int32)

    def _own_allowed(self, actions: tuple[Action, ...]) -> Allowed:
        for action in actions:
            self._own_number(action)
        return self.allow(actions)[0]

    def _own_number(self, action: object) -> int:
        """The number of an action in a decision, which must use names if this bandit does."""
        if self.names is None and type(action) is int and 0 <= action < self.count:
            return action
        if self.names is not None and not isinstance(action, str):
            raise InputError(f"the action of the decision is {shown(action)}; expected a name, as actions have names")
        return self.number(action)

    def _check_played(self, action: object, number: int, allowed: Allowed, known: int) -> None:
        if number >= known or (allowed is not None and not allowed[number]):
            expected = "expected one of the allowed actions"
            raise InputError(f"action is {shown(action)}, which was not allowed; {expected}")


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} actions" if len(shape) == 1 else f"probabilities of the shape {shape}"
