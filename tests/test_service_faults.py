"""A service loses nothing: whichever process is killed, whatever becomes of its disk, its store and its models."""

import asyncio
import http.client
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from faults import DRINKS, Service, damage, replays, until
from small_service import DESCRIBED, PIECES, SmallService
from warmcb.service.clock import DAY, ManualClock
from warmcb.service.store import StoreError, open_store
from warmcb.service.trainer import Trainer

QUICK = {"wait": 1, "publish_seconds": 0.1}
NEWS = {"kind": "named", "actions": ["news", "sport"], "encoder": {"bits": 6}, "settings": QUICK}
KILLS = 20


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        yield service


# Killed


class Load:
    """Callers that decide and reward, try again when nobody answers, and remember what they were told."""

    def __init__(self, service: Service) -> None:
        self._service, self._stop = service, threading.Event()
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
        while not self._stop.is_set():
            with suppress(OSError, http.client.HTTPException):
                status, told = self._service.call("POST", path, body, headers)
                assert status in (200, 201, 503), told
                if status != 503:
                    return told
            time.sleep(0.05)
        return None


def remember(models: dict[tuple[str, int], set[bytes]], service: Service) -> None:
    """Add the models that are kept now, by loop and version."""
    for loop, version, model in service.rows("SELECT loop, version, model FROM versions"):
        models.setdefault((loop, version), set()).add(zlib.decompress(model))


def train_to_the_end(path: Path) -> None:
    """Join and learn whatever is left, a day later."""

    async def train() -> None:
        store = open_store(f"sqlite:///{path}")
        async with store.snapshot() as database:
            ((latest,),) = await database.fetch("SELECT max(due) FROM events")
        trainer = Trainer(store, ManualClock(latest + DAY), "afterwards")
        while await trainer.step():
            pass
        await trainer.finish()
        await store.close()

    asyncio.run(train())


def test_nothing_is_lost_or_learned_twice_whoever_is_killed(tmp_path: Path) -> None:
    chance, models = random.Random(7), dict[tuple[str, int], set[bytes]]()
    with Service(tmp_path, workers=2) as service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        assert service.call("PUT", "news", NEWS)[0] == 201
        with Load(service) as load:
            for kill in range(KILLS):
                time.sleep(chance.uniform(0.1, 1.5))
                role = ("worker", "supervisor", "trainer", "worker", "trainer")[kill % 5]
                service.kill_one(role)
                if role == "supervisor":
                    service.start()
                if kill == KILLS // 2:
                    assert service.call("PATCH", "default/settings", {"epsilon": 0.2})[0] in (200, 503)
                    assert service.call("POST", "news/actions", {"name": "weather"})[0] in (200, 503)
                remember(models, service)
        assert service.call("GET", "/metrics", None)[0] == 200
        assert service.stop() == 0
        train_to_the_end(service.store)
        remember(models, service)

        assert service.rows("PRAGMA integrity_check") == [("ok",)]
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
        store = open_store(f"sqlite:///{service.store}")
        for loop in ("default", "news"):
            versions = {version: found for (of, version), found in models.items() if of == loop}
            replayed = asyncio.run(replays(store, loop, versions))
            assert {version: {data} for version, data in replayed.items()} == versions
        asyncio.run(store.close())


# Durable


@contextmanager
def traced(pid: int, output: Path) -> Iterator[None]:
    """What a process reads, writes and syncs meanwhile, as strace tells it."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    calls = "read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync"
    command = [strace, "-f", "-y", "-s", "2000", "-e", f"trace={calls}", "-o", str(output), "-p", str(pid)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracing:
        assert tracing.stderr is not None
        said = tracing.stderr.readline()
        if "attached" not in said:
            pytest.skip(f"processes cannot be traced here: {said.strip()}")
        try:
            yield
        finally:
            tracing.terminate()
            tracing.communicate()


def synced(lines: list[str]) -> list[int]:
    """The lines at which a sync of the log has come back."""
    found, waiting = [], set()
    for i, line in enumerate(lines):
        pid = line.split()[0]
        if re.search(r"\bf(data)?sync\(\d+<.*-wal>", line):
            waiting.add(pid)
        if pid in waiting and re.search(r"sync.*\) += ", line):
            waiting.discard(pid)
            if line.endswith("= 0"):
                found.append(i)
    return found


def test_an_answer_is_sent_after_the_disk_has_it(service: Service, tmp_path: Path) -> None:
    (worker,), names = service.processes()["worker"], [f"traced-{i}-" for i in range(40)]
    with traced(worker, tmp_path / "strace.txt"), ThreadPoolExecutor(8) as callers:
        assert {status for status, _ in callers.map(service.decide, names)} == {201}
        bodies = [{"event": name, "reward": 1.0} for name in names]
        rewards = callers.map(lambda body: service.call("POST", "default/reward", body), bodies)
        assert {told["status"] for _, told in rewards} == {"kept"}
    lines = (tmp_path / "strace.txt").read_text(errors="replace").splitlines()
    syncs = synced(lines)
    for name in names:
        talk = [i for i, line in enumerate(lines) if name in line and "-wal>" not in line]
        came = [i for i in talk if re.search(r" (read|recv)\w*\(| <... (read|recv)\w* resumed>", lines[i])]
        sent = [i for i in talk if re.search(r" (write|send)\w*\(", lines[i])]
        assert len(came) == len(sent) == 2, [lines[i] for i in talk]
        for arrival, answer in zip(came, sent, strict=True):
            written = [i for i in range(arrival, answer) if re.search(r"pwrite64\(\d+<.*-wal>", lines[i])]
            assert any(written[0] < sync < answer for sync in syncs)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of eight megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted: {mounted.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_said_and_survived(small_disk: Path, tmp_path: Path) -> None:
    service = Service(tmp_path)
    service.store = small_disk / "warmcb.db"
    with service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        answers = {"before": service.decide("before")[0]}
        ballast = small_disk / "ballast"
        with suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
        padding = {"text": "x" * 100_000}
        for i in range(100):
            answers[f"full-{i}"], told = service.decide(f"full-{i}", context=padding)
            if answers[f"full-{i}"] == 503:
                break
        assert told["error"]["code"] == "unavailable"
        assert service.call("GET", "/healthz")[0] == 200
        ballast.unlink()
        until(lambda: service.answers("after"))
        until(lambda: service.is_joined("after"))
        stored = {event for (event,) in service.rows("SELECT event FROM events")}
        assert stored == {event for event, status in answers.items() if status == 201} | {"after"}
        assert service.says("cannot be used", "full")


# The store


def test_a_store_that_is_moved_away_is_missed_and_found_again(service: Service) -> None:
    assert service.decide("before")[0] == 201
    away = service.store.with_name("away.db")
    service.store.rename(away)
    assert service.decide("meanwhile")[0] == 503
    assert service.call("POST", "default/reward", {"event": "before", "reward": 1.0})[0] == 503
    assert service.call("GET", "default/events")[0] == 503
    assert service.call("GET", "/readyz")[0] == 503
    assert service.call("GET", "/healthz")[0] == 200
    service.kill_one("worker")
    service.kill_one("trainer")
    until(lambda: service.says("train", "has ended with 1"))  # those that start now find no store, and make none
    assert not service.store.exists()
    away.rename(service.store)
    until(lambda: service.answers("after"))
    until(lambda: service.is_joined("after"))
    assert [event for (event,) in service.rows("SELECT event FROM events ORDER BY id")] == ["before", "after"]


def test_a_store_that_is_deleted_is_missed(service: Service) -> None:
    assert service.decide("before")[0] == 201
    service.store.unlink()
    assert service.decide("after")[0] == 503
    assert service.call("GET", "/readyz")[0] == 503
    service.store.touch()  # another file in its place is not the store
    assert service.decide("after")[0] == 503


def test_a_store_whose_log_was_left_behind_is_not_made_anew(tmp_path: Path) -> None:
    log = tmp_path / "store.db-wal"
    log.write_bytes(b"what was answered last")
    with pytest.raises(StoreError, match=r"is gone, and .*store\.db-wal is there"):
        open_store(f"sqlite:///{tmp_path / 'store.db'}")
    assert log.read_bytes() == b"what was answered last"
    assert not (tmp_path / "store.db").exists()


def test_a_store_that_is_not_there_is_made_by_the_first_process_only(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be used: unable to open"):
        open_store(f"sqlite:///{tmp_path / 'store.db'}", make=False)
    assert list(tmp_path.iterdir()) == []


# Models


def has_learned(service: Service, event: str) -> bool:
    """Whether the newest version has learned an event, and is saved and published."""
    sql = (
        "SELECT e.joined <= p.version AND p.version = (SELECT max(version) FROM versions WHERE loop = p.loop)"
        " FROM events e JOIN published p USING (loop) WHERE e.event = ?"
    )
    return service.rows(sql, event) == [(1,)]


def learned(service: Service, *events: str) -> list[int]:
    """Let the service learn events, one after the other; the versions that are kept then."""
    for event in events:
        assert service.decide(event)[0] == 201
        assert service.call("POST", "default/reward", {"event": event, "reward": 1.0})[0] == 200
        until(partial(has_learned, service, event))
    return [version for (version,) in service.rows("SELECT version FROM versions ORDER BY version")]


def test_the_version_before_a_damaged_one_is_used_and_said(service: Service) -> None:
    *_, before, newest = learned(service, "first", "second", "third")
    ((good,),) = service.rows("SELECT model FROM versions WHERE version = ?", newest)
    damage(service.store, "versions", "model", f"version = {newest}")
    service.kill_one("trainer")
    until(lambda: service.says(f"version {newest} of default is damaged, the one before it is used"))
    # What it had learned is learned again from the version before, to the bit.
    until(lambda: service.rows("SELECT model, broken FROM versions WHERE version = ?", newest) == [(good, 0)])
    assert before < newest
    assert learned(service, "fourth")[-1] > newest


def test_a_damaged_policy_is_replaced_by_the_newest_saved_version(service: Service) -> None:
    newest = learned(service, "first", "second")[-1]
    os.kill(service.processes()["trainer"][0], signal.SIGSTOP)  # nobody publishes another one meanwhile
    damage(service.store, "published", "policy", "loop = 'default'")
    before = service.processes()["worker"]
    service.kill_one("worker")
    until(lambda: service.processes()["worker"] not in ([], before))
    status, told = service.decide("third")
    assert (status, told["arm"], told["model"]) == (201, "model", newest)
    assert service.says(f"the policy {newest} of default is damaged, the one before it is used")


def test_a_worker_goes_on_with_the_policy_that_it_has(service: Service) -> None:
    version = learned(service, "first", "second")[-1]
    os.kill(service.processes()["trainer"][0], signal.SIGSTOP)
    until(lambda: service.decide(f"asked-{time.monotonic()}")[1]["model"] == version)
    damage(service.store, "published", "policy", "loop = 'default'", "version = version + 1")
    until(lambda: service.says(f"the policy {version + 1} of default is damaged"))
    status, told = service.decide("third")
    assert (status, told["arm"], told["model"]) == (201, "model", version)
    time.sleep(1.5)  # two looks at the store later
    assert service.errors().count("is damaged") == 1


def test_a_journal_with_a_restored_version_can_be_replayed_from_it(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED, wait=1, publish_seconds=0.1)

        def learn(name: str, events: int) -> None:
            for i in range(events):
                service.decide(f"{name}-{i}", actions=PIECES)
                service.reward(f"{name}-{i}", float(i))
                service.train_after(2)
                service.train_after(1)

        learn("before", 4)
        wanted = service.versions()[-1]
        service.restore(wanted)
        learn("restored", 3)
        service.release()
        learn("released", 4)
        assert wanted in service.versions()
        model = service.bandit.to_bytes()
        service.write("DELETE FROM versions WHERE version <> $1", wanted)
        service.restart()
        service.train_after(1)
        assert service.bandit.to_bytes() == model
