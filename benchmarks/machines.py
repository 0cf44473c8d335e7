"""What happens to decisions and training when one of two services on one PostgreSQL is killed.

    python benchmarks/machines.py [--seconds 10]

Callers use both services. If one does not answer, they ask the other one with the same event id. The service that
trains is killed with all its processes half-way. Everything runs on this machine, over loopback.
"""

import argparse
import asyncio
import tempfile
import threading
import time
from contextlib import ExitStack
from itertools import count, pairwise
from pathlib import Path

from postgres import Postgres
from serving import Serving
from warmcb.client import Client
from warmcb.errors import ServiceError
from warmcb.service.store import opened

CALLERS = 8
ACTIONS = [{"id": name, "price": price} for name, price in (("tea", 2.0), ("milk", 1.0), ("beer", 4.0))]
_PATIENCE = 60.0


class Callers:
    """Threads that decide and reward, and remember which events were answered when."""

    def __init__(self, services: list[Serving]) -> None:
        self._services = services
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._call, args=(i,)) for i in range(CALLERS)]
        self.answered: dict[str, float] = {}

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _call(self, caller: int) -> None:
        clients = [Client(one.url, one.key, retries=0) for one in self._services]
        turn = caller
        for number in count():
            event = f"{caller}-{number}"
            while not self._stop.is_set():
                client = clients[turn % len(clients)]
                try:
                    client.decide({"hour": number % 24}, ACTIONS, event=event)
                    self.answered[event] = time.perf_counter()
                    client.reward(event, float(number % 4 == 0), key=event)
                    break
                except ServiceError:
                    turn += 1
            if self._stop.is_set():
                return


async def stored(address: str) -> set[str]:
    async with opened(address, make=False) as store, store.snapshot() as database:
        return {event for (event,) in await database.fetch("SELECT event FROM events")}


def wait_for_version(client: Client, beyond: int) -> float:
    """Wait for a version that is newer than a given one, and return when it was published."""
    deadline = time.perf_counter() + _PATIENCE
    while client.loop().model.version <= beyond:
        if time.perf_counter() > deadline:
            raise TimeoutError("nobody trains")
        time.sleep(0.05)
    return time.perf_counter()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=10.0, help="before the kill, and after the other one trains")
    seconds = parser.parse_args().seconds
    with ExitStack() as stack:
        address = stack.enter_context(Postgres()).new_store()
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in range(2)]
        one = stack.enter_context(Serving(folders[0], address=address))
        other = stack.enter_context(Serving(folders[1], address=address, key=one.key))
        client = Client(other.url, other.key)
        client.change_settings(wait=1.0, publish_seconds=0.5)
        callers = Callers([one, other])
        callers.start()
        try:
            time.sleep(seconds)
            one.kill()
            killed = time.perf_counter()
            version = client.loop().model.version
            trained = wait_for_version(client, version)
            time.sleep(seconds)
        finally:
            callers.stop()
        found = asyncio.run(stored(address))
        times = sorted(callers.answered.values())
        gaps = [after - before for before, after in pairwise(times) if after > killed]
        print(f"decisions answered before and after the kill: {sum(t <= killed for t in times):,}, "
              f"{sum(t > killed for t in times):,}")  # fmt: skip
        print(f"answered and not in the store: {len(callers.answered.keys() - found)}")
        print(f"longest time without an answer after the kill: {max(gaps):.2f} s")
        print(f"from the kill to the next version that the other one has trained: {trained - killed:.1f} s")


if __name__ == "__main__":
    main()
