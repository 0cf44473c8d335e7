"""Values and errors as short text in one line, for messages."""

from collections.abc import Sequence

_LONGEST = 60  # characters of a value
_LISTED = 10  # names of a list


def shown(value: object) -> str:
    """The repr of a value, shortened."""
    try:
        return short(repr(value) if isinstance(value, str) else one_line(repr(value)))
    except Exception:  # numbers of thousands of digits, broken __repr__
        return f"a {type(value).__name__} that cannot be printed"


def listed(names: Sequence[str]) -> str:
    """The first names of a list, and the number of further ones."""
    first = [name if _is_plain(name) else repr(name) for name in names[:_LISTED]]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(map(short, first)) + more


def counted(count: int, noun: str, rest: str = "", *, plural: str | None = None) -> str:
    """Return a number with its noun in the singular or the plural.

    >>> counted(1, "line", " without a decision"), counted(2000, "broken line")
    ('1 line without a decision', '2,000 broken lines')
    >>> counted(2, "family", plural="families")
    '2 families'
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}{rest}"


def one_line(message: object) -> str:
    """A message in one line of at most 200 characters."""
    return " ".join(str(message).split())[:200]


def named(error: BaseException) -> str:
    """An error with the name of its class.

    >>> named(ValueError("no such column"))
    'ValueError: no such column'
    """
    return f"{type(error).__name__}: {one_line(error)}"


def short(text: str) -> str:
    """A text, truncated if it is long."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}…"


def _is_plain(name: str) -> bool:
    """Whether a name needs no quotes in a list."""
    return name.isprintable() and name.strip() == name != "" and "," not in name
