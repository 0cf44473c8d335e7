"""The application of a worker: all routes over one store."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import Route, Router

from warmcb.service.clock import Clock
from warmcb.service.http.door import Door
from warmcb.service.http.endpoints import ANY_KEY, Call, Endpoint, Reply
from warmcb.service.http.limits import Limits
from warmcb.service.http.openapi import description
from warmcb.service.loops.directory import Directory
from warmcb.service.loops.keys import Key
from warmcb.service.personalizer.apis import ROOT
from warmcb.service.personalizer.routes import Personalizer
from warmcb.service.refusals import RefusedError, not_found
from warmcb.service.routes.backend import Backend
from warmcb.service.routes.deletion import Deletion
from warmcb.service.routes.evaluation import Evaluating
from warmcb.service.routes.events import Events
from warmcb.service.routes.keys import Keys
from warmcb.service.routes.log import LoopLog
from warmcb.service.routes.loops import Loops
from warmcb.service.routes.models import Models
from warmcb.service.routes.page import Page
from warmcb.service.routes.reporting import Reporting
from warmcb.service.routes.serving import Serving
from warmcb.service.routes.status import Status
from warmcb.service.store import Store
from warmcb.service.store.committer import Committer


class _Text(Convertor[str]):
    """Any text in a path. Ids may have slashes and line breaks, where Starlette's own convertors stop."""

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
        master: a key that may administer everything, if there is one.
        limits: of requests.

    Attributes:
        router: the ASGI application.
        endpoints: the service's own routes. Those of the page and of Personalizer's API, which has a public description
            of its own, are left out.
        jobs: does the long work that routes leave in the store.

    """

    def __init__(self, store: Store, clock: Clock, master: Key | None = None, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        backend = Backend(store, Directory(store, master), Committer(store, clock))
        self._directory = backend.directory
        door = Door(self._directory, limits)
        serving, evaluation = Serving(backend, limits), Evaluating(store)
        others = [
            *Status(backend).endpoints,
            *Events(backend).endpoints,
            *LoopLog(store).endpoints,
            *evaluation.endpoints,
            *Reporting(store, clock).endpoints,
            *Loops(backend).endpoints,
            *Models(backend).endpoints,
            *Keys(backend).endpoints,
            *Deletion(backend).endpoints,
            Endpoint("GET", "/openapi.json", self.openapi, ANY_KEY, "Describe the routes."),
        ]
        self.endpoints = [*serving.endpoints, *others]
        elsewhere = Endpoint("", "elsewhere", self.elsewhere, ANY_KEY, "")
        theirs = Personalizer(backend, serving, evaluation)
        self.jobs = theirs.jobs
        their_routes = _routes(door, theirs.endpoints, lambda _: theirs.otherwise)
        routes = [  # the most frequent ones first
            *_routes(door, serving.endpoints),
            Route(
                f"{ROOT}/{{rest:text}}",
                Router(their_routes, default=door.app(theirs.elsewhere), redirect_slashes=False),
            ),
            *_routes(door, others),
            *_routes(door, Page().endpoints),
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

    async def openapi(self, call: Call) -> Reply:
        """Describe the routes in OpenAPI."""
        return Reply(description(self.endpoints))

    async def elsewhere(self, call: Call) -> Reply:
        """Refuse a request for an address that has no route."""
        raise not_found("there is nothing at this address; see /openapi.json")


def _otherwise(methods: Iterable[str]) -> Endpoint:
    """Return the route that refuses methods which an address does not take."""
    message = f"this address does not support this method; expected {' or '.join(methods)}"

    async def otherwise(call: Call) -> Reply:
        raise RefusedError(405, "bad_method", message)

    return Endpoint("", "otherwise", otherwise, ANY_KEY, "")


def _routes(
    door: Door, endpoints: Iterable[Endpoint], otherwise: Callable[[Iterable[str]], Endpoint] = _otherwise
) -> list[Route]:
    """Return one route for each path, whatever its methods.

    Args:
        door: checks requests.
        endpoints: the routes.
        otherwise: makes the route for all other methods of a path.

    """
    by_path: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        by_path.setdefault(endpoint.path, {})[endpoint.method] = door.app(endpoint)
    return [Route(path, _ByMethod(apps, door.app(otherwise(apps)))) for path, apps in by_path.items()]


class _ByMethod:
    """Call the application of a method, or another one for all other methods."""

    def __init__(self, apps: dict[str, Any], other: Any) -> None:
        self._apps, self._other = apps, other

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._apps.get(scope["method"], self._other)(scope, receive, send)
