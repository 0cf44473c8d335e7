"""Explorers: from the scores of the actions to the distribution that is played."""

from warmcb._core import EpsilonGreedy, InverseGap

__all__ = ["EpsilonGreedy", "Explorer", "InverseGap"]

Explorer = EpsilonGreedy | InverseGap
