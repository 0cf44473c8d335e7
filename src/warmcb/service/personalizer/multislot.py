"""Several decisions at once, one for each slot of a page."""

from dataclasses import dataclass

import msgspec

from warmcb._messages import shown
from warmcb.service.bodies import DecideBody, RewardBody, SlotBody
from warmcb.service.events.rewards import keep_rewards
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.loops.offers import Offer
from warmcb.service.monitoring.metrics import REWARDS
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.bodies import MultiSlotRank, MultiSlotReward, Slot
from warmcb.service.personalizer.errors import EXCLUDED_BASELINE, invalid, surface
from warmcb.service.personalizer.offering import MOST_CHARACTERS, RANK, checked_event, merged, offer_of
from warmcb.service.personalizer.ranking import ACTIVATE, REWARD, Ranking, checked_value
from warmcb.service.refusals import RefusedError, conflict


@dataclass(frozen=True)
class MultiSlot:
    """Rank actions for several slots.

    Attributes:
        ranking: ranks actions for a single decision.

    """

    ranking: Ranking

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version. The first one has none."""
        if api.is_first:
            return []
        role, at = keys.APPLICATION, f"{api.path}/multislot"
        event, activate = f"{at}/events/{{event:text}}", self.ranking.activate
        return [
            Endpoint("POST", f"{at}/rank", self.rank, role, "Fill slots.", MultiSlotRank, surface=surface(RANK)),
            Endpoint("POST", f"{event}/reward", self.reward, role, "Reward.", MultiSlotReward, surface=surface(REWARD)),
            Endpoint("POST", f"{event}/activate", activate, role, "Activate.", surface=surface(ACTIVATE)),
        ]

    async def rank(self, call: Call) -> Reply:
        """Choose an action for each slot, each action at most once."""
        body: MultiSlotRank = call.body
        offered = offer_of(call.loop, body)
        stored = await self.ranking.decided(call, DecideBody(slots=_slots(offered, body.slots)), offered)
        choices = stored.choices
        if not choices[0].slot:
            raise conflict(f"the event {shown(stored.event)} has no slots; expected another eventId")
        names = msgspec.json.decode(stored.names)
        slots = [{"id": choice.slot, "rewardActionId": names[choice.action]} for choice in choices]
        return Reply({"slots": slots, "eventId": stored.event}, 201)

    async def reward(self, call: Call) -> Reply:
        """Store the rewards of several slots, all or none."""
        event, loop, given = checked_event(REWARD, call.path["event"]), call.loop, call.body.reward
        if not given or len({one.slot_id for one in given}) < len(given) or not all(one.slot_id for one in given):
            raise invalid(REWARD, "reward is not a list of rewards of different slots; expected one for each slot")
        bodies = [RewardBody(event=event, reward=checked_value(one.value), slot=one.slot_id) for one in given]
        statuses = await self.ranking.serving.backend.committer.run(
            lambda database, now: keep_rewards(database, now, loop, bodies, call.idempotency)
        )
        for status in statuses:
            REWARDS.labels(loop.name, status).inc()
        return Reply(b"", 204)


def _slots(offered: Offer, slots: list[Slot]) -> list[SlotBody]:
    names = set(offered.names)
    if not 1 <= len(slots) <= len(names):
        raise _invalid(f"there are {len(slots)} slots; expected at least 1, and at most one per action")
    ids = [slot.id for slot in slots]
    if len(set(ids)) < len(ids) or not all(1 <= len(one) <= MOST_CHARACTERS for one in ids):
        raise _invalid(f"slots has the ids {shown(ids)}; expected different ones of 1 to {MOST_CHARACTERS} characters")
    for slot in slots:
        if slot.baseline_action in (slot.excluded_actions or ()):
            raise _invalid(EXCLUDED_BASELINE)
        if unknown := set(slot.excluded_actions or ()) - names:
            raise _invalid(f"excludedActions has {shown(min(unknown))}; expected ids of actions")
    baselines = [slot.baseline_action for slot in slots]
    if len(set(baselines)) < len(baselines) or not set(baselines) <= names:
        raise _invalid(f"the slots have the baselineActions {shown(baselines)}; expected different ids of actions")
    return [
        SlotBody(
            id=slot.id,
            features=merged(slot.features),
            excluded=slot.excluded_actions or [],
            baseline=slot.baseline_action,
        )
        for slot in slots
    ]


def _invalid(message: str) -> RefusedError:
    return invalid(RANK, message)
