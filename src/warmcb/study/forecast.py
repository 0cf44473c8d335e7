"""How long the rest of a study takes, from what its units have taken so far."""

from collections.abc import Hashable, Mapping
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from warmcb.study.units import Load

Doubles = NDArray[np.float64]


class Timed(Protocol):
    """A unit of work whose time can be foretold."""

    @property
    def alike(self) -> Hashable:
        """Units with the same value take the same time."""

    @property
    def load(self) -> Load: ...


_FEWEST_SECONDS = 60.0
_REMEMBERED = 0.05
"""The pace is that of the last minute of work, or of this share of all of it."""

T = TypeVar("T", bound=Timed)


class Forecast:
    """The time that a unit will take, learned while the study runs.

    It is the mean of the units alike that are done. Where there is none yet, the units of the same kind tell: what each
    of their quantities costs is fitted to the times that were measured, by non-negative least squares of the relative
    errors. Where there is none of its kind either, all kinds with as many quantities; or else all there are. A machine
    may get slower or faster, when it has other things to do: times are multiples of its pace, which is followed.
    """

    def __init__(self) -> None:
        self._pace = 1.0
        self._spent = 0.0
        self._times: dict[Hashable, list[float]] = {}
        self._loads: dict[Hashable, Load] = {}
        self._prices: dict[str | int, Doubles | None] = {}

    def observe(self, unit: Timed, seconds: float) -> None:
        """A unit has taken so many seconds of a worker."""
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
        """What a unit will take; None before anything was measured."""
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
        """What units will take one after the other: each stands for as many that are alike."""
        found = [(self.seconds(unit), count) for unit, count in counts.items() if count]
        known = [seconds * count for seconds, count in found if seconds is not None]
        return sum(known) if len(known) == len(found) else None

    def _fitted(self, of: str | int) -> Doubles | None:
        """What a unit of each quantity costs in seconds, for a kind or for so many quantities."""
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
