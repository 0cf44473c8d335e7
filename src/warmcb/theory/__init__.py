"""The paper's theory as code: what its theorems promise, in its own letters."""

from warmcb.theory.advice import BestLambda, best_lambda
from warmcb.theory.bounds import (
    Bound,
    G,
    H,
    Problem,
    V,
    W,
    corollary,
    effective_sample_size,
    lambda_0_bandit,
    lambda_0_supervised,
    minimax_lower_bound,
    theorem_1,
    theorem_2,
    ucb_regret,
    ucb_T0,
)
from warmcb.theory.examples import (
    SimilarSource,
    StrongSimilarity,
    general_corruption,
    lowest_cost_labels,
    strong_similarity,
    uniform_corruption,
)
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
