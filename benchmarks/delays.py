"""Costs that come late: how well bandits learn, and which λ they select.

    python benchmarks/delays.py [--delays 0 100 400] [--rounds 2400] [--seeds 3] [--data satellite_image splice]

The first table is about SharedBandit in the shop of `examples/shop.py`. Before the first visitor, 200 offers are
labelled. A label names the best item (a reward of 1, and 0 for the others), or it grades every item by its true chance
of a sale. A reward is learned when `delay` more visitors have been served. The table has the share of visitors who buy.

The second table is about WarmBandit on bundled data sets, with 200 labels. They are right, or all wrong, or they are
right until half of the rounds are over and the classes change their numbers. The table has the share of wrong actions.

Both tables have eight stretches of time, and the mean λ in each; means over the seeds.

The third table is about the optimism of WarmBandit. Features carry no information. Three actions cost 0.5, 0.6 and 0.7,
and a fourth one costs 0.9 until round 5,000, and 0.05 from then on. The table has the cost of a round above that of
the best action in rounds 1,000 to 5,000, and how often the fourth action is played in rounds 7,000 to 10,000.
"""

import argparse
import importlib.util
import itertools
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import SharedBandit, WarmBandit
from warmcb.data import Dataset, open_dataset
from warmcb.features import Encoder

Doubles = NDArray[np.float64]
STRETCHES = 8
LABELS = 200


def shop(seed: int) -> Any:
    """The shop of the example, which is a script and not a module of a package."""
    path = Path(__file__).parents[1] / "examples" / "shop.py"
    spec = importlib.util.spec_from_file_location("shop", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Shop(seed)


def play(graded: bool, delay: int, visitors: int, seed: int) -> tuple[Doubles, Doubles]:
    """Whether each visitor buys, and the λ in charge at that moment."""
    world = shop(seed)
    bandit = SharedBandit(encoder=Encoder(bits=18), cost_range=(-1, 0), seed=seed)
    labels = [world.label("right") for _ in range(LABELS)]
    requests = [request(one["context"], one["actions"]) for one in labels]
    if graded:
        costs = [[-world.chance(one["context"], item) for item in one["actions"]] for one in labels]
        bandit.warm_start(requests, costs=costs)
    else:
        bandit.warm_start(requests, y=[[i["id"] for i in one["actions"]].index(one["right"]) for one in labels])
    bought, lambdas = np.zeros(visitors), np.zeros(visitors)
    waiting: deque[tuple[Any, Any, float]] = deque()
    for i in range(visitors):
        visitor, offer = world.visitor(), world.offer()
        decision = bandit.decide(request(visitor, offer), key=str(i))
        bought[i] = world.random.random() < world.chance(visitor, offer[decision.action])
        lambdas[i] = bandit.lambda_
        waiting.append((request(visitor, offer), decision, bought[i]))
        if len(waiting) > delay:
            context, decided, reward = waiting.popleft()
            bandit.learn(context, decided, reward=reward)
    return bought, lambdas


def play_table(name: str, world: str, delay: int, rounds: int, seed: int) -> tuple[Doubles, Doubles]:
    """Whether each action is wrong, and the λ in charge at that moment."""
    data = open_dataset(name)
    assert isinstance(data, Dataset) and data.y is not None, f"{name} has no labels"
    order = np.random.default_rng(seed).permutation(len(data.y))[: LABELS + rounds]
    X, y, n_actions = data.X[order], data.y[order].copy(), len(data.classes)
    if world == "change":
        half = LABELS + rounds // 2
        y[half:] = (y[half:] + 1) % n_actions
    labels = (y[:LABELS] + (world == "wrong labels")) % n_actions
    bandit = WarmBandit(n_actions, cost_range=(0, 1), seed=seed).warm_start(X[:LABELS], labels)
    wrong, lambdas = np.zeros(len(y) - LABELS), np.zeros(len(y) - LABELS)
    waiting: deque[tuple[Any, Any, float]] = deque()
    for i in range(len(wrong)):
        x = X[[LABELS + i]]
        lambdas[i], decision = bandit.lambda_, bandit.decide(x)
        wrong[i] = decision.action != y[LABELS + i]
        waiting.append((x, decision, wrong[i]))
        if len(waiting) > delay:
            bandit.learn(*waiting.popleft())
    return wrong, lambdas


def play_doubtful(delay: int, seed: int) -> tuple[float, float]:
    """The extra cost of a round before an action becomes the best, and how often it is played in the end."""
    random = np.random.default_rng(seed)
    X, expected = random.normal(size=(10_000, 5)), np.tile([0.5, 0.6, 0.7, 0.9], (10_000, 1))
    expected[5000:, 3] = 0.05
    costs = np.clip(expected + 0.1 * random.normal(size=expected.shape), 0, 1)
    bandit, decisions = WarmBandit(4, seed=seed), []
    for i, x in enumerate(X):
        decisions.append(bandit.decide(x))
        if (due := i - delay) >= 0:
            bandit.learn(X[due], decisions[due], float(costs[due, decisions[due].action]))
    actions = np.array([decision.action for decision in decisions])
    return float(expected[np.arange(1000, 5000), actions[1000:5000]].mean()) - 0.5, float((actions[7000:] == 3).mean())


def request(visitor: dict[str, Any], offer: list[dict[str, Any]]) -> dict[str, Any]:
    """A visitor and what is on offer, in the form that the encoder reads."""
    items = [{"_tag": item["id"], **{name: value for name, value in item.items() if name != "id"}} for item in offer]
    return {**visitor, "_multi": items}


def row(runs: list[tuple[Doubles, Doubles]]) -> str:
    """The means over the seeds: of all rounds, in each stretch, and of λ."""
    outcomes, lambdas = (
        [part.mean() for part in np.array_split(np.mean(runs_of, axis=0), STRETCHES)]
        for runs_of in zip(*runs, strict=True)
    )
    stretches = (" ".join(f"{mean:.2f}" for mean in means) for means in (outcomes, lambdas))
    return f"{np.mean(outcomes):.3f} | {' | '.join(stretches)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delays", type=int, nargs="+", default=[0, 100, 400])
    parser.add_argument("--rounds", type=int, default=2400)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", nargs="*", default=["satellite_image", "splice"])
    arguments = parser.parse_args()
    delays, rounds, seeds = arguments.delays, arguments.rounds, range(arguments.seeds)
    print("| labels | delay | share that buys | in eight stretches | mean λ |\n| --- | --- | --- | --- | --- |")
    for graded, delay in itertools.product((False, True), delays):
        runs = [play(graded, delay, rounds, seed) for seed in seeds]
        print(f"| {'graded' if graded else 'right or not'} | {delay} | {row(runs)}", flush=True)
    print("\n| data | world | delay | share of wrong actions | in eight stretches | mean λ |")
    print("| --- | --- | --- | --- | --- | --- |")
    worlds = "right labels", "wrong labels", "change"
    for name, world, delay in itertools.product(arguments.data, worlds, delays):
        runs = [play_table(name, world, delay, rounds, seed) for seed in seeds]
        print(f"| {name} | {world} | {delay} | {row(runs)}", flush=True)
    print("\n| delay | extra cost of a round | share of the action that became the best |\n| --- | --- | --- |")
    for delay in delays:
        extra, share = np.mean([play_doubtful(delay, seed) for seed in seeds], axis=0)
        print(f"| {delay} | {extra:.4f} | {share:.2f} |", flush=True)


if __name__ == "__main__":
    main()
