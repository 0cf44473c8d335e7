"""How a naive warm start fails: the two-armed example of section 2.1 and of the appendix.

The labels say that the arms cost (½, ½ + Δ/2). In the rounds they cost (½, ½ − Δ/2), so the second arm is better.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb.bandits import UCB1, ArrowCB, Bandit, WarmUCB
from warmcb.simulation import simulate


class TwoArmedRun(NamedTuple):
    """The run of one bandit on the two-armed example.

    Attributes:
        regret: the cumulative regret after each round; shape (n_b,).
        first_play: the first round that plays the better arm, counted from 1; None if no round does.

    """

    regret: NDArray[np.float64]
    first_play: int | None


def two_armed(Delta: float, n_s: int, n_b: int, *, epsilon: float = 0.05, seed: int = 0) -> dict[str, TwoArmedRun]:
    """Play the two-armed example with warm-started UCB1, plain UCB1 and ARRoW-CB.

    Args:
        Delta: Δ in [0, 1]. The better arm costs Δ/2 less in the rounds, and Δ/2 more according to the labels.
        n_s: the number of labels.
        n_b: the number of rounds, at least 1.
        epsilon: ε of ARRoW-CB. UCB1 has none.
        seed: the seed of ARRoW-CB. UCB1 is deterministic.

    Returns:
        the run of each bandit, by the name of its class, which is "WarmUCB", "UCB1" or "ArrowCB".

    Raises:
        InputError: an argument is out of its range.

    Examples:
        >>> from warmcb.theory.failure import two_armed
        >>> played = two_armed(Delta=0.5, n_s=100, n_b=1000)
        >>> played["WarmUCB"].first_play, played["UCB1"].first_play
        (333, 2)

    """
    Delta = _inputs.fraction("Delta", Delta)
    n_s, n_b = _inputs.integer("n_s", n_s, 0), _inputs.integer("n_b", n_b, 1)
    labels = np.tile([0.5, 0.5 + Delta / 2], (n_s, 1))
    rounds = np.tile([0.5, 0.5 - Delta / 2], (n_b, 1))
    bandits: dict[str, Bandit] = {
        "WarmUCB": WarmUCB(2),
        "UCB1": UCB1(2),
        "ArrowCB": ArrowCB(2, epsilon=epsilon, seed=seed),
    }
    return {name: _played(bandit, labels, rounds, Delta) for name, bandit in bandits.items()}


def _played(bandit: Bandit, labels: NDArray[np.float64], rounds: NDArray[np.float64], Delta: float) -> TwoArmedRun:
    bandit.warm_start(np.zeros((len(labels), 1)), costs=labels)
    trace = simulate(bandit, np.zeros((len(rounds), 1)), costs=rounds, shuffle=False).trace
    better = np.flatnonzero(trace.actions == 1)
    return TwoArmedRun(np.cumsum(trace.actions == 0) * Delta / 2, int(better[0]) + 1 if len(better) else None)
