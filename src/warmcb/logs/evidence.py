"""The evidence of a log on a policy: a few numbers for each decision, without files, policies or bandits."""

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.logs import _checks
from warmcb.logs._checks import Doubles, Units, refuse_outside

_LARGEST_REWARD, _LARGEST_WEIGHT = 1e100, 1e50  # squares of larger weighted rewards would overflow


@dataclass(frozen=True, eq=False, init=False)
class Evidence:
    """The decisions of a log as evidence on a policy π, in the order of time. The policy p made the decisions.

    A slice is evidence as well: `evidence[:n]` has the first n decisions.

    Attributes:
        weights: π(a)/p(a) for the action a that was played; at least 0.
        rewards: the reward of each decision.
        largest_weights: the largest π(a)/p(a) of all actions of the decision; infinite if π plays an action that p
            never plays.
        expected: Σ_a π(a)·q(a), the reward that a model q predicts for π; None without a model.
        expected_played: the reward that the model predicts for the played action; None without a model.
        units: the user or session of each decision, as integers; None if all decisions are independent. They are
            renumbered 0, 1, 2, … in the order of their first appearance.
        dropped: the share of similar decisions that the log left out, in [0, 1); None if it left out nothing.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
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
        """Select decisions: `evidence[:n]` is the evidence after n decisions."""
        if not isinstance(part, slice):
            raise InputError(f"the index is {shown(part)}; expected a slice, such as evidence[:100]")
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        parts: dict[str, Any] = {name: values[part] for name, values in given.items() if values is not None}
        return type(self)(**parts)

    def refuse_unpaired(self, other: Self) -> None:
        """Refuse evidence from other decisions or, if both have one, from another model of rewards.

        Args:
            other: the evidence on another policy.

        Raises:
            InputError: the evidence differs.

        """
        names = ["rewards", "units", "dropped", *(["expected_played"] if self.has_model and other.has_model else [])]
        for name in names:
            one, another = getattr(self, name), getattr(other, name)
            if (one is None) != (another is None) or (one is not None and not np.array_equal(one, another)):
                raise InputError(f"{name} of the two policies differ; expected evidence from the same decisions")

    @property
    def counts(self) -> Doubles:
        """The number of decisions that each one counts for, 1/(1 − dropped): itself, and similar ones left out."""
        return np.ones(len(self)) if self.dropped is None else 1 / (1 - self.dropped)

    @property
    def size(self) -> float:
        """The number of decisions, including those that were left out."""
        return float(self.counts.sum())

    @property
    def effective_size(self) -> float:
        """(Σw)²/Σw²: the number of decisions of the policy itself that would give as much information."""
        weights = self.counts * self.weights
        squares = float(weights @ weights)
        return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0

    @property
    def largest_weight(self) -> float:
        """The largest weight of an action that was played."""
        return float(self.weights.max())

    @property
    def least_size(self) -> float:
        """n/mean(largest weight): a lower bound of the expected effective size.

        The mean of Σw² is at most the sum of the largest weights, and equal to it for a deterministic policy. If the
        effective size is far above this bound, large weights were possible, but did not occur by chance.
        """
        return self.size / float(np.average(self.largest_weights, weights=self.counts))

    @property
    def has_model(self) -> bool:
        """Whether there is a model of the rewards."""
        return self.expected is not None
