"""What the first process of a service does by itself."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from warmcb.service.processes import supervisor


def test_only_metrics_of_dead_services_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", ""]) as dead:
        pass
    for owner in (dead.pid, os.getpid(), 10**30, "nobody"):
        (tmp_path / f"warmcb-metrics-{owner}-x").mkdir()
    supervisor._sweep_metrics()
    left = {folder.name for folder in tmp_path.iterdir()}
    assert left == {f"warmcb-metrics-{os.getpid()}-x", "warmcb-metrics-nobody-x"}
