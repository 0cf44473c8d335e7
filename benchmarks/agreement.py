"""Agreement with the reference: average costs of this project and of Vowpal Wabbit on the same rows, run by run.

    python benchmarks/agreement.py [--data ../shared/data] [--shuffles 5] [--max-rows 4000]

Both see the same shuffle and the same corrupted labels; they differ in their random exploration and in nothing else
that is meant to matter. `arrow-8` and `arrow-2` get Vowpal Wabbit's own Λ (in the paper's weights);
`arrow-8 (paper's Λ)` is what `ArrowCB` does by default. Without the folder of data sets, the bundled ones are used.
"""

import argparse
import math
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import peer
from warmcb import ArrowCB, Bandit, Noise, _streams, simulate
from warmcb.bandits.by_name import make_bandit
from warmcb.data import BUNDLED, open_dataset

DATA_SETS = (
    "letter", "pendigits", "satimage", "optdigits", "nursery", "splice", "waveform-5000", "page-blocks", "spambase",
    "electricity", "kropt", "wine_quality", "dry_bean", "phoneme",
)  # fmt: skip
NOISES = ("none", "cyc:0.25", "cyc:1", "maj:0.5")
RATES = (0.03, 0.3, 3.0)
EPSILON = 0.0125


class Difference(NamedTuple):
    algorithm: str
    dataset: str
    ours: float
    theirs: float


def ours(algorithm: str, n_actions: int, learning_rate: float, horizon: int, seed: int) -> Bandit:
    if algorithm.startswith("arrow"):
        count = int(algorithm.split("-")[1][0])
        its_own = peer.lambdas_as_the_paper_counts(n_actions, EPSILON, count)
        lambdas = count if "paper" in algorithm else its_own
        return ArrowCB(
            n_actions, epsilon=EPSILON, lambdas=lambdas, learning_rate=learning_rate, horizon=horizon, seed=seed
        )
    return make_bandit(algorithm, n_actions, epsilon=EPSILON, learning_rate=learning_rate, horizon=horizon, seed=seed)


def compare(task: tuple[str, int, str, int]) -> list[Difference]:
    """All algorithms and rates on one shuffle of one data set under one noise."""
    data, shuffle, noise_name, max_rows = task
    dataset = open_dataset(data)
    assert dataset.y is not None
    order = _streams.generator(shuffle, _streams.SHUFFLE).permutation(len(dataset.y))[:max_rows]
    X, y = dataset.X[order], dataset.y[order]
    n, n_actions = len(y), dataset.n_actions
    warm_start = max(100, n // 50)
    horizon = n - warm_start
    noise = Noise.parse(noise_name)
    corrupted = y.copy()
    corrupted[:warm_start] = noise.corrupt(y[:warm_start], n_actions, int(np.bincount(y).argmax()), shuffle)
    seed = 1 + shuffle * len(NOISES) + NOISES.index(noise_name)  # no two runs share their exploration
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        peer.write_rows(path, X, corrupted)
        for rate in RATES:
            for name in peer.ALGORITHMS:
                theirs = peer.run(
                    path, name, n_actions=n_actions, warm_start=warm_start, interaction=horizon, epsilon=EPSILON,
                    learning_rate=rate, seed=seed, bits=22,
                ).average_cost  # fmt: skip
                for variant in (name, f"{name} (paper's Λ)") if name == "arrow-8" else (name,):
                    bandit = ours(variant, n_actions, rate, horizon, seed)
                    run = simulate(bandit, X, y, warm_start=warm_start, noise=noise, seed=shuffle, shuffle=False)
                    found.append(Difference(variant, data, run.average_cost, theirs))
    return found


def tasks(folder: Path, shuffles: int, max_rows: int) -> Iterator[tuple[str, int, str, int]]:
    files = [folder / f"{name}.parquet" for name in DATA_SETS]
    names = [str(file) for file in files if file.exists()] or list(BUNDLED)
    return ((name, shuffle, noise, max_rows) for name in names for shuffle in range(shuffles) for noise in NOISES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--shuffles", type=int, default=5)
    parser.add_argument("--max-rows", type=int, default=4000)
    options = parser.parse_args()
    todo = list(tasks(options.data, options.shuffles, options.max_rows))
    with ProcessPoolExecutor() as pool:
        batches = pool.map(compare, todo, chunksize=1)
        found = [one for batch in track(batches, total=len(todo), console=Console(stderr=True)) for one in batch]
    table = Table(
        "algorithm", "runs", "warmcb", "Vowpal Wabbit", "difference", "95 % interval", "largest data set mean"
    )
    for algorithm in dict.fromkeys(one.algorithm for one in found):
        rows = [one for one in found if one.algorithm == algorithm]
        differences = np.array([one.ours - one.theirs for one in rows])
        half = 1.96 * differences.std(ddof=1) / math.sqrt(len(differences))
        mean = differences.mean()
        by_data: dict[str, list[float]] = {one.dataset: [] for one in rows}
        for one in rows:
            by_data[one.dataset].append(one.ours - one.theirs)
        worst = max(by_data, key=lambda name: abs(float(np.mean(by_data[name]))))
        table.add_row(
            algorithm,
            str(len(rows)),
            f"{np.mean([one.ours for one in rows]):.4f}",
            f"{np.mean([one.theirs for one in rows]):.4f}",
            f"{mean:+.4f}",
            f"[{mean - half:+.4f}, {mean + half:+.4f}]",
            f"{Path(worst).stem} {np.mean(by_data[worst]):+.4f}",
        )
    print(f"{len({one.dataset for one in found})} data sets, {options.shuffles} shuffles, {NOISES}, rates {RATES}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
