"""Compute units on any `concurrent.futures.Executor`: processes of this machine, or a Dask cluster."""

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

from warmcb._messages import named, one_line
from warmcb.errors import InputError, MissingDependencyError, WarmcbError
from warmcb.study.agenda import Agenda
from warmcb.study.columns import Columns
from warmcb.study.forecast import Forecast, Timed


class Engine(NamedTuple):
    """How to open an executor, how many units it computes at once, and how many it gets so that it is never idle."""

    open: Callable[[], AbstractContextManager[Executor]]
    workers: int
    in_flight: int
    name: str


class FailedUnit(NamedTuple):
    unit: str
    reason: str


class Work(Timed, Protocol):
    """A unit of work, as an engine sees it."""

    @property
    def label(self) -> str: ...

    def compute(self, arrays: Path, /) -> Columns: ...


class UnitWatch(Protocol):
    """Is told which units start and end."""

    def started(self, unit: Work) -> None: ...

    def finished(self, unit: Work) -> None: ...


W = TypeVar("W", bound=Work)


class EngineLostError(WarmcbError, RuntimeError):
    """The connection to the cluster was lost. Its results so far are kept."""


def run_units(
    units: Iterable[W],
    arrays: Path,
    engine: Engine,
    keep: Callable[[W, Columns], None],
    watch: UnitWatch,
    clock: Forecast,
) -> list[FailedUnit]:
    """Compute all units, pass each result to `keep`, and return the units that failed.

    If a worker dies, its pool is lost with all units in progress. They are then tried one at a time. A unit that kills
    its worker again is given up.
    """
    waiting = Agenda(units, clock)
    failures: list[FailedUnit] = []
    while waiting:
        suspects = _run_until_broken(waiting, arrays, engine, engine.in_flight, keep, watch, clock, failures)
        for suspect in suspects:
            if _run_until_broken(deque([suspect]), arrays, engine, 1, keep, watch, clock, failures):
                failures.append(FailedUnit(suspect.label, "its worker process died"))
                watch.finished(suspect)
    return failures


def _timed(unit: Work, arrays: Path) -> tuple[Columns, float]:
    began = time.perf_counter()
    return unit.compute(arrays), time.perf_counter() - began


def _run_until_broken(
    waiting: "deque[W] | Agenda[W]",
    arrays: Path,
    engine: Engine,
    in_flight: int,
    keep: Callable[[W, Columns], None],
    watch: UnitWatch,
    clock: Forecast,
    failures: list[FailedUnit],
) -> list[W]:
    """Compute all units of a queue. If a worker dies, return the units that were in progress."""
    with engine.open() as executor:
        running: dict[Future[tuple[Columns, float]], W] = {}
        while waiting or running:
            while waiting and len(running) < in_flight:
                unit = waiting.popleft()
                try:
                    running[executor.submit(_timed, unit, arrays)] = unit
                except BrokenExecutor:
                    return [unit, *running.values()]
                watch.started(unit)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                unit = running.pop(future)
                try:
                    columns, seconds = future.result()
                except BrokenExecutor:
                    return [unit, *running.values()]
                except CancelledError:
                    raise EngineLostError(f"{engine.name} was lost while it computed {unit.label}") from None
                except Exception as error:  # the other units continue
                    failures.append(FailedUnit(unit.label, named(error)))
                else:
                    clock.observe(unit, seconds)
                    keep(unit, columns)
                watch.finished(unit)
    return []


@contextmanager
def processes(workers: int) -> Iterator[Engine]:
    """Processes of this machine."""
    yield Engine(lambda: _process_pool(workers), workers, workers + 1, f"{workers} processes")


@contextmanager
def _process_pool(workers: int) -> Iterator[Executor]:
    others = set(multiprocessing.active_children())
    # Spawn, do not fork: this process has threads, and a fork would copy their locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_work)
    try:
        yield pool
    except BaseException:
        for child in set(multiprocessing.active_children()) - others:
            child.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_work() -> None:
    """Set up a worker: it ignores Ctrl-C, ends when its parent ends, and uses one core."""
    from threadpoolctl import threadpool_limits

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threadpool_limits(1)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _check_reachable(address: str) -> None:
    """Check the address first: the client of Dask prints more than an error if it cannot connect."""
    try:
        place = urlsplit(address if "://" in address else f"tcp://{address}")
        if place.scheme in ("tcp", "tls"):
            socket.create_connection((place.hostname or "", place.port or 8786), timeout=10).close()
    except (OSError, ValueError) as error:
        raise InputError(f"cluster is {address!r}; expected a running Dask scheduler ({error})") from None


@contextmanager
def dask_cluster(address: str) -> Iterator[Engine]:
    """The workers of a Dask scheduler. They must see the folder of the study under the same path."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingDependencyError("distributed is missing; clusters need: pip install 'warmcb[cluster]'") from None
    _check_reachable(address)
    try:
        client = Client(address, timeout=10, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"cluster is {address!r}; expected a running Dask scheduler ({one_line(error)})") from None

    @contextmanager
    def open_executor() -> Iterator[Executor]:
        executor: Executor = client.get_executor(pure=False)  # type: ignore[no-untyped-call]
        try:
            yield executor
        finally:
            executor.shutdown(wait=False)  # units still run only if the study is being stopped

    with client:
        threads = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
        if not threads:
            raise InputError(f"cluster is {address!r}, which has no workers; expected at least one")
        yield Engine(open_executor, threads, 2 * threads, f"the cluster at {address}")
