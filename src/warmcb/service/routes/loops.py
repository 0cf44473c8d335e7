"""Routes for administrators: loops and their settings."""

from typing import Any

import msgspec

from warmcb.service.bodies import ActionBody, LoopBody
from warmcb.service.clock import iso
from warmcb.service.events.events import WAITING
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys, loops
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import APPLIES
from warmcb.service.routes.backend import Routes

_COUNTS = {
    "events": "SELECT count(*) FROM events WHERE loop = $1",
    "waiting": f"SELECT count(*) FROM events WHERE {WAITING}",
    "rewards": "SELECT count(*) FROM rewards WHERE loop = $1",
    "late": "SELECT count(*) FROM rewards WHERE loop = $1 AND late = 1",
}


class Loops(Routes):
    """Make, list, show and change loops."""

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, at = keys.ADMINISTRATION, "/v1/loops/{loop}"
        return [
            Endpoint("GET", "/v1/loops", self.list_loops, role, "List the loops."),
            Endpoint("PUT", at, self.make_loop, role, "Make a loop.", LoopBody),
            Endpoint("GET", at, self.show_loop, role, "Show a loop."),
            Endpoint("POST", f"{at}/actions", self.add_action, role, "Add a named action.", ActionBody),
            Endpoint("GET", f"{at}/settings", self.show_settings, role, "Show the settings."),
            Endpoint("PATCH", f"{at}/settings", self.change_settings, role, "Change settings.", dict[str, Any]),
            Endpoint("GET", f"{at}/settings/history", self.settings_history, role, "Show who changed which settings."),
        ]

    async def list_loops(self, call: Call) -> Reply:
        """List all loops."""
        directory = self.backend.directory
        await directory.refresh()
        return Reply({"loops": [_summary(loop) for loop in directory.loops.values()]})

    async def make_loop(self, call: Call) -> Reply:
        """Make a loop. If it exists with the same kind, actions and encoder, return that one."""
        name, body = call.path["loop"], call.body
        loop, is_new = await self.backend.write(lambda db, now: loops.make(db, now, name, body, call.who))
        return Reply(_summary(loop), 201 if is_new else 200)

    async def show_loop(self, call: Call) -> Reply:
        """Show a loop, its settings, its published model and how much it has seen."""
        loop = call.loop
        async with self.backend.store.snapshot() as database:
            counts = {name: (await database.fetch(sql, loop.name))[0][0] for name, sql in _COUNTS.items()}
            rows = await database.fetch("SELECT version, pinned, time FROM published WHERE loop = $1", loop.name)
        counts["joined"] = counts["events"] - counts["waiting"]
        model: dict[str, Any] = {"version": 0, "pinned": False, "time": None}
        if rows:
            version, pinned, time = rows[0]
            model = {"version": version, "pinned": bool(pinned), "time": iso(time)}
        settings = {"version": loop.version} | msgspec.to_builtins(loop.settings)
        kind = {"actions": loop.kind.names, "encoder": loop.kind.encoder}
        return Reply(_summary(loop) | kind | {"settings": settings, "model": model, "counts": counts})

    async def add_action(self, call: Call) -> Reply:
        """Add a named action."""
        name, action = call.loop.name, call.body.name
        loop = await self.backend.write(lambda database, now: loops.add_action(database, now, name, action))
        return Reply({"actions": loop.kind.names})

    async def show_settings(self, call: Call) -> Reply:
        """Show the settings, and when a change of each one takes effect."""
        return Reply(await self._settings(call.loop))

    async def change_settings(self, call: Call) -> Reply:
        """Change some of the settings."""
        name = call.loop.name
        loop = await self.backend.write(lambda db, now: loops.change_settings(db, now, name, call.body, call.who))
        return Reply(await self._settings(loop))

    async def settings_history(self, call: Call) -> Reply:
        """List every change of the settings, newest first."""
        async with self.backend.store.snapshot() as database:
            rows = await loops.settings_history(database, call.loop.name)
        history = [
            {"version": version, "time": iso(time), "who": who, "settings": msgspec.json.decode(settings)}
            for version, time, who, settings in rows
        ]
        return Reply({"history": history})

    async def _settings(self, loop: Loop) -> dict[str, Any]:
        async with self.backend.store.snapshot() as database:
            trained = await loops.trained_with(database, loop.name)
        waiting = [
            name
            for name, applies in APPLIES.items()
            if applies == "retraining" and getattr(loop.settings, name) != getattr(trained, name)
        ]
        found = {"version": loop.version, "settings": loop.settings, "applies": APPLIES}
        return found | {"waiting_for_retraining": waiting}


def _summary(loop: Loop) -> dict[str, Any]:
    return {"loop": loop.name, "kind": "named" if loop.is_named else "described", "made": iso(loop.made)}
