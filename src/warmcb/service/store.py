"""The SQLite file behind a service: how it is opened, and what a transaction is."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from warmcb.errors import WarmcbError

SCHEMA_VERSION = 1
_PATIENCE = 10.0  # seconds to wait for another process that writes


class StoreError(WarmcbError):
    """The store cannot be used: it is gone, full, damaged, or of another version."""


def connect(path: Path | str) -> sqlite3.Connection:
    """Open the store; it is made if there is none.

    A commit returns when its data are on the disk (`synchronous=FULL`). Transactions are explicit: see `transaction`.

    Args:
        path: the file.

    """
    try:
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        _prepare(connection)
    except sqlite3.Error as error:
        raise StoreError(f"the store {str(path)!r} cannot be opened: {error}") from error
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing. It waits for other writers at its begin, so that it cannot fail in the middle for their sake."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _prepare(connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found == SCHEMA_VERSION:
        return
    if found > SCHEMA_VERSION:
        raise StoreError(
            f"the store has the version {found}; expected {SCHEMA_VERSION} or less: it is of a newer warmcb"
        )
    schema = files("warmcb.service").joinpath("schema.sql").read_text(encoding="utf-8")
    connection.executescript(f"BEGIN IMMEDIATE;\n{schema}\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;")
