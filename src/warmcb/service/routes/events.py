"""Routes for administrators: single events, and why an action was chosen."""

import asyncio
from typing import Any

import msgspec

from warmcb._messages import shown
from warmcb.service.bodies import ExplainBody
from warmcb.service.clock import iso
from warmcb.service.events.events import COLUMNS, Joined, Stored, event_named
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.http.parameters import ALWAYS, whole_number
from warmcb.service.loops import keys
from warmcb.service.refusals import bad_request, conflict
from warmcb.service.routes.backend import Routes
from warmcb.service.store import Database

_MOST_SHOWN = 1000


class Events(Routes):
    """List, show and explain events."""

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, at = keys.ADMINISTRATION, "/v1/loops/{loop}"
        parameters = {
            "limit": "how many events, at most 1,000",
            "before": "the value of next in the page before",
            "unit": "only the events of this unit",
        }
        return [
            Endpoint("GET", f"{at}/events", self.list_events, role, "List events, newest first.", query=parameters),
            Endpoint("GET", f"{at}/events/{{event:text}}", self.show_event, role, "Show an event."),
            Endpoint("POST", f"{at}/explain", self.explain, role, "Explain why an action was chosen.", ExplainBody),
        ]

    async def list_events(self, call: Call) -> Reply:
        """List some events, newest first."""
        limit, before = whole_number(call, "limit", 100, _MOST_SHOWN), whole_number(call, "before", ALWAYS, ALWAYS)
        unit = call.query.get("unit")
        where = "loop = $1 AND id < $2" + (" AND unit = $4" if unit is not None else "")
        sql = f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY id DESC LIMIT $3"
        values = (call.loop.name, before, limit) + ((unit,) if unit is not None else ())
        async with self.backend.store.snapshot() as database:
            found = [Stored(*row) for row in await database.fetch(sql, *values)]
            events = [await _shown(database, call.loop.name, event) for event in found]
        return Reply({"events": events, "next": found[-1].id if len(found) == limit else None})

    async def show_event(self, call: Call) -> Reply:
        """Show everything about an event, its context and actions included."""
        async with self.backend.store.snapshot() as database:
            event = await event_named(database, call.loop.name, call.path["event"])
            offered, _ = event.offer
            actions: Any = offered.names if offered.described is None else map(_with_id, offered.described)
            described = {"context": offered.context, "actions": list(actions)}
            return Reply(await _shown(database, call.loop.name, event) | described)

    async def explain(self, call: Call) -> Reply:
        """Explain what speaks for and against the chosen action, according to the current model."""
        loop, body = call.loop, call.body
        async with self.backend.store.snapshot() as database:
            event = await event_named(database, loop.name, body.event)
        slots = {choice.slot: (choice, offered) for choice, offered in zip(event.choices, event.offers, strict=True)}
        if body.slot not in slots:
            raise bad_request(f"slot is {shown(body.slot)}; expected one of {shown(list(slots))}")
        choice, offered = slots[body.slot]
        published = await self.backend.directory.published(loop.name, loop.settings.decide_timeout)
        if published is None or not published.has_learned:
            raise conflict("the model has learned nothing yet; try again later")
        why = await asyncio.to_thread(loop.kind.explain, published.model, offered, choice)
        contributions = [
            {"name": one.name, "value": one.shown_values, "contribution": -one.cost} for one in why.contributions
        ]
        expected = {"action": -why.cost, "runner_up": -why.cost_against}
        compared = {"action": why.action, "runner_up": why.against, "model": published.version}
        return Reply(compared | {"expected": expected, "contributions": contributions})


async def _shown(database: Database, loop: str, event: Stored) -> dict[str, Any]:
    """Return an event as JSON has it, with the rewards that came and what they were worth together."""
    sql = "SELECT slot, value, time FROM rewards WHERE loop = $1 AND event = $2 ORDER BY time, key"
    came: dict[str, list[dict[str, Any]]] = {}
    for slot, value, time in await database.fetch(sql, loop, event.event):
        came.setdefault(slot, []).append({"value": value, "time": iso(time), "late": time > event.due})
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
    """Return a stored action in the form in which it was sent."""
    return {"id": action["_tag"], **{name: value for name, value in action.items() if name != "_tag"}}
