"""The examples by curl on the page of the routes: their bodies are right, every route with a body has one, they run."""

import asyncio
import json
import os
import re
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from serving import Serving
from tests.support.faults import until
from tests.support.places import ROOT
from warmcb.service.app import Application
from warmcb.service.bodies import decoded
from warmcb.service.clock import ManualClock
from warmcb.service.http.endpoints import Endpoint
from warmcb.service.store import open_store

PAGE = (ROOT / "docs" / "service" / "routes.md").read_text()
FIRST, *OTHERS = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
COMMANDS = [one for block in OTHERS for one in re.split(r"\n(?=ask )", block.rstrip("\n"))]


def request_of(command: str) -> tuple[str, str, str | None]:
    """The method, the path and the body of a command."""
    body = re.search(r" -d '(.*)'$", command, re.DOTALL)
    method = re.search(r" -X ([A-Z]+) ", command)
    path = re.search(r"(\$loop|http://127.0.0.1:8801)(\S*)", command)
    assert path is not None
    at = ("/v1/loops/articles" if path[1] == "$loop" else "") + path[2]
    return method[1] if method else "POST", at, body[1] if body else None


def matches(endpoint: Endpoint, method: str, path: str) -> bool:
    pattern = re.sub(r"\\{[^}]*\\}", "[^/]+", re.escape(endpoint.path))
    return endpoint.method == method and re.fullmatch(pattern, path) is not None


def test_the_examples_have_the_bodies_of_their_routes(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    endpoints = Application(store, ManualClock()).endpoints
    asyncio.run(store.close())
    shown = set()
    for command in COMMANDS:
        method, path, body = request_of(command)
        endpoint = min((one for one in endpoints if matches(one, method, path)), key=lambda one: len(one.path))
        shown.add((endpoint.method, endpoint.path))
        assert (body is None) == (endpoint.body is None), command
        if body is not None and endpoint.body is not None:
            decoded(body.encode(), endpoint.body)
    changing = {(one.method, one.path) for one in endpoints if one.method in ("POST", "PUT", "PATCH")}
    assert changing - shown == set()


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path) -> None:
    with Serving(tmp_path) as serving:
        environment = {"PATH": os.environ["PATH"], "WARMCB_KEY": serving.key}

        def told(command: str) -> Any:
            script = f"{FIRST}{command}\n".replace("http://127.0.0.1:8801", serving.url)
            done = subprocess.run(
                ["sh", "-ec", script], env=environment, capture_output=True, text=True, timeout=60, check=True
            )
            return json.loads(done.stdout or "{}")

        for command in COMMANDS:
            if "/models/3/" in command:
                until(lambda: told("ask $loop/models")["models"] != [])
                version = told("ask $loop/models")["models"][0]["version"]
                assert "entry" in told(command.replace("/3/", f"/{version}/"))
            elif re.search("explain|evaluate", command):  # they wait for what is learned
                until(partial(lambda one: "error" not in told(one), command))
            else:
                assert "error" not in told(command), command
