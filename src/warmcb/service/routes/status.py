"""Routes for operators: whether the service works, and its metrics."""

import asyncio
import math
import time
from dataclasses import dataclass

from warmcb.service.http.endpoints import ANYBODY, Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.monitoring.metrics import exposition
from warmcb.service.refusals import RefusedError
from warmcb.service.routes.backend import Backend
from warmcb.service.store import Database, Manner, StoreError

_FRESH = 1.0  # seconds for which a write that worked is proof enough: the route needs no key


@dataclass
class Status:
    """Health, readiness and metrics.

    Attributes:
        backend: the store and the worker's view of it.

    """

    backend: Backend
    _written: float = -math.inf

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        return [
            Endpoint("GET", "/healthz", self.health, ANYBODY, "Tell that the process is alive."),
            Endpoint("GET", "/readyz", self.ready, ANYBODY, "Tell whether the store can be read and written."),
            Endpoint("GET", "/metrics", self.metrics, keys.ADMINISTRATION, "Return metrics for Prometheus."),
        ]

    async def health(self, call: Call) -> Reply:
        """Answer, which shows that the process is alive."""
        return Reply({"status": "ok"})

    async def ready(self, call: Call) -> Reply:
        """Read from the store and write to it."""
        try:
            await self.backend.directory.refresh()
            if time.monotonic() - self._written >= _FRESH:
                await self.backend.committer.run(_write, Manner.TOGETHER)
                self._written = time.monotonic()
        except StoreError:
            raise RefusedError(503, "unavailable", "the store cannot be used at the moment") from None
        return Reply({"status": "ready"})

    async def metrics(self, call: Call) -> Reply:
        """Return the metrics of all processes."""
        return Reply(await asyncio.to_thread(exposition), kind=b"text/plain; version=0.0.4; charset=utf-8")


async def _write(database: Database, now: int) -> None:
    sql = "INSERT INTO meta (name, value) VALUES ('ready', $1) ON CONFLICT (name) DO UPDATE SET value = $1"
    await database.execute(sql, str(now))
