"""Selectors: which λ is in charge, from what the rounds so far have cost."""

import numpy as np

from warmcb._core import Contest, ProgressiveValidation
from warmcb._states import State, named, part

__all__ = ["RULES", "Contest", "ProgressiveValidation", "Selector", "restore_selector", "selector_state"]

Selector = ProgressiveValidation | Contest

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
- `forecast`: the cost if the lane's action was played, or else what λ = 1 expects of it; and three times the squared
  error of the lane's own forecast of the cost. No 1/p: a little biased, and much less noisy.
"""


def selector_state(selector: Selector) -> State:
    """Everything that a selector knows, as arrays."""
    if isinstance(selector, ProgressiveValidation):
        return {"scores": selector.sums, "rounds": np.array(selector.rounds)}
    return named("selector", selector.state())


def restore_selector(selector: Selector, state: State) -> None:
    """The reverse, into a selector that has seen nothing."""
    if isinstance(selector, ProgressiveValidation):
        selector.restore(state["scores"], int(state["rounds"]))
    else:
        selector.restore(part("selector", state))
