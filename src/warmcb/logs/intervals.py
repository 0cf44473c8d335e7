"""Confidence intervals after a number of decisions that was fixed in advance. For any other, use `sequences`."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from warmcb.logs._checks import Units, confidence_level, rewards_between
from warmcb.logs.estimators import Terms
from warmcb.logs.evidence import Evidence

_NAMES = {"gaussian": "Gaussian", "cressie-read": "empirical likelihood"}


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval of the value of a policy.

    Attributes:
        low: the lower end.
        high: the upper end.
        kind: the method, such as "gaussian".
        level: the confidence level: the share of logs in which such an interval contains the value.
        asymptotic: whether the level holds only in the limit of long logs.

    Examples:
        >>> from warmcb.logs.intervals import Interval
        >>> interval = Interval(0.2, 0.5, "gaussian", level=0.95, asymptotic=True)
        >>> 0.3 in interval, interval.is_empty
        (True, False)

    """

    low: float
    high: float
    kind: str
    level: float
    asymptotic: bool

    @property
    def width(self) -> float:
        """The distance of the ends."""
        return self.high - self.low

    @property
    def name(self) -> str:
        """What tables and reports call it: "Gaussian", "empirical likelihood" or "at every moment"."""
        if self.kind in _NAMES:
            return _NAMES[self.kind]
        return f"at every moment{' (asymptotically)' if self.asymptotic else ''}"

    @property
    def is_empty(self) -> bool:
        """Whether no value fits the decisions. Then the probabilities of the log or of the policy are wrong."""
        return self.low > self.high

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def standard_error(terms: Terms, units: Units | None = None) -> float:
    """Compute the standard error of an estimate.

    Args:
        terms: the terms of the estimate.
        units: the user or session of each decision, as in `Evidence`. Decisions of the same unit are not independent,
            so the error is cluster-robust: it is computed from sums over units.

    Returns:
        the standard error; infinite if there is only one decision or one unit.

    Examples:
        >>> import numpy as np
        >>> from warmcb.logs.estimators import Terms
        >>> from warmcb.logs.intervals import standard_error
        >>> round(standard_error(Terms(np.array([0.0, 1.0, 0.0, 1.0, 0.5]), 0.0, np.ones(5))), 3)
        0.224

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
    """Compute the Gaussian interval: the mean of some terms ± z standard errors.

    It is too narrow if a few large weights dominate.

    Args:
        terms: the terms of an estimate.
        units: the user or session of each decision, if they repeat.
        level: the confidence level.

    Returns:
        the interval.

    Examples:
        >>> from warmcb.logs.estimators import ESTIMATORS
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.intervals import gaussian
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
    """Compute the empirical-likelihood interval CR(−2).

    It allows for one more decision of any weight, with the worst reward. Decisions of the same unit count as one: their
    weights and weighted rewards are added.

    Args:
        evidence: the evidence on a policy.
        reward_range: the lowest and the highest possible reward; by default those of the log.
        level: the confidence level.

    Returns:
        the interval.

    References:
        Karampatziakis, Langford, Mineiro: *Empirical Likelihood for Contextual Bandits*, NeurIPS 2020.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.intervals import cressie_read
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
        """The lowest value in the confidence region, if one more decision has the worst reward."""
        n, fits = self.n, (self._with_weight_0(), self._unbounded(worst))
        # How unlikely the weights are in any case, with the better of the two added decisions.
        least_unlikely = fits[1].unlikely if self.w < n else fits[0].unlikely
        budget = (least_unlikely + quantile) / (1 + n)
        values = []
        for fit in fits:
            left = budget - fit.unlikely / (1 + n)
            if left >= 0:
                values.append(fit.value - math.sqrt(left * max(fit.spread, 0.0)))
        return min(values)

    def _with_weight_0(self) -> "_Fit":
        """The added decision has the weight 0, so its reward does not matter."""
        w, y, ww, wy, yy = (some / (1 + self.n) for some in self[1:])
        variance, covariance = ww - w * w, wy - w * y
        if variance <= 0:  # there are no weights at all
            return _Fit(math.inf, 0.0, 0.0)
        unlikely = (1 + self.n) * (1 - w) ** 2 / variance
        return _Fit(unlikely, y + (1 - w) * covariance / variance, yy - y * y - covariance**2 / variance)

    def _unbounded(self, worst: float) -> "_Fit":
        """The limit of large weights: the difference to an average weight of 1 has the worst reward."""
        n, missed = self.n, self.y - worst * self.w
        squares = self.yy - 2 * worst * self.wy + worst * worst * self.ww
        return _Fit((1 + n) / n, worst + missed / n, (squares - missed**2 / n) / (1 + n))


class _Fit(NamedTuple):
    """The likeliest distribution with a given added decision: how unlikely it is, its value, and its spread."""

    unlikely: float
    value: float
    spread: float
