"""What an apprentice is worth on classification data: whether the interval of its gain holds, and what it saves.

    python benchmarks/apprentice.py --data DIR [--runs 200] [--events 5000] [--explore 0.02]

The baseline is right in 70 % of the rows, and plays another class at random in the others. An apprentice watches some
events, as in the service: the baseline's actions are labels of unknown worth, and the share `explore` of the events is
drawn from the model. Then it goes online for 1,000 rounds, beside a bandit that starts these rounds with nothing. Runs
go through the data sets in turn, each time with another seed. Data sets with too few rows, or with more than 256
columns, are left out.

The true gain is a mean over all events. It is the expected reward of the model, with its probabilities at that moment,
minus the reward that the baseline earned or would have earned.
"""

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy: one core

import argparse
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sources import Rows, right_with, rows_of
from warmcb import WarmBandit, _inputs
from warmcb.service.events.drawing import EXPLORE, drawn
from warmcb.service.monitoring.comparing import gain
from warmcb.service.monitoring.tallies import Side

ROUNDS = 1000
RIGHT = 0.7
WIDEST = 256  # columns


class Run(NamedTuple):
    """The result of an apprenticeship.

    Attributes:
        truth: the true gain.
        low: the lower end of its interval.
        high: the upper end of its interval.
        cost: the mean cost of the first rounds online.
        cost_without: that of a bandit that starts with nothing.

    """

    truth: float
    low: float
    high: float
    cost: float
    cost_without: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="a folder of data sets")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--events", type=int, default=5000)
    parser.add_argument("--explore", type=float, default=0.02)
    given = parser.parse_args()
    sets = {}
    for path in sorted(given.data.glob("*.parquet")):
        rows = rows_of(path, 0)
        if len(rows.y) >= given.events + ROUNDS and rows.X.shape[1] <= WIDEST:
            sets[path.stem] = path
    runs: dict[str, list[Run]] = defaultdict(list)
    for i in range(given.runs):
        name = list(sets)[i % len(sets)]
        run = apprenticeship(rows_of(sets[name], i), given.events, given.explore, i)
        runs[name].append(run)
        print(name, *(f"{value:.4f}" for value in run), flush=True)
    everything = [run for of_set in runs.values() for run in of_set]
    covered = sum(run.low <= run.truth <= run.high for run in everything)
    lower = sum(np.mean([run.cost - run.cost_without for run in of_set]) < 0 for of_set in runs.values())
    print(f"the interval of the gain holds in {covered} of {len(everything)} runs")
    print(f"its mean width is {np.mean([run.high - run.low for run in everything]):.3f}")
    print(f"the first {ROUNDS} rounds online cost less than without on {lower} of {len(runs)} data sets")
    print(f"mean costs: {np.mean([(run.cost, run.cost_without) for run in everything], axis=0).round(4).tolist()}")


def apprenticeship(rows: Rows, events: int, explore: float, seed: int) -> Run:
    """Watch, then go online."""
    watched, played = rows.part(0, events), rows.part(events, events + ROUNDS)
    baseline = right_with(RIGHT, watched, np.random.default_rng(seed)).tolist()
    bandit = WarmBandit(rows.n_actions, cost_range=(-1.0, 0.0), seed=seed)
    model, other = Side(), Side()
    truth = 0.0
    for i, right in enumerate(watched.y.tolist()):
        x, event = watched.X[i], f"event-{i}"
        decision = bandit.decide(x, key=event)
        truth += decision.probabilities[right] - float(baseline[i] == right)
        if drawn(seed, event, EXPLORE) < explore:
            reward = float(decision.action == right)
            bandit.learn(x, decision, reward=reward)
            model.add(reward)
        else:
            reward = float(baseline[i] == right)
            bandit.warm_start(watched.X[i : i + 1], [baseline[i]], paid=[-reward], source="baseline")
            other.add(reward)
    bounds = gain(model, other, (0.0, 1.0))
    fresh = WarmBandit(rows.n_actions, cost_range=(-1.0, 0.0), seed=seed)
    return Run(truth / events, bounds.low, bounds.high, online(bandit, played), online(fresh, played))


def online(bandit: WarmBandit, rows: Rows) -> float:
    """Return the mean cost of rounds, from 0 to 1."""
    costs = -np.eye(rows.n_actions)[rows.y]
    return 1 + float(bandit._play_rounds(_inputs.matrix(rows.X, None), costs, 0, len(rows.y)).costs.mean())


if __name__ == "__main__":
    main()
