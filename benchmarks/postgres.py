"""A real PostgreSQL in a process of its own on loopback, for tests and measurements."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from serving import free_port

PROGRAMS = Path("/usr/lib/postgresql/15/bin")
MISSING = None if (PROGRAMS / "initdb").exists() else "PostgreSQL 15 is not installed (scripts/tools)"
_PATIENCE = 60.0


class Postgres:
    """A server with its own data. It can be killed, and started again on the same data.

    Args:
        settings: settings of the server that differ from its defaults.

    Attributes:
        port: where it listens.

    """

    def __init__(self, **settings: str) -> None:
        self.port = free_port()
        self._settings = settings
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        data = self._folder / "data"
        data.mkdir(mode=0o700)
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            for path in (self._folder, data):
                shutil.chown(path, "nobody", "nogroup")
        options = ["--pgdata", str(data), "--username", "postgres", "--auth", "trust", "--encoding", "UTF8"]
        self._run("initdb", *options, "--locale", "C.UTF-8", "--no-sync")
        self.start()
        return self

    def __exit__(self, *reason: object) -> None:
        self.kill()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        """Start the server, and wait until it takes connections."""
        settings = {"listen_addresses": "127.0.0.1", "port": str(self.port), "unix_socket_directories": ""}
        options = [f"--{name}={value}" for name, value in (settings | self._settings).items()]
        command = self._as_other(PROGRAMS / "postgres", "-D", str(self._folder / "data"), *options)
        with (self._folder / "log.txt").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start: {(self._folder / 'log.txt').read_text()[-2000:]}")
            time.sleep(0.05)

    def kill(self) -> None:
        """End the server and all connections at once, like a power failure."""
        if self._process is None:
            return
        # This signal ends it without tidying up. SIGKILL would leave processes behind.
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGQUIT)
        self._process.wait(_PATIENCE)
        self._process = None

    def new_store(self) -> str:
        """Return the address of an empty store: a new schema, which is cheaper than a new database."""
        name = f"store_{time.monotonic_ns()}"
        self.sql(f"CREATE SCHEMA {name}")
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres?search_path={name}"

    def sql(self, statement: str) -> str:
        """Execute a statement and return its output."""
        place = ["--host", "127.0.0.1", "--port", str(self.port), "--username", "postgres"]
        return self._run("psql", *place, "--no-psqlrc", "--tuples-only", "--no-align", "--command", statement).strip()

    def _answers(self) -> bool:
        place = ["--host", "127.0.0.1", "--port", str(self.port), "--quiet"]
        return subprocess.run([PROGRAMS / "pg_isready", *place], check=False).returncode == 0

    def _run(self, program: str, *options: str) -> str:
        done = subprocess.run(
            self._as_other(PROGRAMS / program, *options), cwd=self._folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")
        return done.stdout

    def _as_other(self, program: Path, *options: str) -> list[str]:
        other = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        return [*other, str(program), *options]
