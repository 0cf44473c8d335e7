"""What is different in PostgreSQL: writers at the same time, several machines, and a database that comes and goes."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from postgres import MISSING, Postgres
from small_service import BEGIN, NAMED, SmallService
from tests.support.fault_load import NEWS, QUICK, Load, check_that_all_is_there, remember
from tests.support.faults import Service, until
from warmcb.errors import InputError
from warmcb.service.clock import SECOND, ManualClock
from warmcb.service.store import CollisionError, Database, Manner, Store, StoreError, beat, open_store, opened
from warmcb.service.store.committer import Committer

pytestmark = pytest.mark.slow

AWAY = 10.0  # seconds without a database


@pytest.fixture
def address(postgres: Postgres) -> str:
    return postgres.new_store()


@pytest.fixture
def own_postgres() -> Iterator[Postgres]:
    """A server that a test may kill."""
    if MISSING:
        pytest.skip(MISSING)
    with Postgres() as server:
        yield server


@pytest.fixture
def service(own_postgres: Postgres, tmp_path: Path) -> Iterator[Service]:
    with Service(tmp_path, address=own_postgres.new_store()) as service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        yield service


# Writers at the same time


async def put(database: Database, name: str, value: str = "") -> None:
    sql = "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2"
    await database.execute(sql, name, value)


async def names(store: Store) -> set[str]:
    async with store.snapshot() as database:
        return {name for (name,) in await database.fetch("SELECT name FROM meta")} - {"schema", "settled"}


@asynccontextmanager
async def blocked(work: Awaitable[Any]) -> AsyncIterator[asyncio.Future[Any]]:
    """Something that waits as long as the block lasts."""
    waiting = asyncio.ensure_future(work)
    done, _ = await asyncio.wait([waiting], timeout=0.3)
    assert not done
    yield waiting
    assert not waiting.done()


async def written(store: Store, name: str, manner: Manner) -> None:
    async with store.transaction(manner) as database:
        await put(database, name)


def test_a_time_is_settled_when_those_who_have_taken_an_earlier_one_are_done(address: str) -> None:
    async def run() -> None:
        clock = ManualClock(BEGIN)
        async with opened(address) as store:
            async with store.transaction(Manner.TOGETHER) as database:
                await put(database, "first")
                clock.advance(SECOND)
                async with blocked(store.settle(clock)) as settling:
                    async with store.transaction(Manner.TOGETHER) as later:  # nobody else has to wait
                        assert later.settled == BEGIN + SECOND
                        await put(later, "second")
                    assert await names(store) == {"second"}
            assert await settling == BEGIN + SECOND
            assert await names(store) == {"first", "second"}

    asyncio.run(run())


@pytest.mark.parametrize(
    ("one", "other", "waits"),
    [
        (Manner.TOGETHER, Manner.TOGETHER, False),
        (Manner.TOGETHER, Manner.ALONE, True),
        (Manner.ALONE, Manner.TOGETHER, True),
        (Manner.ALONE, Manner.ALONE, True),
        (Manner.ALONE, Manner.APART, False),
        (Manner.APART, Manner.ALONE, False),
    ],
)
def test_who_waits_for_whom(address: str, one: Manner, other: Manner, waits: bool) -> None:
    async def run() -> None:
        async with opened(address) as store:
            async with store.transaction(one) as database:
                await put(database, "one")
                if waits:
                    async with blocked(written(store, "other", other)) as waiting:
                        pass
                else:
                    await written(store, "other", other)
                    assert await names(store) == {"other"}
            if waits:
                await waiting
            assert await names(store) == {"one", "other"}

    asyncio.run(run())


def test_a_machine_whose_clock_is_behind_does_not_write_into_the_past(address: str) -> None:
    with SmallService(address) as ahead, SmallService(address, clock=ManualClock(BEGIN)) as behind:
        ahead.make(NAMED, wait=10)
        ahead.decide("e")
        ahead.train_after(10.1)
        assert ahead.event("e")["joined"] is not None
        assert behind.clock.now() < BEGIN + 10 * SECOND
        assert behind.reward("e", 1.0) == "late"  # by its own clock it came in time
        assert behind.event("e")["slots"][0]["reward"] == 0.0


def test_those_who_collide_are_all_answered(address: str) -> None:
    """Two groups that write the same rows in opposite order wait for each other; one of them begins again."""

    async def run() -> None:
        async with opened(address) as store:
            at_work = asyncio.Barrier(2)
            first_try = {"one", "other"}

            async def job(own: str, rows: list[str], database: Database, now: int) -> str:
                await put(database, rows[0], own)
                if own in first_try:
                    first_try.remove(own)
                    await at_work.wait()
                await put(database, rows[1], own)
                return own

            one, other = Committer(store, ManualClock(BEGIN)), Committer(store, ManualClock(BEGIN))
            told = await asyncio.gather(
                one.run(partial(job, "one", ["a", "b"]), Manner.TOGETHER),
                other.run(partial(job, "other", ["b", "a"]), Manner.TOGETHER),
            )
            assert [*told] == ["one", "other"]
            async with store.snapshot() as database:
                rows = await database.fetch("SELECT name, value FROM meta WHERE name IN ('a', 'b')")
            assert len({value for _, value in rows}) == 1, "all or nothing"

    asyncio.run(run())


def test_a_collision_is_told_from_other_failures(address: str) -> None:
    async def run() -> list[Any]:
        async with opened(address) as store:
            at_work = asyncio.Barrier(2)

            async def write(*rows: str) -> None:
                async with store.transaction(Manner.TOGETHER) as database:
                    for i, row in enumerate(rows):
                        await put(database, row)
                        if i == 0:
                            await at_work.wait()

            return list(await asyncio.gather(write("a", "b"), write("b", "a"), return_exceptions=True))

    failures = [one for one in asyncio.run(run()) if one is not None]
    assert [type(one) for one in failures] == [CollisionError]


def test_the_time_of_another_machine_is_taken_over(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the database has jumped, and the service that runs has not seen it."""

    async def run() -> None:
        async with opened(address) as store, store.transaction() as database:
            behind = await database.wall() - 86_400 * SECOND
            await beat.beat(database, behind)
            monkeypatch.setattr(beat, "_boot", lambda: "another machine")
            now = await beat.time_offset(database) + beat._monotonic()
            assert 0 <= now - behind < 5 * SECOND

    asyncio.run(run())


# Addresses


def test_a_store_without_tables_is_made_by_the_first_process_only(address: str) -> None:
    async def look(make: bool) -> set[str]:
        async with opened(address, make) as store:
            return await names(store)

    with pytest.raises(StoreError, match="has no tables"):
        asyncio.run(look(False))
    assert asyncio.run(look(True)) == asyncio.run(look(False)) == set()


def test_a_store_of_another_version_is_refused(address: str) -> None:
    async def run() -> None:
        async with opened(address) as store, store.transaction() as database:
            await put(database, "schema", "1000")
        async with opened(address) as store:
            await names(store)

    with pytest.raises(StoreError, match="has the version 1000; expected"):
        asyncio.run(run())


def test_nobody_learns_the_password_from_an_error() -> None:
    async def run() -> None:
        async with opened("postgresql://me:secret@127.0.0.1:1/db") as store:
            await names(store)

    with pytest.raises(StoreError, match=r"127\.0\.0\.1") as caught:
        asyncio.run(run())
    assert "secret" not in str(caught.value)


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match="the address of the store is wrong"):
        open_store("postgresql://host:port/db")


# The database comes and goes


def test_a_database_that_is_gone_is_missed_and_found_again(own_postgres: Postgres, service: Service) -> None:
    processes = service.processes()
    assert service.decide("before")[0] == 201
    own_postgres.kill()
    for path, body in (("decide", {"event": "meanwhile", "actions": [{"id": "tea"}]}), ("reward", REWARD)):
        status, told = service.call("POST", f"default/{path}", body)
        assert (status, told["error"]["code"]) == (503, "unavailable")
    assert service.call("GET", "default/events")[0] == 503
    assert service.call("GET", "/readyz")[0] == 503
    assert service.call("GET", "/healthz")[0] == 200
    time.sleep(AWAY)
    own_postgres.start()
    until(partial(service.answers, "after"))
    status, told = service.call("POST", "default/reward", REWARD)
    assert (status, told["status"]) == (200, "kept"), "what was due meanwhile waits two minutes more"
    until(lambda: service.says("wait two minutes longer"))
    assert service.decide("last")[0] == 201
    until(lambda: service.is_joined("last"))
    assert {event for (event,) in service.rows("SELECT event FROM events")} == {"before", "after", "last"}
    assert service.processes() == processes, "nobody had to be started again"


REWARD = {"event": "before", "reward": 1.0}


def test_a_database_that_is_restarted_loses_nothing(own_postgres: Postgres, tmp_path: Path) -> None:
    models: dict[tuple[str, int], set[bytes]] = {}
    with Service(tmp_path, workers=2, address=own_postgres.new_store()) as service:
        assert service.call("PATCH", "default/settings", QUICK)[0] == 200
        assert service.call("PUT", "news", NEWS)[0] == 201
        with Load(service) as load:
            for _ in range(4):
                time.sleep(2)
                remember(models, service)
                own_postgres.kill()
                own_postgres.start()
            time.sleep(2)
        assert service.stop() == 0
        check_that_all_is_there(service, load, models)


# Several machines


@pytest.fixture
def machines(postgres: Postgres, tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """Two services on one database; the first one trains."""
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    address = postgres.new_store()
    with (
        Service(tmp_path / "one", address=address) as one,
        Service(tmp_path / "other", address=address, key=one.key) as other,
    ):
        assert one.call("PATCH", "default/settings", QUICK)[0] == 200
        assert one.call("PUT", "news", NEWS)[0] == 201
        until(lambda: other.call("GET", "default/settings")[1]["settings"]["wait"] == QUICK["wait"])
        yield one, other


def is_training(service: Service) -> bool:
    return service.says("this is trainer number")


def test_two_machines_have_one_trainer(machines: tuple[Service, Service]) -> None:
    one, other = machines
    for service, event in ((one, "one"), (other, "two")):
        assert service.decide(event)[0] == 201
    # Each knows what the other has decided.
    assert other.decide("one") == (200, one.decide("one")[1])
    until(lambda: one.is_joined("one") and one.is_joined("two"))
    assert is_training(one)
    assert not is_training(other)
    assert one.rows("SELECT count(event), count(DISTINCT event) FROM journal") == [(2, 2)]


def test_a_machine_may_vanish(machines: tuple[Service, Service]) -> None:
    one, other = machines
    models: dict[tuple[str, int], set[bytes]] = {}
    with Load(one, other) as load:
        until(lambda: len(load.decided) > 100)
        remember(models, other)
        one.kill()
        before = len(load.decided)
        until(lambda: len(load.decided) > before + 100)  # decisions go on
        until(partial(is_training, other))
        assert other.decide("after")[0] == 201
        until(lambda: other.is_joined("after"))
        remember(models, other)
    assert other.stop() == 0
    check_that_all_is_there(other, load, models)


def test_the_locks_of_a_machine_that_says_nothing_go(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has stopped in the middle of a transaction, as if its cable was pulled."""
    from warmcb.service.store import postgresql

    monkeypatch.setitem(postgresql._SESSION, "idle_in_transaction_session_timeout", "1s")

    async def run() -> None:
        async with opened(address) as silent, opened(address) as store:
            with suppress(StoreError):
                async with silent.transaction() as database:
                    await put(database, "silent")
                    await written(store, "heard", Manner.ALONE)
                raise AssertionError("it could commit")
            assert await names(store) == {"heard"}

    asyncio.run(run())
