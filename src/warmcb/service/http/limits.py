"""How much a caller may ask for: sizes, times and rates."""

import time
from dataclasses import dataclass

from warmcb.service.refusals import RefusedError

_MOST_CALLERS = 10_000  # whose rates are remembered


@dataclass(frozen=True)
class Limits:
    """What a service allows.

    Attributes:
        body: bytes of a request.
        labels: bytes of a request that brings labels.
        seconds: until a request must have arrived.
        rate: requests a second of one key.
        failures: wrong keys a second from one address.
        connections: open at once, for each worker.

    """

    body: int = 2**20
    labels: int = 2**24
    seconds: float = 10.0
    rate: float = 20_000.0
    failures: float = 10.0
    connections: int = 1000


class Rates:
    """Counts what callers do: each may do `rate` a second, and ten seconds' worth at once.

    Args:
        rate: how many a second.

    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._left: dict[object, tuple[float, float]] = {}

    def is_spent(self, caller: object) -> bool:
        """Whether a caller has nothing left."""
        return self._now_left(caller) < 1

    def spend(self, caller: object) -> None:
        """Count something that a caller did; a refusal if it is too much."""
        left = self._now_left(caller)
        if left < 1:
            raise RefusedError(429, "too_many", "there are too many requests; try again in a second")
        if len(self._left) >= _MOST_CALLERS:
            self._left.clear()
        self._left[caller] = (left - 1, time.monotonic())

    def _now_left(self, caller: object) -> float:
        left, then = self._left.get(caller, (10 * self._rate, 0.0))
        return min(10 * self._rate, left + (time.monotonic() - then) * self._rate)
