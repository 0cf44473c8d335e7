"""The trainer: the one process that joins, learns and publishes for all loops."""

import asyncio
import logging
from contextlib import suppress

from warmcb.service.clock import DAY, MINUTE, SECOND, Clock
from warmcb.service.loops.loops import loops
from warmcb.service.monitoring.webhooks import Webhooks
from warmcb.service.store import Manner, Store, StoreError
from warmcb.service.store.beat import beat, grant_grace
from warmcb.service.training import lease as leases
from warmcb.service.training.lease import Lease, LostLeaseError
from warmcb.service.training.retention import base_of, delete_old
from warmcb.service.training.training import MOST_ENTRIES, Training

log = logging.getLogger("warmcb.trainer")

_PAUSE = 0.2  # seconds between two looks at the store
_BEAT = 2 * SECOND
_SWEEP = 10 * MINUTE


class Trainer:
    """Trains every loop of a store as long as it holds the lease.

    Args:
        store: of the service.
        clock: of the service.
        holder: an id of the service. A trainer may take over from another one of the same service at once.
        webhooks: send the news of automatic pauses.

    """

    def __init__(self, store: Store, clock: Clock, holder: str, webhooks: Webhooks | None = None) -> None:
        self._store, self._clock, self._holder = store, clock, holder
        self._webhooks = webhooks or Webhooks()
        self._lease: Lease | None = None
        self.trainings: dict[str, Training] = {}
        self._beaten_at = self._swept_at = 0
        self._was_away = False
        """Whether the store was unavailable, so that rewards may have been refused."""

    async def run(self, stop: asyncio.Event) -> None:
        """Train until told to stop."""
        while not stop.is_set():
            busy = False
            try:
                busy = await self.step() >= MOST_ENTRIES
            except LostLeaseError:
                log.warning("another trainer has taken over; waiting")
                self._forget()
            except StoreError as error:
                log.error("%s", error)
                self._was_away = True
                self._forget()  # only the store knows whether the last transaction was committed
                await _pause(stop, 1.0)
            if not busy:
                await _pause(stop, _PAUSE)
        await self.finish()

    async def step(self) -> int:
        """Train each loop once, and return how many entries were learned. It is 0 while another trainer works."""
        if self._lease is None:
            async with self._store.transaction() as database:
                self._lease = await leases.acquire(database, self._clock.now(), self._holder)
            if self._lease is None:
                self._was_away = False  # the trainer that works takes care of it
                return 0
            log.info("training; this is trainer number %d", self._lease.fence)
        now = self._clock.now()
        if now - self._beaten_at >= _BEAT:
            manner = Manner.ALONE if self._was_away else Manner.TOGETHER
            async with self._store.transaction(manner) as database:
                await self._lease.check(database, self._clock.now())
                waiting = await grant_grace(database, self._clock.now()) if self._was_away else 0
                await beat(database, self._clock.now())
            if waiting:
                log.info("%d events wait two minutes longer, since the store was unavailable", waiting)
            await self._store.tidy()
            self._beaten_at, self._was_away = now, False
        async with self._store.snapshot() as database:
            found = await loops(database)
        learned = 0
        for name in found:
            if name not in self.trainings:
                training = Training(self._store, self._clock, self._lease, name, self._webhooks)
                await training.begin()
                self.trainings[name] = training
            learned += await self.trainings[name].step()
        if now - self._swept_at >= _SWEEP:
            for name, loop in found.items():
                await self.sweep(name, loop.settings.keep_days)
            self._swept_at = now
        return learned

    async def sweep(self, name: str, keep_days: float) -> None:
        """Delete old events."""
        assert self._lease is not None
        before = self._clock.now() - round(keep_days * DAY)
        async with self._store.snapshot() as database:
            base = await base_of(database, name, before)
        gone = 1
        while gone:
            async with self._store.transaction(Manner.TOGETHER) as database:
                await self._lease.check(database, self._clock.now())
                gone = await delete_old(database, name, before, base)

    async def finish(self) -> None:
        """Save everything, and let another trainer work."""
        await self._webhooks.finish()
        if self._lease is None:
            return
        try:
            for training in self.trainings.values():
                await training.finish()
            async with self._store.transaction() as database:
                await leases.release(database, self._lease)
        except (LostLeaseError, StoreError) as error:
            log.error("stopped without saving the last entries, which will be learned again: %s", error)

    def _forget(self) -> None:
        self._lease, self.trainings, self._beaten_at = None, {}, 0


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
