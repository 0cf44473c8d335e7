"""What every store can do: transactions, snapshots and backups.

SQL statements have placeholders `$1`, `$2` and so on. They are written so that both SQLite and PostgreSQL understand
them; schema.sql has the tables.
"""

from contextlib import AbstractAsyncContextManager
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from warmcb.errors import WarmcbError
from warmcb.service.clock import Clock

Row = tuple[Any, ...]


class StoreError(WarmcbError):
    """The store cannot be used: it is gone, full, damaged, or has another version."""


class CollisionError(StoreError):
    """Two transactions collided. Nothing was written, and it can be tried again at once."""


class Manner(Enum):
    """Which transactions may run at the same time. In SQLite none can.

    Attributes:
        ALONE: no other transaction, so that what it has read still holds when it writes.
        TOGETHER: other transactions of this kind. They may share rows only if these are inserted once, by their key.
        APART: all other transactions, for as long as it takes. It writes rows that nobody else uses yet.

    """

    ALONE = "alone"
    TOGETHER = "together"
    APART = "apart"


class Database(Protocol):
    """A transaction or a snapshot of a store.

    Attributes:
        settled: the earliest time that may be written (`Store.settle`).

    """

    settled: int

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """Return the rows of a statement."""

    async def execute(self, sql: str, *values: Any) -> int:
        """Execute a statement and return the number of rows that it changed."""

    async def execute_many(self, sql: str, rows: list[Row]) -> None:
        """Execute a statement for many rows of values, in order."""

    async def wall(self) -> int:
        """Return the wall clock in microseconds. It is the same one for all machines."""


class Store(Protocol):
    """A database that holds the data of a service.

    Attributes:
        writers: how many transactions a process should have open at the same time.

    """

    writers: int

    def transaction(self, manner: Manner = Manner.ALONE) -> AbstractAsyncContextManager[Database]:
        """Open a transaction. It writes all or nothing, and its writes are durable when it ends."""

    def snapshot(self) -> AbstractAsyncContextManager[Database]:
        """Open a snapshot, which reads the state of one moment while transactions go on."""

    async def settle(self, clock: Clock) -> int:
        """Return a settled time. The next transaction sees everything earlier, and nothing earlier can follow."""

    async def tidy(self) -> None:
        """Do upkeep. The trainer calls this now and then, so that requests need not wait for it."""

    async def backup(self, path: Path) -> None:
        """Copy the store, as it is at one moment, to an SQLite file. It may be in use meanwhile."""

    async def close(self) -> None:
        """Close all connections."""
