"""The client: what it sends, what it tries again, what it says when it gives up."""

import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import numpy as np
import pytest

from small_service import DESCRIBED, PIECES, SmallService
from warmcb.client import Client, Estimate
from warmcb.errors import InputError, ServiceError

Service = Callable[[httpx.Request], httpx.Response]

ANSWER = {
    "event": "e",
    "action": "a",
    "probability": 0.75,
    "probabilities": {"a": 0.75, "b": 0.25},
    "arm": "model",
    "model": 3,
    "settings": 1,
    "time": "2026-11-18T12:00:00.000001Z",
    "due": "2026-11-18T12:10:00.000001Z",
    "later": "a field that this client does not know",
}
KEPT = {"event": "e", "status": "kept"}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Nobody sleeps; how long it would have been."""
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    return slept


class Recorder:
    """A service that answers one thing after the other, the last one again and again, and keeps the requests."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests]


def client_of(service: Service, **settings: Any) -> Client:
    return Client("http://service", key="secret", transport=httpx.MockTransport(service), **settings)


def refusal(status: int, code: str, message: str = "no") -> httpx.Response:
    return httpx.Response(status, json={"error": {"code": code, "message": message}})


def test_a_decision_is_sent_as_the_contract_says() -> None:
    service = Recorder(httpx.Response(201, json=ANSWER))
    answer = client_of(service, loop="news").decide(
        {"hour": np.float32(9), "vector": np.array([1.0, 2.0])},
        [{"id": "a", "price": np.int64(2)}, {"id": "b"}],
        event="e",
        allowed=("a", "b"),
        excluded=iter("c"),
        unit="user-7",
        explore=False,
        baseline="b",
        deferred=True,
    )
    (request,) = service.requests
    assert (request.method, request.url.path) == ("POST", "/v1/loops/news/decide")
    assert request.headers["authorization"] == "Bearer secret"
    assert service.bodies() == [
        {
            "event": "e",
            "context": {"hour": 9, "vector": [1, 2]},
            "actions": [{"id": "a", "price": 2}, {"id": "b"}],
            "allowed": ["a", "b"],
            "excluded": ["c"],
            "unit": "user-7",
            "explore": False,
            "baseline": "b",
            "deferred": True,
        }
    ]
    assert (answer.event, answer.action, answer.probability, answer.model) == ("e", "a", 0.75, 3)
    assert answer.probabilities == {"a": 0.75, "b": 0.25}
    assert answer.due == datetime(2026, 11, 18, 12, 10, 0, 1, tzinfo=UTC)


def test_slots() -> None:
    slot = {"id": "top", "action": "a", "probability": 1.0, "probabilities": {"a": 1.0}}
    plain = {name: ANSWER[name] for name in ("event", "arm", "model", "settings", "time", "due")}
    service = Recorder(httpx.Response(201, json={**plain, "slots": [slot]}))
    answer = client_of(service).decide_slots([{"id": "top"}], actions=[{"id": "a"}], event="e")
    assert [(one.id, one.action) for one in answer.slots] == [("top", "a")]
    assert service.bodies() == [{"event": "e", "actions": [{"id": "a"}], "slots": [{"id": "top"}]}]


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("refused"),
        httpx.ReadError("reset"),
        httpx.RemoteProtocolError("closed"),
        httpx.ReadTimeout("slow"),
        refusal(503, "unavailable"),
    ],
    ids=["connect", "read", "closed", "timeout", "503"],
)
def test_what_is_tried_again_has_the_same_identity(failure: httpx.Response | Exception, pauses: list[float]) -> None:
    deciding = Recorder(failure, failure, httpx.Response(200, json=ANSWER))
    client_of(deciding).decide({"hour": 9})
    events = [body["event"] for body in deciding.bodies()]
    assert len(events) == 3
    assert len(set(events)) == 1
    assert len(events[0]) == 32
    rewarding = Recorder(failure, failure, httpx.Response(200, json=KEPT))
    client_of(rewarding).reward("e", 1)
    keys = [request.headers["idempotency-key"] for request in rewarding.requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert len(pauses) == 4


def test_two_calls_have_two_identities() -> None:
    service = Recorder(httpx.Response(201, json=ANSWER))
    client = client_of(service)
    client.decide()
    client.decide()
    assert len({body["event"] for body in service.bodies()}) == 2
    service = Recorder(httpx.Response(200, json=KEPT))
    client = client_of(service)
    client.reward("e", 1.0)
    client.reward("e", 1.0)
    client.reward("e", 1.0, key="mine", slot="top")
    keys = [request.headers["idempotency-key"] for request in service.requests]
    assert len(set(keys)) == 3
    assert keys[2] == "mine"
    assert service.bodies()[2] == {"event": "e", "reward": 1.0, "slot": "top"}


def test_it_gives_up_in_the_end(pauses: list[float]) -> None:
    service = Recorder(refusal(503, "unavailable", "the store is full"))
    with pytest.raises(ServiceError, match=r"^the store is full$") as caught:
        client_of(service, retries=7).activate("e")
    assert (caught.value.status, caught.value.code) == (503, "unavailable")
    assert len(service.requests) == 8
    assert len(pauses) == 7
    for number, pause in enumerate(pauses):
        longest = min(0.1 * 2**number, 2.0)
        assert longest / 2 <= pause <= longest


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 429, 500])
def test_a_refusal_is_final(status: int, pauses: list[float]) -> None:
    service = Recorder(refusal(status, "a_code", "epsilon is 2; expected 0 to 1"))
    with pytest.raises(ServiceError, match=r"^epsilon is 2; expected 0 to 1$") as caught:
        client_of(service).change_settings(epsilon=2)
    assert (caught.value.status, caught.value.code) == (status, "a_code")
    assert len(service.requests) == 1
    assert pauses == []


def test_labels_are_sent_once(pauses: list[float]) -> None:
    done = httpx.Response(200, json={"accepted": 1, "entry": 4})
    unsent = Recorder(httpx.ConnectError("refused"), done)
    assert client_of(unsent).labels([{"right": "a"}], source="editors").accepted == 1
    assert unsent.bodies()[1] == {"examples": [{"right": "a"}], "source": "editors"}
    for failure in (httpx.ReadError("reset"), refusal(503, "unavailable")):
        perhaps = Recorder(failure, done)
        with pytest.raises(ServiceError):
            client_of(perhaps).labels([{"right": "a"}])
        assert len(perhaps.requests) == 1


def test_errors_without_an_answer_say_so() -> None:
    for failure, code in (
        (httpx.ConnectError("Connection refused"), "unreachable"),
        (httpx.ReadTimeout("slow"), "timeout"),
        (httpx.ReadError("reset"), "interrupted"),
    ):
        with pytest.raises(ServiceError, match="http://service") as caught:
            client_of(Recorder(failure), retries=0).loop()
        assert (caught.value.status, caught.value.code) == (None, code)
        assert "\n" not in str(caught.value)
        copy = pickle.loads(pickle.dumps(caught.value))
        assert (str(copy), copy.status, copy.code) == (str(caught.value), None, code)


def test_strangers_are_told_from_the_service() -> None:
    with pytest.raises(ServiceError, match="answered 502 Bad Gateway") as caught:
        client_of(Recorder(httpx.Response(502, text="<html>"))).loop()
    assert (caught.value.status, caught.value.code) == (502, "unknown")
    with pytest.raises(ServiceError, match="does not answer as warmcb serve does") as caught:
        client_of(Recorder(httpx.Response(200, text="<html>"))).loop()
    assert caught.value.code == "unreadable"


@pytest.mark.parametrize("name", ["a/b", "é ü", "..", ".", "100%", "a?b#c", "a%2Fb"])
def test_any_event_id_is_one_segment_of_the_path(name: str) -> None:
    service = Recorder(httpx.Response(202, json={"deleted": 1}))
    assert client_of(service).delete_event(name) == 1
    (request,) = service.requests
    assert request.url.raw_path.count(b"/") == 5
    assert request.url.raw_path.isascii()
    assert request.url.path == f"/v1/loops/default/events/{name}"


def test_events_come_page_by_page() -> None:
    event = {
        "event": "e",
        "time": "2026-11-18T12:00:00.000001Z",
        "due": "2026-11-18T12:10:00.000001Z",
        "unit": "e",
        "arm": "model",
        "model": 3,
        "settings": 1,
        "context": {},
        "actions": [],
        "slots": [],
        "deferred": False,
        "activated": False,
        "joined": None,
    }
    service = Recorder(
        httpx.Response(200, json={"events": [event, event], "next": 17}),
        httpx.Response(200, json={"events": [event], "next": None}),
    )
    events = client_of(service).events(unit="user/7")
    assert service.requests == []
    assert [one.event for one in events] == ["e"] * 3
    assert [dict(request.url.params) for request in service.requests] == [
        {"limit": "100", "unit": "user/7"},
        {"limit": "100", "unit": "user/7", "before": "17"},
    ]


def test_a_download_replaces_its_file_when_all_has_come(tmp_path: Path, pauses: list[float]) -> None:
    target = tmp_path / "log.dsjson"
    target.write_text("old")

    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            yield b"half"
            raise httpx.ReadError("reset")

    service = Recorder(httpx.Response(200, stream=Broken()), httpx.Response(200, stream=Broken()))
    with pytest.raises(ServiceError, match="broke off"):
        client_of(service, retries=1).download_log(target)
    assert len(service.requests) == 2
    assert target.read_text() == "old"
    with pytest.raises(ServiceError, match=r"^no$"):
        client_of(Recorder(refusal(404, "not_found"))).download_log(target)
    since = datetime(2026, 11, 18, tzinfo=UTC)
    service = Recorder(httpx.Response(200, content=b"new"))
    assert client_of(service).download_log(target, "parquet", since=since) == target
    assert target.read_text() == "new"
    assert dict(service.requests[0].url.params) == {"format": "parquet", "since": "2026-11-18T00:00:00+00:00"}
    assert list(tmp_path.iterdir()) == [target]


def test_bad_arguments_send_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARMCB_KEY", raising=False)
    with pytest.raises(InputError, match="key is missing; expected one, here or in WARMCB_KEY"):
        Client()
    with pytest.raises(InputError, match="key has characters"):
        Client(key="a\nb")
    with pytest.raises(InputError, match="url is 'localhost:8801'"):
        Client("localhost:8801", key="k")
    with pytest.raises(InputError, match="timeout is 0"):
        Client(key="k", timeout=0)
    with pytest.raises(InputError, match="retries is -1"):
        Client(key="k", retries=-1)
    service = Recorder(httpx.Response(200, json=KEPT))
    client = client_of(service)
    with pytest.raises(InputError, match="reward is nan"):
        client.reward("e", float("nan"))
    with pytest.raises(InputError, match="a request holds <object"):
        client.decide({"thing": object()})
    with pytest.raises(InputError, match="a list is 'tea'"):
        client.decide(allowed="tea")
    with pytest.raises(InputError, match=r"since is .* expected a time with a time zone"):
        client.evaluate(["uniform"], since=datetime(2026, 11, 18))
    assert service.requests == []


def test_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARMCB_KEY", "from-there")
    service = Recorder(httpx.Response(200, json={"loops": []}))
    assert Client(transport=httpx.MockTransport(service)).loops() == []
    assert str(service.requests[0].url) == "http://127.0.0.1:8801/v1/loops"
    assert service.requests[0].headers["authorization"] == "Bearer from-there"
    monkeypatch.setenv("WARMCB_URL", "https://elsewhere:1/below/")
    client = Client(transport=httpx.MockTransport(service))
    client.loops()
    assert str(service.requests[1].url) == "https://elsewhere:1/below/v1/loops"
    assert repr(client) == "Client('https://elsewhere:1/below', loop='default')"


@pytest.mark.slow
def test_without_httpx_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['httpx'] = None\nimport warmcb.client"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    message = "warmcb.errors.MissingDependencyError: httpx is missing; the client needs: pip install 'warmcb[serve]'"
    assert done.stderr.strip().splitlines()[-1] == message


def test_it_waits_until_something_is_learned(pauses: list[float]) -> None:
    service = Recorder(*(loop_with(version) for version in (0, 3, 4, 9)))
    client_of(service).wait_until_learned(4)
    assert (len(service.requests), len(pauses)) == (3, 3)  # the last pause is for workers, which take the model up


@pytest.mark.parametrize(("pinned", "told"), [(False, "version 3 decides"), (True, "pinned until it is released")])
def test_it_does_not_wait_for_ever(pinned: bool, told: str, pauses: list[float]) -> None:
    with pytest.raises(ServiceError, match=f"entry 4 was not learned within 0 seconds: .*{told}") as caught:
        client_of(Recorder(loop_with(3, pinned))).wait_until_learned(4, timeout=0)
    assert caught.value.code == "timeout"


def loop_with(version: int, pinned: bool = False) -> httpx.Response:
    """A loop whose model has a version."""
    now = ANSWER["time"]
    counts = dict.fromkeys(("events", "waiting", "joined", "rewards", "late"), 0)
    loop = {"loop": "default", "kind": "described", "actions": None, "encoder": {}, "made": now, "settings": {}}
    return httpx.Response(
        200, json=loop | {"model": {"version": version, "pinned": pinned, "time": now}, "counts": counts}
    )


def test_a_wrong_key_is_told_with_its_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Recorder(refusal(401, "unauthorized", "the key is wrong"))
    monkeypatch.setenv("WARMCB_KEY", "secret")
    for client, origin in (
        (client_of(wrong), "the argument key"),
        (Client("http://service", transport=httpx.MockTransport(wrong)), "the environment variable WARMCB_KEY"),
    ):
        with pytest.raises(ServiceError) as caught:
            client.loop()
        assert str(caught.value) == f"the key is wrong; it is that of {origin}"


@pytest.mark.slow
def test_estimates_that_need_more_decisions_are_none(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED, wait=10.0)
        played = service.decide("only", actions=PIECES)["action"]
        service.reward("only", 1.0)
        service.train_after(20.0)
        other = next(f"always:{piece['id']}" for piece in PIECES if piece["id"] != played)
        told = msgspec.json.encode(service.evaluate("logged", "uniform", other))
    found = client_of(Recorder(httpx.Response(200, content=told))).evaluate(["logged", "uniform", other])
    assert found.policies["logged"].estimates["ips"] == Estimate(value=1.0, low=None, high=None)
    assert found.policies[other].estimates["snips"] == Estimate(value=None, low=None, high=None)
