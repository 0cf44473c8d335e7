"""Routes for applications: decide, reward, activate; and labels. Whatever they answer is durable by then."""

import asyncio
from dataclasses import dataclass

from warmcb.service.bodies import ActivateBody, DecideBody, LabelsBody, RewardBody
from warmcb.service.events import labels
from warmcb.service.events.deciding import decide
from warmcb.service.events.events import Stored, answer, keep
from warmcb.service.events.rewards import keep_activation, keep_reward
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.limits import Limits
from warmcb.service.loops import keys
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.offers import Offer
from warmcb.service.monitoring.metrics import DECISIONS, REWARDS
from warmcb.service.routes.backend import Routes
from warmcb.service.store import Manner


@dataclass(frozen=True)
class Serving(Routes):
    """Make decisions, and take what comes back.

    Attributes:
        limits: of requests.

    """

    limits: Limits

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes, the most frequent ones first."""
        role, at = keys.APPLICATION, "/v1/loops/{loop}"
        activated = "Report that a deferred event took place."
        give, most = "Give labelled examples of a source.", self.limits.labels
        return [
            Endpoint("POST", f"{at}/decide", self.decide, role, "Decide which action to play.", DecideBody),
            Endpoint("POST", f"{at}/reward", self.reward, role, "Report the reward of a decision.", RewardBody),
            Endpoint("POST", f"{at}/activate", self.activate, role, activated, ActivateBody),
            Endpoint("POST", f"{at}/labels", self.labels, keys.ADMINISTRATION, give, LabelsBody, most=most),
        ]

    async def decide(self, call: Call) -> Reply:
        """Decide by the model, or by the baseline if no model is available in time."""
        stored, is_new = await self.decided(call.loop, call.body)
        return Reply(answer(stored), 201 if is_new else 200)

    async def reward(self, call: Call) -> Reply:
        """Store a reward, before or after the deadline of its event."""
        return Reply({"event": call.body.event, "status": await self.rewarded(call.loop, call.body, call.idempotency)})

    async def activate(self, call: Call) -> Reply:
        """Store that a deferred event took place."""
        return Reply({"event": call.body.event, "status": await self.activated(call.loop, call.body.event)})

    async def labels(self, call: Call) -> Reply:
        """Leave labels for the trainer."""
        loop, body = call.loop, call.body
        await asyncio.to_thread(labels.check, loop, body)  # thousands of examples take a while
        entry = await self.backend.committer.run(lambda database, now: labels.keep(database, now, loop, body))
        return Reply({"accepted": len(body.examples), "entry": entry})

    async def decided(self, loop: Loop, body: DecideBody, offered: Offer | None = None) -> tuple[Stored, bool]:
        """Make and store a decision.

        Args:
            loop: the loop that decides.
            body: the request.
            offered: the context and the actions, if they are not those of the body.

        Returns:
            The stored event, and whether it is new. A known id gives the event that was stored under it before.

        """
        published = await self.backend.directory.published(loop.name, loop.settings.decide_timeout)
        decided = decide(loop, published, body, offered)
        stored, is_new = await self.backend.committer.run(
            lambda database, now: keep(database, now, loop, decided), Manner.TOGETHER
        )
        if is_new:
            DECISIONS.labels(loop.name, stored.arm).inc()
        return stored, is_new

    async def rewarded(self, loop: Loop, body: RewardBody, key: str | None) -> str:
        """Store a reward.

        Args:
            loop: the loop of the event.
            body: the reward.
            key: identifies the delivery. The same one counts once.

        Returns:
            The status of the reward, as `keep_reward` has it.

        """
        status = await self.backend.committer.run(
            lambda database, now: keep_reward(database, now, loop, body, key), Manner.TOGETHER
        )
        REWARDS.labels(loop.name, status).inc()
        return status

    async def activated(self, loop: Loop, event: str) -> str:
        """Store that an event took place; return the status, as `keep_activation` has it."""
        return await self.backend.committer.run(
            lambda database, now: keep_activation(database, now, loop, event), Manner.TOGETHER
        )
