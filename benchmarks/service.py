"""How fast `warmcb serve` decides, how long an answer takes, how soon it learns, and how much memory it needs.

    python benchmarks/service.py throughput [--store postgresql] [--rounds 5] [--seconds 10]
    python benchmarks/service.py latency [--store postgresql] [--rate 500] [--seconds 30]
    python benchmarks/service.py freshness [--store postgresql] [--rate 500] [--seconds 30]
    python benchmarks/service.py memory [--events 1000000]
    python benchmarks/service.py rank [--rounds 5] [--seconds 10]

The service, its trainer and the load share the machine, over loopback. There is one worker. A request has 20 described
actions of 5 values and a context of 10 values, 3.8 kB in all. Every second decision is rewarded. Events wait two
seconds, so that the trainer is busy all the time. The store is new, an SQLite file or a PostgreSQL on the same machine.
It is in TMPDIR, which should be on a disk, since each decision is written to it before it is answered. Without --rate,
the service first runs as fast as it can, and then gets half of that rate. `rank` also requests the same decisions
through the API of Personalizer's first client.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from load import AsFastAsItGoes, AtAConstantRate, Driven
from load_requests import RankRequests, Requests
from postgres import Postgres
from serving import Serving, free_port, memory, memory_share, processor_seconds
from warmcb.client import Client

CONNECTIONS = 64
WAIT = 2.0  # seconds until an event is learned
PERCENTILES = (50, 90, 99, 99.9)
STEP = 100_000  # events between two measurements of memory
_HOURS = 6 * 3600.0  # limit for a long run
_PATIENCE = 600.0  # seconds for the trainer to catch up


class Bench:
    """A service under load.

    Args:
        serving: the service.

    """

    def __init__(self, serving: Serving) -> None:
        self.serving = serving
        self.client = Client(serving.url, serving.key, timeout=60.0)
        self.client.change_settings(wait=WAIT)
        self.requests = Requests(serving.port, serving.key, "default", "bench-")
        self.first = 0

    def fast(
        self,
        seconds: float,
        decisions: int | None = None,
        port: int | None = None,
        requests: Requests | None = None,
    ) -> Driven:
        """Send decisions as fast as they are answered, to the service or to an echo on another port."""
        load = AsFastAsItGoes(
            requests or self.requests,
            port or self.serving.port,
            self.first,
            CONNECTIONS,
            seconds,
            decisions=decisions,
        )
        return self._driven(load)

    def steady(self, rate: float, seconds: float, port: int | None = None) -> Driven:
        """Send decisions at a constant rate."""
        sampled = max(1, round(rate / 20))
        load = AtAConstantRate(
            self.requests, port or self.serving.port, self.first, 4 * CONNECTIONS, seconds, rate=rate, sampled=sampled
        )
        return self._driven(load)

    def _driven(self, load: AsFastAsItGoes | AtAConstantRate) -> Driven:
        driven = load.run()
        self.first += 1_000_000  # so that the next load has other event ids
        if driven.refused:
            raise RuntimeError(f"the service refused requests: {dict(driven.refused)}")
        return driven

    def catch_up(self) -> float:
        """Wait until the trainer has nothing left to learn, and return how long that took."""
        started = time.perf_counter()
        while self.client.loop().counts.waiting:
            if time.perf_counter() > started + _PATIENCE:
                raise TimeoutError("the trainer does not catch up")
            time.sleep(0.2)
        return time.perf_counter() - started

    def processor(self) -> dict[str, float]:
        """Return the processor time so far, by kind of process."""
        processes = self.serving.processes()
        return {kind: sum(map(processor_seconds, pids)) for kind, pids in processes.items()}


@contextmanager
def bench(store: str) -> Iterator[Bench]:
    """Start a service on a new store, "sqlite" or "postgresql"."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        address = stack.enter_context(Postgres()).new_store() if store == "postgresql" else None
        yield Bench(stack.enter_context(Serving(Path(folder), address=address)))


@contextmanager
def echoing() -> Iterator[int]:
    """Start a bare echo and return its port."""
    port = free_port()
    process = subprocess.Popen([sys.executable, str(Path(__file__).parent / "echo.py"), str(port)])
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                httpx.post(f"http://127.0.0.1:{port}/reward", json={"event": "e", "reward": 0.0})
                break
            except httpx.ConnectError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        yield port
    finally:
        process.kill()
        process.wait()


def throughput(store: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Measure decisions per second, in turns with a bare echo of the same requests."""
    head = ("echo", "service", "of it", "load", "worker", "trainer", "waiting", "caught up")
    print(
        "decisions a second; processor time of a decision in µs; events that wait at the end, and seconds until learned"
    )
    print("".join(f"{title:>10}" for title in head))
    found = []
    with bench(store) as service, echoing() as port:
        service.fast(1.0)
        for _ in range(rounds):
            service.catch_up()
            echo = service.fast(seconds, port=port)
            before = service.processor()
            driven = service.fast(seconds)
            after = service.processor()
            spent = {kind: 1e6 * (after[kind] - before[kind]) / driven.decisions for kind in after}
            one = {
                "echo": echo.rate,
                "service": driven.rate,
                "load": 1e6 * driven.processor_seconds / driven.decisions,
                "worker": spent["supervisor"] + spent["worker"],
                "trainer": spent["trainer"],
                "waiting": service.client.loop().counts.waiting,
                "caught_up": service.catch_up(),
            }
            found.append(one)
            print(
                f"{echo.rate:10,.0f}{driven.rate:10,.0f}{driven.rate / echo.rate:10.0%}{one['load']:10.0f}"
                f"{one['worker']:10.0f}{one['trainer']:10.0f}{one['waiting']:10,}{one['caught_up']:10.1f}"
            )
    best = max(one["service"] for one in found)
    best_echo = max(one["echo"] for one in found)
    print(f"best: {best:,.0f} a second, {best / best_echo:.0%} of the best echo")
    return {"rounds": found, "best": best, "best_echo": best_echo, "ratio": best / best_echo}


def rank(store: str, rounds: int, seconds: float) -> dict[str, Any]:
    """Measure decisions per second through Personalizer's API, in turns with the service's own."""
    found = []
    print("decisions a second by each route, and the worker's processor time of a decision in µs")
    print("".join(f"{title:>10}" for title in ("decide", "rank", "of it", "decide", "rank")))
    with bench(store) as service:
        theirs = RankRequests(service.serving.port, service.serving.key, "default", "rank-")
        for number in range(-1, rounds):
            one: dict[str, float] = {}
            for name, requests in (("decide", service.requests), ("rank", theirs))[:: 1 if number % 2 else -1]:
                service.catch_up()
                before = service.processor()["worker"]
                driven = service.fast(seconds, requests=requests)
                one[name] = driven.rate
                one[f"{name} µs"] = 1e6 * (service.processor()["worker"] - before) / driven.decisions
            if number < 0:  # a first round to warm up
                continue
            found.append(one)
            print(
                f"{one['decide']:10,.0f}{one['rank']:10,.0f}{one['rank'] / one['decide']:10.0%}"
                f"{one['decide µs']:10.0f}{one['rank µs']:10.0f}",
                flush=True,
            )
    ratio, spent = (
        float(np.median([one[first] / one[second] for one in found]))
        for first, second in (("rank", "decide"), ("decide µs", "rank µs"))
    )
    print(f"median: {ratio:.0%}, by processor time {spent:.0%}")
    return {"rounds": found, "ratio": ratio, "by_processor_time": spent}


def half_rate(service: Bench, rate: float | None) -> float:
    """Return the given rate, or half of what the service can do."""
    service.fast(1.0)
    chosen = rate or max(service.fast(5.0).rate for _ in range(2)) / 2
    service.catch_up()
    return chosen


def latency(store: str, rate: float | None, seconds: float) -> dict[str, Any]:
    """Measure how long answers take at a constant rate. A bare echo shows how busy the machine is."""
    with bench(store) as service, echoing() as port:
        chosen = half_rate(service, rate)
        echo = service.steady(chosen, seconds, port)
        driven = service.steady(chosen, seconds)
    kinds = {"decisions": driven.latencies, "rewards": driven.reward_latencies, "echo": echo.latencies}
    found = {kind: dict(zip(map(str, PERCENTILES), percentiles(kinds[kind]), strict=True)) for kind in kinds}
    print(f"ms from the moment a request was due to its answer; {chosen:,.0f} decisions a second, {seconds:.0f} s")
    print(" " * 12 + "".join(f"{share:>9} %" for share in PERCENTILES))
    for kind, shares in found.items():
        print(f"{kind:12}" + "".join(f"{value:11.2f}" for value in shares.values()))
    return {"rate": chosen, "seconds": seconds, "milliseconds": found}


def percentiles(latencies: list[float]) -> list[float]:
    return [float(1e3 * value) for value in np.percentile(latencies, PERCENTILES)]


def freshness(store: str, rate: float | None, seconds: float) -> dict[str, Any]:
    """Measure how long after its deadline an event has been learned and published, in a quiet and in a busy loop."""
    found = {}
    print("seconds from an event's deadline to the first decision by a model that has learned it")
    print(f"{'a second':>10}{'events':>10}{'median':>10}{'largest':>10}")
    with bench(store) as service:
        for chosen in (5.0, half_rate(service, rate)):
            driven = service.steady(chosen, seconds)
            delays = learned_after(service, driven)
            found[f"{chosen:.0f}"] = {"events": len(delays), "median": np.median(delays), "largest": max(delays)}
            print(f"{chosen:10,.0f}{len(delays):10}{np.median(delays):10.2f}{max(delays):10.2f}")
    return found


def learned_after(service: Bench, driven: Driven) -> list[float]:
    """Return the delays of the sampled events, without those that were not learned by the end."""
    versions = sorted(driven.model_seen)
    delays = []
    for event, due in driven.dues.items():
        joined = service.client.event(event.decode()).joined
        place = len(versions) if joined is None else bisect_left(versions, joined)
        if place < len(versions):
            delays.append(driven.model_seen[versions[place]] - datetime.fromisoformat(due).timestamp())
    return delays


def memory_of(events: int) -> list[dict[str, Any]]:
    """Return the megabytes of each process while events come as fast as they are answered."""
    found = []
    print("MB in memory (all: what they share counts once), and of the store on the disk")
    print("".join(f"{title:>12}" for title in ("events", "a second", "worker", "trainer", "all", "store", "waiting")))
    with bench("sqlite") as service:
        for number in range(STEP, events + 1, STEP):
            driven = service.fast(_HOURS, decisions=STEP)
            found.append(look(service, number, driven.rate))
        service.catch_up()
        found.append(look(service, events, 0.0))
    return found


def look(service: Bench, events: int, rate: float) -> dict[str, Any]:
    processes = service.serving.processes()
    sizes = {kind: sum(map(memory, pids)) / 1e6 for kind, pids in processes.items()}
    one = {
        "events": events,
        "rate": rate,
        **sizes,
        "all": sum(memory_share(pid) for pids in processes.values() for pid in pids) / 1e6,
        "store": service.serving.store.stat().st_size / 1e6,
        "waiting": service.client.loop().counts.waiting,
    }
    shown = (one["worker"], one["trainer"], one["all"], one["store"], one["waiting"])
    print(f"{events:12,}{rate:12,.0f}" + "".join(f"{value:12,.0f}" for value in shown), flush=True)
    return one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("mode", choices=["throughput", "latency", "freshness", "memory", "rank"])
    parser.add_argument("--store", choices=["sqlite", "postgresql"], default="sqlite", help="but for memory")
    parser.add_argument("--rounds", type=int, default=5, help="of throughput")
    parser.add_argument("--seconds", type=float, help="of each measurement")
    parser.add_argument("--rate", type=float, help="decisions a second")
    parser.add_argument("--events", type=int, default=1_000_000, help="of the measurement of memory")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    given = parser.parse_args()
    found: Any
    if given.mode == "throughput":
        found = throughput(given.store, given.rounds, given.seconds or 10.0)
    elif given.mode == "rank":
        found = rank(given.store, given.rounds, given.seconds or 10.0)
    elif given.mode == "latency":
        found = latency(given.store, given.rate, given.seconds or 30.0)
    elif given.mode == "freshness":
        found = freshness(given.store, given.rate, given.seconds or 30.0)
    else:
        found = memory_of(given.events)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
