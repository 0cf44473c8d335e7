"""The routes of applications: decide, reward, activate. What they answer is durable."""

import asyncio
from dataclasses import dataclass

from warmcb.service.bodies import ActivateBody, DecideBody, LabelsBody, RewardBody
from warmcb.service.events import labels
from warmcb.service.events.deciding import decide
from warmcb.service.events.events import answer, keep
from warmcb.service.events.rewards import keep_activation, keep_reward
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.limits import Limits
from warmcb.service.loops import keys
from warmcb.service.loops.directory import Directory
from warmcb.service.monitoring.metrics import DECISIONS, REWARDS
from warmcb.service.store import Manner
from warmcb.service.store.committer import Committer


@dataclass(frozen=True)
class Serving:
    """What applications call.

    Attributes:
        directory: knows loops and models.
        committer: writes.
        limits: of requests.

    """

    directory: Directory
    committer: Committer
    limits: Limits

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes, those that are called most first."""
        role = keys.APPLICATION
        at = "/v1/loops/{loop}"
        return [
            Endpoint("POST", f"{at}/decide", self.decide, role, "Decide which action to play.", DecideBody),
            Endpoint("POST", f"{at}/reward", self.reward, role, "Tell what a decision has brought.", RewardBody),
            Endpoint(
                "POST", f"{at}/activate", self.activate, role, "Tell that a deferred event took place.", ActivateBody
            ),
            Endpoint(
                *("POST", f"{at}/labels", self.labels, keys.ADMINISTRATION, "Give labelled examples of a source."),
                body=LabelsBody,
                most=self.limits.labels,
            ),
        ]

    async def decide(self, call: Call) -> Reply:
        """Decide by the model, or by the baseline if it cannot be had in time."""
        loop = call.loop
        published = await self.directory.published(loop.name, loop.settings.decide_timeout)
        decided = decide(loop, published, call.body)
        stored, is_new = await self.committer.run(
            lambda database, now: keep(database, now, loop, decided), Manner.TOGETHER
        )
        if is_new:
            DECISIONS.labels(loop.name, stored.arm).inc()
        return Reply(answer(stored), 201 if is_new else 200)

    async def reward(self, call: Call) -> Reply:
        """Keep a reward, whenever it comes."""
        loop, body = call.loop, call.body
        status = await self.committer.run(
            lambda database, now: keep_reward(database, now, loop, body, call.idempotency), Manner.TOGETHER
        )
        REWARDS.labels(loop.name, status).inc()
        return Reply({"event": body.event, "status": status})

    async def activate(self, call: Call) -> Reply:
        """Keep that a deferred event took place."""
        loop, event = call.loop, call.body.event
        status = await self.committer.run(
            lambda database, now: keep_activation(database, now, loop, event), Manner.TOGETHER
        )
        return Reply({"event": event, "status": status})

    async def labels(self, call: Call) -> Reply:
        """Keep labels for the trainer."""
        loop, body = call.loop, call.body
        await asyncio.to_thread(labels.check, loop, body)  # thousands of examples take a while
        entry = await self.committer.run(lambda database, now: labels.keep(database, now, loop, body))
        return Reply({"accepted": len(body.examples), "entry": entry})
