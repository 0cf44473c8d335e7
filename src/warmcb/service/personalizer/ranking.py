"""Requests of applications: rank, reward and activate."""

from dataclasses import dataclass

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from warmcb._messages import shown
from warmcb.service.bodies import DecideBody, RewardBody
from warmcb.service.events.events import Stored
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.loops.kinds import Choice
from warmcb.service.loops.offers import Offer
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.bodies import Rank, Reward
from warmcb.service.personalizer.errors import invalid, surface
from warmcb.service.personalizer.offering import RANK, checked_event, offer_of
from warmcb.service.personalizer.repeats import identity_of
from warmcb.service.refusals import conflict
from warmcb.service.routes.serving import Serving

REWARD, ACTIVATE = "InvalidRewardRequest", "InvalidEventIdToActivate"
"""The codes for other requests that make no sense."""


class _Ranked(Struct, frozen=True, gc=False):
    """An action in a ranking."""

    id: str
    probability: float


@dataclass(frozen=True)
class Ranking:
    """Rank actions for a single decision.

    Attributes:
        serving: decides and takes rewards.

    """

    serving: Serving

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""
        role, at = keys.APPLICATION, f"{api.path}/events/{{event:text}}"
        return [
            Endpoint("POST", f"{api.path}/rank", self.rank, role, "Rank actions.", Rank, surface=surface(RANK)),
            Endpoint("POST", f"{at}/reward", self.reward, role, "Reward.", Reward, surface=surface(REWARD)),
            Endpoint("POST", f"{at}/activate", self.activate, role, "Activate.", surface=surface(ACTIVATE)),
        ]

    async def rank(self, call: Call) -> Reply:
        """Decide, and return all actions with their probabilities."""
        body: Rank = call.body
        offered = offer_of(call.loop, body)
        excluded = list(set(body.excluded_actions or ()).intersection(offered.names))
        stored = await self.decided(call, DecideBody(excluded=excluded), offered)
        choice = stored.choices[0]
        if choice.slot:
            raise conflict(f"the event {shown(stored.event)} has slots; expected another eventId")
        names = msgspec.json.decode(stored.names)
        ranking = [_Ranked(names[place], choice.probabilities[place]) for place in ranked(choice)]
        told = {"ranking": ranking, "eventId": stored.event, "rewardActionId": names[choice.action]}
        return Reply(told, 201)

    async def reward(self, call: Call) -> Reply:
        """Store a reward, before or after the deadline of its event."""
        event, value = checked_event(REWARD, call.path["event"]), checked_value(call.body.value)
        await self.serving.rewarded(call.loop, RewardBody(event=event, reward=value), call.idempotency)
        return Reply(b"", 204)

    async def activate(self, call: Call) -> Reply:
        """Store that a deferred event took place."""
        await self.serving.activated(call.loop, checked_event(ACTIVATE, call.path["event"]))
        return Reply(b"", 204)

    async def decided(self, call: Call, asked: DecideBody, offered: Offer) -> Stored:
        """Make and store a decision. A known id gives the event that was stored under it before.

        Args:
            call: the rank request.
            asked: the slots and the excluded actions.
            offered: the context and the actions.

        """
        named = replace(asked, event=_event_of(call), deferred=bool(call.body.defer_activation))
        stored, _ = await self.serving.decided(call.loop, named, offered)
        return stored


def _event_of(call: Call) -> str | None:
    """Return the id of the event of a rank request; None if it has none."""
    event: str | None = call.body.event_id
    return identity_of(call) if event is None else checked_event(RANK, event)


def checked_value(value: float) -> float:
    """Return a reward. Refuse one that is out of range."""
    if not -1 <= value <= 1:
        raise invalid(REWARD, f"value is {value:g}; expected a reward from -1 to 1")
    return value


def ranked(choice: Choice) -> list[int]:
    """Return the indices of all actions in the order of a ranking.

    The chosen action comes first, then the others by probability. Excluded actions keep their place in the request.

    >>> ranked(Choice("", 2, [0.1, 0.0, 0.6, 0.3], [0, 2, 3]))
    [2, 1, 3, 0]
    """
    everything = range(len(choice.probabilities))
    others = (place for place in choice.allowed or everything if place != choice.action)
    order = [choice.action, *sorted(others, key=lambda place: -choice.probabilities[place])]
    if choice.allowed is None:
        return order
    free, following = set(choice.allowed), iter(order)
    return [next(following) if place in free else place for place in everything]
