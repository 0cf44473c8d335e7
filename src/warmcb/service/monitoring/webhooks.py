"""Webhooks: messages to an address from the settings. Private addresses are refused unless the operator allows them."""

import asyncio
import http.client
import ipaddress
import logging
import socket
import ssl
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import msgspec

from warmcb._messages import one_line
from warmcb.errors import WarmcbError

log = logging.getLogger("warmcb.trainer")

_SECONDS = 5.0  # for each step of a delivery
_PAUSES = (1.0, 5.0, 25.0)  # seconds before each further try
_STOPPING = 5.0  # seconds for open deliveries when the trainer stops


class WebhookError(WarmcbError):
    """A message cannot be delivered."""


class Webhooks:
    """Sends messages while the trainer goes on.

    Args:
        allow_private: whether to deliver to private addresses, such as those of this machine or its network.

    """

    def __init__(self, allow_private: bool = False) -> None:
        self._allow_private = allow_private
        self._sending: set[asyncio.Task[None]] = set()

    def send(self, url: str, news: dict[str, Any]) -> None:
        """Deliver a message in the background. After a few failures it is given up.

        Args:
            url: an address with http or https.
            news: the message, which is sent as JSON.

        """
        task = asyncio.create_task(self._deliver(url, msgspec.json.encode(news)))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def finish(self) -> None:
        """Wait for open deliveries, but not for long."""
        if self._sending:
            _, late = await asyncio.wait(self._sending, timeout=_STOPPING)
            for task in late:
                task.cancel()

    async def _deliver(self, url: str, body: bytes) -> None:
        for pause in (*_PAUSES, None):
            try:
                await asyncio.to_thread(post, url, body, self._allow_private)
                return
            except WebhookError as error:
                log.warning("the webhook could not be delivered: %s", error)
            if pause is not None:
                await asyncio.sleep(pause)


def post(url: str, body: bytes, allow_private: bool) -> None:
    """Send JSON to an address once, without redirects or a proxy.

    Args:
        url: an address with http or https.
        body: JSON.
        allow_private: as in `Webhooks`.

    """
    parts = urlsplit(url)
    host, is_safe = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if is_safe else 80)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = [str(address[0]) for *_, address in found]
        if not allow_private and not all(map(_is_public, addresses)):
            # All addresses of the name: otherwise its owner could choose which one is checked.
            raise WebhookError(f"{host} is not a public address; warmcb serve --allow-private-webhooks allows it")
        connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
        with closing(connection):
            # Connect to the address that was checked, and to no other.
            connection.sock = socket.create_connection((addresses[0], port), _SECONDS)
            if is_safe:
                connection.sock = ssl.create_default_context().wrap_socket(connection.sock, server_hostname=host)
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request("POST", path, body, {"Content-Type": "application/json", "User-Agent": "warmcb"})
            status = connection.getresponse().status
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise WebhookError(f"{host} cannot be reached: {one_line(error)}") from error
    if not 200 <= status < 300:
        raise WebhookError(f"{host} answered {status}")


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            found = found.ipv4_mapped
        elif found.sixtofour is not None or found.teredo is not None:
            return False  # these wrap another address
    return found.is_global and not found.is_multicast
