# %% [markdown]
# # Labels that help
#
# You have some labelled examples. From tomorrow on, users will tell you whether your answers are right. What are the
# labels worth then? This lesson plays the same rounds with 0 to 1,000 labels and counts the mistakes that they avoid.
#
# The data is real: 3,190 stretches of DNA, each with one of three kinds of junction (`splice`, one of the data sets
# that come with `pip install '.[study]'`). Each round shows one stretch. The bandit names a kind and learns only
# whether that was right. It is never told which kind would have been right instead.

# %%
import matplotlib.pyplot as plt
import numpy as np

from warmcb import BanditOnly, SupOnly, WarmBandit, simulate_many
from warmcb.data import open_numbered

LABELS = [0, 10, 30, 100, 300, 1000]
ROUNDS = 2000
SHUFFLES = 20

data = open_numbered("splice")
X, y = data.X, np.asarray(data.y)
print(f"{len(y):,} stretches, kinds of junction: {', '.join(data.classes)}")

# %% [markdown]
# ## Who plays
#
# `WarmBandit` learns from labels and from rounds. To see what each of the two is worth, we also play it with only one
# of them. The argument `lambdas` lists the weights λ that it may choose from: λ = 1 learns from rounds alone, λ = 0
# from labels alone. A bandit that learns nothing in the rounds has no reason to explore, so the one with λ = 0 gets
# neither `epsilon` nor `optimism`.
#
# `BanditOnly` and `SupOnly` are the baselines of the paper. They also learn from one source each, with a simpler
# learner.


# %%
def players(seed: int) -> dict[str, WarmBandit | BanditOnly | SupOnly]:
    k = data.n_actions
    return {
        "labels and rounds": WarmBandit(k, seed=seed),
        "rounds alone": WarmBandit(k, lambdas=[1.0], seed=seed),
        "labels alone": WarmBandit(k, lambdas=[0.0], epsilon=0.0, optimism=0.0),
        "BanditOnly": BanditOnly(k, epsilon=0.05, seed=seed),
        "SupOnly": SupOnly(k),
    }


# %% [markdown]
# ## The same rounds with more and more labels
#
# The rounds must not depend on the number of labels. So each shuffle of the data keeps 1,000 rows for labels and plays
# the next 2,000 rows. With 10 labels, the last 10 of the 1,000 rows are labelled. `simulate_many` teaches the labels,
# plays the rounds, and returns what each round cost: 0 if the answer was right, 1 if it was wrong.

# %%
mistakes = {name: np.zeros((len(LABELS), SHUFFLES, ROUNDS)) for name in players(0)}
for shuffle in range(SHUFFLES):
    order = np.random.default_rng(shuffle).permutation(len(y))[: max(LABELS) + ROUNDS]
    for i, labels in enumerate(LABELS):
        rows = order[max(LABELS) - labels :]
        bandits = players(shuffle)
        runs = simulate_many(
            bandits.values(),
            X[rows],
            y[rows],
            warm_start=labels,
            shuffle=False,
        )
        for name, run in zip(bandits, runs, strict=True):
            mistakes[name][i, shuffle] = run.trace.costs

total = {name: costs.sum(axis=2).mean(axis=1) for name, costs in mistakes.items()}
print(f"mistakes in {ROUNDS:,} rounds, mean of {SHUFFLES} shuffles")
print(f"{'labels':>18}", *(f"{labels:6,}" for labels in LABELS))
for name, counts in total.items():
    print(f"{name:>18}", *(f"{count:6.0f}" for count in counts))

# %% [markdown]
# Read the table row by row:
#
# - **Rounds alone** ignores the labels. The number of mistakes stays the same. (It moves a little, because the labelled
#   rows also tell the bandit the range of each feature.)
# - **Labels alone** needs hundreds of labels, and a bandit that learns nothing later repeats its mistakes for ever.
# - **Labels and rounds** makes the fewest mistakes, as soon as there are labels. Nobody told the bandit how far to
#   trust them.
# - The paper's `SupOnly` is better than our own `labels alone` from 30 labels on: its simple learner suits this data.
#   But labels and rounds together are better still.
#
# ## What is one label worth?
#
# The first labels are worth the most. Compare the price of a label with the price of a mistake, and the next table
# tells you when to stop.

# %%
together = total["labels and rounds"]
worth = -np.diff(together) / np.diff(LABELS)
print("          labels   mistakes that each of them avoids")
for first, last, avoided in zip(LABELS, LABELS[1:], worth, strict=False):
    print(f"{first + 1:6,} to {last:5,}   {avoided:.2f}")

# %% [markdown]
# ## What to take away
#
# Labels help even if feedback comes later. They help most in the first rounds, when a bandit without labels knows
# nothing yet. They never replace the rounds.

# %%
hundred = LABELS.index(100)
early = {name: costs[hundred, :, :100].sum() / SHUFFLES for name, costs in mistakes.items()}
saved = together[0] - together[hundred]
print(f"100 labels avoid {saved:.0f} of {together[0]:.0f} mistakes, {saved / 100:.2f} each.")
print(
    f"In the first 100 rounds they leave {early['labels and rounds']:.0f} mistakes"
    f" instead of {early['rounds alone']:.0f}."
)
print(f"Each of the last 700 labels avoids {worth[-1]:.2f} mistakes.")

# %%
figure, (left, right) = plt.subplots(
    ncols=2,
    sharey=True,
    figsize=(9, 4),
    dpi=150,
    layout="constrained",
)
looks = {"labels and rounds": "k-", "rounds alone": "C0--", "labels alone": "C2-."}
for name, look in looks.items():
    so_far = mistakes[name][hundred].mean(axis=0).cumsum()
    left.plot(np.arange(1, ROUNDS + 1), so_far, look, label=name)
    right.plot(total[name], look, marker="o")
left.set(xlabel="round", ylabel="mistakes so far", ylim=(0, 650))
left.set_title("100 labels")
left.legend(frameon=False)
right.set(xlabel="number of labels", ylabel=f"mistakes in {ROUNDS:,} rounds")
right.set_title("0 to 1,000 labels")
right.set_xticks(range(len(LABELS)), [f"{labels:,}" for labels in LABELS])
for axis in (left, right):
    axis.spines[["top", "right"]].set_visible(False)
figure.savefig("labels_that_help.png")
