"""The methods that `simulate` needs from a bandit."""

from collections.abc import Callable
from typing import Any, Protocol

from warmcb.bandits import Decision
from warmcb.errors import InputError


class PlaysRounds(Protocol):
    """What `simulate` accepts as a bandit: a built-in bandit, or an object of your own with these methods.

    With described actions all methods also get `actions=`, and `ids=` if actions have ids.
    """

    @property
    def warm_start(self) -> Callable[..., object]:
        """`warm_start(X, y)` or `warm_start(X, costs=…)`; with a boolean array `actions=` if not all are allowed."""

    @property
    def decide(self) -> Callable[..., Decision]:
        """`decide(x)`; with a list `actions=` if not all are allowed."""

    @property
    def learn(self) -> Callable[..., object]:
        """`learn(x, action, cost, probability)`; with a list `actions=` if not all were allowed."""


def require_decision(decision: Any) -> None:
    """Refuse anything that is not a decision, because your own `decide` may return anything.

    Args:
        decision: the result of `decide`.

    """
    if not hasattr(decision, "action") or not hasattr(decision, "probability"):
        raise InputError(f"decide gave {decision!r}; expected a Decision with an action and its probability")
