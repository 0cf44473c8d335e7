"""What the first process of a service does by itself."""

import os
import socket
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from serving import free_port
from tests.support.commands import refusal
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


@pytest.mark.slow
def test_no_store_is_made_if_the_port_is_in_use(tmp_path: Path) -> None:
    """Its key would be lost."""
    port = free_port()
    command = [sys.executable, "-m", "warmcb", "serve", "--port", str(port), "--store", f"sqlite:///{tmp_path}/it.db"]
    with socket.create_server(("127.0.0.1", port)):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode != 0, done.stdout) == (True, "")
    assert f"port {port} of 127.0.0.1 cannot be used" in done.stderr
    assert "--port" in done.stderr
    assert list(tmp_path.iterdir()) == []


class _Ready(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_the_service_is_asked_directly_whatever_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_STARTING", 5.0)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    with HTTPServer(("127.0.0.1", 0), _Ready) as server:
        answering = Thread(target=server.serve_forever)
        answering.start()
        try:
            starting = supervisor.Supervisor("127.0.0.1", 0, "sqlite:///it.db", 1, False)
            starting._wait_until_ready(f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            answering.join()


def test_an_unknown_level_of_the_log_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARMCB_LOG", "chatty")
    assert refusal("serve") == "WARMCB_LOG is 'chatty'; expected DEBUG, INFO, WARNING or ERROR"


def test_a_short_key_is_a_warning(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    for key, warnings in (("secret", 1), ("x" * 16, 0), ("", 0)):
        monkeypatch.setenv("WARMCB_KEY", key)
        caplog.clear()
        supervisor._warn_of_short_key()
        assert len(caplog.messages) == warnings
        assert all("WARMCB_KEY has 6 characters; expected at least 16" in one for one in caplog.messages)
