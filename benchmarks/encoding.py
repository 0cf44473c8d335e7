"""How long encoding takes: one request in JSON, and whole frames.

    python benchmarks/encoding.py

The request has a context of 10 values and 20 actions of 5 values, 3.8 kB in all; the time is that from its text to the
rows. Frames have 100,000 rows of 10 columns. Each figure is the median of several repeats on one core.
"""

import json
import statistics
import timeit
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from warmcb.features import Encoder

ROWS = 100_000
KINDS = ("breakfast", "dinner", "dessert", "vegetarian", "regional")


def request() -> str:
    context = {
        "user": {"country": "Germany", "age": 31, "subscriber": True, "interests": ["cooking", "travel", "music"]},
        "device": {"kind": "mobile", "system": "Android 14", "width": 1080},
        "time": "2026-03-14T18:25:43Z",
        "weather": "light rain",
        "temperature": 11.5,
    }
    actions = [
        {
            "id": f"recipe-{i:04d}-of-the-week",
            "title": f"The recipe of the week, number {i:04d}",
            "kind": KINDS[i % len(KINDS)],
            "price": 3.5 + i,
            "minutes": 10 + i,
            "vegan": i % 3 == 0,
        }
        for i in range(20)
    ]
    return json.dumps({"context": context, "actions": actions}, indent=1)


def columns() -> dict[str, Any]:
    random = np.random.default_rng(1)
    levels = np.array([f"level {i}" for i in range(50)])
    return {
        **{f"number{i}": random.normal(size=ROWS) for i in range(4)},
        **{f"level{i}": levels[random.integers(0, 50, ROWS)] for i in range(4)},
        "flag": random.random(ROWS) < 0.5,
        "count": random.integers(0, 100, ROWS),
    }


def microseconds(function: Callable[[], object], number: int, repeats: int = 9) -> float:
    function()
    return statistics.median(timeit.repeat(function, number=number, repeat=repeats)) / number * 1e6


def main() -> None:
    encoder, text = Encoder(now="time"), request()
    parsed = json.loads(text)
    print(f"a request of {len(text)} bytes, to rows: {microseconds(lambda: encoder.encode_request(text), 500):.0f} µs")
    print(f"  of these parsing JSON: {microseconds(lambda: json.loads(text), 500):.0f} µs")
    print(f"  from a dictionary to rows: {microseconds(lambda: encoder.encode_request(parsed), 500):.0f} µs")
    table = columns()
    polars = pl.DataFrame(table)
    frames = {"pandas": pd.DataFrame(table), "Polars": polars, "dictionaries": polars.to_dicts()}
    for name, frame in frames.items():
        seconds = microseconds(lambda frame=frame: Encoder().encode_many(frame), 1, 5) / 1e6  # type: ignore[misc]
        print(f"{name}, {ROWS} rows of {len(table)} columns: {seconds:.2f} s, {ROWS / seconds:,.0f} rows a second")


if __name__ == "__main__":
    main()
