"""How fast logs are read and written, and how large they are.

    POLARS_MAX_THREADS=1 python benchmarks/logs.py

Decisions have ten described actions, as Azure Personalizer logged them: a line of 1.5 kB, whose context and actions are
kept as text and not encoded. Each figure is the best of several repeats, in the processor time of all threads: what
one core does if it does nothing else.
"""

import functools
import gzip
import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from warmcb.logs import append_parquet, open_log, write_dsjson

DECISIONS = 50_000
ACTIONS = 10
REPEATS = 5


def line(number: int, random: np.random.Generator) -> str:
    """A line as Personalizer wrote it."""
    best, chosen = random.integers(0, ACTIONS, 2).tolist()
    chosen = best if random.random() < 0.8 else chosen
    ranking = [chosen, *(place for place in range(ACTIONS) if place != chosen)]
    reward = float(random.random() < 0.1)
    event = {
        "_label_cost": -reward,
        "_label_probability": 0.82 if chosen == best else 0.02,
        "_label_Action": chosen + 1,
        "_labelIndex": chosen,
        "o": [{"v": reward, "EventId": f"{number:032x}", "ActionTaken": False}],
        "Timestamp": f"2026-11-{1 + number * 28 // DECISIONS:02}T20:02:39.{random.integers(10**6)}0Z",
        "Version": "1",
        "EventId": f"{number:032x}",
        "a": [place + 1 for place in ranking],
        "c": {
            "FromUrl": [{"user": {"age": int(random.integers(18, 90)), "country": "Germany", "device": "mobile"}}],
            "_multi": [
                {
                    "_tag": f"recipe-{place}",
                    "i": {"constant": 1, "id": f"recipe-{place}"},
                    "j": [{"kind": "dinner", "price": 3.5 + place, "minutes": int(random.integers(5, 90))}],
                }
                for place in range(ACTIONS)
            ],
        },
        "p": [0.82 if place == best else 0.02 for place in ranking],
        "VWState": {"m": "N/A"},
        "_original_label_cost": -reward,
    }
    return json.dumps(event, separators=(",", ":"))


def best_rate(work: Callable[[], object]) -> float:
    """Decisions for each second of processor time."""
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return DECISIONS / min(seconds)


def read(path: Path) -> int:
    return sum(map(len, open_log(path).tables()))


def main() -> None:
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, packed, own, table = (folder / part for part in ("a.dsjson", "a.dsjson.gz", "own.dsjson", "parquet"))
        plain.write_text("\n".join(line(number, random) for number in range(DECISIONS)) + "\n")
        packed.write_bytes(gzip.compress(plain.read_bytes()))
        events = list(open_log(plain).events())

        def append() -> None:
            shutil.rmtree(table, ignore_errors=True)
            append_parquet(table, events)

        writing = {own: best_rate(lambda: write_dsjson(own, events)), table: best_rate(append)}
        titles = {plain: "dsjson", packed: "dsjson, gzip", own: "dsjson, written here", table: "Parquet, by day"}
        print(f"{'':22}{'read, a second':>16}{'written, a second':>20}{'bytes a decision':>18}")
        for path, title in titles.items():
            size = sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file()) / DECISIONS
            rate = f"{writing[path]:,.0f}" if path in writing else ""
            reading = best_rate(functools.partial(read, path))
            print(f"{title:22}{reading:16,.0f}{rate:>20}{size:18,.0f}")
        print(f"{'dsjson, as events':22}{best_rate(lambda: list(open_log(plain).events())):16,.0f}")


if __name__ == "__main__":
    main()
