"""The parts of requests: bodies, periods and paths, made from what callers pass."""

import uuid
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from warmcb._messages import shown
from warmcb.errors import InputError


def decision(
    context: Mapping[str, Any] | None,
    actions: Iterable[Mapping[str, Any]] | None,
    event: str | None,
    unit: str | None,
    explore: bool,
    deferred: bool,
) -> dict[str, Any]:
    """Return what all requests for decisions have in common. An event without an id gets a random one."""
    body: dict[str, Any] = {"event": uuid.uuid4().hex if event is None else event}
    body |= given(context=context, actions=listed(actions), unit=unit)
    if not explore:
        body["explore"] = False
    if deferred:
        body["deferred"] = True
    return body


def given(**values: Any) -> dict[str, Any]:
    """Return the values that are not None, by name."""
    return {name: value for name, value in values.items() if value is not None}


def listed(values: Iterable[Any] | None) -> list[Any] | None:
    """Return values as a list. A string is refused: it would become a list of its letters."""
    if isinstance(values, str):
        raise InputError(f"a list is {shown(values)}; expected several values, not one text")
    return None if values is None else list(values)


def period(since: datetime | None, until: datetime | None) -> dict[str, str]:
    """Return the ends of a period in ISO 8601, without those that are None."""
    times = given(since=since, until=until)
    for name, time in times.items():
        if time.tzinfo is None:
            raise InputError(f"{name} is {shown(time)}; expected a time with a time zone")
    return {name: time.isoformat() for name, time in times.items()}


def quoted(name: str) -> str:
    """Return a name as one segment of a path. Dots are quoted too, since '..' would lead to another path."""
    return quote(name, safe="").replace(".", "%2E")
