"""Pages of long lists."""

from typing import Any

from warmcb._messages import shown
from warmcb.service.http.endpoints import Call
from warmcb.service.personalizer.errors import invalid


def page(call: Call, found: list[Any]) -> list[Any]:
    """Return the part of a list that the parameters `skip` and `top` ask for."""
    first, most = (_number(call, name) for name in ("skip", "top"))
    found = found[first or 0 :]
    return found if most is None else found[:most]


def _number(call: Call, name: str) -> int | None:
    text = call.query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise invalid("BadRequest", f"{name} is {shown(text)}; expected a whole number, at least 0")
    return int(text)
