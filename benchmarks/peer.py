"""The real Vowpal Wabbit, run on the same rows."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import vowpalwabbit
from numpy.typing import NDArray
from scipy import sparse

_WARM_CB = "--cb_explore_adf --cb_type mtr --lambda_scheme 4"
ALGORITHMS = {
    "arrow-8": f"{_WARM_CB} --choices_lambda 8 --warm_start_update --interaction_update",
    "arrow-2": f"{_WARM_CB} --choices_lambda 2 --warm_start_update --interaction_update",
    "bandit-only": f"{_WARM_CB} --choices_lambda 1 --interaction_update",
    "sup-only": f"{_WARM_CB} --choices_lambda 1 --warm_start_update",
    "sim-bandit": "--cb_explore_adf --cb_type mtr --lambda_scheme 1 --choices_lambda 1 --sim_bandit"
    " --warm_start_update --interaction_update",
}


class Outcome(NamedTuple):
    average_cost: float
    seconds: float


def write_rows(path: Path, X: Any, y: NDArray[Any]) -> None:
    """Vowpal Wabbit's text, with the columns as integers so that few of them collide."""
    csr = sparse.csr_array(X)
    with path.open("w") as file:
        for i in range(csr.shape[0]):
            span = slice(csr.indptr[i], csr.indptr[i + 1])
            pairs = zip(csr.indices[span], csr.data[span], strict=True)
            file.write(f"{y[i] + 1} | {' '.join(f'{j}:{value:.7g}' for j, value in pairs)}\n")


def run(
    path: Path,
    algorithm: str,
    *,
    n_actions: int,
    warm_start: int,
    interaction: int,
    epsilon: float,
    learning_rate: float,
    bits: int = 18,
) -> Outcome:
    """One run over the rows of a file; reading it is part of the time."""
    started = time.perf_counter()
    peer = vowpalwabbit.Workspace(
        arguments(path, algorithm, n_actions, warm_start, interaction, epsilon, learning_rate, bits)
    )
    cost = peer.get_sum_loss() / peer.get_weighted_examples()
    peer.finish()
    return Outcome(float(cost), time.perf_counter() - started)


def arguments(
    path: Path,
    algorithm: str,
    n_actions: int,
    warm_start: int,
    interaction: int,
    epsilon: float,
    learning_rate: float,
    bits: int,
) -> str:
    """What Vowpal Wabbit is told at its command line."""
    return (
        f"--quiet -d {path} -b {bits} --warm_cb {n_actions} {ALGORITHMS[algorithm]} --warm_start {warm_start}"
        f" --interaction {interaction} --epsilon {0 if algorithm == 'sup-only' else epsilon}"
        f" --learning_rate {learning_rate}"
    )


def lambdas_as_the_paper_counts(n_actions: int, epsilon: float, count: int) -> list[float]:
    """Vowpal Wabbit's Λ in the paper's weights.

    It weighs bandit examples by 1/(K·p) where the paper has 1/p, so that its λ is the paper's λ/(λ + K·(1−λ)).
    """
    if count == 2:
        return [0.0, 1.0]
    center = epsilon / (1 + epsilon)
    theirs = np.array([0, center / 8, center / 4, center / 2, center, (1 + center) / 2, (3 + center) / 4, 1])
    return list(theirs / (theirs + n_actions * (1 - theirs)))
