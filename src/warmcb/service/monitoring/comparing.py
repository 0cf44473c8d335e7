"""How sure it is that the model does better, or worse, than the baseline: from sums over events and units."""

import math
from typing import NamedTuple

from warmcb.logs.sequences import ends_of_mean
from warmcb.service.monitoring.tallies import Side

_NORMAL = 1.959964  # standard errors on either side that 95 % lie within
_FIRST_LOOK, _GROWTH = 64, 1.25
ERROR = 0.01
"""The probability that a loop which is as good as its control group is ever paused."""


class Bounds(NamedTuple):
    """A value, and where it may lie."""

    value: float
    low: float
    high: float


def mean_of(side: Side, widening: float = 1.0) -> Bounds:
    """The mean reward of events, with a 95 % interval as for events that do not depend on each other.

    Args:
        side: of which `events`, `reward_sum` and `reward_squares` are used.
        widening: by how much the events of a unit depend on each other (`dependence`).

    """
    n, mean = side.events, side.mean
    if n < 2:
        return Bounds(mean, -math.inf, math.inf)
    variance = max(side.reward_squares - n * mean**2, 0.0) / (n - 1)
    reach = _NORMAL * math.sqrt(variance / n * widening)
    return Bounds(mean, mean - reach, mean + reach)


def dependence(side: Side) -> float:
    """How many times as large the variance of the mean is as if all events were of different units; at least 1.

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
    """How much more an event brings on the side of the model, with a 95 % interval.

    Units count as one piece, however often they come. To each side two more units are added, one with the lowest and
    one with the highest reward: without them a few equal rewards would look like certainty. For rewards of 0 and 1 that
    is the interval of Agresti and Caffo (2000).

    Args:
        model: at least one event.
        baseline: at least one event.
        reward_range: the lowest and the highest possible reward; None: those that were seen.

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
    """The number of the look at two sides that their events allow; 0: too few for any.

    The next look comes when there is a quarter more of them.

    >>> few, many = Side(events=30), Side(events=1000)
    >>> look(few, few), look(few, many)
    (0, 13)

    """
    events = model.events + control.events
    return 0 if events < _FIRST_LOOK else 1 + int(math.log(events / _FIRST_LOOK, _GROWTH))


def surely_worse(
    model: Side, control: Side, reward_range: tuple[float, float], look: int
) -> tuple[Bounds, Bounds] | None:
    """Bounds of both sides between which there is a gap, the model below; None if nobody can be sure.

    There are two kinds of them, each with half of the `ERROR`: of what units brought at first, which hold at every
    moment, and of what they brought in all, which hold at all looks and also see what happens to units that come again.

    Args:
        model: at least two units.
        control: at least two units.
        reward_range: the lowest and the highest possible reward.
        look: its number, from 1.

    """
    for of_model, of_control in (
        (_at_first(model, reward_range), _at_first(control, reward_range)),
        (_in_all(model, reward_range, look), _in_all(control, reward_range, look)),
    ):
        if of_model.high < of_control.low:
            return of_model, of_control
    return None


def _at_first(side: Side, reward_range: tuple[float, float]) -> Bounds:
    """The mean of the first rewards of units: a confidence sequence, as each unit adds one term for good."""
    low, high = reward_range
    width, n = high - low, side.units
    ends = ends_of_mean(n, (side.first_sum - n * low) / width, side.first_spread / width**2, level=1 - ERROR / 2)
    return Bounds(side.first_sum / n, *(low + width * end for end in ends))


def _in_all(side: Side, reward_range: tuple[float, float], look: int) -> Bounds:
    """The mean over units of their mean rewards, which change when a unit comes again.

    So no sequence would do. It is the empirical Bernstein bound of Maurer and Pontil (2009) instead, with an error at
    the k-th look that is one part in k·(k + 1): all of them together are the whole.
    """
    low, high = reward_range
    n, mean = side.units, side.mean_sum / side.units
    variance = max(side.mean_squares - n * mean**2, 0.0) / (n - 1)
    error = ERROR / 4 / (look * (look + 1))  # half of the half for each side
    log = math.log(2 / error)
    reach = math.sqrt(2 * variance * log / n) + (high - low) * 7 * log / (3 * (n - 1))
    return Bounds(mean, max(mean - reach, low), min(mean + reach, high))


def _careful(side: Side, low: float, high: float) -> tuple[float, float]:
    """The mean and its squared standard error, with a unit of the usual size at either end of the range."""
    size = side.events / side.units
    n = side.events + 2 * size
    mean = (side.reward_sum + size * (low + high)) / n
    squares_of_ends = size**2 * ((low - mean) ** 2 + (high - mean) ** 2)
    return mean, (_squares_of_units(side, mean) + squares_of_ends) / n**2


def _squares_of_units(side: Side, mean: float) -> float:
    """Of how far each unit's sum of rewards is from what its number of events lets expect."""
    return max(side.unit_squares - 2 * mean * side.unit_products + mean**2 * side.unit_sizes, 0.0)
