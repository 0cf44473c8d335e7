"""Answers to applications: decisions, and what became of rewards, activations and labels."""

from datetime import datetime

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A decision.

    Attributes:
        event: the id of the event. Send rewards under this id.
        action: the chosen action, by its id or name.
        probability: the probability with which the action was chosen.
        probabilities: the probability of each action; 0 for actions that could not be chosen.
        arm: who chose. "model": the model, by a draw. "not explored": the model without a draw, since the request
            wanted that; in the mode apprentice, the baseline. "baseline": the baseline, because of the mode or the
            roll-out. "control": the baseline, since the unit is in the control group. "fallback": the baseline, since
            no model was available in time, or it knew none of the allowed actions yet.
        model: the version of the model at the decision; 0 if there was none.
        settings: the version of the settings.
        time: when it was decided.
        due: the deadline. Rewards that come later are stored but not learned.

    """

    event: str
    action: str
    probability: float
    probabilities: dict[str, float]
    arm: str
    model: int
    settings: int
    time: datetime
    due: datetime


class SlotChoice(msgspec.Struct, frozen=True, kw_only=True):
    """The decision for one slot of a page.

    Attributes:
        id: the id of the slot.
        action: the action to show there.
        probability: the probability of the action, given what earlier slots took.
        probabilities: the probability of each action; 0 for actions that could not be chosen there.

    """

    id: str
    action: str
    probability: float
    probabilities: dict[str, float]


class SlotsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The decisions for all slots of a page.

    Attributes:
        event: the id of the event. Send rewards under this id, with the id of the slot.
        slots: the decisions, in the order of the request.
        arm: who chose, as in `Answer`.
        model: the version of the model, as in `Answer`.
        settings: the version of the settings.
        time: when it was decided.
        due: the deadline. Rewards that come later are stored but not learned.

    """

    event: str
    slots: list[SlotChoice]
    arm: str
    model: int
    settings: int
    time: datetime
    due: datetime


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a reward or an activation.

    Attributes:
        event: the id of the event.
        status: "kept" for a reward and "activated" for an activation that came in time. "early": it came before its
            decision, and will be used. "late": it came after the deadline, and is stored but not learned.
            "repeated": it had come before, and counts once.

    """

    event: str
    status: str


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """Labels that were accepted.

    Attributes:
        accepted: the number of examples.
        entry: their number in the loop's journal. The loop has learned them when the version of its model has reached
            it; `Client.wait_until_learned` waits for that.

    """

    accepted: int
    entry: int
