"""Numbers of the command line: read from options, and written to JSON."""

import math

from warmcb.errors import InputError


def parse_range(text: str | None) -> tuple[float, float] | None:
    """Two numbers with a comma between them.

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
    """A number that JSON has; None for one that is not finite."""
    return value if math.isfinite(value) else None
