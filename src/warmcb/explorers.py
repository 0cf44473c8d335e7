"""Explorers: from the scores of the actions to the distribution that is played."""

from dataclasses import dataclass

from warmcb import _core, _inputs
from warmcb.contracts import Explorer

__all__ = ["EXPLORERS", "EpsilonGreedy", "Explorer", "InverseGap"]


@dataclass(frozen=True)
class EpsilonGreedy:
    """The paper's: ε is spread over all allowed actions, the rest over the lowest-scored, equals sharing it."""

    def start(self) -> _core.EpsilonGreedy:
        """The compiled explorer."""
        return _core.EpsilonGreedy()


@dataclass(frozen=True)
class InverseGap:
    """Explores less the worse an action looks, and the more rounds have been learned.

    An action that no eligible lane puts within `gap` of its best gets ε/K/(1 + sharpness·√t·gap), but never less than
    `floor` of ε/K. What an eligible lane would play has its full share, so that lanes can be compared.

    Args:
        sharpness: how fast exploration fades where costs are clear.
        floor: the share of ε/K that every action keeps.
        patience: the round from which on ε falls like t^(−1/3).

    """

    sharpness: float = 10.0
    floor: float = 0.02
    patience: float = 100.0

    def __post_init__(self) -> None:
        _inputs.number("sharpness", self.sharpness, "a number of at least 0", 0.0, 1e300)
        _inputs.fraction("floor", self.floor)
        _inputs.number("patience", self.patience, "a number above 0", 0.0, 1e300, low_excluded=True)

    def start(self) -> _core.InverseGap:
        """The compiled explorer."""
        return _core.InverseGap(float(self.sharpness), float(self.floor), float(self.patience))


EXPLORERS = {"inverse-gap": InverseGap(), "epsilon-greedy": EpsilonGreedy()}
"""By the names that `WarmBandit` takes."""
