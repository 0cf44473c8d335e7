"""Routes for administrators: what policies would have earned on the log, and whether the log can be trusted."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warmcb._messages import counted, shown
from warmcb.service.bodies import EvaluateBody
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.parameters import ALWAYS, period
from warmcb.service.jobs.apart import apart
from warmcb.service.jobs.evaluating import LOG, Learners, Task, evaluation, health
from warmcb.service.loops import keys, versions
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import Settings
from warmcb.service.refusals import RefusedError, bad_request
from warmcb.service.routes.log import LoopLog
from warmcb.service.store import Store

_CHECKED = 20_000  # newest events that a check of the log reads


@dataclass(frozen=True)
class Evaluating:
    """Evaluate policies, one evaluation at a time.

    Attributes:
        store: of the service.

    """

    store: Store
    _running: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, at = keys.ADMINISTRATION, "/v1/loops/{loop}"
        return [
            Endpoint("POST", f"{at}/evaluate", self.evaluate, role, "Evaluate policies on the log.", EvaluateBody),
            Endpoint("GET", f"{at}/health", self.check_health, role, "Check whether the recent log can be trusted."),
        ]

    async def evaluate(self, call: Call) -> Reply:
        """Estimate what policies would have earned on the log of a loop."""
        if self._running.locked():
            raise RefusedError(429, "too_many", "another evaluation is running; try again when it is done")
        return Reply(await self.evaluation(call.loop, call.body))

    async def evaluation(
        self, loop: Loop, body: EvaluateBody, learning: Mapping[str, Settings] | None = None
    ) -> dict[str, Any]:
        """Evaluate policies on the log of a loop, as soon as earlier evaluations are done.

        Args:
            loop: the loop of the log.
            body: what to evaluate.
            learning: settings of bandits that start empty and learn along the log, by the name of the policy.

        """
        since, until = period(body.since, body.until)
        async with self._running:
            named = [policy for policy in body.policies if policy not in (learning or {})]
            stored, cautions = await self._stored(loop.name, named, since, until)
            async with self._log(loop.name, since, until) as folder:
                limits, fresh = loop.settings.reward_range, Learners(loop.kind, dict(learning or {}))
                task = Task(folder, body.policies, stored, body.model, body.level, limits, fresh)
                told = _checked(await apart(evaluation, task), folder)
            for policy, caution in cautions.items():
                told["policies"][policy]["warnings"].append(caution)
            return told

    async def _stored(
        self, loop: str, policies: Iterable[str], since: int, until: int
    ) -> tuple[dict[str, bytes], dict[str, str]]:
        """The models of those policies that are stored versions, by number, and cautions by policy.

        A policy that does not exist is refused.
        """
        stored, cautions = {}, {}
        for policy in policies:
            kind, _, rest = policy.partition(":")
            if kind in ("version", "greedy"):
                async with self.store.snapshot() as database:
                    found = await versions.named(database, loop, rest)
                    learned = await versions.learned_events(database, loop, found.version, since, until)
                stored[rest] = found.data
                if learned:
                    cautions[policy] = (
                        f"this version may have learned {counted(learned, 'event')} of this period, which can "
                        "make its estimate too high: evaluate it on events since the time at which it was made"
                    )
            elif policy not in ("uniform", "default", "logged") and not (kind == "always" and rest):
                expected = "uniform, default, logged, always:ACTION, version:NUMBER or greedy:NUMBER"
                raise bad_request(f"the policy is {shown(policy)}; expected {expected}")
        return stored, cautions

    async def check_health(self, call: Call) -> Reply:
        """Check whether the evidence of the recent log can be trusted."""
        if self._running.locked():
            raise RefusedError(429, "too_many", "an evaluation is running; try again when it is done")
        sql = "SELECT number FROM journal WHERE loop = $1 AND kind = 'event' ORDER BY number DESC LIMIT 1 OFFSET $2"
        async with self.store.snapshot() as database:
            older = await database.fetch(sql, call.loop.name, _CHECKED)
        async with self._running, self._log(call.loop.name, 0, ALWAYS, older[0][0] if older else 0) as folder:
            return Reply(_checked(await apart(health, folder), folder))

    @asynccontextmanager
    async def _log(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[Path]:
        """Write the log to a temporary folder."""
        folder = Path(tempfile.mkdtemp(prefix="warmcb-evaluate-"))
        try:
            with (folder / LOG).open("wb") as file:
                async for part in LoopLog(self.store).lines(loop, since, until, after):
                    file.write(part)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _checked(found: dict[str, Any], folder: Path) -> dict[str, Any]:
    if "error" in found:
        reason = found["error"].replace(str(folder / LOG), "it")
        raise bad_request(f"the log cannot be evaluated: {reason}")
    return found
