"""Clients that are slow, large, deep, many or wrong get a fitting answer, and others do not wait for them."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from serving import memory
from tests.support.faults import DRINKS, PATIENCE, Service, until
from warmcb.service.http.limits import Limits

pytestmark = pytest.mark.slow

MEGABYTE = 2**20


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as service:
        assert service.call("PATCH", "default/settings", {"wait": 1, "publish_seconds": 0.1})[0] == 200
        yield service


@pytest.fixture(autouse=True)
def learns_on(service: Service, request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever a client did, the same processes answer and learn afterwards."""
    before = service.processes()
    yield
    event = f"after {request.node.name}"
    assert service.decide(event)[0] == 201
    until(lambda: service.is_joined(event))
    assert service.processes() == before


def connected(service: Service) -> socket.socket:
    return socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE)


def head(service: Service, path: str = "/v1/loops/default/decide", key: str | None = None, **headers: Any) -> bytes:
    """The head of a request."""
    lines = {"Host": "localhost", "Authorization": f"Bearer {key or service.key}"}
    lines |= {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return f"POST {path} HTTP/1.1\r\n".encode() + b"".join(f"{k}: {v}\r\n".encode() for k, v in lines.items()) + b"\r\n"


def answered(connection: socket.socket) -> tuple[int, str]:
    """The status and the code of what is answered until the connection is closed; 0 if nothing is."""
    data = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65536):
            data += part
    if not data:
        return 0, ""
    return int(data.split()[1]), str(json.loads(data.partition(b"\r\n\r\n")[2])["error"]["code"])


def drip(connection: socket.socket, data: bytes, stop: threading.Event) -> None:
    """Send one byte after the other, slowly."""
    with suppress(OSError):
        for i in range(len(data)):
            connection.sendall(data[i : i + 1])
            if stop.wait(0.2):
                return


BODY = json.dumps({"event": "slow", "context": {"text": "x" * 2000}, "actions": DRINKS}).encode()


def test_slow_clients_are_cut_off_while_others_are_answered(service: Service) -> None:
    whole = head(service, Content_Length=len(BODY))
    refused = head(service, key="wrong", Content_Length=len(BODY))
    sent: dict[str, tuple[bytes, bytes]] = {
        "head": (b"", whole + BODY),
        "silent": (b"", b""),
        "body": (whole, BODY),
        "body after a refusal": (refused, BODY),
        "second request": (head(service, "/healthz"), whole + BODY),
    }
    stop = threading.Event()
    with ExitStack() as stack:
        connections = {name: stack.enter_context(connected(service)) for name in sent}
        callers = stack.enter_context(ThreadPoolExecutor(2 * len(sent)))
        stack.callback(stop.set)
        for name, (at_once, slowly) in sent.items():
            connections[name].sendall(at_once)
            callers.submit(drip, connections[name], slowly, stop)
        closed = {name: callers.submit(answered, connection) for name, connection in connections.items()}
        asked = 0
        while not all(future.done() for future in closed.values()):
            asked += 1
            assert service.decide(f"meanwhile {asked}")[0] == 201
            time.sleep(0.2)
    found = {name: future.result() for name, future in closed.items()}
    assert found["head"] == found["silent"] == (0, "")
    assert found["body"] == (408, "timeout")
    assert found["body after a refusal"] == (401, "unauthorized")
    assert found["second request"][0] == 405
    assert asked > 10
    assert service.rows("SELECT 1 FROM events WHERE event = 'slow'") == []


@pytest.mark.parametrize("sent", [0, 1, 30])
def test_half_a_body_decides_nothing(service: Service, sent: int) -> None:
    name = f"half-{sent}"
    body = json.dumps({"actions": DRINKS, "event": name}).encode()
    with connected(service) as connection:
        connection.sendall(head(service, Content_Length=len(body)) + body[:sent])
    assert service.decide("whole of " + name)[0] == 201
    assert service.rows("SELECT 1 FROM events WHERE event = ?", name) == []


def test_half_a_request_resets_nothing(service: Service) -> None:
    with connected(service) as connection:
        connection.sendall(head(service, "/v1/loops/default/reset", Content_Length=2))
    assert service.decide("after half a reset")[0] == 201
    time.sleep(0.5)
    assert service.rows("SELECT 1 FROM inbox UNION ALL SELECT 1 FROM journal WHERE kind = 'reset'") == []


def test_a_declared_gigabyte_is_refused_at_once(service: Service) -> None:
    with connected(service) as connection:
        connection.sendall(head(service, Content_Length=2**30) + b"{")
        assert answered(connection) == (413, "too_large")


def test_a_gigabyte_in_chunks_is_cut_off_and_never_in_memory(service: Service) -> None:
    (worker,) = service.processes()["worker"]
    before = memory(worker)
    chunk = b"%x\r\n" % MEGABYTE + b"x" * MEGABYTE + b"\r\n"
    with connected(service) as connection:
        connection.sendall(head(service, Transfer_Encoding="chunked"))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(1024):
                connection.sendall(chunk)
        assert answered(connection) in ((413, "too_large"), (0, ""))  # a reset may come before the answer
    assert memory(worker) - before < 64 * MEGABYTE


def nested(levels: int, opening: str, inmost: str, closing: str) -> str:
    return opening * levels + inmost + closing * levels


@pytest.mark.parametrize("levels", [40, 400, 900, 970, 975, 980, 985, 990, 1000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_json_is_refused_on_every_way_in(service: Service, levels: int, opening: str, closing: str) -> None:
    deep = nested(levels, opening, "1", closing)
    shallow, excluded = '[{"id":"a"},{"id":"b"}]', f'[{{"id":"a"}},{{"id":"b","x":{deep}}}]'
    bodies = {
        "decide": [
            f'{{"event":"deep","context":{{"x":{deep}}},"actions":{shallow}}}',
            f'{{"event":"deep","context":{{"x":{deep}}},"actions":{shallow},"explore":false}}',
            f'{{"event":"deep","actions":{excluded},"excluded":["b"]}}',
            f'{{"event":"deep","actions":{shallow},"slots":[{{"id":"top","features":{{"x":{deep}}}}}]}}',
            deep,
        ],
        "labels": [f'{{"examples":[{{"context":{{"x":{deep}}},"actions":{shallow},"right":"a"}}]}}', deep],
        "reward": [f'{{"event":"deep","reward":{deep}}}'],
        "evaluate": [f'{{"policies":{deep}}}'],
    }
    for route, several in bodies.items():
        for body in several:
            status, told = service.call("POST", f"default/{route}", body.encode())
            assert (status, told["error"]["code"]) == (400, "bad_request"), (route, body[:80])
    for method, path in (("PATCH", "default/settings"), ("PUT", "other")):
        for body in (f'{{"settings":{deep}}}', f'{{"kind":"described","settings":{{"wait":{deep}}}}}', deep):
            status, told = service.call(method, path, body.encode())
            assert (status, told["error"]["code"]) == (400, "bad_request"), (path, body[:80])
    assert service.rows("SELECT 1 FROM events WHERE event = 'deep'") == []


def test_ten_thousand_actions_are_refused(service: Service) -> None:
    actions = [{"id": str(i)} for i in range(10_000)]
    status, told = service.decide("crowd", actions=actions)
    assert (status, told["error"]["code"]) == (400, "bad_request")
    assert service.call("PUT", "crowd", {"kind": "named", "actions": [one["id"] for one in actions]})[0] == 400
    slots = [{"id": str(i)} for i in range(10_000)]
    assert service.decide("crowd", slots=slots)[0] == 400
    assert service.rows("SELECT 1 FROM events WHERE event = 'crowd'") == []


def test_wrong_keys_by_the_thousand_stop_nobody_else(service: Service) -> None:
    def guess(i: int) -> int:
        return service.call("POST", "default/decide", {"actions": DRINKS}, {"Authorization": f"Bearer {i}"})[0]

    with ThreadPoolExecutor(4) as callers:
        guesses = [callers.submit(guess, i) for i in range(3000)]
        asked = 0
        while not all(future.done() for future in guesses):
            asked += 1
            assert service.decide(f"beside guesses {asked}")[0] == 201
    statuses = {future.result() for future in guesses}
    assert statuses == {401, 429}
    assert asked > 10


def test_a_key_of_any_bytes_is_only_wrong(service: Service) -> None:
    until(lambda: service.call("GET", "/v1/loops", None, {"Authorization": "Bearer x"})[0] == 401)  # not too many now
    for key in (b"\xff\xfe", b"\xc3\xa9", b" ", b"x" * 20_000):
        with connected(service) as connection:
            connection.sendall(b"GET /v1/loops HTTP/1.1\r\nConnection: close\r\n")
            connection.sendall(b"Authorization: Bearer " + key + b"\r\n\r\n")
            assert answered(connection) == (401, "unauthorized")


def test_connections_above_the_limit_are_refused_until_others_close(service: Service) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(connected(service)) for _ in range(Limits().connections + 50)]
        refused = [connection for connection in held[-50:] if answered(connection) == (503, "unavailable")]
        assert len(refused) == 50
        with connected(service) as another:
            another.sendall(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
            assert answered(another) == (503, "unavailable")
        for connection in held[:10]:
            connection.close()
        until(lambda: service.call("GET", "/healthz")[0] == 200)
