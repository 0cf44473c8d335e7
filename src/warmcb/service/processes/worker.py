"""A process that answers requests. The supervisor starts it."""

import asyncio
import gc
import os
import resource
import sys
from contextlib import suppress

import uvicorn
import uvloop

from warmcb.service.app import Application
from warmcb.service.clock import SteadyClock
from warmcb.service.http.limits import Limits
from warmcb.service.http.protocol import PatientProtocol
from warmcb.service.loops.keys import ADMINISTRATION, ALL_LOOPS, Key, hash_of
from warmcb.service.processes.child import Inherited, inherited, log_as_json, parent_is_gone
from warmcb.service.store import open_store


async def work(given: Inherited) -> None:
    """Answer requests until a signal comes."""
    limits = Limits()
    key = os.environ.get("WARMCB_KEY")
    master = Key(hash_of(key), ADMINISTRATION, ALL_LOOPS, 1) if key else None
    store = open_store(given.store, make=False)
    application = Application(store, SteadyClock(given.offset), master, limits)
    gc.freeze()  # all objects of the start stay for good, so the garbage collector need not visit them again
    config = uvicorn.Config(
        application.router,
        http=PatientProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=limits.connections,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=10,
    )
    server = uvicorn.Server(config)
    watching = asyncio.create_task(_stop_with_parent(server, given))
    await server.serve(sockets=[given.socket()])
    watching.cancel()
    await store.close()


async def _stop_with_parent(server: uvicorn.Server, given: Inherited) -> None:
    await parent_is_gone(given)
    server.should_exit = True


if __name__ == "__main__":
    log_as_json("worker")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError):  # macOS claims to have no limit, and refuses to set none
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # connections are files; `Limits` bounds their number
    sys.setswitchinterval(0.0005)  # so that a finished commit is answered soon
    uvloop.run(work(inherited()))
