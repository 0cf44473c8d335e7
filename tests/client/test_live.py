"""The client and the real service, over loopback: every method once, and a service that dies under it."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import warmcb
from serving import Serving
from warmcb.client import Client
from warmcb.errors import ServiceError
from warmcb.logs import open_log

pytestmark = pytest.mark.slow

DRINKS: list[dict[str, Any]] = [
    {"id": "tea", "hot": True, "price": 2.0},
    {"id": "milk", "hot": False, "price": 1.0},
    {"id": "beer", "hot": False, "price": 4.0},
]
PATIENCE = 60.0


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("service")) as serving:
        yield serving


@pytest.fixture
def client(serving: Serving) -> Iterator[Client]:
    with Client(serving.url, serving.key) as client:
        yield client


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_decision_and_its_reward(client: Client) -> None:
    answer = client.decide({"hour": 9}, DRINKS, event="visit/1 é", unit="user-7", excluded=["beer"])
    assert answer.event == "visit/1 é"
    assert answer.action in ("tea", "milk")
    assert answer.probabilities.get("beer", 0.0) == 0.0
    assert sum(answer.probabilities.values()) == pytest.approx(1.0)
    assert answer.probabilities[answer.action] == answer.probability
    assert answer.time < answer.due
    assert client.decide({"hour": 9}, DRINKS, event="visit/1 é") == answer
    assert client.reward("visit/1 é", 1.0, key="click").status == "kept"
    assert client.reward("visit/1 é", 1.0, key="click").status == "repeated"
    with pytest.raises(ServiceError) as caught:
        client.reward("visit/1 é", 0.5, key="click")
    assert (caught.value.status, caught.value.code) == (409, "conflict")
    stored = client.event("visit/1 é")
    assert (stored.unit, stored.arm, stored.context, stored.joined) == ("user-7", answer.arm, {"hour": 9}, None)
    assert list(stored.slots[0].probabilities) == ["tea", "milk", "beer"]
    assert [reward.value for reward in stored.slots[0].rewards] == [1.0]
    assert [one.event for one in client.events(unit="user-7")] == ["visit/1 é"]


def test_slots(client: Client) -> None:
    answer = client.decide_slots([{"id": "top"}, {"id": "side", "excluded": ["beer"]}], {"hour": 9}, DRINKS)
    assert [slot.id for slot in answer.slots] == ["top", "side"]
    assert len({slot.action for slot in answer.slots}) == 2
    assert client.reward(answer.event, 1.0, slot="side").status == "kept"
    stored = client.event(answer.event)
    assert [[reward.value for reward in slot.rewards] for slot in stored.slots] == [[], [1.0]]


def test_what_is_asked_for_is_what_is_done(client: Client) -> None:
    answer = client.decide({}, DRINKS, explore=False)
    assert (answer.arm, answer.probability) in {("not explored", 1.0), ("fallback", 1.0)}
    deferred = client.decide({}, DRINKS, allowed=["milk"], deferred=True)
    assert deferred.action == "milk"
    assert client.event(deferred.event).deferred
    assert client.activate(deferred.event).status == "activated"
    assert client.activate(deferred.event).status == "repeated"
    assert client.event(deferred.event).activated


def test_events_come_in_pages(client: Client) -> None:
    ids = [client.decide({"number": number}, DRINKS, unit="a crowd").event for number in range(120)]
    assert [one.event for one in client.events(unit="a crowd")] == ids[::-1]
    assert client.delete_event(ids[0]) == 1
    assert [one.event for one in client.events(unit="a crowd")] == ids[:0:-1]
    assert client.delete_unit("a crowd") == 119
    assert list(client.events(unit="a crowd")) == []
    with pytest.raises(ServiceError) as caught:
        client.event(ids[0])
    assert (caught.value.status, caught.value.code) == (404, "not_found")


def test_a_loop_from_its_labels_to_its_log(serving: Serving, tmp_path: Path) -> None:
    with Client(serving.url, serving.key, loop="pages") as pages:
        settings = {"wait": 1.0, "publish_seconds": 0.1}
        pages.make_loop("named", actions=["sports", "politics"], settings=settings)
        pages.make_loop("named", actions=["sports", "politics"], settings=settings)
        with pytest.raises(ServiceError) as caught:
            pages.make_loop("described")
        assert (caught.value.status, caught.value.code) == (409, "conflict")
        assert "pages" in {one.loop for one in pages.loops()}
        labelled = pages.labels([{"context": {"hour": 9}, "right": "sports"}] * 3, source="editors")
        assert labelled.accepted == 3
        pages.wait_until_learned(labelled.entry)
        assert pages.decide({"hour": 9}, explore=False, event="first").model >= labelled.entry > 0
        pages.delete_event("first")
        ids = [pages.decide({"hour": hour}, event=f"e{hour}").event for hour in range(24)]
        for event in ids:
            pages.reward(event, 1.0)
        until(lambda: pages.loop().counts.joined == 24)
        loop = pages.loop()
        assert (loop.loop, loop.kind, loop.actions) == ("pages", "named", ["sports", "politics"])
        assert (loop.counts.events, loop.counts.waiting, loop.counts.rewards, loop.counts.late) == (24, 0, 24, 0)
        assert loop.settings["wait"] == 1.0
        until(lambda: pages.loop().model.version >= (pages.event("e23").joined or 0) > 0)
        assert pages.reward("e0", 5.0).status == "late"

        for kind, name in (("dsjson", "log.dsjson"), ("parquet", "log.parquet")):
            path = pages.download_log(tmp_path / name, kind)  # type: ignore[arg-type]
            log = list(open_log(path).events())
            assert sorted(event.id for event in log) == sorted(ids)
            assert {event.slots[0].reward for event in log} == {1.0}
        evaluation = pages.evaluate(["logged", "uniform", "always:sports"], level=0.9)
        assert evaluation.decisions == 24
        logged = evaluation.policies["logged"]
        assert logged.estimates[logged.best].value == pytest.approx(1.0)

        version = pages.loop().model.version
        (model,) = [one for one in pages.models() if one.version == version]
        assert model.published
        path = pages.download_model(tmp_path / "model.warmcb", version)
        assert model.bytes > 0
        assert isinstance(warmcb.load(path), warmcb.WarmBandit)

        pages.decide({"hour": 12})
        until(lambda: pages.loop().model.version > version)
        pages.restore(version)
        until(lambda: pages.loop().model.pinned)
        assert pages.loop().model.version == version
        assert not model.broken
        pages.wait_until_learned(pages.release())
        assert not pages.loop().model.pinned
        assert pages.add_action("weather") == ["sports", "politics", "weather"]
        assert pages.retrain() > 0
        assert pages.reset() > 0


def test_settings(client: Client) -> None:
    before = client.settings()
    assert before.settings["epsilon"] == 0.05
    assert before.applies["epsilon"] == "at once"
    after = client.change_settings(epsilon=0.2, features="linear")
    assert after.version == before.version + 1
    assert after.settings == before.settings | {"epsilon": 0.2, "features": "linear"}
    assert after.waiting_for_retraining == ["features"]
    assert {one.version: one.settings for one in client.settings_history()} == {
        before.version: before.settings,
        after.version: after.settings,
    }
    with pytest.raises(ServiceError, match="epsilon") as caught:
        client.change_settings(epsilon=2)
    assert (caught.value.status, caught.value.code) == (400, "bad_request")


def test_keys(serving: Serving, client: Client) -> None:
    key = client.new_key("application")
    with Client(serving.url, key) as application:
        event = application.decide({}, DRINKS).event
        application.reward(event, 1.0)
        with pytest.raises(ServiceError) as caught:
            application.settings()
        assert (caught.value.status, caught.value.code) == (403, "forbidden")
        kept = client.keys()
        assert [(one.role, one.place) for one in kept] == [("application", 1)]
        client.delete_key("application", 1)
        assert client.keys() == []
        until(lambda: is_refused(application, 401))


def is_refused(client: Client, status: int) -> bool:
    try:
        client.decide({}, DRINKS)
    except ServiceError as error:
        return error.status == status
    return False


def test_a_restart_is_not_noticed(tmp_path: Path) -> None:
    with Serving(tmp_path) as serving, Client(serving.url, serving.key, retries=60) as client:
        first = client.decide({"hour": 9}, DRINKS)
        serving.kill()
        again = threading.Timer(0.5, serving.start)
        again.start()
        assert client.reward(first.event, 1.0).status == "kept"
        assert client.decide({"hour": 9}, DRINKS, event=first.event) == first
        again.join()
        assert serving.stop() == 0
        with pytest.raises(ServiceError) as caught:
            Client(serving.url, serving.key, retries=0).loop()
        assert caught.value.code == "unreachable"
