"""Checked parameters from behind the path of a request."""

from warmcb._messages import shown
from warmcb.service.clock import from_iso
from warmcb.service.http.endpoints import Call
from warmcb.service.refusals import bad_request

ALWAYS = 2**62
"""A time, or a number, that is later than all others."""


def whole_number(call: Call, name: str, default: int, most: int) -> int:
    """Return the parameter `name`, from 1 to `most`; `default` if it is missing."""
    text = call.query.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 19 or not 1 <= int(text) <= most:
        raise bad_request(f"{name} is {shown(text)}; expected a whole number from 1 to {most}")
    return int(text)


def period(since: str | None, until: str | None) -> tuple[int, int]:
    """Return the ends of a period in service time. An end that is None is open."""
    return _time("since", since, 0), _time("until", until, ALWAYS)


def _time(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        return from_iso(text)
    except ValueError:
        raise bad_request(f"{name} is {shown(text)}; expected a time in ISO 8601") from None
