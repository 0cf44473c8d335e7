"""Service time: microseconds that never go back, even if somebody changes the machine's wall clock."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Clock(Protocol):
    """Tells service time."""

    def now(self) -> int:
        """Return the service time: microseconds since 1970."""


class SteadyClock:
    """A clock that follows the machine's monotonic clock, which all its processes share.

    Args:
        offset: what is added to the monotonic clock. All processes of a service use the same one (`time_offset`).

    """

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def now(self) -> int:
        return self._offset + time.monotonic_ns() // 1000


class ManualClock:
    """A clock that stands still until it is advanced. In tests a week then takes seconds.

    Args:
        start: the first time.

    """

    def __init__(self, start: int = 0) -> None:
        self._now = start

    def now(self) -> int:
        return self._now

    def advance(self, microseconds: int) -> None:
        """Move the clock on.

        Args:
            microseconds: by how much, at least 0.

        """
        if microseconds < 0:
            raise ValueError("service time never goes back")
        self._now += microseconds


def iso(microseconds: int) -> str:
    """Return a service time as ISO 8601 in UTC.

    >>> iso(1_800_000_000 * SECOND)
    '2027-01-15T08:00:00.000000Z'
    """
    return f"{moment(microseconds).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def from_iso(text: str) -> int:
    """Return the service time of a text in ISO 8601. Without a time zone it is UTC.

    >>> from_iso("2027-01-15T08:00:00Z") == from_iso("2027-01-15T08:00:00") == 1_800_000_000 * SECOND
    True

    Raises:
        ValueError: if the text is not a time.

    """
    parsed = datetime.fromisoformat(text)
    try:
        return round((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp() * SECOND)
    except OverflowError as error:
        raise ValueError(str(error)) from None


def moment(microseconds: int) -> datetime:
    """Return a service time as a `datetime`."""
    return _EPOCH + timedelta(microseconds=microseconds)
