"""Jobs that are removed while they run, and jobs that take long."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from small_service import NAMED, SmallService
from warmcb.service.jobs.jobs import COMPLETED, Job, Jobs, ask, find, remove
from warmcb.service.loops.loops import Loop
from warmcb.service.store.committer import Committer


async def stored(service: SmallService) -> Job:
    async with service.store.snapshot() as database:
        found = await find(database, "loop", "sum", "one")
    assert found is not None
    return found


def test_a_result_is_not_given_to_another_job_of_the_same_id(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        service.make(NAMED)
        committer = Committer(service.store, service.clock)

        async def asked(what: str) -> Job | None:
            return await committer.run(lambda database, now: ask(database, now, "loop", "sum", "one", what))

        async def work(loop: Loop, what: Any) -> Any:
            if what == "old":
                await committer.run(lambda database, _: remove(database, "loop", "sum", "one"))
                service.wait(1)
                await asked("new")
            return f"the result of {what}"

        jobs = Jobs(service.store, committer, {"sum": work})
        service.wait(1)
        service.run(asked("old"))
        assert service.run(jobs.step())
        found = service.run(stored(service))
        assert (found.asked, found.result) == ("new", None)
        assert service.run(jobs.step())
        found = service.run(stored(service))
        assert (found.status, found.result) == (COMPLETED, "the result of new")


def test_a_long_job_stays_with_its_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("warmcb.service.jobs.jobs._RENEW", 0.01)
    with SmallService(tmp_path) as service:
        service.make(NAMED)
        committer = Committer(service.store, service.clock)

        async def claimed() -> Any:
            async with service.store.snapshot() as database:
                return await database.fetch("SELECT claimed FROM jobs")

        async def work(loop: Loop, what: Any) -> Any:
            for _ in range(2):
                before = await claimed()
                service.wait(20)  # a claim lasts for 30 seconds
                async with asyncio.timeout(10):
                    while await claimed() == before:
                        await asyncio.sleep(0.01)
            return {"another worker has a job": await others.step()}

        jobs, others = (Jobs(service.store, committer, works) for works in ({"sum": work}, {}))
        service.run(committer.run(lambda database, now: ask(database, now, "loop", "sum", "one", "all")))
        assert service.run(jobs.step())
        found = service.run(stored(service))
        assert (found.status, found.result) == (COMPLETED, {"another worker has a job": False})
