"""A service loses nothing: whichever process is killed, whatever becomes of its disk, its store and its models."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from small_service import DESCRIBED, PIECES, SmallService
from tests.support.fault_load import NEWS, QUICK, Load, check_that_all_is_there, remember
from tests.support.faults import Service, damage, until
from warmcb.service.store import StoreError, open_store

pytestmark = pytest.mark.slow

KILLS = 20


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path) as service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        yield service


# Killed


def test_nothing_is_lost_or_learned_twice_whoever_is_killed(tmp_path: Path, place: Path | str) -> None:
    chance, models = random.Random(7), dict[tuple[str, int], set[bytes]]()
    with Service(tmp_path, workers=2, address=place if isinstance(place, str) else None) as service:
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
        if service.address.startswith("sqlite"):
            assert service.rows("PRAGMA integrity_check") == [("ok",)]
        check_that_all_is_there(service, load, models)


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
    assert service.call("PATCH", "default/settings", {"wait": 600.0})[0] == 200  # no reward is late
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
    with pytest.raises(StoreError, match=r"is missing, but .*store\.db-wal exists"):
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
    until(lambda: service.says(f"version {newest} of default is damaged; the one before it is used"))
    # What it had learned is learned again from the version before, bit for bit.
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
    assert service.says(f"the policy {newest} of default is damaged; the one before it is used")


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
