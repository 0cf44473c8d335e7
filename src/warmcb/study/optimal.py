"""e*: what a classifier reaches that is told every label, the floor of the normalized error."""

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs, _streams
from warmcb._core import Costs, OnlineLinear

_PASSES = 5
# Vowpal Wabbit's one-against-all learns targets −1 and 1 at its default rate 0.5. On costs 0 and 1 half that rate
# makes the very same steps.
_LEARNING_RATE = 0.25


def optimal_cost(X: _inputs.Features, y: NDArray[np.int32], n_actions: int, shuffle: int) -> float:
    """The error on every tenth row of a linear one-against-all classifier taught the others, after its best pass."""
    order = _streams.generator(shuffle, _streams.SHUFFLE).permutation(len(y))
    held_out = np.arange(len(y)) % 10 == 9
    taught, judged = order[~held_out], order[held_out]
    rows, judged_rows = _inputs.matrix(X[taught], None), _inputs.matrix(X[judged], None)
    costs = Costs(y[taught])
    learner = OnlineLinear(rows.features, n_actions, 1, _LEARNING_RATE)
    errors = []
    for _ in range(_PASSES):
        learner.teach(rows, costs, np.ones(1))
        errors.append(np.mean(learner.predict_actions(judged_rows)[:, 0] != y[judged]))
    return float(min(errors))
