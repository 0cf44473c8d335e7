"""A real `warmcb serve` in a process of its own on loopback, for tests and measurements."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

_PATIENCE = 60.0  # seconds; a busy machine is slow to start


class Serving:
    """A service with its own store. It can be stopped or killed, and started again on the same store.

    Args:
        folder: where the store and the service's standard error go.
        workers: how many processes answer requests.
        key: a key that may administer all loops; by default a random one.
        environment: further environment variables.
        address: the address of the store; by default a file in the folder.

    Attributes:
        key: the key that may administer all loops.
        store: the file of the store, if it is one.
        port: where it listens: any free port at first, the same one after a restart.

    """

    def __init__(
        self,
        folder: Path,
        *,
        workers: int = 1,
        key: str | None = None,
        environment: Mapping[str, str] | None = None,
        address: str | None = None,
    ) -> None:
        self.key = key or secrets.token_hex(32)
        self.store = folder / "warmcb.db"
        self._address = address
        self.port = 0
        self._errors = folder / "stderr.txt"
        self._workers = workers
        own = {"WARMCB_KEY": self.key, "TMPDIR": str(folder)}  # so that a killed service leaves nothing elsewhere
        self._environment = {**os.environ, **own, **(environment or {})}
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start the service, and wait until it is ready."""
        assert self._process is None, "it runs already"
        command = [sys.executable, "-m", "warmcb", "serve", "--port", str(self.port)]
        command += ["--store", self.address, "--workers", str(self._workers)]
        with self._errors.open("a") as errors:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=self._environment,
                start_new_session=True,  # so that all its processes can be found when the first one is dead
            )
        ready = threading.Event()
        threading.Thread(target=self._read, args=(self._process, ready), daemon=True).start()
        deadline = time.monotonic() + _PATIENCE
        while not ready.wait(0.02):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"the service did not start: {self.errors()[-2000:]}")

    @property
    def url(self) -> str:
        """The address of the service."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """The address of the store."""
        return self._address or f"sqlite:///{self.store}"

    @property
    def supervisor(self) -> int:
        """The id of the process that was started."""
        assert self._process is not None, "it does not run"
        return self._process.pid

    def processes(self) -> dict[str, list[int]]:
        """Return the ids of all processes, by kind: "supervisor", "worker", "trainer"."""
        found: dict[str, list[int]] = {"supervisor": [self.supervisor], "worker": [], "trainer": []}
        for pid in session_of(self.supervisor):
            if pid != self.supervisor:
                found.setdefault(_role(pid), []).append(pid)
        return found

    def errors(self) -> str:
        """Return what the service has written to standard error so far."""
        return self._errors.read_text(errors="replace")

    def stop(self) -> int:
        """Ask the service to stop, and wait for its end.

        Returns:
            The exit code.

        """
        assert self._process is not None, "it does not run"
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(_PATIENCE)
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill all processes of the service at once."""
        if self._process is None:
            return
        for pid in session_of(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(_PATIENCE)
        self._process = None

    def _read(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        """Read the output to its end, so that the service never waits for a reader."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if line.startswith("warmcb serves "):
                    self.port = int(line.rpartition(":")[2])
                    ready.set()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def session_of(leader: int) -> list[int]:
    """Return the living processes of a session, even if its leader is dead."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # The fields after the program's name, which is in parentheses: state, parent, group, session.
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(folder.name))
    return sorted(found)


def memory(pid: int) -> int:
    """Return how many bytes of a process are in memory."""
    return _rolled_up(pid, "Rss:")


def memory_share(pid: int) -> int:
    """Return the same with shared pages divided among their processes, so that processes can be summed."""
    return _rolled_up(pid, "Pss:")


def processor_seconds(pid: int) -> float:
    """Return how much processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _role(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return "trainer" if "warmcb.service.processes.train" in command else "worker"


def _rolled_up(pid: int, name: str) -> int:
    (line,) = [one for one in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if one.startswith(name)]
    return int(line.split()[1]) * 1024
