"""What a service keeps its data in: transactions and snapshots of a database.

SQL has placeholders `$1`, `$2` and so on, and is written so that SQLite and PostgreSQL understand it alike: schema.sql.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from enum import Enum
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

from warmcb._messages import shown
from warmcb.errors import InputError, MissingDependencyError, WarmcbError
from warmcb.service.clock import Clock

SCHEMA_VERSION = 1
_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://")
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


def open_store(url: str, make: bool = True) -> Store:
    """A store by its address.

    Args:
        url: `sqlite:///` and the path of a file; or `postgresql://`, user, host and database.
        make: whether the file, or the tables in the database, are made if there are none.

    """
    if isinstance(url, str) and url.startswith(_SQLITE) and url != _SQLITE:
        from warmcb.service.sqlite import SqliteStore

        return SqliteStore(Path(url.removeprefix(_SQLITE)), make)
    if isinstance(url, str) and url.startswith(_POSTGRESQL):
        try:
            from warmcb.service.postgresql import PostgresqlStore
        except ImportError as error:
            lacking = f"{error.name} is missing; this store needs: pip install 'warmcb[serve,postgresql]'"
            raise MissingDependencyError(lacking) from error
        return PostgresqlStore(url, make)
    raise InputError(f"store is {shown(url)}; expected {_SQLITE} and the path of a file, or postgresql://HOST/DATABASE")


@asynccontextmanager
async def opened(url: str, make: bool = True) -> AsyncIterator[Store]:
    """A store by its address, closed at the end.

    Args:
        url: as `open_store` takes it.
        make: whether it is made if there is none.

    """
    store = open_store(url, make)
    try:
        yield store
    finally:
        await store.close()


def schema() -> list[str]:
    """The statements that make the tables, as SQLite has them."""
    text = files("warmcb.service").joinpath("schema.sql").read_text(encoding="utf-8")
    return [statement for statement in text.split(";\n") if statement.strip()]
