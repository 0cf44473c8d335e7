"""Callers of services that are killed: what they were told must be there in the end, and be learned once."""

import asyncio
import http.client
import json
import random
import threading
import time
import zlib
from contextlib import suppress
from itertools import count
from typing import Any

from tests.support.faults import DRINKS, Service, replays
from warmcb.service.clock import DAY, ManualClock
from warmcb.service.store import opened
from warmcb.service.training.trainer import Trainer

QUICK = {"wait": 1, "publish_seconds": 0.1}
NEWS = {"kind": "named", "actions": ["news", "sport"], "encoder": {"bits": 6}, "settings": QUICK}
Models = dict[tuple[str, int], set[bytes]]


class Load:
    """Callers that decide and reward, try again when nobody answers, and remember what they were told.

    Args:
        services: of one store; where one does not answer, another one is asked.

    """

    def __init__(self, *services: Service) -> None:
        self._services, self._stop = services, threading.Event()
        self.decided: dict[tuple[str, str], dict[str, Any]] = {}
        self.rewarded: dict[tuple[str, str], tuple[float, str]] = {}
        self.labels = 0
        self._threads = [threading.Thread(target=self._call, args=(i,)) for i in range(4)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _call(self, caller: int) -> None:
        loop, chance, made = ("default", "news")[caller % 2], random.Random(caller), 0
        while not self._stop.is_set():
            made += 1
            event, user = f"{caller}-{made}", {"age": chance.randrange(9)}
            options = {"explore": False} if made % 7 == 0 else {}
            actions = {"actions": DRINKS} if loop == "default" else {}
            told = self._insist(f"{loop}/decide", {"event": event, "context": user, **actions, **options})
            if told is not None:
                self.decided[loop, event] = told
                if made % 2:
                    value = float(chance.randrange(3))
                    status = self._insist(f"{loop}/reward", {"event": event, "reward": value}, "only")
                    if status is not None:
                        self.rewarded[loop, event] = (value, status["status"])
            if made % 20 == 0:
                example = {"context": user, **actions, "right": "tea" if loop == "default" else "news"}
                self.labels += self._insist(f"{loop}/labels", {"examples": [example]}) is not None
            time.sleep(0.005)

    def _insist(self, path: str, body: dict[str, Any], key: str | None = None) -> dict[str, Any] | None:
        """The answer, however often it takes to get one; None at the end."""
        headers = {} if key is None else {"Idempotency-Key": key}
        first = random.randrange(len(self._services))
        for i in count(first):
            if self._stop.is_set():
                break
            with suppress(OSError, http.client.HTTPException):
                status, told = self._services[i % len(self._services)].call("POST", path, body, headers)
                assert status in (200, 201, 503), told
                if status != 503:
                    return told
            time.sleep(0.05)
        return None


def remember(models: Models, service: Service) -> None:
    """Add the models that are kept now, by loop and version."""
    for loop, version, model in service.rows("SELECT loop, version, model FROM versions"):
        models.setdefault((loop, version), set()).add(zlib.decompress(model))


def check_that_all_is_there(service: Service, load: Load, models: Models) -> None:
    """What was answered is there and learned once; the models are what their journals give.

    Args:
        service: one that has been stopped, and has the loops "default" and "news".
        load: what it was asked.
        models: that were seen meanwhile.

    """
    asyncio.run(_train_to_the_end(service.address))
    remember(models, service)
    assert len(load.decided) > 100
    assert len(load.rewarded) > 50
    stored = {(loop, event): rest for loop, event, *rest in service.rows(
        "SELECT e.loop, e.event, e.arm, e.model, e.names, e.slots, j.body FROM events e"
        " JOIN journal j ON j.loop = e.loop AND j.number = e.joined AND j.event = e.id"
    )}  # fmt: skip
    for place, told in load.decided.items():
        arm, model, names, slots, _ = stored[place]
        ((_, action, probabilities, _),) = json.loads(slots)
        assert (told["arm"], told["model"]) == (arm, model)
        assert (told["action"], list(told["probabilities"])) == (json.loads(names)[action], json.loads(names))
        assert list(told["probabilities"].values()) == probabilities
    kept = {(loop, event): value for loop, event, value in service.rows("SELECT loop, event, value FROM rewards")}
    for place, (value, status) in load.rewarded.items():
        assert kept[place] == value
        if status == "kept":
            assert json.loads(stored[place][-1])["rewards"] == [value]

    ((events,),) = service.rows("SELECT count(*) FROM events")
    joined = service.rows("SELECT count(event), count(DISTINCT event) FROM journal")
    assert joined == [(events, events)]
    for loop, entries in service.rows("SELECT loop, entries FROM loops"):
        numbers = service.rows("SELECT number FROM journal WHERE loop = ? ORDER BY number", loop)
        assert [number for (number,) in numbers] == list(range(1, entries + 1))
    ((labels,),) = service.rows("SELECT count(*) FROM journal WHERE kind = 'labels'")
    assert labels >= load.labels > 0

    assert len(models) > 5
    for loop in ("default", "news"):
        versions = {version: found for (of, version), found in models.items() if of == loop}
        replayed = asyncio.run(_replayed(service.address, loop, versions))
        assert {version: {data} for version, data in replayed.items()} == versions


async def _train_to_the_end(address: str) -> None:
    """Join and learn whatever is left, a day later."""
    async with opened(address) as store:
        async with store.snapshot() as database:
            ((latest,),) = await database.fetch("SELECT max(due) FROM events")
        trainer = Trainer(store, ManualClock(latest + DAY), "afterwards")
        while await trainer.step():
            pass
        await trainer.finish()


async def _replayed(address: str, loop: str, wanted: dict[int, set[bytes]]) -> dict[int, bytes]:
    async with opened(address) as store:
        return await replays(store, loop, wanted)
