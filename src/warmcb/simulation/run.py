"""The result of a simulated run."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb.bandits import Trace


@dataclass(frozen=True)
class Run:
    """The result of `simulate`: all rounds, and the bandit at the end.

    Attributes:
        bandit: the bandit after the last round.
        trace: the action, probability, cost, λ and memory of each round.
        seconds: the duration of the run.
        checkpoints: the average cost of the first t rounds, for each requested t.
        rows: for each round, the number of its row in the given data set.
        lambda_: the λ in charge at the end; NaN if there is none.

    Examples:
        >>> import numpy as np
        >>> from warmcb import WarmBandit, simulate
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> run = simulate(WarmBandit(n_actions=3), X, X.argmax(axis=1), warm_start=100)
        >>> run.shown, run.bandit.learned_
        (400, 400)
        >>> run.average_cost < 0.2
        True

    """

    bandit: Any
    trace: Trace = field(repr=False)
    seconds: float
    checkpoints: dict[int, float] = field(default_factory=dict)
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    @property
    def shown(self) -> int:
        """The number of rounds with a known cost. With described actions, some costs may be unknown."""
        return int(np.count_nonzero(~np.isnan(self.trace.costs)))

    @property
    def average_cost(self) -> float:
        """The mean cost of the rounds with a known cost."""
        return mean_of_known(self.trace.costs)

    @property
    def lambda_(self) -> float:
        """The λ in charge at the end; NaN if there is none."""
        return float(getattr(self.bandit, "lambda_", float("nan")))


def mean_of_known(costs: NDArray[np.float64]) -> float:
    """The mean of the known costs; NaN if there are none.

    Args:
        costs: the costs; NaN for unknown ones.

    """
    known = costs[~np.isnan(costs)]
    return float(known.mean()) if len(known) else float("nan")
