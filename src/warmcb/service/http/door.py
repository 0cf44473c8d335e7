"""From a request to its handler and back: keys, limits and bodies. Every request comes through here."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from starlette.types import Message, Receive, Scope, Send

from warmcb.service.bodies import decoded
from warmcb.service.http.endpoints import ANY_KEY, ANYBODY, Call, Endpoint, Reply
from warmcb.service.http.limits import Limits, Rates
from warmcb.service.loops import keys
from warmcb.service.loops.directory import Directory
from warmcb.service.loops.keys import Key
from warmcb.service.loops.loops import DEFAULT
from warmcb.service.monitoring.metrics import REQUESTS, SECONDS
from warmcb.service.refusals import RefusedError, bad_request

_CLOSE, _LATER = (b"connection", b"close"), (b"retry-after", b"1")
_HEADERS = {401: ((b"www-authenticate", b"Bearer"),), 408: (_CLOSE,), 413: (_CLOSE,), 429: (_LATER,), 503: (_LATER,)}
"""Headers that go with some statuses."""
_encode = msgspec.json.Encoder().encode


class Door:
    """Checks requests and passes them to their handlers.

    Args:
        directory: the keys and loops that the worker knows.
        limits: of requests.

    """

    def __init__(self, directory: Directory, limits: Limits) -> None:
        self._directory, self._limits = directory, limits
        self._rates, self._failures = Rates(limits.rate), Rates(limits.failures)

    def app(self, endpoint: Endpoint) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
        """Return the ASGI application of a route."""
        seconds = SECONDS.labels(endpoint.path)
        counters: dict[int, Any] = {}

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            began = time.perf_counter()
            status = 500
            try:
                try:
                    reply = await self._answer(endpoint, scope, receive)
                except Exception as error:
                    reply = endpoint.surface.refused(error)
                status = reply.status
                await send_reply(reply, send)
            except asyncio.CancelledError:
                status = 499
                raise
            finally:
                if status not in counters:
                    counters[status] = REQUESTS.labels(endpoint.path, status)
                counters[status].inc()
                seconds.observe(time.perf_counter() - began)

        return application

    async def _answer(self, endpoint: Endpoint, scope: Scope, receive: Receive) -> Reply:
        headers = dict(scope["headers"])
        path = scope.get("path_params", {})
        key = None if endpoint.role == ANYBODY else await self._key(scope, headers)
        surface, name = endpoint.surface, path.get("loop")
        if key is not None:
            if surface.loop_of_key:
                name = key.loop or DEFAULT
            self._rates.spend(key.hash)
            _check_role(endpoint, key, keys.ALL_LOOPS if name is None else name)
        loop: Any = None
        if name is not None and (surface.loop_of_key or endpoint.method != "PUT"):
            loop = await self._directory.loop(name)
        raw = await self._body(headers, receive, endpoint)
        body = raw if endpoint.body is bytes else None if endpoint.body is None else decoded(raw, endpoint.body)
        behind = scope["query_string"].decode("latin-1")
        query = dict(parse_qsl(behind, keep_blank_values=True)) if behind else {}
        if surface.is_strict and (strange := set(query) - set(endpoint.query)):
            raise bad_request(f"the parameter {min(strange)!r:.80} is not known here")
        idempotency = headers.get(surface.idempotency.lower().encode())
        text = None if idempotency is None else idempotency.decode("latin-1")
        if any("\0" in value for value in (*path.values(), *query.values(), text or "")):
            raise bad_request("a parameter has the character U+0000; expected others")
        if text is not None and not 1 <= len(text) <= 256:
            raise bad_request(f"{surface.idempotency} has {len(text)} characters; expected 1 to 256")
        return await endpoint.handler(Call(key, loop, body, path, query, text))

    async def _key(self, scope: Scope, headers: dict[bytes, bytes]) -> Key:
        given = headers.get(b"authorization", b"").decode("latin-1")
        kind, _, text = given.partition(" ")
        if kind.lower() != "bearer" or not text:
            text = headers.get(b"ocp-apim-subscription-key", b"").decode("latin-1")
        address = (scope.get("client") or ("",))[0]
        if self._failures.is_spent(address) and keys.found(self._directory.keys, text) is None:
            raise RefusedError(429, "too_many", "there were too many wrong keys; try again in a second")
        found = keys.found(self._directory.keys, text) if text else None
        if found is None and text:
            await self._directory.refresh()  # another worker may have made the key just now
            found = keys.found(self._directory.keys, text)
        if found is None:
            self._failures.spend(address)
            what = "the key is wrong" if text else _missing(given)
            raise RefusedError(401, "unauthorized", what)
        return found

    async def _body(self, headers: dict[bytes, bytes], receive: Receive, endpoint: Endpoint) -> bytes:
        most = endpoint.most or self._limits.body
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            raise _too_large(most)
        async with asyncio.timeout(self._limits.seconds):
            message = await _received(receive)
            if not message.get("more_body"):
                whole: bytes = message.get("body", b"")
                return whole
            parts, size = [message.get("body", b"")], len(message.get("body", b""))
            while message.get("more_body"):
                message = await _received(receive)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    raise _too_large(most)
        return b"".join(parts)


async def _received(receive: Receive) -> Message:
    """Return the next part of a body."""
    message = await receive()
    if message["type"] == "http.disconnect":
        raise bad_request("the body is incomplete")
    return message


async def send_reply(reply: Reply, send: Send) -> None:
    """Send a reply."""
    streams = isinstance(reply.body, AsyncIterator)
    body = b"" if streams else reply.body if isinstance(reply.body, bytes) else _encode(reply.body)
    headers = [(b"content-type", reply.kind), (b"cache-control", reply.cache)]
    if not streams:
        headers.append((b"content-length", str(len(body)).encode()))
    if reply.filename is not None:
        headers.append((b"content-disposition", f'attachment; filename="{reply.filename}"'.encode()))
    headers += [*_HEADERS.get(reply.status, ()), *reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    if streams:
        async for part in reply.body:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": body})


def _check_role(endpoint: Endpoint, key: Key, loop: str) -> None:
    is_allowed = {
        ANY_KEY: True,
        keys.APPLICATION: key.serves(loop),
        keys.ADMINISTRATION: key.administers(loop),
    }[endpoint.role]
    if not is_allowed:
        raise RefusedError(
            403, "forbidden", f"the key is for {key.role} of {key.loop or 'all loops'}, and not for this"
        )


def _missing(authorization: str) -> str:
    """Return what a request without a key lacks. The header has perhaps a key, but not the word before it."""
    is_bare = authorization and " " not in authorization and authorization.lower() != "bearer"
    what = "the word Bearer is missing before the key" if is_bare else "a key is missing"
    return f"{what}; expected Authorization: Bearer KEY"


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, "too_large", f"the body is too large; expected at most {most} bytes")
