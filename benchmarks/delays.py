"""Rewards that come late: how SharedBandit does in the shop of `examples/shop.py`, and which λ it picks.

    python benchmarks/delays.py [--delays 0 100 400] [--visitors 2400] [--seeds 3]

Before the first visitor, 200 offers are labelled. A label names the best item (a reward of 1, and 0 for the others), or
it grades every item by its true chance of a sale. A reward is learned when `delay` more visitors have been served.
The table has the share of visitors who buy, and the mean λ, in eight stretches of time; means over the seeds.
"""

import argparse
import importlib.util
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import SharedBandit
from warmcb.features import Encoder

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


def play(graded: bool, delay: int, visitors: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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


def request(visitor: dict[str, Any], offer: list[dict[str, Any]]) -> dict[str, Any]:
    """A visitor and what is on offer, in the form that the encoder reads."""
    items = [{"_tag": item["id"], **{name: value for name, value in item.items() if name != "id"}} for item in offer]
    return {**visitor, "_multi": items}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delays", type=int, nargs="+", default=[0, 100, 400])
    parser.add_argument("--visitors", type=int, default=2400)
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    print("| labels | delay | share that buys, in eight stretches | mean λ |\n| --- | --- | --- | --- |")
    for graded in (False, True):
        for delay in arguments.delays:
            runs = [play(graded, delay, arguments.visitors, seed) for seed in range(arguments.seeds)]
            means = np.mean(runs, axis=0)
            bought, lambdas = (
                " ".join(f"{part.mean():.2f}" for part in np.array_split(row, STRETCHES)) for row in means
            )
            print(f"| {'graded' if graded else 'right or not'} | {delay} | {bought} | {lambdas} |", flush=True)


if __name__ == "__main__":
    main()
