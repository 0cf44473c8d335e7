"""Regressors of the cost, one for each action and each λ; see docs/internals/learner.md."""

from warmcb.contracts import Learner
from warmcb.learners.least_squares import NormalEquations, solve_mixtures
from warmcb.learners.linear import LEARNERS, BySize, OnlineLinear, RecursiveLeastSquares

__all__ = [
    "LEARNERS",
    "BySize",
    "Learner",
    "NormalEquations",
    "OnlineLinear",
    "RecursiveLeastSquares",
    "solve_mixtures",
]
