"""Group commits: many requests share one wait for the disk. None is answered before that is over."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from warmcb.errors import WarmcbError
from warmcb.service.clock import Clock
from warmcb.service.store.beat import grant_grace
from warmcb.service.store.contract import CollisionError, Database, Manner, Store, StoreError

T = TypeVar("T")
Job = Callable[[Database, int], Awaitable[T]]
"""What a request writes. It gets the transaction and its time, and may raise a `WarmcbError` before it writes."""

_MOST_JOBS = 256  # in one transaction


class _Waiting(NamedTuple):
    job: Job[Any]
    manner: Manner
    answer: asyncio.Future[Any]


class Committer:
    """Runs jobs in groups: those that come while a transaction is being committed share the next one.

    The time of a transaction is taken inside it, and is never before the settled time. So an event that is joined at
    its deadline has seen every reward with an earlier time.

    Args:
        store: where the jobs write.
        clock: tells the time of a transaction.

    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._waiting: list[_Waiting] = []
        self._running: set[asyncio.Task[None]] = set()
        self._was_away = False
        """Whether the store was unavailable, so that rewards were refused. Events that were due then wait longer."""

    async def run(self, job: Job[T], manner: Manner = Manner.ALONE) -> T:
        """Run a job and wait until its writes are durable.

        Args:
            job: what to do. It runs again if it collides with another one.
            manner: which transactions may run at the same time.

        Returns:
            What the job returned.

        """
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(job, manner, answer))
        if len(self._running) < self._store.writers:
            self._running.add(asyncio.create_task(self._commit_all()))
        return await answer

    async def _commit_all(self) -> None:
        try:
            while self._waiting:
                group, self._waiting = self._waiting[:_MOST_JOBS], self._waiting[_MOST_JOBS:]
                await self._commit(group)
        finally:
            self._running.remove(_this_task())

    async def _commit(self, group: list[_Waiting]) -> None:
        alone = self._was_away or any(one.manner is Manner.ALONE for one in group)
        try:
            try:
                outcomes = await self._outcomes(group, Manner.ALONE if alone else Manner.TOGETHER)
            except CollisionError:
                outcomes = await self._outcomes(group, Manner.ALONE)  # now no other one can collide
        except Exception as error:
            self._was_away = True
            failed = error if isinstance(error, StoreError) else StoreError(f"the store failed: {error}")
            outcomes = [failed] * len(group)
        for (_, _, answer), outcome in zip(group, outcomes, strict=True):
            if answer.done():  # the caller is gone
                continue
            if isinstance(outcome, BaseException):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome)

    async def _outcomes(self, group: list[_Waiting], manner: Manner) -> list[Any]:
        async with self._store.transaction(manner) as database:
            now = max(self._clock.now(), database.settled)
            if self._was_away and manner is Manner.ALONE:
                await grant_grace(database, now)
            outcomes = [await _outcome(one.job, database, now) for one in group]
        self._was_away = False
        return outcomes


def _this_task() -> asyncio.Task[None]:
    task = asyncio.current_task()
    assert task is not None
    return task


async def _outcome(job: Job[Any], database: Database, now: int) -> Any:
    """Return what a job returned, or the error with which it refused. Any other error undoes the whole group."""
    try:
        return await job(database, now)
    except WarmcbError as error:
        return error
