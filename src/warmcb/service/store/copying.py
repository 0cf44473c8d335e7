"""Copy loops from one store to another, row by row. The copy continues with the same state, bit for bit."""

import re
from collections.abc import AsyncIterator
from functools import cache
from typing import NamedTuple

from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.service.store.contract import Database, Row
from warmcb.service.store.schema import schema

_PAGE = 1000  # rows to read at once
_LARGE_PAGE = 10  # the same for rows that hold models
_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*)\)", re.DOTALL)
_COLUMN = re.compile(r"^    ([a-z]\w*) ", re.MULTILINE)
_KEY = re.compile(r"PRIMARY KEY \((.*)\)|^    (\w+) \w+ PRIMARY KEY", re.MULTILINE)


class Table(NamedTuple):
    """A table of schema.sql.

    Attributes:
        name: its name.
        columns: the names of its columns.
        key: the columns of its primary key.
        is_large: whether a row may have millions of bytes.

    """

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    is_large: bool

    @property
    def is_numbered(self) -> bool:
        """Whether the database numbers its rows. The numbers then differ between stores."""
        return self.key == ("id",)


@cache
def tables() -> tuple[Table, ...]:
    """Return the tables of a store. Tables that others refer to come first."""
    found = []
    for statement in schema():
        if match := _TABLE.search(statement):
            name, body = match.groups()
            (key,) = [several or one for several, one in _KEY.findall(body)]
            found.append(Table(name, tuple(_COLUMN.findall(body)), tuple(key.split(", ")), " BLOB NOT NULL" in body))
    return tuple(found)


async def copy_loop(source: Database, target: Database, loop: str, name: str) -> None:
    """Copy everything of a loop except its keys.

    Args:
        source: a snapshot.
        target: a transaction of the same store or another one.
        loop: the name of the loop.
        name: its name in the target.

    """
    if not await source.fetch("SELECT 1 FROM loops WHERE loop = $1", loop):
        raise InputError(f"loop is {shown(loop)}; expected the name of a loop that exists")
    if await target.fetch("SELECT 1 FROM loops WHERE loop = $1", name):
        raise InputError(f"the loop {shown(name)} exists already; expected a new name")
    for table in tables():
        if table.name == "keys" or "loop" not in table.columns:
            continue
        async for rows in _pages(source, table, loop):
            await _insert(target, table, [(name, *row[1:]) for row in rows])


async def only_loop(source: Database) -> str:
    """Return the name of the only loop in an exported file."""
    found = [name for (name,) in await source.fetch("SELECT loop FROM loops ORDER BY loop")]
    if len(found) != 1:
        raise InputError(f"the file has the loops {shown(found)}; expected one, as `warmcb loop export` writes it")
    return str(found[0])


async def copy_all(source: Database, target: Database) -> None:
    """Copy all loops, keys and the service time to an empty store."""
    for table in tables():
        if table.name in ("meta", "keys"):
            columns = ", ".join(table.columns)
            rows = await source.fetch(f"SELECT {columns} FROM {table.name}")
            await target.execute_many(f"INSERT INTO {table.name} ({columns}) VALUES ({_places(table.columns)})", rows)
    for (loop,) in await source.fetch("SELECT loop FROM loops"):
        await copy_loop(source, target, loop, loop)


async def _pages(source: Database, table: Table, loop: str) -> AsyncIterator[list[Row]]:
    """Yield the rows of a loop in the order of their keys, with the name of the loop first."""
    columns = [_read(table, column) for column in _copied(table)]
    key = [column for column in table.key if column != "loop"]
    sql = f"SELECT {', '.join([*columns, *key])} FROM {table.name} WHERE loop = $1"
    most, seen = _LARGE_PAGE if table.is_large else _PAGE, ()
    while True:
        beyond = f" AND ({', '.join(key)}) > ({_places(key, 2)})" if seen else ""
        order = f" ORDER BY {', '.join(key)} LIMIT {most}" if key else ""
        rows = await source.fetch(sql + beyond + order, loop, *seen)
        if rows:
            yield [row[: len(columns)] for row in rows]
        if not key or len(rows) < most:
            return
        seen = rows[-1][len(columns) :]


async def _insert(target: Database, table: Table, rows: list[Row]) -> None:
    columns = _copied(table)
    values = [_written(table, column, f"${i}") for i, column in enumerate(columns, 1)]
    sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join(values)})"
    await target.execute_many(sql, rows)


def _copied(table: Table) -> list[str]:
    """Return the columns that mean the same in every store, with the name of the loop first."""
    return ["loop", *[one for one in table.columns if one != "loop" and not (table.is_numbered and one == "id")]]


def _read(table: Table, column: str) -> str:
    """Return the expression that reads a column. In the journal, ids of events replace their numbers."""
    if (table.name, column) == ("journal", "event"):
        return "(SELECT e.event FROM events e WHERE e.id = journal.event)"
    return column


def _written(table: Table, column: str, value: str) -> str:
    """Return the expression that writes a column, the reverse of `_read`."""
    if (table.name, column) == ("journal", "event"):
        return f"(SELECT id FROM events WHERE loop = $1 AND event = {value})"
    return value


def _places(columns: list[str] | tuple[str, ...], first: int = 1) -> str:
    return ", ".join(f"${i}" for i in range(first, first + len(columns)))
