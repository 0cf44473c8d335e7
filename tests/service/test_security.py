"""What a caller may do to the service, and what nobody may: keys, roles, limits, and bad input of every kind."""

import asyncio
import re
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serving import Serving
from warmcb.service.app import Application
from warmcb.service.clock import ManualClock
from warmcb.service.http.endpoints import ANY_KEY, ANYBODY, Endpoint
from warmcb.service.http.limits import Limits
from warmcb.service.loops.keys import ADMINISTRATION, ALL_LOOPS, APPLICATION, Key, hash_of
from warmcb.service.processes.supervisor import prepare
from warmcb.service.store import open_store, sqlite

MASTER = "the master's key"
ACTIONS = [{"id": "tea", "hot": True}, {"id": "milk", "hot": False}]
TABLES = ("loops", "settings", "keys", "events", "rewards", "activations", "inbox")
SHOP, NEWS = "/v1/loops/shop", "/v1/loops/news"


class House:
    """The routes of a service in this process, over a store of its own.

    Args:
        folder: of the store.
        limits: of requests.

    """

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self._runner = asyncio.Runner()
        self.path = folder / "store.db"
        self._store = open_store(f"sqlite:///{self.path}")
        self._runner.run(prepare(self._store))
        self._callers = 0
        self._application = self._runner.run(self._made(limits))

    async def _made(self, limits: Limits | None) -> Application:
        return Application(self._store, ManualClock(), Key(hash_of(MASTER), ADMINISTRATION, ALL_LOOPS, 1), limits)

    @property
    def endpoints(self) -> list[Endpoint]:
        return self._application.endpoints

    def ask(
        self, method: str, path: str, key: str | None = MASTER, address: str | None = None, **request: Any
    ) -> httpx.Response:
        """What is answered to somebody at an address of his own, if none is given."""
        headers = {"authorization": f"Bearer {key}"} if key is not None else {}
        headers |= request.pop("headers", {})
        self._callers += 1
        return self._runner.run(
            self._ask(method, path, address or f"caller {self._callers}", headers=headers, **request)
        )

    async def _ask(self, method: str, path: str, address: str, **request: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self._application.router, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.request(method, path, **request)

    def everything(self) -> dict[str, list[Any]]:
        """All that callers can change."""
        with sqlite3.connect(self.path) as database:
            found = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in TABLES}
        database.close()
        return found

    def close(self) -> None:
        self._runner.run(self._store.close())
        self._runner.close()


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[[Limits], House]]:
    made: list[House] = []

    def one(limits: Limits) -> House:
        made.append(House(tmp_path, limits))
        return made[-1]

    yield one
    for house in made:
        house.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("house"))
    assert house.ask("PUT", SHOP, json={"kind": "described"}).status_code == 201
    assert house.ask("PUT", NEWS, json={"kind": "named", "actions": ["sports", "politics"]}).status_code == 201
    yield house
    house.close()


@pytest.fixture(scope="module")
def keys(house: House) -> dict[str, str]:
    """A key of each role, for the shop."""
    found = {}
    for role in (APPLICATION, ADMINISTRATION):
        found[role] = house.ask("POST", f"{SHOP}/keys", json={"role": role, "place": 1}).json()["key"]
    return found


def path_of(endpoint: Endpoint, loop: str = "shop") -> str:
    """An address of a route."""
    values = {"loop": loop, "event": "no-event", "unit": "no-unit", "version": "1", "role": "application", "place": "2"}
    return re.sub(r"{(\w+)(:\w+)?}", lambda found: values[found[1]], endpoint.path)


def refusal(answer: httpx.Response, status: int) -> str:
    """Why: one clear sentence."""
    codes = {400: "bad_request", 401: "unauthorized", 403: "forbidden", 404: "not_found", 405: "bad_method"}
    codes |= {408: "timeout", 409: "conflict", 413: "too_large", 429: "too_many"}
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert list(told) == ["error"]
    assert list(told["error"]) == ["code", "message"]
    assert told["error"]["code"] == codes[status]
    message = str(told["error"]["message"])
    assert 10 < len(message) < 400
    assert "\n" not in message
    assert "Traceback" not in message
    return message


# --- keys


def test_every_route_needs_a_key(house: House) -> None:
    needed = {endpoint.path for endpoint in house.endpoints if endpoint.role != ANYBODY}
    assert {endpoint.path for endpoint in house.endpoints} - needed == {"/healthz", "/readyz"}
    before = house.everything()
    for endpoint in house.endpoints:
        if endpoint.role == ANYBODY:
            assert house.ask(endpoint.method, path_of(endpoint), None).status_code == 200
            continue
        for headers in (
            *({}, {"authorization": ""}, {"authorization": "Bearer "}, {"authorization": "Bearer wrong"}),
            *({"authorization": f"Basic {MASTER}"}, {"ocp-apim-subscription-key": "wrong"}, {"authorization": MASTER}),
        ):
            answer = house.ask(endpoint.method, path_of(endpoint), None, headers=headers)
            assert "key" in refusal(answer, 401)
            assert answer.headers["www-authenticate"] == "Bearer"
    assert house.everything() == before


def test_unknown_addresses_need_a_key_too(house: House) -> None:
    for method, path, status in (
        *(("POST", "/", 405), ("GET", "/v1/loops/", 404), ("GET", "/v1/loops/shop/", 404), ("GET", "/admin", 404)),
        *(
            ("DELETE", "/v1/loops", 405),
            ("GET", f"{SHOP}/decide", 405),
            ("OPTIONS", SHOP, 405),
            ("PUT", "/healthz", 405),
        ),
    ):
        refusal(house.ask(method, path, None), 401)
        refusal(house.ask(method, path), status)


def test_both_headers_carry_a_key(house: House) -> None:
    assert house.ask("GET", "/v1/loops", None, headers={"authorization": f"bearer {MASTER}"}).status_code == 200
    assert house.ask("GET", "/v1/loops", None, headers={"ocp-apim-subscription-key": MASTER}).status_code == 200


def test_it_says_what_a_request_without_a_key_lacks(make: Callable[[Limits], House]) -> None:
    house = make(Limits())
    for sent, expected in (("secret", "the word Bearer is missing"), ("Bearer", "a key is"), ("Basic x", "a key is")):
        assert expected in refusal(house.ask("GET", "/v1/loops", None, headers={"authorization": sent}), 401)
    wrong = house.ask("GET", "/v1/loops", None, headers={"authorization": "Bearer wrong"})
    assert refusal(wrong, 401) == "the key is wrong"


def test_a_refused_method_comes_with_the_right_ones(house: House) -> None:
    assert refusal(house.ask("GET", f"{SHOP}/decide"), 405).endswith("; expected POST")
    assert refusal(house.ask("POST", SHOP), 405).endswith("; expected PUT or GET")


@pytest.mark.slow
def test_roles_do_not_mix(house: House, keys: dict[str, str]) -> None:
    seen = set()
    for endpoint in house.endpoints:
        is_of_a_loop = "{loop}" in endpoint.path
        for role, key in keys.items():
            answer = house.ask(endpoint.method, path_of(endpoint), key, content=b"nothing")
            allowed = endpoint.role in (ANYBODY, ANY_KEY) or (is_of_a_loop and role in (endpoint.role, ADMINISTRATION))
            seen.add((endpoint.role, role, allowed))
            if allowed:
                assert answer.status_code not in (401, 403), (endpoint.path, role)
            else:
                assert role in refusal(answer, 403)
            if is_of_a_loop:
                for other in ("news", "default", "there-is-none"):
                    refusal(house.ask(endpoint.method, path_of(endpoint, other), key), 403)
    assert (APPLICATION, APPLICATION, True) in seen
    assert (ADMINISTRATION, APPLICATION, False) in seen


def test_wrong_keys_are_slowed_down_and_right_ones_are_not(house: House) -> None:
    told = []
    for i in range(300):
        told.append(house.ask("GET", "/v1/loops", f"wrong {i}", "one address"))
        if i % 10 == 0:
            assert house.ask("GET", "/v1/loops", MASTER, "one address").status_code == 200
    statuses = [one.status_code for one in told]
    assert set(statuses) == {401, 429}
    assert set(statuses[:100]) == {401}  # ten seconds' worth
    assert statuses.count(401) < 200  # and ten a second from then on
    assert refusal(told[statuses.index(429)], 429)
    assert told[statuses.index(429)].headers["retry-after"] == "1"
    assert house.ask("GET", "/v1/loops", "wrong", "another address").status_code == 401


def test_a_key_has_a_rate(make: Callable[[Limits], House]) -> None:
    house = make(Limits(rate=0.5))
    statuses = [house.ask("GET", "/openapi.json").status_code for _ in range(20)]
    assert statuses[:5] == [200] * 5
    assert statuses[-1] == 429
    assert house.ask("GET", "/healthz", None).status_code == 200


@pytest.mark.slow
def test_keys_are_neither_stored_nor_logged(tmp_path: Path) -> None:
    secrets = ["a-wrong-key-of-somebody"]
    with Serving(tmp_path, environment={"WARMCB_LOG": "DEBUG"}) as serving:
        secrets.append(serving.key)
        with httpx.Client(base_url=serving.url, headers={"authorization": f"Bearer {serving.key}"}) as http:
            for role in (APPLICATION, ADMINISTRATION):
                answer = http.post("/v1/loops/default/keys", json={"role": role, "place": 1})
                secrets.append(answer.json()["key"])
            for key in secrets:
                headers = {"authorization": f"Bearer {key}", "ocp-apim-subscription-key": key}
                http.post("/v1/loops/default/decide", json={"actions": ACTIONS}, headers=headers)
                http.post("/v1/loops/default/decide", content=b"{", headers=headers)
                http.get(f"/{key}", headers=headers)
        assert serving.stop() == 0
        texts = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(texts["warmcb.db"]) > 10_000
    assert b'"level": "debug"' in texts["stderr.txt"]
    assert [(name, key) for name, text in texts.items() for key in secrets if key.encode() in text] == []
    hashed = hash_of(secrets[-1])
    assert hashed in texts["warmcb.db"]


@pytest.mark.slow
def test_the_first_start_shows_a_key_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WARMCB_KEY", raising=False)
    command = [sys.executable, "-m", "warmcb", "serve", "--port", "0", "--store", f"sqlite:///{tmp_path / 'store.db'}"]
    shown: list[list[str]] = []
    key = ""
    for _ in range(2):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
            assert running.stdout is not None
            lines = [running.stdout.readline()]
            while not lines[-1].startswith("warmcb serves "):
                assert lines[-1], "it has ended"
                lines.append(running.stdout.readline())
            shown.append(lines)
            key = key or lines[0].removeprefix("key: ").strip()
            url = lines[-1].removeprefix("warmcb serves ").strip()
            assert url.startswith("http://127.0.0.1:")
            assert httpx.get(f"{url}/v1/loops", headers={"authorization": f"Bearer {key}"}).status_code == 200
            last = httpx.delete(f"{url}/v1/keys/administration/1", headers={"authorization": f"Bearer {key}"})
            assert "the last administration key" in refusal(last, 409)
            running.terminate()
    assert [len(lines) for lines in shown] == [2, 1]
    assert len(key) == 43
    assert key.encode() not in (tmp_path / "store.db").read_bytes()


# --- limits


def test_bodies_have_a_size(house: House) -> None:
    before = house.everything()
    much = b'{"event": "' + b"x" * 2**20 + b'"}'
    for path in ("decide", "reward", "activate", "keys", "evaluate"):
        answer = house.ask("POST", f"{SHOP}/{path}", content=much)
        assert "1048576" in refusal(answer, 413)
        assert answer.headers["connection"] == "close"
    refusal(house.ask("POST", f"{SHOP}/labels", content=much), 400)  # labels may be larger
    refusal(house.ask("POST", f"{SHOP}/labels", content=b" " * (2**24 + 1)), 413)
    refusal(house.ask("POST", f"{SHOP}/decide", headers={"content-length": str(10**9)}, content=b"{"), 413)
    assert house.everything() == before


async def endless() -> AsyncIterator[bytes]:
    """A body that does not say how long it is."""
    while True:
        yield b" " * 2**16


async def slow() -> AsyncIterator[bytes]:
    yield b"{"
    await asyncio.sleep(60)


def test_a_body_that_goes_on_and_on_is_broken_off(house: House) -> None:
    refusal(house.ask("POST", f"{SHOP}/decide", content=endless()), 413)


def test_a_body_that_comes_too_slowly_is_broken_off(make: Callable[[Limits], House]) -> None:
    answer = make(Limits(seconds=0.05)).ask("POST", "/v1/loops/default/decide", content=slow())
    refusal(answer, 408)
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("depth", [40, 200, 900, 1000, 10_000, 100_000])
@pytest.mark.parametrize("explore", ["true", "false"])
def test_json_that_is_too_deep_is_refused(house: House, depth: int, explore: str) -> None:
    before = house.everything()
    for deep in ("[" * depth + "]" * depth, '{"a":' * depth + "1" + "}" * depth):
        for at, body in (
            ("decide", f'{{"actions": [{{"id": "a", "f": {deep}}}], "explore": {explore}}}'),
            ("decide", f'{{"actions": [{{"id": "a"}}, {{"id": "b", "f": {deep}}}], "excluded": ["b"]}}'),
            ("decide", f'{{"context": {{"f": {deep}}}, "actions": [{{"id": "a"}}], "explore": {explore}}}'),
            ("decide", f'{{"actions": [{{"id": "a"}}], "slots": [{{"id": "s", "features": {{"f": {deep}}}}}]}}'),
            ("labels", f'{{"examples": [{{"context": {{"f": {deep}}}, "actions": [{{"id": "a"}}], "right": "a"}}]}}'),
            ("reward", deep),
        ):
            refusal(house.ask("POST", f"{SHOP}/{at}", content=body), 400)
        refusal(house.ask("PATCH", f"{SHOP}/settings", content=f'{{"wait": {deep}}}'), 400)
    assert house.everything() == before


def test_there_are_limits_on_numbers(house: House) -> None:
    before = house.everything()
    many = [{"id": str(i)} for i in range(10_000)]
    bodies: list[dict[str, Any]] = [
        *({"actions": many[:1001]}, {"actions": many}, {"actions": []}, {"actions": ACTIONS, "slots": []}),
        {"actions": many[:200], "slots": many[:101]},
    ]
    for body in bodies:
        refusal(house.ask("POST", f"{SHOP}/decide", json=body), 400)
    examples = [{"actions": ACTIONS, "right": "tea"}]
    refusal(house.ask("POST", f"{SHOP}/labels", json={"examples": examples * 10_001}), 400)
    refusal(house.ask("PUT", "/v1/loops/many", json={"kind": "named", "actions": [one["id"] for one in many]}), 400)
    assert house.everything() == before
    assert house.ask("POST", f"{SHOP}/decide", json={"actions": many[:1000]}).status_code == 201


# --- bad input

GOOD = {"actions": ACTIONS}
EXAMPLE = {"actions": ACTIONS, "right": "tea"}
NOT_QUITE: list[dict[str, Any]] = [
    {"actions": None}, {"actions": "tea"}, {"actions": ["tea"]}, {"actions": [{}]}, {"actions": [{"id": None}]},
    {"actions": [{"id": ""}]}, {"actions": [{"id": "x" * 257}]}, {"actions": [{"id": 1.5}]},
    {"actions": [{"id": "a"}, {"id": "a"}]}, {"actions": [{"id": "a", "features": 7}]},
    {"actions": [{"id": "a", "x": 1e300}]},
    {"context": []}, {"context": "hour"}, {"context": {"_multi": []}}, {"context": {"_slots": []}},
    {"event": ""}, {"event": "x" * 257}, {"event": 7}, {"event": ["e"]}, {"unit": ""}, {"unit": 7},
    {"allowed": []}, {"allowed": ["water"]}, {"allowed": "tea"}, {"excluded": ["tea", "milk"]},
    {"excluded": ["water"]}, {"excluded": None}, {"baseline": "water"}, {"baseline": "tea", "excluded": ["tea"]},
    {"explore": "no"}, {"explore": 1}, {"deferred": None}, {"deffered": True}, {"probability": 0.5},
    {"slots": "top"}, {"slots": [{}]}, {"slots": [{"id": ""}]}, {"slots": [{"id": "a"}, {"id": "a"}]},
    {"slots": [{"id": "a"}, {"id": "b"}, {"id": "c"}]}, {"slots": [{"id": "a", "features": {"_id": "b"}}]},
    {"slots": [{"id": "a"}], "allowed": ["tea"]}, {"slots": [{"id": "a", "baseline": "water"}]},
]  # fmt: skip
WRONG_LABELS: list[Any] = [
    None, [], [{}], [7], [{**EXAMPLE, "right": "water"}], [{"actions": ACTIONS}], [{"right": "tea"}],
    [{**EXAMPLE, "rewards": {"tea": 1}}], [EXAMPLE, {"actions": ACTIONS, "done": "tea", "reward": 1.0}],
    [{"actions": ACTIONS, "done": "tea"}], [{"actions": ACTIONS, "rewards": {"tea": 1e13}}],
    [{"actions": ACTIONS, "rewards": {}}], [{**EXAMPLE, "actions": [{"id": "tea", "price": 1e300}]}],
]  # fmt: skip
WRONG: dict[str, list[Any]] = {
    f"POST {SHOP}/decide": [b"", b"{", b"nul", b"\xff\xfe", b"[]", b"null", b"1", b'"x"', b"{} {}"]
    + [GOOD | more for more in NOT_QUITE],
    f"POST {NEWS}/decide": [GOOD, {"allowed": ["weather"]}],
    f"POST {SHOP}/reward": [
        {}, {"event": "e"}, {"reward": 1.0}, {"event": "e", "reward": "much"}, {"event": "e", "reward": None},
        {"event": "e", "reward": True}, {"event": "", "reward": 1.0}, {"event": "e", "reward": 1e13},
        {"event": "e", "reward": 1.0, "slot": "s" * 257}, {"event": "e", "reward": 1.0, "value": 1.0},
        b'{"event": "e", "reward": NaN}', b'{"event": "e", "reward": 1e999}', b'{"event": "e", "reward": Infinity}',
    ],
    f"POST {SHOP}/activate": [
        {}, {"event": None}, {"event": ""}, {"event": "e", "when": 1}, {"event": "e", "\n" * 1000: 1},
    ],
    f"POST {SHOP}/labels": [{"examples": examples} for examples in WRONG_LABELS]
    + [{"examples": [EXAMPLE], "source": ""}],
    **{f"PUT /v1/loops/{name}": [{"kind": "described"}] for name in ("x" * 65, "a%20b", "a%00b", "%C3%A9", "a'b")},
    "PUT /v1/loops/fresh": [
        {}, {"kind": "other"}, {"kind": "named"}, {"kind": "named", "actions": ["a"]},
        {"kind": "named", "actions": ["a", "a"]}, {"kind": "named", "actions": ["a", "b\0"]},
        {"kind": "described", "actions": ["a", "b"]}, {"kind": "described", "encoder": {"bits": 40}},
        {"kind": "described", "encoder": {"text": ["x"], "categories": ["x"]}},
        {"kind": "described", "encoder": {"now": ""}}, {"kind": "described", "settings": {"wait": -1}},
        {"kind": "described", "settings": {"reward_range": [0, 1e300]}}, {"kind": "described", "size": 1},
    ],
    f"POST {NEWS}/actions": [{}, {"name": ""}, {"name": 7}, {"name": "x" * 257}, {"name": "a\0"}],
    f"PATCH {SHOP}/settings": [{"x\n" * 1000: 1}, [], "wait", {"wait": "1"}, {"Wait": 1}, {"epsilon": -0.1}],
    f"POST {SHOP}/keys": [
        {}, {"role": "application"}, {"role": "root", "place": 1}, {"role": "application", "place": 3},
        {"role": "application", "place": True},
    ],
    f"POST {SHOP}/evaluate": [
        {}, {"policies": []}, {"policies": "uniform"}, {"policies": ["best"]}, {"policies": ["uniform"] * 9},
        {"policies": ["uniform"], "level": 1}, {"policies": ["uniform"], "model": "deep"},
        {"policies": ["uniform"], "since": "yesterday"}, {"policies": ["uniform"]},  # of an empty log
    ],
    **{f"GET {SHOP}/{at}": [b""] for at in (
        "events?limit=0", "events?limit=1001", "events?limit=-1", "events?limit=x", "events?before=0", "events?page=2",
        "log?format=csv", "log?since=yesterday", "log?until=", "settings?x=1",
    )},
}  # fmt: skip
BAD = [(route, body) for route, bodies in WRONG.items() for body in bodies]


@pytest.mark.slow
@pytest.mark.parametrize(("route", "body"), BAD, ids=lambda value: str(value)[:60])
def test_bad_input_is_refused_and_changes_nothing(house: House, route: str, body: Any) -> None:
    before = house.everything()
    method, path = route.split()
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    refusal(house.ask(method, path, content=content), 400)
    assert house.everything() == before


def test_the_name_of_a_delivery_has_a_length(house: House) -> None:
    body = {"event": "delivered", "reward": 1.0}
    for name in ("", "x" * 257):
        assert "Idempotency-Key" in refusal(
            house.ask("POST", f"{SHOP}/reward", json=body, headers={"idempotency-key": name}), 400
        )
    for name in ("x" * 256, "'; DROP TABLE rewards; --"):
        for status in ("early", "repeated"):
            answer = house.ask("POST", f"{SHOP}/reward", json=body, headers={"idempotency-key": name})
            assert answer.json()["status"] == status


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(["tea", "milk", "sports", "politics", "", "e", "model"])
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "event": NAMES | st.text(max_size=300),
    "context": st.dictionaries(st.text(max_size=8), JSON, max_size=4),
    "actions": st.lists(st.fixed_dictionaries({"id": NAMES}, optional={"features": JSON, "x": JSON}), max_size=3)
    | st.lists(NAMES, max_size=3),
    "allowed": st.lists(NAMES, max_size=3),
    "excluded": st.lists(NAMES, max_size=3),
    "slots": st.lists(st.fixed_dictionaries({"id": NAMES}, optional={"features": JSON, "allowed": JSON}), max_size=3),
    "explore": st.booleans(),
    "reward": st.floats(),
    "examples": st.lists(
        st.fixed_dictionaries(
            {"context": JSON},
            optional={"right": NAMES, "rewards": JSON, "done": NAMES, "reward": JSON, "actions": JSON},
        ),
        max_size=3,
    ),
    "kind": st.sampled_from(["described", "named"]),
    "encoder": st.fixed_dictionaries(
        {}, optional={"bits": JSON, "text": JSON, "categories": JSON, "now": JSON, "known": JSON}
    ),
    "role": st.sampled_from(["application", "administration"]),
    "place": st.integers(0, 3),
    "name": NAMES,
    "wait": st.floats(),
    "reward_range": st.lists(st.floats(), max_size=3),
    "policies": st.lists(NAMES | st.sampled_from(["version:1", "greedy:/etc/passwd", "os:system"]), max_size=3),
}
ROUTES = [
    *(("POST", f"{loop}/{at}") for loop in (SHOP, NEWS) for at in ("decide", "reward", "activate", "labels")),
    *(("POST", f"{SHOP}/{at}") for at in ("keys", "evaluate")),
    *(("POST", f"{NEWS}/actions"), ("PATCH", f"{SHOP}/settings"), ("PUT", "/v1/loops/anything")),
]


def given_fields(data: st.DataObject, wanted: type[Any] | None) -> Any:
    """A body with the fields of a route, more or less right."""
    names = [name for name in getattr(wanted, "__struct_fields__", FIELDS) if name in FIELDS]
    return data.draw(st.fixed_dictionaries({}, optional={name: FIELDS[name] | JSON for name in names}))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), ROUTES)
@settings(max_examples=60)
@given(data=st.data())
def test_no_body_is_an_error_of_ours(house: House, method: str, path: str, data: st.DataObject) -> None:
    wanted = next(
        one.body for one in house.endpoints if one.method == method and path_of(one, path.split("/")[3]) == path
    )
    body = data.draw(st.sampled_from(["any", "nearly", "bytes"]))
    if body == "bytes":
        content = data.draw(st.binary(max_size=50))
    else:
        content = msgspec.json.encode(data.draw(JSON) if body == "any" else given_fields(data, wanted))
    before = house.everything()
    answer = house.ask(method, path, content=content)
    if answer.is_success:
        answer.json()
    else:
        assert answer.status_code in (400, 404, 409)
        refusal(answer, answer.status_code) if answer.status_code != 409 else None
        assert house.everything() == before


# --- names

STRANGE = [
    *("'", '"', "'; DROP TABLE events; --", "' OR '1'='1", "%", "_", "\\", "\1", "$1", "?1", ":x"),
    *("😀", "é", "e\u0301", "\u202e", "\n", " ", "/", "..", "../../etc/passwd", "a/b/c", "null", "x" * 256, "😀" * 256),
]


def address(name: str) -> str:
    return quote(name, safe="").replace(".", "%2E")


def check_name(house: House, name: str) -> None:
    """A name goes through all routes that take one, and comes back as it was."""
    body = {"event": name, "unit": name, "actions": [{"id": name}], "context": {name: name}, "baseline": name}
    assert house.ask("POST", f"{SHOP}/reward", json={"event": name, "reward": 1.0}).json()["status"] == "early"
    told = house.ask(
        "POST", f"{SHOP}/decide", json=body | {"slots": [{"id": name, "baseline": name}], "baseline": None}
    )
    assert (told.status_code, told.json()["event"]) == (201, name)
    assert [(one["id"], one["action"]) for one in told.json()["slots"]] == [(name, name)]
    assert house.ask("POST", f"{SHOP}/reward", json={"event": name, "slot": name, "reward": 1.0}).json() == {
        "event": name,
        "status": "kept",
    }
    shown = house.ask("GET", f"{SHOP}/events/{address(name)}").json()
    assert (shown["event"], shown["unit"], shown["context"]) == (name, name, {name: name})
    assert shown["actions"] == [{"id": name}]
    listed = house.ask("GET", f"{SHOP}/events", params={"unit": name}).json()["events"]
    assert [one["event"] for one in listed] == [name]
    assert house.ask("DELETE", f"{SHOP}/units/{address(name)}").json() == {"deleted": 1}
    assert refusal(house.ask("GET", f"{SHOP}/events/{address(name)}"), 404)


@pytest.mark.parametrize("name", STRANGE, ids=range(len(STRANGE)))
def test_strange_names_are_names(house: House, name: str) -> None:
    check_name(house, name)


@pytest.mark.slow
@settings(max_examples=50)
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=256))
def test_all_names_are_names(house: House, name: str) -> None:
    check_name(house, name)


@pytest.mark.parametrize("name", ["\0", "a\0b"])
def test_nul_characters_are_refused(house: House, name: str) -> None:
    before = house.everything()
    tea = {"actions": [{"id": "tea"}]}
    for path, body in (
        ("decide", {"event": name, **tea}),
        ("decide", {"event": "e", "unit": name, **tea}),
        ("decide", {"event": "e", "slots": [{"id": name}], **tea}),
        ("reward", {"event": name, "reward": 1.0}),
        ("reward", {"event": "e", "slot": name, "reward": 1.0}),
        ("activate", {"event": name}),
    ):
        assert refusal(house.ask("POST", f"{SHOP}/{path}", json=body), 400)
    assert refusal(house.ask("GET", f"{SHOP}/events/{address(name)}"), 400)
    assert refusal(house.ask("GET", f"{SHOP}/events", params={"unit": name}), 400)
    assert refusal(house.ask("DELETE", f"{SHOP}/units/{address(name)}"), 400)
    assert house.everything() == before


def test_names_never_become_sql(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    in_sqlite = sqlite._in_sqlite

    def listening(sql: str) -> str:
        said.append(sql)
        return in_sqlite(sql)

    monkeypatch.setattr(sqlite, "_in_sqlite", listening)
    check_name(house, "zebra'")
    house.ask("GET", "/v1/loops/zebra'")
    house.ask("POST", f"{SHOP}/labels", json={"examples": [EXAMPLE], "source": "zebra'"})
    house.ask("PUT", "/v1/loops/zebra", json={"kind": "named", "actions": ["zebra'", "b"]})
    house.ask("DELETE", f"{SHOP}/keys/zebra'/1")
    assert len(said) > 20
    assert [sql for sql in said if "zebra" in sql] == []


@pytest.mark.parametrize("escape", [rb"\ud800", rb"\udc00", rb"\ud800x", rb"a\udfff\ud800"])
def test_halves_of_characters_are_refused(house: House, escape: bytes) -> None:
    before = house.everything()
    for body in (
        *(
            b'{"event": "%s", "actions": [{"id": "a"}]}',
            b'{"actions": [{"id": "%s"}]}',
            b'{"actions": [{"id": "a", "%s": 1}]}',
        ),
        *(b'{"context": {"a": "%s"}, "actions": [{"id": "a"}]}', b'{"unit": "%s", "actions": [{"id": "a"}]}'),
    ):
        refusal(house.ask("POST", f"{SHOP}/decide", content=body % escape), 400)
    assert house.everything() == before


def test_bytes_that_are_no_text_in_an_address(house: House) -> None:
    for at in ("events/%FF%FE", "events/%ED%A0%80", "events?unit=%FF", "models/%FF"):
        assert house.ask("GET", f"{SHOP}/{at}").status_code in (200, 404, 405)


# --- headers


def test_headers_of_answers(house: House) -> None:
    for answer in (house.ask("GET", "/v1/loops"), house.ask("GET", "/nowhere"), house.ask("GET", "/healthz", None)):
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        assert int(answer.headers["content-length"]) == len(answer.content)


def test_an_error_of_ours_is_told_as_json_and_logged(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("secret details")

    monkeypatch.setattr("warmcb.service.routes.serving.decide", fails)
    before = house.everything()
    answer = house.ask("POST", f"{SHOP}/decide", json=GOOD)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "secret details" in caplog.text
    assert house.everything() == before
