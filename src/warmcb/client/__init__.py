"""A typed client for `warmcb serve`: a method for each request, a type for each answer."""

from warmcb.errors import MissingDependencyError

try:
    from warmcb.client.answers.decisions import Answer, Labelled, Receipt, SlotChoice, SlotsAnswer
    from warmcb.client.answers.evaluations import Estimate, Estimates, Evaluation
    from warmcb.client.answers.events import ReceivedReward, StoredEvent, StoredSlot
    from warmcb.client.answers.loops import (
        Counts,
        Key,
        Loop,
        LoopName,
        ModelInForce,
        ModelVersion,
        PastSettings,
        SettingsInForce,
    )
    from warmcb.client.answers.reports import (
        ActionFigures,
        Agreement,
        Gain,
        LaneScore,
        Point,
        Progress,
        Reason,
        Report,
        SideMean,
        Why,
    )
    from warmcb.client.client import Client
except ImportError as error:
    raise MissingDependencyError(f"{error.name} is missing; the client needs: pip install 'warmcb[serve]'") from error

__all__ = [
    "ActionFigures",
    "Agreement",
    "Answer",
    "Client",
    "Counts",
    "Estimate",
    "Estimates",
    "Evaluation",
    "Gain",
    "Key",
    "Labelled",
    "LaneScore",
    "Loop",
    "LoopName",
    "ModelInForce",
    "ModelVersion",
    "PastSettings",
    "Point",
    "Progress",
    "Reason",
    "Receipt",
    "ReceivedReward",
    "Report",
    "SettingsInForce",
    "SideMean",
    "SlotChoice",
    "SlotsAnswer",
    "StoredEvent",
    "StoredSlot",
    "Why",
]
