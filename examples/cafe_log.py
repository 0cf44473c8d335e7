"""Write a log of a café's recommendations in which something is wrong, for `warmcb log check`.

    python examples/cafe_log.py
    warmcb log check cafe.dsjson.gz --out cafe.html

Two guests in three are from Rome at first, later every second one. In the last fifth a new model draws, while the
probabilities of the old one are still logged.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np

from warmcb.logs import Event, Slot, write_dsjson

DRINKS = ("espresso", "mocha", "latte", "tea", "cocoa")
DECISIONS = 20_000
EPSILON = 0.2


def best(age: float, city: str, model: int) -> int:
    """The drink that a version of the model prefers."""
    return int(age // 10 + (city == "Rome") + (model and age > 45)) % len(DRINKS)


def probabilities(preferred: int) -> tuple[float, ...]:
    share = EPSILON / len(DRINKS)
    return tuple(1 - EPSILON + share if place == preferred else share for place in range(len(DRINKS)))


def events() -> Iterator[Event]:
    random = np.random.default_rng(1)
    time = datetime(2026, 11, 2, tzinfo=UTC)
    actions = [{"_tag": drink, "i": {"id": drink}} for drink in DRINKS]
    for number in range(DECISIONS):
        time += timedelta(seconds=float(random.exponential(25)) * (2 + np.sin(time.hour / 12 * np.pi)))
        is_late = number > 0.8 * DECISIONS
        age = float(random.normal(38, 10))
        city = "Rome" if random.random() < (0.5 if number > DECISIONS / 2 else 0.67) else "Oslo"
        drawn_from = probabilities(best(age, city, is_late))
        action = int(random.choice(len(DRINKS), p=drawn_from))
        bought = random.random() < (0.4 if action == best(age, city, 1) else 0.15)
        waited = timedelta(seconds=float(random.lognormal(4, 1)))
        slot = Slot(
            action,
            probabilities(best(age, city, 0)),
            reward=float(bought),
            rewarded=time + waited if bought else None,
            filled=not bought,
        )
        request = json.dumps({"guest": {"age": round(age), "city": city}, "_multi": actions})
        arm = "control" if random.random() < 0.05 else "model"
        yield Event(f"{number:05}", (slot,), time, arm=arm, request=request, model="v2" if is_late else "v1")


if __name__ == "__main__":
    write_dsjson("cafe.dsjson.gz", events())
