"""Small worlds whose logs are made by known policies, so that the value of any policy can be computed."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb.logs import Event, Slot

START = datetime(2026, 3, 1, tzinfo=UTC)
DRINKS = ("tea", "coffee", "milk")
HOURS = ("morning", "noon", "night")
WANTED = {"morning": "coffee", "noon": "tea", "night": "milk"}


def rewards_of(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each of three actions brings on average in a context of two numbers."""
    return np.asarray(1 / (1 + np.exp(-2 * np.array([x[0], x[1], -x[0]]))))


def numbered(n: int, seed: int = 0, epsilon: float = 0.3, **more: Any) -> Iterator[Event]:
    """Three actions, two numbers: somebody plays the best action of the first number alone, and explores."""
    random = np.random.default_rng(seed)
    for i in range(n):
        x = random.normal(size=2)
        chances = np.full(3, epsilon / 3)
        chances[0 if x[0] > 0 else 2] += 1 - epsilon
        action = int(random.choice(3, p=chances))
        reward = float(random.random() < rewards_of(x)[action])
        slot = Slot(action, tuple(chances.tolist()), reward=reward)
        yield Event(f"e{i}", (slot,), time=START + timedelta(minutes=i), x=tuple(x.tolist()), **more)


def drinks(n: int, seed: int = 0, *, described: bool = True) -> Iterator[Event]:
    """Drinks with names, of which two or three are there; at each hour another one is wanted."""
    random = np.random.default_rng(seed)
    for i in range(n):
        hour = HOURS[int(random.integers(3))]
        allowed = tuple(sorted(random.choice(3, size=int(random.integers(2, 4)), replace=False).tolist()))
        chances = np.zeros(3)
        chances[list(allowed)] = 1 / len(allowed)
        action = int(random.choice(3, p=chances))
        reward = float(random.random() < (0.9 if DRINKS[action] == WANTED[hour] else 0.2))
        features = {name: {"hot": name != "milk", "kind": name} if described else {} for name in DRINKS}
        request = {"hour": hour, "_multi": [{"_tag": name, **features[name]} for name in DRINKS]}
        slot = Slot(action, tuple(chances.tolist()), allowed=allowed, reward=reward)
        yield Event(f"d{i}", (slot,), time=START + timedelta(seconds=i), request=json.dumps(request))


def pages(n: int, seed: int = 0) -> Iterator[Event]:
    """Two places on a page, and four items for them; an item is wanted or not, wherever it stands."""
    random = np.random.default_rng(seed)
    for i in range(n):
        wanted = random.random(4) < 0.5
        request = {"_multi": [{"wanted": bool(one)} for one in wanted], "_slots": [{"size": "l"}, {"size": "s"}]}
        first = int(random.integers(4))
        left = [item for item in range(4) if item != first]
        second = int(random.choice(left))
        of_second = tuple(1 / 3 if item in left else 0.0 for item in range(4))
        slots = (
            Slot(first, (0.25,) * 4, id="top", reward=float(wanted[first])),
            Slot(second, of_second, id="side", reward=float(wanted[second])),
        )
        yield Event(f"p{i}", slots, time=START + timedelta(seconds=i), request=json.dumps(request))
