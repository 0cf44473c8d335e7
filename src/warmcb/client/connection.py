"""HTTP requests that are sent again while a service restarts, if that does no harm."""

import random
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx
import msgspec

from warmcb._atomic import replacing
from warmcb._messages import one_line, shown
from warmcb.errors import InputError, ServiceError

_Result = TypeVar("_Result")

_FIRST_PAUSE = 0.1  # seconds; each further one is twice as long
_LONGEST_PAUSE = 2.0


class _Failure(msgspec.Struct):
    code: str
    message: str


class _Refusal(msgspec.Struct):
    error: _Failure


class Connection:
    """Sends requests with a key, tries again, and raises a `ServiceError` if that does not help.

    Args:
        url: the address of the service.
        key: the key that is sent with each request.
        timeout: how long to wait for an answer, in seconds.
        retries: how often to try again.
        transport: carries requests in place of the network.
        origin: where the key comes from.

    """

    def __init__(
        self,
        url: str,
        key: str,
        timeout: float,
        retries: int,
        transport: httpx.BaseTransport | None = None,
        origin: str = "the argument key",
    ) -> None:
        self._url = url
        self._origin = origin
        self._retries = retries
        self._http = httpx.Client(
            base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=timeout, transport=transport
        )

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def ask(
        self,
        method: str,
        path: str,
        kind: type[_Result],
        body: object = None,
        *,
        query: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        repeatable: bool = True,
    ) -> _Result:
        """Send a request and return its answer.

        Args:
            method: the HTTP method.
            path: the path below the service's address.
            kind: the type of the answer.
            body: the body, which is sent as JSON; None if there is none.
            query: parameters behind the path.
            headers: further headers.
            timeout: how long to wait, in seconds, if not as usual.
            repeatable: whether the service may get the request twice. If not, it is sent again only if no connection
                was made.

        Returns:
            The answer as an object of that type.

        """
        content = None if body is None else _encoded(body)
        sent = {"content-type": "application/json", **(headers or {})} if body is not None else dict(headers or {})
        patience = httpx.USE_CLIENT_DEFAULT if timeout is None else timeout

        def attempt() -> _Result:
            response = self._http.request(method, path, content=content, params=query, headers=sent, timeout=patience)
            self._refuse_failures(response)
            return _decoded(response, kind)

        return self._persist(attempt, repeatable)

    def download(self, path: str, target: Path, query: Mapping[str, str] | None = None) -> None:
        """Write an answer to a file, which is replaced when the download is complete.

        Args:
            path: the path below the service's address.
            target: the file.
            query: parameters behind the path.

        """

        def attempt() -> None:
            with self._http.stream("GET", path, params=query) as response:
                if not response.is_success:
                    response.read()
                    self._refuse_failures(response)
                with replacing(target) as file:
                    for part in response.iter_bytes():
                        file.write(part)

        self._persist(attempt, repeatable=True)

    def _persist(self, attempt: Callable[[], _Result], repeatable: bool) -> _Result:
        for number in range(self._retries):
            try:
                return self._tried(attempt)
            except ServiceError as error:
                if error.code != "unreachable" and not (repeatable and error.status in (None, 503)):
                    raise
            pause = min(_FIRST_PAUSE * 2**number, _LONGEST_PAUSE)
            time.sleep(pause * random.uniform(0.5, 1.0))  # so that not all clients come back at the same moment
        return self._tried(attempt)

    def _tried(self, attempt: Callable[[], _Result]) -> _Result:
        try:
            return attempt()
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            raise ServiceError(f"{self._url} cannot be reached: {one_line(error)}", code="unreachable") from error
        except httpx.TimeoutException as error:
            raise ServiceError(f"{self._url} did not answer in time", code="timeout") from error
        except httpx.TransportError as error:
            raise ServiceError(f"{self._url} broke off: {one_line(error)}", code="interrupted") from error

    def _refuse_failures(self, response: httpx.Response) -> None:
        if response.is_success:
            return
        try:
            failure = msgspec.json.decode(response.content, type=_Refusal).error
        except msgspec.DecodeError:  # a proxy has answered, and not the service
            failure = _Failure("unknown", f"{response.url} answered {response.status_code} {response.reason_phrase}")
        is_wrong_key = failure.code == "unauthorized"
        message = f"{failure.message}; it is that of {self._origin}" if is_wrong_key else failure.message
        raise ServiceError(message, status=response.status_code, code=failure.code)


def _decoded(response: httpx.Response, kind: type[_Result]) -> _Result:
    if kind is type(None):
        return None
    try:
        return msgspec.json.decode(response.content, type=kind)
    except msgspec.DecodeError as error:
        message = f"{response.url} does not answer as warmcb serve does: {one_line(error)}"
        raise ServiceError(message, status=response.status_code, code="unreadable") from error


def _encoded(body: object) -> bytes:
    return msgspec.json.encode(body, enc_hook=_plain)


def _plain(value: Any) -> object:
    """Return numbers and arrays of NumPy as plain Python values."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise InputError(f"a request holds {shown(value)}; expected what JSON can hold")
