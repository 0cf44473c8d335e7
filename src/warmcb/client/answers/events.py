"""Answers about stored events."""

from datetime import datetime
from typing import Any

import msgspec


class ReceivedReward(msgspec.Struct, frozen=True, kw_only=True):
    """A reward as it was sent.

    Attributes:
        value: the reward.
        time: when it came.
        late: whether it came after the deadline of its event.

    """

    value: float
    time: datetime
    late: bool


class StoredSlot(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a stored event.

    Attributes:
        id: the id of the slot; None if the event has a single decision.
        action: the chosen action.
        probabilities: the probability of each action; 0 for actions that could not be chosen.
        rewards: all rewards that came, late ones included.
        reward: the aggregated reward; None until the deadline is over.
        filled: whether that is the default reward, since none came in time; None until the deadline is over.

    """

    id: str | None
    action: str
    probabilities: dict[str, float]
    rewards: list[ReceivedReward]
    reward: float | None
    filled: bool | None


class StoredEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as the service stores it.

    Attributes:
        event: its id.
        time: when it was decided.
        due: its deadline.
        unit: the user, session or other unit that it belongs to; None if none was given.
        arm: who chose, as in `Answer`.
        model: the version of the model, as in `Answer`.
        settings: the version of the settings.
        slots: its decisions.
        deferred: whether it is learned only if it is activated.
        activated: whether it was activated; True if it need not be.
        joined: the number of its journal entry; None until the deadline is over. Models of this version and later ones
            have learned it.
        context: the context of the request; None in a list of events.
        actions: the actions of the request; None in a list of events.

    """

    event: str
    time: datetime
    due: datetime
    unit: str | None
    arm: str
    model: int
    settings: int
    slots: list[StoredSlot]
    deferred: bool
    activated: bool
    joined: int | None
    context: Any = None
    actions: list[Any] | None = None


class EventPage(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the list of events.

    Attributes:
        events: the events, newest first.
        next: the value of the parameter `before` for the next part; None if this is the last part.

    """

    events: list[StoredEvent]
    next: int | None
