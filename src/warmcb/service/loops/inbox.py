"""The inbox: entries that are no events, such as labels, wait here until the trainer numbers them in the journal."""

from typing import Any

import msgspec

from warmcb.service.store import Database


async def put(database: Database, now: int, loop: str, kind: str, body: Any) -> int:
    """Add an entry and return the number that it will have in the journal.

    The trainer numbers what waits here in order, and before events. A model has learned the entry when its version has
    reached this number. If the service is upgraded meanwhile, the trainer notes that first, and the number is one more.

    Args:
        database: a transaction that no other one runs beside.
        now: its time.
        loop: the name of the loop.
        kind: of the entry.
        body: of the entry.

    """
    sql = "INSERT INTO inbox (loop, kind, body, time) VALUES ($1, $2, $3, $4)"
    await database.execute(sql, loop, kind, msgspec.json.encode(body).decode(), now)
    sql = "SELECT entries + (SELECT count(*) FROM inbox WHERE loop = $1) FROM loops WHERE loop = $1"
    ((number,),) = await database.fetch(sql, loop)
    return int(number)
