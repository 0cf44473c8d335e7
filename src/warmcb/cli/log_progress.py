"""Progress of work on a log, on standard error: a line that counts decisions, on a terminal only."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from warmcb.logs.collecting import Progress


@contextmanager
def following(console: Console) -> Iterator[Progress]:
    """Give a function to which the reader of a log reports its progress."""
    done: dict[str, int] = {}
    with console.status("reading") as status:

        def tell(what: str, decisions: int) -> None:
            done[what] = done.get(what, 0) + decisions
            status.update(f"{what}: {done[what]:,} decisions")

        yield tell
