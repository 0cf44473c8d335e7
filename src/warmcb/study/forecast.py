"""Estimates of the remaining time of a study, from the times of its units so far."""

from collections.abc import Hashable, Mapping
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from warmcb.study.units import Load

Doubles = NDArray[np.float64]


class Timed(Protocol):
    """A unit of work whose time can be estimated."""

    @property
    def alike(self) -> Hashable:
        """Units with the same value take the same time."""

    @property
    def load(self) -> Load: ...


_FEWEST_SECONDS = 60.0
_REMEMBERED = 0.05
"""The pace is that of the last minute of work, or of this share of all work if that is longer."""

T = TypeVar("T", bound=Timed)


class Forecast:
    """Estimates the time of a unit, and learns while the study runs.

    The estimate is the mean time of finished units that are alike. If there are none, the times of units of the same
    kind are fitted: non-negative least squares of the relative errors give a price for each quantity of a load. If
    there are none of that kind either, the fit uses all kinds with the same number of quantities, or else the mean of
    all units. A machine can become slower or faster. Times are therefore multiples of its pace, which is tracked.
    """

    def __init__(self) -> None:
        self._pace = 1.0
        self._spent = 0.0
        self._times: dict[Hashable, list[float]] = {}
        self._loads: dict[Hashable, Load] = {}
        self._prices: dict[str | int, Doubles | None] = {}

    def observe(self, unit: Timed, seconds: float) -> None:
        """Record the time that a worker took for a unit."""
        seconds = max(seconds, 1e-6)
        self._spent += seconds
        if unit.alike in self._times:
            expected = self.seconds(unit) or seconds
            memory = max(_FEWEST_SECONDS, _REMEMBERED * self._spent)
            self._pace *= (seconds / expected) ** min(1.0, expected / memory)
        else:
            self._loads[unit.alike] = unit.load
            self._prices.clear()
        self._times.setdefault(unit.alike, []).append(seconds / self._pace)

    def seconds(self, unit: Timed) -> float | None:
        """The expected time of a unit; None before any unit is finished."""
        at_first = self._at_first_pace(unit)
        return None if at_first is None else self._pace * at_first

    def _at_first_pace(self, unit: Timed) -> float | None:
        if unit.alike in self._times:
            return float(np.mean(self._times[unit.alike]))
        kind, quantities = unit.load
        for known in (kind, len(quantities)):
            prices = self._fitted(known)
            if prices is not None:
                return float(np.array(quantities) @ prices)
        every = [time for times in self._times.values() for time in times]
        return float(np.mean(every)) if every else None

    def total(self, counts: Mapping[T, int]) -> float | None:
        """The expected total time of units. Each stands for `count` units that are alike."""
        found = [(self.seconds(unit), count) for unit, count in counts.items() if count]
        known = [seconds * count for seconds, count in found if seconds is not None]
        return sum(known) if len(known) == len(found) else None

    def _fitted(self, of: str | int) -> Doubles | None:
        """The fitted price of each quantity in seconds, for a kind of load or for a number of quantities."""
        if of not in self._prices:
            seen = {alike: load for alike, load in self._loads.items() if of in (load.kind, len(load.quantities))}
            times = [float(np.mean(self._times[alike])) for alike in seen]
            self._prices[of] = _fit([load.quantities for load in seen.values()], times)
        return self._prices[of]


def _fit(loads: list[tuple[float, ...]], times: list[float]) -> Doubles | None:
    if not times:
        return None
    from scipy.optimize import nnls

    quantities = np.array(loads)
    scales = np.maximum(quantities.max(axis=0), 1e-300)
    weighted, _ = nnls(quantities / scales / np.array(times)[:, None], np.ones(len(times)))
    return np.asarray(weighted / scales)
