"""Selectors: which λ is in charge, from what the rounds so far have cost."""

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
"""What `Contest` can charge a lane for a round in which an action was played with probability p at a cost.

- `baseline`: (cost − ½)/p if the lane would have played it. `running-baseline`: the average cost so far instead of ½.
- `self-normalised`: cost/p if the lane would have played it, in units of the sum of those 1/p.
- `doubly-robust`: what the λ = 1 lane expects of the lane's action, corrected by (cost − expected)/p if it was played;
  `doubly-robust-in-charge`: what the lane in charge expects.
- `forecast`: the cost if the lane's action was played, or else what λ = 1 expects of it; and `error_weight` times the
  squared error of the lane's own forecast of the cost. No 1/p: a little biased, and much less noisy.
"""


@dataclass(frozen=True)
class ProgressiveValidation:
    """The paper's (Algorithm 1, line 7): each lane pays cost/p whenever it would have played what was played."""

    def start(self, n_lanes: int) -> _core.ProgressiveValidation:
        """The compiled selector.

        Args:
            n_lanes: L.

        """
        return _core.ProgressiveValidation(n_lanes)


@dataclass(frozen=True)
class Contest:
    """Lanes are compared by a rule beside the paper's; those that are surely worse than the last one drop out.

    Args:
        rule: one of `RULES`.
        contention: with the rule "forecast", lanes that were charged so much more than the best are not explored.
        error_weight: of a squared forecast error beside a cost, with the same rule.
        error: the chance that any of the intervals is ever wrong.

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
        """The compiled selector.

        Args:
            n_lanes: L.

        """
        limits = float(self.contention), float(self.error_weight), float(self.error)
        return _core.Contest(n_lanes, self.rule, *limits)


SELECTORS = {rule: Contest(rule) for rule in RULES} | {"cost/p": ProgressiveValidation()}
"""By the names that `WarmBandit` takes."""
