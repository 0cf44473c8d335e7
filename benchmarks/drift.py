"""A world that changes: the figure and the table of floors of docs/guides/drift.md, from the made-up problems.

python benchmarks/drift.py [--figure docs/images/drift.svg] [--seeds 20]
"""

import argparse
from pathlib import Path

import numpy as np

import made_up
from warmcb import WarmBandit, simulate
from warmcb.explorers import InverseGap
from warmcb.plot import plot_runs
from warmcb.simulation import Run

FLOORS = (0.02, 0.1, 0.3, 1.0)
LABELS, TURN = 100, (5500, 7000)


def after_a_change(half_life: float | None) -> Run:
    """Right labels, then 4,900 rounds as the labels say, then all classes are rotated."""
    X, y = made_up.change(0, "rotated")
    bandit = WarmBandit(4, half_life=half_life).warm_start(X[:LABELS], y[:LABELS])
    return simulate(bandit, X[LABELS:], y[LABELS:], shuffle=False)


def found_again(floor: float, optimism: float, seeds: int) -> tuple[float, float]:
    """An action that turns good: its share in rounds 5,500 to 7,000; and what exploration costs before it does."""
    shares, before = [], []
    for seed in range(seeds):
        X, costs = made_up.turned_good(seed)
        bandit = WarmBandit(4, seed=seed, optimism=optimism, explorer=InverseGap(floor=floor))
        trace = simulate(bandit, X[: TURN[1]], costs=costs[: TURN[1]], shuffle=False).trace
        shares.append((trace.actions[TURN[0] :] == 3).mean())
        before.append((trace.actions[1000:5000] == 3).mean())
    return float(np.mean(shares)), float(np.mean(before))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", type=Path, default=Path(__file__).parents[1] / "docs" / "images" / "drift.svg")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    runs = {"notices by itself": after_a_change(None), "never forgets": after_a_change(float("inf"))}
    plot_runs(runs, "all classes are rotated at round 4,900").savefig(options.figure)
    print("| floor | optimism | share of the good action | share of the bad action before |\n| --- | --- | --- | --- |")
    for optimism in (0.75, 0.0):
        for floor in FLOORS:
            share, before = found_again(floor, optimism, options.seeds)
            print(f"| {floor:g} | {optimism:g} | {share:.2f} | {before:.4f} |")


if __name__ == "__main__":
    main()
