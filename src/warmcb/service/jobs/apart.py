"""Run a function in a process of its own, so that decisions can go on."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")


async def apart(function: Callable[[A], T], argument: A) -> T:
    """Call a function in a new process and return its result.

    Args:
        function: a function of a module.
        argument: its argument, which is pickled.

    """
    pool = ProcessPoolExecutor(1, get_context("spawn"))
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, function, argument)
    except asyncio.CancelledError:
        for process in list(pool._processes.values()):  # nobody waits for the result any more
            process.kill()
        raise
    finally:
        pool.shutdown(wait=False)
