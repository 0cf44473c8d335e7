"""What a simulated run leaves: its rounds, its average cost, and the bandit as it stood at the end."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb.bandits import Trace


@dataclass(frozen=True)
class Run:
    """What a run gave: every round, and the bandit as it stood at the end.

    Attributes:
        bandit: the bandit, which has learned.
        trace: what happened in each round.
        seconds: how long the run itself took.
        checkpoints: the average cost of the first t rounds, for each t that was asked for.
        rows: the number of each round's row in the data set as it was given.

    """

    bandit: Any
    trace: Trace = field(repr=False)
    seconds: float
    checkpoints: dict[int, float] = field(default_factory=dict)
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    @property
    def shown(self) -> int:
        """How many rounds have shown a cost: of described actions some costs may be unknown."""
        return int(np.count_nonzero(~np.isnan(self.trace.costs)))

    @property
    def average_cost(self) -> float:
        """The mean of what the rounds have cost that have shown a cost."""
        return mean_of_known(self.trace.costs)

    @property
    def lambda_(self) -> float:
        """The λ in charge at the end, NaN if there is none."""
        return float(getattr(self.bandit, "lambda_", float("nan")))


def mean_of_known(costs: NDArray[np.float64]) -> float:
    """The mean of the costs that are known; NaN if there are none.

    Args:
        costs: some of them NaN, where nobody knows.

    """
    known = costs[~np.isnan(costs)]
    return float(known.mean()) if len(known) else float("nan")
