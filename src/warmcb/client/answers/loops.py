"""Answers about a loop: what it is, its settings, its models and its keys."""

from datetime import datetime
from typing import Any

import msgspec


class ModelInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The model that decides.

    Attributes:
        version: the number of the last journal entry that it has learned; 0 if there is none.
        pinned: whether it was restored by hand and stays until it is released.
        time: when it was published; None if no model is published.

    """

    version: int
    pinned: bool
    time: datetime | None


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How much a loop has seen.

    Attributes:
        events: stored events.
        waiting: events that still wait for their deadline.
        joined: events whose deadline is over. The model learns these.
        rewards: stored rewards.
        late: rewards that came after the deadline of their event.

    """

    events: int
    waiting: int
    joined: int
    rewards: int
    late: int


class LoopName(msgspec.Struct, frozen=True, kw_only=True):
    """A loop in the list of all loops.

    Attributes:
        loop: its name.
        kind: "described" or "named", as in `Loop`.
        made: when it was made.

    """

    loop: str
    kind: str
    made: datetime


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """A loop and its state.

    Attributes:
        loop: its name.
        kind: "described": each request brings its actions, with features. "named": the actions are fixed.
        actions: the names of the actions if they are fixed, else None.
        encoder: how contexts and actions become numbers.
        made: when it was made.
        settings: the current settings, and their "version".
        model: the model that decides.
        counts: how much the loop has seen.

    """

    loop: str
    kind: str
    actions: list[str] | None
    encoder: dict[str, Any]
    made: datetime
    settings: dict[str, Any]
    model: ModelInForce
    counts: Counts


class SettingsInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a loop.

    Attributes:
        version: a number that grows with each change.
        settings: the value of each setting.
        applies: when a change of each setting takes effect: "at once", for "new events", or after "retraining".
        waiting_for_retraining: settings that were changed, and take effect when the loop is retrained.

    """

    version: int
    settings: dict[str, Any]
    applies: dict[str, str]
    waiting_for_retraining: list[str]


class PastSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One change of the settings.

    Attributes:
        version: the version of the settings after the change.
        time: when it was made.
        who: the key that made it, "automatic pause", or "the first start" of the service.
        settings: the value of each setting after the change.

    """

    version: int
    time: datetime
    who: str
    settings: dict[str, Any]


class ModelVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A stored version of the model.

    Attributes:
        version: the number of the last journal entry that it has learned.
        time: when it was saved.
        code: the version of the code that made it.
        broken: whether it is damaged, so that it is never used.
        pinned: whether it was restored by hand and decides until it is released.
        published: whether it is the one that decides.
        bytes: its size in the store, compressed.

    """

    version: int
    time: datetime
    code: str
    broken: bool
    pinned: bool
    published: bool
    bytes: int


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key of a loop. The text of the key itself is not stored.

    Attributes:
        role: "application" or "administration".
        place: 1 or 2. Each role has two places, so that one key can be replaced while the other one works.
        made: when it was made.

    """

    role: str
    place: int
    made: datetime
