"""A service with a history, for the page to show: real decisions, and earlier days written by SQL."""

import json
import random
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from warmcb.client import Client
from warmcb.service.clock import HOUR, MINUTE, SECOND

GOODS: list[dict[str, Any]] = [
    {"id": "tea", "hot": True, "price": 2.0},
    {"id": "milk", "hot": False, "price": 1.0},
    {"id": "beer", "hot": False, "price": 4.0},
    {"id": "soup", "hot": True, "price": 5.0},
]
SETTINGS: dict[str, Any] = {"wait": 1.0, "control": 0.2, "publish_seconds": 0.5, "reward_range": (0.0, 1.0)}
_PATIENCE = 60.0  # seconds until events are learned
GUESTS = 5000

_COPIED = "settings, model, round, request, names, slots, deferred, eager, agrees"
_EVENT = f"INSERT INTO events (id, loop, event, time, due, unit, arm, joined, {_COPIED}) VALUES ({', '.join('?' * 17)})"
_JOURNAL = "INSERT INTO journal (loop, number, kind, body, time, event) VALUES (?, ?, 'event', ?, ?, ?)"
_PROGRESS = (
    "INSERT INTO progress (loop, minute, time, version, lambda, scores, learned, memory, source)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_JOINED = (
    "WITH joined AS (SELECT e.time, e.arm, e.agrees, j.body ->> '$.rewards[0]' AS reward,"
    " (j.body ->> '$.times[0]') - e.time AS delay FROM events e"
    " JOIN journal j ON j.loop = e.loop AND j.number = e.joined WHERE e.loop = :loop)"
)
_MINUTES = (
    "INSERT INTO minutes (loop, minute, arm, decisions, joined, rewarded, reward_sum, reward_squares, delay_sum,"
    f" compared, agreed) {_JOINED} SELECT :loop, time / {MINUTE} * {MINUTE}, arm, count(*), count(*), count(delay),"
    " sum(reward), sum(reward * reward), coalesce(sum(delay), 0), count(agrees), coalesce(sum(agrees), 0)"
    " FROM joined GROUP BY 2, 3"
)


def work(url: str, key: str, loop: str, events: int = 200, **settings: Any) -> None:
    """Make a loop with described actions, give it labels, decide, reward, and wait until it has learned.

    Args:
        url: the address of the service.
        key: a key that may administer it.
        loop: the name of the loop.
        events: how many decisions.
        settings: settings of the loop besides `SETTINGS`.

    """
    draw = random.Random(1)
    with Client(url, key, loop) as client:
        client.make_loop("described", settings=SETTINGS | settings)
        contexts = [{"hour": draw.randrange(24), "rain": draw.random() < 0.3} for _ in range(events)]
        right = [{"context": x, "actions": GOODS, "right": "soup" if x["rain"] else "tea"} for x in contexts[:40]]
        client.labels(right, source="staff")
        for i, context in enumerate(contexts):
            answer = client.decide(context, GOODS, event=f"visit/{i}", unit=f"guest-{i % 50}")
            is_hot = answer.action in ("tea", "soup")
            if draw.random() < (0.7 if is_hot == (context["rain"] or context["hour"] > 18) else 0.2):
                client.reward(answer.event, 1.0)
        deadline = time.monotonic() + _PATIENCE
        while client.loop().counts.waiting or not client.models():
            if time.monotonic() > deadline:
                raise RuntimeError(f"the loop {loop!r} has not learned its events")
            time.sleep(0.1)


def write_past(store: Path, loop: str, events: int, days: float) -> None:
    """Write events of the past, before those of `work`, into the store of a service that is not running.

    They are copies of the real ones at other times, in the tables that grow with events and time. So the service goes
    on from the model that it has. The reward of the model rises slowly over the days. The comparison with the control
    group uses the real events only.

    Args:
        store: the SQLite file.
        loop: a loop that `work` has filled.
        events: how many events.
        days: over how many days they are spread.

    """
    with sqlite3.connect(store) as database:
        began = database.execute("SELECT min(time) FROM events WHERE loop = ?", (loop,)).fetchone()[0]
        step = round(days * 86_400 * SECOND / events)
        for table, column in (("settings", "time"), ("loops", "made")):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE loop = ?", (began - events * step, loop))
        _make_room(database, loop, events)
        database.executemany(_JOURNAL, ((loop, *row) for row in _entries(events, began, step)))
        database.executemany(_EVENT, _copies(database, loop, events, began, step))
        database.execute("DELETE FROM minutes WHERE loop = ?", (loop,))
        database.execute(_MINUTES, {"loop": loop})
        database.executemany(_PROGRESS, _progress(database, loop, events, began, step))
    database.close()


def _make_room(database: sqlite3.Connection, loop: str, events: int) -> None:
    """Renumber the existing entries, so that the new events can come before them."""
    for table, column in (
        ("events", "joined"),
        ("journal", "number"),
        ("versions", "version"),
        ("published", "version"),
    ):
        database.execute(f"UPDATE {table} SET {column} = {column} + ? WHERE loop = ?", (events, loop))
    database.execute("UPDATE loops SET entries = entries + ? WHERE loop = ?", (events, loop))
    database.execute("UPDATE events SET id = id + ?", (events,))
    database.execute("UPDATE journal SET event = event + ?", (events,))
    database.execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'events'", (events,))


def _entries(events: int, began: int, step: int) -> Iterator[tuple[int, str, int, int]]:
    """Yield the number, body, time and event of each journal entry."""
    draw = random.Random(2)
    for i in range(events):
        time_ = began - (events - i) * step
        is_rewarded = draw.random() < (0.38 if _is_control(i) else 0.34 + 0.22 * min(1.0, 2 * i / events))
        body = {"rewards": [float(is_rewarded)], "times": [time_ + 20 * SECOND if is_rewarded else None]}
        yield i + 1, json.dumps({**body, "activated": True}), time_ + 60 * SECOND, i + 1


def _copies(database: sqlite3.Connection, loop: str, events: int, began: int, step: int) -> Iterator[tuple[Any, ...]]:
    """Yield rows of events: copies of real ones at other times."""
    real: dict[str, list[tuple[Any, ...]]] = {"model": [], "control": []}
    for arm, *row in database.execute(f"SELECT arm, {_COPIED} FROM events WHERE loop = ?", (loop,)):
        real.setdefault(arm, []).append(tuple(row))
    for i in range(events):
        arm, time_ = "control" if _is_control(i) else "model", began - (events - i) * step
        copied = real[arm][i % len(real[arm])]
        yield (i + 1, loop, f"past/{i}", time_, time_ + 60 * SECOND, f"guest-{i % GUESTS}", arm, i + 1, *copied)


def _is_control(i: int) -> bool:
    return i % GUESTS % 5 == 0


def _progress(database: sqlite3.Connection, loop: str, events: int, began: int, step: int) -> Iterator[tuple[Any, ...]]:
    """Yield the state of the model in each hour: λ moves away from the labels, whose scores stay behind."""
    (last,) = database.execute("SELECT scores FROM progress WHERE loop = ? ORDER BY minute DESC", (loop,)).fetchone()
    lanes = json.loads(last)
    hours = events * step // HOUR
    for hour in range(hours):
        at = began - (hours - hour) * HOUR
        part = hour / hours
        scores = [lane | {"score": 0.9 + 0.1 * (lane["lambda"] - 1.2 * part) ** 2} for lane in lanes]
        in_charge = min(scores, key=lambda lane: lane["score"])["lambda"]
        learned = round(part * events)
        yield (
            loop,
            at // MINUTE * MINUTE,
            at,
            learned,
            in_charge,
            json.dumps(scores),
            learned,
            min(learned, 50_000.0),
            "staff",
        )
