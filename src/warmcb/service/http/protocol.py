"""HTTP/1.1 with limits: on the time until a request has arrived, and on the number of connections."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_SECONDS = 15.0  # longer than `Limits.seconds`, so that slow bodies are refused with a reason
_MESSAGE = b'{"error":{"code":"unavailable","message":"too many connections are open; try again later"}}'
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_MESSAGE), _MESSAGE)
)


class PatientProtocol(HttpToolsProtocol):
    """Closes connections whose request does not arrive in time, and those beyond the limit."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Expect the first request of a new connection."""
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            transport.write(_TOO_MANY)
            transport.close()
        else:
            self._wait_for_request()

    def on_message_begin(self) -> None:
        """Expect the rest of a request, perhaps a later one of the same connection."""
        self._wait_for_request()
        super().on_message_begin()

    def on_message_complete(self) -> None:
        """Stop the clock, since the request has arrived with its body."""
        self._stop_waiting()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock, since the connection has ended."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_request(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
