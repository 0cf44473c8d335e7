"""What tests of faults share: plain HTTP, the processes of a service, its store, and its journal replayed."""

import asyncio
import http.client
import json
import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from serving import Serving, session_of
from warmcb.errors import WarmcbError
from warmcb.service.loops.loops import loop_named, settings_of
from warmcb.service.store import Store, opened
from warmcb.service.training.journal import added_actions, entries_after
from warmcb.service.training.student import Student

PATIENCE = 60.0  # seconds; a busy machine is slow
DRINKS = [{"id": "tea", "hot": True, "price": 2.0}, {"id": "milk", "price": 1.0}, {"id": "beer", "price": 4.0}]


class Service(Serving):
    """A service that is called without a client: what is sent is what the test says."""

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The status and the body of an answer; an `OSError` or an `HTTPException` if none came.

        Args:
            method: of HTTP.
            path: behind `/v1/loops/`, or one that begins with a slash.
            body: what becomes JSON; or bytes, as they are.
            headers: beside the key.

        """
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        whole = path if path.startswith("/") else f"/v1/loops/{path}"
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, whole, data, {"Authorization": f"Bearer {self.key}", **(headers or {})})
            answer = connection.getresponse()
            text = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        told: dict[str, Any] = json.loads(text) if text and is_json else {}
        return answer.status, told

    def decide(self, event: str, loop: str = "default", **body: Any) -> tuple[int, dict[str, Any]]:
        actions = {"actions": DRINKS} if loop == "default" else {}
        return self.call("POST", f"{loop}/decide", {"event": event, **actions, **body})

    def answers(self, event: str) -> bool:
        """Whether it decides, now or before; not while its processes start or its store is away."""
        try:
            return self.decide(event)[0] in (200, 201)
        except (OSError, http.client.HTTPException):
            return False

    def kill_one(self, role: str) -> None:
        """Kill a process: "supervisor", "worker" or "trainer". The supervisor's children are left to themselves."""
        leader = self.supervisor
        for pid in self.processes()[role][:1]:
            os.kill(pid, signal.SIGKILL)
            until(partial(_has_ended, pid, leader))  # a killed worker may still answer for some milliseconds
        if role == "supervisor":
            assert self._process is not None
            self._process.wait(PATIENCE)
            self._process = None

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """What the store holds."""
        if not self.address.startswith("sqlite"):
            numbers = count(1)
            return asyncio.run(_fetched(self.address, re.sub(r"\?", lambda _: f"${next(numbers)}", sql), values))
        with closing(sqlite3.connect(f"{self.store.as_uri()}?mode=ro", uri=True, timeout=PATIENCE)) as database:
            return database.execute(sql, values).fetchall()

    def is_joined(self, event: str) -> bool:
        return bool(self.rows("SELECT 1 FROM events WHERE event = ? AND joined IS NOT NULL", event))

    def says(self, *words: str) -> bool:
        """Whether a line of the log has all of these words."""
        return any(all(word in line for word in words) for line in self.errors().splitlines())


def _has_ended(pid: int, leader: int) -> bool:
    return pid not in session_of(leader)


async def _fetched(address: str, sql: str, values: tuple[Any, ...]) -> list[Any]:
    async with opened(address, make=False) as store, store.snapshot() as database:
        return await database.fetch(sql, *values)


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


async def replays(store: Store, loop: str, wanted: Iterable[int]) -> dict[int, bytes]:
    """What a new bandit is when it has learned a loop's journal, up to each of some numbers."""
    numbers = set(wanted)
    async with store.snapshot() as database:
        found, settings = await loop_named(database, loop), await settings_of(database, loop, 1)
        added = await added_actions(database, loop)
        entries = await entries_after(database, loop, 0, 10**9)
        changed = {
            entry.number: await settings_of(database, loop, msgspec.json.decode(entry.body)["version"])
            for entry in entries
            if entry.kind == "settings"
        }
    names = found.kind.names
    kind = found.kind if names is None else replace(found.kind, names=tuple(one for one in names if one not in added))
    student, replayed = Student(kind, settings), {}
    for entry in entries:
        try:
            if entry.number in changed:
                student.change(changed[entry.number])
            else:
                student.learn(entry)
        except WarmcbError:
            pass  # as the trainer has it: it changes nothing
        if entry.number in numbers:
            replayed[entry.number] = student.to_bytes()
    return replayed


def damage(path: Path, table: str, column: str, where: str, also: str | None = None) -> None:
    """Change bytes in the middle and at the end of a blob, and what else is to be set in its row."""
    with closing(sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)) as database:
        ((data,),) = database.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchall()
        spoiled = bytearray(data)
        for place in (len(data) // 2, len(data) - 1):
            spoiled[place] ^= 0xFF
        assignments = f"{column} = ?" if also is None else f"{column} = ?, {also}"
        database.execute(f"UPDATE {table} SET {assignments} WHERE {where}", (bytes(spoiled),))
