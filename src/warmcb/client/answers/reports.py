"""Answers about how a loop is doing, and why it chose an action."""

from datetime import datetime

import msgspec


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """What one arm did in one stretch of time.

    Attributes:
        minute: the start of the stretch.
        arm: who chose, as in `Answer`.
        decisions: the number of events.
        joined: events that took place and whose deadline is over.
        rewarded: those of them that got a reward in time.
        mean: the mean reward of joined events; None if there are none.
        low: the lower end of its 95 % interval.
        high: the upper end of its 95 % interval.

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
    """How the model rates one λ.

    Attributes:
        weight: the λ.
        sources: the sources whose labels this λ uses.
        score: its score. The λ with the lowest score is in charge.
        low: the lower end of an interval for how much more this λ costs per round than λ = 1, as a share of the range
            of rewards; None if it is unknown.
        high: the upper end of this interval.

    """

    weight: float = msgspec.field(name="lambda")
    sources: list[str]
    score: float
    low: float | None
    high: float | None


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the model when it was published.

    Attributes:
        time: when it was published.
        version: its version.
        weight: the λ in charge.
        scores: the score of each λ.
        learned: how many rounds it had learned.
        memory: how many rounds it effectively rests on.
        source: the source whose labels the λ in charge uses; None if there is no single one.

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
        n: the number of events for which that is known.
        share: the share of them in which both agree.

    """

    n: int
    share: float


class SideMean(msgspec.Struct, frozen=True, kw_only=True):
    """One side of the comparison between model and baseline.

    Attributes:
        n: the number of its events.
        mean: their mean reward; None if there are none.

    """

    n: int
    mean: float | None


class Gain(msgspec.Struct, frozen=True, kw_only=True):
    """How much more reward per event the model earns than the baseline.

    Attributes:
        value: the difference of the mean rewards; None if it is unknown.
        low: the lower end of its 95 % interval.
        high: the upper end of its 95 % interval.
        model: the events in which the model decided.
        baseline: the events in which the baseline decided.
        since: when the settings that split events between the two were last changed. Only later events count.
        why: a sentence that says why the gain is unknown; None if it is known.

    """

    value: float | None
    low: float | None
    high: float | None
    model: SideMean
    baseline: SideMean
    since: datetime
    why: str | None


class ActionFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How an action did in recent events.

    Attributes:
        id: the id of the action.
        plays: how often it was played.
        share: its share of all plays.
        mean: its mean reward.

    """

    id: str
    plays: int
    share: float
    mean: float


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a loop is doing.

    Attributes:
        mode: the current mode.
        every: the length of a stretch of time, in seconds.
        series: what each arm did in each stretch of time.
        progress: the models that were published.
        agreement: how often the model agrees with the baseline; None if nothing is known yet.
        gain: how much more the model earns than the baseline.
        delays: under "mean", the mean time from a decision to its first reward, in seconds.
        actions: the actions that were played most, at most 50.
        counts: the numbers of "decisions", and of "waiting", "joined" and "rewarded" events.

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
    """How much one feature, or several together, add to the difference between two expected rewards.

    Attributes:
        name: the name of the feature.
        value: its value, as a text.
        contribution: what it adds. A number above 0 speaks for the action that was played.

    """

    name: str
    value: str
    contribution: float


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """Why an action was chosen, according to the newest model.

    Attributes:
        action: the action that was played.
        runner_up: the best other action.
        model: the version of the model that explains.
        expected: the expected rewards of both, under "action" and "runner_up".
        contributions: what makes the difference, largest first.

    """

    action: str
    runner_up: str
    model: int
    expected: dict[str, float]
    contributions: list[Reason]
