"""Feature importances, as jobs: how much each feature matters to the model."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from warmcb import Decision, load
from warmcb._messages import shown
from warmcb.errors import WarmcbError
from warmcb.service.events.events import COLUMNS, Stored
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.jobs.apart import apart
from warmcb.service.jobs.jobs import COMPLETED, Job, ask, find, jobs, remove
from warmcb.service.loops import keys, versions
from warmcb.service.loops.loops import Loop
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.bodies import FeatureImportance
from warmcb.service.personalizer.errors import invalid, missing, surface
from warmcb.service.personalizer.offering import MOST_CHARACTERS
from warmcb.service.personalizer.pages import page
from warmcb.service.personalizer.periods import check_log, period_of
from warmcb.service.personalizer.results import head
from warmcb.service.routes.backend import Routes

KIND = "importance"
_CODE = "InvalidContract"
_MOST_EVENTS = 500
_MOST_FEATURES = 200
_ITSELF = "the action itself (id)"
_CROSSED = " × "


class Importances(Routes):
    """Compute which features matter."""

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version. Only the last one has any."""
        if not api.is_last:
            return []
        role, at, plain = keys.ADMINISTRATION, f"{api.path}/featureImportances", surface()
        one = f"{at}/{{id:text}}"
        return [
            Endpoint("GET", at, self.list_all, role, "List them.", surface=plain),
            Endpoint("PUT", one, self.make, role, "Ask for them.", FeatureImportance, surface=surface(_CODE)),
            Endpoint("GET", one, self.show, role, "Show them.", surface=plain),
            Endpoint("DELETE", one, self.delete, role, "Delete them.", surface=plain),
        ]

    async def make(self, call: Call) -> Reply:
        """Store a job to do."""
        body, name, identity = call.body, call.loop.name, call.path["id"]
        if not 1 <= len(identity) <= MOST_CHARACTERS:
            raise invalid(_CODE, f"the id has {len(identity)} characters; expected 1 to {MOST_CHARACTERS}")
        await check_log(self.backend.store, name, *period_of(_CODE, body.start_time, body.end_time))
        job = await self.backend.committer.run(lambda database, now: ask(database, now, name, KIND, identity, body))
        if job is None:
            raise invalid("FeatureImportanceAlreadyExists", f"there is another feature importance {shown(identity)}")
        return Reply(_told(job))

    async def list_all(self, call: Call) -> Reply:
        """List all jobs, newest first."""
        async with self.backend.store.snapshot() as database:
            found = await jobs(database, call.loop.name, KIND)
        return Reply({"value": page(call, [_told(job) for job in found])})

    async def show(self, call: Call) -> Reply:
        """Show a job, done or not."""
        return Reply(_told(await self._found(call)))

    async def delete(self, call: Call) -> Reply:
        """Delete a job."""
        job = await self._found(call)
        await self.backend.committer.run(lambda database, _: remove(database, job.loop, KIND, job.id))
        return Reply(b"", 204)

    async def work(self, loop: Loop, asked: Any) -> Any:
        """Explain decisions of a period by the newest model, and sum the contributions of features."""
        since, until = period_of(_CODE, asked["startTime"], asked["endTime"])
        sql = (
            f"SELECT {COLUMNS} FROM events WHERE loop = $1 AND time >= $2 AND time < $3 AND joined IS NOT NULL"
            " ORDER BY time DESC LIMIT $4"
        )
        async with self.backend.store.snapshot() as database:
            model = await versions.newest(database, loop.name)
            rows = await database.fetch(sql, loop.name, since, until, _MOST_EVENTS)
        if model is None:
            raise WarmcbError("there is no saved model yet")
        return await apart(scores, _Task(model.data, [Stored(*row) for row in rows]))

    async def _found(self, call: Call) -> Job:
        identity = call.path["id"]
        async with self.backend.store.snapshot() as database:
            job = await find(database, call.loop.name, KIND, identity)
        if job is None:
            raise missing("FeatureImportanceNotFound", f"there is no feature importance {shown(identity)}")
        return job


class _Task(NamedTuple):
    model: bytes
    events: list[Stored]


def scores(task: _Task) -> list[dict[str, Any]]:
    """Return features with their share, in percent, of the difference between played and next best actions."""
    bandit: Any = load(task.model)
    spoken: Counter[str] = Counter()
    for event in task.events:
        offered, _ = event.offer
        x, rows, ids = bandit.encoder.encode_request(offered.request)
        if len(offered.names) < 2:
            continue
        for choice in event.choices:
            decision = Decision(choice.action, choice.probability, np.array(choice.probabilities), rows, 0, None, ids)
            for one in bandit.explain(x, decision, most=1000).contributions:
                named = one.name.split(_CROSSED)
                for name in named:
                    spoken[name.partition("=")[0]] += abs(one.cost) / len(named)
    whole = sum(spoken.values()) or 1.0
    return [_scored(name, 100 * share / whole) for name, share in spoken.most_common(_MOST_FEATURES) if share > 0]


def _scored(name: str, score: float) -> dict[str, Any]:
    namespace, _, feature = "id".rpartition(".") if name == _ITSELF else name.rpartition(".")
    return {"namespace": namespace, "featureName": feature, "score": score}


def _told(job: Job) -> dict[str, Any]:
    found = {"featureScores": job.result} if job.status == COMPLETED else {}
    return head(job) | found
