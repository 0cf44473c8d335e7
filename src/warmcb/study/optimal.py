"""e*: the cost of a classifier that knows every label, which is 0 on the scale of the normalized error.

As in the paper's scripts, it is Vowpal Wabbit's one-against-all with five passes. Every tenth row is held out: when a
pass reaches it, it is classified by what was learned so far, and it is never learned.
"""

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import Costs, OnlineLinear
from warmcb.catalogue import CATALOGUE
from warmcb.data.described import DescribedDataset
from warmcb.simulation.runs import play

_PASSES = 5
# Vowpal Wabbit learns the targets −1 and 1 from a start at 0, with rate 0.5. For the costs 1 and 0, a start at ½ and
# half the rate give the same steps.
_LEARNING_RATE = 0.25
_START = 0.5


def optimal_cost(X: _inputs.Features, y: NDArray[np.int32], n_actions: int) -> float:
    """The error of a linear one-against-all classifier on every tenth row, in its best pass."""
    held_out = range(9, len(y), 10)
    taught = [slice(row - 9, row) for row in held_out]
    lessons = [(_inputs.matrix(X[rows], None), Costs(np.ascontiguousarray(y[rows]))) for rows in taught]
    exams = [_inputs.matrix(X[row : row + 1], None) for row in held_out]
    learner = OnlineLinear(X.shape[1], n_actions, 1, _LEARNING_RATE)
    learner.weights[-1] = _START
    errors = []
    for _ in range(_PASSES):
        answers = []
        for (rows, costs), exam in zip(lessons, exams, strict=True):
            learner.teach(rows, costs, np.ones(1))
            answers.append(learner.predict_actions(exam)[0, 0])
        errors.append(np.mean(answers != y[9::10]))
    return float(min(errors))


def optimal_described(data: DescribedDataset) -> float:
    """The same for described actions: the cost of SharedBandit's model on every tenth round, taught all others."""
    held_out = np.arange(data.n_rounds) % 10 == 9
    order = np.argsort(held_out, kind="stable")
    told = {"warm_start": int((~held_out).sum()), "interaction": None, "noise": "none", "truth": "bandit", "seed": 0}
    scene = data.rows(order).scene(**told, shuffle=False, checkpoints=())
    (run,) = play(scene, [CATALOGUE["shared-sup-only"].make(data.n_actions)])
    return run.average_cost


def random_cost(data: DescribedDataset) -> float:
    """The cost of a random choice. There is no best constant action among described ones."""
    return float(np.mean(np.add.reduceat(data.costs, data.starts[:-1]) / data.sizes))
