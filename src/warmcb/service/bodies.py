"""The bodies of requests, with their types and limits."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from warmcb._messages import one_line
from warmcb.service.refusals import bad_request
from warmcb.service.wording import unfit, unreadable

Text = Annotated[str, Meta(pattern=r"^[^\0]*$")]
"""A text that is stored. PostgreSQL cannot store U+0000."""
Name = Annotated[Text, Meta(min_length=1, max_length=256)]
Record = dict[str, Any]
T = TypeVar("T")

MOST_ACTIONS = 1000
MOST_SLOTS = 100
MOST_EXAMPLES = 10_000


class SlotBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A slot of a page.

    Attributes:
        id: the id of the slot.
        features: what is known about it.
        allowed: the ids of the actions that may be played there; by default all.
        excluded: the ids of actions that may not be played there.
        baseline: the action to play there if the baseline decides; by default the first one that may be played.

    """

    id: Name
    features: Record = {}
    allowed: list[str] | None = None
    excluded: list[str] = []
    baseline: str | None = None


class DecideBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a decision.

    Attributes:
        event: the id of the event, which also determines the draw. By default a random one is made.
        context: what is known about the situation.
        actions: the actions to choose from, each with an id and features, in a loop with described actions.
        allowed: the ids of the actions that may be played; by default all.
        excluded: the ids of actions that may not be played.
        unit: the user or session that the decision is for; by default each event is a unit of its own.
        explore: false plays the action that looks best, without a draw. In the mode apprentice it plays the baseline.
        baseline: the action to play if the baseline decides: because of the mode, for the control group, or if no model
            is available in time. By default the first one that may be played.
        deferred: true if the event is learned only once it is activated.
        slots: several decisions at once, one for each slot of a page.

    """

    event: Name | None = None
    context: Record = {}
    actions: Annotated[list[Record], Meta(min_length=1, max_length=MOST_ACTIONS)] | None = None
    allowed: list[str] | None = None
    excluded: list[str] = []
    unit: Name | None = None
    explore: bool = True
    baseline: str | None = None
    deferred: bool = False
    slots: Annotated[list[SlotBody], Meta(min_length=1, max_length=MOST_SLOTS)] | None = None


class RewardBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reward of a decision.

    Attributes:
        event: the id of the event.
        reward: any number; within `reward_range` if the loop has one.
        slot: the id of the slot, if the event has slots.

    """

    event: Name
    reward: Annotated[float, Meta(ge=-1e12, le=1e12)]
    slot: Annotated[Text, Meta(max_length=256)] = ""


class ActivateBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The news that a deferred event took place.

    Attributes:
        event: the id of the event.

    """

    event: Name


class ExampleBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A labelled example. It has `right`, or `rewards`, or `done` and `reward`.

    Attributes:
        context: what is known about the situation.
        actions: the actions to choose from, in a loop with described actions.
        right: the id of the right action.
        rewards: the rewards of actions, by id. Actions without a label are left out.
        done: the action that was played, by whatever rule.
        reward: the reward of the action that was played.

    """

    context: Record = {}
    actions: Annotated[list[Record], Meta(min_length=1, max_length=MOST_ACTIONS)] | None = None
    right: str | None = None
    rewards: dict[str, float] | None = None
    done: str | None = None
    reward: float | None = None


class LabelsBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Labelled examples from one source.

    Attributes:
        examples: the examples, all with the same kind of label.
        source: who made the labels. The loop finds out how far to trust each source.

    """

    examples: Annotated[list[ExampleBody], Meta(min_length=1, max_length=MOST_EXAMPLES)]
    source: Name | None = None


class EncoderBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a loop's encoder.

    Attributes:
        bits: rows have 2^bits columns. By default 18 for described actions, and 10 for named ones, which are then
            learned by least squares.
        text: the paths of strings that are texts.
        categories: the paths of numbers that are categories.
        now: the path of the time that ages are measured from.
        known: names that have a column each, such as `hour` and `device=phone`; then `bits` is not used.

    """

    bits: Annotated[int, Meta(ge=1, le=22)] | None = None
    text: list[str] = []
    categories: list[str] = []
    now: str | None = None
    known: list[str] = []


class LoopBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A loop to make.

    Attributes:
        kind: "described" if actions have features and come with each request, "named" if they are always the same.
        actions: the names of named actions.
        encoder: how contexts and actions become rows of numbers.
        settings: settings that differ from the defaults.

    """

    kind: Literal["described", "named"]
    actions: Annotated[list[Name], Meta(min_length=2, max_length=MOST_ACTIONS)] | None = None
    encoder: EncoderBody = EncoderBody()
    settings: Record = {}


class ActionBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A named action to add.

    Attributes:
        name: the name of the action.

    """

    name: Name


class ExplainBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision to explain.

    Attributes:
        event: the id of the event.
        slot: the id of the slot, if the event has slots.

    """

    event: Name
    slot: str = ""


class KeyBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to make.

    Attributes:
        role: what the key may do.
        place: which of the two keys of that role it replaces.

    """

    role: Literal["administration", "application"]
    place: Literal[1, 2]


class EvaluateBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Policies to evaluate on the log of a loop.

    Attributes:
        policies: "uniform", "default", "logged", "always:ACTION", "version:NUMBER" or "greedy:NUMBER". The others are
            compared with the first one.
        since: only events that were decided at this time or later, in ISO 8601.
        until: only events that were decided before this time.
        model: the features of the model of rewards.
        level: the confidence level.

    """

    policies: Annotated[list[str], Meta(min_length=1, max_length=8)]
    since: str | None = None
    until: str | None = None
    model: Literal["bends", "squares", "linear", "none"] = "linear"
    level: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95


_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}


def decoded(body: bytes, kind: type[T]) -> T:
    """Decode a body, or refuse it.

    Args:
        body: JSON.
        kind: one of the classes above.

    """
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    try:
        found: T = decoder.decode(body)
        return found
    except RecursionError:
        raise bad_request("the body is JSON that is nested too deeply") from None
    except msgspec.ValidationError as error:
        raise bad_request(unfit(error, kind) or f"the body is not what is expected: {one_line(error)}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_request(unreadable(body, error)) from None
