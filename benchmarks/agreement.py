"""Agreement with the reference: average costs of this project and of Vowpal Wabbit on the same rows, run by run.

    python benchmarks/agreement.py [--data ../shared/data] [--shuffles 5] [--max-rows 4000]

Both see the same shuffle and the same corrupted labels; they differ in their random exploration and in nothing else
that is meant to matter. `arrow-8` and `arrow-2` get Vowpal Wabbit's own Λ (in the paper's weights);
`arrow-8 (paper's Λ)` is what `ArrowCB` does by default. Without the folder of data sets, the bundled ones are used.

Vowpal Wabbit's exploration here is one fixed stream, whatever its seed: all its runs explore in the same rounds. So
this project plays everything with several seeds, each of them shared by all runs as well, and the question is whether
Vowpal Wabbit's mean could be that of one more seed. The interval is Student's, for the difference of one and the mean
of the others.
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
from scipy import stats

import peer
from warmcb import ArrowCB, Bandit, Noise, _streams, simulate_many
from warmcb.bandits.by_name import make_bandit
from warmcb.data import BUNDLED, open_dataset

DATA_SETS = (
    "letter", "pendigits", "satimage", "optdigits", "nursery", "splice", "waveform-5000", "page-blocks", "spambase",
    "electricity", "kropt", "wine_quality", "dry_bean", "phoneme",
)  # fmt: skip
NOISES = ("none", "cyc:0.25", "cyc:1", "maj:0.5")
RATES = (0.03, 0.3, 3.0)
EPSILON = 0.0125
SEEDS = 8


class Comparison(NamedTuple):
    algorithm: str
    dataset: str
    ours: list[float]
    """One for each seed."""
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


def compare(task: tuple[str, int, str, int]) -> list[Comparison]:
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
    found = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        peer.write_rows(path, X, corrupted)
        for rate in RATES:
            for name in peer.ALGORITHMS:
                theirs = peer.run(
                    path, name, n_actions=n_actions, warm_start=warm_start, interaction=horizon, epsilon=EPSILON,
                    learning_rate=rate, bits=22,
                ).average_cost  # fmt: skip
                for variant in (name, f"{name} (paper's Λ)") if name == "arrow-8" else (name,):
                    bandits = [ours(variant, n_actions, rate, horizon, seed) for seed in range(SEEDS)]
                    runs = simulate_many(
                        bandits, X, y, warm_start=warm_start, noise=noise, seed=shuffle, shuffle=False, threads=1
                    )
                    found.append(Comparison(variant, data, [run.average_cost for run in runs], theirs))
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
    table = Table("algorithm", "runs", "warmcb", "sd of a seed", "Vowpal Wabbit", "difference", "95 % interval")
    for algorithm in dict.fromkeys(one.algorithm for one in found):
        rows = [one for one in found if one.algorithm == algorithm]
        by_seed = np.mean([one.ours for one in rows], axis=0)
        theirs = np.mean([one.theirs for one in rows])
        difference = by_seed.mean() - theirs
        half = stats.t.ppf(0.975, SEEDS - 1) * by_seed.std(ddof=1) * math.sqrt(1 + 1 / SEEDS)
        table.add_row(
            algorithm,
            str(len(rows)),
            f"{by_seed.mean():.4f}",
            f"{by_seed.std(ddof=1):.4f}",
            f"{theirs:.4f}",
            f"{difference:+.4f}",
            f"[{difference - half:+.4f}, {difference + half:+.4f}]",
        )
    print(f"{len({one.dataset for one in found})} data sets, {options.shuffles} shuffles, {NOISES}, rates {RATES}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
