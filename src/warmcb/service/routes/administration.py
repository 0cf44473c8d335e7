"""The routes of administration: loops, settings, models, keys, and what is to be forgotten."""

from dataclasses import dataclass
from typing import Any

import msgspec

from warmcb._messages import shown
from warmcb.service.bodies import ActionBody, KeyBody, LoopBody
from warmcb.service.clock import iso
from warmcb.service.events.events import WAITING
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import inbox, keys, loops, versions
from warmcb.service.loops.directory import Directory
from warmcb.service.loops.loops import Loop
from warmcb.service.loops.settings import APPLIES
from warmcb.service.loops.versions import Version
from warmcb.service.refusals import not_found
from warmcb.service.store import Store
from warmcb.service.store.committer import Committer, Job
from warmcb.service.training import retention

_COUNTS = {
    "events": "SELECT count(*) FROM events WHERE loop = $1",
    "waiting": f"SELECT count(*) FROM events WHERE {WAITING}",
    "rewards": "SELECT count(*) FROM rewards WHERE loop = $1",
    "late": "SELECT count(*) FROM rewards r JOIN events e USING (loop, event) WHERE r.loop = $1 AND r.time > e.due",
}


@dataclass(frozen=True)
class Administration:
    """What administrators call.

    Attributes:
        store: of the service.
        directory: of this worker, which is told of changes at once.
        committer: writes.

    """

    store: Store
    directory: Directory
    committer: Committer

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role = keys.ADMINISTRATION
        at = "/v1/loops/{loop}"
        return [
            Endpoint("GET", "/v1/loops", self.list_loops, role, "List the loops."),
            Endpoint("PUT", at, self.make_loop, role, "Make a loop.", LoopBody),
            Endpoint("GET", at, self.show_loop, role, "Show a loop."),
            Endpoint("POST", f"{at}/actions", self.add_action, role, "Add a named action.", ActionBody),
            Endpoint("GET", f"{at}/settings", self.show_settings, role, "Show the settings."),
            Endpoint("PATCH", f"{at}/settings", self.change_settings, role, "Change settings.", dict[str, Any]),
            Endpoint("GET", f"{at}/settings/history", self.settings_history, role, "Show who changed which settings."),
            Endpoint("GET", f"{at}/models", self.list_models, role, "List the versions of the model."),
            Endpoint("POST", f"{at}/models/release", self.release, role, "Decide by the newest version again."),
            Endpoint("GET", f"{at}/models/{{version}}", self.show_model, role, "Download a version of the model."),
            Endpoint("POST", f"{at}/models/{{version}}/restore", self.restore, role, "Go back to a version."),
            Endpoint("POST", f"{at}/reset", self.reset, role, "Forget what was learned, and begin again."),
            Endpoint("POST", f"{at}/retrain", self.retrain, role, "Learn the log again with the settings in force."),
            Endpoint("GET", f"{at}/keys", self.list_keys, role, "List the keys, without the keys themselves."),
            Endpoint("POST", f"{at}/keys", self.make_key, role, "Make a key; it is shown once.", KeyBody),
            Endpoint("DELETE", f"{at}/keys/{{role}}/{{place}}", self.remove_key, role, "Remove a key."),
            Endpoint("GET", "/v1/keys", self.list_keys, role, "List the keys for all loops."),
            Endpoint("POST", "/v1/keys", self.make_key, role, "Make a key for all loops; it is shown once.", KeyBody),
            Endpoint("DELETE", "/v1/keys/{role}/{place}", self.remove_key, role, "Remove a key for all loops."),
            Endpoint("DELETE", f"{at}/events/{{event:text}}", self.forget_event, role, "Delete an event."),
            Endpoint("DELETE", f"{at}/units/{{unit:text}}", self.forget_unit, role, "Delete all events of a unit."),
        ]

    # Loops

    async def list_loops(self, call: Call) -> Reply:
        """All loops."""
        await self.directory.refresh()
        return Reply({"loops": [_named(loop) for loop in self.directory.loops.values()]})

    async def make_loop(self, call: Call) -> Reply:
        """A new loop; or the one that is there, if it is just so."""
        name, body = call.path["loop"], call.body
        loop, is_new = await self.committer.run(lambda db, now: loops.make(db, now, name, body, call.who))
        await self.directory.refresh()
        return Reply(_named(loop), 201 if is_new else 200)

    async def show_loop(self, call: Call) -> Reply:
        """What a loop is, and what it has done."""
        loop = call.loop
        async with self.store.snapshot() as database:
            counts = {name: (await database.fetch(sql, loop.name))[0][0] for name, sql in _COUNTS.items()}
            counts["joined"] = counts["events"] - counts["waiting"]
            sql = "SELECT version, pinned, time FROM published WHERE loop = $1"
            rows = await database.fetch(sql, loop.name)
        model: dict[str, Any] = {"version": 0, "pinned": False, "time": None}
        if rows:
            version, pinned, time = rows[0]
            model = {"version": version, "pinned": bool(pinned), "time": iso(time)}
        settings = {"version": loop.version} | msgspec.to_builtins(loop.settings)
        kind = {"actions": loop.kind.names, "encoder": loop.kind.encoder}
        return Reply(_named(loop) | kind | {"settings": settings, "model": model, "counts": counts})

    async def add_action(self, call: Call) -> Reply:
        """One named action more."""
        name, action = call.loop.name, call.body.name
        loop = await self._write(lambda database, now: loops.add_action(database, now, name, action))
        return Reply({"actions": loop.kind.names})

    # Settings

    async def show_settings(self, call: Call) -> Reply:
        """The settings, and from when on a change of each would count."""
        return Reply(await self._settings(call.loop))

    async def change_settings(self, call: Call) -> Reply:
        """New settings, in part."""
        name = call.loop.name
        return Reply(
            await self._settings(
                await self._write(lambda db, now: loops.change_settings(db, now, name, call.body, call.who))
            )
        )

    async def settings_history(self, call: Call) -> Reply:
        """Every change of settings, the newest first."""
        async with self.store.snapshot() as database:
            rows = await loops.settings_history(database, call.loop.name)
        history = [
            {"version": version, "time": iso(time), "who": who, "settings": msgspec.json.decode(settings)}
            for version, time, who, settings in rows
        ]
        return Reply({"history": history})

    async def _settings(self, loop: Loop) -> dict[str, Any]:
        async with self.store.snapshot() as database:
            trained = await loops.trained_with(database, loop.name)
        waiting = [
            name
            for name, applies in APPLIES.items()
            if applies == "retraining" and getattr(loop.settings, name) != getattr(trained, name)
        ]
        told = {"version": loop.version, "settings": loop.settings, "applies": APPLIES}
        return told | {"waiting_for_retraining": waiting}

    # Models

    async def list_models(self, call: Call) -> Reply:
        """The versions that are kept, the newest first."""
        sql = (
            "SELECT v.version, v.time, v.code, v.broken, length(v.model), coalesce(p.pinned, 0), p.version IS NOT NULL"
            " FROM versions v LEFT JOIN published p ON p.loop = v.loop AND p.version = v.version"
            " WHERE v.loop = $1 ORDER BY v.version DESC"
        )
        async with self.store.snapshot() as database:
            rows = await database.fetch(sql, call.loop.name)
        models = [
            {
                "version": version,
                "time": iso(time),
                "code": code,
                "broken": bool(broken),
                "bytes": size,
                "pinned": bool(pinned),
                "published": bool(published),
            }
            for version, time, code, broken, size, pinned, published in rows
        ]
        return Reply({"models": models})

    async def show_model(self, call: Call) -> Reply:
        """A version as a file that `warmcb.load` reads."""
        version = await self._version(call)
        name = f"{call.loop.name}-{version.version}.warmcb"
        return Reply(version.data, kind=b"application/octet-stream", filename=name)

    async def restore(self, call: Call) -> Reply:
        """Go back to a version; workers decide by it until it is released."""
        version = await self._version(call)
        return await self._entry(call, "restore", {"version": version.version})

    async def release(self, call: Call) -> Reply:
        """Decide by the newest version again."""
        return await self._entry(call, "release", {})

    async def reset(self, call: Call) -> Reply:
        """Forget what was learned."""
        return await self._entry(call, "reset", {"version": call.loop.version})

    async def retrain(self, call: Call) -> Reply:
        """Learn everything again that is kept, with the settings in force."""
        return await self._entry(call, "retrain", {"version": call.loop.version})

    async def _version(self, call: Call) -> Version:
        async with self.store.snapshot() as database:
            found = await versions.named(database, call.loop.name, call.path["version"])
        if not found.is_whole:
            raise not_found(f"the version {found.version} is damaged; GET .../models lists others")
        return found

    async def _entry(self, call: Call, kind: str, body: dict[str, Any]) -> Reply:
        """Something for the trainer, who does it within a second."""
        name = call.loop.name
        return Reply({"entry": await self._write(lambda db, now: inbox.put(db, now, name, kind, body))})

    # Keys

    async def list_keys(self, call: Call) -> Reply:
        """Which keys there are."""
        sql = "SELECT role, place, made FROM keys WHERE loop = $1 ORDER BY role, place"
        async with self.store.snapshot() as database:
            rows = await database.fetch(sql, _of(call))
        return Reply({"keys": [{"role": role, "place": place, "made": iso(made)} for role, place, made in rows]})

    async def make_key(self, call: Call) -> Reply:
        """A new key in one of the two places of its role."""
        name, role, place = _of(call), call.body.role, call.body.place
        key = await self._write(lambda database, now: keys.replace_key(database, now, role, name, place))
        return Reply({"key": key}, 201)

    async def remove_key(self, call: Call) -> Reply:
        """A key is worth nothing from now on."""
        role, place, loop = call.path["role"], call.path["place"], _of(call)
        is_place = place in ("1", "2")
        if not is_place or not await self._write(lambda db, now: keys.remove_key(db, role, loop, int(place))):
            raise not_found(f"there is no key {shown(place)} for {shown(role)}")
        return Reply(b"", 204)

    # Forgetting

    async def forget_event(self, call: Call) -> Reply:
        """Delete an event, and every version of the model that has learned it."""
        name, event = call.loop.name, call.path["event"]
        gone = await self._write(lambda database, now: retention.forget_event(database, now, name, event))
        return Reply({"deleted": gone}, 202)

    async def forget_unit(self, call: Call) -> Reply:
        """The same for all events of a unit."""
        name, unit = call.loop.name, call.path["unit"]
        gone = await self._write(lambda database, now: retention.forget_unit(database, now, name, unit))
        return Reply({"deleted": gone}, 202)

    async def _write(self, job: Job[Any]) -> Any:
        """Write, and see it at once."""
        written = await self.committer.run(job)
        await self.directory.refresh()
        return written


def _named(loop: Loop) -> dict[str, Any]:
    return {"loop": loop.name, "kind": "named" if loop.is_named else "described", "made": iso(loop.made)}


def _of(call: Call) -> str:
    """Where a key counts: in a loop, or in all of them."""
    return call.path.get("loop", keys.ALL_LOOPS)
