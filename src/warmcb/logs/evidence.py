"""What a log says about a policy: some numbers for each decision. Nothing here knows files, policies or bandits."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb._messages import shown
from warmcb.errors import InputError

Doubles = NDArray[np.float64]
Units = NDArray[np.int64]

_ROUNDING = 1 + 1e-9
_LARGEST_REWARD, _LARGEST_WEIGHT = 1e100, 1e50  # beyond, squares of weighted rewards would overflow


@dataclass(frozen=True, eq=False, init=False)
class Evidence:
    """The decisions of a log as a policy π sees them, in the order of time. p is the policy that made them.

    Attributes:
        weights: π(a)/p(a) of the action a that was played, at least 0.
        rewards: what it brought.
        largest_weights: the largest π(a)/p(a) of all actions of the decision, known before the draw; infinite where π
            plays an action that p never plays. It is never less than the weight.
        expected: Σ_a π(a)·q(a), what a model q of the rewards expects of π; None without a model.
        expected_played: q of the action that was played; None without a model.
        units: who each decision happened to, as integers; None if every decision has a unit of its own. They become
            0, 1, 2, … in the order of their first appearance.
        dropped: the share of decisions like this one that the log left out, in [0, 1); None if it left out nothing.

    >>> evidence = Evidence(weights=[2.0, 0.0, 2.0], rewards=[1.0, 0.0, 0.0], largest_weights=[2.0, 2.0, 2.0])
    >>> len(evidence), evidence.effective_size, evidence.largest_weight
    (3, 2.0, 2.0)
    >>> evidence[:2].rewards
    array([1., 0.])

    """

    weights: Doubles
    rewards: Doubles
    largest_weights: Doubles
    expected: Doubles | None = None
    expected_played: Doubles | None = None
    units: Units | None = None
    dropped: Doubles | None = None

    def __init__(
        self,
        weights: ArrayLike,
        rewards: ArrayLike,
        largest_weights: ArrayLike,
        expected: ArrayLike | None = None,
        expected_played: ArrayLike | None = None,
        units: ArrayLike | None = None,
        dropped: ArrayLike | None = None,
    ) -> None:
        given = {
            "weights": weights,
            "rewards": rewards,
            "largest_weights": largest_weights,
            "expected": expected,
            "expected_played": expected_played,
            "dropped": dropped,
        }
        size = len(_numbers("weights", weights, None))
        for name, values in given.items():
            object.__setattr__(self, name, None if values is None else _numbers(name, values, size))
        object.__setattr__(self, "units", None if units is None else _codes(units, size))
        self._check()

    def _check(self) -> None:
        if len(self) == 0:
            raise InputError("weights is empty; expected at least one decision")
        for name in ("rewards", "expected", "expected_played"):
            expected = f"finite numbers from {-_LARGEST_REWARD:g} to {_LARGEST_REWARD:g}"
            _refuse(name, getattr(self, name), lambda values: ~(np.abs(values) <= _LARGEST_REWARD), expected)
        expected = f"numbers from 0 to {_LARGEST_WEIGHT:g}"
        _refuse("weights", self.weights, lambda values: ~((values >= 0) & (values <= _LARGEST_WEIGHT)), expected)
        too_small = "numbers of at least the weights"
        _refuse("largest_weights", self.largest_weights, lambda v: ~(v * _ROUNDING >= self.weights), too_small)
        _refuse("dropped", self.dropped, lambda values: ~((values >= 0) & (values < 1)), "numbers in [0, 1)")
        if (self.expected is None) != (self.expected_played is None):
            missing = "expected" if self.expected is None else "expected_played"
            raise InputError(f"{missing} is None; expected both expected and expected_played, or neither")

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, part: slice) -> Self:
        """Some of the decisions: `evidence[:n]` is the evidence after n of them."""
        if not isinstance(part, slice):
            raise InputError(f"the index is {shown(part)}; expected a slice, such as evidence[:100]")
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        parts: dict[str, Any] = {name: values[part] for name, values in given.items() if values is not None}
        return type(self)(**parts)

    @property
    def counts(self) -> Doubles:
        """For how many decisions each one stands: 1/(1 − dropped), itself and those like it that were left out."""
        return np.ones(len(self)) if self.dropped is None else 1 / (1 - self.dropped)

    @property
    def size(self) -> float:
        """The number of decisions, with those that were left out."""
        return float(self.counts.sum())

    @property
    def effective_size(self) -> float:
        """(Σw)²/Σw²: how many decisions of the policy itself would tell as much."""
        weights = self.counts * self.weights
        squares = float(weights @ weights)
        return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0

    @property
    def largest_weight(self) -> float:
        """The largest weight of an action that was played."""
        return float(self.weights.max())

    @property
    def least_size(self) -> float:
        """n/mean(largest weight): the effective size that is to be expected at worst, whatever was drawn.

        Σw² is at most the sum of the largest weights on average, and equal to it if the policy never draws lots. So an
        effective size far above this one rests on large weights that were possible and did not come up.
        """
        return self.size / float(np.average(self.largest_weights, weights=self.counts))

    @property
    def has_model(self) -> bool:
        """Whether there is a model of the rewards."""
        return self.expected is not None


def rewards_between(evidence: Evidence, reward_range: object) -> tuple[float, float]:
    """The lowest and the highest possible reward, checked; None: those of the log."""
    if reward_range is None:
        return float(evidence.rewards.min()), float(evidence.rewards.max())
    try:
        low, high = (float(end) for end in reward_range)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        low = high = np.nan
    if not (np.isfinite([low, high]).all() and low < high):
        raise InputError(f"reward_range is {shown(reward_range)}; expected the lowest and the highest possible reward")
    expected = f"numbers in the reward_range [{low:g}, {high:g}]"
    _refuse("rewards", evidence.rewards, lambda values: (values < low) | (values > high), expected)
    return low, high


def refuse_unpaired(first: Evidence, second: Evidence) -> None:
    """An error if two policies were not judged by the same decisions, and by the same model if there is one."""
    names = ["rewards", "units", "dropped"]
    if first.has_model and second.has_model:
        names.append("expected_played")
    for name in names:
        one, other = getattr(first, name), getattr(second, name)
        if (one is None) != (other is None) or (one is not None and not np.array_equal(one, other)):
            raise InputError(f"{name} of the two policies differ; expected evidence from the same decisions")


def fractions(name: str, values: ArrayLike, size: int) -> Doubles:
    """A number in [0, 1] for each decision, checked."""
    found = _numbers(name, values, size)
    _refuse(name, found, lambda some: ~((some >= 0) & (some <= _ROUNDING)), "numbers in [0, 1]")
    return np.minimum(found, 1.0)


def _numbers(name: str, values: ArrayLike, size: int | None) -> Doubles:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {shown(values)}; expected numbers") from None
    return _sized(name, found, size)


def _codes(units: ArrayLike, size: int) -> Units | None:
    """Units as 0, 1, 2, … in the order of their first appearance; None if none of them repeats."""
    given = np.asarray(units)
    if given.dtype.kind not in "iu":
        raise InputError(f"units is {shown(units)}; expected integers")
    distinct, first, places = np.unique(_sized("units", given, size), return_index=True, return_inverse=True)
    if len(distinct) == size:
        return None
    codes = np.empty(len(distinct), dtype=np.int64)
    codes[np.argsort(first)] = np.arange(len(distinct))
    return codes[places]


def _sized(name: str, values: NDArray[Any], size: int | None) -> NDArray[Any]:
    if values.ndim != 1 or (size is not None and len(values) != size):
        expected = "one number for each decision" if size is None else f"{size} numbers, one for each decision"
        raise InputError(f"{name} has the shape {values.shape}; expected {expected}")
    return values


def _refuse(name: str, values: Doubles | None, is_wrong: Any, expected: str) -> None:
    """An error that names the first wrong number."""
    if values is None:
        return
    wrong = is_wrong(values)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise InputError(f"{name}[{at}] is {values[at]:g}; expected {expected}")
