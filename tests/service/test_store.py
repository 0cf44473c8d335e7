"""A store is brought up to date when it is opened, and `/readyz` says whether it can be written."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from small_service import NAMED, SmallService
from warmcb.service.app import Application
from warmcb.service.clock import SECOND, ManualClock
from warmcb.service.routes import status
from warmcb.service.store import StoreError
from warmcb.service.store.schema import SCHEMA_VERSION
from warmcb.service.store.sqlite import SqliteStore


def test_a_store_of_the_first_version_is_brought_up_to_date(place: Path | str) -> None:
    with SmallService(place) as service:
        service.make(NAMED, wait=10.0)
        for event in ("punctual", "belated"):
            service.decide(event)
        service.reward("punctual", 1.0)
        service.train_after(20.0)
        assert service.reward("belated", 1.0) == "late"
        assert service.counts()["late"] == 1
        service.write("DROP INDEX rewards_late")
        service.write("ALTER TABLE rewards DROP COLUMN late")
        is_sqlite = isinstance(service.store, SqliteStore)
        service.write("PRAGMA user_version = 1" if is_sqlite else "UPDATE meta SET value = '1' WHERE name = 'schema'")
    with SmallService(place, clock=ManualClock(service.clock.now())) as service:
        assert service.counts()["late"] == 1
        service.decide("later")
        service.train_after(20.0)
        assert service.reward("later", 1.0) == "late"
        assert service.counts()["late"] == 2
        version = "PRAGMA user_version" if is_sqlite else "SELECT value FROM meta WHERE name = 'schema'"
        assert int(service.read(version)[0][0]) == SCHEMA_VERSION


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[sqlite3.Connection]:
    """All connections that the test opens, in whatever thread."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def noted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **options | {"check_same_thread": False}))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    return opened


def check_closed(connections: list[sqlite3.Connection]) -> None:
    for connection in connections:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_a_store_that_cannot_be_opened_leaves_no_connection(tmp_path: Path, opened: list[sqlite3.Connection]) -> None:
    with closing(sqlite3.connect(tmp_path / "newer.db")) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    (tmp_path / "text.db").write_text("this is no store" * 100)
    for name in ("newer", "text"):
        with pytest.raises(StoreError):
            SqliteStore(tmp_path / f"{name}.db")
    assert len(opened) == 3
    check_closed(opened)


def test_checkpoints_and_backups_close_their_connections(tmp_path: Path, opened: list[sqlite3.Connection]) -> None:
    async def run() -> None:
        store = SqliteStore(tmp_path / "store.db")
        await store.tidy()
        await store.backup(tmp_path / "copy.db")
        await store.close()

    asyncio.run(run())
    assert len(opened) == 4
    check_closed(opened)


def test_a_store_that_cannot_be_written_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "_FRESH", 3600.0)

    async def run() -> None:
        store, clock = SqliteStore(tmp_path / "store.db"), ManualClock(SECOND)
        transport = httpx.ASGITransport(Application(store, clock).router)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as http:
            store._writer.execute("PRAGMA query_only = ON")
            refused = await http.get("/readyz")
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "unavailable")
            store._writer.execute("PRAGMA query_only = OFF")
            for _ in range(3):  # calls shortly after one another share one write
                assert (await http.get("/readyz")).json() == {"status": "ready"}
                clock.advance(SECOND)
            async with store.snapshot() as database:
                assert await database.fetch("SELECT value FROM meta WHERE name = 'ready'") == [(str(SECOND),)]
        await store.close()

    asyncio.run(run())
