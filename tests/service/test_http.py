"""Every route of the service over HTTP, with the real processes: what is answered, and what becomes of it."""

import asyncio
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import polars as pl
import pytest
from openapi_spec_validator import validate
from prometheus_client.parser import text_string_to_metric_families

import warmcb
from serving import Serving
from tests.support.vowpal_wabbit import counted
from warmcb.logs import Event, open_log
from warmcb.service.app import Application
from warmcb.service.clock import ManualClock
from warmcb.service.loops import versions
from warmcb.service.loops.keys import ADMINISTRATION, ALL_LOOPS, Key, hash_of
from warmcb.service.loops.settings import APPLIES
from warmcb.service.processes.supervisor import prepare
from warmcb.service.store import open_store

pytestmark = pytest.mark.slow

PATIENCE = 60.0
VERSION = 61  # of the loop that has learned: 60 events, and a change of settings
QUICK = {"wait": 1.0, "publish_seconds": 0.1}
DRINKS: list[dict[str, Any]] = [
    {"id": "tea", "hot": True, "price": 2.0},
    {"id": "milk", "hot": False, "price": 1.0},
    {"id": "beer", "hot": False, "price": 4.0},
]


class Loop:
    """A loop, as its callers see it.

    Args:
        http: speaks to the service.
        name: of the loop.
        body: makes it.

    """

    def __init__(self, http: httpx.Client, name: str, **body: Any) -> None:
        self.http, self.path = http, f"/v1/loops/{name}"
        assert http.put(self.path, json=body or {"kind": "described"}).status_code in (200, 201)

    def ask(self, method: str, at: str = "", status: int = 200, **request: Any) -> Any:
        """What is answered, which has to have a status."""
        answer = self.http.request(method, self.path + at, **request)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def refused(self, method: str, at: str, status: int, **request: Any) -> str:
        """Why something is refused."""
        told = self.ask(method, at, status, **request)
        codes = {400: "bad_request", 403: "forbidden", 404: "not_found", 409: "conflict"}
        assert (list(told), list(told["error"])) == (["error"], ["code", "message"])
        assert told["error"]["code"] == codes[status]
        return str(told["error"]["message"])

    def decide(self, event: str | None = None, status: int = 201, **body: Any) -> Any:
        return self.ask(
            "POST", "/decide", status, json={"actions": DRINKS} | body | ({"event": event} if event else {})
        )

    def reward(self, event: str, reward: float, key: str | None = None, **body: Any) -> str:
        headers = {"idempotency-key": key} if key else {}
        told = self.ask("POST", "/reward", json={"event": event, "reward": reward, **body}, headers=headers)
        assert told["event"] == event
        return str(told["status"])

    def counts(self) -> Any:
        return self.ask("GET")["counts"]

    def download(self, path: Path, **query: str) -> list[Event]:
        answer = self.http.get(f"{self.path}/log", params=query)
        assert answer.status_code == 200
        path.write_bytes(answer.content)
        return list(open_log(path).events())


def until(is_so: Callable[[], Any]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("service")) as serving:
        yield serving
        assert '"level": "error"' not in serving.errors()


@pytest.fixture(scope="module")
def http(serving: Serving) -> Iterator[httpx.Client]:
    with speaking(serving, serving.key) as client:
        yield client


def speaking(serving: Serving, key: str) -> httpx.Client:
    return httpx.Client(base_url=serving.url, headers={"authorization": f"Bearer {key}"}, timeout=PATIENCE)


@pytest.fixture(scope="module")
def default(http: httpx.Client) -> Loop:
    """The loop that is always there."""
    return Loop(http, "default")


@pytest.fixture(scope="module")
def learned(http: httpx.Client) -> Loop:
    """A loop that has learned from 60 events, of which ten were not drawn and five never took place."""
    loop = Loop(http, "learned", kind="described", settings=QUICK)
    for i in range(60):
        options: dict[str, Any] = {"explore": False} if i < 10 else {"deferred": True} if i < 15 else {}
        if i % 3 == 0:
            options |= {"excluded": ["beer"]}
        told = loop.decide(
            f"{i:02}/é", context={"hour": i % 24, "who": {"age": 20 + i}}, unit=f"user {i % 7}", **options
        )
        if i % 2:
            loop.reward(told["event"], float(told["action"] == "tea"))
    until(lambda: loop.counts()["joined"] == 60)
    loop.ask("PATCH", "/settings", json={"wait": 86400.0})  # nothing more is learned
    until(lambda: loop.ask("GET", "/models")["models"])
    until(lambda: loop.ask("GET", "/models")["models"][0]["version"] == VERSION == loop.decide()["model"])
    return loop


def test_health_needs_no_key(serving: Serving) -> None:
    assert httpx.get(f"{serving.url}/healthz").json() == {"status": "ok"}
    assert httpx.get(f"{serving.url}/readyz").json() == {"status": "ready"}


# --- decisions


def test_a_decision(default: Loop) -> None:
    told = default.decide("first", context={"hour": 9}, unit="user-7")
    assert list(told) == [
        *("event", "action", "probability", "probabilities", "arm", "model", "settings", "time", "due")
    ]
    assert (told["event"], told["arm"], told["settings"]) == ("first", "model", 1)
    assert list(told["probabilities"]) == ["tea", "milk", "beer"]
    assert sum(told["probabilities"].values()) == pytest.approx(1)
    assert told["probability"] == told["probabilities"][told["action"]]
    waits = datetime.fromisoformat(told["due"]) - datetime.fromisoformat(told["time"])
    assert waits.total_seconds() == 600
    assert told["time"].endswith("Z")
    assert len(told["time"]) == len("2026-11-18T12:00:00.000000Z")


def test_a_repeated_id_gets_the_stored_answer(default: Loop) -> None:
    told = default.decide("again")
    assert default.decide("again", 200) == told
    assert default.decide("again", 200, actions=[{"id": "water"}], explore=False) == told
    assert default.decide()["event"] != default.decide()["event"]


def test_some_actions_may_not_be_played(default: Loop) -> None:
    for _ in range(5):
        assert default.decide(allowed=["milk"])["probabilities"] == {"tea": 0.0, "milk": 1.0, "beer": 0.0}
        told = default.decide(allowed=["milk", "tea"], excluded=["tea"])
        assert (told["action"], told["probability"]) == ("milk", 1.0)
        told = default.decide(excluded=["milk"])
        assert told["probabilities"]["milk"] == 0
        assert told["probabilities"]["tea"] + told["probabilities"]["beer"] == pytest.approx(1)


def test_not_to_explore_is_recorded(learned: Loop) -> None:
    told = learned.decide(explore=False)
    assert (told["arm"], told["probability"], told["model"]) == ("not explored", 1.0, VERSION)
    assert told["action"] == learned.decide(explore=False, baseline="beer")["action"]  # there is a model
    allowed = learned.decide(explore=False, excluded=[told["action"]])
    assert allowed["action"] != told["action"]


def test_without_a_model_in_time_the_baseline_is_played(tmp_path: Path) -> None:
    """A loop of which nothing is published."""

    async def ask() -> list[Any]:
        store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
        await prepare(store)
        async with store.transaction() as database:
            await database.execute("DELETE FROM published")
        application = Application(store, ManualClock(), Key(hash_of("secret"), ADMINISTRATION, ALL_LOOPS, 1))
        headers = {"authorization": "Bearer secret"}
        transport = httpx.ASGITransport(application.router)
        async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
            path = "/v1/loops/default/decide"
            bodies: list[dict[str, Any]] = [{}, {"baseline": "milk"}, {"excluded": ["tea"]}, {"explore": False}]
            told = [(await client.post(path, json={"actions": DRINKS} | body)).json() for body in bodies]
        await store.close()
        return told

    told = asyncio.run(ask())
    assert [one["action"] for one in told] == ["tea", "milk", "milk", "tea"]
    assert {(one["arm"], one["probability"], one["model"]) for one in told} == {("fallback", 1.0, 0)}


def test_slots(default: Loop) -> None:
    slots = [
        {"id": "top", "features": {"size": 2}},
        {"id": "side", "excluded": ["tea"]},
        {"id": "foot", "allowed": ["tea", "beer", "milk"], "baseline": "milk"},
    ]
    told = default.decide("page", slots=slots)
    assert [slot["id"] for slot in told["slots"]] == ["top", "side", "foot"]
    assert {slot["action"] for slot in told["slots"]} == {"tea", "milk", "beer"}
    for slot in told["slots"]:
        assert sum(slot["probabilities"].values()) == pytest.approx(1)
        assert slot["probability"] == slot["probabilities"][slot["action"]]
    assert told["slots"][1]["probabilities"]["tea"] == 0
    assert told["slots"][2]["probability"] == 1
    assert default.decide("page", 200, slots=slots) == told
    assert default.reward("page", 1.0, slot="side") == "kept"
    assert "slot" in default.refused("POST", "/reward", 400, json={"event": "page", "reward": 1.0})
    shown = default.ask("GET", "/events/page")
    assert [[one["value"] for one in slot["rewards"]] for slot in shown["slots"]] == [[], [1.0], []]


def test_an_event_is_shown_as_it_came(default: Loop) -> None:
    name = "a/b?c#d é %2F"
    told = default.decide(name, context={"hour": 9, "who": {"likes": ["tea", None]}}, unit="user-7", deferred=True)
    shown = default.ask("GET", f"/events/{quote(name, safe='')}")
    assert (shown["event"], shown["unit"], shown["arm"]) == (name, "user-7", "model")
    assert shown["context"] == {"hour": 9, "who": {"likes": ["tea", None]}}
    assert shown["actions"] == DRINKS
    assert (shown["deferred"], shown["activated"], shown["joined"]) == (True, False, None)
    (slot,) = shown["slots"]
    assert (slot["action"], slot["probabilities"]) == (told["action"], told["probabilities"])
    assert (slot["id"], slot["rewards"], slot["reward"], slot["filled"]) == (None, [], None, None)
    assert default.refused("GET", "/events/nobody", 404)


def test_events_come_in_pages(http: httpx.Client) -> None:
    loop = Loop(http, "pages-of-events", kind="described")
    for i in range(7):
        loop.decide(str(i), unit="even" if i % 2 == 0 else "odd")
    page = loop.ask("GET", "/events?limit=3")
    assert [one["event"] for one in page["events"]] == ["6", "5", "4"]
    page = loop.ask("GET", "/events", params={"limit": 3, "before": page["next"]})
    assert [one["event"] for one in page["events"]] == ["3", "2", "1"]
    page = loop.ask("GET", "/events", params={"limit": 3, "before": page["next"]})
    assert ([one["event"] for one in page["events"]], page["next"]) == (["0"], None)
    assert [one["event"] for one in loop.ask("GET", "/events?unit=odd")["events"]] == ["5", "3", "1"]


# --- rewards and activations


def test_rewards_are_kept_once(default: Loop) -> None:
    default.decide("paid")
    assert default.reward("paid", 1.0, key="click") == "kept"
    assert default.reward("paid", 1.0, key="click") == "repeated"
    assert default.reward("paid", 1.0) == "kept"
    assert default.reward("paid", 1.0) == "kept"
    body = {"event": "paid", "reward": 0.5}
    assert "click" in default.refused("POST", "/reward", 409, json=body, headers={"idempotency-key": "click"})
    assert len(default.ask("GET", "/events/paid")["slots"][0]["rewards"]) == 3


def test_rewards_may_come_early_or_late(http: httpx.Client) -> None:
    loop = Loop(http, "early-and-late", kind="described", settings=QUICK)
    assert loop.reward("e", 0.25) == "early"
    assert loop.ask("POST", "/activate", json={"event": "e"})["status"] == "early"
    loop.decide("e", deferred=True)
    assert loop.ask("POST", "/activate", json={"event": "e"})["status"] == "repeated"
    loop.decide("never", deferred=True)
    loop.decide("poor")
    until(lambda: loop.counts()["joined"] == 3)
    assert loop.reward("e", 9.0) == "late"
    assert loop.ask("POST", "/activate", json={"event": "never"})["status"] == "late"
    early, never, poor = (loop.ask("GET", f"/events/{event}") for event in ("e", "never", "poor"))
    assert (early["slots"][0]["reward"], early["slots"][0]["filled"], early["activated"]) == (0.25, False, True)
    assert [one["late"] for one in early["slots"][0]["rewards"]] == [False, True]
    assert (never["slots"][0]["reward"], never["slots"][0]["filled"], never["activated"]) == (0.0, True, False)
    assert (poor["slots"][0]["reward"], poor["slots"][0]["filled"], poor["activated"]) == (0.0, True, True)
    assert loop.counts() == {"events": 3, "waiting": 0, "joined": 3, "rewards": 2, "late": 1}


def test_an_activation(default: Loop) -> None:
    default.decide("ahead", deferred=True)
    assert default.ask("POST", "/activate", json={"event": "ahead"}) == {"event": "ahead", "status": "activated"}
    assert default.ask("POST", "/activate", json={"event": "ahead"})["status"] == "repeated"
    assert default.ask("GET", "/events/ahead")["activated"]


# --- loops


def test_loops_are_made_once(http: httpx.Client) -> None:
    body = {"kind": "named", "actions": ["sports", "politics"], "encoder": {"bits": 8, "text": ["title"]}}
    made = http.put("/v1/loops/made_once-1.0", json=body)
    assert (made.status_code, made.json()["kind"]) == (201, "named")
    again = http.put("/v1/loops/made_once-1.0", json=body)
    assert (again.status_code, again.json()) == (200, made.json())
    loop = Loop(http, "made_once-1.0", **body)
    assert loop.ask("POST", "/actions", json={"name": "weather"}) == {"actions": ["sports", "politics", "weather"]}
    assert http.put("/v1/loops/made_once-1.0", json=body).status_code == 200  # it has grown from just these
    for other in ({"kind": "described"}, body | {"actions": ["a", "b"]}, body | {"encoder": {"bits": 9}}):
        assert "made_once" in loop.refused("PUT", "", 409, json=other)
    assert made.json() in http.get("/v1/loops").json()["loops"]
    shown = loop.ask("GET")
    assert shown["actions"] == ["sports", "politics", "weather"]
    assert shown["encoder"] == {"bits": 8, "text": ["title"], "categories": [], "now": None, "known": []}
    assert (shown["settings"]["version"], shown["settings"]["wait"]) == (1, 600)
    assert shown["counts"] == {"events": 0, "waiting": 0, "joined": 0, "rewards": 0, "late": 0}


def test_a_loop_of_named_actions(http: httpx.Client) -> None:
    loop = Loop(http, "named", kind="named", actions=["sports", "politics"], settings=QUICK)
    told = loop.ask("POST", "/decide", 201, json={"context": {"hour": 9}, "event": "n"})
    assert list(told["probabilities"]) == ["sports", "politics"]
    assert "named" in loop.refused("POST", "/decide", 400, json={"actions": DRINKS})
    loop.reward("n", 1.0)
    assert loop.ask("POST", "/actions", json={"name": "weather"})["actions"][-1] == "weather"
    only = loop.ask("POST", "/decide", 201, json={"allowed": ["weather"]})
    assert (only["action"], only["probability"]) == ("weather", 1.0)
    until(lambda: loop.ask("POST", "/decide", 201, json={})["model"] >= 3)  # a worker has taken up what was learned
    told = loop.ask("POST", "/decide", 201, json={"context": {"hour": 9}})
    assert list(told["probabilities"]) == ["sports", "politics", "weather"]
    assert min(told["probabilities"].values()) > 0
    shown = loop.ask("GET", "/events/n")
    assert (shown["actions"], shown["context"]) == (["sports", "politics"], {"hour": 9})


def test_described_actions_have_no_names_to_add(default: Loop) -> None:
    assert "described" in default.refused("POST", "/actions", 400, json={"name": "weather"})


# --- labels

CONTEXT = {"context": {"hour": 9}}
FORMS: list[dict[str, Any]] = [
    {"right": "tea"},
    {"rewards": {"tea": 1.0, "milk": 0.5, "beer": 0.0}},
    {"rewards": {"tea": 1.0}},  # nobody has judged the others
    {"done": "tea", "reward": 0.3},
]


@pytest.mark.parametrize("kind", ["described", "named"])
def test_labels_of_every_form_are_learned(serving: Serving, http: httpx.Client, kind: str) -> None:
    names = [one["id"] for one in DRINKS]
    is_named = kind == "named"
    body: dict[str, Any] = {"kind": kind, "settings": QUICK} | ({"actions": names} if is_named else {})
    loop = Loop(http, f"labels-{kind}", **body)
    of_all = CONTEXT if is_named else CONTEXT | {"actions": DRINKS}
    for number, form in enumerate(FORMS):
        told = loop.ask("POST", "/labels", json={"examples": [of_all | form] * 5, "source": f"editors {number}"})
        assert told == {"accepted": 5, "entry": number + 1}  # whatever other loops have been sent
    until(lambda: loop.ask("GET")["model"]["version"] == len(FORMS))
    assert "cannot be learned" not in serving.errors()
    request = {"context": {"hour": 9}, "explore": False} | ({} if is_named else {"actions": DRINKS})
    assert loop.ask("POST", "/decide", 201, json=request)["action"] == "tea"


def test_labels_that_cannot_be_learned_are_refused(default: Loop) -> None:
    of_all = CONTEXT | {"actions": DRINKS}
    for examples, why in (
        ([of_all | FORMS[0], of_all | FORMS[1]], "one form"),
        ([of_all], "right"),
        ([of_all | FORMS[0] | FORMS[1]], "right"),
        ([of_all | {"done": "tea"}], "reward"),
        ([of_all | {"right": "tea", "reward": 1.0}], "reward"),
        ([of_all | {"right": "water"}], "water"),
        ([of_all | {"rewards": {"water": 1.0}}], "water"),
        ([of_all | {"rewards": {}}], "empty rewards"),
        ([of_all | {"rewards": {"tea": 1e13}}], "1e+13"),
        ([of_all | FORMS[0] | {"context": {"hour": 1e300}}], "hour"),
        ([CONTEXT | FORMS[0]], "actions"),
    ):
        assert why in default.refused("POST", "/labels", 400, json={"examples": examples})
    named = default.refused("POST", "/labels", 400, json={"examples": [of_all | {"right": "water"}]})
    assert named == "examples[0] has 'water' in right; expected ids of actions: tea, milk, beer"
    assert default.ask("GET")["model"]["version"] == 0


# --- settings


def test_settings_and_their_history(http: httpx.Client, serving: Serving) -> None:
    loop = Loop(http, "settings", kind="described", settings=QUICK | {"epsilon": 0.1})
    before = loop.ask("GET", "/settings")
    assert (before["version"], before["settings"]["epsilon"], before["waiting_for_retraining"]) == (1, 0.1, [])
    assert before["applies"] == APPLIES
    assert set(before["settings"]) == set(APPLIES)
    loop.decide("old")
    after = loop.ask("PATCH", "/settings", json={"wait": 3600.0, "default_reward": -1.0})
    assert (after["version"], after["settings"]) == (2, before["settings"] | {"wait": 3600.0, "default_reward": -1.0})
    assert loop.ask("PATCH", "/settings", json={"wait": 3600.0})["version"] == 2  # nothing is new
    new = loop.decide("new")
    assert new["settings"] == 2
    assert datetime.fromisoformat(new["due"]).timestamp() - datetime.fromisoformat(new["time"]).timestamp() == 3600
    until(lambda: loop.ask("GET", "/events/old")["joined"])
    assert loop.ask("GET", "/events/old")["slots"][0]["reward"] == 0.0  # the default when it was decided

    changed = loop.ask("PATCH", "/settings", json={"features": "linear", "reward_range": [-1, 1]})
    assert changed["waiting_for_retraining"] == ["reward_range", "features"]
    loop.ask("POST", "/retrain")
    assert loop.ask("GET", "/settings")["waiting_for_retraining"] == []
    assert "reward" in loop.refused("POST", "/reward", 400, json={"event": "new", "reward": 1.5})

    key = loop.ask("POST", "/keys", 201, json={"role": "administration", "place": 2})["key"]
    with speaking(serving, key) as other:
        assert other.patch(f"{loop.path}/settings", json={"epsilon": 0.2}).status_code == 200
    history = loop.ask("GET", "/settings/history")["history"]
    assert [one["version"] for one in history] == [4, 3, 2, 1]
    assert history[0]["who"] == "administration key 2 of settings"
    assert {one["who"] for one in history[1:]} == {"administration key 1 of all loops"}
    assert history[0]["settings"]["epsilon"] == 0.2
    assert [one["settings"] for one in history[2:]] == [after["settings"], before["settings"]]


def test_settings_that_make_no_sense_are_refused(default: Loop) -> None:
    before = default.ask("GET", "/settings")
    for wrong in (
        *({"wait": 0}, {"wait": 91 * 86400}, {"wait": "long"}, {"epsilon": 1.1}, {"aggregation": "best"}, {"speed": 1}),
        *({"reward_range": [1, 0]}, {"reward_range": [0, 1], "default_reward": 2}, {"reward_range": [0, 1e300]}),
        *({"keep_days": 0}, {"join": "soon"}, {"explorer": "ucb"}, {"features": None}, {"publish_events": 0}),
    ):
        assert "settings" in default.refused("PATCH", "/settings", 400, json=wrong)
    assert default.ask("GET", "/settings") == before


# --- models


def test_models_are_listed_and_loaded(learned: Loop, tmp_path: Path) -> None:
    newest, *others = learned.ask("GET", "/models")["models"]
    assert (newest["version"], newest["published"], newest["pinned"], newest["broken"]) == (VERSION, True, False, False)
    assert newest["bytes"] > 0
    assert not any(one["published"] for one in others)
    answer = learned.http.get(f"{learned.path}/models/{VERSION}")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == 'attachment; filename="learned-61.warmcb"'
    bandit = warmcb.load(answer.content)
    assert isinstance(bandit, warmcb.SharedBandit)
    request = {"hour": 9, "_multi": [{"_tag": one["id"], "hot": one["hot"], "price": one["price"]} for one in DRINKS]}
    told = learned.decide("which", context={"hour": 9})
    assert bandit.decide(request, key="which").probabilities == pytest.approx(list(told["probabilities"].values()))
    for number in ("62", "0", "x", "9" * 30):
        assert "version" in learned.refused("GET", f"/models/{number}", 404)
        assert "version" in learned.refused("POST", f"/models/{number}/restore", 404)


def test_a_broken_version_is_not_named(tmp_path: Path) -> None:
    async def ask() -> Any:
        store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
        await prepare(store)
        async with store.transaction() as database:
            for version in (1, 3, 4, 5, 6):
                await versions.save(database, 0, "default", version, b"", "")
            await versions.mark_broken(database, "default", 4)
        application = Application(store, ManualClock(), Key(hash_of("secret"), ADMINISTRATION, ALL_LOOPS, 1))
        headers = {"authorization": "Bearer secret"}
        transport = httpx.ASGITransport(application.router)
        async with httpx.AsyncClient(transport=transport, base_url="http://service", headers=headers) as client:
            told = [await client.get(f"/v1/loops/default/models/{number}") for number in (2, 4)]
        await store.close()
        return [(one.status_code, one.json()["error"]["message"]) for one in told]

    expected = "there is no version '{}'; the nearest stored ones are {}; GET .../models lists them"
    assert asyncio.run(ask()) == [(404, expected.format(2, "1, 3, 5")), (404, expected.format(4, "3, 5, 6"))]


def test_going_back_pins_a_version_until_it_is_released(http: httpx.Client) -> None:
    loop = Loop(http, "pinned", kind="described", settings=QUICK)
    loop.ask("POST", "/labels", json={"examples": [{"actions": DRINKS, "right": "tea"}] * 5})
    until(lambda: loop.ask("GET", "/models")["models"])
    first = loop.ask("GET", "/models")["models"][0]["version"]
    loop.ask("POST", "/labels", json={"examples": [{"actions": DRINKS, "right": "beer"}] * 50, "source": "others"})
    until(lambda: loop.ask("GET")["model"]["version"] > first)
    loop.ask("POST", f"/models/{first}/restore")
    until(lambda: loop.ask("GET")["model"]["pinned"])
    assert loop.ask("GET")["model"]["version"] == first
    loop.reward(loop.decide()["event"], 1.0)
    until(lambda: loop.counts()["joined"] == 1)  # it learns on, and decides by the old version
    assert loop.decide()["model"] == first
    assert [one["version"] for one in loop.ask("GET", "/models")["models"] if one["pinned"]] == [first]
    entry = loop.ask("POST", "/models/release")["entry"]
    until(lambda: loop.ask("GET")["model"]["version"] >= entry)
    assert (entry > first, loop.ask("GET")["model"]["pinned"]) == (True, False)


def test_a_reset_forgets_and_retraining_learns_again(http: httpx.Client) -> None:
    loop = Loop(http, "again", kind="described", settings={"publish_seconds": 0.1})  # no event is joined meanwhile

    def best() -> Any:
        return loop.decide(context={"hour": 9}, explore=False, baseline="beer")["action"]

    loop.ask("POST", "/labels", json={"examples": [CONTEXT | {"actions": DRINKS, "right": "milk"}] * 20})
    until(lambda: best() == "milk")
    assert loop.ask("POST", "/reset")["entry"] == 2
    until(lambda: best() == "beer")  # nothing is known: the baseline
    loop.ask("POST", "/labels", json={"examples": [CONTEXT | {"actions": DRINKS, "right": "tea"}] * 20})
    until(lambda: best() == "tea")
    version = loop.ask("GET")["model"]["version"]
    entry = loop.ask("POST", "/retrain")["entry"]
    assert entry == version + 1
    until(lambda: loop.ask("GET")["model"]["version"] == entry)
    assert best() == "tea"  # what the reset has forgotten stays forgotten


# --- the log


def test_the_log_is_read_back_without_loss(learned: Loop, tmp_path: Path) -> None:
    lines = learned.download(tmp_path / "log.dsjson")
    assert len(lines) == 60
    assert [one.id for one in lines] == [f"{i:02}/é" for i in range(60)]  # in the order of learning
    for event in lines:
        shown = learned.ask("GET", f"/events/{event.id}")
        (slot,), (told,) = event.slots, shown["slots"]
        assert event.names is not None
        assert event.time == datetime.fromisoformat(shown["time"])
        assert (event.unit, event.arm, event.activated) == (shown["unit"], shown["arm"], shown["activated"])
        assert (event.model, event.settings) == (str(shown["model"]), str(shown["settings"]))
        assert (slot.reward, slot.filled) == (told["reward"], told["filled"])
        assert slot.rewarded == (None if slot.filled else datetime.fromisoformat(told["rewards"][0]["time"]))
        assert event.names[slot.action] == told["action"]
        assert dict(zip(event.names, slot.probabilities, strict=True)) == told["probabilities"]
        assert event.context == shown["context"]
        assert slot.allowed == ((0, 1) if told["probabilities"]["beer"] == 0 and slot.allowed else None)
    assert learned.download(tmp_path / "log.parquet", format="parquet") == lines
    middle = learned.ask("GET", "/events/30%2F%C3%A9")["time"]
    assert learned.download(tmp_path / "early.dsjson", until=middle) == lines[:30]
    assert learned.download(tmp_path / "late.parquet", format="parquet", since=middle) == lines[30:]
    nothing = learned.http.get(f"{learned.path}/log?format=parquet&until=2020-01-01")
    assert pl.read_parquet(nothing.content).columns == pl.read_parquet(tmp_path / "log.parquet").columns
    assert learned.http.get(f"{learned.path}/log?until=2020-01-01").content == b""


def test_vowpal_wabbit_reads_the_log(learned: Loop, tmp_path: Path) -> None:
    lines = learned.download(tmp_path / "log.dsjson")
    told = counted(tmp_path / "log.dsjson", "--cb_explore_adf")
    assert (told["line_parse_error"], told["number_skipped_events"]) == (0, 5)  # those that were never activated
    assert told["dsjson_sum_cost_original"] == -sum(one.slots[0].reward or 0.0 for one in lines)


def test_vowpal_wabbit_reads_pages(http: httpx.Client, tmp_path: Path) -> None:
    loop = Loop(http, "slots", kind="described", settings=QUICK)
    for i in range(10):
        loop.decide(str(i), slots=[{"id": "top", "features": {"size": i}}, {"id": "side"}])
        loop.reward(str(i), 1.0, slot="side")
    until(lambda: loop.counts()["joined"] == 10)
    lines = loop.download(tmp_path / "log.dsjson")
    assert [[slot.reward for slot in one.slots] for one in lines] == [[0.0, 1.0]] * 10
    assert loop.download(tmp_path / "log.parquet", format="parquet") == lines
    told = counted(tmp_path / "log.dsjson", "--ccb_explore_adf")
    assert (told["line_parse_error"], told["dsjson_sum_cost_original"]) == (0, -10.0)


# --- evaluation


def test_policies_are_evaluated_on_the_log(learned: Loop) -> None:
    names = ["logged", "uniform", "default", "always:tea", "version:61", "greedy:61"]
    told = learned.ask("POST", "/evaluate", json={"policies": names, "model": "none", "level": 0.9})
    assert told["decisions"] == 45  # neither what was not drawn nor what never took place
    assert list(told["policies"]) == names
    for name, value in told["policies"].items():
        best = value["estimates"][value["best"]]
        assert best["low"] <= best["value"] <= best["high"]
        assert (value["compared"] is None) == (name == "logged")
        assert value["effective_size"] > 0
        has_learned = any("may have learned 60 events" in text for text in value["warnings"])
        assert has_learned == (name in ("version:61", "greedy:61"))
    later = learned.ask("GET", "/events/59%2F%C3%A9")["time"]
    told_later = learned.ask("POST", "/evaluate", json={"policies": ["version:61"], "since": later, "model": "none"})
    assert "may have learned 1 event " in told_later["policies"]["version:61"]["warnings"][-1]
    rewards = [learned.ask("GET", f"/events/{i:02}%2F%C3%A9")["slots"][0]["reward"] for i in range(15, 60)]
    logged = told["policies"]["logged"]
    assert logged["estimates"][logged["best"]]["value"] == pytest.approx(sum(rewards) / 45)


def test_no_code_and_no_path_comes_from_a_request(learned: Loop, tmp_path: Path) -> None:
    model = tmp_path / "model.warmcb"
    model.write_bytes(learned.http.get(f"{learned.path}/models/{VERSION}").content)
    for policy in (
        "os:system",
        "warmcb:WarmBandit",
        "builtins:print",
        str(model),
        f"{model}",
        "model.warmcb",
        "always:",
    ):
        assert "policy" in learned.refused("POST", "/evaluate", 400, json={"policies": [policy]})
    for policy in (f"greedy:{model}", f"version:{model}", "version:../61", "version:62", "greedy:-1", "version:61 "):
        assert "version" in learned.refused("POST", "/evaluate", 404, json={"policies": [policy]})
    assert ", 61; GET" in learned.refused("POST", "/evaluate", 404, json={"policies": ["version:62"]})


# --- deletion


def test_what_is_deleted_is_gone_and_unlearned(http: httpx.Client, serving: Serving, tmp_path: Path) -> None:
    loop = Loop(http, "deletion", kind="described", settings=QUICK)
    for i in range(9):
        unit: dict[str, Any] = {"unit": "Ann/1"} if i % 3 == 0 else {}
        loop.decide(f"e{i}", context={"secret": f"zebra-{i}"}, **unit)
        loop.reward(f"e{i}", 1.0)
    until(lambda: loop.counts()["joined"] == 9)
    until(lambda: any(one["version"] == 9 for one in loop.ask("GET", "/models")["models"]))
    assert loop.ask("DELETE", "/units/Ann%2F1", 202) == {"deleted": 3}
    assert loop.ask("DELETE", "/events/e8", 202) == {"deleted": 1}
    assert loop.ask("DELETE", "/units/e7", 202) == {"deleted": 1}  # an event without a unit is its own
    assert [one["event"] for one in loop.ask("GET", "/events")["events"]] == ["e5", "e4", "e2", "e1"]
    assert loop.counts()["rewards"] == 4
    assert loop.refused("GET", "/events/e0", 404)
    assert loop.refused("DELETE", "/events/e0", 404)
    assert loop.refused("DELETE", "/units/Ann%2F1", 404)
    until(lambda: [one["version"] for one in loop.ask("GET", "/models")["models"]] not in ([], [9]))
    until(lambda: loop.ask("GET")["model"]["version"] > 0)
    assert [one.id for one in loop.download(tmp_path / "log.dsjson")] == ["e1", "e2", "e4", "e5"]
    with sqlite3.connect(serving.store) as database:
        told = "\n".join(database.iterdump())
    assert "zebra-1" in told
    assert [name for i in (0, 3, 6, 7, 8) if (name := f"zebra-{i}") in told] == []


# --- keys


def test_two_keys_for_each_role(http: httpx.Client, serving: Serving) -> None:
    loop = Loop(http, "keys", kind="described")
    first = loop.ask("POST", "/keys", 201, json={"role": "application", "place": 1})["key"]
    second = loop.ask("POST", "/keys", 201, json={"role": "application", "place": 2})["key"]
    assert len(first) == 43  # 256 bits in base64
    listed = loop.ask("GET", "/keys")["keys"]
    assert [(one["role"], one["place"], list(one)) for one in listed] == [
        ("application", place, ["role", "place", "made"]) for place in (1, 2)
    ]

    def status(key: str, of: str = "keys", at: str = "/decide") -> int:
        with speaking(serving, key) as client:
            return client.post(f"/v1/loops/{of}{at}", json={"actions": DRINKS}).status_code

    assert (status(first), status(second)) == (201, 201)
    third = loop.ask("POST", "/keys", 201, json={"role": "application", "place": 1})["key"]
    assert (status(first), status(second), status(third)) == (401, 201, 201)
    assert loop.ask("DELETE", "/keys/application/2", 204) is None
    assert (status(second), status(third)) == (401, 201)
    assert "at place '2'" in loop.refused("DELETE", "/keys/application/2", 404)
    for at in ("/keys/application/3", "/keys/nobody/1", "/keys/application/" + "9" * 30):
        assert loop.refused("DELETE", at, 404)
    assert (status(third, "default"), status(third, "there-is-none"), status(third, at="/reset")) == (403, 403, 403)


def test_keys_for_all_loops(http: httpx.Client, serving: Serving) -> None:
    made = [http.post("/v1/keys", json={"role": "administration", "place": place}).json()["key"] for place in (1, 2)]
    first, second = (speaking(serving, key) for key in made)
    with first, second:
        assert [(one["role"], one["place"]) for one in first.get("/v1/keys").json()["keys"]] == [
            *(("administration", 1), ("administration", 2))
        ]
        assert second.delete("/v1/keys/administration/1").status_code == 204
        assert (first.get("/v1/loops").status_code, second.get("/v1/loops").status_code) == (401, 200)
        key = second.post("/v1/keys", json={"role": "application", "place": 1}).json()["key"]
        with speaking(serving, key) as application:
            assert application.post("/v1/loops/default/decide", json={"actions": DRINKS}).status_code == 201
            assert application.get("/v1/keys").status_code == 403
        assert second.delete("/v1/keys/administration/1").status_code == 404
        assert second.delete("/v1/keys/administration/2").status_code == 204  # the last one, beside WARMCB_KEY


# --- operations


def test_metrics(learned: Loop, http: httpx.Client) -> None:
    answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["warmcb_decisions_total", "learned", "model"] >= 50
    assert samples["warmcb_decisions_total", "learned", "not explored"] >= 10
    assert samples["warmcb_rewards_total", "kept", "learned"] == 30
    assert samples["warmcb_entries_learned_total", "learned"] >= 60
    assert samples["warmcb_model_version", "learned"] >= 60
    assert samples["warmcb_requests_total", "/v1/loops/{loop}/decide", "201"] >= 60
    assert samples["warmcb_request_seconds_count", "/v1/loops/{loop}/decide"] >= 60


def test_the_description_is_valid_and_whole(http: httpx.Client, tmp_path: Path) -> None:
    described = http.get("/openapi.json").json()
    validate(described)
    routes = {(path, method.upper()) for path, of in described["paths"].items() for method in of}
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    application = Application(store, ManualClock())
    asyncio.run(store.close())
    assert routes == {(one.path.replace(":text}", "}"), one.method) for one in application.endpoints}
    assert len(routes) == 36
    operations = [one for of in described["paths"].values() for one in of.values()]
    assert len({one["operationId"] for one in operations}) == len(operations)
    open_to_all = {path for path, of in described["paths"].items() for one in of.values() if not one["security"]}
    assert open_to_all == {"/healthz", "/readyz"}


def test_a_backup_while_it_is_in_use(serving: Serving, http: httpx.Client, tmp_path: Path) -> None:
    loop = Loop(http, "backup", kind="described")
    before = [loop.decide()["event"] for _ in range(20)]
    command = [sys.executable, "-m", "warmcb", "backup", f"sqlite:///{serving.store}", str(tmp_path / "copy.db")]
    with subprocess.Popen(command) as running:
        meanwhile = []
        while running.poll() is None:
            meanwhile.append(loop.decide()["event"])
    assert running.returncode == 0
    with sqlite3.connect(tmp_path / "copy.db") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        kept = {event for (event,) in database.execute("SELECT event FROM events WHERE loop = 'backup'")}
    assert set(before) <= kept <= {*before, *meanwhile}
    again = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert again.returncode != 0
    assert "exists already" in again.stderr


def test_a_stop_is_graceful_and_loses_nothing(tmp_path: Path) -> None:
    with Serving(tmp_path, workers=2) as serving:
        with speaking(serving, serving.key) as http:
            loop = Loop(http, "shop", kind="described", settings={"wait": 3600.0})  # longer than a slow restart
            told = [loop.decide(str(i)) for i in range(20)]
            for i in range(20):
                assert loop.reward(str(i), 1.0, key="once") == "kept"
        assert serving.stop() == 0
        assert '"level": "error"' not in serving.errors()
        serving.start()
        with speaking(serving, serving.key) as http:
            loop = Loop(http, "shop", kind="described")
            assert [loop.decide(str(i), 200) for i in range(20)] == told
            assert {loop.reward(str(i), 1.0, key="once") for i in range(20)} == {"repeated"}
