"""The journal of a loop: one order of everything that changes its model. Only the trainer writes it."""

from typing import NamedTuple

import msgspec

from warmcb.service.events.events import COLUMNS, Joined, Stored
from warmcb.service.events.rewards import join
from warmcb.service.loops.loops import settings_of, split_of
from warmcb.service.loops.settings import Settings
from warmcb.service.monitoring.tallies import FinishedEvent, count
from warmcb.service.store import Database

_OF_EVENTS = ", ".join(f"e.{name}" for name in Stored._fields)


class Entry(NamedTuple):
    """An entry of the journal.

    Attributes:
        number: its place, from 1. Deleted entries leave gaps.
        kind: "event", "labels", "settings", "action", "model", "reset", "retrain", "restore", "release" or "upgrade".
        body: JSON.
        event: the event, if the entry is one.

    """

    number: int
    kind: str
    body: str
    event: Stored | None

    @property
    def joined(self) -> Joined:
        """What became of the event."""
        return msgspec.json.decode(self.body, type=Joined)


async def number_due(database: Database, now: int, loop: str, most: int) -> list[Entry]:
    """Number the entries of the inbox, and join and number the events whose deadline is over.

    Rewards may still come in the microsecond of a deadline. After it nobody can write one with that time.

    Args:
        database: a transaction of the trainer.
        now: a settled time.
        loop: the name of the loop.
        most: how many entries to number at most.

    Returns:
        The new entries.

    """
    sql = "SELECT id, kind, body, time FROM inbox WHERE loop = $1 ORDER BY id LIMIT $2"
    waiting = await database.fetch(sql, loop, most)
    sql = f"SELECT {COLUMNS} FROM events WHERE loop = $1 AND joined IS NULL AND due < $2 ORDER BY due, id LIMIT $3"
    due = [Stored(*row) for row in await database.fetch(sql, loop, now, most - len(waiting))]
    if not waiting and not due:
        return []
    sql = "UPDATE loops SET entries = entries + $2 WHERE loop = $1 RETURNING entries"
    ((last,),) = await database.fetch(sql, loop, len(waiting) + len(due))
    number = last - len(waiting) - len(due)
    entries = []
    for identity, kind, body, _ in waiting:
        number += 1
        entries.append(Entry(number, kind, body, None))
        await database.execute("DELETE FROM inbox WHERE id = $1", identity)
    in_force: dict[int, tuple[Settings, int]] = {}
    outcomes = []
    for event in due:
        number += 1
        version = event.settings
        if version not in in_force:
            in_force[version] = await settings_of(database, loop, version), await split_of(database, loop, version)
        settings, split = in_force[version]
        joined = await join(database, loop, event, settings)
        outcomes.append(FinishedEvent(event, joined, settings, split))
        entries.append(Entry(number, "event", msgspec.json.encode(joined).decode(), event))
    numbered = [(entry.event.id, entry.number) for entry in entries if entry.event is not None]
    await database.execute_many("UPDATE events SET joined = $2 WHERE id = $1", numbered)
    await count(database, loop, outcomes)
    await _insert(database, now, loop, entries)
    return entries


async def has_due(database: Database, now: int, loop: str) -> bool:
    """Whether anything waits for a number."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM inbox WHERE loop = $1)"
        " OR EXISTS (SELECT 1 FROM events WHERE loop = $1 AND joined IS NULL AND due < $2)"
    )
    ((found,),) = await database.fetch(sql, loop, now)
    return bool(found)


async def added_actions(database: Database, loop: str, after: int = 0) -> set[str]:
    """Return the names of actions that were added after an entry, by default after the loop was made."""
    sql = (
        "SELECT body FROM journal WHERE loop = $1 AND kind = 'action' AND number > $2"
        " UNION ALL SELECT body FROM inbox WHERE loop = $1 AND kind = 'action'"
    )
    return {msgspec.json.decode(body)["name"] for (body,) in await database.fetch(sql, loop, after)}


async def add(database: Database, now: int, loop: str, kind: str, body: str) -> Entry:
    """Add an entry of the trainer itself."""
    sql = "UPDATE loops SET entries = entries + 1 WHERE loop = $1 RETURNING entries"
    ((number,),) = await database.fetch(sql, loop)
    entry = Entry(number, kind, body, None)
    await _insert(database, now, loop, [entry])
    return entry


async def entries_after(database: Database, loop: str, number: int, most: int, until: int | None = None) -> list[Entry]:
    """Return the entries behind a number, in order.

    Args:
        database: a transaction or a snapshot.
        loop: the name of the loop.
        number: the number of the last entry that is known.
        most: how many entries to return at most.
        until: the number of the last entry to return; None for all.

    """
    sql = (
        f"SELECT j.number, j.kind, j.body, {_OF_EVENTS} FROM journal j LEFT JOIN events e ON e.id = j.event"
        " WHERE j.loop = $1 AND j.number > $2 AND j.number <= $3 ORDER BY j.number LIMIT $4"
    )
    rows = await database.fetch(sql, loop, number, 2**62 if until is None else until, most)
    return [Entry(row[0], row[1], row[2], None if row[3] is None else Stored(*row[3:])) for row in rows]


async def _insert(database: Database, now: int, loop: str, entries: list[Entry]) -> None:
    sql = "INSERT INTO journal (loop, number, kind, body, time, event) VALUES ($1, $2, $3, $4, $5, $6)"
    rows = [(loop, one.number, one.kind, one.body, now, one.event and one.event.id) for one in entries]
    await database.execute_many(sql, rows)
