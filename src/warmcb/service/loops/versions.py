"""Versions of a model: saved with their place in the journal, published to workers, and thinned out with time."""

import hashlib
import zlib
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import msgspec

from warmcb._code import version_of
from warmcb._messages import shown
from warmcb.service.clock import DAY, HOUR
from warmcb.service.refusals import not_found
from warmcb.service.store import Database

_NEWEST = 2  # versions to keep at any age: if one is damaged, there is another


NOTHING_LEARNED = b""
"""What is published for a bandit that has met no data. Workers then decide by a new bandit."""


class Version(NamedTuple):
    """A model and its place in the journal.

    Attributes:
        version: the number of the last journal entry that it has learned.
        model: the bandit, compressed.
        hash: the hash of the model and the state.
        state: what the trainer needs besides the bandit.
        code: the version of the code that made it.

    """

    version: int
    model: bytes
    hash: bytes
    state: str
    code: str

    @property
    def is_whole(self) -> bool:
        """Whether the bytes are those that were written."""
        return _hash(self.model, self.state) == self.hash

    @property
    def data(self) -> bytes:
        """The bandit's bytes."""
        return zlib.decompress(self.model)


@cache
def code() -> str:
    """Return the version of the code that learns. Equal versions compute equal bits."""
    return version_of("warmcb.service.training.student")


def packed(data: bytes) -> bytes:
    """Compress a model. Wide models are mostly zeros."""
    return zlib.compress(data, 1)


async def save(database: Database, now: int, loop: str, version: int, model: bytes, state: str) -> None:
    """Save a version.

    Args:
        database: a transaction of the trainer.
        now: its time.
        loop: the name of the loop.
        version: the number of the last journal entry that it has learned.
        model: the bandit, compressed by `packed`.
        state: what the trainer needs besides the bandit.

    """
    await database.execute("DELETE FROM versions WHERE loop = $1 AND version = $2", loop, version)
    sql = "INSERT INTO versions (loop, version, model, hash, state, code, time) VALUES ($1, $2, $3, $4, $5, $6, $7)"
    await database.execute(sql, loop, version, model, _hash(model, state), state, code(), now)


async def publish(database: Database, now: int, loop: str, version: int, policy: bytes, pinned: bool) -> None:
    """Let workers decide by a policy, compressed by `packed`. A pinned one stays until it is released."""
    sql = (
        "INSERT INTO published (loop, version, policy, pinned, time) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (loop) DO UPDATE SET version = $2, policy = $3, pinned = $4, time = $5"
    )
    await database.execute(sql, loop, version, policy, int(pinned), now)


async def newest(database: Database, loop: str, until: int = 2**62) -> Version | None:
    """Return the newest version up to a number, without those that are known to be broken."""
    sql = (
        "SELECT version, model, hash, state, code FROM versions"
        " WHERE loop = $1 AND broken = 0 AND version <= $2 ORDER BY version DESC LIMIT 1"
    )
    rows = await database.fetch(sql, loop, until)
    return Version(*rows[0]) if rows else None


async def newest_whole(database: Database, loop: str) -> Version | None:
    """Return the newest version whose bytes are those that were written."""
    found = await newest(database, loop)
    while found is not None and not found.is_whole:
        found = await newest(database, loop, found.version - 1)
    return found


async def named(database: Database, loop: str, number: str) -> Version:
    """Return the version with the number that a caller sent. Refuse if there is none."""
    is_number = number.isascii() and number.isdecimal() and len(number) <= 18
    found = await newest(database, loop, int(number)) if is_number else None
    if found is not None and found.version == int(number):
        return found
    nearest = await _nearest(database, loop, int(number)) if is_number else []
    stored = f"; the nearest stored ones are {', '.join(map(str, nearest))}" if nearest else ""
    raise not_found(f"there is no version {shown(number)}{stored}; GET .../models lists them")


async def _nearest(database: Database, loop: str, number: int) -> list[int]:
    sql = "SELECT version FROM versions WHERE loop = $1 AND broken = 0 ORDER BY abs(version - $2) LIMIT 3"
    return sorted(version for (version,) in await database.fetch(sql, loop, number))


async def learned_events(database: Database, loop: str, version: int, since: int, until: int) -> int:
    """Return how many events of a period a version may have learned.

    Events that it forgot in a reset do not count. Those that were set aside when the loop went back to an earlier
    version count as well.

    Args:
        database: a transaction.
        loop: the name of the loop.
        version: the number of the version.
        since: the beginning of the period.
        until: its end.

    """
    sql = (
        "SELECT count(*) FROM events WHERE loop = $1 AND joined <= $2 AND time >= $3 AND time < $4 AND joined >"
        " (SELECT coalesce(max(number), 0) FROM journal WHERE loop = $1 AND kind = 'reset' AND number <= $2)"
    )
    ((count,),) = await database.fetch(sql, loop, version, since, until)
    return int(count)


async def mark_broken(database: Database, loop: str, version: int) -> None:
    """Mark a version as broken, so that it is never used again."""
    await database.execute("UPDATE versions SET broken = 1 WHERE loop = $1 AND version = $2", loop, version)


async def thin(database: Database, now: int, loop: str) -> int:
    """Delete versions that are no longer needed, and return how many.

    The newest versions stay, one for each hour of the last day and one for each earlier day. Three more kinds stay: the
    published version, versions that the journal goes back to, and one that is older than the oldest event in the
    journal. From that one everything after it can be learned again.
    """
    rows = await database.fetch("SELECT version, time FROM versions WHERE loop = $1 AND broken = 0", loop)
    sql = "SELECT min(number) FROM journal WHERE loop = $1 AND kind = 'event'"
    ((oldest,),) = await database.fetch(sql, loop)
    needed = await _in_use(database, loop)
    if oldest is not None and (before := [version for version, _ in rows if version < oldest]):
        needed.add(max(before))
    gone = {version for version, _ in rows} - kept(rows, now) - needed
    for version in gone:
        await database.execute("DELETE FROM versions WHERE loop = $1 AND version = $2", loop, version)
    return len(gone)


async def let_go(database: Database, loop: str, before: int) -> None:
    """Delete versions that cannot be a starting point any more, since entries behind them have left the journal.

    Args:
        database: a transaction of the trainer.
        loop: the name of the loop.
        before: the first number that stays.

    """
    rows = await database.fetch("SELECT version FROM versions WHERE loop = $1 AND version < $2", loop, before)
    for version in {version for (version,) in rows} - await _in_use(database, loop, before):
        await database.execute("DELETE FROM versions WHERE loop = $1 AND version = $2", loop, version)


async def lost(database: Database, loop: str, after: int) -> list[int]:
    """Return versions behind a number that the journal goes back to but that are missing, in order."""
    rows = await database.fetch("SELECT version FROM versions WHERE loop = $1 AND broken = 0", loop)
    there = {version for (version,) in rows}
    return sorted(version for version in await _restored(database, loop, after) - there if version > after)


async def _in_use(database: Database, loop: str, after: int = 0) -> set[int]:
    """Return versions that workers decide by, or that journal entries behind a number go back to."""
    rows = await database.fetch("SELECT version FROM published WHERE loop = $1", loop)
    return {version for (version,) in rows} | await _restored(database, loop, after)


async def _restored(database: Database, loop: str, after: int) -> set[int]:
    sql = (
        "SELECT body FROM journal WHERE loop = $1 AND kind = 'restore' AND number > $2"
        " UNION ALL SELECT body FROM inbox WHERE loop = $1 AND kind = 'restore'"
    )
    return {msgspec.json.decode(body)["version"] for (body,) in await database.fetch(sql, loop, after)}


def _hash(model: bytes, state: str) -> bytes:
    return hashlib.sha256(model + state.encode()).digest()


def kept(versions: Iterable[tuple[int, int]], now: int) -> set[int]:
    """Return the versions that are young enough to keep.

    Args:
        versions: numbers and times.
        now: the current time.

    >>> hours = [(i, i * HOUR // 4) for i in range(12)]  # four an hour, for three hours
    >>> sorted(kept(hours, 11 * HOUR // 4))
    [3, 7, 10, 11]

    """
    ordered = sorted(versions)
    keep = {version for version, _ in ordered[-_NEWEST:]}
    last_of = {((time // HOUR) if now - time < DAY else -(time // DAY) - 1): version for version, time in ordered}
    return keep | set(last_of.values())
