"""Workers go on whatever is in the store."""

import asyncio
import hashlib
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from small_service import DESCRIBED, PIECES, SmallService
from warmcb.service.loops import directory
from warmcb.service.loops.directory import Directory


def lives(service: SmallService, *events: str) -> int:
    for event in events:
        service.decide(event, actions=PIECES)
        service.reward(event, 1.0)
        service.train_after(20.0)
    return service.saved()


def test_versions_of_newer_code_are_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED, wait=10.0, publish_seconds=0.1)
        first = lives(service, "first")
        newest = lives(service, "second")
        assert first < newest
        ((state,),) = service.read("SELECT state FROM versions WHERE version = $1", newest)
        unknown = zlib.compress(b"a format of the future")
        whole = hashlib.sha256(unknown + state.encode()).digest()
        service.write("UPDATE versions SET model = $1, hash = $2 WHERE version = $3", unknown, whole, newest)
        service.write("UPDATE published SET policy = $1", unknown)
        worker = Directory(service.store, None)
        service.run(worker.refresh())
        found = service.run(worker.published("loop", 0.1))
        assert found is not None
        assert found.version == first
        assert f"version {newest} of loop cannot be used" in caplog.text


def test_a_worker_looks_on_after_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_PAUSE", 0.0)
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED)
        worker, looks = Directory(service.store, None), 0
        refresh = worker.refresh

        async def fails_first() -> None:
            nonlocal looks
            looks += 1
            if looks == 1:
                raise ValueError("something unforeseen")
            await refresh()

        async def run() -> None:
            running = asyncio.create_task(worker.run())
            while not worker.loops and not running.done():
                await asyncio.sleep(0.001)
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

        monkeypatch.setattr(worker, "refresh", fails_first)
        service.run(run())
        assert list(worker.loops) == ["loop"]
