"""Routes as their handlers see them: calls, replies, and how errors become replies."""

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
"""Who may call, besides the roles of keys."""


@dataclass(frozen=True)
class Call:
    """A request that has been checked.

    Attributes:
        key: the key of the caller.
        loop: the loop, if the route has one.
        body: the decoded body.
        path: the parameters in the path.
        query: the parameters behind the path.
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
        """What the history of settings calls the caller."""
        return "nobody" if self.key is None else self.key.who


@dataclass(frozen=True)
class Reply:
    """The answer to a request.

    Attributes:
        body: a value that becomes JSON; or bytes, or a stream of bytes, which are sent as they are.
        status: the HTTP status.
        kind: the content type.
        filename: the name under which a browser stores the body.
        cache: the header `Cache-Control`.
        headers: further headers.

    """

    body: Any
    status: int = 200
    kind: bytes = _JSON
    filename: str | None = None
    cache: bytes = b"no-store"
    headers: tuple[tuple[bytes, bytes], ...] = ()


Handler = Callable[[Call], Awaitable[Reply]]


def refused(error: Exception) -> Reply:
    """Return the answer to a request that failed."""
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
        refused: makes the answer to a request that failed.
        idempotency: the header that identifies a delivery.
        loop_of_key: whether the key tells which loop is meant, and not the path.
        is_strict: whether unknown parameters behind the path are refused.

    """

    refused: Callable[[Exception], Reply] = refused
    idempotency: str = "Idempotency-Key"
    loop_of_key: bool = False
    is_strict: bool = True


@dataclass(frozen=True)
class Endpoint:
    """A route.

    Attributes:
        method: the HTTP method.
        path: the path, with parameters in braces.
        handler: the function that answers.
        role: who may call: `ANYBODY`, `ANY_KEY`, or a role of keys.
        summary: what it does, in one sentence.
        body: the type of the body; `bytes` if it is not JSON, None if there is none.
        query: the parameters behind the path, and what they mean.
        most: the largest size of the body in bytes, if it is not the usual one.
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
