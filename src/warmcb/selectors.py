"""Selectors: they choose the λ in charge from the costs of the rounds so far."""

from dataclasses import dataclass

from warmcb import _core, _inputs
from warmcb.contracts import Selector

__all__ = ["RULES", "SELECTORS", "Contest", "ProgressiveValidation", "Selector"]

RULES = (
    "forecast",
    "doubly-robust",
    "doubly-robust-in-charge",
    "baseline",
    "running-baseline",
    "self-normalised",
)
"""The rules by which `Contest` charges a lane for a round. An action was played with probability p, and has a cost.

- `baseline`: (cost − ½)/p if the lane would have played the same action, else 0.
- `running-baseline`: the same, with the average cost so far instead of ½.
- `self-normalised`: cost/p if the lane would have played the same action, divided by the sum of those 1/p.
- `doubly-robust`: the cost that the lane λ = 1 predicts for the lane's action, plus (cost − prediction)/p if that
  action was played.
- `doubly-robust-in-charge`: the same, with the predictions of the lane in charge.
- `forecast`: the cost if the lane's action was played, else the cost that λ = 1 predicts for it; plus `error_weight`
  times the squared error of the lane's own prediction. It has no factor 1/p: it is slightly biased, but much less
  noisy. If the cost is late, the mean prediction of all lanes is used instead of that of λ = 1. It is late if more
  than 16 rounds, or more than half of all, were learned since the decision. As long as all costs are equal, and there
  is no `cost_range`, lanes wait for their charges; after three such rounds λ = 1 is in charge of every second one.
"""


@dataclass(frozen=True)
class ProgressiveValidation:
    """Selection by progressive validation, as in the paper (Algorithm 1, line 7).

    A lane is charged cost/p in each round in which it would have played the same action. The lane with the lowest sum
    is in charge. Its name in `SELECTORS` is "cost/p".

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.selectors import ProgressiveValidation
        >>> bandit = WarmBandit(n_actions=2, selector=ProgressiveValidation())
        >>> bandit.warm_start([[1.0], [-1.0]], [0, 1]).lambda_
        0.0

    """

    def start(self, n_lanes: int) -> _core.ProgressiveValidation:
        """Make the compiled selector.

        Args:
            n_lanes: the number of lanes, L.

        Returns:
            the selector that a bandit runs.

        """
        return _core.ProgressiveValidation(n_lanes)


@dataclass(frozen=True)
class Contest:
    """Selection by one of `RULES`. Lanes that are significantly worse than the last lane are dropped.

    Args:
        rule: how a lane is charged for a round, one of `RULES`.
        contention: lanes whose charges exceed those of the best lane by this amount are not explored. Only for the
            rule "forecast".
        error_weight: the weight of a squared prediction error, compared with a cost. Only for the rule "forecast".
        error: the probability that any interval of `WarmBandit.intervals_` is ever wrong.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.selectors import Contest
        >>> bandit = WarmBandit(n_actions=2, selector=Contest("doubly-robust", error=0.01))
        >>> bandit.selector.rule
        'doubly-robust'

    """

    rule: str = "forecast"
    contention: float = 10.0
    error_weight: float = 3.0
    error: float = 0.05

    def __post_init__(self) -> None:
        _inputs.choice("rule", self.rule, RULES)
        _inputs.number("contention", self.contention, "a number of at least 0", 0.0, 1e300)
        _inputs.number("error_weight", self.error_weight, "a number of at least 0", 0.0, 1e300)
        _inputs.number("error", self.error, "a number in (0, 1]", 0.0, 1.0, low_excluded=True)

    def start(self, n_lanes: int) -> _core.Contest:
        """Make the compiled selector.

        Args:
            n_lanes: the number of lanes, L.

        Returns:
            the selector that a bandit runs.

        """
        limits = float(self.contention), float(self.error_weight), float(self.error)
        return _core.Contest(n_lanes, self.rule, *limits)


SELECTORS = {rule: Contest(rule) for rule in RULES} | {"cost/p": ProgressiveValidation()}
"""The selectors by the names that `WarmBandit` and `SharedBandit` accept."""
