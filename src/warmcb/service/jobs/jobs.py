"""Jobs: long work that a caller asks for and looks at later. Any worker does them, one after the other."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec

from warmcb._messages import one_line
from warmcb.errors import WarmcbError
from warmcb.service.clock import SECOND
from warmcb.service.loops.loops import Loop, loop_named
from warmcb.service.refusals import RefusedError
from warmcb.service.store import Database, Store, StoreError
from warmcb.service.store.committer import Committer

log = logging.getLogger("warmcb.worker")

_PAUSE = 1.0  # seconds between two looks at the store
_CLAIM = 30 * SECOND  # if its worker is silent for so long, another one does the job
_RENEW = 10.0  # seconds between two signs of life
_MOST_PENDING = 20  # jobs of one loop and kind
PENDING, COMPLETED, FAILED = "pending", "completed", "failed"


class Job(NamedTuple):
    """A job and its result.

    Attributes:
        loop: the name of the loop.
        kind: the kind of work.
        id: the id of the job, among those of its loop and kind.
        asked: the request.
        status: `PENDING`, `COMPLETED` or `FAILED`.
        result: the result; if the job failed, a sentence that says why.
        made: when it was requested.

    """

    loop: str
    kind: str
    id: str
    asked: Any
    status: str
    result: Any
    made: int


Work = Callable[[Loop, Any], Awaitable[Any]]
"""A function that does a job: from the loop and the request to a result that can be written as JSON."""

_COLUMNS = "loop, kind, id, asked, status, result, made"
_SAME = "loop = $1 AND kind = $2 AND id = $3 AND made = $4"
"""The condition that selects a running job. If it is removed, another job may get its id."""


async def ask(database: Database, now: int, loop: str, kind: str, identity: str, asked: Any) -> Job | None:
    """Store a job. The same request again returns the stored job; None if the id belongs to another request."""
    there = await find(database, loop, kind, identity)
    if there is not None:
        return there if there.asked == msgspec.to_builtins(asked) else None
    sql = "SELECT count(*) FROM jobs WHERE loop = $1 AND kind = $2 AND status = 'pending'"
    ((pending,),) = await database.fetch(sql, loop, kind)
    if pending >= _MOST_PENDING:
        raise RefusedError(429, "too_many", f"{pending} such jobs are waiting; try again when one is done")
    sql = f"INSERT INTO jobs ({_COLUMNS}, claimed) VALUES ($1, $2, $3, $4, 'pending', 'null', $5, 0)"
    await database.execute(sql, loop, kind, identity, _json(asked), now)
    return Job(loop, kind, identity, msgspec.to_builtins(asked), PENDING, None, now)


async def find(database: Database, loop: str, kind: str, identity: str) -> Job | None:
    """Return a job by its id; None if there is none."""
    sql = f"SELECT {_COLUMNS} FROM jobs WHERE loop = $1 AND kind = $2 AND id = $3"
    return next((_job(row) for row in await database.fetch(sql, loop, kind, identity)), None)


async def jobs(database: Database, loop: str, kind: str) -> list[Job]:
    """Return all jobs of a loop and a kind, newest first."""
    sql = f"SELECT {_COLUMNS} FROM jobs WHERE loop = $1 AND kind = $2 ORDER BY made DESC, id"
    return [_job(row) for row in await database.fetch(sql, loop, kind)]


async def remove(database: Database, loop: str, kind: str, identity: str) -> int:
    """Remove a job and return how many were removed, 0 or 1. If it is running, its result is dropped."""
    return await database.execute("DELETE FROM jobs WHERE loop = $1 AND kind = $2 AND id = $3", loop, kind, identity)


class Jobs:
    """Does the jobs that wait in the store.

    Args:
        store: of the service.
        committer: writes to the store.
        work: the function for each kind of job.

    """

    def __init__(self, store: Store, committer: Committer, work: Mapping[str, Work]) -> None:
        self._store, self._committer, self._work = store, committer, work

    async def run(self) -> None:
        """Do jobs, again and again."""
        while True:
            try:
                while await self.step():
                    pass
            except StoreError as error:
                log.error("%s", error)
            except Exception as error:
                log.error("jobs: %s", error, exc_info=error)
            await asyncio.sleep(_PAUSE)

    async def step(self) -> bool:
        """Do one job, and return whether there was one."""
        async with self._store.snapshot() as database:
            if not await database.fetch("SELECT 1 FROM jobs WHERE status = 'pending' LIMIT 1"):
                return False
        job = await self._committer.run(_claim)
        if job is None:
            return False
        renewing = asyncio.create_task(self._renew(job))
        try:
            status, result = await self._done(job)
        finally:
            renewing.cancel()
            with suppress(asyncio.CancelledError):
                await renewing
        sql = f"UPDATE jobs SET status = $5, result = $6 WHERE {_SAME}"
        values = (job.loop, job.kind, job.id, job.made, status, _json(result))
        await self._committer.run(lambda database, now: database.execute(sql, *values))
        return True

    async def _done(self, job: Job) -> tuple[str, Any]:
        try:
            async with self._store.snapshot() as database:
                loop = await loop_named(database, job.loop)
            return COMPLETED, await self._work[job.kind](loop, job.asked)
        except StoreError:
            raise
        except WarmcbError as error:
            return FAILED, one_line(error)
        except Exception as error:
            log.error("the %s %s failed: %s", job.kind, job.id, error, exc_info=error)
            return FAILED, "something went wrong here"

    async def _renew(self, job: Job) -> None:
        """Show that a worker is still busy with a job."""
        while True:
            await asyncio.sleep(_RENEW)
            with suppress(StoreError):
                await self._committer.run(lambda database, now: _hold(database, now, job))


async def _claim(database: Database, now: int) -> Job | None:
    """Take the oldest job that no worker is busy with."""
    sql = f"SELECT {_COLUMNS} FROM jobs WHERE status = 'pending' AND claimed < $1 ORDER BY made, id LIMIT 1"
    rows = await database.fetch(sql, now)
    if not rows:
        return None
    job = _job(rows[0])
    await _hold(database, now, job)
    return job


async def _hold(database: Database, now: int, job: Job) -> None:
    sql = f"UPDATE jobs SET claimed = $5 WHERE {_SAME}"
    await database.execute(sql, job.loop, job.kind, job.id, job.made, now + _CLAIM)


def _job(row: tuple[Any, ...]) -> Job:
    loop, kind, identity, asked, status, result, made = row
    return Job(loop, kind, identity, msgspec.json.decode(asked), status, msgspec.json.decode(result), made)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
