"""How often the test of frequencies raises an alarm: never without a reason, and how soon with one.

    python benchmarks/log_health.py

Logs are simulated: ε-greedy with ε = 0.2 over four actions, 100 looks after 50 decisions each. The first line is a log
that tells the truth: at most 5% of such logs may ever raise an alarm. The others are wrong in ways that occur.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from warmcb.logs.health_drawn import Drawn
from warmcb.logs.health_frequencies import ALARM, Frequencies

LOGS, LOOKS, DECISIONS, ACTIONS, EPSILON = 200, 100, 50, 4, 0.2

Probabilities = NDArray[np.float64]
Chosen = NDArray[np.int64]


def truth(p: Probabilities, chosen: Chosen) -> Probabilities:
    return p


def more_exploration(p: Probabilities, chosen: Chosen) -> Probabilities:
    """ε = 0.3 was logged."""
    return np.where(p > 0.5, 1 - 0.3 + 0.3 / ACTIONS, 0.3 / ACTIONS)


def other_version(p: Probabilities, chosen: Chosen) -> Probabilities:
    """A model was logged that prefers another action in one decision of ten."""
    return np.where(np.arange(len(p))[:, None] % 10 == 0, np.roll(p, 1, axis=1), p)


def greedy_for_all(p: Probabilities, chosen: Chosen) -> Probabilities:
    """Whatever was chosen is logged with the probability of the greedy action."""
    logged = np.full_like(p, p.min())
    logged[np.arange(len(p)), chosen] = p.max()
    return logged


def looks_until_alarm(logged: Callable[[Probabilities, Chosen], Probabilities], seed: int) -> int | None:
    random, test = np.random.default_rng(seed), Frequencies()
    starts = np.arange(DECISIONS) * ACTIONS
    rows, codes = np.repeat(np.arange(DECISIONS), ACTIONS), np.tile(np.arange(ACTIONS), DECISIONS)
    for look in range(1, LOOKS + 1):
        p = np.full((DECISIONS, ACTIONS), EPSILON / ACTIONS)
        p[np.arange(DECISIONS), random.integers(0, ACTIONS, DECISIONS)] += 1 - EPSILON
        chosen = (p.cumsum(axis=1) < random.random((DECISIONS, 1))).sum(axis=1)
        probabilities = logged(p, chosen).ravel()
        test.add(Drawn(rows, codes, probabilities, np.ones(len(rows), bool), starts + chosen, starts))
        if test.highest >= np.log(ALARM):
            return look
    return None


def main() -> None:
    print(f"{'what is logged':22}{'logs with an alarm':>20}{'decisions until then, median':>32}")
    for logged in (truth, more_exploration, other_version, greedy_for_all):
        looks = [looks_until_alarm(logged, seed) for seed in range(LOGS)]
        alarms = [look * DECISIONS for look in looks if look is not None]
        median = f"{np.median(alarms):,.0f}" if len(alarms) > LOGS / 2 else "none"
        print(f"{logged.__name__.replace('_', ' '):22}{len(alarms) / LOGS:20.1%}{median:>32}")


if __name__ == "__main__":
    main()
