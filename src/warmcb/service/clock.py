"""Service time: microseconds that never go back, whatever is done to the clock on the wall."""

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
        """Microseconds since 1970, as the service counts them."""


class SteadyClock:
    """Follows the machine's monotonic clock, which all processes of a machine share.

    Args:
        offset: what is added to it; all processes of a service have the same one (`start_clock`).

    """

    def __init__(self, offset: int) -> None:
        self._offset = offset

    def now(self) -> int:
        return self._offset + time.monotonic_ns() // 1000


class ManualClock:
    """Stands still until it is told to go on: for tests, where a week takes seconds.

    Args:
        start: the first time.

    """

    def __init__(self, start: int = 0) -> None:
        self._now = start

    def now(self) -> int:
        return self._now

    def advance(self, microseconds: int) -> None:
        """Go on.

        Args:
            microseconds: how far, at least 0.

        """
        if microseconds < 0:
            raise ValueError("service time never goes back")
        self._now += microseconds


def iso(microseconds: int) -> str:
    """A service time for people and programs: ISO 8601, UTC."""
    return f"{moment(microseconds).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def moment(microseconds: int) -> datetime:
    """A service time as Python has it."""
    return _EPOCH + timedelta(microseconds=microseconds)
