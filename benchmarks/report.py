"""How long the first view of a loop takes with a million events in the store.

    python benchmarks/report.py [--events 1000000] [--waiting 50000]

Events have 1 kB each, spread over a day, from 100,000 units, with a tenth of them in the control group. The service
itself decides, rewards and joins a few thousand. The others are copies of these, made by SQL, together with the sums
that joining them would have added. The store is an SQLite file in TMPDIR.
"""

import argparse
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from small_service import NAMED, SmallService
from warmcb.service.clock import DAY, MINUTE, SECOND

REAL = 2000  # events that the service itself decides
WAIT = 10.0
ROUNDS = 7


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--waiting", type=int, default=50_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, SmallService(Path(name)) as service:
        _decide(service)
        service.wait(DAY / SECOND)
        _multiply(Path(name) / "store.db", given.events, given.waiting, service.clock.now())
        size = (Path(name) / "store.db").stat().st_size / 2**30
        print(f"{given.events} events, {given.waiting} of them waiting, {size:.1f} GB")
        for what, call in (("report, 24 hours", service.report), ("report, 90 days", lambda: service.report(24 * 90))):
            print(f"{what}: {_milliseconds(call)}")
        told = service.report()
        print(f"  {len(told['series'])} points, {told['counts']}")


def _decide(service: SmallService) -> None:
    service.make(NAMED, wait=WAIT, control=0.1)
    for i in range(REAL):
        told = service.decide(f"e{i}", context={"hour": i % 24, "text": "x" * 1000}, unit=f"user-{i % 500}")
        service.reward(f"e{i}", float(told["action"] == "news"))
        if i % 100 == 99:
            service.train_after(WAIT + 1)


def _multiply(path: Path, events: int, waiting: int, now: int) -> None:
    """Copy the events, their journal entries, and the sums."""
    database = sqlite3.connect(path)
    names = [name for _, name, *_ in database.execute("PRAGMA table_info(events)")]
    new = {
        "id": "c.n * 100000 + id",
        "event": "event || '-' || c.n",
        "time": "$begin + ((c.n * 100000 + id) * 7919 % $events) * $day / $events",
        "unit": "unit || '-' || c.n % 200",
        "joined": "CASE WHEN c.n * $real >= $events - $waiting THEN NULL ELSE c.n * 100000 + joined END",
    }
    copies = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $events / $real - 1)"
    values = {"events": events, "real": REAL, "waiting": waiting, "day": DAY, "begin": now - DAY}
    columns = ", ".join(new.get(name, name) for name in names)
    database.execute(f"INSERT INTO events ({', '.join(names)}) {copies} SELECT {columns} FROM c, events", values)
    database.execute(
        "INSERT INTO journal (loop, number, kind, body, time, event)"
        " SELECT e.loop, e.joined, 'event', j.body, e.time, e.id FROM events e"
        " JOIN journal j ON j.loop = e.loop AND j.number = e.joined % 100000 WHERE e.joined > 100000"
    )
    database.execute("DELETE FROM minutes")
    sums = "count(*), count(*), count(*), sum(id % 2), sum(id % 2), count(*) * 1000000, 0, 0"
    database.execute(
        f"INSERT INTO minutes SELECT loop, time / {MINUTE} * {MINUTE}, arm, {sums} FROM events WHERE joined > 0"
        " GROUP BY 1, 2, 3"
    )
    database.execute(
        "INSERT INTO progress SELECT loop, m.minute, m.minute, version, lambda, scores, learned, memory, source"
        " FROM progress, (SELECT DISTINCT minute FROM minutes) m"
        " WHERE progress.minute = (SELECT max(minute) FROM progress) ON CONFLICT DO NOTHING"
    )
    database.execute("UPDATE loops SET entries = (SELECT max(number) FROM journal WHERE loop = loops.loop)")
    database.commit()
    database.close()


def _milliseconds(call: Callable[[], Any]) -> str:
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        took.append(1000 * (time.perf_counter() - began))
    return f"{statistics.median(took):.0f} ms (first {took[0]:.0f}, most {max(took):.0f})"


if __name__ == "__main__":
    main()
