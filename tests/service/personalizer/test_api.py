"""Personalizer's API: every route under every address, its statuses, codes and messages, and what they mean here."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warmcb
from small_service import BEGIN
from tests.support import vowpal_wabbit
from warmcb.service.app import Application
from warmcb.service.bodies import LoopBody
from warmcb.service.clock import SECOND, ManualClock
from warmcb.service.http.limits import Limits
from warmcb.service.loops import keys, loops
from warmcb.service.loops.keys import Key
from warmcb.service.loops.settings import Settings
from warmcb.service.personalizer.bodies import ServiceConfiguration
from warmcb.service.personalizer.configurations import configuration_of, settings_of
from warmcb.service.store.sqlite import SqliteStore
from warmcb.service.training.trainer import Trainer

MASTER = "m" * 43
FIRST, LAST = "/personalizer/v1.0", "/personalizer"
BETWEEN = [f"/personalizer/v1.1-preview.{i}" for i in (1, 2, 3)]
ALL = [FIRST, *BETWEEN, LAST]
WAIT = 100.0
TEA, MILK, BEER = (
    {"id": name, "features": [{"hot": hot}, {"price": price}]}
    for name, hot, price in (("tea", True, 2.0), ("milk", False, 1.0), ("beer", False, 4.0))
)
DRINKS = [TEA, MILK, BEER]
SLOTS = [{"id": "top", "baselineAction": "tea"}, {"id": "side", "baselineAction": "milk"}]


class Desk:
    """A service in this process: callers, a clock, and whoever trains."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self.path = folder / "store.db"
        self.clock = ManualClock(BEGIN)
        self.store = SqliteStore(self.path)
        master = Key(keys.hash_of(MASTER), keys.ADMINISTRATION, keys.ALL_LOOPS, 1)
        self.application = Application(self.store, self.clock, master, limits)
        self.trainer = Trainer(self.store, self.clock, "service")
        self.runner = asyncio.Runner()
        self.runner.run(self._make())

    async def _make(self) -> None:
        settings = {"wait": WAIT, "publish_seconds": 1.0}
        async with self.store.transaction() as database:
            for name in (loops.DEFAULT, "shop"):
                await loops.make(database, BEGIN, name, LoopBody(kind="described", settings=settings), "a test")
            body = LoopBody(kind="named", actions=["tea", "milk"], settings=settings)
            await loops.make(database, BEGIN, "named", body, "a test")

    def ask(self, method: str, path: str, key: str | None = MASTER, **request: Any) -> httpx.Response:
        headers = {} if key is None else {"Ocp-Apim-Subscription-Key": key}
        headers |= request.pop("headers", {})
        return self.runner.run(self._ask(method, path, headers=headers, **request))

    async def _ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.application.router)
        async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
            return await client.request(method, path, **request)

    def rank(self, at: str = FIRST, key: str = MASTER, **body: Any) -> dict[str, Any]:
        answer = self.ask("POST", f"{at}/rank", key, json={"actions": DRINKS, **body})
        assert answer.status_code == 201, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def reward(self, event: str, value: float) -> None:
        assert self.ask("POST", f"{FIRST}/events/{event}/reward", json={"value": value}).status_code == 204

    def event(self, event: str, loop: str = loops.DEFAULT) -> dict[str, Any]:
        told: dict[str, Any] = self.ask("GET", f"/v1/loops/{loop}/events/{event}").json()
        return told

    def key(self, role: str, loop: str = "shop") -> str:
        return str(self.ask("POST", f"/v1/loops/{loop}/keys", json={"role": role, "place": 1}).json()["key"])

    def count(self, table: str) -> int:
        return int(self.read(f"SELECT count(*) FROM {table}")[0][0])

    def read(self, sql: str) -> list[tuple[Any, ...]]:
        async def rows() -> list[tuple[Any, ...]]:
            async with self.store.snapshot() as database:
                return await database.fetch(sql)

        return self.runner.run(rows())

    def write(self, *statements: str) -> None:
        async def execute() -> None:
            async with self.store.transaction() as database:
                for sql in statements:
                    await database.execute(sql)

        self.runner.run(execute())

    def wait(self, seconds: float = WAIT + 1) -> None:
        """Time goes by, and the trainer does what there is to do."""
        self.clock.advance(round(seconds * SECOND))
        self.train()

    def train(self) -> None:
        for _ in range(3):  # publishing takes a step, and saving another
            while self.runner.run(self.trainer.step()):
                pass
            self.clock.advance(2 * SECOND)
        self.ask("GET", "/readyz")

    def restart(self) -> None:
        """Another trainer takes over."""
        self.trainer = Trainer(self.store, self.clock, "service")
        self.train()

    @property
    def model(self) -> bytes:
        return self.trainer.trainings[loops.DEFAULT].student.to_bytes()

    def work(self) -> bool:
        return self.runner.run(self.application.jobs.step())

    def play(self, count: int = 40) -> None:
        """Events that are over and learned: milk is right."""
        for i in range(count):
            ranked = self.rank(contextFeatures=[{"hour": i % 24}])
            self.reward(ranked["eventId"], float(ranked["rewardActionId"] == "milk"))
        self.wait()

    def period(self) -> dict[str, str]:
        now = datetime.fromtimestamp(self.clock.now() / SECOND, UTC)
        day = timedelta(days=1)
        return {"startTime": (now - day).isoformat(), "endTime": (now + day).isoformat()}

    def close(self) -> None:
        self.runner.run(self.store.close())
        self.runner.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk for refusals: nothing may come of them."""
    desk = Desk(tmp_path_factory.mktemp("quiet"))
    yield desk
    assert desk.count("events") == desk.count("rewards") == desk.count("activations") == desk.count("inbox") == 0
    assert desk.count("jobs") == 0 and desk.count("settings") == 3
    desk.close()


def refusal(answer: httpx.Response, status: int, code: str) -> str:
    """Why: one clear sentence."""
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), answer.text
    assert list(answer.json()) == ["error"] and list(answer.json()["error"]) == ["code", "message"]
    message = str(answer.json()["error"]["message"])
    assert 10 < len(message) < 300 and "\n" not in message
    return message


# Rank


@pytest.mark.parametrize("at", ALL)
def test_rank_answers_under_every_address(desk: Desk, at: str) -> None:
    ranked = desk.rank(at, eventId="e", contextFeatures=[{"hour": 9}])
    assert list(ranked) == ["ranking", "eventId", "rewardActionId"]
    assert ranked["eventId"] == "e"
    assert sorted(one["id"] for one in ranked["ranking"]) == ["beer", "milk", "tea"]
    assert sum(one["probability"] for one in ranked["ranking"]) == pytest.approx(1.0)
    assert ranked["ranking"][0]["id"] == ranked["rewardActionId"]
    desk.reward("e", 1.0)
    assert desk.ask("POST", f"{at}/events/e/activate").status_code == 204
    assert [one["value"] for one in desk.event("e")["slots"][0]["rewards"]] == [1.0]


@pytest.mark.slow
@pytest.mark.parametrize("excluded", [["tea"], ["milk"], ["beer"], ["tea", "beer"], ["water"], []])
def test_excluded_actions_stay_where_they_were_and_are_never_chosen(desk: Desk, excluded: list[str]) -> None:
    desk.play()
    for i in range(20):
        ranked = desk.rank(eventId=f"e{i}", excludedActions=excluded)
        assert ranked["rewardActionId"] not in excluded
        free = []
        for place, one in enumerate(ranked["ranking"]):
            if one["id"] in excluded:
                assert one == {"id": DRINKS[place]["id"], "probability": 0.0}
            else:
                free.append(one)
        assert free[0]["id"] == ranked["rewardActionId"]
        others = [one["probability"] for one in free[1:]]
        assert others == sorted(others, reverse=True)
        assert sum(one["probability"] for one in free) == pytest.approx(1.0)


@pytest.mark.slow
def test_a_repeated_rank_gives_what_was_answered_before(desk: Desk) -> None:
    first = desk.rank(eventId="e")
    desk.play()
    assert desk.rank(eventId="e") == first
    assert desk.rank(LAST, eventId="e", actions=[TEA]) == first


def test_the_id_of_a_request_and_its_body_name_an_event_that_has_no_name(desk: Desk) -> None:
    def event(request: str | None, hour: int = 9) -> str:
        headers = {} if request is None else {"x-ms-client-request-id": request}
        body = {"actions": DRINKS, "contextFeatures": [{"hour": hour}]}
        return str(desk.ask("POST", f"{LAST}/rank", json=body, headers=headers).json()["eventId"])

    assert event("r1") == event("r1")
    assert len({event("r1"), event("r2"), event("r1", 10), event(None), event(None)}) == 5


def test_requests_stand_in_the_log_as_personalizer_wrote_them(desk: Desk) -> None:
    ranked = desk.rank(eventId="e", contextFeatures=[{"user": {"age": 31}}, {"hour": 9}], excludedActions=["beer"])
    desk.reward("e", 0.5)
    desk.wait()
    line = msgspec.json.decode(desk.ask("GET", "/v1/loops/default/log").content)
    assert line["c"] == {
        "FromUrl": [{"user": {"age": 31}}, {"hour": 9}],
        "_multi": [{"_tag": one["id"], "i": {"constant": 1, "id": one["id"]}, "j": one["features"]} for one in DRINKS],
    }
    assert (line["EventId"], line["_label_cost"], line["o"][0]["v"]) == ("e", -0.5, 0.5)
    assert DRINKS[line["a"][0] - 1]["id"] == ranked["rewardActionId"]
    assert line["p"][line["a"].index(3)] == 0.0


def test_vowpal_wabbit_reads_the_log(desk: Desk, tmp_path: Path) -> None:
    desk.play(20)
    path = tmp_path / "log.dsjson"
    path.write_bytes(desk.ask("GET", "/v1/loops/default/log").content)
    told = vowpal_wabbit.counted(path, "--cb_explore_adf")
    assert (told["line_parse_error"], told["cb_explore_adf_greedy"]["cbea_labeled_ex"]) == (0, 20)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"actions": []}, "Action count should be between 1 and 50."),
        ({"actions": [{**TEA, "id": str(i)} for i in range(51)]}, "Action count should be between 1 and 50."),
        (
            {"actions": [{"id": "tea", "features": []}]},
            "Every action should have at least one non-null action feature.",
        ),
        (
            {"actions": [TEA, {"id": "x", "features": [{}, {"a": None}]}]},
            "Every action should have at least one non-null action feature.",
        ),
        ({"actions": DRINKS, "eventId": ""}, "EventId should be non-empty or null."),
        ({"actions": DRINKS, "eventId": "e" * 257}, "eventId has 257 characters"),
        ({"actions": DRINKS, "eventId": "e\0"}, "regex"),
        ({"actions": [TEA, TEA]}, "'tea' twice"),
        ({"actions": [{**TEA, "id": ""}]}, "the id of an action is ''"),
        ({"actions": DRINKS, "excludedActions": ["tea", "milk", "beer"]}, "no action may be played"),
        ({"actions": [{**TEA, "features": [None]}]}, "Expected `object`, got `null`"),
        ({"actions": DRINKS, "contextFeatures": [None]}, "Expected `object`, got `null`"),
        ({"actions": DRINKS, "contextFeatures": {"hour": 9}}, "Expected `array | null`"),
        ({"actions": DRINKS, "deferActivation": "no"}, "Expected `bool"),
        ({}, "actions is missing"),
        ([], "Expected `object`, got `array`"),
    ],
)
def test_a_rank_that_makes_no_sense(quiet: Desk, body: Any, message: str) -> None:
    for at in (FIRST, LAST):
        assert message in refusal(quiet.ask("POST", f"{at}/rank", json=body), 400, "InvalidRankRequest")


def test_a_body_that_is_no_json_or_too_deep_or_too_large(quiet: Desk, tmp_path: Path) -> None:
    refusal(quiet.ask("POST", f"{FIRST}/rank", content=b"{"), 400, "InvalidRankRequest")
    refusal(quiet.ask("POST", f"{FIRST}/rank", content=b"[" * 100_000), 400, "InvalidRankRequest")
    features: Any = 1
    for _ in range(60):
        features = {"a": features}
    body = {"actions": [{"id": "a", "features": [features]}]}
    refusal(quiet.ask("POST", f"{FIRST}/rank", json=body), 400, "InvalidRankRequest")
    small = Desk(tmp_path, Limits(body=100))
    answer = small.ask("POST", f"{FIRST}/rank", json={"actions": DRINKS})
    refusal(answer, 400, "PayloadSizeExceeded")
    assert answer.headers["connection"] == "close"
    small.close()


# Rewards and activations


@pytest.mark.parametrize("value", [-1.01, 1.01, 1e300, "1", None])
def test_rewards_lie_between_minus_one_and_one(quiet: Desk, value: Any) -> None:
    answer = quiet.ask("POST", f"{FIRST}/events/e/reward", json={"value": value})
    refusal(answer, 400, "InvalidRewardRequest")


def test_events_need_a_name(quiet: Desk) -> None:
    for event in ("", "e" * 257):
        answer = quiet.ask("POST", f"{FIRST}/events/{event}/reward", json={"value": 1})
        refusal(answer, 400, "InvalidRewardRequest")
        refusal(quiet.ask("POST", f"{FIRST}/events/{event}/activate"), 400, "InvalidEventIdToActivate")


@pytest.mark.parametrize("event", ["a/b", "reward", "é ü", "a%2Fb", "..", "e/reward", "line\nbreak", "?#&+"])
def test_any_text_can_be_the_id_of_an_event(desk: Desk, event: str) -> None:
    assert desk.rank(eventId=event)["eventId"] == event
    quoted = quote(event, safe="").replace("..", "%2E%2E")
    desk.reward(quoted, 0.25)
    assert desk.ask("POST", f"{FIRST}/events/{quoted}/activate").status_code == 204
    assert desk.read("SELECT event, value FROM rewards") == [(event, 0.25)]
    assert desk.read("SELECT event FROM activations") == [(event,)]


def test_a_reward_may_come_before_its_rank_and_counts(desk: Desk) -> None:
    desk.reward("e", 0.5)
    desk.rank(eventId="e")
    desk.wait()
    assert desk.event("e")["slots"][0]["reward"] == 0.5


def test_deferred_events_are_learned_only_if_they_are_activated(desk: Desk) -> None:
    for event in ("never", "activated"):
        desk.rank(eventId=event, deferActivation=True)
        desk.reward(event, 1.0)
    desk.ask("POST", f"{FIRST}/events/activated/activate")
    desk.wait()
    found = {event: desk.event(event)["activated"] for event in ("never", "activated")}
    assert found == {"never": False, "activated": True}
    assert desk.trainer.trainings[loops.DEFAULT].student.bandit.learned_ == 1


def test_a_delivery_counts_once_and_stays_what_it_was(desk: Desk) -> None:
    desk.rank(eventId="e")

    def reward(value: float, request: str) -> httpx.Response:
        headers = {"x-ms-client-request-id": request}
        return desk.ask("POST", f"{LAST}/events/e/reward", json={"value": value}, headers=headers)

    assert [reward(1.0, "r1").status_code, reward(1.0, "r1").status_code, reward(0.0, "r2").status_code] == [204] * 3
    refusal(reward(0.5, "r1"), 409, "Conflict")
    assert desk.count("rewards") == 2


# Slots


@pytest.mark.parametrize("at", [*BETWEEN, LAST])
def test_slots_get_different_actions_and_rewards_of_their_own(desk: Desk, at: str) -> None:
    body = {"actions": DRINKS, "slots": SLOTS, "eventId": "e", "contextFeatures": [{"hour": 9}]}
    answer = desk.ask("POST", f"{at}/multislot/rank", json=body)
    assert answer.status_code == 201
    told = answer.json()
    assert told["eventId"] == "e" and [one["id"] for one in told["slots"]] == ["top", "side"]
    assert len({one["rewardActionId"] for one in told["slots"]}) == 2
    assert desk.ask("POST", f"{at}/multislot/rank", json=body).json() == told
    rewards = {"reward": [{"slotId": "top", "value": 1}, {"slotId": "side", "value": -1}]}
    assert desk.ask("POST", f"{at}/multislot/events/e/reward", json=rewards).status_code == 204
    assert desk.ask("POST", f"{at}/multislot/events/e/activate").status_code == 204
    desk.wait()
    assert [slot["reward"] for slot in desk.event("e")["slots"]] == [1.0, -1.0]
    assert desk.trainer.trainings[loops.DEFAULT].student.bandit.learned_ == 2


def test_slots_came_after_the_first_version(quiet: Desk) -> None:
    for path in ("rank", "events/e/reward", "events/e/activate"):
        refusal(quiet.ask("POST", f"{FIRST}/multislot/{path}", json={}), 404, "ResourceNotFound")


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ([{**SLOTS[0], "excludedActions": ["tea"]}], "BaselineAction cannot be part of ExcludedActions."),
        ([], "there are 0 slots"),
        ([{"id": str(i), "baselineAction": "tea"} for i in range(4)], "there are 4 slots"),
        ([SLOTS[0], {**SLOTS[1], "id": "top"}], "['top', 'top']"),
        ([SLOTS[0], {**SLOTS[1], "baselineAction": "tea"}], "['tea', 'tea']"),
        ([{**SLOTS[0], "baselineAction": "water"}], "['water']"),
        ([{**SLOTS[0], "excludedActions": ["water"]}], "'water'"),
        ([{**SLOTS[0], "id": ""}], "['']"),
        ([{"id": "top"}], "baselineAction is missing in slots[0]"),
    ],
)
def test_slots_that_make_no_sense(quiet: Desk, slots: Any, message: str) -> None:
    answer = quiet.ask("POST", f"{LAST}/multislot/rank", json={"actions": DRINKS, "slots": slots})
    assert message in refusal(answer, 400, "InvalidRankRequest")


def test_rewards_of_slots_are_kept_all_or_none(desk: Desk) -> None:
    desk.ask("POST", f"{LAST}/multislot/rank", json={"actions": DRINKS, "slots": SLOTS, "eventId": "e"})
    right, wrong = {"slotId": "top", "value": 1}, {"slotId": "bottom", "value": 1}
    for sent in ([right, wrong], [right, right], [], [right, {"slotId": "side", "value": 2}]):
        answer = desk.ask("POST", f"{LAST}/multislot/events/e/reward", json={"reward": sent})
        refusal(answer, 400, "InvalidRewardRequest")
    refusal(desk.ask("POST", f"{LAST}/events/e/reward", json={"value": 1}), 400, "InvalidRewardRequest")
    headers = {"x-ms-client-request-id": "r"}
    for value, status in ((1, 204), (1, 204), (0, 409)):
        sent = [{"slotId": "side", "value": value}, {"slotId": "top", "value": 1}]
        answer = desk.ask("POST", f"{LAST}/multislot/events/e/reward", json={"reward": sent}, headers=headers)
        assert answer.status_code == status
    assert desk.count("rewards") == 2


def test_an_event_has_slots_or_it_has_none(desk: Desk) -> None:
    desk.rank(eventId="one")
    several = {"actions": DRINKS, "slots": SLOTS}
    assert desk.ask("POST", f"{LAST}/multislot/rank", json={**several, "eventId": "several"}).status_code == 201
    refusal(desk.ask("POST", f"{LAST}/multislot/rank", json={**several, "eventId": "one"}), 409, "Conflict")
    refusal(desk.ask("POST", f"{LAST}/rank", json={"actions": DRINKS, "eventId": "several"}), 409, "Conflict")


# Keys


def test_the_key_names_the_loop(desk: Desk) -> None:
    for role in (keys.APPLICATION, keys.ADMINISTRATION):
        desk.rank(key=desk.key(role), eventId=role)
    desk.rank(eventId="of all loops")
    assert sorted(desk.read("SELECT loop, event FROM events")) == [
        ("default", "of all loops"),
        ("shop", "administration"),
        ("shop", "application"),
    ]
    bearer = {"Authorization": f"Bearer {MASTER}"}
    assert desk.ask("POST", f"{FIRST}/rank", None, json={"actions": DRINKS}, headers=bearer).status_code == 201


def test_applications_do_not_administer(desk: Desk) -> None:
    key = desk.key(keys.APPLICATION)
    paths = ["configurations/service", "configurations/policy", "evaluations", "model", "model/properties"]
    for path in [*paths, "logs/properties", "featureImportances", "evaluations/x"]:
        refusal(desk.ask("GET", f"{LAST}/{path}", key), 403, "InvalidApiAccess")
    for path in ("logs", "model", "configurations/policy"):
        refusal(desk.ask("DELETE", f"{LAST}/{path}", key), 403, "InvalidApiAccess")


def test_without_a_key_nothing_is_told(quiet: Desk) -> None:
    for key in (None, "wrong"):
        refusal(quiet.ask("POST", f"{FIRST}/rank", key, json={"actions": DRINKS}), 401, "401")
        refusal(quiet.ask("GET", f"{LAST}/nothing", key), 401, "401")
    refusal(quiet.ask("GET", f"{LAST}/nothing"), 404, "ResourceNotFound")
    refusal(quiet.ask("GET", f"{FIRST}/rank"), 405, "BadRequest")


def test_a_loop_with_named_actions_cannot_rank(desk: Desk) -> None:
    answer = desk.ask("POST", f"{FIRST}/rank", desk.key(keys.APPLICATION, "named"), json={"actions": DRINKS})
    assert "named actions" in refusal(answer, 400, "InvalidRankRequest")


def test_a_store_that_is_gone_is_said_and_nothing_pretended(desk: Desk) -> None:
    desk.rank()
    desk.path.rename(desk.path.with_suffix(".away"))
    refusal(desk.ask("POST", f"{FIRST}/rank", json={"actions": DRINKS}), 503, "OperationNotAllowed")
    desk.path.with_suffix(".away").rename(desk.path)
    desk.rank()
    assert desk.count("events") == 2


# Configurations


def test_configurations_are_settings_by_other_names(desk: Desk) -> None:
    for at in ALL:
        found = desk.ask("GET", f"{at}/configurations/service").json()
        assert found["rewardWaitTime"] == "PT1M40S"
        assert found["learningMode"] == "Online"
    changed = found | {"rewardWaitTime": "PT20M", "rewardAggregation": "sum", "learningMode": "LoggingOnly"}
    answer = desk.ask("PUT", f"{FIRST}/configurations/service", json=changed)
    assert answer.status_code == 200
    assert {name: value for name, value in answer.json().items() if value != changed[name]}.keys() <= {
        "lastConfigurationEditDate"
    }
    settings = desk.ask("GET", "/v1/loops/default/settings").json()["settings"]
    assert (settings["wait"], settings["aggregation"], settings["mode"]) == (1200.0, "sum", "paused")
    del changed["learningMode"]
    assert desk.ask("PUT", f"{FIRST}/configurations/service", json=changed).json()["learningMode"] == "LoggingOnly"


@given(
    wait=st.integers(1, 90 * 86_400),
    default=st.floats(-1, 1),
    aggregation=st.sampled_from(["earliest", "sum", "mean", "median", "least", "largest"]),
    epsilon=st.floats(0, 1),
    publish=st.integers(1, 36_000).map(lambda tenths: tenths / 10),
    days=st.integers(1, 3650),
)
def test_no_setting_is_lost_on_the_way(
    wait: int, default: float, aggregation: Any, epsilon: float, publish: float, days: int
) -> None:
    settings = Settings(
        wait=float(wait),
        default_reward=default,
        aggregation=aggregation,
        epsilon=epsilon,
        publish_seconds=publish,
        keep_days=float(days),
    )
    asked = msgspec.convert(configuration_of(settings), ServiceConfiguration)
    assert msgspec.structs.replace(Settings(), **settings_of(asked)) == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rewardWaitTime", "10 minutes"),
        ("rewardWaitTime", "PT0S"),
        ("rewardWaitTime", "P91D"),
        ("defaultReward", 1.5),
        ("rewardAggregation", "product"),
        ("explorationPercentage", 20),
        ("explorationPercentage", -0.1),
        ("modelExportFrequency", "P1D"),
        ("logRetentionDays", 0),
        ("logRetentionDays", 1.5),
        ("learningMode", "Shadow"),
        ("logMirrorEnabled", True),
        ("isAutoOptimizationEnabled", True),
        ("modelRetrainDays", 5),
    ],
)
def test_a_configuration_that_makes_no_sense(quiet: Desk, name: str, value: Any) -> None:
    found = quiet.ask("GET", f"{LAST}/configurations/service").json()
    answer = quiet.ask("PUT", f"{LAST}/configurations/service", json=found | {name: value})
    assert name in refusal(answer, 400, "InvalidServiceConfiguration")
    del found["rewardWaitTime"]
    answer = quiet.ask("PUT", f"{LAST}/configurations/service", json=found)
    refusal(answer, 400, "InvalidServiceConfiguration")


def test_an_apprentice_plays_the_first_action_that_is_not_excluded(desk: Desk) -> None:
    found = desk.ask("GET", f"{LAST}/configurations/service").json()
    desk.ask("PUT", f"{LAST}/configurations/service", json=found | {"learningMode": "Apprentice"})
    assert desk.rank()["rewardActionId"] == "tea"
    ranked = desk.rank(eventId="e", excludedActions=["tea"])
    assert [(one["id"], one["probability"]) for one in ranked["ranking"]] == [("tea", 0), ("milk", 1), ("beer", 0)]
    assert desk.event("e")["arm"] == "baseline"
    slots = desk.ask("POST", f"{LAST}/multislot/rank", json={"actions": DRINKS, "slots": SLOTS}).json()["slots"]
    assert [one["rewardActionId"] for one in slots] == ["tea", "milk"]
    desk.reward("e", 1.0)
    desk.wait()
    assert desk.ask("GET", f"{LAST}/model/properties").status_code == 200


def test_another_policy_learns_the_log_again(desk: Desk) -> None:
    desk.play()
    default = desk.ask("GET", f"{LAST}/configurations/policy").json()
    assert default == {"name": "warmcb", "arguments": "--features bends --explorer inverse-gap"}
    asked = {"name": "mine", "arguments": "--explorer epsilon-greedy"}
    changed = desk.ask("PUT", f"{LAST}/configurations/policy", json=asked)
    assert changed.json()["arguments"] == "--features bends --explorer epsilon-greedy"
    desk.train()
    assert desk.trainer.trainings[loops.DEFAULT].student.bandit.learned_ == 40
    assert desk.trainer.trainings[loops.DEFAULT].student.settings.explorer == "epsilon-greedy"
    assert desk.ask("DELETE", f"{FIRST}/configurations/policy").json() == default


@pytest.mark.parametrize("arguments", ["--cb_explore_adf --epsilon 0.2", "--features", "--features lines", "x", "'"])
def test_a_policy_of_another_learner(quiet: Desk, arguments: str) -> None:
    answer = quiet.ask("PUT", f"{LAST}/configurations/policy", json={"name": "a", "arguments": arguments})
    refusal(answer, 400, "InvalidPolicyConfiguration")


# Evaluations


@pytest.mark.slow
def test_an_evaluation_waits_is_done_and_is_found(desk: Desk) -> None:
    desk.play()
    policies = [{"name": "greedy", "arguments": "--explorer epsilon-greedy"}]
    for at in (FIRST, BETWEEN[0]):
        answer = desk.ask("POST", f"{at}/evaluations", json={"name": "n", **desk.period(), "policies": policies})
        assert answer.status_code == 201
        place = answer.headers["location"]
        assert place == f"{at}/evaluations/{answer.json()['id']}"
        assert desk.ask("GET", place).json()["status"] == "pending"
        desk.clock.advance(SECOND)
        assert desk.work() and not desk.work()
        found = desk.ask("GET", place).json()
        assert (found["status"], found["evaluationType"], found["name"]) == ("completed", "Manual", "n")
        online, baseline, _, custom = found["policyResults"]
        assert [one["policySource"] for one in found["policyResults"]] == ["Online", "Baseline", "Random", "Custom"]
        total = online["totalSummary"]
        assert total["ipsEstimatorDenominator"] == total["snipsEstimatorDenominator"] == 40
        mean = desk.read("SELECT avg(value) FROM rewards")[0][0]
        assert total["averageReward"] == pytest.approx(mean) == total["ipsEstimatorNumerator"] / 40
        assert total["aggregateTimeWindow"] == "P2D"
        assert custom["totalSummary"]["averageReward"] > baseline["totalSummary"]["averageReward"]
    assert len(desk.ask("GET", f"{FIRST}/evaluations").json()) == 2
    assert [one["status"] for one in desk.ask("GET", f"{LAST}/evaluations").json()["value"]] == ["Succeeded"] * 2
    assert desk.ask("DELETE", place).status_code == 204
    refusal(desk.ask("GET", place), 404, "EvaluationNotFound")
    refusal(desk.ask("DELETE", place), 404, "EvaluationNotFound")


async def dying(desk: Desk) -> None:
    """A worker that ends in the middle of a job."""
    working = asyncio.create_task(desk.application.jobs.step())
    claimed = False
    while not claimed:
        await asyncio.sleep(0.01)
        async with desk.store.snapshot() as database:
            claimed = bool(await database.fetch("SELECT 1 FROM jobs WHERE claimed > 0"))
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working


@pytest.mark.slow
def test_an_evaluation_of_a_worker_that_died_is_done_by_another(desk: Desk) -> None:
    desk.play()
    desk.ask("PUT", f"{LAST}/evaluations/e", json={"name": "n", **desk.period()})
    desk.runner.run(dying(desk))
    assert not desk.work()
    desk.clock.advance(31 * SECOND)
    assert desk.work()
    assert desk.ask("GET", f"{LAST}/evaluations/e").json()["status"] == "Succeeded"


@pytest.mark.slow
def test_applying_an_evaluation(desk: Desk) -> None:
    desk.play()
    policies = [{"name": "greedy", "arguments": "--explorer epsilon-greedy"}]
    desk.ask("PUT", f"{LAST}/evaluations/e", json={"name": "n", **desk.period(), "policies": policies})

    def apply(evaluation: str, policy: str) -> httpx.Response:
        body = {"evaluationId": evaluation, "policyName": policy}
        return desk.ask("POST", f"{LAST}/configurations/applyFromEvaluation", json=body)

    refusal(apply("e", "greedy"), 400, "BadRequest")
    desk.clock.advance(SECOND)
    assert desk.work()
    refusal(apply("other", "greedy"), 404, "EvaluationNotFound")
    refusal(apply("e", "other"), 404, "LearningSettingsNotFound")
    refusal(apply("e", "Baseline"), 400, "InvalidPolicyConfiguration")
    assert apply("e", "Online").status_code == apply("e", "greedy").status_code == 204
    assert "epsilon-greedy" in desk.ask("GET", f"{LAST}/configurations/policy").json()["arguments"]
    refusal(desk.ask("POST", f"{FIRST}/configurations/applyFromEvaluation", json={}), 404, "ResourceNotFound")


@pytest.mark.slow
def test_an_evaluation_that_makes_no_sense(desk: Desk) -> None:
    asked: dict[str, Any] = {"name": "n", **desk.period()}
    refusal(desk.ask("POST", f"{FIRST}/evaluations", json=asked), 400, "NoLogsExistInDateRange")
    desk.play()
    reverse = {"startTime": asked["endTime"], "endTime": asked["startTime"]}
    vw = {"policies": [{"name": "a", "arguments": "--cb_explore_adf"}]}
    for more in (reverse, {"startTime": "soon"}, vw, {"policies": [{"name": "a"}]}, {"name": 1}):
        refusal(desk.ask("POST", f"{FIRST}/evaluations", json=asked | more), 400, "InvalidEvaluationContract")
    many = {"policies": [{"name": str(i), "arguments": ""} for i in range(11)]}
    refusal(desk.ask("POST", f"{FIRST}/evaluations", json=asked | many), 400, "InvalidEvaluationContract")
    for names in (["a", "a"], ["Online"], ["uniform"]):
        twice = {"policies": [{"name": name, "arguments": ""} for name in names]}
        refusal(desk.ask("POST", f"{FIRST}/evaluations", json=asked | twice), 400, "DuplicateCustomPolicyNames")
    own = {"policies": [{"name": "Experiment 2", "arguments": ""}], "enableOfflineExperimentation": True}
    refusal(desk.ask("POST", f"{FIRST}/evaluations", json=asked | own), 400, "DuplicateCustomPolicyNames")
    assert desk.count("jobs") == 0
    assert desk.ask("PUT", f"{LAST}/evaluations/e", json=asked).status_code == 200
    other = asked | {"name": "other"}
    refusal(desk.ask("PUT", f"{LAST}/evaluations/e", json=other), 400, "EvaluationAlreadyExists")
    for query in ("top=-1", "skip=x", "filter=name eq 'e'"):
        refusal(desk.ask("GET", f"{LAST}/evaluations?{query}"), 400, "BadRequest")


@pytest.mark.slow
def test_feature_importances(desk: Desk) -> None:
    desk.play()
    asked = {"name": "n", **desk.period()}
    assert desk.ask("PUT", f"{LAST}/featureImportances/f", json=asked).json()["status"] == "Running"
    desk.clock.advance(SECOND)
    assert desk.work()
    found = desk.ask("GET", f"{LAST}/featureImportances/f").json()
    assert found["status"] == "Succeeded"
    assert sum(one["score"] for one in found["featureScores"]) == pytest.approx(100)
    assert found["featureScores"][0]["featureName"] in ("id", "price", "hot")
    other = asked | {"name": "other"}
    refusal(desk.ask("PUT", f"{LAST}/featureImportances/f", json=other), 400, "FeatureImportanceAlreadyExists")
    assert desk.ask("DELETE", f"{LAST}/featureImportances/f").status_code == 204
    refusal(desk.ask("GET", f"{LAST}/featureImportances/f"), 404, "FeatureImportanceNotFound")
    refusal(desk.ask("GET", f"{FIRST}/featureImportances"), 404, "ResourceNotFound")


# Models and logs


@pytest.mark.slow
def test_a_model_goes_out_and_comes_in_and_the_journal_can_be_replayed(desk: Desk) -> None:
    fresh = desk.ask("GET", f"{LAST}/model").content
    assert warmcb.load(fresh).n_features_ is None
    desk.play()
    model = desk.ask("GET", f"{LAST}/model?signed=true").content
    assert model == desk.model
    assert desk.ask("DELETE", f"{LAST}/model").status_code == 204
    desk.train()
    assert desk.trainer.trainings[loops.DEFAULT].student.bandit.learned_ == 0
    assert desk.ask("PUT", f"{LAST}/model", content=model).status_code == 204
    desk.train()
    assert desk.model == model
    desk.play(5)
    learned = desk.model
    desk.write("DELETE FROM versions", "DELETE FROM published")
    desk.restart()
    assert desk.model == learned


@pytest.mark.slow
def test_a_damaged_model_is_not_sent(desk: Desk) -> None:
    desk.play(5)
    model = desk.ask("GET", f"{LAST}/model").content
    desk.play(5)
    assert desk.ask("GET", f"{LAST}/model").content == desk.model != model
    desk.write("UPDATE versions SET hash = model WHERE version = (SELECT max(version) FROM versions)")
    assert desk.ask("GET", f"{LAST}/model").content == model


def test_a_model_that_cannot_be_used(quiet: Desk) -> None:
    narrow = warmcb.SharedBandit(encoder=warmcb.features.Encoder(bits=4))
    for data in (b"", b"model", narrow.to_bytes(), warmcb.WarmBandit(n_actions=2).to_bytes()):
        refusal(quiet.ask("PUT", f"{LAST}/model", content=data), 400, "InvalidModelImportFormat")
    refusal(quiet.ask("PUT", f"{FIRST}/model", content=b""), 405, "BadRequest")


def test_the_properties_of_a_model(desk: Desk) -> None:
    before = desk.ask("GET", f"{FIRST}/model/properties").json()
    assert before["creationTime"] == before["lastModifiedTime"]
    desk.play()
    after = desk.ask("GET", f"{FIRST}/model/properties").json()
    assert after["creationTime"] == before["creationTime"] < after["lastModifiedTime"]


def test_the_log_goes_and_what_was_learned_stays(desk: Desk) -> None:
    refusal(desk.ask("GET", f"{FIRST}/logs/properties"), 404, "LogsPropertiesNotFound")
    desk.play()
    desk.reward("early", 1.0)
    dates = desk.ask("GET", f"{FIRST}/logs/properties").json()["dateRange"]
    assert list(dates) == ["from", "to"] and dates["from"] <= dates["to"]
    model = desk.model
    desk.clock.advance(SECOND)
    assert desk.ask("DELETE", f"{FIRST}/logs").status_code == 204
    assert desk.count("events") == desk.count("rewards") == 0
    desk.train()
    assert desk.model == model
    desk.restart()
    assert desk.model == model
    refusal(desk.ask("GET", f"{FIRST}/logs/properties"), 404, "LogsPropertiesNotFound")


def test_what_has_no_meaning_here(quiet: Desk) -> None:
    for path in ("interactions", "observations"):
        refusal(quiet.ask("POST", f"{BETWEEN[2]}/logs/{path}", content=b"\1"), 403, "InvalidApiAccess")


@pytest.mark.parametrize("name", ["\0", "a\0b"])
def test_nul_characters_are_refused(desk: Desk, name: str) -> None:
    at, page = "/personalizer/v1.1-preview.3/multislot", {"actions": DRINKS, "slots": SLOTS}
    for path, body in (
        (f"{FIRST}/rank", {"actions": DRINKS, "eventId": name}),
        (f"{at}/rank", page | {"eventId": name}),
        (f"{at}/rank", page | {"slots": [{"id": name, "baselineAction": "tea"}]}),
        (f"{at}/events/e/reward", {"reward": [{"slotId": name, "value": 1.0}]}),
    ):
        assert desk.ask("POST", path, json=body).status_code == 400
    assert desk.count("events") == desk.count("rewards") == 0
