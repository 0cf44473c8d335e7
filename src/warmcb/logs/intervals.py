"""How far off an estimate may be, after a number of decisions that was fixed in advance; else see `sequences`."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from warmcb.logs._checks import Units, confidence_level, rewards_between
from warmcb.logs.estimators import Terms
from warmcb.logs.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the value of a policy lies, with some confidence.

    Attributes:
        low: its lower end.
        high: its upper end.
        kind: how it was made.
        level: the share of logs in which such an interval contains the value.
        asymptotic: whether that share is only approached as the log grows.

    """

    low: float
    high: float
    kind: str
    level: float
    asymptotic: bool

    @property
    def width(self) -> float:
        """From the lower end to the upper one."""
        return self.high - self.low

    @property
    def is_empty(self) -> bool:
        """Whether no value fits what was seen: then probabilities, of the log or of the policy, are wrong."""
        return self.low > self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def standard_error(terms: Terms, units: Units | None = None) -> float:
    """The standard error of the mean of some terms; infinite if there is one decision, or one unit, only.

    Args:
        terms: of an estimate.
        units: who each decision happened to, as `Evidence` has them. Decisions of one unit depend on each other, so
            that only sums over units count as independent (the cluster-robust error).

    """
    value, size = terms.value, float(terms.counts.sum())
    away, away_left_out = terms.kept - value, terms.left_out - value
    if units is None:
        pieces = size
        squares = float(away @ away) + away_left_out**2 * (size - len(away))
    else:
        sums = np.bincount(units, weights=away + away_left_out * (terms.counts - 1))
        pieces, squares = float(len(sums)), float(sums @ sums)
    if pieces <= 1:
        return math.inf
    return math.sqrt(squares * pieces / (pieces - 1)) / size


def gaussian(terms: Terms, units: Units | None = None, *, level: float = 0.95) -> Interval:
    """The mean of some terms ± z standard errors. It is too narrow where a few large weights decide.

    Args:
        terms: of an estimate.
        units: who each decision happened to, if units repeat.
        level: of confidence.

    >>> from warmcb.logs.estimators import ESTIMATORS
    >>> evidence = Evidence(weights=[2.0, 0.0] * 50, rewards=[1.0] * 100, largest_weights=[2.0] * 100)
    >>> interval = gaussian(ESTIMATORS["ips"].terms(evidence))
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.8, 1.2)

    """
    from scipy.special import ndtri

    level = confidence_level(level)
    value = terms.value
    away = float(ndtri((1 + level) / 2)) * standard_error(terms, units)
    return Interval(value - away, value + away, "gaussian", level, True)


def cressie_read(
    evidence: Evidence, *, reward_range: tuple[float, float] | None = None, level: float = 0.95
) -> Interval:
    """The empirical-likelihood interval CR(−2) of Karampatziakis, Langford and Mineiro (2020).

    It allows for one more decision of any weight, with the worst reward. Units that repeat count as one decision each,
    of the average size: their weights and weighted rewards are added up.

    Args:
        evidence: what a log says about a policy.
        reward_range: the lowest and the highest possible reward; None: those of the log.
        level: of confidence.

    >>> evidence = Evidence(weights=[2.0, 0.0] * 50, rewards=[1.0] * 99 + [0.0], largest_weights=[2.0] * 100)
    >>> interval = cressie_read(evidence, reward_range=(0.0, 1.0))
    >>> round(interval.low, 2), interval.high
    (0.83, 1.0)

    """
    from scipy.special import fdtri

    level, (low, high) = confidence_level(level), rewards_between(evidence.rewards, reward_range)
    sums = _Sums.of(evidence)
    quantile = float(fdtri(1, sums.n, level))
    lowest = sums.lowest_value(low, quantile)
    highest = -sums.mirrored().lowest_value(-high, quantile)
    ends = np.clip([lowest, highest], low, high)
    return Interval(float(ends[0]), float(ends[1]), "cressie-read", level, True)


class _Sums(NamedTuple):
    """Of n weights w and weighted rewards y."""

    n: float
    w: float
    y: float
    ww: float
    wy: float
    yy: float

    @classmethod
    def of(cls, evidence: Evidence) -> "_Sums":
        n, w = evidence.size, evidence.counts * evidence.weights
        y = w * evidence.rewards
        if evidence.units is not None:
            units = float(evidence.units.max()) + 1
            w, y = (np.bincount(evidence.units, some).astype(np.float64) * (units / n) for some in (w, y))
            n = units
        return cls(n, *map(float, (w.sum(), y.sum(), w @ w, w @ y, y @ y)))

    def mirrored(self) -> "_Sums":
        """Of rewards with the other sign."""
        return self._replace(y=-self.y, wy=-self.wy)

    def lowest_value(self, worst: float, quantile: float) -> float:
        """The lowest value that is likely enough if one more decision has the worst reward."""
        n, fits = self.n, (self._with_weight_0(), self._unbounded(worst))
        # How unlikely the weights are anyway, under the better of the two added decisions.
        least_unlikely = fits[1].unlikely if self.w < n else fits[0].unlikely
        budget = (least_unlikely + quantile) / (1 + n)
        values = []
        for fit in fits:
            left = budget - fit.unlikely / (1 + n)
            if left >= 0:
                values.append(fit.value - math.sqrt(left * max(fit.spread, 0.0)))
        return min(values)

    def _with_weight_0(self) -> "_Fit":
        """The added decision has a weight of 0, so that its reward does not matter."""
        w, y, ww, wy, yy = (some / (1 + self.n) for some in self[1:])
        variance, covariance = ww - w * w, wy - w * y
        if variance <= 0:  # there are no weights at all
            return _Fit(math.inf, 0.0, 0.0)
        unlikely = (1 + self.n) * (1 - w) ** 2 / variance
        return _Fit(unlikely, y + (1 - w) * covariance / variance, yy - y * y - covariance**2 / variance)

    def _unbounded(self, worst: float) -> "_Fit":
        """The limit of large weights: what is missing to an average weight of 1 has the worst reward."""
        n, missed = self.n, self.y - worst * self.w
        squares = self.yy - 2 * worst * self.wy + worst * worst * self.ww
        return _Fit((1 + n) / n, worst + missed / n, (squares - missed**2 / n) / (1 + n))


class _Fit(NamedTuple):
    """The likeliest world with a certain added decision: how unlikely it is, the value there, and its spread."""

    unlikely: float
    value: float
    spread: float
