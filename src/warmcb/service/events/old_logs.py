"""Logs of other systems become part of a loop, as events or as labels.

Events keep their logged probabilities, so they are learned like events of the loop itself. Labels tell what was played
and what it earned, by a rule of unknown worth. They are a warm start.
"""

from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from warmcb.errors import InputError, WarmcbError
from warmcb.features import Encoder
from warmcb.logs import Event, Log
from warmcb.service.bodies import MOST_EXAMPLES, ExampleBody, LabelsBody, Record, RewardBody, decoded
from warmcb.service.clock import SteadyClock
from warmcb.service.events import labels
from warmcb.service.events.events import Decided, keep
from warmcb.service.events.rewards import keep_reward
from warmcb.service.loops.kinds import Choice
from warmcb.service.loops.loops import Loop, loop_named
from warmcb.service.loops.offers import Offer, check_depth, stored_offer
from warmcb.service.store import Database, Store, beat

_GROUP = 500  # events in one transaction
_KEYS = ("_tag", "i", "id")  # of actions; they are no features
_DELIVERY = "log"  # identifies the rewards of logs, so that a log that is read twice counts once
_MOST_CHARACTERS = 256
_MOST = 1e12  # reward


class Taken(NamedTuple):
    """What became of the events of a log.

    Attributes:
        taken: events that are new in the loop.
        known: events that the loop had before.
        left_out: events without a reward, and those that cannot be learned.

    """

    taken: int = 0
    known: int = 0
    left_out: int = 0

    def plus(self, taken: int, known: int, left_out: int) -> "Taken":
        """Return the sum of these numbers and others."""
        return Taken(self.taken + taken, self.known + known, self.left_out + left_out)


class _Usable(NamedTuple):
    """An event that can be learned."""

    event: Event
    offered: Offer
    slots: dict[str, Record]


async def take_events(store: Store, name: str, log: Log) -> Taken:
    """Store the events of a log with their own times, as if they had been decided here.

    The trainer learns them in their order. A log that is read again changes nothing.

    Args:
        store: the store of the service, which may run meanwhile.
        name: the name of the loop.
        log: a log with probabilities.

    Returns:
        How many events were taken.

    """

    async def keep_all(database: Database, now: int, loop: Loop, usable: list[_Usable]) -> int:
        return sum([await _take(database, now, loop, one) for one in usable])

    return await _take_groups(store, name, log, keep_all)


async def take_labels(store: Store, name: str, log: Log, source: str) -> Taken:
    """Store what was played in a log and what it earned, as labels of a source.

    Args:
        store: the store of the service, which may run meanwhile.
        name: the name of the loop.
        log: a log. Its probabilities are not used.
        source: a name for who decided.

    Returns:
        How many events were taken.

    """

    async def keep_labels(database: Database, now: int, loop: Loop, usable: list[_Usable]) -> int:
        examples = (example for one in usable for example in _examples(one))
        while some := list(islice(examples, MOST_EXAMPLES)):
            # Nobody has checked the source or the sizes yet, and the trainer could not read what breaks a limit.
            body = decoded(msgspec.json.encode(LabelsBody(examples=some, source=source)), LabelsBody)
            labels.check(loop, body)
            await labels.keep(database, now, loop, body)
        return len(usable)

    return await _take_groups(store, name, log, keep_labels)


async def _take_groups(
    store: Store, name: str, log: Log, take: Callable[[Database, int, Loop, list[_Usable]], Awaitable[int]]
) -> Taken:
    """Store the events of a log in groups; `take` stores a group and returns how many of its events are new."""
    done, events = Taken(), log.events()
    while group := list(islice(events, _GROUP)):
        async with store.transaction() as database:
            loop, now = await _described(database, name), await _now(database)
            usable = _usable(loop, group)
            new = await take(database, now, loop, usable)
        done = done.plus(new, len(usable) - new, len(group) - len(usable))
    return done


async def _described(database: Database, name: str) -> Loop:
    loop = await loop_named(database, name)
    if loop.is_named:
        raise InputError(f"the loop {name!r} has named actions; expected one with described actions, as the log has")
    return loop


async def _now(database: Database) -> int:
    return SteadyClock(await beat.time_offset(database)).now()


def _usable(loop: Loop, events: list[Event]) -> list[_Usable]:
    encoder, limits = loop.kind.new_encoder(), loop.settings.reward_range or (-_MOST, _MOST)
    return [one for event in events if (one := _checked(encoder, event, limits)) is not None]


def _checked(encoder: Encoder, event: Event, limits: tuple[float, float]) -> _Usable | None:
    """Check whether an event has described actions and rewards within limits; None if it has not."""
    if event.request is None or event.names is None or len(set(event.names)) < len(event.names):
        return None
    texts = [event.id, *event.names, *(slot.id for slot in event.slots if slot.id is not None)]
    is_storable = not any("\0" in text for text in (*texts, event.unit or ""))  # in PostgreSQL
    if not is_storable or not all(1 <= len(text) <= _MOST_CHARACTERS for text in texts):
        return None
    if any(slot.reward is None or not limits[0] <= slot.reward <= limits[1] for slot in event.slots):
        return None
    names = msgspec.json.encode(event.names).decode()
    try:
        offered, slots = stored_offer(event.request, names)
        if offered.described is None:
            return None
        check_depth(offered.context, *offered.described, *slots.values())
        encoder.encode_request(offered.request)
    except (WarmcbError, KeyError, TypeError, AttributeError):  # `_slots` may have any form
        return None
    return _Usable(event, offered, slots)


async def _take(database: Database, now: int, loop: Loop, one: _Usable) -> bool:
    """Store an event and its rewards, and return whether it is new."""
    event = one.event
    time = now if event.time is None else min(now, round(event.time.timestamp() * 1e6))
    choices = [
        Choice(slot.id or "", slot.action, list(slot.probabilities), _allowed(slot.probabilities, slot.allowed))
        for slot in event.slots
    ]
    decided = Decided(
        *(event.id, event.unit, event.arm, 0, 0, event.request or "", event.names or (), choices),
        deferred=not event.activated,
        agrees=None,
    )
    _, is_new = await keep(database, time, loop, decided)
    if is_new:
        for slot, choice in zip(event.slots, choices, strict=True):
            if not slot.filled or slot.reward != loop.settings.default_reward:
                body = RewardBody(event=event.id, reward=slot.reward or 0.0, slot=choice.slot)
                await keep_reward(database, time, loop, body, _DELIVERY)
    return is_new


def _allowed(probabilities: tuple[float, ...], allowed: tuple[int, ...] | None) -> list[int] | None:
    """Return the indices of actions that could be drawn. Personalizer logs a probability of 0 for excluded actions."""
    places = [place for place, value in enumerate(probabilities) if value > 0] if allowed is None else list(allowed)
    return None if len(places) == len(probabilities) else places


def _examples(one: _Usable) -> Iterator[ExampleBody]:
    """Return what was played in each slot and what it earned."""
    if not one.event.activated:
        return
    context, names = _merged(one.offered.context, "FromUrl"), one.offered.names
    actions = [_plain(name, record) for name, record in zip(names, one.offered.described or (), strict=True)]
    for slot in one.event.slots:
        features = one.slots.get(slot.id or "", {})
        yield ExampleBody(
            context={**context, "slot": features} if features else context,
            actions=actions,
            done=names[slot.action],
            reward=slot.reward,
        )


def _plain(identity: str, action: Record) -> Record:
    """Return an action in the form in which callers send it: with an id, and features that are not in a list."""
    features = _merged(action, "j")
    return {"id": identity, **{name: value for name, value in features.items() if name not in _KEYS}}


def _merged(record: Record, name: str) -> Record:
    """Merge the records that a record has in a list under a name into the record. Other lists stay as they are."""
    inner: Any = record.get(name)
    if not isinstance(inner, list) or not all(isinstance(one, dict) for one in inner):
        return record
    whole = {key: value for key, value in record.items() if key != name}
    for one in inner:
        whole |= one
    return whole
