"""Events: how they are stored, answered and logged."""

from typing import Any, NamedTuple

import msgspec

from warmcb.logs import Event, Slot
from warmcb.logs.events import ARMS
from warmcb.service.clock import SECOND, iso, moment
from warmcb.service.loops.kinds import Choice
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.offers import Offer, stored_offer
from warmcb.service.refusals import not_found
from warmcb.service.store import Database

MODEL, BASELINE, CONTROL, NOT_EXPLORED, FALLBACK = ARMS
"""The arms: who chose.

The model, by a draw; the baseline, because of the mode or the roll-out; the baseline, for the control group; the model
without a draw, as the caller wished; or the baseline, since no model was available in time.
"""

choices_of = msgspec.json.Decoder(list[Choice]).decode
"""Decodes the column `slots`: the decisions of an event."""
_encode = msgspec.json.Encoder().encode


class Decided(NamedTuple):
    """A decision that is not stored yet.

    Attributes:
        event: its id.
        unit: the user or session that it is for; None if the event is a unit of its own.
        arm: who chose.
        model: the version of the model.
        round: how many rounds the model had learned.
        request: the context and the actions, as JSON.
        names: the names of all actions.
        choices: the decision of each slot.
        deferred: whether it is learned only once it is activated.
        agrees: whether the model would have chosen the same, if the baseline chose; None if that is unknown.

    """

    event: str
    unit: str | None
    arm: str
    model: int
    round: int
    request: str
    names: tuple[str, ...]
    choices: list[Choice]
    deferred: bool
    agrees: bool | None


class Stored(NamedTuple):
    """A row of the table `events`, which schema.sql describes."""

    id: int
    event: str
    time: int
    due: int
    unit: str | None
    arm: str
    settings: int
    model: int
    round: int
    request: str
    names: str
    slots: str
    deferred: int
    eager: int
    agrees: int | None
    joined: int | None

    @property
    def choices(self) -> list[Choice]:
        """The decision of each slot."""
        return choices_of(self.slots)

    @property
    def offer(self) -> tuple[Offer, dict[str, Any]]:
        """The context and all actions, and the features of each slot."""
        return stored_offer(self.request, self.names)

    @property
    def offers(self) -> list[Offer]:
        """The context and the allowed actions of each slot."""
        offered, features = self.offer
        everything = range(len(offered.names))
        return [offered.at(features.get(one.slot, {})).among(one.allowed or everything) for one in self.choices]


class Joined(msgspec.Struct, frozen=True):
    """An event after its deadline, as the journal has it.

    Attributes:
        rewards: the reward of each slot.
        times: when the first reward of each slot came; None if none did, and the default was filled in.
        activated: whether the event took place. If not, it is not learned.
        imitated: whether its actions are learned as labels of unknown worth, since the baseline has chosen them.

    """

    rewards: list[float]
    times: list[int | None]
    activated: bool
    imitated: bool = False


WAITING = "loop = $1 AND joined IS NULL AND due > 0"
"""The condition for events that wait for their deadline. All deadlines are later than 0; that part makes SQLite use the
index of waiting events.
"""
COLUMNS = ", ".join(Stored._fields)
_INSERT = (
    "INSERT INTO events"
    " (loop, event, time, due, unit, arm, settings, model, round, request, names, slots, deferred, eager, agrees)"
    " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
    " ON CONFLICT (loop, event) DO NOTHING RETURNING id"
)


async def keep(database: Database, now: int, loop: Loop, decided: Decided) -> tuple[Stored, bool]:
    """Store a decision.

    Args:
        database: a transaction.
        now: its time.
        loop: the loop that decided.
        decided: the decision.

    Returns:
        The stored event, and whether it is new. A known id gives the event that was stored under it before.

    """
    settings = loop.settings
    eager = settings.join == "first_reward"
    due = now + round(settings.wait * SECOND)
    if eager and await is_complete(database, loop.name, decided):
        due = now
    names, choices = _encode(decided.names).decode(), _encode(decided.choices).decode()
    row: tuple[Any, ...] = (
        *(decided.event, now, due, decided.unit, decided.arm, loop.version, decided.model, decided.round),
        *(decided.request, names, choices, int(decided.deferred), int(eager)),
        None if decided.agrees is None else int(decided.agrees),
    )
    new = await database.fetch(_INSERT, loop.name, *row)
    if new:
        return Stored._make((new[0][0], *row, None)), True
    there = await find(database, loop.name, decided.event)
    assert there is not None  # the same transaction has just found the id taken
    return there, False


async def is_complete(database: Database, loop: str, event: Decided | Stored) -> bool:
    """Whether an event has a reward and took place. Then the setting `first_reward` waits for nothing more."""
    slots = {choice.slot for choice in event.choices}
    came = await database.fetch("SELECT slot FROM rewards WHERE loop = $1 AND event = $2", loop, event.event)
    if not any(slot in slots for (slot,) in came):
        return False
    sql = "SELECT 1 FROM activations WHERE loop = $1 AND event = $2"
    return not event.deferred or bool(await database.fetch(sql, loop, event.event))


async def find(database: Database, loop: str, event: str) -> Stored | None:
    """Return an event by its id; None if there is none."""
    rows = await database.fetch(f"SELECT {COLUMNS} FROM events WHERE loop = $1 AND event = $2", loop, event)
    return Stored(*rows[0]) if rows else None


async def event_named(database: Database, loop: str, event: str) -> Stored:
    """Return an event by its id. Refuse if there is none."""
    there = await find(database, loop, event)
    if there is None:
        raise not_found(f"there is no event {event!r:.80}")
    return there


def answer(stored: Stored) -> dict[str, Any]:
    """Return the answer to a request for a decision. Only `due` may change when the request is sent again."""
    names = msgspec.json.decode(stored.names)
    told: dict[str, Any] = {"event": stored.event}
    choices = stored.choices
    if choices[0].slot:
        told["slots"] = [{"id": choice.slot} | _told(choice, names) for choice in choices]
    else:
        told |= _told(choices[0], names)
    times = {"time": iso(stored.time), "due": iso(stored.due)}
    return told | {"arm": stored.arm, "model": stored.model, "settings": stored.settings} | times


def logged(stored: Stored, joined: Joined | None) -> Event:
    """Return an event in the form that logs have.

    Args:
        stored: the event.
        joined: what became of it; None if it still waits.

    """
    slots = []
    for i, choice in enumerate(stored.choices):
        reward = None if joined is None else joined.rewards[i]
        time = None if joined is None or joined.times[i] is None else moment(joined.times[i] or 0)
        filled = joined is not None and joined.times[i] is None
        slots.append(
            Slot(
                action=choice.action,
                probabilities=tuple(choice.probabilities),
                id=choice.slot or None,
                allowed=None if choice.allowed is None else tuple(choice.allowed),
                reward=reward,
                rewarded=time,
                filled=filled,
            )
        )
    return Event(
        stored.event,
        tuple(slots),
        time=moment(stored.time),
        unit=stored.unit,
        arm=stored.arm,
        request=stored.request,
        names=tuple(msgspec.json.decode(stored.names)),
        model=str(stored.model),
        settings=str(stored.settings),
        activated=joined is None or joined.activated,
    )


def _told(choice: Choice, names: list[str]) -> dict[str, Any]:
    probabilities = dict(zip(names, choice.probabilities, strict=True))
    return {"action": names[choice.action], "probability": choice.probability, "probabilities": probabilities}
