"""Means over families of data sets, with confidence intervals.

A family counts once at each ratio, however many data sets it has. All ratios count the same. The families of a study
are regarded as a random sample, and an interval covers the difference to other samples. It uses the jackknife (leaving
out each family in turn) and Student's distribution. There are only about eight families, and with so few a bootstrap
gives intervals that are too narrow. Hall's correction for skewness (1992) is used where it gives a wider bound.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

FEWEST_FAMILIES = 5
"""With fewer families there is no verdict."""
TAIL = 0.025
"""The probability of each tail of a 95 % interval."""
_POWER = 0.8


class TooFewFamiliesError(Exception):
    """A mean would have fewer than five families."""

    def __init__(self, families: int) -> None:
        super().__init__(families)
        self.families = families


@dataclass(frozen=True)
class JackknifeEstimate:
    """A number or an array, its values without each family in turn, and the degrees of freedom."""

    value: Doubles
    without: Doubles
    df: float

    def __sub__(self, other: Self) -> Self:
        return type(self)(self.value - other.value, self.without - other.without, min(self.df, other.df))

    def __getitem__(self, part: int | tuple[slice, int]) -> Self:
        """A part of the array."""
        parts = part if isinstance(part, tuple) else (part,)
        return type(self)(np.asarray(self.value[parts]), np.asarray(self.without[:, *parts]), self.df)

    @property
    def error(self) -> Doubles:
        """The standard error."""
        count = len(self.without)
        return np.asarray(np.sqrt((count - 1) / count * ((self.without - self.value) ** 2).sum(axis=0)))

    @property
    def _asymmetry(self) -> Doubles:
        """The skewness of the families, divided by the square root of their number."""
        away = self.value - self.without
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.nan_to_num((away**3).sum(axis=0) / (away**2).sum(axis=0) ** 1.5))

    def lower(self, tail: float) -> Doubles:
        """A lower bound that fails with this probability."""
        return np.asarray(self.value - self.error * self._distance(tail, self._asymmetry))

    def upper(self, tail: float) -> Doubles:
        return np.asarray(self.value + self.error * self._distance(tail, -self._asymmetry))

    def _distance(self, tail: float, asymmetry: Doubles) -> Doubles:
        """The distance of a bound in standard errors: Student's, or Hall's if that is larger."""
        student = float(_t().isf(tail, self.df))
        nonzero = np.where(np.abs(asymmetry) < 1e-6, 1e-6, asymmetry)
        hall = 3 / nonzero * (np.cbrt(1 + nonzero * (student - nonzero / 6)) - 1)
        return np.asarray(np.maximum(student, hall))

    def p_above(self, limit: float = 0.0) -> Doubles:
        """The p-value of the hypothesis that the number is at most `limit`.

        If all families give exactly the same value, it is the p-value of a sign test.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            student = (self.value - limit) / self.error
            skew = self._asymmetry
            hall = student + skew / 3 * student**2 + skew**2 / 27 * student**3 + skew / 6
        p = _t().sf(np.fmin(student, hall), self.df)
        agreeing = np.where(self.value > limit, 0.5 ** len(self.without), np.where(self.value < limit, 1.0, 0.5))
        return np.asarray(np.where(self.error > 0, p, agreeing))

    def p_below(self, limit: float = 0.0) -> Doubles:
        return JackknifeEstimate(-self.value, -self.without, self.df).p_above(-limit)


def mean_over_ratios(cells: Doubles) -> JackknifeEstimate:
    """The mean of an array of shape (families, ratios, …), first over families, then over ratios.

    A value is NaN if a family has no data at a ratio. Ratios with fewer than five families are left out.

    >>> estimate = mean_over_ratios(np.array([[1.0], [2.0], [3.0], [4.0], [5.0]]))
    >>> float(estimate.value), float(estimate.without[0])
    (3.0, 3.5)
    >>> float(estimate.error.round(3))  # the standard error of a mean: √(2.5/5)
    0.707
    """
    there = np.asarray(np.isfinite(cells).all(axis=tuple(range(2, cells.ndim))))
    counts = there.sum(axis=0)
    enough = counts >= FEWEST_FAMILIES
    if not enough.any():
        raise TooFewFamiliesError(int(counts.max(initial=0)))
    cells, there, counts = cells[:, enough], there[:, enough], counts[enough]
    values = np.where(there.reshape(there.shape + (1,) * (cells.ndim - 2)), cells, 0.0)
    shape = (-1,) + (1,) * (cells.ndim - 2)
    means = values.sum(axis=0) / counts.reshape(shape)
    others = (values.sum(axis=0) - values) / (counts - there).reshape(len(cells), *shape)
    weights = (there / counts).mean(axis=1)
    df = (weights**2).sum() ** 2 / (weights**4).sum() - 1
    return JackknifeEstimate(np.asarray(means.mean(axis=0)), np.asarray(others.mean(axis=1)), float(df))


class Number(NamedTuple):
    """A quantity that is positive if a claim is true, with a 95 % interval.

    `p_for` is small if it is certainly positive, `p_against` if it is certainly negative.
    """

    value: float
    low: float
    high: float
    p_for: float
    p_against: float
    error: float
    df: float
    comparisons: int = 1
    """The number of comparisons that share the probability of an error."""
    largest: float = math.inf
    """The largest possible absolute value."""

    def seen(self, tail: float) -> float:
        """The smallest value that four of five such studies would detect, with this probability of an error.

        It is infinite if no possible value is large enough.
        """
        sure, likely = _t().isf(tail / self.comparisons, self.df), _t().ppf(_POWER, self.df)
        enough = float((sure + likely) * self.error)
        return enough if enough <= self.largest else math.inf


def positive(estimate: JackknifeEstimate) -> Number:
    """Test whether a single number is positive."""
    bounds = float(estimate.lower(TAIL)), float(estimate.upper(TAIL))
    tails = float(estimate.p_above()), float(estimate.p_below())
    return Number(float(estimate.value), *bounds, *tails, float(estimate.error), estimate.df)


def below(estimate: JackknifeEstimate, limit: float) -> Number:
    """Test whether all shares in an array are below a limit. The number is the limit minus the largest share.

    The largest of several noisy numbers is biased upward, so its interval is not that of a mean. For the upper end,
    each share has its own bound, and the largest of these bounds holds for the largest share. For the lower end, the
    bounds must hold for all shares at once. The p-value also allows for families that the study does not have: a share
    of them as large as the limit may behave otherwise.
    """
    count, largest = len(estimate.value), int(np.argmax(estimate.value))
    low, high = (np.clip(bound.max(), -1, 1) for bound in (estimate.lower(TAIL / count), estimate.upper(TAIL)))
    p_against = min(1.0, count * float(estimate.p_above(limit).min()))
    p_for = max(float(estimate.p_below(limit).max()), (1 - limit) ** (estimate.df + 1))
    value, error = limit - float(estimate.value.max()), float(estimate.error[largest])
    bounds = limit - float(high), limit - float(low)
    return Number(value, *bounds, p_for, p_against, error, estimate.df, count, largest=1 - limit)


def larger_maximum(first: JackknifeEstimate, second: JackknifeEstimate) -> Number:
    """Test whether the maximum of one array is larger than the maximum of another. The number is their difference.

    It equals max_i min_j (μ_i − μ_j). For each i some j attains the minimum. So max_i min_j of lower bounds on the
    differences exceeds it only if one of these bounds fails, one for each i; they share the probability of an error.
    The upper end is the same with i and j exchanged.
    """
    gaps = JackknifeEstimate(
        first.value[:, None] - second.value[None, :],
        first.without[:, :, None] - second.without[:, None, :],
        min(first.df, second.df),
    )
    rows, columns = gaps.value.shape
    low = gaps.lower(TAIL / rows).min(axis=1).max()
    high = gaps.upper(TAIL / columns).max(axis=0).min()
    p_for = min(1.0, rows * float(gaps.p_above().max(axis=1).min()))
    p_against = min(1.0, columns * float(gaps.p_below().max(axis=0).min()))
    at = int(np.argmax(first.value)), int(np.argmax(second.value))
    value, error = float(gaps.value[at]), float(gaps.error[at])
    return Number(value, float(low), float(high), p_for, p_against, error, gaps.df, max(rows, columns))


def _t() -> Any:
    from scipy.stats import t  # takes half a second to import

    return t
