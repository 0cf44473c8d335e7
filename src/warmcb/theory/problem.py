"""The sizes that a bound depends on, and the terms that a bound has."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from warmcb import _inputs
from warmcb.theory._arguments import MANY


@dataclass(frozen=True, slots=True)
class Problem:
    """The sizes of a warm-started bandit problem: everything that a bound depends on, except the similarity.

    Args:
        K: the number of actions, at least 2.
        n_s: the number of labelled examples of the warm start; 0 for none.
        n_b: the number of rounds of the interaction, at least 1.
        epsilon: ε in (0, 1], the share of rounds that explore uniformly.
        n_policies: |Π|, the number of policies in the class, at least 1.
        delta: δ in (0, 1/e), the probability that a bound fails.

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> Problem(K=2, n_s=100, n_b=1000, epsilon=0.1, n_policies=50).epochs
        10

    """

    K: int
    n_s: int
    n_b: int
    epsilon: float
    n_policies: int
    delta: float = 0.05

    def __post_init__(self) -> None:
        below = math.nextafter(1 / math.e, 0)
        checked = {
            "K": _inputs.integer("K", self.K, 2, 2**20),
            "n_s": _inputs.integer("n_s", self.n_s, 0, MANY),
            "n_b": _inputs.integer("n_b", self.n_b, 1, MANY),
            "epsilon": _inputs.number("epsilon", self.epsilon, "a number in (0, 1]", 0.0, 1.0, low_excluded=True),
            "n_policies": _inputs.integer("n_policies", self.n_policies, 1),
            "delta": _inputs.number("delta", self.delta, "a number in (0, 1/e)", 0.0, below, low_excluded=True),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def epochs(self) -> int:
        """E = ⌈log₂ n_b⌉, the number of epochs of Algorithm 2.

        It is 1 for a single round. The paper's formula gives 0 there, whose logarithm does not exist.
        """
        return max(1, (self.n_b - 1).bit_length())


class Bound(NamedTuple):
    """The right-hand side of a theorem, term by term.

    Each term is an average cost per round. A total of 1 or more guarantees nothing, because costs are at most 1.

    Attributes:
        exploration: ε, the cost of uniform exploration.
        deviation: how far the costs of the contexts that were drawn may be from their means.
        selection: the cost of selecting λ from Λ.
        mixture: the excess cost of the policies of the best λ: the bias and the variance of both sources.
        lam: the λ of Λ with the smallest `mixture`.

    """

    exploration: float
    deviation: float
    selection: float
    mixture: float
    lam: float

    @property
    def total(self) -> float:
        """The bound itself: the sum of the four terms."""
        return self.exploration + self.deviation + self.selection + self.mixture


def log_term(problem: Problem, *counts: int) -> float:
    """ln(8·c₁·c₂·…/δ), for counts of any size.

    Args:
        problem: it has δ.
        *counts: c₁, c₂ and so on.

    """
    return math.log(8) + sum(map(math.log, counts)) - math.log(problem.delta)
