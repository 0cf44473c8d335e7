"""Numbers that are read from options, and written to JSON."""

import math

from warmcb.errors import InputError


def parse_range(text: str | None) -> tuple[float, float] | None:
    """Read two numbers, separated by a comma.

    >>> parse_range("0,1")
    (0.0, 1.0)
    """
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise InputError(f"--reward-range is {text!r}; expected two numbers, as 0,1") from None
    return low, high


def json_number(value: float) -> float | None:
    """The number, or None if it is not finite: JSON has neither NaN nor infinity."""
    return value if math.isfinite(value) else None
