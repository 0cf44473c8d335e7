"""Open a store by its address."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from warmcb._messages import shown
from warmcb.errors import InputError, MissingDependencyError
from warmcb.service.store.contract import Store
from warmcb.service.store.sqlite import SqliteStore

_SQLITE = "sqlite:///"
_POSTGRESQL = ("postgresql://", "postgres://")


def open_store(url: str, make: bool = True) -> Store:
    """Return the store at an address.

    Args:
        url: `sqlite:///` and the path of a file, or `postgresql://` with user, host and database.
        make: whether to make the file, or the tables in the database, if there are none.

    Raises:
        InputError: if the address has another form.
        MissingDependencyError: if asyncpg is not installed.

    """
    if isinstance(url, str) and url.startswith(_SQLITE) and url != _SQLITE:
        return SqliteStore(Path(url.removeprefix(_SQLITE)), make)
    if isinstance(url, str) and url.startswith(_POSTGRESQL):
        try:
            from warmcb.service.store.postgresql import PostgresqlStore
        except ImportError as error:
            lacking = f"{error.name} is missing; this store needs: pip install 'warmcb[serve,postgresql]'"
            raise MissingDependencyError(lacking) from error
        return PostgresqlStore(url, make)
    raise InputError(f"store is {shown(url)}; expected {_SQLITE} and the path of a file, or postgresql://HOST/DATABASE")


@asynccontextmanager
async def opened(url: str, make: bool = True) -> AsyncIterator[Store]:
    """Open the store at an address, and close it at the end.

    Args:
        url: the address, as for `open_store`.
        make: whether to make the store if there is none.

    """
    store = open_store(url, make)
    try:
        yield store
    finally:
        await store.close()
