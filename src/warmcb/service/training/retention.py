"""Deletion: of events that are too old, and of everything about a person who asks for it."""

from collections.abc import Iterable

from warmcb._messages import shown
from warmcb.service.loops import versions
from warmcb.service.refusals import not_found
from warmcb.service.store import Database

_MOST = 500  # events in one transaction


async def base_of(database: Database, loop: str, before: int) -> int:
    """Return the newest version that has learned no event since a time; 0 if there is none.

    Events that it has learned can be deleted.

    Args:
        database: a snapshot.
        loop: the name of the loop.
        before: the time.

    """
    sql = (
        "SELECT j.number FROM journal j JOIN events e ON e.id = j.event"
        " WHERE j.loop = $1 AND e.time >= $2 ORDER BY j.number LIMIT 1"
    )
    young = next((number for (number,) in await database.fetch(sql, loop, before)), 2**62)
    sql = "SELECT coalesce(max(version), 0) FROM versions WHERE loop = $1 AND broken = 0 AND version {} $2"
    ((base,),) = await database.fetch(sql.format("<"), loop, young)
    # Events that were learned again must be saved in a version before they can go.
    ((after,),) = await database.fetch(sql.format(">="), loop, await _last_retraining(database, loop))
    return int(base) if after else 0


async def delete_old(database: Database, loop: str, before: int, base: int) -> int:
    """Delete events that a version has learned, with their journal entries, and return how many.

    The version stays, since everything after it can be learned again from there. Earlier versions go. Labels stay.

    Args:
        database: a transaction of the trainer.
        loop: the name of the loop.
        before: rewards that came before this time, and whose events never came, are deleted, too.
        base: the version, from `base_of`.

    """
    sql = (
        "SELECT e.id, e.event FROM journal j JOIN events e ON e.id = j.event WHERE j.loop = $1 AND j.number <= $2"
        " AND EXISTS (SELECT 1 FROM versions WHERE loop = $1 AND version = $2) ORDER BY j.number LIMIT $3"
    )
    gone = await database.fetch(sql, loop, base, _MOST)
    await _delete(database, loop, gone)
    if gone:
        # A retraining that has learned these events cannot be repeated without them.
        await versions.let_go(database, loop, max(base, await _last_retraining(database, loop)))
    await _delete_strays(database, loop, before)
    for table in ("minutes", "progress"):
        await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND minute < $2", loop, before)
    # For comparisons that are over, the sums are enough.
    sql = "DELETE FROM units WHERE loop = $1 AND split < (SELECT max(split) FROM settings WHERE loop = $1)"
    await database.execute(sql, loop)
    return len(gone)


async def forget_log(database: Database, now: int, loop: str, newest: int) -> int:
    """Delete some of the events up to an id, and return how many. When none is left, delete rewards without an event.

    The newest version of the model stays. What it has not learned yet is lost.

    Args:
        database: a transaction.
        now: its time.
        loop: the name of the loop.
        newest: the id of the last event to delete.

    """
    sql = "SELECT id, event, coalesce(joined, 0) FROM events WHERE loop = $1 AND id <= $2 ORDER BY id LIMIT $3"
    rows = await database.fetch(sql, loop, newest, _MOST)
    sql = "SELECT coalesce(max(version), 0) FROM versions WHERE loop = $1 AND broken = 0"
    ((base,),) = await database.fetch(sql, loop)
    await versions.let_go(database, loop, base)
    await _delete(database, loop, [(identity, event) for identity, event, _ in rows])
    if any(joined > base for _, _, joined in rows):
        await database.execute("UPDATE loops SET epoch = epoch + 1 WHERE loop = $1", loop)
    if not rows:
        await _delete_strays(database, loop, now)
    return len(rows)


async def forget_event(database: Database, loop: str, event: str) -> int:
    """Delete an event and every version that has learned it. The trainer then learns the rest again."""
    rows = await database.fetch("SELECT id, event, joined FROM events WHERE loop = $1 AND event = $2", loop, event)
    gone = await _forget(database, loop, event, rows)
    if not gone:
        raise not_found(f"there is no event {shown(event)}")
    return gone


async def forget_unit(database: Database, loop: str, unit: str) -> int:
    """Delete all events of a unit in the same way. An event without a unit is a unit of its own."""
    sql = "SELECT id, event, joined FROM events WHERE loop = $1 AND (unit = $2 OR (unit IS NULL AND event = $2))"
    counted = await database.execute("DELETE FROM units WHERE loop = $1 AND unit = $2", loop, unit)
    gone = await _forget(database, loop, unit, await database.fetch(sql, loop, unit))
    if not gone and not counted:
        raise not_found(f"there is no event of the unit {shown(unit)}")
    return gone


async def _forget(database: Database, loop: str, name: str, rows: list[tuple[int, str, int | None]]) -> int:
    """Delete events, and rewards for an event of that name that never came; return how many events there were."""
    early = not rows and await _delete_arrivals(database, loop, name)
    await _delete(database, loop, [(identity, event) for identity, event, _ in rows])
    learned = [joined for _, _, joined in rows if joined is not None]
    if learned:
        for table in ("versions", "published"):
            await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND version >= $2", loop, min(learned))
        await database.execute("UPDATE loops SET epoch = epoch + 1 WHERE loop = $1", loop)
    return len(rows) or int(early)


async def _delete_strays(database: Database, loop: str, before: int) -> None:
    """Delete rewards and activations that came before a time and whose events never came."""
    sql = (
        "DELETE FROM {0} WHERE loop = $1 AND time < $2"
        " AND NOT EXISTS (SELECT 1 FROM events e WHERE e.loop = {0}.loop AND e.event = {0}.event)"
    )
    for table in ("rewards", "activations"):
        await database.execute(sql.format(table), loop, before)


async def _delete(database: Database, loop: str, rows: Iterable[tuple[int, str]]) -> None:
    for identity, event in rows:
        await _delete_arrivals(database, loop, event)
        sql = "DELETE FROM journal WHERE loop = $1 AND number = (SELECT joined FROM events WHERE id = $2)"
        await database.execute(sql, loop, identity)
        await database.execute("DELETE FROM events WHERE id = $1", identity)


async def _delete_arrivals(database: Database, loop: str, event: str) -> bool:
    """Delete the rewards and activations of an event; return whether there were any."""
    sql = "DELETE FROM {} WHERE loop = $1 AND event = $2"
    gone = [await database.execute(sql.format(table), loop, event) for table in ("rewards", "activations")]
    return any(gone)


async def _last_retraining(database: Database, loop: str) -> int:
    sql = "SELECT coalesce(max(number), 0) FROM journal WHERE loop = $1 AND kind = 'retrain'"
    ((number,),) = await database.fetch(sql, loop)
    return int(number)
