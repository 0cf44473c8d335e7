"""A real Dask cluster."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.processes import eventually


@contextmanager
def dask(n_workers: int, folder: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """A scheduler and workers, started as an administrator would start them."""
    pytest.importorskip("distributed", reason="distributed is not installed")
    address_file = folder / "scheduler.json"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}

    def start(*arguments: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:]]
        quiet = subprocess.DEVNULL
        return subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, cwd=folder)

    at = ["--scheduler-file", str(address_file)]
    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *at)
    plain = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
    started = [scheduler]
    try:
        assert eventually(lambda: address_file.exists() and address_file.read_text())  # it is empty at first
        started += [start("dask_worker", *plain, *at) for _ in range(n_workers)]
        address = json.loads(address_file.read_text())["address"]
        from distributed import Client

        with Client(address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(n_workers, timeout=60)
        yield address, started
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()
