"""Routes for administrators: events that are to be deleted, for example at the request of the person concerned."""

from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.routes.backend import Routes
from warmcb.service.training import retention


class Deletion(Routes):
    """Delete events together with every version of the model that has learned them."""

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, at = keys.ADMINISTRATION, "/v1/loops/{loop}"
        return [
            Endpoint("DELETE", f"{at}/events/{{event:text}}", self.forget_event, role, "Delete an event."),
            Endpoint("DELETE", f"{at}/units/{{unit:text}}", self.forget_unit, role, "Delete all events of a unit."),
        ]

    async def forget_event(self, call: Call) -> Reply:
        """Delete an event."""
        name, event = call.loop.name, call.path["event"]
        deleted = await self.backend.write(lambda db, _: retention.forget_event(db, name, event))
        return Reply({"deleted": deleted}, 202)

    async def forget_unit(self, call: Call) -> Reply:
        """Delete all events of a unit."""
        name, unit = call.loop.name, call.path["unit"]
        deleted = await self.backend.write(lambda db, _: retention.forget_unit(db, name, unit))
        return Reply({"deleted": deleted}, 202)
