"""How commands print: results on standard output, everything else on standard error."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

Justify = Literal["left", "right"]


def results() -> Console:
    """The console for results."""
    return Console(highlight=False, emoji=False)


def messages() -> Console:
    """The console for progress, remarks and errors."""
    return Console(stderr=True, highlight=False, emoji=False)


def tell(console: Console, line: str, style: str | None = None) -> None:
    """Print a line as it is: without markup, and not wrapped however long it is."""
    console.print(line, style=style, markup=False, soft_wrap=True)


def busy(console: Console, doing: str) -> Status:
    """Show what the command is doing, on a terminal only, for as long as the block runs."""
    return console.status(escape(doing))


def table(columns: Mapping[str, Justify], rows: Iterable[Iterable[Any]]) -> Table:
    """Make a plain table.

    Args:
        columns: the headers, and how each column is aligned.
        rows: the values. Their texts are shown as they are.

    """
    made = Table(box=None, padding=(0, 2, 0, 0))
    for header, justify in columns.items():
        made.add_column(header, justify=justify)
    for row in rows:
        made.add_row(*(escape(str(value)) for value in row))
    return made


def list_of(facts: Iterable[tuple[str, Any]], bold: str | None = None) -> Table:
    """Make a table with a line for each fact; facts that are None are left out.

    Args:
        facts: names and values.
        bold: the name of the fact that stands out.

    """
    made = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in facts:
        if value is not None:
            made.add_row(name, escape(str(value)), style="bold" if name == bold else "")
    return made
