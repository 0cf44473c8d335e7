"""The real `warmcb serve`, as a process of its own on loopback, for tests and measurements."""

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
from types import TracebackType
from typing import Self

_PATIENCE = 60.0  # seconds; a busy machine is slow to start


class Serving:
    """A service with a store of its own. It can be stopped or killed, and started again on the same store.

    Args:
        folder: where the store is, and what the service writes to standard error.
        workers: how many processes decide.
        key: what administers all loops; by default a random one.
        environment: further variables.
        address: of the store; by default it is a file in the folder.

    Attributes:
        key: what administers all loops.
        store: the file of the store, if it is one.
        port: where it listens: any that is free at first, the same one when it is started again.

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
        own = {"WARMCB_KEY": self.key, "TMPDIR": str(folder)}  # so that a killed one leaves nothing outside
        self._environment = {**os.environ, **own, **(environment or {})}
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it says that it is ready."""
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
                start_new_session=True,  # so that all of its processes can be found when the first one is dead
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
        """Where it serves."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """Where its store is."""
        return self._address or f"sqlite:///{self.store}"

    @property
    def supervisor(self) -> int:
        """The process that was started."""
        assert self._process is not None, "it does not run"
        return self._process.pid

    def processes(self) -> dict[str, list[int]]:
        """The ids of all processes, by what they are: "supervisor", "worker", "trainer"."""
        found: dict[str, list[int]] = {"supervisor": [self.supervisor], "worker": [], "trainer": []}
        for pid in session_of(self.supervisor):
            if pid != self.supervisor:
                found.setdefault(_role(pid), []).append(pid)
        return found

    def errors(self) -> str:
        """What it has written to standard error so far."""
        return self._errors.read_text(errors="replace")

    def stop(self) -> int:
        """Ask it to stop, and wait until it has.

        Returns:
            Its exit code.

        """
        assert self._process is not None, "it does not run"
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(_PATIENCE)
        finally:
            self.kill()

    def kill(self) -> None:
        """Kill whatever is left of it, at once."""
        if self._process is None:
            return
        for pid in session_of(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait(_PATIENCE)
        self._process = None

    def _read(self, process: subprocess.Popen[str], ready: threading.Event) -> None:
        """Read on to the end, so that the service never waits for a reader."""
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                if line.startswith("warmcb serves "):
                    self.port = int(line.rpartition(":")[2])
                    ready.set()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return int(place.getsockname()[1])


def session_of(leader: int) -> list[int]:
    """The living processes of a session, also when its leader is dead."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # After the program's name, which stands in parentheses: state, parent, group, session.
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(folder.name))
    return sorted(found)


def memory(pid: int) -> int:
    """How many bytes of a process are in memory."""
    return _rolled_up(pid, "Rss:")


def memory_share(pid: int) -> int:
    """The same, with pages that several processes share divided among them: these can be added up."""
    return _rolled_up(pid, "Pss:")


def processor_seconds(pid: int) -> float:
    """How long a process has computed so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _role(pid: int) -> str:
    command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    return "trainer" if "warmcb.service.processes.train" in command else "worker"


def _rolled_up(pid: int, name: str) -> int:
    (line,) = [one for one in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if one.startswith(name)]
    return int(line.split()[1]) * 1024
