"""Rewards and activations: stored whenever they come, each delivery once. At the deadline they become one reward."""

import secrets
import statistics
from collections.abc import Callable, Sequence

from warmcb._messages import shown
from warmcb.service.bodies import RewardBody
from warmcb.service.events.events import BASELINE, Joined, Stored, find, is_complete
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import Settings
from warmcb.service.refusals import bad_request, conflict
from warmcb.service.store import Database

_MADE = "\n"  # our own keys begin with it; those of callers cannot, since a header has no line breaks
_WORTH: dict[str, Callable[[Sequence[float]], float]] = {
    "earliest": lambda values: values[0],
    "sum": sum,
    "mean": statistics.fmean,
    "median": statistics.median,
    "least": min,
    "largest": max,
}


async def keep_reward(database: Database, now: int, loop: Loop, body: RewardBody, key: str | None) -> str:
    """Store a reward.

    Args:
        database: a transaction.
        now: its time.
        loop: the loop of the event.
        body: the reward.
        key: identifies the delivery. The same one counts once. If it is None, every delivery counts.

    Returns:
        "kept", "early" if it came before its event, "late" if it came after the deadline, or "repeated".

    """
    event = await find(database, loop.name, body.event)
    _check(loop, event, body)
    identity = (loop.name, body.event, body.slot, key or f"{_MADE}{secrets.token_hex(12)}")
    sql = "INSERT INTO rewards (loop, event, slot, key, value, time) VALUES ($1, $2, $3, $4, $5, $6)"
    if not await database.execute(
        f"{sql} ON CONFLICT (loop, event, slot, key) DO NOTHING", *identity, body.reward, now
    ):
        await _check_repeated(database, loop, body, key)
        return "repeated"
    if event is None:
        return "early"
    if await _is_in_time(database, now, loop.name, event):
        return "kept"
    sql = "UPDATE rewards SET late = 1 WHERE loop = $1 AND event = $2 AND slot = $3 AND key = $4"
    await database.execute(sql, *identity)
    return "late"


async def keep_rewards(
    database: Database, now: int, loop: Loop, bodies: Sequence[RewardBody], key: str | None
) -> list[str]:
    """Store the rewards of several slots of an event, all or none.

    Args:
        database: a transaction.
        now: its time.
        loop: the loop of the event.
        bodies: the rewards.
        key: identifies the delivery of all of them.

    Returns:
        What became of each, as for `keep_reward`.

    """
    event = await find(database, loop.name, bodies[0].event)
    for body in bodies:
        _check(loop, event, body)
        if key is not None:
            await _check_repeated(database, loop, body, key)
    return [await keep_reward(database, now, loop, body, key) for body in bodies]


async def keep_activation(database: Database, now: int, loop: Loop, event: str) -> str:
    """Store that an event took place; return "activated", "early", "late" or "repeated"."""
    sql = "INSERT INTO activations (loop, event, time) VALUES ($1, $2, $3) ON CONFLICT (loop, event) DO NOTHING"
    if not await database.execute(sql, loop.name, event, now):
        return "repeated"
    stored = await find(database, loop.name, event)
    if stored is None:
        return "early"
    return "activated" if await _is_in_time(database, now, loop.name, stored) else "late"


async def _is_in_time(database: Database, now: int, loop: str, event: Stored) -> bool:
    """Whether a delivery at this time still counts. If the event need not wait any more, this becomes its deadline."""
    if now > event.due:
        return False
    if event.eager and await is_complete(database, loop, event):
        sql = "UPDATE events SET due = $2, eager = 0 WHERE id = $1 AND eager = 1"
        if not await database.execute(sql, event.id, now):  # another delivery came at the same moment
            ((due,),) = await database.fetch("SELECT due FROM events WHERE id = $1", event.id)
            return bool(now <= due)
    return True


async def join(database: Database, loop: str, event: Stored, settings: Settings) -> Joined:
    """Compute what became of an event up to its deadline.

    Args:
        database: a transaction.
        loop: the name of the loop.
        event: an event whose deadline is over.
        settings: the settings when it was decided.

    """
    sql = "SELECT slot, value, time FROM rewards WHERE loop = $1 AND event = $2 AND time <= $3 ORDER BY time, key"
    came: dict[str, list[tuple[float, int]]] = {}
    for slot, value, time in await database.fetch(sql, loop, event.event, event.due):
        came.setdefault(slot, []).append((value, time))
    activated = True
    if event.deferred:
        sql = "SELECT 1 FROM activations WHERE loop = $1 AND event = $2 AND time <= $3"
        activated = bool(await database.fetch(sql, loop, event.event, event.due))
    rewards, times = [], []
    for choice in event.choices:
        of_slot = came.get(choice.slot, [])
        worth = _WORTH[settings.aggregation]
        rewards.append(float(worth([value for value, _ in of_slot])) if of_slot else settings.default_reward)
        times.append(of_slot[0][1] if of_slot else None)
    return Joined(rewards, times, activated, event.arm == BASELINE and settings.mode != "shadow")


def _check(loop: Loop, event: Stored | None, body: RewardBody) -> None:
    """Refuse a reward that cannot belong to the event."""
    limits = loop.settings.reward_range
    if limits is not None and not limits[0] <= body.reward <= limits[1]:
        raise bad_request(f"reward is {body.reward:g}; expected one from {limits[0]:g} to {limits[1]:g}")
    if event is None:
        return
    known = [choice.slot for choice in event.choices]
    if body.slot not in known:
        expected = f"one of {shown(known)}" if known[0] else "none: the event has one decision"
        raise bad_request(f"slot is {shown(body.slot)}; expected {expected}")


async def _check_repeated(database: Database, loop: Loop, body: RewardBody, key: str | None) -> None:
    """Refuse a delivery that came before with another reward."""
    sql = "SELECT value FROM rewards WHERE loop = $1 AND event = $2 AND slot = $3 AND key = $4"
    for (value,) in await database.fetch(sql, loop.name, body.event, body.slot, key):
        if value != body.reward:
            raise conflict(f"the Idempotency-Key {shown(key)} was used for the reward {value:g}; expected the same")
