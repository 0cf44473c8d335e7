"""What is wrong with a body, in words that say what is allowed."""

import re
from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.inspect import DictType, ListType, LiteralType, Metadata, NoneType, StructType, Type, UnionType, type_info

from warmcb._messages import one_line, shown

_AT = r"(?: - at `(?:key in )?(\$[^`]*)`)?$"
_UNIT = {"array": "entries", "str": "characters"}
_LENGTH = {">=": ("few", "at least"), "<=": ("many", "at most")}
_RANGE = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}


def unreadable(body: bytes, error: Exception) -> str:
    """Return why a body is no JSON.

    >>> unreadable(b"", ValueError())
    'the body is empty; expected JSON'

    """
    if not body.strip():
        return "the body is empty; expected JSON"
    if "truncated" in str(error):
        return "the body is not complete JSON; expected one whole object"
    return f"the body is not what is expected: {one_line(error)}"


def unfit(error: msgspec.ValidationError, kind: type[Any]) -> str | None:
    """Return what is wrong with a value and what is allowed there; None for errors that say so themselves.

    Args:
        error: of msgspec.
        kind: the type that the value was to have.

    >>> class Visit(msgspec.Struct, forbid_unknown_fields=True):
    ...     hour: int
    >>> try:
    ...     msgspec.json.decode(b'{"our": 9}', type=Visit)
    ... except msgspec.ValidationError as error:
    ...     print(unfit(error, Visit))
    the field 'our' is unknown; expected hour

    """
    for pattern, explain in _EXPLAINED.items():
        if match := re.match(pattern + _AT, str(error), re.DOTALL):
            *parts, path = match.groups()
            return explain(_at(kind, path), (path or "").removeprefix("$").removeprefix("."), *parts)
    return None


def _unknown(there: Type | None, place: str, name: str) -> str:
    known = [field.encode_name for field in there.fields] if isinstance(there, StructType) else ["another one"]
    return f"the field {shown(name)}{_inside(place)} is unknown; expected {', '.join(known)}"


def _missing(there: Type | None, place: str, name: str) -> str:
    return f"{name} is missing{_inside(place)}"


def _value(there: Type | None, place: str, value: str) -> str:
    known = list(map(repr, there.values)) if isinstance(there, LiteralType) else ["another one"]
    *others, last = known
    return f"{place} is {one_line(value)}; expected {' or '.join([', '.join(others), last] if others else [last])}"


def _length(there: Type | None, place: str, what: str, side: str, number: str) -> str:
    found, expected = _LENGTH[side]
    return f"{place} has too {found} {_UNIT[what]}; expected {expected} {number}"


def _range(there: Type | None, place: str, side: str, number: str) -> str:
    return f"{place} is out of range; expected {_RANGE[side]} {float(number):g}"


def _inside(place: str) -> str:
    return place and f" in {place}"


_EXPLAINED: dict[str, Callable[..., str]] = {
    "Object contains unknown field `(.*?)`": _unknown,
    "Object missing required field `(.*?)`": _missing,
    "Invalid enum value (.*?)": _value,
    r"Expected `(array|str)` of length (>=|<=) (\d+)": _length,
    r"Expected `(?:int|float)` (>=|<=|>|<) (\S+)": _range,
}
"""What explains each of msgspec's messages, from the type and the name of the place and the parts of the message."""


def _at(kind: type[Any], path: str | None) -> Type | None:
    """Return the type at a place of a value, such as `$.slots[0].id`; None if it is not known."""
    there: Type | None = _inner(type_info(kind))
    for name, index in re.findall(r"\.(\w+)|(\[[^\]]*\])", path or ""):
        if name and isinstance(there, StructType):
            there = next((_inner(field.type) for field in there.fields if field.encode_name == name), None)
        elif index and isinstance(there, ListType):
            there = _inner(there.item_type)
        elif index and isinstance(there, DictType):
            there = _inner(there.value_type)
        else:
            return None
    return there


def _inner(kind: Type) -> Type:
    """Return a type without its metadata, and without null."""
    while isinstance(kind, Metadata):
        kind = kind.type
    if isinstance(kind, UnionType):
        inner = [one for one in kind.types if not isinstance(one, NoneType)]
        return _inner(inner[0]) if len(inner) == 1 else kind
    return kind
