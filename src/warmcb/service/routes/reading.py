"""The routes that only read: events, the log, evaluations."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from warmcb.logs.dsjson import line_of
from warmcb.logs.events import Event
from warmcb.logs.table import SCHEMA, table_of
from warmcb.service.bodies import EvaluateBody
from warmcb.service.clock import iso
from warmcb.service.events.events import COLUMNS, Joined, Stored, event_named, logged
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.jobs.apart import apart
from warmcb.service.jobs.evaluating import LOG, Learners, Task, evaluation, health
from warmcb.service.loops import keys, versions
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import Settings
from warmcb.service.refusals import RefusedError, bad_request
from warmcb.service.store import Database, Store
from warmcb.service.training.journal import entries_after

_PAGE = 1000  # events that are read at once
_MOST_SHOWN = 1000
_CHECKED = 20_000  # of the newest events
_ALWAYS = 2**62


@dataclass(frozen=True)
class Reading:
    """What is read of a loop.

    Attributes:
        store: of the service.

    """

    store: Store
    _evaluating: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role = keys.ADMINISTRATION
        at = "/v1/loops/{loop}"
        period = {"since": "of events decided from then on, ISO 8601", "until": "of events decided before, ISO 8601"}
        shown = {
            "limit": "how many, at most 1,000",
            "before": "what the page before called next",
            "unit": "whose events",
        }
        return [
            Endpoint("GET", f"{at}/events", self.list_events, role, "List events, the newest first.", query=shown),
            Endpoint("GET", f"{at}/events/{{event:text}}", self.show_event, role, "Show an event."),
            Endpoint(
                *(
                    "GET",
                    f"{at}/log",
                    self.download,
                    role,
                    "Download the log: events in the order of learning.",
                ),
                query={"format": "dsjson or parquet", **period},
            ),
            Endpoint("POST", f"{at}/evaluate", self.evaluate, role, "Evaluate policies on the log.", EvaluateBody),
            Endpoint("GET", f"{at}/health", self.check_health, role, "Check whether the recent log can be relied on."),
        ]

    async def list_events(self, call: Call) -> Reply:
        """Some events, the newest first."""
        limit, before = whole_number(call, "limit", 100, _MOST_SHOWN), whole_number(call, "before", _ALWAYS, _ALWAYS)
        unit = call.query.get("unit")
        where = "loop = $1 AND id < $2" + (" AND unit = $4" if unit is not None else "")
        sql = f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY id DESC LIMIT $3"
        values = (call.loop.name, before, limit) + ((unit,) if unit is not None else ())
        async with self.store.snapshot() as database:
            found = [Stored(*row) for row in await database.fetch(sql, *values)]
            shown = [await _shown(database, call.loop.name, event) for event in found]
        return Reply({"events": shown, "next": found[-1].id if len(found) == limit else None})

    async def show_event(self, call: Call) -> Reply:
        """All that is known of an event."""
        async with self.store.snapshot() as database:
            event = await event_named(database, call.loop.name, call.path["event"])
            offered, _ = event.offer
            actions: Any = offered.names if offered.described is None else map(_with_id, offered.described)
            described = {"context": offered.context, "actions": list(actions)}
            return Reply(await _shown(database, call.loop.name, event) | described)

    async def download(self, call: Call) -> Reply:
        """The log as a file."""
        kind = call.query.get("format", "dsjson")
        since, until = _period(call.query.get("since"), call.query.get("until"))
        name = call.loop.name
        if kind == "dsjson":
            return Reply(self._lines(name, since, until), kind=b"application/x-ndjson", filename=f"{name}.dsjson")
        if kind == "parquet":
            return Reply(
                self._parquet(name, since, until), kind=b"application/octet-stream", filename=f"{name}.parquet"
            )
        raise bad_request(f"format is {kind!r:.80}; expected dsjson or parquet")

    async def evaluate(self, call: Call) -> Reply:
        """What policies would have brought, on the log of the loop."""
        if self._evaluating.locked():
            raise RefusedError(429, "too_many", "another evaluation is under way; try again when it is done")
        return Reply(await self.evaluation(call.loop, call.body))

    async def evaluation(
        self, loop: Loop, body: EvaluateBody, learning: Mapping[str, Settings] | None = None
    ) -> dict[str, Any]:
        """An evaluation on the log of a loop; it waits until others are done.

        Args:
            loop: whose log it is.
            body: what is evaluated.
            learning: the settings of bandits that learn from their first event on, by the name of the policy.

        """
        since, until = _period(body.since, body.until)
        async with self._evaluating:
            stored: dict[str, bytes] = {}
            for policy in body.policies:
                kind, _, rest = policy.partition(":")
                if policy in (learning or {}):
                    continue
                if kind in ("version", "greedy"):
                    async with self.store.snapshot() as database:
                        stored[rest] = (await versions.named(database, loop.name, rest)).data
                elif policy not in ("uniform", "default", "logged") and not (kind == "always" and rest):
                    expected = "uniform, default, logged, always:ACTION, version:NUMBER or greedy:NUMBER"
                    raise bad_request(f"the policy is {policy!r:.80}; expected {expected}")
            async with self._log(loop.name, since, until) as folder:
                limits, fresh = loop.settings.reward_range, Learners(loop.kind, dict(learning or {}))
                task = Task(folder, body.policies, stored, body.model, body.level, limits, fresh)
                return _checked(await apart(evaluation, task), folder)

    async def check_health(self, call: Call) -> Reply:
        """Whether the evidence of the recent log can be relied on."""
        if self._evaluating.locked():
            raise RefusedError(429, "too_many", "an evaluation is under way; try again when it is done")
        sql = "SELECT number FROM journal WHERE loop = $1 AND kind = 'event' ORDER BY number DESC LIMIT 1 OFFSET $2"
        async with self.store.snapshot() as database:
            older = await database.fetch(sql, call.loop.name, _CHECKED)
        async with self._evaluating, self._log(call.loop.name, 0, _ALWAYS, older[0][0] if older else 0) as folder:
            return Reply(_checked(await apart(health, folder), folder))

    @asynccontextmanager
    async def _log(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[Path]:
        """A folder with the log of a period, for a while."""
        folder = Path(tempfile.mkdtemp(prefix="warmcb-evaluate-"))
        try:
            with (folder / LOG).open("wb") as file:
                async for part in self._lines(loop, since, until, after):
                    file.write(part)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _events(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[list[Event]]:
        """The joined events of a period. Each page is a snapshot of its own: a download may take long."""
        number = after
        while True:
            async with self.store.snapshot() as database:
                entries = await entries_after(database, loop, number, _PAGE)
            if not entries:
                return
            number = entries[-1].number
            found = [(one.event, one) for one in entries if one.event is not None]
            yield [logged(event, one.joined) for event, one in found if since <= event.time < until]

    async def _lines(self, loop: str, since: int, until: int, after: int = 0) -> AsyncIterator[bytes]:
        async for events in self._events(loop, since, until, after):
            yield b"".join(line_of(event) + b"\n" for event in events)

    async def _parquet(self, loop: str, since: int, until: int) -> AsyncIterator[bytes]:
        import polars as pl

        folder = Path(tempfile.mkdtemp(prefix="warmcb-log-"))
        try:
            parts: list[Path] = []
            async for events in self._events(loop, since, until):
                parts.append(folder / f"{len(parts)}.parquet")
                await asyncio.to_thread(table_of(events).write_parquet, parts[-1])
            whole = folder / "log.parquet"
            frame = pl.scan_parquet(parts) if parts else pl.LazyFrame(schema=SCHEMA)
            await asyncio.to_thread(frame.sink_parquet, whole)
            with whole.open("rb") as file:
                while part := file.read(2**18):
                    yield part
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _checked(found: dict[str, Any], folder: Path) -> dict[str, Any]:
    if "error" in found:
        reason = found["error"].replace(str(folder / LOG), "it")
        raise bad_request(f"the log cannot be evaluated: {reason}")
    return found


async def _shown(database: Database, loop: str, event: Stored) -> dict[str, Any]:
    """An event for people: with its rewards as they came, and what they were worth together."""
    sql = "SELECT slot, value, time FROM rewards WHERE loop = $1 AND event = $2 ORDER BY time, key"
    came: dict[str, list[dict[str, Any]]] = {}
    for slot, value, time in await database.fetch(sql, loop, event.event):
        told = {"value": value, "time": iso(time), "late": time > event.due}
        came.setdefault(slot, []).append(told)
    joined = None
    if event.joined is not None:
        sql = "SELECT body FROM journal WHERE loop = $1 AND number = $2"
        joined = msgspec.json.decode((await database.fetch(sql, loop, event.joined))[0][0], type=Joined)
    activated: bool | None = True
    if event.deferred:
        sql = "SELECT 1 FROM activations WHERE loop = $1 AND event = $2"
        activated = bool(await database.fetch(sql, loop, event.event)) if joined is None else joined.activated
    names = msgspec.json.decode(event.names)
    slots = [
        {
            "id": choice.slot or None,
            "action": names[choice.action],
            "probability": choice.probability,
            "probabilities": dict(zip(names, choice.probabilities, strict=True)),
            "rewards": came.get(choice.slot, []),
            "reward": None if joined is None else joined.rewards[i],
            "filled": None if joined is None else joined.times[i] is None,
        }
        for i, choice in enumerate(event.choices)
    ]
    return {
        "event": event.event,
        "time": iso(event.time),
        "due": iso(event.due),
        "unit": event.unit,
        "arm": event.arm,
        "model": event.model,
        "settings": event.settings,
        "slots": slots,
        "deferred": bool(event.deferred),
        "activated": activated,
        "joined": event.joined,
    }


def _with_id(action: dict[str, Any]) -> dict[str, Any]:
    """An action as it was sent, and not as dsjson has it."""
    return {"id": action["_tag"], **{name: value for name, value in action.items() if name != "_tag"}}


def whole_number(call: Call, name: str, default: int, most: int) -> int:
    text = call.query.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 19 or not 1 <= int(text) <= most:
        raise bad_request(f"{name} is {text!r:.80}; expected a whole number from 1 to {most}")
    return int(text)


def _period(since: str | None, until: str | None) -> tuple[int, int]:
    return _time("since", since, 0), _time("until", until, _ALWAYS)


def _time(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        time = datetime.fromisoformat(text)
        time = time if time.tzinfo else time.replace(tzinfo=UTC)
        return round(time.timestamp() * 1e6)
    except (ValueError, OverflowError):
        raise bad_request(f"{name} is {text!r:.80}; expected a time in ISO 8601") from None
