"""What a service must do with what arrives, in plain dictionaries and without any code of the service."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

SECOND = 1_000_000
GRACE = 120 * SECOND
Where = tuple[str, str]
"""A loop and the id of an event."""


class Reward(NamedTuple):
    """A delivery that counts."""

    slot: str
    value: float
    time: int


class Joined(NamedTuple):
    """What was joined to an event.

    Attributes:
        activated: whether it took place, and was learned.
        slots: the reward of each slot, and whether it was filled in.

    """

    activated: bool
    slots: tuple[tuple[float, bool], ...]


class Outcome(NamedTuple):
    """What became of an event.

    Attributes:
        joined: what was joined to it; None as long as it waits.
        late: how many rewards came too late.

    """

    joined: Joined | None
    late: int


@dataclass
class Case:
    """An event as it was decided."""

    slots: list[str]
    deferred: bool
    drawn: bool
    settings: dict[str, Any]
    due: int
    arrival: int
    in_a_hurry: bool
    """Its first reward is its deadline."""
    is_over: bool = False
    """Somebody was told that it is late."""
    joined: Joined | None = None


@dataclass
class Oracle:
    """Computes what must come out.

    Attributes:
        settings: the current settings of each loop: wait (seconds), default_reward, aggregation and join.
        cases: all events.
        learned: the ids of joined events of each loop, in the order of its journal.

    """

    settings: dict[str, dict[str, Any]]
    cases: dict[Where, Case] = field(default_factory=dict)
    learned: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    rewards: dict[Where, list[Reward]] = field(default_factory=lambda: defaultdict(list))
    activations: dict[Where, int] = field(default_factory=dict)
    _deliveries: dict[tuple[str, str, str, str], float] = field(default_factory=dict)
    _waiting: dict[Where, Case] = field(default_factory=dict)

    def decide(self, time: int, where: Where, slots: list[str], deferred: bool, drawn: bool) -> str:
        """Return "new" or "repeated"."""
        if where in self.cases:
            return "repeated"
        settings = dict(self.settings[where[0]])
        due = time + round(settings["wait"] * SECOND)
        hurries = settings["join"] == "first_reward"
        case = Case(slots or [""], deferred, drawn, settings, due, len(self.cases), hurries)
        self.cases[where] = self._waiting[where] = case
        self._hurry(time, where)
        return "new"

    def reward(self, time: int, where: Where, reward: float, slot: str, key: str | None) -> str | int:
        """Return "kept", "early", "late" or "repeated"; or the status of the refusal."""
        case = self.cases.get(where)
        if case is not None and slot not in case.slots:
            return 400
        if key is not None:
            delivery = (*where, slot, key)
            if delivery in self._deliveries:
                return "repeated" if self._deliveries[delivery] == reward else 409
            self._deliveries[delivery] = reward
        self.rewards[where].append(Reward(slot, reward, time))
        return self._taken(time, where, "kept")

    def activate(self, time: int, where: Where) -> str:
        """Return "activated", "early", "late" or "repeated"."""
        if where in self.activations:
            return "repeated"
        self.activations[where] = time
        return self._taken(time, where, "activated")

    def join(self, now: int) -> None:
        """Join what is due, as the trainer does now."""
        due = [(case.due, case.arrival, where) for where, case in self._waiting.items() if case.due < now]
        for _, _, where in sorted(due):
            case = self._waiting.pop(where)
            rewards = [_worth(case, slot, self._in_time(where)) for slot in case.slots]
            taken_place = not case.deferred or self.activations.get(where, case.due + 1) <= case.due
            case.joined = Joined(taken_place, tuple(rewards))
            self.learned[where[0]].append(where[1])

    def start_again(self, now: int) -> None:
        """Start after a downtime: events that are due wait two minutes longer."""
        for case in self._waiting.values():
            if case.due < now + GRACE and not case.is_over:
                case.due = now + GRACE

    def outcome(self, where: Where) -> Outcome:
        """Return what has become of an event so far."""
        case = self.cases[where]
        late = sum(reward.time > case.due for reward in self.rewards[where])
        return Outcome(case.joined, late)

    def totals(self, loop: str) -> dict[str, int]:
        """Return the counts of a loop."""
        mine = {where: case for where, case in self.cases.items() if where[0] == loop}
        joined = [case for case in mine.values() if case.joined is not None]
        taken_place = [case for case in joined if case.joined is not None and case.joined.activated]
        return {
            "events": len(mine),
            "waiting": len(mine) - len(joined),
            "joined": len(joined),
            "not activated": len(joined) - len(taken_place),
            "slots filled in": sum(filled for case in joined if case.joined for _, filled in case.joined.slots),
            "rewards": sum(len(came) for where, came in self.rewards.items() if where[0] == loop),
            "late": sum(self.outcome(where).late for where in mine),
            "rounds learned": sum(len(case.slots) for case in taken_place if case.drawn),
        }

    def _taken(self, time: int, where: Where, in_time: str) -> str:
        """Return what becomes of something that came for an event."""
        case = self.cases.get(where)
        if case is None:
            return "early"
        if time > case.due:
            case.is_over = True
            return "late"
        self._hurry(time, where)
        return in_time

    def _hurry(self, time: int, where: Where) -> None:
        """End the wait of an event that waits only for its first reward, if it took place."""
        case = self.cases[where]
        rewarded = any(reward.slot in case.slots for reward in self.rewards[where])
        if case.in_a_hurry and rewarded and (not case.deferred or where in self.activations):
            case.due, case.in_a_hurry = time, False

    def _in_time(self, where: Where) -> list[Reward]:
        return [reward for reward in self.rewards[where] if reward.time <= self.cases[where].due]


def _worth(case: Case, slot: str, came: list[Reward]) -> tuple[float, bool]:
    """Return the reward of a slot, and whether it was filled in."""
    values = [reward.value for reward in came if reward.slot == slot]
    if not values:
        return case.settings["default_reward"], True
    ordered, n = sorted(values), len(values)
    worth = {
        "earliest": values[0],
        "sum": sum(values),
        "mean": sum(values) / n,
        "median": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
        "least": ordered[0],
        "largest": ordered[-1],
    }
    return worth[case.settings["aggregation"]], False
