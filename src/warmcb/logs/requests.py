"""The request of an event: context and actions as JSON text, in the form of the object `c` in dsjson."""

from typing import Any

import msgspec

from warmcb._messages import shown
from warmcb.errors import InputError


class _Action(msgspec.Struct):
    tag: Any = msgspec.field(default=None, name="_tag")
    i: Any = None


class _Request(msgspec.Struct):
    multi: list[_Action] | None = msgspec.field(default=None, name="_multi")


_decode_request = msgspec.json.Decoder(_Request).decode


def names_of(request: str | bytes | msgspec.Raw) -> tuple[str | None, ...] | None:
    """The names of the actions of a request, None for an action without a name; None if the request has no actions.

    The name of an action is its `_tag`, or the id that Personalizer writes.
    """
    try:
        actions = _decode_request(request).multi
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"request is not a JSON object with a list of actions: {error}") from None
    return None if actions is None else tuple(map(_name, actions))


def _name(action: _Action) -> str | None:
    tag = action.tag
    if tag is None and type(action.i) is dict:
        tag = action.i.get("id")
    return tag if type(tag) is str else str(tag) if type(tag) is int else None


def in_one_line(request: str) -> str:
    """JSON text without line breaks; unchanged if it has none."""
    if not is_text(request):
        raise InputError(f"request is {shown(request)}; expected JSON of an object")
    if "\n" not in request and "\r" not in request:
        return request
    try:
        return msgspec.json.format(request, indent=-1)
    except msgspec.DecodeError as error:
        raise InputError(f"request is not JSON: {error}") from None


def is_text(value: object) -> bool:
    """Whether a value is a text that can be encoded as UTF-8."""
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False
