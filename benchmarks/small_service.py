"""A service in this process, without HTTP and with a clock that is set by hand."""

import asyncio
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import msgspec

from warmcb.service.bodies import (
    ActionBody,
    ActivateBody,
    DecideBody,
    EvaluateBody,
    ExplainBody,
    LabelsBody,
    LoopBody,
    RewardBody,
)
from warmcb.service.clock import SECOND, ManualClock
from warmcb.service.http.endpoints import Call, Handler, Reply
from warmcb.service.http.limits import Limits
from warmcb.service.loops import loops
from warmcb.service.loops.directory import Directory
from warmcb.service.monitoring.webhooks import Webhooks
from warmcb.service.refusals import RefusedError
from warmcb.service.routes.backend import Backend
from warmcb.service.routes.deletion import Deletion
from warmcb.service.routes.evaluation import Evaluating
from warmcb.service.routes.events import Events
from warmcb.service.routes.loops import Loops
from warmcb.service.routes.models import Models
from warmcb.service.routes.reporting import Reporting
from warmcb.service.routes.serving import Serving
from warmcb.service.store import Row, open_store
from warmcb.service.store.beat import grant_grace
from warmcb.service.store.committer import Committer
from warmcb.service.store.sqlite import SqliteStore
from warmcb.service.training.trainer import Trainer
from warmcb.service.training.training import Training

BEGIN = 1_800_000_000 * SECOND
NAMED = {"kind": "named", "actions": ["news", "sport", "weather"], "encoder": {"bits": 4}}
DESCRIBED = {"kind": "described", "encoder": {"bits": 4}}
PIECES = [{"id": name, "length": length} for name, length in (("news", 1), ("sport", 2), ("weather", 3))]
T = TypeVar("T")


class Arrival(NamedTuple):
    """A request of an application.

    Attributes:
        route: "decide", "reward" or "activate".
        loop: the name of the loop.
        body: the body, as plain values.
        key: the header `Idempotency-Key`, if there is one.

    """

    route: str
    loop: str
    body: dict[str, Any]
    key: str | None = None


class SmallService:
    """A service with one loop and its trainer.

    Args:
        place: the folder of the store, which may exist already; or the address of a store.
        loop: the name of the loop.
        clock: tells service time.

    """

    def __init__(self, place: Path | str, loop: str = "loop", clock: ManualClock | None = None) -> None:
        self.clock, self.loop = clock or ManualClock(BEGIN), loop
        self._runner = asyncio.Runner()
        self.store = open_store(place if isinstance(place, str) else f"sqlite:///{place}/store.db")
        if isinstance(self.store, SqliteStore):
            self.store._writer.execute("PRAGMA synchronous = OFF")  # no power failure here
        self._directory = Directory(self.store, None)
        backend = Backend(self.store, self._directory, Committer(self.store, self.clock))
        self._serving = Serving(backend, Limits())
        self._loops, self._models, self._events = Loops(backend), Models(backend), Events(backend)
        self._evaluation, self._deletion = Evaluating(self.store), Deletion(backend)
        self._reporting = Reporting(self.store, self.clock)
        self.webhooks = Webhooks(allow_private=True)
        self.trainer = Trainer(self.store, self.clock, "service", self.webhooks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.run(self.store.close())
        self._runner.close()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def wait(self, seconds: float) -> None:
        self.clock.advance(round(seconds * SECOND))

    # Loops and their administration

    def make(self, body: dict[str, Any], seed: int | None = 7, **settings: Any) -> None:
        """Make the loop. Its seed is fixed, so that draws are the same each time."""
        made = msgspec.convert({**body, "settings": settings}, LoopBody)
        self.run(self._make(made))
        if seed is not None:
            self.write("UPDATE loops SET seed = $2 WHERE loop = $1", self.loop, seed)

    def change(self, **settings: Any) -> dict[str, Any]:
        return self._told(self._loops.change_settings, settings)

    def settings(self) -> dict[str, Any]:
        return self._told(self._loops.show_settings)

    def counts(self) -> dict[str, int]:
        return dict(self._told(self._loops.show_loop)["counts"])

    def published(self) -> dict[str, Any]:
        return dict(self._told(self._loops.show_loop)["model"])

    def add_action(self, name: str) -> None:
        self._told(self._loops.add_action, ActionBody(name=name))

    def versions(self) -> list[int]:
        told = self._told(self._models.list_models)
        return [model["version"] for model in told["models"]]

    def restore(self, version: int) -> None:
        self._told(self._models.restore, path={"version": str(version)})

    def saved(self) -> int:
        """Save the model at once, and return its version."""
        self.train()
        self.run(self.training.save())
        return self.training.position

    def release(self) -> None:
        self._told(self._models.release)

    def reset(self) -> None:
        self._told(self._models.reset)

    def retrain(self) -> None:
        self._told(self._models.retrain)

    def forget_event(self, event: str) -> int:
        return int(self._told(self._deletion.forget_event, path={"event": event})["deleted"])

    def forget_unit(self, unit: str) -> int:
        return int(self._told(self._deletion.forget_unit, path={"unit": unit})["deleted"])

    # Applications

    def decide(self, event: str, **body: Any) -> dict[str, Any]:
        return self._told(self._serving.decide, msgspec.convert({"event": event, **body}, DecideBody))

    def reward(self, event: str, reward: float, *, slot: str = "", key: str | None = None) -> str:
        body = RewardBody(event=event, reward=reward, slot=slot)
        return str(self._told(self._serving.reward, body, idempotency=key)["status"])

    def activate(self, event: str) -> str:
        return str(self._told(self._serving.activate, ActivateBody(event=event))["status"])

    def labels(self, *examples: dict[str, Any], source: str | None = None) -> None:
        body = msgspec.convert({"examples": list(examples), "source": source}, LabelsBody)
        self._told(self._serving.labels, body)

    def event(self, event: str) -> dict[str, Any]:
        return self._told(self._events.show_event, path={"event": event})

    def report(self, hours: int = 24) -> dict[str, Any]:
        return self._told(self._reporting.report, query={"hours": str(hours)})

    def explain(self, event: str, slot: str = "") -> dict[str, Any]:
        return self._told(self._events.explain, ExplainBody(event=event, slot=slot))

    def evaluate(self, *policies: str) -> dict[str, Any]:
        return self._told(self._evaluation.evaluate, EvaluateBody(policies=list(policies)))

    def health(self) -> dict[str, Any]:
        return self._told(self._evaluation.check_health)

    def together(self, calls: Iterable[Arrival]) -> list[Any]:
        """Send requests that arrive at once and share a transaction; return the answers and refusals."""
        return self.run(self._together(list(calls)))

    def lose_models(self) -> None:
        """Forget all models, as workers that have just started."""
        self._directory._published.clear()
        self._directory._seen.clear()
        self._directory._is_there.clear()

    # Training

    def train(self) -> None:
        """Let the trainer work until nothing is left, and let the workers see it."""
        quiet = 0
        while quiet < 2:  # after a deletion, the first step only learns again
            quiet = 0 if self.run(self.trainer.step()) else quiet + 1
        self.run(self._directory.refresh())

    def train_after(self, seconds: float) -> None:
        self.wait(seconds)
        self.train()

    def restart(self) -> int:
        """Kill the trainer and start the service again; return how many events wait longer because of that."""
        self.trainer = Trainer(self.store, self.clock, "service", self.webhooks)
        return self.run(self._grant_grace())

    def copied(self, folder: Path, versions_until: int) -> "SmallService":
        """Return another service with the same journal, but without the newer versions: it has to learn again.

        Args:
            folder: the folder of its store.
            versions_until: the newest version that it knows; 0 if it knows none.

        """
        self.run(self.store.backup(folder / "store.db"))
        other = SmallService(folder, self.loop, ManualClock(self.clock.now()))
        other.write("DELETE FROM versions WHERE loop = $1 AND version > $2", self.loop, versions_until)
        other.write("UPDATE published SET pinned = 0 WHERE loop = $1 AND version > $2", self.loop, versions_until)
        other.train()
        return other

    @property
    def training(self) -> Training:
        return self.trainer.trainings[self.loop]

    @property
    def bandit(self) -> Any:
        return self.training.student.bandit

    def journal(self) -> list[tuple[int, str, str | None]]:
        """Return the number, kind and event of each entry."""
        sql = "SELECT j.number, j.kind, e.event FROM journal j LEFT JOIN events e ON e.id = j.event WHERE j.loop = $1"
        return [(number, kind, event) for number, kind, event in sorted(self.read(sql, self.loop))]

    # The store

    def read(self, sql: str, *values: Any) -> list[Row]:
        return self.run(self._read(sql, values))

    def write(self, sql: str, *values: Any) -> None:
        self.run(self._write(sql, values))

    def _told(
        self,
        handler: Handler,
        body: Any = None,
        path: dict[str, str] | None = None,
        idempotency: str | None = None,
        query: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        told: dict[str, Any] = self.run(self._call(handler, body, path or {}, idempotency, query)).body
        return told

    async def _call(
        self,
        handler: Handler,
        body: Any,
        path: dict[str, str],
        idempotency: str | None,
        query: dict[str, str] | None = None,
    ) -> Reply:
        loop = await self._directory.loop(self.loop)
        return await handler(Call(None, loop, body, path, query or {}, idempotency))

    async def _together(self, arrivals: list[Arrival]) -> list[Any]:
        takes = {"decide": DecideBody, "reward": RewardBody, "activate": ActivateBody}
        calls = []
        for route, loop, body, key in arrivals:
            call = Call(None, await self._directory.loop(loop), msgspec.convert(body, takes[route]), {}, {}, key)
            calls.append(getattr(self._serving, route)(call))
        replies = await asyncio.gather(*calls, return_exceptions=True)
        for reply in replies:
            if isinstance(reply, BaseException) and not isinstance(reply, RefusedError):
                raise reply
        return [reply.body if isinstance(reply, Reply) else reply for reply in replies]

    async def _make(self, body: LoopBody) -> None:
        async with self.store.transaction() as database:
            await loops.make(database, self.clock.now(), self.loop, body, "a test")

    async def _grant_grace(self) -> int:
        async with self.store.transaction() as database:
            waiting = await grant_grace(database, self.clock.now())
        return waiting

    async def _read(self, sql: str, values: Row) -> list[Row]:
        async with self.store.snapshot() as database:
            return await database.fetch(sql, *values)

    async def _write(self, sql: str, values: Row) -> None:
        async with self.store.transaction() as database:
            await database.execute(sql, *values)
