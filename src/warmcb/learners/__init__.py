"""Regressors of the cost, one for each action and each λ; see docs/learner.md."""

from warmcb._core import LeastSquares, OnlineLinear
from warmcb.learners.least_squares import NormalEquations, solve_mixtures

__all__ = ["LeastSquares", "NormalEquations", "OnlineLinear", "solve_mixtures"]
