"""Stores by their address."""

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
    """A store by its address.

    Args:
        url: `sqlite:///` and the path of a file; or `postgresql://`, user, host and database.
        make: whether the file, or the tables in the database, are made if there are none.

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
