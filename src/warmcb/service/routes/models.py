"""Routes for administrators: the versions of a loop's model."""

from typing import Any

from warmcb.service.clock import iso
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import inbox, keys, versions
from warmcb.service.loops.versions import Version
from warmcb.service.refusals import not_found
from warmcb.service.routes.backend import Routes

_VERSIONS = (
    "SELECT v.version, v.time, v.code, v.broken, length(v.model), coalesce(p.pinned, 0), p.version IS NOT NULL"
    " FROM versions v LEFT JOIN published p ON p.loop = v.loop AND p.version = v.version"
    " WHERE v.loop = $1 ORDER BY v.version DESC"
)


class Models(Routes):
    """List, download and restore versions, and learn again."""

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, at = keys.ADMINISTRATION, "/v1/loops/{loop}"
        return [
            Endpoint("GET", f"{at}/models", self.list_models, role, "List the versions of the model."),
            Endpoint("POST", f"{at}/models/release", self.release, role, "Decide by the newest version again."),
            Endpoint("GET", f"{at}/models/{{version}}", self.show_model, role, "Download a version of the model."),
            Endpoint("POST", f"{at}/models/{{version}}/restore", self.restore, role, "Go back to a version."),
            Endpoint("POST", f"{at}/reset", self.reset, role, "Forget what was learned and start over."),
            Endpoint("POST", f"{at}/retrain", self.retrain, role, "Learn the log again with the current settings."),
        ]

    async def list_models(self, call: Call) -> Reply:
        """List the versions that are kept, newest first."""
        async with self.backend.store.snapshot() as database:
            rows = await database.fetch(_VERSIONS, call.loop.name)
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
        """Return a version as a file that `warmcb.load` reads."""
        version = await self._version(call)
        name = f"{call.loop.name}-{version.version}.warmcb"
        return Reply(version.data, kind=b"application/octet-stream", filename=name)

    async def restore(self, call: Call) -> Reply:
        """Go back to a version. Workers decide by it until it is released."""
        version = await self._version(call)
        return await self._entry(call, "restore", {"version": version.version})

    async def release(self, call: Call) -> Reply:
        """Let workers decide by the newest version again."""
        return await self._entry(call, "release", {})

    async def reset(self, call: Call) -> Reply:
        """Forget what was learned."""
        return await self._entry(call, "reset", {"version": call.loop.version})

    async def retrain(self, call: Call) -> Reply:
        """Learn everything that is kept again, with the current settings."""
        return await self._entry(call, "retrain", {"version": call.loop.version})

    async def _version(self, call: Call) -> Version:
        async with self.backend.store.snapshot() as database:
            found = await versions.named(database, call.loop.name, call.path["version"])
        if not found.is_whole:
            raise not_found(f"the version {found.version} is damaged; GET .../models lists others")
        return found

    async def _entry(self, call: Call, kind: str, body: dict[str, Any]) -> Reply:
        """Leave an entry for the trainer, which handles it within a second."""
        name = call.loop.name
        return Reply({"entry": await self.backend.write(lambda db, now: inbox.put(db, now, name, kind, body))})
