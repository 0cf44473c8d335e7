"""Confidence sequences: intervals that hold at all times together, so you may look at them at any time and stop.

If the range of rewards is known, the level is guaranteed: this is the gamma-exponential empirical-Bernstein sequence of
Waudby-Smith, Wu, Ramdas, Karampatziakis and Mineiro (2022). It bets on terms x of at least 0, which may have any
weight. Let their mean μ be at most 1, and let g ≤ 1 be a guess from earlier terms. Then the wealth

    exp(b·Σ(x − μ) − (−ln(1 − b) − b)·Σ(x − g)²)

is a supermartingale for each bet b in [0, 1), and so is its mixture over a gamma distribution of bets, which has a
closed form. It ever exceeds 1/α with a probability of at most α.

Without a range of rewards, or if units repeat, the asymptotic sequence of Waudby-Smith, Arbour, Sinha, Kennedy and
Ramdas (2021) is used: the Gaussian interval with a larger factor.
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
"""The number of decisions, or of units if they repeat, at which the asymptotic sequence is tightest."""


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Confidence intervals at several moments of a log, which hold at all times together.

    They contain the average value over the decisions so far, which may change over time. If a lower end is above the
    upper end, no value fits: the probabilities of the log or of the policy are wrong.

    Attributes:
        looks: the numbers of decisions at these moments.
        low: the lower ends.
        high: the upper ends.
        kind: the method, "empirical Bernstein" or "asymptotic".
        level: the confidence level: the share of logs in which all intervals contain the value.
        asymptotic: whether the level holds only in the limit of long logs.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.sequences import sequence
        >>> evidence = Evidence(weights=[2.0, 0.0] * 500, rewards=[1.0, 0.0] * 500, largest_weights=[2.0] * 1000)
        >>> found = sequence(evidence, looks=[100, 1000])
        >>> found.kind, round(found.last.low, 2)
        ('asymptotic', 0.9)

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
    """Compute a confidence sequence for the value of a policy.

    If the log left out decisions, their number is estimated, and the level holds as far as that estimate is right.

    Args:
        evidence: the evidence on the policy.
        reward_range: the lowest and the highest possible reward. Without it, or if units repeat, the sequence is
            asymptotic, for the estimator "dr" if there is a model of the rewards, else for "ips".
        looks: the numbers of decisions to compute intervals at, in ascending order; by default all decisions.
        level: the confidence level.

    Returns:
        the confidence sequence.

    References:
        Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro: *Anytime-valid off-policy inference for contextual bandits*,
        2022. Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas: *Time-uniform central limit theory and asymptotic confidence
        sequences*, 2021.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.sequences import sequence
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
    # Weights are 1 on average, so the mean of w·(high − r) is the difference of the highest reward to the value.
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
    """Compute a confidence sequence for the value of one policy minus that of another, on the same decisions.

    Args:
        first: the evidence on the first policy.
        second: the evidence on the second policy, from the same decisions.
        overlap: Σ_a min(π(a), π'(a)) of the two policies in each decision: 1 if they are the same, 0 if they have no
            action in common. The sequence is narrower if it is given.
        reward_range: as in `sequence`.
        looks: as in `sequence`.
        level: the confidence level.

    Returns:
        the confidence sequence.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.sequences import sequence_of_difference
        >>> rewards, largest = [1.0, 0.0] * 500, [2.0] * 1000
        >>> first = Evidence(weights=[2.0, 0.0] * 500, rewards=rewards, largest_weights=largest)
        >>> second = Evidence(weights=[0.0, 2.0] * 500, rewards=rewards, largest_weights=largest)
        >>> found = sequence_of_difference(first, second, reward_range=(0.0, 1.0))
        >>> bool(found.low[-1] > 0.9)
        True

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
        # The common part of both weights cancels out.
        apart, shared = 1 - fractions("overlap", overlap, len(first)), np.minimum(weights, others)
        weights, others = weights - shared, others - shared
    # The rest of a weight w is 1 − overlap on average, so −w·r may be written as w·(1 − r) − (1 − overlap), and no term
    # is less than −1.
    rewards = (first.rewards - low) / range_
    leads, lags = (
        2 * _lower_ends((one * rewards + other * (1 - rewards) - apart + 1) / 2, first.counts, looks_, level) - 1
        for one, other in ((weights, others), (others, weights))
    )
    return ConfidenceSequence(looks_, range_ * leads, -range_ * lags, _CERTAIN, level, False)


def ends_of_mean(size: int, total: float, spread: float, level: float) -> tuple[float, float]:
    """The ends of the empirical-Bernstein sequence for a mean of terms between 0 and 1, from running sums.

    Args:
        size: the number of terms.
        total: their sum.
        spread: Σ(x − g)², with guesses g between 0 and 1 from earlier terms.
        level: the confidence level.

    Examples:
        >>> low, high = ends_of_mean(100, total=20.0, spread=16.0, level=0.95)
        >>> round(low, 2), round(high, 2)
        (0.04, 0.36)

    """
    margin = float(_margins(np.array([spread]), math.log(2 / (1 - level)))[0])
    return max(total - margin, 0.0) / size, 1 - max(size - total - margin, 0.0) / size


def _lower_ends(terms: Doubles, counts: Doubles, looks: Looks, level: float) -> Doubles:
    """The lower ends of a sequence for a mean of at most 1, of terms of at least 0.

    Decisions that were left out before a decision count as terms of 0. The guesses fall with each of them.
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
    """The sum of terms at which the mixture of bets reaches the given wealth, for each spread; by bisection."""
    low, high = np.zeros_like(spreads), np.ones_like(spreads)
    while (short := _log_wealth(high, spreads) < log_of_wealth).any():
        high[short] *= 2
    for _ in range(60):
        middle = (low + high) / 2
        enough = _log_wealth(middle, spreads) >= log_of_wealth
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return high


def _log_wealth(sums: Doubles, spreads: Doubles) -> Doubles:
    """The log wealth of the mixture of bets over the gamma distribution with ρ = 1, truncated at 1."""
    from scipy.special import gammainc

    shape = spreads + 1
    grown = sums / shape
    # ln Γ(shape) minus shape·ln(shape), so that no digits cancel if spreads are large.
    gamma = _stirling_rest(shape) - 1 - 0.5 * np.log(shape / (2 * math.pi))
    betting = shape * (grown - np.log1p(grown))
    return np.asarray(betting + gamma + np.log(gammainc(shape, sums + shape)) - math.log(1 - math.exp(-1)))


def _stirling_rest(x: Doubles) -> Doubles:
    """The difference of ln Γ(x) and Stirling's formula."""
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
