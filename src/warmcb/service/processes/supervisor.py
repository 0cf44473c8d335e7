"""The process of `warmcb serve`: it prepares the store, starts the workers and the trainer, and restarts them."""

import asyncio
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

from warmcb.errors import WarmcbError
from warmcb.service.bodies import LoopBody
from warmcb.service.clock import SteadyClock
from warmcb.service.loops import keys, loops
from warmcb.service.processes.child import Inherited
from warmcb.service.store import Store, beat, opened

log = logging.getLogger("warmcb.supervisor")

_TRAINER, _WORKER = "warmcb.service.processes.train", "warmcb.service.processes.worker"
_METRICS = "warmcb-metrics-"
_STARTING = 30.0  # seconds until the service must be ready
_SHORTEST_KEY = 16  # characters
_STOPPING = 20.0  # seconds until its processes must have ended


async def prepare(store: Store) -> tuple[int, str | None]:
    """Prepare the store: grant grace after a downtime, and make the default loop and a first key if needed.

    Returns:
        The offset of service time, and the key if one was made.

    """
    async with store.transaction() as database:
        offset = await beat.time_offset(database)
        now = SteadyClock(offset).now()
        waiting = await beat.grant_grace(database, now)
        await beat.beat(database, now)
        await loops.make(database, now, loops.DEFAULT, LoopBody(kind="described"), "the first start")
        key = None
        if not os.environ.get("WARMCB_KEY") and not await database.fetch("SELECT 1 FROM keys WHERE loop = ''"):
            key = await keys.replace_key(database, now, keys.ADMINISTRATION, keys.ALL_LOOPS, 1)
    if waiting:
        log.info("%d events wait two minutes longer, since the service was down", waiting)
    return offset, key


class Supervisor:
    """The supervisor of a service.

    Args:
        host: the address to listen at.
        port: the port to listen at; 0 for any free port.
        store: the address of the store.
        workers: how many processes answer requests.
        allow_private_webhooks: whether webhooks may use private addresses.

    """

    def __init__(self, host: str, port: int, store: str, workers: int, allow_private_webhooks: bool) -> None:
        self._host, self._port, self._store, self._workers = host, port, store, workers
        self._allow_private_webhooks = allow_private_webhooks
        self._children: dict[int, tuple[str, subprocess.Popen[bytes]]] = {}
        self._stopping = False

    def run(self, say: Callable[[str], None]) -> int:
        """Serve until a signal comes, and return the exit code.

        Args:
            say: prints a line: the key as soon as it is made, and the address when the service is ready.

        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        _warn_of_short_key()
        listening = _listening(self._host, self._port)  # before the store is made: the first key is shown only once
        offset, key = asyncio.run(self._prepare())
        if key is not None:
            say(f"key: {key}")
        address = f"http://{_bracketed(self._host)}:{listening.getsockname()[1]}"
        lifeline, _mine = os.pipe()  # the writing end closes when this process ends, even if it is killed
        holder, is_allowed = secrets.token_hex(8), self._allow_private_webhooks
        given = Inherited(self._store, offset, holder, lifeline, listening.fileno(), is_allowed)
        _sweep_metrics()
        with tempfile.TemporaryDirectory(prefix=f"{_METRICS}{os.getpid()}-") as metrics:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = metrics
            try:
                for module in [_TRAINER, *[_WORKER] * self._workers]:
                    self._start(module, given)
                self._wait_until_ready(address)
                if not self._stopping:
                    say(f"warmcb serves {address}")
                self._watch(given)
            finally:
                self._end_all()
        return 0

    async def _prepare(self) -> tuple[int, str | None]:
        async with opened(self._store) as store:
            return await prepare(store)

    def _start(self, module: str, given: Inherited) -> None:
        passed = given if module == _WORKER else given._replace(listening=-1)
        fds = [number for number in (passed.lifeline, passed.listening) if number >= 0]
        child = subprocess.Popen([sys.executable, "-m", module, *passed.arguments()], pass_fds=fds)
        self._children[child.pid] = (module, child)

    def _wait_until_ready(self, address: str) -> None:
        direct = build_opener(ProxyHandler({}))  # a proxy of the environment cannot reach this machine's own address
        deadline = time.monotonic() + _STARTING
        while not self._stopping and time.monotonic() < deadline:
            with suppress(OSError), direct.open(f"{address}/readyz", timeout=1) as answer:
                if answer.status == 200:
                    return
            has_ended = any(child.poll() is not None for _, child in self._children.values())
            if has_ended and not self._stopping:
                raise WarmcbError("a process of the service ended at once; see its messages above")
            time.sleep(0.05)
        if not self._stopping:
            raise WarmcbError(f"the service was not ready within {_STARTING:g} seconds")

    def _watch(self, given: Inherited) -> None:
        """Restart processes that end."""
        started = 0.0
        while not self._stopping:
            for pid, (module, child) in list(self._children.items()):
                if child.poll() is None:
                    continue
                del self._children[pid]
                log.error("%s %d has ended with %s; it is restarted", module, pid, child.returncode)
                time.sleep(max(0.0, min(1.0, started + 1.0 - time.monotonic())))  # at most one restart a second
                started = time.monotonic()
                self._start(module, given)
            time.sleep(0.1)

    def _stop(self, number: int, frame: object) -> None:
        self._stopping = True

    def _end_all(self) -> None:
        """End the workers first, so that the trainer can learn what they took."""
        for wanted in (_WORKER, _TRAINER):
            ending = [child for module, child in self._children.values() if module == wanted]
            for child in ending:
                child.terminate()
            deadline = time.monotonic() + _STOPPING
            for child in ending:
                with suppress(subprocess.TimeoutExpired):
                    child.wait(max(0.1, deadline - time.monotonic()))
                if child.poll() is None:
                    child.kill()
                    child.wait()


def _warn_of_short_key() -> None:
    key = os.environ.get("WARMCB_KEY")
    if key and len(key) < _SHORTEST_KEY:
        log.warning("WARMCB_KEY has %d characters; expected at least %d random ones", len(key), _SHORTEST_KEY)


def _sweep_metrics() -> None:
    """Remove the metrics of services that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_METRICS}*-*"):
        owner = folder.name.removeprefix(_METRICS).partition("-")[0]
        if owner.isdecimal() and not _is_running(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)  # sends nothing
    except PermissionError:
        return True  # of another user
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    deadline = time.monotonic() + 5.0
    while True:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
            listening.listen(1024)
            return listening
        except OSError as error:
            listening.close()
            if time.monotonic() > deadline:  # the processes of a killed service take a moment to end
                what = f"port {port} of {host} cannot be used: {error.strerror}"
                raise WarmcbError(f"{what}; expected a free --port, or 0 for any") from error
            time.sleep(0.1)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
