"""A loop's log as a file: its route, and the lines that evaluations read."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from warmcb._messages import shown
from warmcb.logs.dsjson import line_of
from warmcb.logs.events import Event
from warmcb.logs.table import SCHEMA, table_of
from warmcb.service.events.events import logged
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.parameters import period
from warmcb.service.loops import keys
from warmcb.service.refusals import bad_request
from warmcb.service.store import Store
from warmcb.service.training.journal import entries_after

_PAGE = 1000  # events that are read at once
_BYTES = 2**18  # of a file that are sent at once


@dataclass(frozen=True)
class LoopLog:
    """Download logs.

    Attributes:
        store: of the service.

    """

    store: Store

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        query = {
            "format": "dsjson or parquet",
            "since": "only events decided at this time or later, ISO 8601",
            "until": "only events decided before this time, ISO 8601",
        }
        path, about = "/v1/loops/{loop}/log", "Download the log: events in the order of learning."
        return [Endpoint("GET", path, self.download, keys.ADMINISTRATION, about, query=query)]

    async def download(self, call: Call) -> Reply:
        """Return the log as a file."""
        kind = call.query.get("format", "dsjson")
        since, until = period(call.query.get("since"), call.query.get("until"))
        name = call.loop.name
        if kind == "dsjson":
            lines = self.lines(name, since, until)
            return Reply(lines, kind=b"application/x-ndjson", filename=f"{name}.dsjson")
        if kind == "parquet":
            parts = self._parquet(name, since, until)
            return Reply(parts, kind=b"application/octet-stream", filename=f"{name}.parquet")
        raise bad_request(f"format is {shown(kind)}; expected dsjson or parquet")

    async def lines(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[bytes]:
        """Yield the log as lines of dsjson.

        Args:
            loop: the name of the loop.
            since: only events that were decided at this time or later.
            until: only events that were decided before this time.
            after: only events behind this number of the journal.

        """
        async for events in self._events(loop, since, until, after):
            yield b"".join(line_of(event) + b"\n" for event in events)

    async def _events(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[list[Event]]:
        """Yield joined events. Each page is a snapshot of its own, since a download may take long."""
        number = after
        while True:
            async with self.store.snapshot() as database:
                entries = await entries_after(database, loop, number, _PAGE)
            if not entries:
                return
            number = entries[-1].number
            found = [(one.event, one) for one in entries if one.event is not None]
            yield [logged(event, one.joined) for event, one in found if since <= event.time < until]

    async def _parquet(self, loop: str, since: int, until: int) -> AsyncIterator[bytes]:
        import polars as pl

        folder = Path(tempfile.mkdtemp(prefix="warmcb-log-"))
        try:
            parts: list[Path] = []
            async for events in self._events(loop, since, until):
                parts.append(folder / f"{len(parts)}.parquet")
                await asyncio.to_thread(table_of(events).write_parquet, parts[-1])
            whole = folder / "log.parquet"
            frame = pl.scan_parquet(parts) if parts else pl.LazyFrame(schema=SCHEMA)
            await asyncio.to_thread(frame.sink_parquet, whole)
            with whole.open("rb") as file:
                while part := file.read(_BYTES):
                    yield part
        finally:
            shutil.rmtree(folder, ignore_errors=True)
