# %% [markdown]
# # Labels that lie
#
# Labels may be wrong: the annotators were in a hurry, the old classifier was built for another market, the language
# model was asked the wrong question. You rarely know before you start. This lesson makes more and more labels wrong on
# purpose, in three ways. It shows what happens to a bandit that was told nothing about it.
#
# The data is real: 6,435 spots of a satellite image, each with one of six kinds of ground (`satellite_image`, one of
# the data sets that come with `pip install '.[study]'`). There are 300 labels. Then come 2,000 rounds, each of
# which tells the bandit only whether its own answer was right.

# %%
import matplotlib.pyplot as plt
import numpy as np

from warmcb import Noise, WarmBandit, simulate_many
from warmcb.data import open_numbered

LABELS = 300
ROUNDS = 2000
SHUFFLES = 10

data = open_numbered("satellite_image")
y = np.asarray(data.y)
k = data.n_actions
majority = int(np.bincount(y).argmax())
print(f"{len(y):,} spots, {k} kinds of ground, the most frequent one is {majority}")

# %% [markdown]
# ## Three kinds of wrong labels
#
# `Noise` has the three ways of the paper. With probability p, a label is replaced:
#
# - `uar`: by a kind that is drawn at random, which is carelessness;
# - `cyc`: by the next kind, 1 instead of 0, 2 instead of 1, and so on, which is a systematic mistake;
# - `maj`: by the most frequent kind, which is laziness.

# %%
KINDS = ["uar", "cyc", "maj"]

some = y[::400]
print("the truth ", some)
for kind in KINDS:
    print(f"{kind}, p = ½", Noise(kind, 0.5).corrupt(some, k, majority, seed=1))

# %% [markdown]
# ## Who plays
#
# Three bandits play the same rounds. `WarmBandit` uses labels and rounds, and chooses the weight λ of rounds against
# labels by itself. With λ = 1 alone it learns from rounds only, so wrong labels cannot hurt it and right labels cannot
# help it. With λ = 0 alone it believes the labels and learns nothing else; then it has no reason to explore.
#
# `cost_range` says that a round costs something between 0 and 1. The bandit would find that out by itself, but in
# its first rounds it could not tell yet whether a cost is high or low.


# %%
def players(seed: int) -> dict[str, WarmBandit]:
    unit = (0.0, 1.0)
    return {
        "labels and rounds": WarmBandit(k, cost_range=unit, seed=seed),
        "rounds alone": WarmBandit(k, cost_range=unit, lambdas=[1.0], seed=seed),
        "labels alone": WarmBandit(k, lambdas=[0.0], epsilon=0.0, optimism=0.0),
    }


# %% [markdown]
# ## Play with more and more wrong labels

# %%
STRENGTHS = [0.0, 0.25, 0.5, 0.75, 1.0]

names = list(players(0))
cost = np.zeros((len(KINDS), len(STRENGTHS), SHUFFLES, len(names)))
lambdas = np.zeros((len(KINDS), len(STRENGTHS), SHUFFLES, ROUNDS))
for i, kind in enumerate(KINDS):
    for j, p in enumerate(STRENGTHS):
        for shuffle in range(SHUFFLES):
            runs = simulate_many(
                players(shuffle).values(),
                data.X,
                y,
                warm_start=LABELS,
                interaction=ROUNDS,
                noise=Noise(kind, p),
                seed=shuffle,
            )
            cost[i, j, shuffle] = [run.average_cost for run in runs]
            lambdas[i, j, shuffle] = runs[0].trace.lambdas

means = cost.mean(axis=2)
for i, kind in enumerate(KINDS):
    print(f"\naverage cost, {kind:<4} p =", *(f"{p:5.2f}" for p in STRENGTHS))
    for name, costs in zip(names, means[i].T, strict=True):
        print(f"{name:>22}", *(f"{each:5.3f}" for each in costs))

# %% [markdown]
# With more wrong labels, labels alone become worse. With many systematic mistakes, nearly all answers are wrong.
#
# `WarmBandit` makes the fewest mistakes as long as the labels are informative, even if half of them were replaced. If
# they are useless or misleading, it is about as good as rounds alone. It pays a small price for finding out.
#
# ## How it finds out
#
# λ = 0 trusts labels alone, λ = 1 rounds alone, and λ = ¾ mixes both. After each round the bandit charges each λ for
# the action that it would have chosen, and for the error of its prediction. The λ with the lowest charges decides in
# the next round. Here is the mean of this λ over all shuffles.

# %%
mean_lambda = lambdas.mean(axis=2)
for i, kind in enumerate(KINDS):
    print(f"\nmean λ, {kind:<4} p =", *(f"{p:5.2f}" for p in STRENGTHS))
    for t in (10, 100, 1000):
        print(f"in round {t:>5}", *(f"{value:5.2f}" for value in mean_lambda[i, :, t - 1]))

# %% [markdown]
# With right labels, λ starts near 0 and ends at ¾: labels and rounds together. The more labels are wrong, the sooner it
# increases. If most of them are, it comes close to 1: rounds alone decide.
#
# ## What to take away
#
# You need not know whether your labels are right. Right labels help a lot. Wrong ones cost little, because the bandit
# tests them. A system that believes its labels has no such protection.

# %%
warm, rounds_alone, labels_alone = means.transpose(2, 0, 1)
price = warm - rounds_alone
i, j = np.unravel_index(price.argmax(), price.shape)
print(f"average cost of rounds alone: {rounds_alone[0, 0]:.3f}")
print(f"right labels lower it by {-price[0, 0]:.3f}")
print(
    f"the worst lies ({KINDS[i]}, p = {STRENGTHS[j]:g}) raise it by {price[i, j]:.3f},"
    f" {price[i, j] * ROUNDS:.0f} mistakes in {ROUNDS:,} rounds"
)
print(f"a bandit that believes its labels costs up to {labels_alone.max():.3f}")

# %%
figure, axes = plt.subplots(
    nrows=2,
    ncols=3,
    sharex="row",
    sharey="row",
    figsize=(9, 6),
    dpi=150,
    layout="constrained",
)
titles = ["uar: at random", "cyc: the next kind", "maj: the most frequent kind"]
rounds = np.arange(1, ROUNDS + 1)
for i, title in enumerate(titles):
    top, bottom = axes[:, i]
    top.set_title(title)
    for name, look, costs in zip(names, ["ko-", "C0--", "C2s-."], means[i].T, strict=True):
        top.plot(STRENGTHS, costs, look, label=name)
    for j, look in ((0, "C1-"), (2, "C3--"), (4, "C4-.")):
        bottom.plot(rounds, mean_lambda[i, j], look, label=f"p = {STRENGTHS[j]:g}")
    top.set(xlabel="p: a label is replaced", yscale="log")
    top.set_yticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    top.minorticks_off()
    bottom.set(xlabel="round", xscale="log", ylim=(-0.03, 1.03))
    bottom.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
axes[0, 0].set_ylabel("average cost")
axes[1, 0].set_ylabel("mean λ")
for axis in axes[:, 0]:
    axis.legend(frameon=False)
for axis in axes.flat:
    axis.spines[["top", "right"]].set_visible(False)
figure.savefig("labels_that_lie.png")
