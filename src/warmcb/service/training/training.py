"""The training of one loop: join due events, learn them, save and publish. A crash at any moment loses nothing."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import msgspec

from warmcb.errors import WarmcbError
from warmcb.service.clock import SECOND, Clock
from warmcb.service.loops import versions
from warmcb.service.loops.kinds import Kind
from warmcb.service.loops.loops import loop_named, settings_of
from warmcb.service.monitoring.metrics import LEARNED, REFUSED, VERSION
from warmcb.service.monitoring.progress import Progress, note, progress_of
from warmcb.service.monitoring.watching import Pause, Watch
from warmcb.service.monitoring.webhooks import Webhooks
from warmcb.service.store import Database, Manner, Store
from warmcb.service.training import journal
from warmcb.service.training.journal import Entry
from warmcb.service.training.lease import Lease
from warmcb.service.training.student import Student

log = logging.getLogger("warmcb.trainer")

MOST_ENTRIES = 48
"""How many entries are numbered in one transaction, so that no request waits long for it."""
_SAVING_SHARE = 20  # saving takes at most 1/20 of the trainer's time
_LEARNED = ("event", "labels", "action", "model")


class Training:
    """The training of one loop.

    Args:
        store: of the service.
        clock: of the service.
        lease: the right to write.
        name: the name of the loop.
        webhooks: send the news of an automatic pause.

    Attributes:
        student: the bandit that learns.
        position: the number of the last entry that the student has learned.

    """

    student: Student

    def __init__(self, store: Store, clock: Clock, lease: Lease, name: str, webhooks: Webhooks) -> None:
        self._store, self._clock, self._lease, self.name = store, clock, lease, name
        self._webhooks, self._watch = webhooks, Watch(name)
        self.position = 0
        self._epoch = 0
        self._saved, self._saved_at, self._saving_took = 0, 0, 0
        self._published: tuple[int, bool] | None = None
        """The version that workers decide by, and whether it is pinned."""
        self._published_at = 0
        self._pinned: int | None = None
        """The version that workers decide by until it is released."""

    async def begin(self) -> None:
        """Load the newest undamaged version, and learn the journal entries behind it."""
        code = versions.code()  # slow the first time, so it must not happen in a transaction that requests wait for
        async with self._store.snapshot() as database:
            # The epoch comes first: if something is deleted meanwhile, all this is repeated.
            sql = "SELECT epoch, entries FROM loops WHERE loop = $1"
            ((self._epoch, entries),) = await database.fetch(sql, self.name)
            sql = "SELECT version FROM published WHERE loop = $1 AND pinned = 1"
            self._pinned = next((version for (version,) in await database.fetch(sql, self.name)), None)
            first = await self._first_student(database)
        self._published = None
        found = await self._newest_whole()
        if found is None:
            self.student, self.position = first, 0
        else:
            version, self.student = found
            self.position = version.version
            if version.code != code:
                entries = await self._in_transaction(self._note_upgrade, version.code)
        self._saved, self._saved_at = self.position, self._clock.now()
        await self._catch_up(entries)

    async def step(self) -> int:
        """Number and learn what is due, publish and save when it is time; return how many entries were learned."""
        async with self._store.snapshot() as database:
            is_current = await self._is_current(database)
            has_work = await journal.has_due(database, self._clock.now(), self.name)
        if not is_current:
            log.info("the journal of %s has changed; learning again from what remains", self.name)
            await self.begin()
        entries: list[Entry] = []
        if has_work and is_current:
            settled = await self._store.settle(self._clock)
            entries, pause = await self._in_transaction(self._number_due, settled)
            if pause is not None:
                self._tell(pause)
        await self._learn(entries)
        await self._publish_if_due()
        await self._save_if_due()
        return len(entries)

    async def finish(self) -> None:
        """Publish and save what was learned before the trainer stops."""
        self._published_at = 0
        await self._publish_if_due()
        if self.position > self._saved:
            await self.save()

    async def save(self) -> None:
        """Save the model and its place in the journal in one transaction."""
        began = self._clock.now()
        await self._save_as(self.position)
        self._saved, self._saved_at = self.position, self._clock.now()
        self._saving_took = self._saved_at - began

    # Learning

    async def _catch_up(self, until: int) -> None:
        """Learn entries that were numbered before, up to a number."""
        async with self._store.snapshot() as database:
            lost = await versions.lost(database, self.name, self.position)
        while self.position < until:
            async with self._store.snapshot() as database:
                entries = await journal.entries_after(database, self.name, self.position, MOST_ENTRIES, until)
            if not entries:
                break
            for entry in entries:
                while lost and lost[0] < entry.number:
                    await self._save_as(lost.pop(0))  # a later entry goes back to this version
                await self._learn([entry])
            await self._in_transaction(_nothing)  # renews the lease

    async def _learn(self, entries: list[Entry]) -> None:
        for entry in entries:
            try:
                await self._learn_one(entry)
            except WarmcbError as error:
                # Each replay fails in the same way, and leaves the model unchanged.
                REFUSED.labels(self.name).inc()
                log.warning("entry %d of %s cannot be learned: %s", entry.number, self.name, error)
            self.position = entry.number
        LEARNED.labels(self.name).inc(len(entries))

    async def _learn_one(self, entry: Entry) -> None:
        if entry.kind in _LEARNED:
            self.student.learn(entry)
        elif entry.kind == "settings":
            async with self._store.snapshot() as database:
                version = msgspec.json.decode(entry.body)["version"]
                self.student.change(await settings_of(database, self.name, version))
        elif entry.kind in ("reset", "retrain"):
            await self._start_again(entry)
        elif entry.kind == "restore":
            await self._go_back(entry)
        elif entry.kind == "release":
            self._pinned = None
            self._published_at = 0

    async def _start_again(self, entry: Entry) -> None:
        """Make a new bandit with the current settings. For "retrain" it learns the log again."""
        async with self._store.snapshot() as database:
            loop = await loop_named(database, self.name)
            settings = await settings_of(database, self.name, msgspec.json.decode(entry.body)["version"])
            sql = "SELECT max(number) FROM journal WHERE loop = $1 AND kind = 'reset' AND number < $2"
            ((reset,),) = await database.fetch(sql, self.name, entry.number)
            number = (reset or 0) if entry.kind == "retrain" else entry.number
            kind = await self._kind_after(database, replace(loop.kind, names=self.student.kind.names), number)
        self.student, position = Student(kind, settings), self.position
        while entry.kind == "retrain":
            async with self._store.snapshot() as database:
                entries = await journal.entries_after(database, self.name, number, MOST_ENTRIES, entry.number - 1)
            if not entries:
                break
            await self._learn([one for one in entries if one.kind in _LEARNED])
            number = entries[-1].number
            await self._in_transaction(_nothing)
        self.position = position
        self._saved_at = self._published_at = 0

    async def _go_back(self, entry: Entry) -> None:
        """Go back to an earlier version, by which workers decide until it is released."""
        wanted = msgspec.json.decode(entry.body)["version"]
        found = await self._newest_whole(wanted)
        if found is None or found[0].version != wanted:
            raise WarmcbError(f"there is no undamaged version {wanted}")
        names, settings = self.student.kind.names, self.student.settings
        _, self.student = found
        self.student.admit(list(names or ()))
        self.student.change(settings)
        self._pinned = wanted
        self._saved_at = self._published_at = 0

    async def _first_student(self, database: Database) -> Student:
        """Return a student that has learned nothing, with the first actions and settings of the loop."""
        loop, settings = await loop_named(database, self.name), await settings_of(database, self.name, 1)
        return Student(await self._kind_after(database, loop.kind, 0), settings)

    async def _kind_after(self, database: Database, kind: Kind, number: int) -> Kind:
        """Return the kind of the loop behind an entry, without the actions that were added later."""
        if kind.names is None:
            return kind
        added = await journal.added_actions(database, self.name, number)
        return replace(kind, names=tuple(name for name in kind.names if name not in added))

    async def _newest_whole(self, until: int = 2**62) -> tuple[versions.Version, Student] | None:
        """Return the newest version that can be read. Others are logged, and marked as broken if they are damaged."""
        while True:
            async with self._store.snapshot() as database:
                loop = await loop_named(database, self.name)
                version = await versions.newest(database, self.name, until)
            if version is None:
                return None
            until, what = version.version - 1, f"version {version.version} of {self.name}"
            if not version.is_whole:
                log.error("%s is damaged; the one before it is used", what)
                await self._in_transaction(self._mark_broken, version.version)
                continue
            try:
                return version, Student.restored(loop.kind, version.data, version.state)
            except WarmcbError as error:  # for example after a return to older code, so newer code may need it
                log.error("%s cannot be used; the one before it is used: %s", what, error)

    # Publishing

    async def _publish_if_due(self) -> None:
        settings, now = self.student.settings, self._clock.now()
        bandit, is_pinned = self.student.bandit, self._pinned is not None
        version = self.position if self._pinned is None else self._pinned
        if (version, is_pinned) == self._published:
            return
        new = self.position - (self._published[0] if self._published else 0)
        if now - self._published_at < settings.publish_seconds * SECOND and new < settings.publish_events:
            return
        if is_pinned and (found := await self._newest_whole(version)):
            bandit = found[1].bandit
        has_met = bandit.n_features_ is not None
        policy = versions.packed(bandit.policy().to_bytes()) if has_met else versions.NOTHING_LEARNED
        await self._in_transaction(self._publish, version, policy, is_pinned, progress_of(bandit))
        self._published, self._published_at = (version, is_pinned), now
        VERSION.labels(self.name).set(version)

    def _tell(self, pause: Pause) -> None:
        log.warning("%s is significantly worse than its control group and was paused: %s", self.name, pause.news)
        if pause.webhook is not None:
            self._webhooks.send(pause.webhook, pause.news)

    async def _save_if_due(self) -> None:
        since = self._clock.now() - self._saved_at
        pause = max(self.student.settings.publish_seconds * SECOND, _SAVING_SHARE * self._saving_took)
        if self.position > self._saved and since > pause:
            await self.save()

    async def _save_as(self, number: int) -> None:
        """Save the student as a version."""
        await self._in_transaction(self._save, number, versions.packed(self.student.to_bytes()), self.student.state())

    # Transactions

    async def _in_transaction(self, body: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Run a function in a transaction that only the holder of the lease can finish."""
        async with self._store.transaction(Manner.TOGETHER) as database:
            now = self._clock.now()
            await self._lease.check(database, now)
            return await body(database, now, *arguments)

    async def _is_current(self, database: Database) -> bool:
        ((epoch,),) = await database.fetch("SELECT epoch FROM loops WHERE loop = $1", self.name)
        return bool(epoch == self._epoch)

    async def _number_due(self, database: Database, now: int, settled: int) -> tuple[list[Entry], Pause | None]:
        if not await self._is_current(database):
            return [], None
        entries = await journal.number_due(database, settled, self.name, MOST_ENTRIES)
        return entries, await self._watch.pause_if_worse(database, now)

    async def _note_upgrade(self, database: Database, now: int, before: str) -> int:
        body = msgspec.json.encode({"from": before, "to": versions.code()}).decode()
        return (await journal.add(database, now, self.name, "upgrade", body)).number

    async def _save(self, database: Database, now: int, position: int, model: bytes, state: str) -> None:
        if await self._is_current(database):
            await versions.save(database, now, self.name, position, model, state)
            await versions.thin(database, now, self.name)

    async def _publish(
        self, database: Database, now: int, version: int, policy: bytes, pinned: bool, progress: Progress
    ) -> None:
        if await self._is_current(database):
            await versions.publish(database, now, self.name, version, policy, pinned)
            await note(database, now, self.name, version, progress)

    async def _mark_broken(self, database: Database, now: int, version: int) -> None:
        await versions.mark_broken(database, self.name, version)


async def _nothing(database: Database, now: int) -> None:
    """Do nothing, so that only the lease is renewed."""
