"""The times of decisions and rewards, in a fixed number of counters."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

_SECOND = 1_000_000
_MOST_BUCKETS = 256
_DECADES = (-3, 8)  # of seconds
_PER_DECADE = 10
_LARGEST = 1e100  # sums of larger rewards could overflow


class Gap(NamedTuple):
    """A period without a decision.

    Attributes:
        start: its start.
        seconds: its length in seconds.

    """

    start: datetime
    seconds: float


class Buckets(NamedTuple):
    """Decisions and rewards over time, in periods of equal length.

    Attributes:
        starts: the starts of the periods.
        decisions: the number of decisions in each period.
        rewarded: the number of these with a reward.
        rewards: the sum of their rewards.

    """

    starts: list[datetime]
    decisions: NDArray[np.float64]
    rewarded: NDArray[np.float64]
    rewards: NDArray[np.float64]


class Timeline:
    """Counts decisions and rewards over time. Periods become longer with the log, so their number is bounded."""

    def __init__(self) -> None:
        self._origin: int | None = None
        self._width = _SECOND
        self._sums = np.zeros((3, _MOST_BUCKETS))
        self._earliest = self._latest = 0
        self._gap = (0, 0)
        self.timed = 0

    def add(self, table: pl.DataFrame) -> None:
        """Add decisions."""
        timed = table.filter(pl.col("time").is_not_null()).select(pl.col("time").cast(pl.Int64), "reward")
        if not len(timed):
            return
        moments = timed["time"].to_numpy()
        if self._origin is None:
            self._origin = self._earliest = self._latest = int(moments[0])
        self._earliest = min(self._earliest, int(moments.min()))
        self.timed += len(moments)
        self._find_gap(moments)
        ages = np.maximum(moments - self._origin, 0)  # times before the first one count as the first
        while ages.max() >= self._width * _MOST_BUCKETS:
            self._width *= 2
            pairs = self._sums.reshape(3, -1, 2).sum(axis=2)
            self._sums = np.pad(pairs, ((0, 0), (0, _MOST_BUCKETS // 2)))
        places = ages // self._width
        rewards = timed["reward"].fill_null(0.0).clip(-_LARGEST, _LARGEST).to_numpy()
        has_reward = timed["reward"].is_not_null().to_numpy()
        for row, weights in enumerate((None, has_reward, rewards)):
            self._sums[row] += np.bincount(places, weights, minlength=_MOST_BUCKETS)

    def _find_gap(self, moments: NDArray[np.int64]) -> None:
        reached = np.maximum.accumulate(np.append(self._latest, moments))
        steps = np.diff(reached)
        longest = int(steps.argmax())
        if steps[longest] > self._gap[1]:
            self._gap = (int(reached[longest]), int(steps[longest]))
        self._latest = int(reached[-1])

    @property
    def span(self) -> float:
        """The time from the first decision to the last, in seconds."""
        return 0.0 if self._origin is None else (self._latest - self._origin) / _SECOND

    @property
    def earliest(self) -> datetime | None:
        """The earliest time of a decision; None if no decision has a time."""
        return None if self._origin is None else _moment(self._earliest)

    @property
    def longest_gap(self) -> Gap | None:
        """The longest period without a decision; None if all times are the same."""
        start, length = self._gap
        return Gap(_moment(start), length / _SECOND) if length else None

    def buckets(self) -> Buckets:
        """The counts up to the last decision."""
        end = 0 if self._origin is None else (self._latest - self._origin) // self._width + 1
        starts = [_moment((self._origin or 0) + place * self._width) for place in range(end)]
        return Buckets(starts, *self._sums[:, :end])


class Delays:
    """A histogram of the delays of rewards, with logarithmic bins.

    Attributes:
        edges: the edges of the bins, in seconds.
        counts: the number of rewards below the first edge, in each bin, and above the last edge.
        early: the number of rewards that arrived before their decision.

    """

    def __init__(self) -> None:
        first, last = _DECADES
        self.edges = np.logspace(first, last, (last - first) * _PER_DECADE + 1)
        self.counts = np.zeros(len(self.edges) + 1)
        self.early = 0

    def add(self, table: pl.DataFrame) -> None:
        """Add decisions.

        Args:
            table: decisions with the columns `time` and `rewarded`.

        """
        seconds = (table["rewarded"] - table["time"]).drop_nulls().cast(pl.Int64).to_numpy() / _SECOND
        self.early += int(np.count_nonzero(seconds < 0))
        self.counts += np.bincount(np.searchsorted(self.edges, seconds), minlength=len(self.counts))

    @property
    def known(self) -> int:
        """The number of rewards with a time."""
        return int(self.counts.sum())

    def quantile(self, share: float) -> float:
        """Compute a quantile of the delays.

        Args:
            share: the share of rewards, from 0 to 1.

        Returns:
            the time in seconds within which this share of rewards arrived. It may be up to a quarter too long.

        """
        place = int(np.searchsorted(np.cumsum(self.counts), share * self.known))
        return float(self.edges[min(place, len(self.edges) - 1)])


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / _SECOND, UTC)


def in_words(seconds: float) -> str:
    """A duration as text."""
    units: list[tuple[float, Any]] = [(86400.0, "days"), (3600.0, "h"), (60.0, "min"), (1.0, "s")]
    for size, unit in units:
        if seconds >= 2 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.2g} s"
