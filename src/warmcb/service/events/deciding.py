"""From a request to a decision: by the model if it is to decide and is available in time, else by the baseline."""

import secrets
from typing import Any

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.service.bodies import DecideBody, Record
from warmcb.service.events import drawing
from warmcb.service.events.drawing import drawn
from warmcb.service.events.events import BASELINE, CONTROL, FALLBACK, MODEL, NOT_EXPLORED, Decided
from warmcb.service.loops.directory import Published
from warmcb.service.loops.kinds import Choice
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.offers import Offer, allowed_places, check_depth, first_of, offer, request_of
from warmcb.service.refusals import bad_request


class _Place:
    """One requested decision: its slot, the allowed actions, and the baseline."""

    def __init__(self, offered: Offer, slot: str, features: Record, options: Any) -> None:
        self.slot, self.offered = slot, offered.at(features)
        self.places = allowed_places(offered, options.allowed, options.excluded)
        self.baseline: str | None = options.baseline
        names = [offered.names[place] for place in self.places]
        if self.baseline is not None and self.baseline not in names:
            expected = f"expected an action that may be played: {first_of(names)}"
            raise bad_request(f"baseline is {shown(self.baseline)}; {expected}")

    def without(self, taken: set[int]) -> list[int]:
        """Return the indices of the allowed actions that earlier slots have not taken."""
        left = [place for place in self.places if place not in taken]
        if not left:
            raise bad_request(f"the slot {shown(self.slot)} has no action left; expected more actions than slots")
        return left

    def default(self, left: list[int]) -> int:
        """Return the index of the baseline, or of the first action if another slot has taken the baseline."""
        if self.baseline is not None and (place := self.offered.names.index(self.baseline)) in left:
            return place
        return left[0]


def decide(loop: Loop, published: Published | None, body: DecideBody, offered: Offer | None = None) -> Decided:
    """Make a decision, without storing it.

    Args:
        loop: the loop that decides.
        published: the model; None if it was not available in time. Then the baseline is played.
        body: the request.
        offered: the context and the actions, if they are not those of the body.

    """
    if offered is None:
        offered = offer(body.context, body.actions, loop.kind.names)
    features = {slot.id: slot.features for slot in body.slots or ()}
    if body.slots is None:
        asked = [_Place(offered, "", {}, body)]
    else:
        if len(features) < len(body.slots):
            raise bad_request(f"slots has the ids {shown([slot.id for slot in body.slots])}; expected different ones")
        if body.allowed is not None or body.excluded or body.baseline is not None:
            raise bad_request("allowed, excluded or baseline is next to slots; expected it in each slot")
        asked = [_Place(offered, slot.id, slot.features, slot) for slot in body.slots]
    event = body.event or secrets.token_hex(16)
    arm = _arm(loop, body, event)
    is_known = published and all(loop.kind.knows(published.model, offered, place.places) for place in asked)
    if not is_known and arm in (MODEL, NOT_EXPLORED):
        arm = FALLBACK
    if arm != MODEL or any(len(place.places) < len(offered.names) for place in asked):
        # The encoder, which would check this, does not see all of it. But everything that is stored will be read again.
        check_depth(offered.context, *(offered.described or ()), *features.values())
    deciding = _Deciding(loop, published if is_known else None, arm, event)
    choices: list[Choice] = []
    for place in asked:
        left = place.without({choice.action for choice in choices})
        try:
            choices.append(deciding.choose(place, left))
        except InputError as error:
            raise bad_request(str(error)) from None
    request = request_of(offered, features)
    names, agrees = offered.names, deciding.agrees
    return Decided(
        event, body.unit, arm, deciding.version, deciding.round, request, names, choices, body.deferred, agrees
    )


def _arm(loop: Loop, body: DecideBody, event: str) -> str:
    """Return who is to choose, provided that there is a model."""
    settings, seed = loop.settings, loop.kind.seed
    unit = event if body.unit is None else body.unit
    if settings.mode != "paused" and drawn(seed, unit, drawing.CONTROL) < settings.control:
        return CONTROL
    if settings.mode in ("paused", "shadow"):
        return BASELINE
    if settings.mode == "online":
        is_drawn = drawn(seed, unit, drawing.ROLLOUT) < settings.rollout
    elif body.explore:
        is_drawn = drawn(seed, event, drawing.EXPLORE) < settings.explore
    else:
        # An apprentice plays the baseline then, but not because of a draw. So this is another arm than the baseline.
        return NOT_EXPLORED
    if not is_drawn:
        return BASELINE
    return MODEL if body.explore else NOT_EXPLORED


class _Deciding:
    """The decisions of one event: the model, and whether it agrees with the baseline."""

    def __init__(self, loop: Loop, published: Published | None, arm: str, event: str) -> None:
        self._kind, self._published, self._arm, self._event = loop.kind, published, arm, event
        is_apprentice = loop.settings.mode == "apprentice"
        self._plays_baseline = arm in (BASELINE, CONTROL) or (arm == NOT_EXPLORED and is_apprentice)
        self.version = 0 if published is None else published.version
        self.round = 0
        self.agrees: bool | None = None

    def choose(self, place: _Place, left: list[int]) -> Choice:
        if self._published is not None and self._arm == MODEL:
            # Each slot of an event has a draw of its own.
            key = f"{self._event}\0{place.slot}" if place.slot else self._event
            choice, self.round = self._kind.choose(self._published.model, place.offered, left, key, place.slot)
            return choice
        greedy = None
        if self._published is not None and self._published.has_learned:
            greedy = self._kind.greedy(self._published.model, place.offered, left)
        chosen = place.default(left) if greedy is None or self._plays_baseline else greedy
        if greedy is not None and self._plays_baseline:
            self.agrees = greedy == chosen and self.agrees is not False
        probabilities = [float(i == chosen) for i in range(len(place.offered.names))]
        allowed = None if len(left) == len(place.offered.names) else left
        return Choice(place.slot, chosen, probabilities, allowed)
