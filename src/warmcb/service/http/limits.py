"""Limits of requests: sizes, times and rates."""

import time
from dataclasses import dataclass

from warmcb.service.refusals import RefusedError

_MOST_CALLERS = 10_000  # callers whose rates are remembered


@dataclass(frozen=True)
class Limits:
    """The limits of a service.

    Attributes:
        body: the size of a request, in bytes.
        labels: the size of a request with labels, in bytes.
        seconds: how long a request may take to arrive.
        rate: requests per second with one key.
        failures: wrong keys per second from one address.
        connections: open connections of each worker.

    """

    body: int = 2**20
    labels: int = 2**24
    seconds: float = 10.0
    rate: float = 20_000.0
    failures: float = 10.0
    connections: int = 1000


class Rates:
    """Limits the rate of each caller, with room for ten seconds' worth at once.

    Args:
        rate: how many requests per second a caller may send.

    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: dict[object, tuple[float, float]] = {}

    def is_spent(self, caller: object) -> bool:
        """Whether a caller has used up its rate."""
        return self._now_left(caller) < 1

    def spend(self, caller: object) -> None:
        """Count a request of a caller. Refuse it if the rate is used up."""
        left = self._now_left(caller)
        if left < 1:
            raise RefusedError(429, "too_many", "there are too many requests; try again in a second")
        if len(self._left) >= _MOST_CALLERS:
            self._left.clear()
        self._left[caller] = (left - 1, time.monotonic())

    def _now_left(self, caller: object) -> float:
        left, then = self._left.get(caller, (10 * self._rate, 0.0))
        return min(10 * self._rate, left + (time.monotonic() - then) * self._rate)
