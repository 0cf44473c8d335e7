"""How well WarmBandit learns from dictionaries, by their encoder.

    python benchmarks/encoders.py [--seeds 4]

Readers have an age, an hour, a device and a country; which of five sections they want depends on all but the country.
300 readers are labelled, a fifth of them at random. Then the bandit decides for 1,600 readers. The table has the share
of 500 other readers who would get what they want, after the labels and after some rounds; means over the seeds. In the
second world, eight fields with four levels each and a number decide; in the third, twelve fields with twelve levels.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import WarmBandit
from warmcb.features import Encoder

LABELS, ROUNDS, TESTED = 300, 1600, 500
MARKS = (200, 400, 800, 1600)

World = Callable[[int, int], tuple[list[dict[str, Any]], NDArray[np.int64]]]


def readers(seed: int, n: int) -> tuple[list[dict[str, Any]], NDArray[np.int64]]:
    """Readers, and the sections that they want."""
    random = np.random.default_rng(seed)
    age, hour = random.integers(16, 81, n), random.integers(0, 24, n)
    device, country = random.integers(0, 3, n), random.integers(0, 5, n)
    wanted = np.select([(device == 0) & (hour < 10), age < 25, hour >= 18, age > 50], [4, 2, 1, 0], default=3)
    records = [
        {"age": int(a), "hour": int(h), "device": "abc"[d], "country": "uvwxy"[c]}
        for a, h, d, c in zip(age, hour, device, country, strict=True)
    ]
    return records, wanted


def fields(n_fields: int, n_levels: int) -> World:
    """A world of levels: each field adds its own effects to the scores of the actions, and so does a number."""
    random = np.random.default_rng(7)
    effects = random.normal(size=(n_fields, n_levels, 5)) * (random.random((n_fields, 1, 1)) < 0.6)

    def world(seed: int, n: int) -> tuple[list[dict[str, Any]], NDArray[np.int64]]:
        random = np.random.default_rng(seed)
        levels, number = random.integers(0, n_levels, (n, n_fields)), random.normal(size=n)
        scores = np.outer(number, [1.0, -1.0, 0.0, 2.0, 0.0])
        for field in range(n_fields):
            scores += effects[field, levels[:, field]]
        records = [
            {**{f"f{field}": f"v{level}" for field, level in enumerate(row)}, "number": float(x)}
            for row, x in zip(levels.tolist(), number, strict=True)
        ]
        return records, scores.argmax(axis=1)

    return world


WORLDS: dict[str, World] = {"readers": readers, "8 × 4 levels": fields(8, 4), "12 × 12 levels": fields(12, 12)}
ENCODERS: dict[str, Callable[[list[dict[str, Any]]], Encoder]] = {
    "Encoder()": lambda records: Encoder(),
    "Encoder(bits=10)": lambda records: Encoder(bits=10),
    "Encoder(bits=7)": lambda records: Encoder(bits=7),
    "Encoder().fitted(records)": lambda records: Encoder().fitted(records),
}


def play(world: World, encoder: Callable[[list[dict[str, Any]]], Encoder], seed: int) -> list[float]:
    """The share of right decisions for new readers, after the labels and at each mark."""
    records, wanted = world(seed, LABELS + ROUNDS)
    others, they_want = world(99, TESTED)
    random = np.random.default_rng(seed + 1000)
    labels = np.where(random.random(LABELS) < 0.2, random.integers(0, 5, LABELS), wanted[:LABELS])
    bandit = WarmBandit(5, encoder=encoder(records[:LABELS]), seed=seed).warm_start(records[:LABELS], labels)
    shares = [float(np.mean(bandit.predict(others) == they_want))]
    for t, (record, right) in enumerate(zip(records[LABELS:], wanted[LABELS:], strict=True), 1):
        decision = bandit.decide(record)
        bandit.learn(record, decision, reward=float(decision.action == right))
        if t in MARKS:
            shares.append(float(np.mean(bandit.predict(others) == they_want)))
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=4)
    arguments = parser.parse_args()
    print(f"| problem | encoder | labels | {' | '.join(f'{mark} rounds' for mark in MARKS)} |")
    print("| --- " * (3 + len(MARKS)) + "|")
    for name, world in WORLDS.items():
        for encoder, make in ENCODERS.items():
            shares = np.mean([play(world, make, seed) for seed in range(arguments.seeds)], axis=0)
            print(f"| {name} | `{encoder}` | {' | '.join(f'{share:.2f}' for share in shares)} |", flush=True)


if __name__ == "__main__":
    main()
