"""The log: its age, and its deletion."""

from warmcb.service.clock import iso
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.personalizer.apis import Api
from warmcb.service.personalizer.errors import missing, surface
from warmcb.service.refusals import RefusedError
from warmcb.service.routes.backend import Routes
from warmcb.service.training.retention import forget_log


class Logs(Routes):
    """Show how old the log is, and delete it."""

    def endpoints(self, api: Api) -> list[Endpoint]:
        """The routes of a version."""
        role, at, plain = keys.ADMINISTRATION, f"{api.path}/logs", surface()
        sent = [] if api.is_first or api.is_last else ["interactions", "observations"]
        return [
            Endpoint("DELETE", at, self.delete, role, "Delete the log.", surface=plain),
            Endpoint("GET", f"{at}/properties", self.properties, role, "Tell how old the log is.", surface=plain),
            *(
                Endpoint("POST", f"{at}/{name}", self.refuse, keys.APPLICATION, "Refuse.", surface=plain)
                for name in sent
            ),
        ]

    async def delete(self, call: Call) -> Reply:
        """Delete all events that exist at this moment. What the model has learned from them stays."""
        name = call.loop.name
        async with self.backend.store.snapshot() as database:
            ((newest,),) = await database.fetch("SELECT max(id) FROM events WHERE loop = $1", name)
        gone = 1
        while gone:
            gone = await self.backend.committer.run(lambda database, now: forget_log(database, now, name, newest or 0))
        return Reply(b"", 204)

    async def properties(self, call: Call) -> Reply:
        """Return the times of the first and the last event."""
        sql = "SELECT min(time), max(time) FROM events WHERE loop = $1"
        async with self.backend.store.snapshot() as database:
            ((first, last),) = await database.fetch(sql, call.loop.name)
        if first is None:
            raise missing("LogsPropertiesNotFound", "the log is empty")
        return Reply({"dateRange": {"from": iso(first), "to": iso(last)}})

    async def refuse(self, call: Call) -> Reply:
        """Refuse the binary logs of Personalizer's inference library."""
        raise RefusedError(403, "InvalidApiAccess", "binary logs are not supported; expected rank and reward")
