"""What callers send: the bodies of requests, with their types and limits."""

from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from warmcb._messages import one_line
from warmcb.service.refusals import bad_request

Text = Annotated[str, Meta(pattern=r"^[^\0]*$")]
"""What is stored as it is: PostgreSQL has no texts with that character."""
Name = Annotated[Text, Meta(min_length=1, max_length=256)]
Record = dict[str, Any]
T = TypeVar("T")

MOST_ACTIONS = 1000
MOST_SLOTS = 100
MOST_EXAMPLES = 10_000


class SlotBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place of a page.

    Attributes:
        id: names the slot.
        features: what is known of it.
        allowed: the actions that may be played there; by default all.
        excluded: those that may not.
        baseline: what is played there without a model; by default the first that may be.

    """

    id: Name
    features: Record = {}
    allowed: list[str] | None = None
    excluded: list[str] = []
    baseline: str | None = None


class DecideBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a decision.

    Attributes:
        event: names the event, and the draw; by default a random id is made.
        context: what is known of the situation.
        actions: what can be played, in a loop with described actions: an id, and features.
        allowed: the ids of actions that may be played; by default all.
        excluded: those that may not.
        unit: who it happens to; by default the event is its own unit.
        explore: false: play the action that is expected to be best, or the baseline of an apprentice; draw nothing.
        baseline: what is played in place of the model: by the mode, for the control group, or if there is no model in
            time. By default the first that may be.
        deferred: true: learned only if the event is activated.
        slots: several decisions at once, one for each place of a page.

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
    """What a decision has brought.

    Attributes:
        event: the id of the event.
        reward: any number; within `reward_range` if the loop has one.
        slot: the id of the slot, if the event has several decisions.

    """

    event: Name
    reward: Annotated[float, Meta(ge=-1e12, le=1e12)]
    slot: Annotated[Text, Meta(max_length=256)] = ""


class ActivateBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A deferred event has taken place.

    Attributes:
        event: the id of the event.

    """

    event: Name


class ExampleBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One labelled example. It has `right`, or `rewards`, or `done` and `reward`.

    Attributes:
        context: what is known of the situation.
        actions: what could be played, in a loop with described actions.
        right: the id of the right action.
        rewards: what actions would bring, by id; those that nobody has judged are left out.
        done: the action that was played, by whatever rule.
        reward: what it brought.

    """

    context: Record = {}
    actions: Annotated[list[Record], Meta(min_length=1, max_length=MOST_ACTIONS)] | None = None
    right: str | None = None
    rewards: dict[str, float] | None = None
    done: str | None = None
    reward: float | None = None


class LabelsBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Labelled examples of one source.

    Attributes:
        examples: all of the same form.
        source: who has given them; what each source is worth is found out.

    """

    examples: Annotated[list[ExampleBody], Meta(min_length=1, max_length=MOST_EXAMPLES)]
    source: Name | None = None


class EncoderBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of a loop's encoder.

    Attributes:
        bits: rows have 2^bits columns; by default 18 for described actions, and 10 for named ones, which are then
            learned by least squares.
        text: the paths of strings that are texts.
        categories: the paths of numbers that are categories.
        now: the path of the time that ages are measured against.

    """

    bits: Annotated[int, Meta(ge=1, le=22)] | None = None
    text: list[str] = []
    categories: list[str] = []
    now: str | None = None


class LoopBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A loop to be made.

    Attributes:
        kind: "described": actions have features, and are others each time. "named": always the same few.
        actions: the names of named actions.
        encoder: how contexts and actions become rows.
        settings: those that differ from the defaults.

    """

    kind: Literal["described", "named"]
    actions: Annotated[list[Name], Meta(min_length=2, max_length=MOST_ACTIONS)] | None = None
    encoder: EncoderBody = EncoderBody()
    settings: Record = {}


class ActionBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One named action more.

    Attributes:
        name: of the action.

    """

    name: Name


class ExplainBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision to be explained.

    Attributes:
        event: the id of the event.
        slot: the id of the slot, if the event has several decisions.

    """

    event: Name
    slot: str = ""


class KeyBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A key to be made.

    Attributes:
        role: what it may do.
        place: which of the two keys of that role it replaces.

    """

    role: Literal["administration", "application"]
    place: Literal[1, 2]


class EvaluateBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Policies to be evaluated on the log of a loop.

    Attributes:
        policies: "uniform", "default", "logged", "always:ACTION", "version:NUMBER", "greedy:NUMBER". The first one is
            what the others are compared with.
        since: of events that were decided from then on, in ISO 8601.
        until: of events before.
        model: what the model of rewards sees.
        level: of confidence.

    """

    policies: Annotated[list[str], Meta(min_length=1, max_length=8)]
    since: str | None = None
    until: str | None = None
    model: Literal["bends", "squares", "linear", "none"] = "linear"
    level: Annotated[float, Meta(gt=0.5, lt=1)] = 0.95


_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}


def decoded(body: bytes, kind: type[T]) -> T:
    """A body as what it should be.

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
        raise bad_request("the body is JSON that is too deep") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise bad_request(f"the body is not what is expected: {one_line(error)}") from None
