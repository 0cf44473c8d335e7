"""Agreement, run by run: Vowpal Wabbit's own random numbers, played through this project's bandits.

    python benchmarks/replay.py [--data ../shared/data] [--max-rows 2500]

`warm_cb` draws from one fixed stream, so that its exploration can be repeated outside of it. If the learner, the
weights, Λ, the scores and all rules are the same, then whole runs are: thousands of actions, until one of two almost
equal predictions is rounded the other way. Without the folder of data sets, the bundled ones are used.
"""

import argparse
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import agreement
import peer
from warmcb import ArrowCB, Decision, Noise, SimBandit, _inputs, _streams, simulate
from warmcb.data import open_dataset


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
        row = _inputs.one_row(x, self.bandit.n_features_)
        self.bandit._meet(row)
        scores = self.bandit._learner.predict(row, 0)[:, self.bandit._selector.best]
        probabilities = self.bandit._explorer.probabilities(scores)
        order = np.argsort(scores, kind="stable")
        position = int(np.searchsorted(np.cumsum(probabilities[order]), self.random.uniform(), side="right"))
        action = int(order[min(position, self.n_actions - 1)])
        return Decision(action, float(probabilities[action]), probabilities)

    def learn(self, x: Any, action: int, cost: float, probability: float) -> None:
        self.bandit.learn(x, action, cost, probability)


def compare(task: tuple[str, str, int]) -> list[tuple[str, float]]:
    """The differences of all algorithms and rates on one data set under one noise."""
    data, noise_name, max_rows = task
    dataset = open_dataset(data)
    assert dataset.y is not None
    order = _streams.generator(0, _streams.SHUFFLE).permutation(len(dataset.y))[:max_rows]
    X, y = dataset.X[order], dataset.y[order]
    n_actions, warm_start = dataset.n_actions, 100
    horizon = len(y) - warm_start
    noise = Noise.parse(noise_name)
    shown: NDArray[np.int32] = y.copy()
    shown[:warm_start] = noise.corrupt(y[:warm_start], n_actions, int(np.bincount(y).argmax()), 0)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        peer.write_rows(path, X, shown)
        for rate in agreement.RATES:
            for name in peer.ALGORITHMS:
                theirs = peer.run(
                    path, name, n_actions=n_actions, warm_start=warm_start, interaction=horizon,
                    epsilon=agreement.EPSILON, learning_rate=rate, bits=22,
                ).average_cost  # fmt: skip
                bandit = agreement.ours(name, n_actions, rate, horizon, seed=0)
                assert isinstance(bandit, ArrowCB)
                run = simulate(Replayed(bandit), X, y, warm_start=warm_start, noise=noise, shuffle=False)
                found.append((name, run.average_cost - theirs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--max-rows", type=int, default=2500)
    options = parser.parse_args()
    names = dict.fromkeys(name for name, *_ in agreement.tasks(options.data, 1, options.max_rows))
    todo = [(name, noise, options.max_rows) for name in names for noise in agreement.NOISES]
    with ProcessPoolExecutor() as pool:
        batches = pool.map(compare, todo)
        found = [one for batch in track(batches, total=len(todo), console=Console(stderr=True)) for one in batch]
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
    print(f"{len(names)} data sets, one shuffle, noises {agreement.NOISES}, rates {agreement.RATES}")
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
