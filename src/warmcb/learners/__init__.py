"""Learners: they predict the cost of each action, with one regressor for each λ."""

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
