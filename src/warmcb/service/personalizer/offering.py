"""The context and the actions of a rank request, in the form of Personalizer's own logs."""

from msgspec import Struct

from warmcb._messages import shown
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.offers import Offer
from warmcb.service.personalizer.bodies import Action, MultiSlotRank, Rank, Record
from warmcb.service.personalizer.errors import ACTION_COUNT, ACTION_FEATURES, EMPTY_EVENT, invalid
from warmcb.service.refusals import RefusedError

_MOST_ACTIONS = 50
MOST_CHARACTERS = 256
RANK = "InvalidRankRequest"
"""The code for rank requests that make no sense."""


class _Identity(Struct, frozen=True, gc=False):
    """What the log has of an action besides its features. Without gc, since requests make very many of them."""

    constant: int
    id: str


def checked_event(code: str, event: str) -> str:
    """Return the id of an event. Refuse one that is empty or too long."""
    if not event:
        raise invalid(code, EMPTY_EVENT)
    if len(event) > MOST_CHARACTERS:
        raise invalid(code, f"eventId has {len(event)} characters; expected at most {MOST_CHARACTERS}")
    return event


def offer_of(loop: Loop, body: Rank | MultiSlotRank) -> Offer:
    """Return the context and the actions of a rank request, checked."""
    if loop.is_named:
        raise _invalid(f"the loop {shown(loop.name)} has named actions; expected one with described actions")
    if not 1 <= len(body.actions) <= _MOST_ACTIONS:
        raise _invalid(ACTION_COUNT)
    for action in body.actions:
        _check(action)
    names = tuple(action.id for action in body.actions)
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise _invalid(f"actions has the id {shown(twice)} twice; expected different ids")
    described = [{"_tag": action.id, "i": _Identity(1, action.id), "j": action.features} for action in body.actions]
    return Offer({"FromUrl": body.context_features or []}, names, described)


def merged(features: list[Record] | None) -> Record:
    """Merge several records into one."""
    whole: Record = {}
    for record in features or ():
        whole |= record
    return whole


def _check(action: Action) -> None:
    if not 1 <= len(action.id) <= MOST_CHARACTERS:
        raise _invalid(f"the id of an action is {shown(action.id)}; expected 1 to {MOST_CHARACTERS} characters")
    for record in action.features:
        for value in record.values():
            if value is not None:
                return
    raise _invalid(ACTION_FEATURES)


def _invalid(message: str) -> RefusedError:
    return invalid(RANK, message)
