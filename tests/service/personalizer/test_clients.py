"""Personalizer's four real clients, as they are, against a real service."""

import io
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from azure.ai.personalizer import PersonalizerAdministrationClient
from azure.ai.personalizer import PersonalizerClient as LastClient
from azure.cognitiveservices.personalizer import PersonalizerClient as FirstClient
from azure.cognitiveservices.personalizer.models import ErrorResponseException, RankableAction, RankRequest
from azure.core.credentials import AzureKeyCredential
from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceNotFoundError
from msrest.authentication import CognitiveServicesCredentials
from msrest.exceptions import HttpOperationError

import warmcb
from postgres import Postgres
from serving import Serving
from tests.support.places import ROOT
from warmcb.client import Client

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

HERE = Path(__file__).parent
INSTALLED = ROOT / ".clients"
PATIENCE = 60.0
DRINKS: list[dict[str, Any]] = [
    {"id": "tea", "features": [{"hot": True}, {"price": 2.0}]},
    {"id": "milk", "features": [{"hot": False}, {"price": 1.0}]},
    {"id": "beer", "features": [{"hot": False}, {"price": 4.0}]},
]
CONTEXT: list[dict[str, Any]] = [{"user": {"age": 31}}, {"hour": 9}]
EVENT = "visit/1 é ?#%"


class Shop(NamedTuple):
    """A loop of its own: where it is, and what opens it."""

    url: str
    application: str
    administration: str
    native: Client
    clients: ExitStack


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with Serving(tmp_path_factory.mktemp("service")) as serving:
        yield serving


@contextmanager
def new_shop(serving: Serving, name: str) -> Iterator[Shop]:
    with Client(serving.url, serving.key, loop=name) as native, ExitStack() as clients:
        native.make_loop("described", settings={"wait": 1.0, "publish_seconds": 0.5})
        yield Shop(serving.url, native.new_key("application"), native.new_key("administration"), native, clients)


@pytest.fixture
def shop(serving: Serving, request: pytest.FixtureRequest) -> Iterator[Shop]:
    with new_shop(serving, request.node.name[:60]) as shop:
        yield shop


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def period() -> tuple[datetime, datetime]:
    now = datetime.now(UTC)
    return now - timedelta(days=1), now + timedelta(days=1)


# azure-cognitiveservices-personalizer 0.1.1


def first_client(shop: Shop, key: str | None = None) -> Any:
    return shop.clients.enter_context(FirstClient(shop.url, CognitiveServicesCredentials(key or shop.application)))


def first_request(**more: Any) -> Any:
    actions = [RankableAction(**drink) for drink in DRINKS]
    return RankRequest(**{"actions": actions, "context_features": CONTEXT, **more})


def test_the_first_client_ranks_rewards_and_activates(shop: Shop) -> None:
    client = first_client(shop)
    request = first_request(event_id=EVENT, excluded_actions=["milk"], defer_activation=True)
    ranked = client.rank(request)
    assert ranked.event_id == EVENT
    assert ranked.reward_action_id in ("tea", "beer")
    assert [one.id for one in ranked.ranking][1] == "milk"  # where it was in the request
    assert {one.id: one.probability for one in ranked.ranking} == {"tea": 0.5, "milk": 0.0, "beer": 0.5}
    assert client.rank(request).as_dict() == ranked.as_dict()
    assert client.events.activate(EVENT) is None
    assert client.events.reward(EVENT, 0.5) is None
    event = shop.native.event(EVENT)
    assert (event.deferred, event.activated) == (True, True)
    assert [(slot.action, [one.value for one in slot.rewards]) for slot in event.slots] == [
        (ranked.reward_action_id, [0.5])
    ]


def test_the_first_client_gets_an_id_for_each_event_without_one(shop: Shop) -> None:
    client = first_client(shop)
    ids = {client.rank(first_request()).event_id for _ in range(5)}
    assert len(ids) == 5


def test_the_first_client_reads_why_it_is_refused(shop: Shop) -> None:
    client = first_client(shop)
    with pytest.raises(ErrorResponseException) as caught:
        client.rank(first_request(actions=[RankableAction(id=f"a{i}", features=[{"x": i}]) for i in range(51)]))
    assert caught.value.response.status_code == 400
    assert caught.value.error.error.code == "InvalidRankRequest"
    assert caught.value.error.error.message == "Action count should be between 1 and 50."
    with pytest.raises(HttpOperationError) as refused:
        client.events.reward(EVENT, 1.5)
    assert refused.value.response.status_code == 400
    assert refused.value.response.json()["error"]["code"] == "InvalidRewardRequest"
    with pytest.raises(ErrorResponseException) as unknown:
        first_client(shop, "no key").rank(first_request())
    assert unknown.value.response.status_code == 401


# azure-ai-personalizer 1.0.0b1


def last_client(shop: Shop, key: str | None = None) -> Any:
    return shop.clients.enter_context(LastClient(shop.url, AzureKeyCredential(key or shop.application)))


def administration(shop: Shop, key: str | None = None) -> Any:
    credential = AzureKeyCredential(key or shop.administration)
    return shop.clients.enter_context(PersonalizerAdministrationClient(shop.url, credential))


def last_request(**more: Any) -> dict[str, Any]:
    return {"contextFeatures": CONTEXT, "actions": DRINKS, **more}


def test_the_last_client_ranks_rewards_and_activates(shop: Shop) -> None:
    client = last_client(shop)
    ranked = client.rank(last_request(eventId=EVENT, deferActivation=True))
    assert ranked["eventId"] == EVENT
    assert ranked["ranking"][0]["id"] == ranked["rewardActionId"]
    assert client.activate(EVENT) is None
    assert client.reward(EVENT, {"value": -1.0}) is None
    (slot,) = shop.native.event(EVENT).slots
    assert [one.value for one in slot.rewards] == [-1.0]


def test_what_the_last_client_sends_again_counts_once(shop: Shop) -> None:
    client = last_client(shop)
    first, again = (client.rank(last_request(), request_id="r1") for _ in range(2))
    assert first == again
    assert client.rank(last_request(), request_id="r2")["eventId"] != first["eventId"]
    other = client.rank(last_request(contextFeatures=[{"hour": 10}]), request_id="r1")
    assert other["eventId"] != first["eventId"]  # one id for several requests that belong together
    for request in ("w1", "w1", "w2"):
        client.reward(first["eventId"], {"value": 1.0}, request_id=request)
    (slot,) = shop.native.event(first["eventId"]).slots
    assert [one.value for one in slot.rewards] == [1.0, 1.0]
    with pytest.raises(HttpResponseError) as caught:
        client.reward(first["eventId"], {"value": 0.0}, request_id="w1")
    assert caught.value.status_code == 409


def test_the_last_client_fills_slots(shop: Shop) -> None:
    client = last_client(shop)
    slots = [
        {"id": "top", "baselineAction": "tea", "features": [{"size": "large"}, {"left": False}]},
        {"id": "side", "baselineAction": "milk", "excludedActions": ["beer"]},
    ]
    ranked = client.rank_multi_slot(last_request(eventId=EVENT, slots=slots, deferActivation=True))
    assert ranked["eventId"] == EVENT
    top, side = ranked["slots"]
    assert (top["id"], side["id"]) == ("top", "side")
    assert top["rewardActionId"] != side["rewardActionId"] != "beer"
    assert client.activate_multi_slot(EVENT) is None
    given = [{"slotId": "top", "value": 1.0}, {"slotId": "side", "value": -0.5}]
    assert client.reward_multi_slot(EVENT, {"reward": given}) is None
    rewards = {slot.id: [one.value for one in slot.rewards] for slot in shop.native.event(EVENT).slots}
    assert rewards == {"top": [1.0], "side": [-0.5]}


def test_the_last_client_changes_configurations(shop: Shop) -> None:
    client = administration(shop)
    found = client.get_service_configuration()
    assert (found["rewardWaitTime"], found["learningMode"]) == ("PT1S", "Online")
    wanted = found | {
        "rewardWaitTime": "P1DT2H",
        "defaultReward": -0.5,
        "rewardAggregation": "sum",
        "explorationPercentage": 0.3,
        "modelExportFrequency": "PT5M",
        "logRetentionDays": -1,
        "learningMode": "Apprentice",
    }
    changed = client.update_service_configuration(wanted)
    assert changed == wanted | {"lastConfigurationEditDate": changed["lastConfigurationEditDate"]}
    assert changed["lastConfigurationEditDate"] > found["lastConfigurationEditDate"]
    assert client.get_service_configuration() == changed
    settings = shop.native.settings().settings
    assert (settings["wait"], settings["aggregation"], settings["mode"]) == (93_600.0, "sum", "apprentice")
    assert last_client(shop).rank(last_request(excludedActions=["tea"]))["rewardActionId"] == "milk"
    with pytest.raises(HttpResponseError) as caught:
        client.update_service_configuration(wanted | {"logMirrorEnabled": True})
    assert (caught.value.status_code, caught.value.error.code) == (400, "InvalidServiceConfiguration")
    default = client.get_policy()
    other = client.update_policy({"name": "mine", "arguments": "--features linear --explorer epsilon-greedy"})
    assert other["arguments"] == "--features linear --explorer epsilon-greedy" != default["arguments"]
    assert client.reset_policy() == default == client.get_policy()


def played(shop: Shop, count: int = 60) -> None:
    """Events that are over and learned, and a model that has been saved since."""
    client = last_client(shop)
    for i in range(count):
        ranked = client.rank(last_request(contextFeatures=[{"hour": i % 24}]))
        client.reward(ranked["eventId"], {"value": float(ranked["rewardActionId"] == "milk")})
    until(lambda: shop.native.loop().counts.waiting == 0 and bool(shop.native.models()))


def test_the_last_client_evaluates(shop: Shop) -> None:
    played(shop)
    client, (start, end) = administration(shop), period()
    contract = {
        "name": "yesterday",
        "startTime": start.isoformat(),
        "endTime": end.isoformat(),
        "policies": [{"name": "greedy", "arguments": "--explorer epsilon-greedy"}],
        "enablePolicyOptimization": True,
    }
    client.create_evaluation("a/1 é", contract)
    client.create_evaluation("a/1 é", contract)  # once more is the same

    def found() -> Any:
        return client.get_evaluation("a/1 é", start_time=start, end_time=end)

    assert found()["status"] in ("Running", "Succeeded")
    until(lambda: found()["status"] != "Running")
    assert found()["status"] == "Succeeded", found()
    results = {one["name"]: one for one in found()["content"]["value"]}
    assert [one["policySource"] for one in results.values()][:4] == ["Online", "Baseline", "Random", "Custom"]
    assert {one["policySource"] for one in results.values()} >= {"OfflineExperimentation"}
    low, high = results["greedy"]["summary"]["confidenceInterval"]
    assert low <= results["greedy"]["summary"]["expectedReward"] <= high
    assert results["greedy"]["summary"]["expectedReward"] > results["Baseline"]["summary"]["expectedReward"]
    assert [one["id"] for one in client.list_evaluations()] == ["a/1 é"]
    assert list(client.list_evaluations(skip=1)) == list(client.list_evaluations(top=0)) == []
    assert list(client.list_evaluations(filter_expression="evaluationType eq 'Auto'")) == []
    assert client.apply_from_evaluation({"evaluationId": "a/1 é", "policyName": "greedy"}) is None
    assert client.get_policy()["arguments"] == "--features bends --explorer epsilon-greedy"
    assert client.delete_evaluation("a/1 é") is None
    with pytest.raises(ResourceNotFoundError) as caught:
        found()
    assert caught.value.error.code == "EvaluationNotFound"


def test_the_last_client_asks_which_features_matter(shop: Shop) -> None:
    played(shop)
    client, (start, end) = administration(shop), period()
    contract = {"name": "which", "startTime": start.isoformat(), "endTime": end.isoformat()}
    client.create_feature_importance("f1", contract)
    until(lambda: client.get_feature_importance("f1")["status"] != "Running")
    found = client.get_feature_importance("f1")
    assert found["status"] == "Succeeded", found
    scores = {(one["namespace"], one["featureName"]): one["score"] for one in found["featureScores"]}
    assert sum(scores.values()) == pytest.approx(100.0)
    assert set(scores) <= {("", name) for name in ("id", "hot", "price", "hour", "all else")}
    assert [one["id"] for one in client.list_feature_importances()] == ["f1"]
    client.delete_feature_importance("f1")
    assert list(client.list_feature_importances()) == []


def test_the_last_client_takes_models_and_logs(shop: Shop) -> None:
    client = administration(shop)
    with pytest.raises(ResourceNotFoundError) as caught:
        client.get_log_properties()
    assert caught.value.error.code == "LogsPropertiesNotFound"
    played(shop)
    model = b"".join(client.export_model())
    assert isinstance(warmcb.load(model), warmcb.SharedBandit)
    before = client.get_model_properties()
    assert client.import_model(io.BytesIO(model)) is None
    assert client.reset_model() is None
    until(lambda: bool(client.get_model_properties()["lastModifiedTime"] > before["lastModifiedTime"]))
    dates = client.get_log_properties()["dateRange"]
    assert dates["from"] < dates["to"]
    assert client.delete_logs() is None
    assert shop.native.loop().counts.events == 0


def test_an_application_cannot_administer(shop: Shop) -> None:
    with pytest.raises(HttpResponseError) as caught:
        administration(shop, shop.application).get_service_configuration()
    assert (caught.value.status_code, caught.value.error.code) == (403, "InvalidApiAccess")
    with pytest.raises(ClientAuthenticationError):
        last_client(shop, "no key").rank(last_request())


@pytest.mark.parametrize("calls", [test_the_last_client_evaluates, test_the_last_client_takes_models_and_logs])
def test_the_same_on_postgresql(postgres: Postgres, tmp_path: Path, calls: Callable[[Shop], None]) -> None:
    with Serving(tmp_path, address=postgres.new_store()) as serving, new_shop(serving, "shop") as shop:
        calls(shop)


# The clients from npm


def node(script: str, *arguments: str) -> Any:
    if shutil.which("node") is None or not (INSTALLED / "node_modules").is_dir():
        pytest.skip("needs node, and the clients that scripts/clients installs")
    command = ["node", str(HERE / "javascript" / script), str(INSTALLED), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_first_client_for_javascript(shop: Shop) -> None:
    told = node("first.mjs", shop.url, shop.application)
    assert told["statuses"] == [201, 204, 204]
    assert told["ranked"] == told["again"]
    assert told["ranked"]["eventId"] == "visit/7 é"
    assert told["ranked"]["rewardActionId"] in ("tea", "beer")
    assert told["ranked"]["ranking"][1] == {"id": "milk", "probability": 0}
    assert len(told["unnamed"]["ranking"]) == 3
    codes = [(one["status"], one["body"]["error"]["code"]) for one in told["refused"]]
    assert codes == [(400, "InvalidRankRequest")] * 2 + [(400, "InvalidRewardRequest")]
    messages = [one["body"]["error"]["message"] for one in told["refused"]]
    assert messages[0] == "Action count should be between 1 and 50."
    assert messages[1] == "Every action should have at least one non-null action feature."
    (slot,) = shop.native.event("visit/7 é").slots
    assert [one.value for one in slot.rewards] == [0.5]


def test_the_last_client_for_javascript(shop: Shop) -> None:
    played(shop)
    start, end = period()
    told = node("rest.mjs", shop.url, shop.administration, start.isoformat(), end.isoformat())
    statuses = {name: one["status"] for name, one in told.items()}
    assert statuses == {
        "rank": "201",
        "reward": "204",
        "activate": "204",
        "slots": "201",
        "slot rewards": "204",
        "slot activate": "204",
        "wrong slots": "400",
        "service": "200",
        "new service": "200",
        "wrong service": "400",
        "policy": "200",
        "new policy": "200",
        "reset policy": "200",
        "evaluation": "201",
        "evaluated": "200",
        "evaluations": "200",
        "apply": "204",
        "delete evaluation": "204",
        "no evaluation": "404",
        "model properties": "200",
        "model": "200",
        "import": "204",
        "wrong import": "400",
        "reset": "204",
        "interactions": "403",
        "log properties": "200",
        "delete log": "204",
        "no log": "404",
    }
    codes = {name: one["body"]["error"]["code"] for name, one in told.items() if int(one["status"]) >= 400}
    assert codes == {
        "wrong slots": "InvalidRankRequest",
        "wrong service": "InvalidServiceConfiguration",
        "no evaluation": "EvaluationNotFound",
        "wrong import": "InvalidModelImportFormat",
        "interactions": "InvalidApiAccess",
        "no log": "LogsPropertiesNotFound",
    }
    assert told["wrong slots"]["body"]["error"]["message"] == "BaselineAction cannot be part of ExcludedActions."
    assert told["rank"]["body"]["eventId"] == "visit/8 é"
    assert told["new service"]["body"]["rewardWaitTime"] == "PT2S"
    assert told["evaluation"]["location"].endswith(f"/evaluations/{told['evaluation']['body']['id']}")
    assert told["evaluated"]["body"]["status"] == "completed"
    results = told["evaluated"]["body"]["policyResults"]
    assert [one["policySource"] for one in results] == ["Online", "Baseline", "Random", "Custom"]
    assert all(one["totalSummary"]["ipsEstimatorDenominator"] >= 60 for one in results)
    assert len(told["evaluations"]["body"]) == 1
    assert told["model"]["bytes"] > 1000
