"""What a service keeps its data in: transactions and snapshots of a database.

SQL has placeholders `$1`, `$2` and so on, and is written so that SQLite and PostgreSQL understand it alike: schema.sql.
"""

from contextlib import AbstractAsyncContextManager
from enum import Enum
from pathlib import Path
from typing import Any, Protocol

from warmcb.errors import WarmcbError
from warmcb.service.clock import Clock

Row = tuple[Any, ...]


class StoreError(WarmcbError):
    """The store cannot be used: it is gone, full, damaged, or of another version."""


class CollisionError(StoreError):
    """Transactions were in each other's way. Nothing was written; it can be tried again at once."""


class Manner(Enum):
    """Which transactions may run at the same time. In SQLite none can, whatever their manner.

    Attributes:
        ALONE: one after the other: what it has read is still so when it writes.
        TOGETHER: beside others that are together. They may meet in rows that are inserted once, by their key.
        APART: beside all others, for as long as it takes: it writes what nobody else can know of.

    """

    ALONE = "alone"
    TOGETHER = "together"
    APART = "apart"


class Database(Protocol):
    """A transaction, or a snapshot, of a store.

    Attributes:
        settled: times that are written now may not be earlier (`Store.settle`).

    """

    settled: int

    async def fetch(self, sql: str, *values: Any) -> list[Row]:
        """The rows that a statement gives."""

    async def execute(self, sql: str, *values: Any) -> int:
        """How many rows a statement has changed."""

    async def execute_many(self, sql: str, rows: list[Row]) -> None:
        """Execute a statement for many rows of values, in order."""

    async def wall(self) -> int:
        """The clock on the wall, in microseconds: the same one for all machines."""


class Store(Protocol):
    """Where a service keeps its data.

    Attributes:
        writers: how many transactions a process does well to have under way at the same time.

    """

    writers: int

    def transaction(self, manner: Manner = Manner.ALONE) -> AbstractAsyncContextManager[Database]:
        """All or nothing; what it wrote is durable when it ends."""

    def snapshot(self) -> AbstractAsyncContextManager[Database]:
        """Reads that see one moment, beside transactions."""

    async def settle(self, clock: Clock) -> int:
        """A time that is over: the next transaction sees all that has an earlier one, and no more will come."""

    async def tidy(self) -> None:
        """Do what is better done now and then by the trainer than by those who are waited for."""

    async def backup(self, path: Path) -> None:
        """Copy the store as it is at one moment to an SQLite file, while it is in use."""

    async def close(self) -> None:
        """Give up connections."""
