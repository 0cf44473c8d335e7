"""Long work in a process of its own: decisions go on meanwhile."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")


async def apart(function: Callable[[A], T], argument: A) -> T:
    """What a function of a module gives, computed in a new process.

    Args:
        function: to be called there.
        argument: for it; it is pickled.

    """
    pool = ProcessPoolExecutor(1, get_context("spawn"))
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, function, argument)
    except asyncio.CancelledError:
        for process in list(pool._processes.values()):  # nobody waits for it any more
            process.kill()
        raise
    finally:
        pool.shutdown(wait=False)
