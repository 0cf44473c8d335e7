# %% [markdown]
# # A log without probabilities
#
# Your old system has answered for years. Its log has the context, the answer and how well it went, but nobody logged
# how likely each answer was. What can such a log tell, and what can a bandit learn from it?
#
# The data is real: 12,960 applications for places in nursery schools, each with the right decision (`nursery`, one of
# the data sets that come with `pip install '.[study,logs]'`). The old program is a classifier. We took 100 applications
# and trained it on those with one of the two most frequent decisions, as if "special priority" (`spec_prior`) had been
# introduced later. So it never gives that answer.

# %%
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from warmcb import WarmBandit, simulate
from warmcb.data import open_numbered
from warmcb.logs import (
    Event,
    Health,
    PolicyValue,
    Slot,
    append_parquet,
    check_log,
    evaluate,
    open_log,
)

Array = np.ndarray[Any, Any]
Teach = Callable[[WarmBandit, Array, Array, Array], None]

data = open_numbered("nursery")
X, y = data.X.toarray(), np.asarray(data.y)
k = data.n_actions
shares = np.bincount(y) / len(y)
for name, share in zip(data.classes, shares, strict=True):
    print(f"{name:>12} {share:6.1%}")

# %% [markdown]
# ## The log
#
# A classifier here is a `WarmBandit` that learns from labels alone. The new program knows all decisions. We would like
# to know from the log how good it is, before we switch it on.


# %%
def classifier(rows: Array) -> WarmBandit:
    program = WarmBandit(k, lambdas=[0.0], epsilon=0.0, optimism=0.0)
    return program.warm_start(X[rows], y[rows])


def old_program(rows: Array) -> WarmBandit:
    is_usual = np.isin(y[rows], shares.argsort()[-2:])
    return classifier(rows[is_usual])


order = np.random.default_rng(0).permutation(len(y))
old, new = old_program(order[:100]), classifier(order[100:400])
logged = order[1000:3000]
done = old.predict(X[logged])
reward = (done == y[logged]).astype(float)
truth = np.mean(new.predict(X[logged]) == y[logged])
print("the old program says", " or ".join(data.classes[i] for i in np.unique(done)))
print(f"right answers: old program {reward.mean():.3f}, new program {truth:.3f}")

# %% [markdown]
# In practice nobody knows the last number, because it needs the right decision for each application. The log only says
# whether the old program's own answer was right.
#
# ## What the log cannot tell
#
# `evaluate` estimates what another policy would have earned, from the rewards and the probabilities of a log. We have
# no probabilities. There are two simple workarounds. The old program did not draw its answers at random, so write 1. Or
# fit a model of its answers, and write the probabilities that this model gives. We try both. For comparison we also
# make a log with probabilities, in which three answers in ten were drawn at random.


# %%
def ask(done: Array, probabilities: Array) -> tuple[Health, PolicyValue]:
    """Whether the log can be relied on, and what it says about the new program."""
    start = datetime(2026, 1, 5, tzinfo=UTC)
    rewards = (done == y[logged]).astype(float)
    events = [
        Event(
            f"application {i}",
            (Slot(int(done[i]), tuple(probabilities[i]), reward=rewards[i]),),
            time=start + timedelta(minutes=i),
            x=tuple(X[row]),
            names=data.classes,
        )
        for i, row in enumerate(logged)
    ]
    with TemporaryDirectory() as folder:
        append_parquet(folder, events)
        health = check_log(open_log(folder))
        found = evaluate(folder, {"new program": new}, reward_range=(0.0, 1.0))
    return health, found.policies["new program"]


certain = np.eye(k)[done]
model = LogisticRegression(max_iter=1000).fit(X[logged], done)
estimated = np.zeros((len(done), k))
estimated[:, model.classes_] = model.predict_proba(X[logged])
explored = 0.7 * certain + 0.3 / k
random = np.random.default_rng(1)
drawn = np.array([random.choice(k, p=chances) for chances in explored])

answers = {
    "p = 1": ask(done, certain),
    "p from a model": ask(done, estimated),
    "p logged, 30% random": ask(drawn, explored),
}
for name, (health, value) in answers.items():
    low, high = value.best.interval.low, value.best.interval.high
    print(f"{name}: {value.best.value:.3f}, from {low:.3f} to {high:.3f}")
    bad = [f"{one.name}: {one.figure}" for one in health.findings if one.verdict == "bad"]
    for complaint in (*bad, *value.warnings):
        print(fill(complaint, 88, initial_indent="  - ", subsequent_indent="    "))

# %% [markdown]
# Both workarounds lead to the same wrong answer, with an interval that looks precise and does not contain the truth. No
# model of the old answers can help: where the new program says "special priority", nobody has ever tried it. The checks
# of the log and the warnings say so. The third log has no such problem, and its interval contains the truth.
#
# So the first rule is: **do not evaluate other policies on a log without probabilities**. Let the old system draw some
# answers at random, log the probabilities, and ask again in a month.
#
# ## What the log can teach
#
# A bandit can still start from the log, because it corrects what it has learned as soon as it plays. There are three
# ways:
#
# - **As labels**: `warm_start(X, done)` takes every answer of the old program for a right one. Rewards are not used.
# - **As a log**: `warm_start(X, done, paid=cost)` also tells what each answer has cost. The bandit treats the log as a
#   source that may be right or wrong, and finds out in the rounds how far to trust it.
# - **As rounds**: `observe(x, action, cost)` learns the costs of the log as if they were its own.
#
# The third way trusts the log most. To see what that means, we play each way twice: once with the log as it is, and
# once after a mistake in the export that swapped successes and failures.


# %%
def no_log(bandit: WarmBandit, rows: Array, done: Array, cost: Array) -> None:
    pass


def as_labels(bandit: WarmBandit, rows: Array, done: Array, cost: Array) -> None:
    bandit.warm_start(X[rows], done)


def as_log(bandit: WarmBandit, rows: Array, done: Array, cost: Array) -> None:
    bandit.warm_start(X[rows], done, paid=cost, source="old program")


def as_rounds(bandit: WarmBandit, rows: Array, done: Array, cost: Array) -> None:
    for x, action, each in zip(X[rows], done, cost, strict=True):
        bandit.observe(x, int(action), float(each))


# %% [markdown]
# A bandit may have a second source. Here a clerk has checked 50 other applications, and uses "special priority", too.
# Each source gets a weight of its own ([sources of labels](/guides/labels.md)).

# %%
ROUNDS = 1000
SHUFFLES = 10


def mean_cost(teach: Teach, mistake: bool = False, checked: int = 0) -> float:
    """The average cost of the rounds after a warm start, over all shuffles."""
    costs = []
    for shuffle in range(SHUFFLES):
        order = np.random.default_rng(shuffle).permutation(len(y))
        rows, live = order[1000:3000], order[3000 : 3000 + ROUNDS]
        done = old_program(order[:100]).predict(X[rows])
        failed = done != y[rows]
        bandit = WarmBandit(k, seed=shuffle)
        teach(bandit, rows, done, (failed ^ mistake).astype(float))
        by_clerk = order[400 : 400 + checked]
        bandit.warm_start(X[by_clerk], y[by_clerk], source="clerk")
        costs.append(simulate(bandit, X[live], y[live], shuffle=False).average_cost)
    return float(np.mean(costs))


ways = {
    "no log": no_log,
    "as labels": as_labels,
    "as a log": as_log,
    "as rounds": as_rounds,
}
plain = {name: mean_cost(teach) for name, teach in ways.items()}
mistaken = {name: mean_cost(teach, mistake=True) for name, teach in ways.items()}
helped = {name: mean_cost(teach, checked=50) for name, teach in ways.items()}

print(f"average cost of the first {ROUNDS:,} rounds, mean of {SHUFFLES} shuffles")
print("          log as it is   log with the mistake   log as it is, 50 labels")
for name in ways:
    print(f"{name:>9} {plain[name]:12.3f} {mistaken[name]:22.3f} {helped[name]:25.3f}")

# %% [markdown]
# - **As labels** the log hardly helps: a third of the answers are wrong, and no answer is "special priority".
# - **As a log** it helps. With the mistake it does no harm, because the bandit detects it.
# - **As rounds** it helps most, but with the mistake it does great harm. The bandit takes these costs for its own, and
#   has to unlearn them.
# - **The clerk's 50 labels** help about as much as the 2,000 lines of the log, because they cover what the old program
#   never tried.
#
# ## What to take away
#
# Do not ask such a log what another policy would have earned. Let a bandit start from it instead. Use `observe` if you
# are sure that the costs of the log are those that the bandit will see, and that the old system knew no more than the
# log shows. Otherwise use `warm_start(paid=...)`, which tests the log.
# [Past decisions](/guides/past-decisions.md) has the details.

# %%
wrong = answers["p = 1"][1].best
low, high = wrong.interval.low, wrong.interval.high
print(f"the new program earns {truth:.3f}; the log says from {low:.3f} to {high:.3f}")
print(f"no log costs {plain['no log']:.3f}")
for call, name in {"warm_start(paid=...)": "as a log", "observe": "as rounds"}.items():
    print(f"{call} costs {plain[name]:.3f}, and {mistaken[name]:.3f} with the mistake")

# %%
figure, (left, right) = plt.subplots(
    ncols=2,
    figsize=(9, 3.6),
    dpi=150,
    layout="constrained",
)
for place, (_, value) in enumerate(answers.values()):
    estimate, interval = value.best.value, value.best.interval
    left.plot([interval.low, interval.high], [place, place], "k-", linewidth=2)
    left.plot(estimate, place, "ko")
left.axvline(truth, color="C2", linestyle="--", label="left: the truth")
left.set_yticks(range(len(answers)), [name.replace(", ", ",\n") for name in answers])
left.set(xlabel="right answers of the new program", ylim=(2.5, -0.5))
left.set_title("What the log cannot tell")
places = range(len(ways))
right.axvline(plain["no log"], color="0.7", linestyle="--")
right.plot(plain.values(), places, "ko", label="right: log as it is")
right.plot(mistaken.values(), places, "C3x", markersize=8, label="with the mistake")
right.plot(helped.values(), places, "C0^", mfc="none", label="as it is, and 50 labels")
right.set_yticks(places, ways)
right.set(xlabel=f"average cost of {ROUNDS:,} rounds", ylim=(3.5, -0.5))
right.set_title("What it can teach")
for axis in (left, right):
    axis.spines[["top", "right"]].set_visible(False)
figure.legend(frameon=False, loc="outside lower center", ncols=4)
figure.savefig("log_without_probabilities.png")
