"""Explorers: from the scores of the actions to the distribution that is played."""

from warmcb._core import EpsilonGreedy

__all__ = ["EpsilonGreedy"]
