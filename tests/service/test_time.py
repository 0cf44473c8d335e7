"""Service time follows the monotonic clock, and one trainer at a time trains, whatever clocks and leases do."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from small_service import BEGIN, DESCRIBED, PIECES, SmallService
from tests.support.faults import Service, until
from warmcb.service.clock import DAY, HOUR, MINUTE, SECOND, SteadyClock
from warmcb.service.store import beat
from warmcb.service.training.lease import LENGTH, LostLeaseError
from warmcb.service.training.trainer import Trainer


class Machine:
    """Its clocks, and when it was started, as a test wants them."""

    def __init__(self, boot: Path) -> None:
        self.wall, self.monotonic, self._boot = BEGIN, HOUR, boot
        self.start_again(0)

    def start_again(self, boot: int) -> None:
        self._boot.write_text(f"{boot}\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path / "boot_id")
    monkeypatch.setattr(beat, "_BOOT", tmp_path / "boot_id")
    monkeypatch.setattr(time, "time_ns", lambda: machine.wall * 1000)
    monkeypatch.setattr(time, "monotonic_ns", lambda: machine.monotonic * 1000)
    return machine


@pytest.fixture
def service(tmp_path: Path) -> Iterator[SmallService]:
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED, wait=5)
        yield service


@pytest.fixture
def shared(place: Path | str) -> Iterator[SmallService]:
    """A service on any kind of store."""
    with SmallService(place) as service:
        service.make(DESCRIBED, wait=5)
        yield service


def in_transaction(service: SmallService, body: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
    async def run() -> Any:
        async with service.store.transaction() as database:
            return await body(database, *arguments)

    return service.run(run())


def started(service: SmallService) -> SteadyClock:
    """The clock of a service that starts now."""
    return SteadyClock(in_transaction(service, beat.time_offset))


def test_the_first_start_takes_the_time_from_the_wall(service: SmallService, machine: Machine) -> None:
    assert started(service).now() == machine.wall


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_running_clock_does_not_see_the_wall(service: SmallService, machine: Machine, jump: int) -> None:
    clock = started(service)
    machine.wall += jump
    machine.monotonic += 3 * SECOND
    assert clock.now() == BEGIN + 3 * SECOND


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_restart_goes_by_the_monotonic_clock(service: SmallService, machine: Machine, jump: int) -> None:
    in_transaction(service, beat.beat, started(service).now())
    machine.wall += jump
    machine.monotonic += 7 * SECOND
    assert started(service).now() == BEGIN + 7 * SECOND


def test_time_does_not_go_back_when_the_machine_starts_with_a_wrong_clock(
    service: SmallService, machine: Machine
) -> None:
    in_transaction(service, beat.beat, started(service).now())
    machine.wall, machine.monotonic = BEGIN - DAY, 5 * SECOND
    machine.start_again(1)
    clock = started(service)
    assert clock.now() == BEGIN + 5 * SECOND  # the last beat may have been a moment before the end
    machine.monotonic += SECOND
    assert clock.now() == BEGIN + 6 * SECOND


def test_a_machine_that_starts_a_day_ahead_joins_nothing_for_two_minutes(
    service: SmallService, machine: Machine
) -> None:
    service.decide("waits", actions=PIECES)
    in_transaction(service, beat.beat, started(service).now())
    machine.wall, machine.monotonic = BEGIN + DAY, 5 * SECOND
    machine.start_again(1)
    now = started(service).now()
    assert now == BEGIN + DAY
    assert in_transaction(service, beat.grant_grace, now) == 1
    service.clock.advance(now + 2 * MINUTE - BEGIN)
    service.train()
    assert service.event("waits")["joined"] is None
    assert service.reward("waits", 1.0) == "kept"
    service.clock.advance(1)
    service.train()
    assert service.event("waits")["slots"][0]["reward"] == 1.0


def test_a_short_silence_changes_nothing(service: SmallService) -> None:
    service.decide("waits", actions=PIECES)
    in_transaction(service, beat.beat, BEGIN)
    assert in_transaction(service, beat.grant_grace, BEGIN + 4 * SECOND) == 0
    assert in_transaction(service, beat.grant_grace, BEGIN + 5 * SECOND) == 1


CLOCK = """
import os, pathlib, time

_file, _time, _time_ns = pathlib.Path(os.environ["WRONG_BY"]), time.time, time.time_ns
time.time = lambda: _time() + int(_file.read_text())
time.time_ns = lambda: _time_ns() + int(_file.read_text()) * 10**9
"""


@pytest.mark.slow
def test_a_service_whose_wall_clock_jumps_joins_nothing_early(tmp_path: Path) -> None:
    wrong_by = tmp_path / "wrong_by"

    def jump_to(days: int) -> None:
        (tmp_path / "next").write_text(str(days * DAY // SECOND))
        (tmp_path / "next").rename(wrong_by)

    jump_to(0)
    (tmp_path / "sitecustomize.py").write_text(CLOCK)
    with Service(tmp_path, environment={"PYTHONPATH": str(tmp_path), "WRONG_BY": str(wrong_by)}) as service:

        def decided(event: str) -> str:
            status, told = service.decide(event)
            assert status == 201
            return str(told["time"])

        def logged_days() -> set[str]:
            """By the clock on the wall."""
            return {json.loads(line)["time"][:10] for line in service.errors().splitlines()}

        assert service.call("PATCH", "default/settings", {"wait": HOUR // SECOND})[0] == 200
        times = [decided("first")]
        for jump in (-1, 1):
            jump_to(jump)
            times.append(decided(f"jump {jump}"))
            service.kill_one("trainer")
            service.kill_one("worker")
            until(partial(service.answers, f"after kills {jump}"))
            times.append(decided(f"and again {jump}"))
            assert service.stop() == 0
            service.start()
            times.append(decided(f"after a restart {jump}"))
        assert len(logged_days()) > 1  # the service did see the jumps
        assert times == sorted(times)
        assert service.rows("SELECT count(*), count(joined), max(time) - min(time) < ? FROM events", HOUR) == [
            (9, 0, 1)
        ]


# Two trainers


def test_one_of_two_trainers_trains_and_the_other_takes_over(shared: SmallService) -> None:
    service = shared
    first, second = (Trainer(service.store, service.clock, holder) for holder in ("first", "second"))
    service.decide("one", actions=PIECES)
    service.wait(10)
    assert service.run(first.step()) == 1
    service.decide("two", actions=PIECES)
    service.wait(LENGTH / SECOND - 0.001)
    assert service.run(second.step()) == 0
    assert second.trainings == {}
    service.wait(0.001)  # nothing was heard of the first one for as long as its lease lasts
    assert service.run(second.step()) == 1
    with pytest.raises(LostLeaseError):
        service.run(first.step())
    assert [event for _, _, event in service.journal()] == ["one", "two"]


def test_a_trainer_that_has_lost_its_lease_writes_nothing(shared: SmallService) -> None:
    service = shared
    first, second = (Trainer(service.store, service.clock, holder) for holder in ("first", "second"))
    for event in ("one", "two"):
        service.decide(event, actions=PIECES)
        service.wait(10)
        assert service.run(first.step()) == 1
    service.wait(10)
    service.run(second.step())
    tables = ("journal", "versions", "published", "lease", "meta WHERE name = 'beat'")
    before = [service.read(f"SELECT * FROM {table}") for table in tables]
    service.decide("three", actions=PIECES)
    service.clock.advance(10 * SECOND)
    stale = first.trainings["loop"]
    for write in (stale.step, stale.save, first.step):
        with pytest.raises(LostLeaseError):
            service.run(write())
    service.run(first.finish())  # it stops without a word to the store
    assert [service.read(f"SELECT * FROM {table}") for table in tables] == before
    assert service.run(second.step()) == 1


def test_a_stopped_trainer_lets_another_begin_at_once(shared: SmallService) -> None:
    service = shared
    first, second = (Trainer(service.store, service.clock, holder) for holder in ("first", "second"))
    service.decide("one", actions=PIECES)
    service.run(first.step())
    service.run(first.finish())
    service.wait(10)
    assert service.run(second.step()) == 1


@pytest.mark.slow
def test_two_services_on_one_store_have_one_trainer(tmp_path: Path) -> None:
    with Service(tmp_path) as service, Service(tmp_path, key=service.key) as other:
        assert service.call("PATCH", "default/settings", {"wait": 1})[0] == 200
        assert service.decide("one")[0] == 201
        until(lambda: service.is_joined("one"))
        assert service.errors().count("this is trainer number") == 1
        service.kill()
        assert other.decide("two")[0] == 201
        until(lambda: other.is_joined("two"))
        assert other.errors().count("this is trainer number") == 2
        assert other.rows("SELECT count(event), count(DISTINCT event) FROM journal") == [(2, 2)]


# A store that was away


@pytest.mark.slow
def test_what_is_due_when_the_store_comes_back_waits_two_minutes_more(service: SmallService, tmp_path: Path) -> None:
    service.decide("waits", actions=PIECES)
    service.train()
    path = tmp_path / "store.db"
    path.rename(path.with_name("away.db"))
    service.wait(20)
    trainer, stop = service.trainer, asyncio.Event()

    async def comes_back() -> None:
        training = asyncio.create_task(trainer.run(stop))
        await asyncio.sleep(0.5)
        path.with_name("away.db").rename(path)
        while not await beats_after(BEGIN):
            await asyncio.sleep(0.05)
        stop.set()
        await training

    async def beats_after(moment: int) -> bool:
        async with service.store.snapshot() as database:
            ((noted,),) = await database.fetch("SELECT value FROM meta WHERE name = 'beat'")
        return bool(json.loads(noted)["time"] > moment)

    service.run(comes_back())
    assert service.event("waits")["joined"] is None
    assert service.reward("waits", 1.0) == "kept"
    service.train_after(121)
    assert service.event("waits")["slots"][0]["reward"] == 1.0
