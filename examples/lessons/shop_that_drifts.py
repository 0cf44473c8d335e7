# %% [markdown]
# # A shop that drifts
#
# What was right last month may be wrong today: prices and fashions change, other people come. In this lesson the
# customers of a shop change suddenly. It compares a bandit that detects the change with one that never forgets.
#
# The shop sells wine. Its 6,497 wines are real, with eleven measurements and the score that tasters gave to each
# (`wine_quality`, one of the data sets that come with `pip install '.[study]'`). The customers are made up.

# %%
import math
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from warmcb import SharedBandit, simulate_many
from warmcb.data import open_numbered
from warmcb.features import Encoder

LABELS = 200
ROUNDS = 6000
CHANGE = 3000
OFFERED = 10
SHUFFLES = 10

data = open_numbered("wine_quality")
score = np.array([float(name) for name in data.classes])[data.y]
is_red = np.arange(len(score)) < 1599  # the table has the red wines first
wines = np.column_stack([data.X, is_red])
sugar, alcohol = data.X[:, 3], data.X[:, 10]
print(f"{is_red.sum():,} red wines and {np.sum(~is_red):,} white ones")
print(f"scores from {score.min():.0f} to {score.max():.0f}")

# %% [markdown]
# ## The customers
#
# In each round the shop sees one thing about its customer, whether there will be fish for dinner, and recommends one of
# ten wines. With fish, customers rarely buy red wine, and with meat they rarely buy white wine. Apart from that:
#
# - until round 3,000, **regulars** come: the better the score of a wine, the more likely they buy it;
# - from then on, **tourists** come: they buy sweet and light wines, whatever the score.


# %%
Array = np.ndarray[Any, Any]


def rank(values: Array) -> Array:
    """From 0 for the lowest value to almost 1 for the highest."""
    return values.argsort().argsort() / len(values)


regulars = 0.6 * np.clip((score - 3) / 5, 0, 1)
tourists = 0.6 * rank(sugar) * (1 - rank(alcohol))


class Visits(NamedTuple):
    has_fish: Array  # in each round
    offers: Array  # the ten wines on offer, by number
    chances: Array  # of each of them to be bought
    is_bought: Array  # whether the customer would buy it


def visits(seed: int) -> Visits:
    random = np.random.default_rng(seed)
    n = LABELS + ROUNDS
    has_fish = random.random(n) < 0.5
    offers = np.array([random.choice(len(wines), OFFERED, replace=False) for _ in range(n)])
    is_regular = np.arange(n) < LABELS + CHANGE
    chances = np.where(is_regular[:, None], regulars[offers], tourists[offers])
    fits = is_red[offers] != has_fish[:, None]
    chances = np.where(fits, chances, 0.3 * chances)
    return Visits(has_fish, offers, chances, random.random(chances.shape) < chances)


# %% [markdown]
# ## The labels
#
# Before the first customer comes, a sommelier picks the best of ten wines 200 times. He knows the regulars, so his
# labels are right for the first 3,000 rounds. After that they are wrong. Nobody tells the bandits.
#
# ## Who plays
#
# Ten other wines are on offer each time, so the actions have no fixed numbers. `SharedBandit` takes a row of features
# for each wine on offer and learns one model for all of them. Three such bandits play: one with the defaults, one that
# never forgets (`half_life=math.inf`), and one that believes the sommelier for ever.


# %%
def players(seed: int) -> dict[str, SharedBandit]:
    return {
        "default": SharedBandit(seed=seed),
        "never forgets": SharedBandit(half_life=math.inf, seed=seed),
        "labels alone": SharedBandit(lambdas=[0.0], epsilon=0.0, seed=seed),
    }


names = list(players(0))
sold = np.zeros((len(names), SHUFFLES, ROUNDS))
memory = np.zeros((len(names), SHUFFLES, ROUNDS))
possible = np.zeros((SHUFFLES, ROUNDS))
for shuffle in range(SHUFFLES):
    has_fish, offers, chances, is_bought = visits(shuffle)
    costs = 1.0 - is_bought
    picks = chances[:LABELS].argmax(axis=1)  # the first rows are the sommelier's
    costs[:LABELS] = 1.0 - np.eye(OFFERED)[picks]
    runs = simulate_many(
        players(shuffle).values(),
        has_fish[:, None],
        costs=list(costs),
        actions=[wines[offer] for offer in offers],
        warm_start=LABELS,
        shuffle=False,  # the order of the rounds matters here
    )
    sold[:, shuffle] = [1.0 - run.trace.costs for run in runs]
    memory[:, shuffle] = [run.trace.memories for run in runs]
    possible[shuffle] = chances[LABELS:].max(axis=1)

spans = [(0, 500), (2500, 3000), (3000, 3500), (5500, 6000)]
print(f"bottles sold in 100 visits, mean of {SHUFFLES} shuffles")
print("       rounds", *(f"{begin + 1:>5,}-{end:<5,}" for begin, end in spans))
for name, each in zip([*names, "possible"], [*sold, possible], strict=True):
    shares = [100 * each[:, begin:end].mean() for begin, end in spans]
    print(f"{name:>13}", *(f"{share:11.1f}" for share in shares))

# %% [markdown]
# "Possible" is what you would sell if you knew all probabilities. Before the change all three do well, because the
# labels are right. The two that learn from rounds are better than labels alone in the end.
#
# After the change all three recommend the wrong wines. The default recovers. The one that never forgets improves late,
# because for a long time its 3,000 rounds with the regulars outweigh what it learns from the tourists. Labels alone
# never recover.
#
# ## How the change is detected
#
# The bandit predicts the cost of what it recommends. When its errors become larger than they were, it starts a new
# model beside the old one. If the new model predicts better, it takes over. `memory_` says on how many rounds the
# current model rests. It grows with the rounds as long as nothing changes. (In the figure below it also has short dips.
# These are false alarms, or rounds in which the labels alone decided.)

# %%
rounds = np.arange(1, ROUNDS + 1)
remembered = memory[names.index("default")]
has_forgotten = (remembered < rounds / 2) & (rounds > CHANGE)
delay = has_forgotten.argmax(axis=1) + 1 - CHANGE
for t in (1000, 3000, 3500, 6000):
    print(f"round {t:,}: memory of {np.median(remembered[:, t - 1]):,.0f} rounds (median)")
print("rounds until half of all was forgotten:", *np.sort(delay))

# %% [markdown]
# ## Which models can forget?
#
# Not all of them can. `learner_` tells which one a bandit has. "Least squares" can. "Online" is for wide data, with
# more than 4,096 columns and products of them, and never forgets. An `Encoder` makes rows of 2¹⁸ columns by default, so
# give it fewer `bits` if you have few features and expect drift.

# %%
dinner = {"fish": True}
two_wines = [{"colour": "red", "sugar": 1.9}, {"colour": "white", "sugar": 20.7}]
for encoder in (Encoder(), Encoder(bits=4)):
    bandit = SharedBandit(encoder=encoder)
    bandit.learn(dinner, bandit.decide(dinner, actions=two_wines), reward=1.0)
    print(f"{encoder.bits:>2} bits: {bandit.learner_}")

# %% [markdown]
# ## What to take away
#
# A bandit that never forgets trusts the past for too long. So does one that believes old labels. `WarmBandit` and
# `SharedBandit` detect a change by themselves, without configuration. While nothing changes, that costs little.
# Log `memory_` beside your costs: if it falls and takes long to recover, something has changed.
# [Drift](/guides/drift.md) says what else they detect, and what they cannot.

# %%
before = 100 * sold[:2, :, :CHANGE].mean(axis=(1, 2))
after = 100 * sold[:2, :, CHANGE:].mean(axis=(1, 2))
print("bottles sold in 100 visits")
print(f"before the change: {before[0]:.1f}, by the one that never forgets {before[1]:.1f}")
print(f"after the change: {after[0]:.1f}, by the one that never forgets {after[1]:.1f}")
print(f"the change was detected after {np.median(delay):.0f} rounds (median)")

# %%
figure, (top, bottom) = plt.subplots(
    nrows=2,
    sharex=True,
    height_ratios=[3, 2],
    figsize=(9, 5.5),
    dpi=150,
    layout="constrained",
)
WINDOW = 100
middles = rounds.reshape(-1, WINDOW).mean(axis=1)


def smooth(each: Array) -> Array:
    """Per 100 visits: the mean of all shuffles, in windows of 100 rounds."""
    means: Array = each.mean(axis=0).reshape(-1, WINDOW).mean(axis=1)
    return 100 * means


for name, look, each in zip(names, ["k-", "C0--", "C2-."], sold, strict=True):
    top.plot(middles, smooth(each), look, label=name)
top.plot(middles, smooth(possible), color="0.7", label="possible")
top.set(ylabel="bottles sold in 100 visits", ylim=(0, 50))
top.text(CHANGE, 48, " tourists come", va="top")
top.legend(frameon=False, loc="lower left")
bottom.plot(rounds, remembered.T, "k-", linewidth=0.6, alpha=0.5)
bottom.plot(rounds, rounds, "C0--")
bottom.set(xlabel="round", ylabel="rounds remembered")
for axis in (top, bottom):
    axis.axvline(CHANGE, color="C3", linewidth=1)
    axis.spines[["top", "right"]].set_visible(False)
figure.savefig("shop_that_drifts.png")
