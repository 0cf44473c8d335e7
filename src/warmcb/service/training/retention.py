"""What is let go: events that are too old, and whatever was stored of a person who asks for it."""

from collections.abc import Iterable

from warmcb._messages import shown
from warmcb.service.loops import versions
from warmcb.service.refusals import not_found
from warmcb.service.store import Database

_MOST = 500  # events in one transaction


async def base_of(database: Database, loop: str, before: int) -> int:
    """The newest version that has learned no event since a time: what it has learned can go. 0: there is none.

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
    # What was learned again must be saved before it can go.
    ((after,),) = await database.fetch(sql.format(">="), loop, await _last_retraining(database, loop))
    return int(base) if after else 0


async def delete_old(database: Database, loop: str, before: int, base: int) -> int:
    """Let events go that a version has learned, with their entries in the journal; how many went.

    The version is kept: from it everything after can be learned again. Those before it go. Labels stay.

    Args:
        database: a transaction of the trainer.
        loop: the name of the loop.
        before: rewards from before that time whose events never came go as well.
        base: what `base_of` has found.

    """
    sql = (
        "SELECT e.id, e.event FROM journal j JOIN events e ON e.id = j.event WHERE j.loop = $1 AND j.number <= $2"
        " AND EXISTS (SELECT 1 FROM versions WHERE loop = $1 AND version = $2) ORDER BY j.number LIMIT $3"
    )
    gone = await database.fetch(sql, loop, base, _MOST)
    await _delete(database, loop, gone)
    if gone:
        # Nor can a retraining be learned again that has learned them.
        await versions.let_go(database, loop, max(base, await _last_retraining(database, loop)))
    await _delete_strays(database, loop, before)
    for table in ("minutes", "progress"):
        await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND minute < $2", loop, before)
    # Of comparisons that are over the sums are enough.
    sql = "DELETE FROM units WHERE loop = $1 AND split < (SELECT max(split) FROM settings WHERE loop = $1)"
    await database.execute(sql, loop)
    return len(gone)


async def forget_log(database: Database, now: int, loop: str, newest: int) -> int:
    """Delete some of the events up to an id, and at last rewards without an event; how many events went.

    The newest version of the model stays. What it has not learned is forgotten.

    Args:
        database: a transaction.
        now: its time.
        loop: the name of the loop.
        newest: the id of the last event that goes.

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


async def forget_event(database: Database, now: int, loop: str, event: str) -> int:
    """Delete an event, and every version that has learned it; the trainer then learns again from what remains."""
    rows = await database.fetch("SELECT id, event, joined FROM events WHERE loop = $1 AND event = $2", loop, event)
    gone = await _forget(database, loop, event, rows)
    if not gone:
        raise not_found(f"there is no event {shown(event)}")
    return gone


async def forget_unit(database: Database, now: int, loop: str, unit: str) -> int:
    """The same for all events of a unit, and for an event that is its own unit."""
    sql = "SELECT id, event, joined FROM events WHERE loop = $1 AND (unit = $2 OR (unit IS NULL AND event = $2))"
    counted = await database.execute("DELETE FROM units WHERE loop = $1 AND unit = $2", loop, unit)
    gone = await _forget(database, loop, unit, await database.fetch(sql, loop, unit))
    if not gone and not counted:
        raise not_found(f"there is no event of the unit {shown(unit)}")
    return gone


async def _forget(database: Database, loop: str, name: str, rows: list[tuple[int, str, int | None]]) -> int:
    """Delete events, and what came for one of that name which was never decided; how many there were."""
    early = not rows and await _delete_arrivals(database, loop, name)
    await _delete(database, loop, [(identity, event) for identity, event, _ in rows])
    learned = [joined for _, _, joined in rows if joined is not None]
    if learned:
        for table in ("versions", "published"):
            await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND version >= $2", loop, min(learned))
        await database.execute("UPDATE loops SET epoch = epoch + 1 WHERE loop = $1", loop)
    return len(rows) or int(early)


async def _delete_strays(database: Database, loop: str, before: int) -> None:
    """Let go what came before a time for events that never came."""
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
    """Delete what came for an event; whether anything had."""
    sql = "DELETE FROM {} WHERE loop = $1 AND event = $2"
    gone = [await database.execute(sql.format(table), loop, event) for table in ("rewards", "activations")]
    return any(gone)


async def _last_retraining(database: Database, loop: str) -> int:
    sql = "SELECT coalesce(max(number), 0) FROM journal WHERE loop = $1 AND kind = 'retrain'"
    ((number,),) = await database.fetch(sql, loop)
    return int(number)
