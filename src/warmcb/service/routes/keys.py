"""Routes for administrators: the keys of one loop, and those of all loops."""

from warmcb._messages import shown
from warmcb.service.bodies import KeyBody
from warmcb.service.clock import iso
from warmcb.service.http.endpoints import Call, Endpoint, Reply
from warmcb.service.loops import keys
from warmcb.service.refusals import conflict, not_found
from warmcb.service.routes.backend import Routes
from warmcb.service.store import Database


class Keys(Routes):
    """List, make and remove keys."""

    @property
    def endpoints(self) -> list[Endpoint]:
        """The routes."""
        role, of_loop, of_all = keys.ADMINISTRATION, "/v1/loops/{loop}/keys", "/v1/keys"
        one = "{role}/{place}"
        return [
            Endpoint("GET", of_loop, self.list_keys, role, "List the keys, without the keys themselves."),
            Endpoint("POST", of_loop, self.make_key, role, "Make a key, which is shown once.", KeyBody),
            Endpoint("DELETE", f"{of_loop}/{one}", self.remove_key, role, "Remove a key."),
            Endpoint("GET", of_all, self.list_keys, role, "List the keys for all loops."),
            Endpoint("POST", of_all, self.make_key, role, "Make a key for all loops, which is shown once.", KeyBody),
            Endpoint("DELETE", f"{of_all}/{one}", self.remove_key, role, "Remove a key for all loops."),
        ]

    async def list_keys(self, call: Call) -> Reply:
        """List roles, places and times of keys."""
        sql = "SELECT role, place, made FROM keys WHERE loop = $1 ORDER BY role, place"
        async with self.backend.store.snapshot() as database:
            rows = await database.fetch(sql, _scope(call))
        return Reply({"keys": [{"role": role, "place": place, "made": iso(made)} for role, place, made in rows]})

    async def make_key(self, call: Call) -> Reply:
        """Make a key in one of the two places of its role. It replaces the key that was there."""
        scope, role, place = _scope(call), call.body.role, call.body.place
        key = await self.backend.write(lambda database, now: keys.replace_key(database, now, role, scope, place))
        return Reply({"key": key}, 201)

    async def remove_key(self, call: Call) -> Reply:
        """Remove a key. It is refused from now on."""
        await self.backend.write(lambda database, _: self._remove(database, call))
        return Reply(b"", 204)

    async def _remove(self, database: Database, call: Call) -> None:
        scope, role, place = _scope(call), call.path["role"], call.path["place"]
        sql = "SELECT place FROM keys WHERE loop = $1 AND role = $2"
        places = [str(there) for (there,) in await database.fetch(sql, scope, role)]
        if place not in places:
            raise not_found(f"there is no key for {shown(role)} at place {shown(place)}")
        is_last = places == [place] and (scope, role) == (keys.ALL_LOOPS, keys.ADMINISTRATION)
        if is_last and not self.backend.directory.has_master:
            raise conflict("this is the last administration key of the service; make one at the other place first")
        await keys.remove_key(database, role, scope, int(place))


def _scope(call: Call) -> str:
    """Return the loop that the keys are for, or `ALL_LOOPS`."""
    return call.path.get("loop", keys.ALL_LOOPS)
