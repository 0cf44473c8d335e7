"""Versions of a model: saved with their place in the journal, published to those who decide, thinned with time."""

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

_NEWEST = 2  # versions that are kept whatever their age: if one is damaged there is another


NOTHING_LEARNED = b""
"""What is published of a bandit that has met no data: workers decide by a new one."""


class Version(NamedTuple):
    """A model and its place in the journal.

    Attributes:
        version: the number of the last entry that it has learned.
        model: the bandit's bytes, compressed.
        hash: of them and the state.
        state: what else the trainer has to know.
        code: the version of the code that made it.

    """

    version: int
    model: bytes
    hash: bytes
    state: str
    code: str

    @property
    def is_whole(self) -> bool:
        """Whether it is what was written."""
        return _hash(self.model, self.state) == self.hash

    @property
    def data(self) -> bytes:
        """The bandit's bytes."""
        return zlib.decompress(self.model)


@cache
def code() -> str:
    """The version of the code that learns: equal versions give equal bits."""
    return version_of("warmcb.service.training.student")


def packed(data: bytes) -> bytes:
    """Compressed: wide models are mostly zeros."""
    return zlib.compress(data, 1)


async def save(database: Database, now: int, loop: str, version: int, model: bytes, state: str) -> None:
    """Keep a version.

    Args:
        database: a transaction of the trainer.
        now: its time.
        loop: the name of the loop.
        version: the number of the last entry that it has learned.
        model: the bandit's bytes, packed.
        state: what else the trainer has to know.

    """
    await database.execute("DELETE FROM versions WHERE loop = $1 AND version = $2", loop, version)
    sql = "INSERT INTO versions (loop, version, model, hash, state, code, time) VALUES ($1, $2, $3, $4, $5, $6, $7)"
    await database.execute(sql, loop, version, model, _hash(model, state), state, code(), now)


async def publish(database: Database, now: int, loop: str, version: int, policy: bytes, pinned: bool) -> None:
    """Let workers decide by a policy, packed; a pinned one stays until it is released."""
    sql = (
        "INSERT INTO published (loop, version, policy, pinned, time) VALUES ($1, $2, $3, $4, $5)"
        " ON CONFLICT (loop) DO UPDATE SET version = $2, policy = $3, pinned = $4, time = $5"
    )
    await database.execute(sql, loop, version, policy, int(pinned), now)


async def newest(database: Database, loop: str, until: int = 2**62) -> Version | None:
    """The newest version that is not known to be broken, up to a number."""
    sql = (
        "SELECT version, model, hash, state, code FROM versions"
        " WHERE loop = $1 AND broken = 0 AND version <= $2 ORDER BY version DESC LIMIT 1"
    )
    rows = await database.fetch(sql, loop, until)
    return Version(*rows[0]) if rows else None


async def named(database: Database, loop: str, number: str) -> Version:
    """The version that a caller has named by its number; a refusal if there is none."""
    is_number = number.isascii() and number.isdecimal() and len(number) <= 18
    found = await newest(database, loop, int(number)) if is_number else None
    if found is None or found.version != int(number):
        raise not_found(f"there is no version {shown(number)}; GET .../models lists them")
    return found


async def mark_broken(database: Database, loop: str, version: int) -> None:
    """Never use a version again."""
    await database.execute("UPDATE versions SET broken = 1 WHERE loop = $1 AND version = $2", loop, version)


async def thin(database: Database, now: int, loop: str) -> int:
    """Keep the newest versions, one of each hour of a day, one of each day, and those that are needed; how many went.

    Needed are a version that is published, those that entries of the journal go back to, and one that is older than the
    oldest event in the journal: from it everything after can be learned again.
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
    """Delete versions that nothing can be learned again from: entries behind them have left the journal.

    Args:
        database: a transaction of the trainer.
        loop: the name of the loop.
        before: the first number that stays.

    """
    rows = await database.fetch("SELECT version FROM versions WHERE loop = $1 AND version < $2", loop, before)
    for version in {version for (version,) in rows} - await _in_use(database, loop, before):
        await database.execute("DELETE FROM versions WHERE loop = $1 AND version = $2", loop, version)


async def lost(database: Database, loop: str, after: int) -> list[int]:
    """Versions behind a number that entries of the journal go back to, and that are not there: in order."""
    rows = await database.fetch("SELECT version FROM versions WHERE loop = $1 AND broken = 0", loop)
    there = {version for (version,) in rows}
    return sorted(version for version in await _restored(database, loop, after) - there if version > after)


async def _in_use(database: Database, loop: str, after: int = 0) -> set[int]:
    """Versions that workers decide by, or that entries behind a number go back to."""
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
    """Which of several versions are kept for their age.

    Args:
        versions: numbers and times.
        now: the time.

    >>> hours = [(i, i * HOUR // 4) for i in range(12)]  # four an hour, for three hours
    >>> sorted(kept(hours, 11 * HOUR // 4))
    [3, 7, 10, 11]

    """
    ordered = sorted(versions)
    keep = {version for version, _ in ordered[-_NEWEST:]}
    last_of = {((time // HOUR) if now - time < DAY else -(time // DAY) - 1): version for version, time in ordered}
    return keep | set(last_of.values())
