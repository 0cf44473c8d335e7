"""Explorers: they turn the scores of the actions into the probabilities to play them with."""

from dataclasses import dataclass

from warmcb import _core, _inputs
from warmcb.contracts import Explorer, StartsExplorer

__all__ = ["EXPLORERS", "EpsilonGreedy", "Explorer", "InverseGap"]


@dataclass(frozen=True)
class EpsilonGreedy:
    """ε-greedy exploration, as in the paper (Algorithm 1, line 3).

    A share of ε is spread over all allowed actions. The action with the lowest score gets the rest; equal actions
    share it. ε is a parameter of the bandit.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.explorers import EpsilonGreedy
        >>> bandit = WarmBandit(n_actions=4, epsilon=0.2, explorer=EpsilonGreedy())
        >>> bandit.warm_start([[1.0]] * 10, [2] * 10).decide([1.0]).probabilities
        array([0.05, 0.05, 0.85, 0.05])

    """

    def start(self) -> _core.EpsilonGreedy:
        """Make the compiled explorer.

        Returns:
            the explorer that a bandit runs.

        """
        return _core.EpsilonGreedy()


@dataclass(frozen=True)
class InverseGap:
    """Exploration that decreases over the rounds, and is lower for actions that look worse.

    Let `gap` be the distance of an action's score to the best score, the smallest over all eligible lanes. After t
    rounds the action is explored with the probability ε/K/(1 + sharpness·√t·gap), but at least `floor`·ε/K. The greedy
    actions of eligible lanes keep ε/K, so that the lanes can be compared.

    Args:
        sharpness: how fast exploration decreases for actions that look worse.
        floor: the share of ε/K that each action keeps.
        patience: the round from which on ε falls like t^(−1/3).

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.explorers import InverseGap
        >>> bandit = WarmBandit(n_actions=4, epsilon=0.2, explorer=InverseGap(sharpness=3.0))
        >>> bandit.warm_start([[1.0]] * 10, [2] * 10).decide([1.0]).probabilities
        array([0.05, 0.05, 0.85, 0.05])

    """

    sharpness: float = 10.0
    floor: float = 0.02
    patience: float = 100.0

    def __post_init__(self) -> None:
        _inputs.number("sharpness", self.sharpness, "a number of at least 0", 0.0, 1e300)
        _inputs.fraction("floor", self.floor)
        _inputs.number("patience", self.patience, "a number above 0", 0.0, 1e300, low_excluded=True)

    def start(self) -> _core.InverseGap:
        """Make the compiled explorer.

        Returns:
            the explorer that a bandit runs.

        """
        return _core.InverseGap(float(self.sharpness), float(self.floor), float(self.patience))


EXPLORERS: dict[str, StartsExplorer] = {
    "inverse-gap": InverseGap(),
    "epsilon-greedy": EpsilonGreedy(),
}
"""The explorers by the names that `WarmBandit` and `SharedBandit` accept."""
