"""The model: download, import and reset."""

from base64 import b64encode
from typing import Any

from warmcb.errors import WarmcbError
from warmcb.service.clock import iso
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import inbox, keys, versions
from warmcb.service.loops.kinds import loaded
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.errors import invalid, surface
from warmcb.service.routes.backend import Routes
from warmcb.service.store import Database

_FORMAT = "InvalidModelImportFormat"
_MOST_BYTES = 2**26


class Model(Routes):
    """Download, import and reset the model."""

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version. The first one has no import."""
        role, at = keys.ADMINISTRATION, f"{api.path}/model"
        put = Endpoint("PUT", at, self.replace, role, "Import it.", bytes, most=_MOST_BYTES, surface=surface(_FORMAT))
        return [
            Endpoint("GET", at, self.download, role, "Download the model.", surface=surface()),
            *([] if api.is_first else [put]),
            Endpoint("DELETE", at, self.reset, role, "Forget what was learned.", surface=surface()),
            Endpoint("GET", f"{at}/properties", self.properties, role, "Tell its age.", surface=surface()),
        ]

    async def download(self, call: Call) -> Reply:
        """Return the newest undamaged version as a file for `warmcb.load`, or a model that has learned nothing."""
        async with self.backend.store.snapshot() as database:
            found = await versions.newest_whole(database, call.loop.name)
        data = call.loop.kind.new(call.loop.settings).to_bytes() if found is None else found.data
        return Reply(data, kind=b"application/octet-stream")

    async def replace(self, call: Call) -> Reply:
        """Go on from a model of this loop, or of another loop with the same encoder."""
        loop = call.loop
        try:
            loaded(loop.kind, loop.settings, call.body)
        except WarmcbError as error:
            raise invalid(_FORMAT, f"the model cannot be used here: {error}") from None
        body = {"model": b64encode(versions.packed(call.body)).decode()}

        async def job(database: Database, now: int) -> None:
            await inbox.put(database, now, loop.name, "model", body)
            await inbox.put(database, now, loop.name, "release", {})

        await self.backend.committer.run(job)
        return Reply(b"", 204)

    async def reset(self, call: Call) -> Reply:
        """Start over."""
        name, body = call.loop.name, {"version": call.loop.version}
        await self.backend.committer.run(lambda database, now: inbox.put(database, now, name, "reset", body))
        return Reply(b"", 204)

    async def properties(self, call: Call) -> Reply:
        """Return when the first model was made, and when the newest one."""
        async with self.backend.store.snapshot() as database:
            rows = await database.fetch("SELECT time FROM published WHERE loop = $1", call.loop.name)
        newest: Any = rows[0][0] if rows else call.loop.made
        return Reply({"creationTime": iso(call.loop.made), "lastModifiedTime": iso(newest)})
