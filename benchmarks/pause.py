"""How soon a loop that is worse than its control group is paused, and how often one that is not.

    python benchmarks/pause.py [--runs 50] [--events 50000]

A tenth of the units is in the control group. Rewards are 0 or 1. Units come once, or twenty times each in random order.
In the second case their probabilities of a reward differ, with a standard deviation of 0.1.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from warmcb.service.monitoring.comparing import look, surely_worse
from warmcb.service.monitoring.tallies import Side

RANGE = (0.0, 1.0)
CONTROL = 0.1
WORLDS = [  # the probability of a reward in the control group and for the model, and how often units come
    (0.5, 0.2, 1),
    (0.5, 0.4, 1),
    (0.05, 0.02, 1),
    (0.5, 0.2, 20),
    (0.5, 0.4, 20),
    (0.5, 0.5, 1),
    (0.05, 0.05, 1),
    (0.5, 0.5, 20),
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--events", type=int, default=50_000)
    given = parser.parse_args()
    print("| control | model | a unit comes | paused | after events (median) |\n| --- | --- | --- | --- | --- |")
    for control, model, visits in WORLDS:
        runs = (paused_after(control, model, visits, given.events, seed) for seed in range(given.runs))
        found = sorted(events for events in runs if events is not None)
        median = f"{found[len(found) // 2]:,}" if found else ""
        print(f"| {control} | {model} | {visits} | {len(found)} of {given.runs} | {median} |", flush=True)


def paused_after(control: float, model: float, visits: int, most: int, seed: int) -> int | None:
    """Return the number of events after which the loop is paused; None if it is not."""
    sides, seen, looked = {True: Side(), False: Side()}, dict[int, tuple[int, float]](), 0
    for i, (unit, is_control, reward) in enumerate(events(control, model, visits, most, seed), 1):
        side, (before, total) = sides[is_control], seen.get(unit, (0, 0.0))
        side.add(reward, before, total, side.expected(Side(), RANGE))
        if visits > 1:
            seen[unit] = before + 1, total + reward
        number = look(sides[False], sides[True])
        if number > looked and min(one.units for one in sides.values()) > 1:
            looked = number
            if surely_worse(sides[False], sides[True], RANGE, number):
                return i
    return None


def events(control: float, model: float, visits: int, most: int, seed: int) -> Iterator[tuple[int, bool, float]]:
    """Yield units, whether they are in the control group, and their rewards."""
    random = np.random.default_rng(seed)
    units = np.arange(most) if visits == 1 else random.integers(most // visits, size=most)
    is_control = random.random(most) < CONTROL
    own = 0.1 * random.standard_normal(most) * (visits > 1)
    chances = np.clip(np.where(is_control, control, model) + own, 0, 1)
    rewards = random.random(most) < chances[units]
    return zip(units.tolist(), is_control[units].tolist(), rewards.astype(float).tolist(), strict=True)


if __name__ == "__main__":
    main()
