"""What a log says about a policy: some numbers for each decision. Nothing here knows files, policies or bandits."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.logs import _checks
from warmcb.logs._checks import Doubles, Units, refuse_outside

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
        size = len(_checks.numbers("weights", weights))
        if size == 0:
            raise InputError("weights is empty; expected at least one decision")
        for name, values in given.items():
            object.__setattr__(self, name, None if values is None else _checks.numbers(name, values, size))
        object.__setattr__(self, "units", None if units is None else _checks.units(units, size))
        self._check()

    def _check(self) -> None:
        refuse_outside("weights", self.weights, 0.0, _LARGEST_WEIGHT, f"numbers from 0 to {_LARGEST_WEIGHT:g}")
        lowest = self.weights / _checks.ROUNDING
        refuse_outside("largest_weights", self.largest_weights, lowest, np.inf, "numbers of at least the weights")
        for name in ("rewards", "expected", "expected_played"):
            if (values := getattr(self, name)) is not None:
                expected = f"finite numbers from {-_LARGEST_REWARD:g} to {_LARGEST_REWARD:g}"
                refuse_outside(name, values, -_LARGEST_REWARD, _LARGEST_REWARD, expected)
        if self.dropped is not None:
            refuse_outside("dropped", self.dropped, 0.0, np.nextafter(1.0, 0.0), "numbers in [0, 1)")
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

    def refuse_unpaired(self, other: Self) -> None:
        """Raise an error if another policy was judged by other decisions or, where both have one, by another model.

        Args:
            other: what a log says about the other policy.

        """
        names = ["rewards", "units", "dropped", *(["expected_played"] if self.has_model and other.has_model else [])]
        for name in names:
            one, another = getattr(self, name), getattr(other, name)
            if (one is None) != (another is None) or (one is not None and not np.array_equal(one, another)):
                raise InputError(f"{name} of the two policies differ; expected evidence from the same decisions")

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
