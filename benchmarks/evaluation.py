"""How long an evaluation takes, and how much memory: events in a Parquet file, all estimators.

python benchmarks/evaluation.py                # a million events, 10 actions, 20 features, a linear model of rewards
python benchmarks/evaluation.py --events 100000 --model bends
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from warmcb.logs import evaluate

ACTIONS, FEATURES, EPSILON = 10, 20, 0.2
AT_ONCE = 2**17


def write_log(path: Path, events: int) -> None:
    """ε-greedy on a linear model, in files of some events each; rewards are 0 or 1."""
    random = np.random.default_rng(0)
    weights = random.normal(size=(FEATURES, ACTIONS)) / FEATURES**0.5
    for start in range(0, events, AT_ONCE):
        n = min(AT_ONCE, events - start)
        x = random.normal(size=(n, FEATURES)).astype(np.float32)
        scores = x @ weights
        chances = np.full((n, ACTIONS), EPSILON / ACTIONS)
        chances[np.arange(n), scores.argmax(axis=1)] += 1 - EPSILON
        action = (chances.cumsum(axis=1) > random.random((n, 1))).argmax(axis=1)
        wins = random.random(n) < 1 / (1 + np.exp(-scores[np.arange(n), action]))
        table = pl.DataFrame(
            {
                "event": [f"event-{i}" for i in range(start, start + n)],
                "x": pl.Series(x.tolist(), dtype=pl.List(pl.Float32)),
                "action": pl.Series(action, dtype=pl.UInt32),
                "probabilities": pl.Series(chances.tolist(), dtype=pl.List(pl.Float64)),
                "reward": wins.astype(np.float64),
            }
        )
        table.write_parquet(path / f"part-{start:09d}.parquet")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--model", default="linear", choices=["linear", "squares", "bends", "none"])
    parser.add_argument("--log", type=Path, help="the log's file, made if it is missing (default: a temporary one)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.log or Path(folder)
        if not any(path.glob("*.parquet")):
            path.mkdir(exist_ok=True)
            write_log(path, arguments.events)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.perf_counter()
        found = evaluate(path, ["logged", "uniform", "always:3"], model=arguments.model, reward_range=(0.0, 1.0))
        seconds = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{found.decisions:,} events, {len(found.policies)} policies, a model of rewards that is {arguments.model}")
    print(f"{seconds:.1f} s; at most {peak / 2**20:.2f} GB (before the evaluation {before / 2**20:.2f} GB)")
    for name, value in found.policies.items():
        print(f"{name}: " + ", ".join(f"{estimate.name} {estimate.value:.4f}" for estimate in value.estimates.values()))


if __name__ == "__main__":
    main()
