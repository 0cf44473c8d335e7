"""Agreement with the reference: average costs of this project and of Vowpal Wabbit on the same rows, run by run.

    python benchmarks/agreement.py [--data DIR] [--shuffles 5] [--max-rows 4000]

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
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import stats

import peer
from trial import NOISES, RATES, data_sets, in_processes, trial
from warmcb import simulate_many

SEEDS = 8


class Comparison(NamedTuple):
    algorithm: str
    dataset: str
    ours: list[float]
    """One for each seed."""
    theirs: float


def compare(task: tuple[str, int, str, int]) -> list[Comparison]:
    """All algorithms and rates on one shuffle of one data set under one noise."""
    found = []
    with trial(*task) as this:
        for rate in RATES:
            for name in peer.ALGORITHMS:
                theirs = this.theirs(name, rate)
                for variant in (name, f"{name} (paper's Λ)") if name == "arrow-8" else (name,):
                    bandits = [this.ours(variant, rate, seed) for seed in range(SEEDS)]
                    runs = simulate_many(bandits, this.X, this.y, **this.setting, threads=1)
                    found.append(Comparison(variant, task[0], [run.average_cost for run in runs], theirs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of data sets; by default the bundled ones")
    parser.add_argument("--shuffles", type=int, default=5)
    parser.add_argument("--max-rows", type=int, default=4000)
    options = parser.parse_args()
    names, shuffles = data_sets(options.data), range(options.shuffles)
    tasks = [(name, shuffle, noise, options.max_rows) for name in names for shuffle in shuffles for noise in NOISES]
    found = in_processes(compare, tasks)
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
