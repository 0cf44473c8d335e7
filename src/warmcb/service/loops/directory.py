"""What a worker knows: loops, keys and the newest model of each loop. Newer models are taken up without a pause."""

import asyncio
import logging
import time
import zlib
from dataclasses import dataclass, replace
from typing import Any

from warmcb import load
from warmcb._messages import one_line
from warmcb.errors import WarmcbError
from warmcb.service.loops import versions
from warmcb.service.loops.keys import Key, keys
from warmcb.service.loops.kinds import Model
from warmcb.service.loops.loops import Loop, loops
from warmcb.service.loops.versions import NOTHING_LEARNED
from warmcb.service.refusals import not_found
from warmcb.service.store import Store, StoreError

log = logging.getLogger("warmcb.worker")

_PAUSE = 0.5  # seconds between two looks at the store


@dataclass(frozen=True)
class Published:
    """A model that decides.

    Attributes:
        version: the number of the last journal entry that it has learned; 0 if there is none.
        model: a policy. As long as nothing was learned, it is a new bandit, which explores.
        made_for: the loop for which a new bandit was made; None for a policy.

    """

    version: int
    model: Model
    made_for: Loop | None = None

    @property
    def has_learned(self) -> bool:
        """Whether the model has learned anything."""
        return self.made_for is None


class Directory:
    """The loops, keys and models that were in the store at the last look.

    Args:
        store: of the service.
        master: a key that may administer everything, if there is one.

    """

    def __init__(self, store: Store, master: Key | None) -> None:
        self._store, self._master = store, master
        self.loops: dict[str, Loop] = {}
        self.keys: list[Key] = []
        self._published: dict[str, Published] = {}
        self._seen: dict[str, tuple[int, int]] = {}
        """The version and the time of the model that each loop had published at the last look."""
        self._is_there: dict[str, asyncio.Event] = {}
        self._refreshing = asyncio.Lock()
        self._looked_at = 0.0  # when the last look at the store began

    @property
    def has_master(self) -> bool:
        """Whether there is a key that is not in the store."""
        return self._master is not None

    async def run(self) -> None:
        """Look at the store again and again."""
        while True:
            try:
                await self.refresh()
            except StoreError as error:
                log.error("%s", error)
            except Exception as error:  # otherwise the worker would go on with old keys and models for good
                log.error("directory: %s", error, exc_info=error)
            await asyncio.sleep(_PAUSE)

    async def refresh(self) -> None:
        """Look at the store now. Callers that wait at the same time share one look."""
        asked = time.monotonic()
        async with self._refreshing:
            if self._looked_at >= asked:
                return
            began = time.monotonic()
            async with self._store.snapshot() as database:
                self.loops = await loops(database)
                self.keys = [*await keys(database), *([self._master] if self._master else [])]
                newest = {
                    loop: (version, time)
                    for loop, version, time in await database.fetch("SELECT loop, version, time FROM published")
                }
            for name, loop in self.loops.items():
                known = self._published.get(name)
                if name in newest and newest[name] != self._seen.get(name):
                    await self._take_up(loop)
                elif known is not None and known.made_for not in (None, loop):
                    self._put(name, replace(known, model=loop.kind.new(loop.settings), made_for=loop))
            self._looked_at = began

    async def loop(self, name: str) -> Loop:
        """Return a loop by its name. It is found even if another worker has just made it."""
        if name not in self.loops:
            await self.refresh()
        if name not in self.loops:
            raise not_found(f"there is no loop {name!r:.80}; PUT /v1/loops/{{loop}} makes one")
        return self.loops[name]

    async def published(self, name: str, seconds: float) -> Published | None:
        """Return the model of a loop; None if there is still none after so many seconds."""
        if name not in self._published:
            try:
                await asyncio.wait_for(self._is_there.setdefault(name, asyncio.Event()).wait(), seconds)
            except TimeoutError:
                return None
        return self._published[name]

    async def _take_up(self, loop: Loop) -> None:
        sql = "SELECT version, time, policy FROM published WHERE loop = $1"
        async with self._store.snapshot() as database:
            rows = await database.fetch(sql, loop.name)
        if not rows:
            return
        version, moment, policy = rows[0]
        if policy == NOTHING_LEARNED:
            self._put(loop.name, Published(version, loop.kind.new(loop.settings), loop))
        else:
            try:
                self._put(loop.name, Published(version, await asyncio.to_thread(_loaded, policy)))
            except (WarmcbError, zlib.error) as error:
                what = f"the policy {version} of {loop.name} is damaged; the one before it is used"
                log.error("%s: %s", what, one_line(error))
                if loop.name not in self._published:
                    await self._take_up_saved(loop, version)
        self._seen[loop.name] = (version, moment)

    async def _take_up_saved(self, loop: Loop, until: int) -> None:
        """Decide by the newest undamaged version that the trainer has saved, if there is one."""
        while True:
            async with self._store.snapshot() as database:
                version = await versions.newest(database, loop.name, until)
            if version is None:
                return
            if version.is_whole:
                try:
                    bandit: Any = await asyncio.to_thread(load, version.data)
                    self._put(loop.name, Published(version.version, bandit.policy()))
                    return
                except WarmcbError as error:  # for example after a return to older code
                    log.error("version %d of %s cannot be used: %s", version.version, loop.name, one_line(error))
            until = version.version - 1

    def _put(self, name: str, published: Published) -> None:
        self._published[name] = published
        self._is_there.setdefault(name, asyncio.Event()).set()


def _loaded(policy: bytes) -> Model:
    return load(zlib.decompress(policy))
