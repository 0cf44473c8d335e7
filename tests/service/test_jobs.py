"""Jobs that are removed while they run."""

from pathlib import Path
from typing import Any

from small_service import NAMED, SmallService
from warmcb.service.jobs.jobs import COMPLETED, Job, Jobs, ask, find, remove
from warmcb.service.loops.loops import Loop
from warmcb.service.store.committer import Committer


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

        async def stored() -> Job | None:
            async with service.store.snapshot() as database:
                return await find(database, "loop", "sum", "one")

        jobs = Jobs(service.store, committer, {"sum": work})
        service.wait(1)
        service.run(asked("old"))
        assert service.run(jobs.step())
        found = service.run(stored())
        assert found is not None
        assert (found.asked, found.result) == ("new", None)
        assert service.run(jobs.step())
        found = service.run(stored())
        assert found is not None
        assert (found.status, found.result) == (COMPLETED, "the result of new")
