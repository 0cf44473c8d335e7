"""What a service answers, as types. Times are in UTC. Fields that a newer service adds are ignored."""

from datetime import datetime
from typing import Any

import msgspec


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A decision.

    Attributes:
        event: the id under which it is rewarded.
        action: what to show.
        probability: that of the action.
        probabilities: those of all actions that could have been chosen.
        arm: who chose: "model", "not explored", "fallback", "baseline" or "control".
        model: the version of the model that decided.
        settings: the version of the settings.
        time: when it was decided.
        due: until then it waits for rewards.

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
        id: the slot.
        action: what to show there.
        probability: that of the action, given what earlier slots took.
        probabilities: those of all actions that could have been chosen there.

    """

    id: str
    action: str
    probability: float
    probabilities: dict[str, float]


class SlotsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Decisions for all slots of a page.

    Attributes:
        event: the id under which they are rewarded, slot by slot.
        slots: the choices, in the order of the request.
        arm: who chose: "model", "not explored", "fallback", "baseline" or "control".
        model: the version of the model that decided.
        settings: the version of the settings.
        time: when it was decided.
        due: until then it waits for rewards.

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
        event: the event.
        status: "kept" or "activated"; "early": its decision has not come yet; "late": it is kept, and not learned;
            "repeated": it had come before.

    """

    event: str
    status: str


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """Labels that were accepted.

    Attributes:
        accepted: how many examples.
        entry: under which number the trainer finds them.

    """

    accepted: int
    entry: int


class ModelInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The model that decides.

    Attributes:
        version: its version; 0: none has been published yet.
        pinned: whether it stays until it is released.
        time: when it was published.

    """

    version: int
    pinned: bool
    time: datetime | None


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How much a loop has seen.

    Attributes:
        events: decisions that are stored.
        waiting: those that still wait for rewards.
        joined: those that were learned.
        rewards: rewards that are stored.
        late: those of them that came after their event was joined.

    """

    events: int
    waiting: int
    joined: int
    rewards: int
    late: int


class LoopName(msgspec.Struct, frozen=True, kw_only=True):
    """One loop of the service.

    Attributes:
        loop: its name.
        kind: "described" or "named".
        made: when it was made.

    """

    loop: str
    kind: str
    made: datetime


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """A loop, and how it is doing.

    Attributes:
        loop: its name.
        kind: "described": each request brings its actions. "named": they are fixed.
        actions: the names, if they are fixed.
        encoder: how contexts and actions become numbers.
        made: when it was made.
        settings: the settings in force, with their version.
        model: the model that decides.
        counts: how much it has seen.

    """

    loop: str
    kind: str
    actions: list[str] | None
    encoder: dict[str, Any]
    made: datetime
    settings: dict[str, Any]
    model: ModelInForce
    counts: Counts


class ReceivedReward(msgspec.Struct, frozen=True, kw_only=True):
    """A reward as it came.

    Attributes:
        value: how much.
        time: when it came.
        late: whether its event had been joined by then.

    """

    value: float
    time: datetime
    late: bool


class StoredSlot(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of a stored event.

    Attributes:
        id: the slot; None if the event has one decision.
        action: what was chosen.
        probabilities: those of all actions that could have been chosen.
        rewards: all rewards that came.
        reward: what they are worth together; None as long as it is not known.
        filled: whether that is the default reward, because none came; None as long as it is not known.

    """

    id: str | None
    action: str
    probabilities: dict[str, float]
    rewards: list[ReceivedReward]
    reward: float | None
    filled: bool | None


class StoredEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event as the service keeps it.

    Attributes:
        event: its id.
        time: when it was decided.
        due: when it is joined, rewarded or not.
        unit: who it happened to; None: nobody was named.
        arm: who chose.
        model: the version of the model that decided.
        settings: the version of the settings.
        slots: its decisions.
        deferred: whether it is learned only if it is activated.
        activated: whether it was, or need not be.
        joined: the number of its entry in the journal; a model of this version or a later one has learned it.
        context: what was known; None in a list of events.
        actions: what was on offer; None in a list of events.

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
    events: list[StoredEvent]
    next: int | None


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """A value and how sure it is.

    Attributes:
        value: the mean reward of a decision.
        low: the lower end of its interval.
        high: the upper end.

    """

    value: float
    low: float
    high: float


class Estimates(msgspec.Struct, frozen=True, kw_only=True):
    """What one policy would have earned.

    Attributes:
        best: the name of the estimate to trust most.
        estimates: all of them.
        effective_size: to how many decisions of its own the log amounts.
        largest_weight: the largest importance weight.
        warnings: what to keep in mind.
        compared: how much more than the first policy; None for that one itself.

    """

    best: str
    estimates: dict[str, Estimate]
    effective_size: float
    largest_weight: float
    warnings: list[str]
    compared: Estimate | None


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """What policies would have earned.

    Attributes:
        decisions: how many decisions of the log were used.
        left_out: how many were not, by reason.
        policies: what each would have earned, by its name.

    """

    decisions: int
    left_out: dict[str, int]
    policies: dict[str, Estimates]


class ModelVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A stored model.

    Attributes:
        version: the number of the last entry of the journal that it has learned.
        time: when it was saved.
        code: the version of the code that made it.
        pinned: whether it is kept for good.
        published: whether it is the one that decides.
        bytes: what it takes in the store, where it is compressed.

    """

    version: int
    time: datetime
    code: str
    pinned: bool
    published: bool
    bytes: int


class SettingsInForce(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a loop.

    Attributes:
        version: grows with each change.
        settings: their values.
        applies: from when on a change of each counts: "at once", "new events" or "retraining".
        waiting_for_retraining: those that were changed and do not count before the loop is retrained.

    """

    version: int
    settings: dict[str, Any]
    applies: dict[str, str]
    waiting_for_retraining: list[str]


class PastSettings(msgspec.Struct, frozen=True, kw_only=True):
    """One change of settings.

    Attributes:
        version: its version.
        time: when it was made.
        who: which key made it.
        settings: all settings after it.

    """

    version: int
    time: datetime
    who: str
    settings: dict[str, Any]


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key of a loop; its text is not stored.

    Attributes:
        role: "application" or "administration".
        place: 1 or 2, so that one can be replaced while the other works.
        made: when it was made.

    """

    role: str
    place: int
    made: datetime


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """What one arm did in one stretch of time.

    Attributes:
        minute: when the stretch begins.
        arm: who chose.
        decisions: how many events were decided.
        joined: those whose deadline is over, and that took place.
        rewarded: those of them that got a reward in time.
        mean: their mean reward; None if there are none.
        low: the lower end of its 95 % interval.
        high: the upper end.

    """

    minute: datetime
    arm: str
    decisions: int
    joined: int
    rewarded: int
    mean: float | None
    low: float | None
    high: float | None


class LaneScore(msgspec.Struct, frozen=True, kw_only=True):
    """What the model makes of one λ.

    Attributes:
        weight: the λ.
        sources: whose labels count there.
        score: the lowest is in charge.
        low: the lower end of how much more it costs a round than λ = 1, in units of the range of rewards, if known.
        high: the upper end.

    """

    weight: float = msgspec.field(name="lambda")
    sources: list[str]
    score: float
    low: float | None
    high: float | None


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """What a published model was like.

    Attributes:
        time: of its publication.
        version: of the model.
        weight: the λ in charge.
        scores: of each λ.
        learned: how many rounds it had learned.
        memory: how many rounds it effectively rested on.
        source: whose labels the λ in charge listens to.

    """

    time: datetime
    version: int
    weight: float = msgspec.field(name="lambda")
    scores: list[LaneScore]
    learned: int
    memory: float
    source: str | None


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How often the model would have played what the baseline played.

    Attributes:
        n: events in which that is known.
        share: of them.

    """

    n: int
    share: float


class SideMean(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a comparison.

    Attributes:
        n: its events.
        mean: their mean reward; None if there are none.

    """

    n: int
    mean: float | None


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """How much more an event brings if the model decides and not the baseline.

    Attributes:
        value: the difference of the means; None if it cannot be known.
        low: the lower end of its 95 % interval.
        high: the upper end.
        model: the events on the side of the model.
        baseline: those on the side of the baseline.
        since: when the settings that split events were changed last.
        why: a sentence that says why it cannot be known; None if it can.

    """

    value: float | None
    low: float | None
    high: float | None
    model: SideMean
    baseline: SideMean
    since: datetime
    why: str | None


class ActionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How an action does, in recent events.

    Attributes:
        id: of the action.
        plays: how often it was played.
        share: of all plays.
        mean: what it brought.

    """

    id: str
    plays: int
    share: float
    mean: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a loop goes.

    Attributes:
        mode: in force.
        every: the length of a stretch of time in seconds.
        series: arms over time.
        progress: λ over time.
        agreement: with the baseline; None if nothing is known.
        gain: of the model over the baseline.
        delays: "mean": seconds from a decision to its first reward.
        actions: those that are played most, at most 50.
        counts: of decisions, of those that wait, of joined and of rewarded ones.

    """

    mode: str
    every: int
    series: list[Point]
    progress: list[Progress] = msgspec.field(name="lambda")
    agreement: Agreement | None
    gain: Gain
    delays: dict[str, float | None]
    actions: list[ActionFigures]
    counts: dict[str, int]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """What one feature, or several together, add to the difference of two expected rewards.

    Attributes:
        name: of the feature.
        value: in words.
        contribution: above 0 it speaks for the action.

    """

    name: str
    value: str
    contribution: float


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why an action was chosen, as the newest model sees it.

    Attributes:
        action: that was played.
        runner_up: the best other one.
        model: the version of the model.
        expected: the reward of either: "action", "runner_up".
        contributions: the largest first.

    """

    action: str
    runner_up: str
    model: int
    expected: dict[str, float]
    contributions: list[Reason]
