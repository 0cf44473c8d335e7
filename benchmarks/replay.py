"""Agreement, run by run: Vowpal Wabbit's own random numbers, played through this project's bandits.

    python benchmarks/replay.py [--data DIR] [--max-rows 2500]

`warm_cb` draws from one fixed stream, so that its exploration can be repeated outside of it. If the learner, the
weights, Λ, the scores and all rules are the same, then whole runs are: thousands of actions, until one of two almost
equal predictions is rounded the other way. Without the folder of data sets, the bundled ones are used.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import peer
from trial import NOISES, RATES, data_sets, in_processes, trial
from warmcb import ArrowCB, Decision, SimBandit, simulate


class ItsRandomNumbers:
    """Vowpal Wabbit's generator as `warm_cb` uses it: a new seed for every draw."""

    _APP_SEED = 0x337AD8C  # the MurmurHash3 of "vw"

    def __init__(self) -> None:
        self.drawn = 0

    def uniform(self) -> float:
        state = (0xEECE66D5DEECE66D * (self._APP_SEED + self.drawn) + 2147483647) % 2**64
        self.drawn += 1
        bits = np.array((state >> 25) & 0x7FFFFF | 127 << 23, dtype=np.uint32)
        return float(bits.view(np.float32)) - 1.0


class Replayed:
    """One of this project's bandits that draws by those numbers, from the actions in the order of their scores."""

    def __init__(self, bandit: ArrowCB) -> None:
        self.bandit = bandit
        self.n_actions = bandit.n_actions
        self.random = ItsRandomNumbers()

    def warm_start(self, X: Any, y: Any = None, *, costs: Any = None) -> None:
        if not isinstance(self.bandit, SimBandit):
            self.bandit.warm_start(X, y)
            return
        for i, label in enumerate(y):
            decision = self.decide(X[[i]])
            self.learn(X[[i]], decision.action, float(decision.action != label), decision.probability)

    def decide(self, x: Any) -> Decision:
        scores = self.bandit.predict_costs(x)[0]
        probabilities = self.bandit.decide(x, key="any").probabilities
        order = np.argsort(scores, kind="stable")
        position = int(np.searchsorted(np.cumsum(probabilities[order]), self.random.uniform(), side="right"))
        action = int(order[min(position, self.n_actions - 1)])
        return Decision(action, float(probabilities[action]), probabilities)

    def learn(self, x: Any, action: int, cost: float, probability: float) -> None:
        self.bandit.learn(x, action, cost, probability)


def compare(task: tuple[str, int, str, int]) -> list[tuple[str, float]]:
    """The differences of all algorithms and rates on one data set under one noise."""
    found = []
    with trial(*task) as this:
        for rate in RATES:
            for name in peer.ALGORITHMS:
                run = simulate(Replayed(this.ours(name, rate)), this.X, this.y, **this.setting)
                found.append((name, run.average_cost - this.theirs(name, rate)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of data sets; by default the bundled ones")
    parser.add_argument("--max-rows", type=int, default=2500)
    options = parser.parse_args()
    names = data_sets(options.data)
    found = in_processes(compare, [(name, 0, noise, options.max_rows) for name in names for noise in NOISES])
    table = Table("algorithm", "runs", "the same cost to 4 digits", "within 0.001", "mean difference", "95 % interval")
    for algorithm in dict.fromkeys(name for name, _ in found):
        differences = np.array([difference for name, difference in found if name == algorithm])
        half = 1.96 * differences.std(ddof=1) / np.sqrt(len(differences))
        mean = differences.mean()
        table.add_row(
            algorithm,
            str(len(differences)),
            f"{np.mean(np.abs(differences) < 5e-5):.0%}",
            f"{np.mean(np.abs(differences) < 1e-3):.0%}",
            f"{mean:+.4f}",
            f"[{mean - half:+.4f}, {mean + half:+.4f}]",
        )
    print(f"{len(names)} data sets, one shuffle, noises {NOISES}, rates {RATES}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
