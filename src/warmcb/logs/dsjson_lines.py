"""Read lines of dsjson, the log format of Vowpal Wabbit and Azure Personalizer, as rows of the table."""

import json
import math
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from warmcb._messages import one_line, shown
from warmcb.logs.events import MODEL
from warmcb.logs.requests import names_of
from warmcb.logs.table import Row, microseconds


class LineError(ValueError):
    """A line without a decision that can be used.

    Attributes:
        kind: the kind of the problem, a key of `tally.SKIPPED`.
        detail: more about it, if there is more to say.

    """

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(kind, detail)
        self.kind, self.detail = kind, detail


class OwnSlot(Struct, omit_defaults=True):
    allowed: list[int] | None = None
    rewarded: str | None = None
    filled: bool = False


class OwnFields(Struct, omit_defaults=True):
    """Fields that dsjson does not have. `request` is null if `c` was generated, and a text if `c` was extended."""

    slots: list[OwnSlot]
    unit: str | None = None
    arm: str = MODEL
    model: str | None = None
    settings: str | None = None
    request: str | UnsetType | None = UNSET
    names: list[str] | None = None
    x: list[float] | None = None
    described: list[list[float]] | None = None


class _Outcome(Struct):
    a: list[int] = field(name="_a")
    p: list[float] = field(name="_p")
    id: Any = field(default=None, name="_id")
    cost: float | None = field(default=None, name="_label_cost")
    original_cost: float | None = field(default=None, name="_original_label_cost")
    o: list[Any] | None = field(default=None, name="_o")


class _State(Struct):
    m: Any = None


class _Line(Struct):
    cost: float | None = field(default=None, name="_label_cost")
    original_cost: float | None = field(default=None, name="_original_label_cost")
    label_action: int | None = field(default=None, name="_label_Action")
    label_index: int | None = field(default=None, name="_labelIndex")
    skip: bool | None = field(default=None, name="_skipLearn")
    o: list[Any] | None = None
    time: str | None = field(default=None, name="Timestamp")
    event: Any = field(default=None, name="EventId")
    a: list[int] | None = None
    p: list[float] | None = None
    c: Raw = field(default_factory=Raw)
    outcomes: list[_Outcome] | None = field(default=None, name="_outcomes")
    state: _State | None = field(default=None, name="VWState")
    pdrop: float | None = None
    reward_value: Any = field(default=UNSET, name="RewardValue")
    warmcb: OwnFields | None = None


class _MadeAction(Struct):
    tag: str | None = field(default=None, name="_tag")
    d: list[float] | None = None


class _Made(Struct):
    """A request that was generated from numbers."""

    multi: list[_MadeAction] = field(name="_multi")
    x: list[float] | None = None


_decode_line = msgspec.json.Decoder(_Line).decode
_decode_made = msgspec.json.Decoder(_Made).decode


def rows_of_line(line: bytes, place: str) -> list[Row]:
    """The decisions of a line.

    Args:
        line: one JSON object.
        place: the id of the event if the line has none.

    Returns:
        rows in the order of `table.SCHEMA`. Their values are not checked yet.

    """
    try:
        return _rows_of(_decode_line(line), place)
    except LineError:
        raise
    except (msgspec.DecodeError, RecursionError) as error:
        raise _reason(line, error) from None
    except (ValueError, OverflowError) as error:  # invalid UTF-8, or a request that is not JSON
        raise LineError("broken", one_line(error)) from None


def _rows_of(read: _Line, place: str) -> list[Row]:
    if not (request := bytes(read.c)) or request == b"null":
        if read.reward_value is not UNSET:
            raise LineError("dangling")
        raise LineError(
            "no decision",
            "it has no c; expected dsjson; convert other lines with append_parquet, as the guide to logs shows",
        )
    found = names_of(request)
    if not found:
        raise LineError("no decision", "c has no actions in _multi")
    if read.outcomes == []:
        raise LineError("no decision", "_outcomes is empty")
    if read.outcomes is None:
        decisions = [_decision(read, len(found))]
    else:
        decisions = [_slot_decision(i, outcome, len(found)) for i, outcome in enumerate(read.outcomes)]
    names = None if None in found else found
    return _rows(read, decisions, request, names, place)


def _rows(read: _Line, decisions: list[Any], request: bytes, names: Any, place: str) -> list[Row]:
    event = place if read.event in (None, "") else str(read.event)
    time, activated, dropped = _microseconds(read.time), not read.skip, read.pdrop or 0.0
    own = read.warmcb
    if own is None:
        model = None if read.state is None or read.state.m in (None, "N/A") else str(read.state.m)
        return [
            (event, slot, time, None, MODEL, None, request.decode(), None, names, None, action, probabilities, model,
             None, reward, None, activated, filled, dropped)
            for slot, action, probabilities, reward, filled in decisions
        ]  # fmt: skip
    if len(own.slots) != len(decisions):
        raise LineError("contradiction", f"warmcb has {len(own.slots)} slots for {len(decisions)} decisions")
    x, described = own.x, own.described
    text: str | None
    if own.request is None:
        made = _decode_made(request)
        x, text = made.x, None
        names = None if made.multi[0].tag is None else [action.tag or "" for action in made.multi]
        described = None if made.multi[0].d is None else [action.d or [] for action in made.multi]
    else:
        is_verbatim = own.request is UNSET
        text = own.request if isinstance(own.request, str) else request.decode()
        if not is_verbatim:
            names_of(text)  # raises an error if it is not a request
        names = names if is_verbatim and own.names is None else own.names
    return [
        (event, slot, time, own.unit, own.arm, x, text, described, names, _flags(mine.allowed, len(probabilities)),
         action, probabilities, own.model, own.settings, reward, _microseconds(mine.rewarded), activated, mine.filled,
         dropped)
        for mine, (slot, action, probabilities, reward, _) in zip(own.slots, decisions, strict=True)
    ]  # fmt: skip


def _decision(read: _Line, n_actions: int) -> tuple[Any, ...]:
    """The id of the slot, the action, all probabilities, the reward, and whether the reward is the default."""
    if not read.a or not read.p:
        raise LineError("no probabilities")
    probabilities = _in_order(read.a, read.p, 1, n_actions)
    action = read.a[0] - 1
    for name, label, first in (("_labelIndex", read.label_index, 0), ("_label_Action", read.label_action, 1)):
        if label is not None and label - first != action:
            raise LineError("contradiction", f"{name} is {label}, but a starts with {action + 1}")
    return None, action, probabilities, *_reward(read)


def _slot_decision(number: int, outcome: _Outcome, n_actions: int) -> tuple[Any, ...]:
    slot = str(number) if outcome.id is None else str(outcome.id)
    if not outcome.a or not outcome.p:
        raise LineError("no probabilities", f"of the slot {shown(slot)}")
    return slot, outcome.a[0], _in_order(outcome.a, outcome.p, 0, n_actions), *_reward(outcome)


def _in_order(actions: list[int], probabilities: list[float], first: int, n_actions: int) -> list[float]:
    """Probabilities in the order of the request, from the order of the ranking."""
    if len(actions) != len(probabilities) or (first and len(actions) != n_actions):
        counts = f"{len(actions)} actions have {len(probabilities)} probabilities"
        raise LineError("contradiction", f"{counts}, but _multi has {n_actions} actions")
    if min(actions) < first or max(actions) >= n_actions + first or len(set(actions)) < len(actions):
        raise LineError("contradiction", f"the ranking is {shown(actions)} of {n_actions} actions")
    ordered = [0.0] * n_actions
    for action, probability in zip(actions, probabilities, strict=True):
        ordered[action - first] = probability
    return ordered


def _reward(read: _Line | _Outcome) -> tuple[float | None, bool]:
    """The reward, and whether it is the default: the line has observations, but none of them is a reward."""
    observed = next((value for one in read.o or () if (value := _observed(one)) is not None), None)
    cost = read.cost if read.original_cost is None else read.original_cost
    if cost is None:
        return observed, False
    return 0.0 - cost, read.o is not None and observed is None  # 0.0 - cost never gives -0.0


def _observed(one: Any) -> float | None:
    """The reward of an observation; None if it is another observation, such as an activation."""
    if type(one) is dict:
        one = None if one.get("ActionTaken") is True else one.get("v")
    return float(one) if type(one) in (int, float) else None


def _flags(places: list[int] | None, n_actions: int) -> list[bool] | None:
    return None if places is None else [place in places for place in range(n_actions)]


def _microseconds(text: str | None) -> int | None:
    """A time in ISO 8601, by default in UTC; None if it cannot be read."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        return microseconds(time if time.tzinfo else time.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None


def _reason(line: bytes, error: Exception) -> LineError:
    """The problem of a line that cannot be decoded."""
    if line.lstrip()[:1] == b"[":
        return LineError("checkpoint")
    is_reward = "label_cost" in str(error) or _has_endless_cost(line)
    return LineError("reward" if is_reward else "broken", one_line(error))


def _has_endless_cost(line: bytes) -> bool:
    """Whether a cost is NaN or Infinity, which Python writes although it is not JSON."""
    try:
        read = json.loads(line)
        costs = [one.get("_label_cost") for one in (read, *(read.get("_outcomes") or ()))]
    except (ValueError, AttributeError, TypeError, RecursionError):
        return False
    return any(type(cost) is float and not math.isfinite(cost) for cost in costs)
