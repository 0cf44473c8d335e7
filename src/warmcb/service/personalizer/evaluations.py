"""Evaluations of policies, as jobs."""

import re
import secrets
from dataclasses import dataclass
from typing import Any

import msgspec

from warmcb._messages import shown
from warmcb.service.bodies import EvaluateBody
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.jobs.jobs import COMPLETED, Job, ask, find, jobs, remove
from warmcb.service.loops import keys
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import Settings, settings_from
from warmcb.service.personalizer import policies
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.bodies import EvaluationBody, PolicyReference
from warmcb.service.personalizer.configurations import Configurations
from warmcb.service.personalizer.errors import invalid, missing, surface
from warmcb.service.personalizer.offering import MOST_CHARACTERS
from warmcb.service.personalizer.pages import page
from warmcb.service.personalizer.periods import check_log, period_of
from warmcb.service.personalizer.repeats import identity_of
from warmcb.service.personalizer.results import CONTRACT, FIXED, MANUAL, head, told, told_last
from warmcb.service.routes.backend import Routes
from warmcb.service.routes.evaluation import Evaluating

KIND = "evaluation"
_MOST_POLICIES = 10
_ALWAYS = {"Online": "logged", "Baseline": "default", "Random": "uniform"}
"""The policies that are always evaluated, by Personalizer's names: what the loop did, the first allowed action, and
chance.
"""
_FILTER = re.compile(r"(?:metadata=)?evaluationType eq '(Manual|Auto)'")


@dataclass(frozen=True)
class Evaluations(Routes):
    """Evaluate policies, and apply the settings of one.

    Attributes:
        evaluation: evaluates policies.
        configurations: applies the settings of a policy.

    """

    evaluation: Evaluating
    configurations: Configurations

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""
        routes = _Routes(self, api)
        role, at, plain = keys.ADMINISTRATION, f"{api.path}/evaluations", surface()
        one, asked = f"{at}/{{id:text}}", surface(CONTRACT)
        made = (
            Endpoint("PUT", one, routes.make, role, "Evaluate.", EvaluationBody, surface=asked)
            if api.is_last
            else Endpoint("POST", at, routes.make, role, "Evaluate.", EvaluationBody, surface=asked)
        )
        apply = f"{api.path}/configurations/applyFromEvaluation"
        return [
            made,
            Endpoint("GET", at, routes.list_all, role, "List evaluations.", surface=plain),
            Endpoint("GET", one, routes.show, role, "Show an evaluation.", surface=plain),
            Endpoint("DELETE", one, routes.delete, role, "Delete an evaluation.", surface=plain),
            *(
                []
                if api.is_first
                else [Endpoint("POST", apply, self.apply, role, "Apply a policy.", PolicyReference, surface=plain)]
            ),
        ]

    async def found(self, call: Call) -> Job:
        """Return the job of a path."""
        return await self._job(call.loop.name, call.path["id"])

    async def apply(self, call: Call) -> Reply:
        """Learn with the settings of a policy that was evaluated."""
        job, wanted = await self._job(call.loop.name, call.body.evaluation_id), call.body.policy_name
        if job.status != COMPLETED:
            raise invalid("BadRequest", f"the evaluation {shown(job.id)} is {job.status}; expected a completed one")
        found = next((one for one in job.result["policies"] if one["name"] == wanted), None)
        if found is None:
            names = [one["name"] for one in job.result["policies"]]
            raise missing("LearningSettingsNotFound", f"policyName is {shown(wanted)}; expected one of {shown(names)}")
        if found["source"] in FIXED:
            raise invalid("InvalidPolicyConfiguration", f"the policy {shown(wanted)} learns nothing; expected another")
        if found["source"] != "Online":
            changes = policies.settings_of("InvalidPolicyConfiguration", found["arguments"])
            await self.configurations.learn_with(call, changes)
        return Reply(b"", 204)

    async def work(self, loop: Loop, asked: Any) -> Any:
        """Evaluate the requested policies, and those that always are."""
        learning = _learning(loop, asked)
        body = EvaluateBody(
            policies=[*_ALWAYS.values(), *learning], since=asked["startTime"], until=asked["endTime"], model="linear"
        )
        found = await self.evaluation.evaluation(loop, body, {name: one.settings for name, one in learning.items()})
        values = found["policies"]
        results = [
            {"name": source, "arguments": "", "source": source, **values[name]} for source, name in _ALWAYS.items()
        ]
        # What the loop earned is known. It needs no model of rewards.
        results[0] |= {"arguments": policies.arguments_of(loop.settings), "best": "ips"}
        results += [
            {"name": name, "arguments": one.arguments, "source": one.source, **values[name]}
            for name, one in learning.items()
        ]
        return {"decisions": found["decisions"], "policies": results}

    async def _job(self, loop: str, identity: str) -> Job:
        async with self.backend.store.snapshot() as database:
            job = await find(database, loop, KIND, identity)
        if job is None:
            raise missing("EvaluationNotFound", f"there is no evaluation {shown(identity)}")
        return job


@dataclass(frozen=True)
class _Routes:
    """The routes of one version. All versions answer the same in different words.

    Attributes:
        all: what the versions have in common.
        api: the version.

    """

    all: Evaluations
    api: Api

    async def make(self, call: Call) -> Reply:
        """Store an evaluation to do."""
        body: EvaluationBody = call.body
        if self.api.is_last:
            identity = call.path["id"]
            if not 1 <= len(identity) <= MOST_CHARACTERS:
                raise invalid(CONTRACT, f"the id has {len(identity)} characters; expected 1 to {MOST_CHARACTERS}")
        else:
            identity = identity_of(call) or secrets.token_hex(16)
        await check_log(self.all.backend.store, call.loop.name, *period_of(CONTRACT, body.start_time, body.end_time))
        _check_policies(body, call.loop.settings)
        name = call.loop.name
        job = await self.all.backend.committer.run(lambda db, now: ask(db, now, name, KIND, identity, body))
        if job is None:
            raise invalid("EvaluationAlreadyExists", f"there is another evaluation {shown(identity)}")
        if self.api.is_last:
            return Reply(told_last(job))
        return Reply(told(job), 201, headers=((b"location", f"{self.api.path}/evaluations/{identity}".encode()),))

    async def list_all(self, call: Call) -> Reply:
        """List all evaluations, newest first."""
        async with self.all.backend.store.snapshot() as database:
            found = await jobs(database, call.loop.name, KIND)
        if not self.api.is_last:
            return Reply([told(job) for job in found])
        if (wanted := call.query.get("filter")) is not None:
            match = _FILTER.fullmatch(wanted)
            if match is None:
                raise invalid("BadRequest", f"filter is {shown(wanted)}; expected evaluationType eq 'Manual' or 'Auto'")
            found = found if match[1] == "Manual" else []
        return Reply({"value": page(call, [head(job) | MANUAL for job in found])})

    async def show(self, call: Call) -> Reply:
        """Show an evaluation, done or not."""
        job = await self.all.found(call)
        return Reply(told_last(job) if self.api.is_last else told(job))

    async def delete(self, call: Call) -> Reply:
        """Delete an evaluation."""
        job = await self.all.found(call)
        await self.all.backend.committer.run(lambda db, _: remove(db, job.loop, KIND, job.id))
        return Reply(b"", 204)


@dataclass(frozen=True)
class _Learning:
    """A policy that starts empty and learns along the log."""

    arguments: str
    source: str
    settings: Settings


def _learning(loop: Loop, asked: Any) -> dict[str, _Learning]:
    body = msgspec.convert(asked, EvaluationBody)
    named = [(one.name, one.arguments, "Custom") for one in body.policies or ()]
    tried = _experiments(body, loop.settings).items()
    named += [(name, arguments, "OfflineExperimentation") for name, arguments in tried]
    plain = msgspec.to_builtins(loop.settings)
    return {
        name: _Learning(arguments, source, settings_from(plain | policies.settings_of(CONTRACT, arguments)))
        for name, arguments, source in named
    }


def _experiments(body: EvaluationBody, settings: Settings) -> dict[str, str]:
    """The arguments of the policies that the service tries by itself, by name; empty if the caller wants none."""
    if not (body.enable_offline_experimentation or body.enable_policy_optimization):
        return {}
    return {f"Experiment {i}": arguments for i, arguments in enumerate(policies.others(settings), 1)}


def _check_policies(body: EvaluationBody, settings: Settings) -> None:
    asked = body.policies or []
    if len(asked) > _MOST_POLICIES:
        raise invalid(CONTRACT, f"there are {len(asked)} policies; expected at most {_MOST_POLICIES}")
    names, experiments = [one.name for one in asked], _experiments(body, settings)
    if len(set(names)) < len(names) or {*_ALWAYS, *_ALWAYS.values(), *experiments} & set(names):
        expected = f"different ones, and others than {', '.join((*_ALWAYS, *experiments))}"
        raise invalid("DuplicateCustomPolicyNames", f"the policies have the names {shown(names)}; expected {expected}")
    for policy in asked:
        policies.settings_of(CONTRACT, policy.arguments)
