"""Regressors of the cost, one for each action and each λ; see docs/learner.md."""

from warmcb._core import LeastSquares, OnlineLinear, RecursiveLeastSquares
from warmcb.learners.least_squares import NormalEquations, solve_mixtures
from warmcb.learners.states import Learner, learner_state, restore_learner

__all__ = [
    "Learner",
    "LeastSquares",
    "NormalEquations",
    "OnlineLinear",
    "RecursiveLeastSquares",
    "learner_state",
    "restore_learner",
    "solve_mixtures",
]
