"""The inbox: entries that are no events, such as labels, wait here until the trainer numbers them in the journal."""

from typing import Any

import msgspec

from warmcb.service.store import Database


async def put(database: Database, now: int, loop: str, kind: str, body: Any) -> int:
    """Add an entry and return its id."""
    sql = "INSERT INTO inbox (loop, kind, body, time) VALUES ($1, $2, $3, $4) RETURNING id"
    ((number,),) = await database.fetch(sql, loop, kind, msgspec.json.encode(body).decode(), now)
    return int(number)
