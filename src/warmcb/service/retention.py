"""What is let go: events that are too old, and whatever was stored of a person who asks for it."""

from collections.abc import Iterable

from warmcb._messages import shown
from warmcb.service.clock import DAY
from warmcb.service.refusals import not_found
from warmcb.service.store import Database

_MOST = 500  # events in one transaction


async def delete_old(database: Database, now: int, loop: str, keep_days: float) -> int:
    """Let events go that are older than so many days and safely learned; how many went.

    Their entries leave the journal with them. A saved version has learned them, and is kept as a base. Labels stay.
    """
    before = now - round(keep_days * DAY)
    ((base,),) = await database.fetch("SELECT max(version) FROM versions WHERE loop = $1 AND broken = 0", loop)
    sql = "SELECT id, event FROM events WHERE loop = $1 AND time < $2 AND joined <= $3 ORDER BY time LIMIT $4"
    gone = await database.fetch(sql, loop, before, base or 0, _MOST)
    await _delete(database, loop, gone)
    await _delete_strays(database, loop, before)
    return len(gone)


async def forget_log(database: Database, now: int, loop: str, newest: int) -> int:
    """Delete some of the events up to an id, and at last rewards without an event; how many events went.

    Versions of the model stay. What none of them has learned is forgotten.
    """
    sql = "SELECT id, event, coalesce(joined, 0) FROM events WHERE loop = $1 AND id <= $2 ORDER BY id LIMIT $3"
    rows = await database.fetch(sql, loop, newest, _MOST)
    ((base,),) = await database.fetch("SELECT max(version) FROM versions WHERE loop = $1 AND broken = 0", loop)
    await _delete(database, loop, [(identity, event) for identity, event, _ in rows])
    if any(joined > (base or 0) for _, _, joined in rows):
        await database.execute("UPDATE loops SET epoch = epoch + 1 WHERE loop = $1", loop)
    if not rows:
        await _delete_strays(database, loop, now)
    return len(rows)


async def forget_event(database: Database, now: int, loop: str, event: str) -> int:
    """Delete an event, and every version that has learned it; the trainer then learns again from what remains."""
    rows = await database.fetch("SELECT id, event, joined FROM events WHERE loop = $1 AND event = $2", loop, event)
    if not rows:
        raise not_found(f"there is no event {shown(event)}")
    return await _forget(database, loop, rows)


async def forget_unit(database: Database, now: int, loop: str, unit: str) -> int:
    """The same for all events of a unit, and for an event that is its own unit."""
    sql = "SELECT id, event, joined FROM events WHERE loop = $1 AND (unit = $2 OR (unit IS NULL AND event = $2))"
    rows = await database.fetch(sql, loop, unit)
    if not rows:
        raise not_found(f"there is no event of the unit {shown(unit)}")
    return await _forget(database, loop, rows)


async def _forget(database: Database, loop: str, rows: list[tuple[int, str, int | None]]) -> int:
    await _delete(database, loop, [(identity, event) for identity, event, _ in rows])
    learned = [joined for _, _, joined in rows if joined is not None]
    if learned:
        for table in ("versions", "published"):
            await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND version >= $2", loop, min(learned))
        await database.execute("UPDATE loops SET epoch = epoch + 1 WHERE loop = $1", loop)
    return len(rows)


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
        for table in ("rewards", "activations"):
            await database.execute(f"DELETE FROM {table} WHERE loop = $1 AND event = $2", loop, event)
        sql = "DELETE FROM journal WHERE loop = $1 AND number = (SELECT joined FROM events WHERE id = $2)"
        await database.execute(sql, loop, identity)
        await database.execute("DELETE FROM events WHERE id = $1", identity)
