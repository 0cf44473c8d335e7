"""The paper's theory as functions, in its notation: bounds, similarity, examples of similar sources."""

from warmcb.theory.advice import BestLambda, best_lambda
from warmcb.theory.algorithm_1 import G, V, corollary, effective_sample_size, lambda_0_bandit, theorem_1
from warmcb.theory.algorithm_2 import H, W, lambda_0_supervised, theorem_2
from warmcb.theory.examples import (
    SimilarSource,
    StrongSimilarity,
    general_corruption,
    lowest_cost_labels,
    strong_similarity,
    uniform_corruption,
)
from warmcb.theory.lower_bounds import minimax_lower_bound, ucb_regret, ucb_T0
from warmcb.theory.problem import Bound, Problem
from warmcb.theory.similarity import Frontier, frontier, risks

__all__ = [
    "BestLambda",
    "Bound",
    "Frontier",
    "G",
    "H",
    "Problem",
    "SimilarSource",
    "StrongSimilarity",
    "V",
    "W",
    "best_lambda",
    "corollary",
    "effective_sample_size",
    "frontier",
    "general_corruption",
    "lambda_0_bandit",
    "lambda_0_supervised",
    "lowest_cost_labels",
    "minimax_lower_bound",
    "risks",
    "strong_similarity",
    "theorem_1",
    "theorem_2",
    "ucb_T0",
    "ucb_regret",
    "uniform_corruption",
]
