"""A store in an SQLite file, for one machine. It needs no server."""

import asyncio
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, closing, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from warmcb._messages import one_line
from warmcb.service.clock import Clock
from warmcb.service.store.contract import Database, Manner, Row, StoreError
from warmcb.service.store.schema import SCHEMA_VERSION, schema, upgrades

_PATIENCE = 10.0  # seconds to wait for another process that writes
_PAUSE = 0.0005  # seconds between two tries; SQLite's own pauses grow to a tenth of a second
_MOST_PAGES = 20_000  # of the write-ahead log; beyond that commits copy it into the file themselves
T = TypeVar("T")


class SqliteStore:
    """An SQLite file in WAL mode: one writer at a time, any number of readers, commits that wait for the disk.

    The statements of a transaction take microseconds and run in the thread of the event loop. Begin and commit may have
    to wait, for other writers or for the disk, and run in a thread of their own.

    Args:
        path: the file.
        make: whether to make it if there is none.

    """

    writers = 1

    def __init__(self, path: Path, make: bool = True) -> None:
        self.path = path
        self._thread = ThreadPoolExecutor(1, "store")
        self._lock: asyncio.Lock | None = None
        self._readers: list[sqlite3.Connection] = []
        if make:
            self._make()
        self._inode = self._found_inode()
        self._writer = self._connect()
        try:
            self._prepare()
        except StoreError:
            self._writer.close()
            raise
        self._writer.execute("PRAGMA busy_timeout = 0")  # from here on `_begin` does the waiting

    @asynccontextmanager
    async def transaction(self, manner: Manner = Manner.ALONE) -> AsyncIterator[Database]:
        self._lock = self._lock or asyncio.Lock()
        async with self._lock:
            try:
                await self._in_thread(self._begin)
                yield _Inline(self._writer)
                await self._in_thread(self._commit)
            except BaseException as error:
                with suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._failed(error) from error
                raise

    @asynccontextmanager
    async def snapshot(self) -> AsyncIterator[Database]:
        self._check_there()
        try:
            reader = self._readers.pop() if self._readers else self._connect()
            try:
                reader.execute("BEGIN")
                yield _Threaded(reader)
            finally:
                reader.execute("ROLLBACK")
                self._readers.append(reader)
        except sqlite3.Error as error:
            raise self._failed(error) from error

    async def settle(self, clock: Clock) -> int:
        # A transaction takes its time inside itself, and transactions do not overlap: the next one will be later.
        return clock.now()

    async def tidy(self) -> None:
        await asyncio.to_thread(self._checkpoint)

    async def backup(self, path: Path) -> None:
        await asyncio.to_thread(self._backup, path)

    async def close(self) -> None:
        self._thread.shutdown()
        for connection in (self._writer, *self._readers):
            connection.close()

    def _make(self) -> None:
        if self.path.exists():
            return
        if (log := Path(f"{self.path}-wal")).exists():  # SQLite would delete this log, which has the last answers
            raise StoreError(f"the store {self.path} is missing, but {log} exists; expected both or neither")
        try:
            self.path.touch()
        except OSError as error:
            raise StoreError(f"the store {self.path} cannot be made: {error.strerror}") from error

    def _connect(self) -> sqlite3.Connection:
        # Never makes a file. If the store was moved away for a moment, a new file in its place would destroy its log.
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        with ExitStack() as unfinished:
            try:
                connection = sqlite3.connect(
                    address, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, uri=True
                )
                unfinished.callback(connection.close)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(f"PRAGMA wal_autocheckpoint = {_MOST_PAGES}")
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA secure_delete = ON")  # overwrites deleted data, which may be about people
            except sqlite3.Error as error:
                raise self._failed(error) from error
            unfinished.pop_all()
        return connection

    def _prepare(self) -> None:
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            (found,) = self._writer.execute("PRAGMA user_version").fetchone()
            if found < SCHEMA_VERSION:
                for statement in schema() if found == 0 else upgrades(found):
                    self._writer.execute(statement)
                self._writer.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
            self._writer.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._failed(error) from error
        if found > SCHEMA_VERSION:
            raise StoreError(f"the store {self.path} has the version {found}; expected {SCHEMA_VERSION}")

    def _begin(self) -> None:
        self._check_there()
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._writer.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.Error as error:
                is_busy = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
                if not is_busy or time.monotonic() > deadline:
                    raise self._failed(error) from error
            time.sleep(_PAUSE)

    def _commit(self) -> None:
        self._writer.execute("COMMIT")

    def _checkpoint(self) -> None:
        """Copy the write-ahead log into the file beside the writers, so that no commit has to do it."""
        try:
            with closing(self._connect()) as connection:
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        except sqlite3.Error as error:
            raise self._failed(error) from error

    def _check_there(self) -> None:
        # SQLite goes on writing to a file that was deleted or replaced, and these answers would be lost.
        if self._found_inode() != self._inode:
            raise StoreError(f"the store {self.path} is gone")

    def _found_inode(self) -> int | None:
        try:
            return os.stat(self.path).st_ino
        except OSError:
            return None

    def _backup(self, path: Path) -> None:
        try:
            with closing(self._connect()) as source, closing(sqlite3.connect(path)) as target:
                source.backup(target, pages=1024)
        except sqlite3.Error as error:
            raise StoreError(f"the backup {path} cannot be written: {one_line(error)}") from error

    async def _in_thread(self, function: Callable[[], T]) -> T:
        """Run a function in the thread, to its end even if the caller is cancelled."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, function)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            with suppress(Exception):
                await running
            raise

    def _failed(self, error: sqlite3.Error) -> StoreError:
        return StoreError(f"the store {self.path} cannot be used: {one_line(error)}")


class _Inline:
    """Statements that run at once in this thread."""

    settled = 0

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        return self._connection.execute(_in_sqlite(sql), values).fetchall()

    async def execute(self, sql: str, *values: Any) -> int:
        return self._connection.execute(_in_sqlite(sql), values).rowcount

    async def execute_many(self, sql: str, rows: list[Row]) -> None:
        self._connection.executemany(_in_sqlite(sql), rows)

    async def wall(self) -> int:
        return time.time_ns() // 1000


class _Threaded(_Inline):
    """Statements that may read a lot and run in other threads."""

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        return await asyncio.to_thread(partial(self._fetch, sql, values))

    def _fetch(self, sql: str, values: Row) -> list[Row]:
        return self._connection.execute(_in_sqlite(sql), values).fetchall()


@lru_cache(maxsize=512)
def _in_sqlite(sql: str) -> str:
    return sql.replace("$", "?")
