"""The comparison of model and baseline, with confidence intervals, from sums over events and units."""

import math
from typing import NamedTuple

from warmcb.logs.sequences import ends_of_mean
from warmcb.service.monitoring.tallies import Side

_NORMAL = 1.959964  # standard errors on either side of a 95 % interval
_FIRST_LOOK, _GROWTH = 64, 1.25
ERROR = 0.01
"""The probability that a loop which is as good as its control group is ever paused."""


class Bounds(NamedTuple):
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


def mean_of(side: Side, widening: float = 1.0) -> Bounds:
    """Return the mean reward of events with a 95 % interval.

    Args:
        side: `events`, `reward_sum` and `reward_squares` are used.
        widening: the factor for the variance if events of a unit depend on each other (`dependence`).

    """
    n, mean = side.events, side.mean
    if n < 2:
        return Bounds(mean, -math.inf, math.inf)
    variance = max(side.reward_squares - n * mean**2, 0.0) / (n - 1)
    reach = _NORMAL * math.sqrt(variance / n * widening)
    return Bounds(mean, mean - reach, mean + reach)


def dependence(side: Side) -> float:
    """Return the factor by which dependence within units increases the variance of the mean, at least 1.

    >>> side = Side()
    >>> for reward in (0.0, 1.0):  # two units, two events each
    ...     side.add(reward)
    ...     side.add(reward, events=1, total=reward)
    >>> dependence(side)
    2.0

    """
    spread = side.reward_squares - side.events * side.mean**2
    return max(_squares_of_units(side, side.mean) / spread, 1.0) if spread > 0 else 1.0


def gain(model: Side, baseline: Side, reward_range: tuple[float, float] | None = None) -> Bounds:
    """Return how much more reward per event the model earns than the baseline, with a 95 % interval.

    All events of a unit count as one observation. Two units are added to each side, one with the lowest and one with
    the highest reward. Without them a few equal rewards would look like certainty. For rewards of 0 and 1 this is the
    interval of Agresti and Caffo (2000).

    Args:
        model: the side of the model, with at least one event.
        baseline: the side of the baseline, with at least one event.
        reward_range: the lowest and the highest possible reward; None stands for those that were seen.

    >>> model, baseline = Side(), Side()
    >>> for i in range(100):
    ...     model.add(float(i % 10 < 6))
    ...     baseline.add(float(i % 10 < 4))
    >>> bounds = gain(model, baseline, (0.0, 1.0))
    >>> round(bounds.value, 2), round(bounds.low, 2), round(bounds.high, 2)
    (0.2, 0.06, 0.33)

    """
    seen = min(model.lowest, baseline.lowest), max(model.highest, baseline.highest)
    (one, of_one), (other, of_other) = (_careful(side, *(reward_range or seen)) for side in (model, baseline))
    reach = _NORMAL * math.sqrt(of_one + of_other)
    return Bounds(model.mean - baseline.mean, one - other - reach, one - other + reach)


def look(model: Side, control: Side) -> int:
    """Return the number of the look that two sides have enough events for; 0 if they have too few for any.

    The next look comes when there are a quarter more events.

    >>> few, many = Side(events=30), Side(events=1000)
    >>> look(few, few), look(few, many)
    (0, 13)

    """
    events = model.events + control.events
    return 0 if events < _FIRST_LOOK else 1 + int(math.log(events / _FIRST_LOOK, _GROWTH))


def surely_worse(
    model: Side, control: Side, reward_range: tuple[float, float], look: int
) -> tuple[Bounds, Bounds] | None:
    """Return the bounds of both sides if the model is significantly worse; None if it is not.

    Two tests are made, each with half of the `ERROR`. The first compares the first reward of each unit, with bounds
    that hold at every moment. The second compares the mean reward of each unit, with bounds that hold at all looks. It
    also notices what happens to units that come back.

    Args:
        model: the side of the model, with at least two units.
        control: the control group, with at least two units.
        reward_range: the lowest and the highest possible reward.
        look: the number of the look, from 1.

    """
    for of_model, of_control in (
        (_at_first(model, reward_range), _at_first(control, reward_range)),
        (_in_all(model, reward_range, look), _in_all(control, reward_range, look)),
    ):
        if of_model.high < of_control.low:
            return of_model, of_control
    return None


def _at_first(side: Side, reward_range: tuple[float, float]) -> Bounds:
    """Bound the mean of the units' first rewards by a confidence sequence. Each unit adds one term, which stays."""
    low, high = reward_range
    width, n = high - low, side.units
    ends = ends_of_mean(n, (side.first_sum - n * low) / width, side.first_spread / width**2, level=1 - ERROR / 2)
    return Bounds(side.first_sum / n, *(low + width * end for end in ends))


def _in_all(side: Side, reward_range: tuple[float, float], look: int) -> Bounds:
    """Bound the mean of the units' mean rewards.

    A unit's mean changes when the unit comes back, so a confidence sequence would not hold. This is the empirical
    Bernstein bound of Maurer and Pontil (2009). Its error at the k-th look is divided by k·(k + 1); these parts sum to
    the whole.
    """
    low, high = reward_range
    n, mean = side.units, side.mean_sum / side.units
    variance = max(side.mean_squares - n * mean**2, 0.0) / (n - 1)
    error = ERROR / 4 / (look * (look + 1))  # a quarter: two tests, two sides
    log = math.log(2 / error)
    reach = math.sqrt(2 * variance * log / n) + (high - low) * 7 * log / (3 * (n - 1))
    return Bounds(mean, max(mean - reach, low), min(mean + reach, high))


def _careful(side: Side, low: float, high: float) -> tuple[float, float]:
    """Return the mean and its squared standard error, with an added unit of average size at either end of the range."""
    size = side.events / side.units
    n = side.events + 2 * size
    mean = (side.reward_sum + size * (low + high)) / n
    squares_of_ends = size**2 * ((low - mean) ** 2 + (high - mean) ** 2)
    return mean, (_squares_of_units(side, mean) + squares_of_ends) / n**2


def _squares_of_units(side: Side, mean: float) -> float:
    """Sum the squared differences between each unit's total reward and the total expected from its number of events."""
    return max(side.unit_squares - 2 * mean * side.unit_products + mean**2 * side.unit_sizes, 0.0)
