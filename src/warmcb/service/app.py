"""The application of a worker: all routes over one store."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route, Router

from warmcb.service.clock import Clock
from warmcb.service.http.door import Door
from warmcb.service.http.endpoints import ANY_KEY, ANYBODY, Call, Endpoint, Reply
from warmcb.service.http.limits import Limits
from warmcb.service.http.openapi import description
from warmcb.service.loops import keys
from warmcb.service.loops.directory import Directory
from warmcb.service.loops.keys import Key
from warmcb.service.monitoring.metrics import exposition
from warmcb.service.personalizer.apis import ROOT
from warmcb.service.personalizer.routes import Personalizer
from warmcb.service.refusals import RefusedError, not_found
from warmcb.service.routes.administration import Administration
from warmcb.service.routes.page import Page
from warmcb.service.routes.reading import Reading
from warmcb.service.routes.reporting import Reporting
from warmcb.service.routes.serving import Serving
from warmcb.service.store import Store, StoreError
from warmcb.service.store.committer import Committer


class _Text(Convertor[str]):
    """Any text in a path: ids may have slashes, and also line breaks, at which Starlette's own kinds stop."""

    regex = r"[\s\S]*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("text", _Text())


class Application:
    """The routes of a service.

    Args:
        store: of the service.
        clock: of the service.
        master: a key that administers everything, if there is one.
        limits: of requests.

    Attributes:
        router: the ASGI application.
        endpoints: all routes but those of Personalizer, whose own description is public, and of the page.
        jobs: does what was asked for by some of them.

    """

    def __init__(self, store: Store, clock: Clock, master: Key | None = None, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        self._store = store
        self._directory = Directory(store, master)
        committer = Committer(store, clock)
        door = Door(self._directory, limits)
        serving, reading = Serving(self._directory, committer, limits), Reading(store)
        others = [
            Endpoint("GET", "/healthz", self.health, ANYBODY, "Tell that the process lives."),
            Endpoint("GET", "/readyz", self.ready, ANYBODY, "Tell whether the store can be used."),
            *reading.endpoints,
            *Reporting(store, self._directory, clock).endpoints,
            *Administration(store, self._directory, committer).endpoints,
            Endpoint("GET", "/metrics", self.metrics, keys.ADMINISTRATION, "Give metrics for Prometheus."),
            Endpoint("GET", "/openapi.json", self.openapi, ANY_KEY, "Describe the routes."),
        ]
        self.endpoints = [*serving.endpoints, *others]
        elsewhere = Endpoint("", "elsewhere", self.elsewhere, ANY_KEY, "")
        otherwise = Endpoint("", "otherwise", self.otherwise, ANY_KEY, "")
        theirs = Personalizer(store, self._directory, committer, reading)
        self.jobs = theirs.jobs
        their_routes = _routes(door, theirs.endpoints, theirs.otherwise)
        routes = [  # those that are called most first
            *_routes(door, serving.endpoints, otherwise),
            Route(
                f"{ROOT}/{{rest:text}}",
                Router(their_routes, default=door.app(theirs.elsewhere), redirect_slashes=False),
            ),
            *_routes(door, others, otherwise),
            *_routes(door, Page().endpoints, otherwise),
        ]
        self.router = Router(routes, default=door.app(elsewhere), redirect_slashes=False, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Any) -> AsyncIterator[None]:
        running = [asyncio.create_task(one.run()) for one in (self._directory, self.jobs)]
        try:
            yield
        finally:
            for one in running:
                one.cancel()
                with suppress(asyncio.CancelledError):
                    await one

    async def health(self, call: Call) -> Reply:
        """The process lives."""
        return Reply({"status": "ok"})

    async def ready(self, call: Call) -> Reply:
        """The store can be used."""
        try:
            await self._directory.refresh()
        except StoreError:
            raise RefusedError(503, "unavailable", "the store cannot be used at the moment") from None
        return Reply({"status": "ready"})

    async def metrics(self, call: Call) -> Reply:
        """What monitoring wants to know."""
        return Reply(await asyncio.to_thread(exposition), kind=b"text/plain; version=0.0.4; charset=utf-8")

    async def openapi(self, call: Call) -> Reply:
        """What there is."""
        return Reply(description(self.endpoints))

    async def elsewhere(self, call: Call) -> Reply:
        """There is no such route."""
        raise not_found("there is nothing at this address; see /openapi.json")

    async def otherwise(self, call: Call) -> Reply:
        """There is one, for other methods."""
        raise RefusedError(405, "bad_method", "this address does not take this method; see /openapi.json")


def _routes(door: Door, endpoints: Iterable[Endpoint], otherwise: Endpoint) -> list[Route]:
    """Routes by path."""
    by_path: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = door.app(endpoint)
    other = door.app(otherwise)
    return [Route(path, _ByMethod(apps, other)) for path, apps in by_path.items()]


class _ByMethod:
    """The applications of one path, by method; and one for all other methods."""

    def __init__(self, apps: dict[str, Any], other: Any) -> None:
        self._apps, self._other = apps, other

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._apps.get(scope["method"], self._other)(scope, receive, send)
