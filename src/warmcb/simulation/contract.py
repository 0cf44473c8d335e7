"""What `simulate` asks of a bandit."""

from collections.abc import Callable
from typing import Any, Protocol

from warmcb.bandits import Decision
from warmcb.errors import InputError


class PlaysRounds(Protocol):
    """What `simulate` asks of a bandit; the built-in ones have it, and so may a user's own.

    With described actions all three get them as `actions=`, and their ids, if there are some, as `ids=`.
    """

    @property
    def warm_start(self) -> Callable[..., object]:
        """`warm_start(X, y)` or `warm_start(X, costs=…)`; also `actions=`, a mask, if not all may be played."""

    @property
    def decide(self) -> Callable[..., Decision]:
        """`decide(x)`; also `actions=`, a list, if not all may be played."""

    @property
    def learn(self) -> Callable[..., object]:
        """`learn(x, action, cost, probability)`; also `actions=` as above."""


def require_decision(decision: Any) -> None:
    """Refuse what is no decision: a user's own `decide` may give anything.

    Args:
        decision: what `decide` gave.

    """
    if not hasattr(decision, "action") or not hasattr(decision, "probability"):
        raise InputError(f"decide gave {decision!r}; expected a Decision with an action and its probability")
