"""Starts from logs without probabilities where costs are not only 0 and 1, and policies are wrong in several ways.

    python benchmarks/log_worlds.py [--seeds 20]

Made-up worlds with six features and five actions: graded costs; sales, which are rewards with heavy tails; clicks,
which are rare; errors, where one action costs 0 and the others 1. 500 events are logged and 1,000 rounds played.
Policies: mostly the best action; mostly the worst; any; the best in half of the contexts and else mostly the worst; a
rule that knows two actions. The table has the mean cost without a start, and how much lower each start makes it.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sources import EVENTS, ROUNDS, Floats, cost_after, print_row, starts_from_log

FEATURES, ACTIONS, ROWS = 6, 5, EVENTS + ROUNDS
Ints = NDArray[np.int64]
Random = np.random.Generator


def errors(merits: Floats, random: Random) -> Floats:
    noisy = merits + 0.3 * random.normal(size=merits.shape)
    return np.asarray(1.0 - np.eye(ACTIONS)[noisy.argmin(axis=1)])


WORLDS: dict[str, Callable[[Floats, Random], Floats]] = {
    "graded": lambda z, random: np.clip(0.5 + 0.15 * z + 0.1 * random.normal(size=z.shape), 0, 1),
    "sales": lambda z, random: -np.exp(-z + 0.5 * random.normal(size=z.shape)),
    "clicks": lambda z, random: (random.random(z.shape) > 1 / (1 + np.exp(3 + z))).astype(np.float64),
    "errors": errors,
}


def mostly(action: Ints, share: float, random: Random) -> Ints:
    return np.where(random.random(len(action)) < share, action, random.integers(0, ACTIONS, len(action)))


POLICIES: dict[str, Callable[[Floats, Floats, Random], Ints]] = {
    "mostly the best": lambda x, z, random: mostly(z.argmin(axis=1), 0.7, random),
    "mostly the worst": lambda x, z, random: mostly(z.argmax(axis=1), 0.7, random),
    "any": lambda x, z, random: random.integers(0, ACTIONS, len(z)),
    "half of the contexts": lambda x, z, random: np.where(
        x > 0, z.argmin(axis=1), mostly(z.argmax(axis=1), 0.8, random)
    ),
    "a rule of two": lambda x, z, random: np.where(x > 0, 0, 1),
}


def costs_of(world: str, policy: str, seed: int) -> dict[str, float]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(ROWS, FEATURES))
    merits = X @ random.normal(size=(FEATURES, ACTIONS)) / np.sqrt(FEATURES)
    costs = WORLDS[world](merits, random)
    log, rounds = X[:EVENTS], (X[EVENTS:], costs[EVENTS:], ACTIONS)
    done = POLICIES[policy](log[:, 0], merits[:EVENTS], random).astype(np.int32)
    starts = starts_from_log(log, done, costs[np.arange(EVENTS), done], ACTIONS)
    found = {way: cost_after(start, *rounds, seed) for way, start in starts.items()}
    return {"no start": cost_after(lambda bandit: bandit, *rounds, seed)} | found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    print_row("world", "policy", "no start", "imitation", "regression", "both", "paid=")
    print_row(*["---"] * 7)
    for world in WORLDS:
        for policy in POLICIES:
            found = defaultdict(list)
            for seed in range(seeds):
                for way, cost in costs_of(world, policy, seed).items():
                    found[way].append(cost)
            without, *others = (float(np.mean(costs)) for costs in found.values())
            lower = (f"{without - one:+.4f}" for one in others)
            print_row(world, policy, *(cell.replace("-", "−") for cell in (f"{without:.3f}", *lower)))


if __name__ == "__main__":
    main()
