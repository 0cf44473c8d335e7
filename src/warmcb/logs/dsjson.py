"""Write events as lines of dsjson, the log format of Vowpal Wabbit and Azure Personalizer.

Fields of an event that dsjson does not have are in an object `warmcb` of the line, which Vowpal Wabbit skips.
"""

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import datetime
from gzip import GzipFile
from pathlib import Path
from typing import IO, Any, cast

import msgspec
from msgspec import Raw

from warmcb._atomic import replacing
from warmcb.logs.dsjson_lines import OwnFields, OwnSlot
from warmcb.logs.events import Event, Slot
from warmcb.logs.requests import names_of


def line_of(event: Event) -> bytes:
    """An event as a line, without the newline."""
    has_slots = event.slots[0].id is not None
    made = _made_request(event, has_slots)
    request = Raw((event.request or "").encode() if made is None else made)
    line = _page(event, request) if has_slots else _decision(event, request)
    return msgspec.json.encode(_known(line) | {"warmcb": _own(event, is_verbatim=made is None)})


def _decision(event: Event, request: Raw) -> dict[str, Any]:
    """The keys of an event with one decision, in the order of Personalizer. The chosen action comes first."""
    (slot,) = event.slots
    ranking = [slot.action, *(place for place in range(event.n_actions) if place != slot.action)]
    return {
        "_label_cost": _cost(slot),
        "_label_probability": slot.probability,
        "_label_Action": slot.action + 1,
        "_labelIndex": slot.action,
        "_skipLearn": None if event.activated else True,
        "o": _observations(event, slot),
        "Timestamp": _iso(event.time),
        "Version": "1",
        "EventId": event.id,
        "a": [place + 1 for place in ranking],
        "c": request,
        "p": [slot.probabilities[place] for place in ranking],
        "VWState": {"m": event.model or "N/A"},
        "pdrop": event.dropped or None,
        "_original_label_cost": _cost(slot),
    }


def _page(event: Event, request: Raw) -> dict[str, Any]:
    """The keys of an event with slots."""
    return {
        "_skipLearn": None if event.activated else True,
        "Timestamp": _iso(event.time),
        "Version": "1",
        "EventId": event.id,
        "c": request,
        "_outcomes": [_outcome(event, slot) for slot in event.slots],
        "VWState": {"m": event.model or "N/A"},
        "pdrop": event.dropped or None,
    }


def _outcome(event: Event, slot: Slot) -> dict[str, Any]:
    """The decision of a slot: over the actions that could be drawn, the chosen one first."""
    others = [place for place, value in enumerate(slot.probabilities) if value > 0 and place != slot.action]
    ranking = [slot.action, *others]
    return _known(
        {
            "_label_cost": _cost(slot),
            "_id": slot.id,
            "_a": ranking,
            "_p": [slot.probabilities[place] for place in ranking],
            "_o": _observations(event, slot),
            "_original_label_cost": _cost(slot),
        }
    )


def _known(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _cost(slot: Slot) -> float | None:
    return None if slot.reward is None else -slot.reward


def _own(event: Event, is_verbatim: bool) -> OwnFields:
    own = OwnFields([OwnSlot(_places(slot), _iso(slot.rewarded), slot.filled) for slot in event.slots])
    own.unit, own.arm, own.model, own.settings = event.unit, event.arm, event.model, event.settings
    if not is_verbatim:
        own.request = event.request
    if event.request is not None:  # else names and numbers are in the generated request
        is_named = is_verbatim and names_of(event.request) == event.names
        own.names = None if is_named or event.names is None else list(event.names)
        own.x = None if event.x is None else list(event.x)
        own.described = None if event.described is None else [list(row) for row in event.described]
    return own


def _observations(event: Event, slot: Slot) -> list[dict[str, Any]]:
    if slot.reward is None or slot.filled:
        return []
    return [_known({"v": slot.reward, "EventId": event.id, "Index": slot.id, "ActionTaken": False})]


def _made_request(event: Event, has_slots: bool) -> bytes | None:
    """A request with everything that Vowpal Wabbit needs; None if the request of the event is complete."""
    request: dict[str, Any] = {} if event.request is None else msgspec.json.decode(event.request)
    missing: dict[str, Any] = {}
    if event.request is None and event.x is not None:
        missing["x"] = event.x
    if not request.get("_multi"):
        missing["_multi"] = [_made_action(event, place) for place in range(event.n_actions)]
    if has_slots and "_slots" not in request:
        missing["_slots"] = [{"_id": slot.id} for slot in event.slots]
    return msgspec.json.encode(request | missing) if missing else None


def _made_action(event: Event, place: int) -> dict[str, Any]:
    """An action whose only feature is its id, unless it is described by numbers."""
    tag = {} if event.names is None else {"_tag": event.names[place]}
    name = str(place) if event.names is None else event.names[place]
    described = {} if event.described is None else {"d": event.described[place]}
    return tag | {"i": {"id": name}} | described


def _places(slot: Slot) -> list[int] | None:
    return None if slot.allowed is None else list(slot.allowed)


def _iso(time: datetime | None) -> str | None:
    """A time in the format of Personalizer, with seven digits after the seconds."""
    return None if time is None else f"{time.replace(tzinfo=None).isoformat(timespec='microseconds')}0Z"


def write_dsjson(path: str | Path, events: Iterable[Event]) -> None:
    """Write events as lines of dsjson, which Vowpal Wabbit reads with `--dsjson`.

    The file appears when it is complete. An existing file is replaced.

    Args:
        path: the file. It is compressed if its name ends in `.gz`.
        events: the events, in the order of the log.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, open_log, write_dsjson
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", [Event("e1", (Slot(1, (0.2, 0.8), reward=1.0),))])
        ...     [event.slots[0].probability for event in open_log(f"{folder}/log.dsjson").events()]
        [0.8]

    """
    path = Path(path)
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(replacing(path))
        if path.suffix == ".gz":
            file = cast(IO[bytes], stack.enter_context(GzipFile("", "wb", fileobj=file, mtime=0)))
        for event in events:
            file.write(line_of(event) + b"\n")
