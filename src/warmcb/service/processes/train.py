"""The process of the trainer. The supervisor starts it."""

import asyncio
import signal

from warmcb.service.clock import SteadyClock
from warmcb.service.monitoring.webhooks import Webhooks
from warmcb.service.processes.child import Inherited, inherited, log_as_json, parent_is_gone
from warmcb.service.store import opened
from warmcb.service.training.trainer import Trainer


async def train(given: Inherited) -> None:
    """Train until a signal comes."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    watching = asyncio.create_task(_stop_with_parent(stop, given))
    async with opened(given.store, make=False) as store:
        webhooks = Webhooks(given.allow_private_webhooks)
        await Trainer(store, SteadyClock(given.offset), given.holder, webhooks).run(stop)
    watching.cancel()


async def _stop_with_parent(stop: asyncio.Event, given: Inherited) -> None:
    await parent_is_gone(given)
    stop.set()


if __name__ == "__main__":
    log_as_json("trainer")
    asyncio.run(train(inherited()))
