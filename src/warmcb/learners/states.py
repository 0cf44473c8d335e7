"""What the learners with lanes know, as arrays: for saving, and back."""

import numpy as np

from warmcb._core import OnlineLinear, RecursiveLeastSquares
from warmcb._states import State, copy_into, named, part

Learner = OnlineLinear | RecursiveLeastSquares


def learner_state(learner: Learner) -> State:
    """Everything that a learner knows.

    Of an online one only the features that were ever seen: a sparse model of millions stays a small file.
    """
    if isinstance(learner, RecursiveLeastSquares):
        return named("learner", learner.state())
    seen = np.flatnonzero(learner.scales.any(axis=(1, 2, 3)))
    return {
        "seen": seen,
        "weights": learner.weights[seen],
        "scales": learner.scales[seen],
        "totals": learner.totals,
    }


def restore_learner(learner: Learner, state: State) -> None:
    """The reverse, into a learner that has seen nothing."""
    if isinstance(learner, RecursiveLeastSquares):
        learner.restore(part("learner", state))
        return
    seen = state["seen"]
    for table, saved in ((learner.weights, state["weights"]), (learner.scales, state["scales"])):
        rows = table[seen]
        copy_into(rows, saved)
        table[seen] = rows
    copy_into(learner.totals, state["totals"])
