"""HTTP/1.1 with patience that ends: a connection must bring a whole request head in time."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SECONDS = 10.0


class PatientProtocol(HttpToolsProtocol):
    """Closes connections that send nothing, or their head too slowly. Bodies have a limit of their own (http.py)."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """A connection begins: its first head has to come."""
        super().connection_made(transport)
        self._wait_for_head()

    def on_message_begin(self) -> None:
        """A request begins, perhaps a later one of the same connection."""
        self._wait_for_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._stop_waiting()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection ends."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
