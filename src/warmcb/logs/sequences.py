"""Intervals that hold at every moment at once: look as often as you like, and stop when you have seen enough.

With a range of rewards they are certain: the gamma-exponential empirical-Bernstein sequence of Waudby-Smith, Wu,
Ramdas, Karampatziakis and Mineiro (2022). It bets on terms x that are at least 0, however large their weights. If their
mean μ is at most 1, and g ≤ 1 a guess from earlier terms, the wealth

    exp(b·Σ(x − μ) − (−ln(1 − b) − b)·Σ(x − g)²)

is a supermartingale for every bet b in [0, 1), and so is its mixture over a gamma distribution of bets, which has a
closed form. It exceeds 1/α at some moment with a probability of at most α.

Without a range of rewards, or where units repeat, there is the asymptotic sequence of Waudby-Smith, Arbour, Sinha,
Kennedy and Ramdas (2021): the Gaussian interval with a wider factor.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.logs._checks import Doubles, Units, confidence_level, fractions, rewards_between
from warmcb.logs.estimators import Terms, difference, usual_estimator
from warmcb.logs.evidence import Evidence
from warmcb.logs.intervals import Interval, standard_error

_CERTAIN = "empirical Bernstein"
Looks = NDArray[np.int64]

TIGHTEST_AT = 1000
"""The asymptotic sequence is at its best after so many decisions or, where they repeat, units."""


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Intervals at some moments of a log, all of which hold at once with the given confidence.

    What they contain is the average value over the decisions so far; so it may change as the world does. Where a lower
    end is above the upper one, no value fits: the probabilities of the log, or of the policy, are wrong.

    Attributes:
        looks: after how many decisions.
        low: the lower ends.
        high: the upper ends.
        kind: how they were made.
        level: the share of logs in which all the intervals contain the value.
        asymptotic: whether that share is only approached as the log grows.

    """

    looks: Looks
    low: Doubles
    high: Doubles
    kind: str
    level: float
    asymptotic: bool

    @property
    def last(self) -> Interval:
        """The interval at the last look."""
        return Interval(float(self.low[-1]), float(self.high[-1]), self.kind, self.level, self.asymptotic)


def sequence(
    evidence: Evidence,
    *,
    reward_range: tuple[float, float] | None = None,
    looks: ArrayLike | None = None,
    level: float = 0.95,
) -> ConfidenceSequence:
    """A confidence sequence for the value of a policy.

    With decisions that the log left out it is as certain as their number is, which is estimated.

    Args:
        evidence: what a log says about the policy.
        reward_range: the lowest and the highest possible reward. None: the sequence is asymptotic, of the estimator
            "dr" if there is a model of the rewards, else of "ips". So it is where units repeat.
        looks: after how many decisions, in ascending order; None: after all of them.
        level: of confidence.

    >>> evidence = Evidence(weights=[2.0, 0.0] * 500, rewards=[1.0, 0.0] * 500, largest_weights=[2.0] * 1000)
    >>> found = sequence(evidence, reward_range=(0.0, 1.0), looks=[100, 1000])
    >>> found.low.round(2), found.high.round(2)
    (array([0.62, 0.88]), array([1., 1.]))

    """
    level, looks_ = confidence_level(level), _checked_looks(looks, len(evidence))
    if reward_range is None or evidence.units is not None:
        return _asymptotic(usual_estimator(evidence).terms(evidence), evidence.units, looks_, level)
    low, high = rewards_between(evidence.rewards, reward_range)
    range_ = high - low
    # As weights are 1 on average, the mean of w·(high − r) is what the value lacks to the highest reward.
    gains, lacks = (
        _lower_ends(evidence.weights * part / range_, evidence.counts, looks_, level)
        for part in (evidence.rewards - low, high - evidence.rewards)
    )
    return ConfidenceSequence(looks_, low + range_ * gains, high - range_ * lacks, _CERTAIN, level, False)


def sequence_of_difference(
    first: Evidence,
    second: Evidence,
    *,
    overlap: ArrayLike | None = None,
    reward_range: tuple[float, float] | None = None,
    looks: ArrayLike | None = None,
    level: float = 0.95,
) -> ConfidenceSequence:
    """A confidence sequence for how much more the first of two policies is worth, on the same decisions.

    Args:
        first: what a log says about the first policy.
        second: what the same decisions say about the second one.
        overlap: Σ_a min(π(a), π'(a)) of the two policies in each decision: 1 where they are the same, 0 where they have
            nothing in common. The sequence is narrower if it is known. None: it is not.
        reward_range: as in `sequence`.
        looks: as in `sequence`.
        level: of confidence.

    """
    first.refuse_unpaired(second)
    level, looks_ = confidence_level(level), _checked_looks(looks, len(first))
    if reward_range is None or first.units is not None:
        terms = difference(usual_estimator(first, second), first, second)
        return _asymptotic(terms, first.units, looks_, level)
    low, high = rewards_between(first.rewards, reward_range)
    range_, weights, others = high - low, first.weights, second.weights
    apart: Doubles | float = 1.0
    if overlap is not None:
        # What both weights share makes no difference.
        apart, shared = 1 - fractions("overlap", overlap, len(first)), np.minimum(weights, others)
        weights, others = weights - shared, others - shared
    # What is left of a weight w is 1 − overlap on average, so that −w·r may be written as w·(1 − r) − (1 − overlap):
    # no term is less than −1.
    rewards = (first.rewards - low) / range_
    leads, lags = (
        2 * _lower_ends((one * rewards + other * (1 - rewards) - apart + 1) / 2, first.counts, looks_, level) - 1
        for one, other in ((weights, others), (others, weights))
    )
    return ConfidenceSequence(looks_, range_ * leads, -range_ * lags, _CERTAIN, level, False)


def ends_of_mean(size: int, total: float, spread: float, level: float) -> tuple[float, float]:
    """The ends of the certain sequence for a mean, from sums that somebody keeps as terms between 0 and 1 come.

    Args:
        size: how many terms there are.
        total: their sum.
        spread: Σ(x − g)², with guesses g between 0 and 1 from earlier terms.
        level: of confidence.

    >>> low, high = ends_of_mean(100, total=20.0, spread=16.0, level=0.95)
    >>> round(low, 2), round(high, 2)
    (0.04, 0.36)

    """
    margin = float(_margins(np.array([spread]), math.log(2 / (1 - level)))[0])
    return max(total - margin, 0.0) / size, 1 - max(size - total - margin, 0.0) / size


def _lower_ends(terms: Doubles, counts: Doubles, looks: Looks, level: float) -> Doubles:
    """The lower ends of a sequence for the mean, at most 1, of terms of at least 0.

    What was left out before a decision counts as terms of 0, against guesses that fall as they go by.
    """
    from scipy.special import polygamma

    terms, left_out, times = counts * terms, counts - 1, np.cumsum(counts)
    guesses = np.cumsum(terms) - terms + 0.5  # times the number of decisions so far
    squares = (terms - np.minimum(guesses / times, 1.0)) ** 2
    if left_out.any():
        begin = times - left_out
        falling = polygamma(1, begin) - polygamma(1, times)  # Σ 1/t² over those that were left out
        squares += np.minimum(guesses, begin) ** 2 * falling
    sizes, sums, spreads = (times[looks - 1], np.cumsum(terms)[looks - 1], np.cumsum(squares)[looks - 1])
    return np.clip((sums - _margins(spreads, math.log(2 / (1 - level)))) / sizes, 0.0, 1.0)


def _margins(spreads: Doubles, log_of_wealth: float) -> Doubles:
    """The sum of terms at which the mixture of bets reaches some wealth, for each spread; by bisection."""
    low, high = np.zeros_like(spreads), np.ones_like(spreads)
    while (short := _log_wealth(high, spreads) < log_of_wealth).any():
        high[short] *= 2
    for _ in range(60):
        middle = (low + high) / 2
        enough = _log_wealth(middle, spreads) >= log_of_wealth
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def _log_wealth(sums: Doubles, spreads: Doubles) -> Doubles:
    """Of the mixture of bets over the gamma distribution with ρ = 1, cut off at 1."""
    from scipy.special import gammainc

    shape = spreads + 1
    grown = sums / shape
    # ln Γ(shape) beside shape·ln(shape), so that nothing cancels out where spreads are large.
    gamma = _stirling_rest(shape) - 1 - 0.5 * np.log(shape / (2 * math.pi))
    betting = shape * (grown - np.log1p(grown))
    return np.asarray(betting + gamma + np.log(gammainc(shape, sums + shape)) - math.log(1 - math.exp(-1)))


def _stirling_rest(x: Doubles) -> Doubles:
    """What Stirling's formula lacks to ln Γ(x)."""
    from scipy.special import gammaln

    few = np.minimum(x, 1e4)
    exact = gammaln(few) - (few - 0.5) * np.log(few) + few - 0.5 * math.log(2 * math.pi)
    return np.asarray(np.where(x > few, 1 / (12 * x), exact))


def _asymptotic(terms: Terms, units: Units | None, looks: Looks, level: float) -> ConfidenceSequence:
    log_of_error = -2 * math.log(1 - level)
    rho_squared = (log_of_error + math.log(1 + log_of_error)) / TIGHTEST_AT
    values, reaches = np.empty(len(looks)), np.empty(len(looks))
    for i, n in enumerate(looks):
        part, part_of_units = terms.first(n), None if units is None else units[:n]
        pieces = rho_squared * (n if part_of_units is None else part_of_units.max() + 1)
        factor = math.sqrt((pieces + 1) / pieces * (math.log(pieces + 1) + log_of_error))
        values[i], reaches[i] = part.value, factor * standard_error(part, part_of_units)
    return ConfidenceSequence(looks, values - reaches, values + reaches, "asymptotic", level, True)


def _checked_looks(looks: ArrayLike | None, size: int) -> Looks:
    found = np.asarray([size] if looks is None else looks)
    ascending = found.ndim == 1 and found.dtype.kind in "iu" and len(found) > 0 and (np.diff(found) > 0).all()
    if not ascending or found[0] < 1 or found[-1] > size:
        raise InputError(f"looks is {shown(looks)}; expected ascending integers from 1 to {size}")
    return found.astype(np.int64)
