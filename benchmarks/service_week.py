"""A week of a small shop in simulated time: every count of the service beside that of an oracle.

    python benchmarks/service_week.py [--events 100000] [--folder /dev/shm]

There are two loops, one with described and one with named actions. Rewards come early, in time and late, several for
one event, repeatedly, with keys that contradict each other, and for slots that do not exist. 5 % of them are lost.
Settings change during the week, some events are deferred, and the service is down for two hours.
"""

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from service_oracle import SECOND, Joined, Oracle, Outcome, Where
from small_service import BEGIN, DESCRIBED, NAMED, PIECES, Arrival, SmallService
from warmcb.service.clock import iso
from warmcb.service.refusals import RefusedError

MINUTE, HOUR, DAY = 60 * SECOND, 3600 * SECOND, 86_400 * SECOND
LOOPS: dict[str, dict[str, Any]] = {"shop": DESCRIBED, "front": NAMED}
CALM = {"wait": 600.0, "default_reward": 0.0, "aggregation": "earliest", "join": "deadline"}
DOWN, UP = 3 * DAY, 3 * DAY + 2 * HOUR
TOGETHER = 16  # calls that share a transaction


class Planned(NamedTuple):
    """What happens at a time: a request, a change of settings, or a step of the trainer."""

    time: int
    what: Arrival | dict[str, Any] | None
    loop: str = ""


class Found(NamedTuple):
    """The state of a service after a week.

    Attributes:
        outcomes: what became of each event.
        learned: the ids of the events of each loop, in the order of its journal.
        totals: the counts of each loop.

    """

    outcomes: dict[Where, Outcome]
    learned: dict[str, list[str]]
    totals: dict[str, dict[str, int]]


def calls(rng: random.Random, n: int) -> Iterator[Planned]:
    """Yield the requests of applications in a week."""
    for i in range(n):
        loop, event, at = rng.choice(list(LOOPS)), f"e{i}", rng.randrange(7 * DAY)
        body: dict[str, Any] = {"event": event, "context": {"hour": at // HOUR % 24, "new": rng.random() < 0.3}}
        if loop == "shop":
            body["actions"] = PIECES
        slots = ["top", "side"] if rng.random() < 0.15 else []
        if slots:
            body["slots"] = [{"id": slot} for slot in slots]
        if rng.random() < 0.05:
            body["explore"] = False
        if rng.random() < 0.1:
            body["deferred"] = True
        if body.get("deferred") or rng.random() < 0.02:
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                yield Planned(at + _delay(rng), Arrival("activate", loop, {"event": event}))
        for _ in range(rng.choice([1] * 20 + [2])):
            yield Planned(at, Arrival("decide", loop, body))
            at += rng.randrange(10 * MINUTE)
        for slot in slots or [""]:
            yield from _rewards(rng, loop, event, slot, at)


def _rewards(rng: random.Random, loop: str, event: str, slot: str, decided: int) -> Iterator[Planned]:
    if rng.random() < 0.01:
        slot = "bottom"
    for i in range(rng.choice([0, 0, 0, 0, 1, 1, 1, 2, 3, 4])):
        key = f"k{i}" if rng.random() < 0.6 else None
        value, at = rng.randrange(-4, 9) / 4, decided + _delay(rng)
        for repeated in range(rng.choice([1] * 15 + [2, 3])):
            told = value + 1 if repeated and rng.random() < 0.1 else value
            if rng.random() >= 0.05:
                yield Planned(at, Arrival("reward", loop, {"event": event, "reward": told, "slot": slot}, key))
            at += rng.randrange(HOUR)


def _delay(rng: random.Random) -> int:
    """Return the microseconds from a decision to its reward, which may come before it."""
    if rng.random() < 0.05:
        return -rng.randrange(2 * MINUTE)
    mean = rng.choice([MINUTE, 5 * MINUTE, 15 * MINUTE, DAY])
    return round(rng.expovariate(1 / mean))


def changes(rng: random.Random) -> Iterator[Planned]:
    """Yield the changes of settings in a week."""
    choices: dict[str, list[Any]] = {
        "wait": [1.0, 60.0, 600.0, 3600.0, 7200.5, 86_400.0, 3 * 86_400.0],
        "default_reward": [0.0, -0.5, 0.25],
        "aggregation": ["earliest", "sum", "mean", "median", "least", "largest"],
        "join": ["deadline", "deadline", "first_reward"],
    }
    for loop in LOOPS:
        for _ in range(25):
            names = rng.sample(list(choices), rng.randrange(1, 4))
            yield Planned(rng.randrange(7 * DAY), {name: rng.choice(choices[name]) for name in names}, loop)


def plan(seed: int, n: int) -> list[Planned]:
    """Return everything that happens, in order. Nothing reaches the service while it is down."""
    rng = random.Random(seed)
    looks = [Planned(rng.randrange(7 * DAY), None) for _ in range(n // 50)]
    everything = [*calls(rng, n), *changes(rng), *looks]
    reached = [one for one in everything if 0 <= one.time < DOWN or UP <= one.time < 7 * DAY]
    return sorted(reached, key=lambda one: one.time)


class Week:
    """A service and an oracle that go through the same week.

    Attributes:
        oracle: the oracle.
        differences: requests that were not answered as the oracle says.
        answers: how often each answer was given.

    """

    def __init__(self, service: SmallService) -> None:
        self.service, self.answers = service, Counter[str]()
        self.differences: list[str] = []
        self.oracle = Oracle({loop: dict(CALM) for loop in LOOPS})
        self._decided: dict[Where, dict[str, Any]] = {}
        for service.loop, body in LOOPS.items():
            service.make(body, features="linear")

    def live(self, planned: list[Planned]) -> None:
        """Play a week to its end."""
        group: list[Planned] = []
        is_up_again = False
        for one, following in pairwise([*planned, Planned(7 * DAY, None)]):
            if not is_up_again and one.time >= UP:
                self._start_again()
                is_up_again = True
            if isinstance(one.what, Arrival):
                group.append(one)
            elif one.what is None:
                self._at(one.time)
                self.train()
            else:
                self._at(one.time)
                self.service.loop = one.loop
                self.service.change(**one.what)
                self.oracle.settings[one.loop] |= one.what
            if group and not _joins(following, group):
                self._arrive(group)
                group = []
        self._at(7 * DAY)
        self.train()

    def wait_for_all(self) -> None:
        """Go on until all deadlines are over."""
        self._at(11 * DAY)
        self.train()

    def train(self) -> None:
        """Let the trainer join and learn what is due."""
        self.service.train()
        self.oracle.join(self.service.clock.now())

    def found(self) -> Found:
        """Return the state of the service."""
        late = {
            (loop, event): count
            for loop, event, count in self.service.read(
                "SELECT e.loop, e.event, count(*) FROM events e JOIN rewards r"
                " ON r.loop = e.loop AND r.event = e.event AND r.time > e.due GROUP BY e.loop, e.event"
            )
        }
        outcomes = {}
        learned: dict[str, list[str]] = {loop: [] for loop in LOOPS}
        sql = (
            "SELECT j.number, e.loop, e.event, j.body FROM journal j"
            " JOIN events e ON e.id = j.event AND e.joined = j.number"
            " UNION ALL SELECT 0, loop, event, NULL FROM events WHERE joined IS NULL ORDER BY 1"
        )
        for _, loop, event, body in self.service.read(sql):
            joined = None
            if body is not None:
                told = json.loads(body)
                filled = [moment is None for moment in told["times"]]
                joined = Joined(told["activated"], tuple(zip(told["rewards"], filled, strict=True)))
                learned[loop].append(event)
            outcomes[loop, event] = Outcome(joined, late.get((loop, event), 0))
        return Found(outcomes, learned, {loop: self._totals(loop, outcomes) for loop in LOOPS})

    def _totals(self, loop: str, outcomes: dict[Where, Outcome]) -> dict[str, int]:
        self.service.loop = loop
        joined = [one.joined for where, one in outcomes.items() if where[0] == loop and one.joined is not None]
        counts = self.service.counts()
        return {
            "events": counts["events"],
            "waiting": counts["waiting"],
            "joined": counts["joined"],
            "not activated": sum(not one.activated for one in joined),
            "slots filled in": sum(filled for one in joined for _, filled in one.slots),
            "rewards": counts["rewards"],
            "late": counts["late"],
            "rounds learned": self.service.bandit.learned_,
        }

    def _at(self, time: int) -> None:
        self.service.clock.advance(BEGIN + time - self.service.clock.now())

    def _start_again(self) -> None:
        """Kill the trainer and everything else, and start again two hours later."""
        self._at(UP)
        self.service.restart()
        self.oracle.start_again(self.service.clock.now())

    def _arrive(self, group: list[Planned]) -> None:
        self._at(group[-1].time)
        arrivals = [one.what for one in group if isinstance(one.what, Arrival)]
        for arrival, answer in zip(arrivals, self.service.together(arrivals), strict=True):
            expected, told = self._expected(arrival), self._told(arrival, answer)
            self.answers[f"{arrival.route}: {told}"] += 1
            if told != expected:
                self.differences.append(f"{arrival} was answered {told}; expected {expected}")

    def _expected(self, arrival: Arrival) -> str:
        now, where, body = self.service.clock.now(), (arrival.loop, arrival.body["event"]), arrival.body
        if arrival.route == "activate":
            return self.oracle.activate(now, where)
        if arrival.route == "reward":
            return str(self.oracle.reward(now, where, body["reward"], body["slot"], arrival.key))
        slots = [slot["id"] for slot in body.get("slots", [])]
        return self.oracle.decide(now, where, slots, body.get("deferred", False), body.get("explore", True))

    def _told(self, arrival: Arrival, answer: Any) -> str:
        if isinstance(answer, RefusedError):
            return str(answer.status)
        if arrival.route != "decide":
            return str(answer["status"])
        where = arrival.loop, arrival.body["event"]
        if answer.pop("due") != iso(self.oracle.cases[where].due):
            return "another deadline"
        first = self._decided.setdefault(where, answer)
        return "new" if first is answer else "repeated" if first == answer else "another answer"


def _joins(following: Planned, group: list[Planned]) -> bool:
    """Whether a request shares a transaction with others. Requests for one event come one after the other."""
    if not isinstance(following.what, Arrival) or len(group) == TOGETHER or following.time >= UP > group[0].time:
        return False
    events = {one.what.body["event"] for one in group if isinstance(one.what, Arrival)}
    return following.what.body["event"] not in events


def main() -> None:
    """Play the week, and print every count beside the oracle's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="of the store; by default a temporary one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder, SmallService(Path(folder)) as service:
        began, week = time.perf_counter(), Week(service)
        week.live(plan(options.seed, options.events))
        for moment, wait in (("at the end of the week", None), ("when every wait is over", week.wait_for_all)):
            if wait is not None:
                wait()
            show(moment, week)
        print("\nanswers")
        for answer, count in sorted(week.answers.items()):
            print(f"{answer:40}{count:10,}")
        print(f"{time.perf_counter() - began:.0f} s")


def show(moment: str, week: Week) -> None:
    """Print the state of a week."""
    found, oracle = week.found(), week.oracle
    print(f"\n{moment:40}{'service':>10}{'oracle':>10}")
    for loop in LOOPS:
        for name, expected in oracle.totals(loop).items():
            print(f"{loop + ', ' + name:40}{found.totals[loop][name]:10,}{expected:10,}")
    wrong = sum(found.outcomes.get(where) != oracle.outcome(where) for where in oracle.cases)
    print(f"events that differ: {wrong}; answers that differ: {len(week.differences)} of {week.answers.total():,}")
    print("in the oracle's order:", all(found.learned[loop] == oracle.learned[loop] for loop in LOOPS))


if __name__ == "__main__":
    main()
