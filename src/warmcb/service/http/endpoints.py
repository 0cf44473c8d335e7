"""A route as its handler sees it: what it is called with, what it answers, and how errors become answers."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from warmcb.errors import InputError
from warmcb.service.loops.keys import Key
from warmcb.service.loops.loops import Loop
from warmcb.service.monitoring.metrics import STORE_FAILURES
from warmcb.service.refusals import RefusedError
from warmcb.service.store import StoreError

log = logging.getLogger("warmcb.worker")

_JSON = b"application/json"
ANYBODY, ANY_KEY = "anybody", "any key"
"""Who may call, beside the roles of keys."""


@dataclass(frozen=True)
class Call:
    """A request, checked.

    Attributes:
        key: the caller's.
        loop: that it is about, if it is about one.
        body: decoded.
        path: the parameters in the path.
        query: those behind it.
        idempotency: the header `Idempotency-Key`, if there is one.

    """

    key: Key | None
    loop: Loop
    body: Any
    path: dict[str, str]
    query: dict[str, str]
    idempotency: str | None

    @property
    def who(self) -> str:
        """How the audit calls the caller."""
        return "nobody" if self.key is None else self.key.who


@dataclass(frozen=True)
class Reply:
    """What is answered.

    Attributes:
        body: what becomes JSON; or bytes, or a stream of them, as they are.
        status: of HTTP.
        kind: of bytes.
        filename: under which a browser should keep it.
        cache: whether it may be kept, and how long.
        headers: further ones.

    """

    body: Any
    status: int = 200
    kind: bytes = _JSON
    filename: str | None = None
    cache: bytes = b"no-store"
    headers: tuple[tuple[bytes, bytes], ...] = ()


Handler = Callable[[Call], Awaitable[Reply]]


def refused(error: Exception) -> Reply:
    """The answer to a request that went wrong."""
    if isinstance(error, RefusedError):
        status, code, message = error.status, error.code, str(error)
    elif isinstance(error, StoreError):
        STORE_FAILURES.inc()
        log.error("%s", error)
        status, code, message = 503, "unavailable", "the store cannot be used at the moment; nothing was changed"
    elif isinstance(error, TimeoutError):
        status, code, message = 408, "timeout", "the request took too long to arrive"
    elif isinstance(error, InputError):
        status, code, message = 400, "bad_request", str(error)
    else:
        log.error("%s: %s", type(error).__name__, error, exc_info=error)
        status, code, message = 500, "internal", "something went wrong here; nothing was changed"
    return Reply({"error": {"code": code, "message": message}}, status)


@dataclass(frozen=True)
class Surface:
    """What the routes of one API have in common.

    Attributes:
        refused: the answer to a request that went wrong.
        idempotency: the header that names a delivery.
        loop_of_key: whether the key names the loop, and not the path.
        is_strict: whether parameters behind the path that nobody knows are refused.

    """

    refused: Callable[[Exception], Reply] = refused
    idempotency: str = "Idempotency-Key"
    loop_of_key: bool = False
    is_strict: bool = True


@dataclass(frozen=True)
class Endpoint:
    """A route: who may call it, what it takes, what it does.

    Attributes:
        method: of HTTP.
        path: with parameters in braces.
        handler: what it does.
        role: `ANYBODY`, `ANY_KEY`, or a role of keys.
        body: the type of its body, `bytes` for one that is no JSON; None if it has none.
        summary: what it does, in a sentence.
        query: its parameters behind the path, and what they are.
        most: the largest body in bytes, if it is not the usual one.
        surface: the API that it belongs to.

    """

    method: str
    path: str
    handler: Handler
    role: str
    summary: str
    body: type[Any] | None = None
    query: dict[str, str] = field(default_factory=dict)
    most: int | None = None
    surface: Surface = Surface()
