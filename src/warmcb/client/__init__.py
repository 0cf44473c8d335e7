"""A typed client of `warmcb serve`."""

from warmcb.errors import MissingDependencyError

try:
    from warmcb.client.answers import (
        Answer,
        Counts,
        Estimate,
        Estimates,
        Evaluation,
        Key,
        Labelled,
        Loop,
        LoopName,
        ModelInForce,
        ModelVersion,
        PastSettings,
        Receipt,
        ReceivedReward,
        SettingsInForce,
        SlotChoice,
        SlotsAnswer,
        StoredEvent,
        StoredSlot,
    )
    from warmcb.client.client import Client
except ImportError as error:
    raise MissingDependencyError(f"{error.name} is missing; the client needs: pip install 'warmcb[serve]'") from error

__all__ = [
    "Answer",
    "Client",
    "Counts",
    "Estimate",
    "Estimates",
    "Evaluation",
    "Key",
    "Labelled",
    "Loop",
    "LoopName",
    "ModelInForce",
    "ModelVersion",
    "PastSettings",
    "Receipt",
    "ReceivedReward",
    "SettingsInForce",
    "SlotChoice",
    "SlotsAnswer",
    "StoredEvent",
    "StoredSlot",
]
