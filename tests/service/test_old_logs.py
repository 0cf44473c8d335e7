"""Old logs in a loop: as events that are learned again, and as labels."""

import json
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from small_service import DESCRIBED, NAMED, SmallService
from tests.support.commands import refusal, warmcb
from tests.support.places import ROOT
from warmcb.logs import learn_from
from warmcb.service.loops.loops import loop_named

DRINKS = ("tea", "milk", "beer")


def request(hour: int) -> dict[str, Any]:
    """What Personalizer's mirror had under `c`."""
    actions = [
        {"_tag": name, "i": {"constant": 1, "id": name}, "j": [{"hot": name == "tea"}, {"price": price}]}
        for price, name in enumerate(DRINKS)
    ]
    return {"FromUrl": [{"hour": hour}, {"user": {"age": 30 + hour}}], "_multi": actions}


def decision(event: str, hour: int, ranking: list[int], p: list[float], reward: float, **more: Any) -> dict[str, Any]:
    """A line of the mirror: actions count from 1, the chosen one first."""
    return {
        "_label_cost": -reward,
        "_label_probability": p[0],
        "_label_Action": ranking[0],
        "_labelIndex": ranking[0] - 1,
        "o": [{"v": reward, "EventId": event, "ActionTaken": False}],
        "Timestamp": f"2021-04-24T{hour:02}:02:39.0740000Z",
        "Version": "1",
        "EventId": event,
        "a": ranking,
        "c": request(hour),
        "p": p,
        "VWState": {"m": "N/A"},
        "_original_label_cost": -reward,
    } | more


MIRROR = [
    decision("first", 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0),
    decision("excluded", 10, [3, 1, 2], [0.9, 0.1, 0.0], -0.5),
    decision("never shown", 11, [1, 2, 3], [0.8, 0.1, 0.1], 0.0, _skipLearn=True, o=[]),
    decision("not rewarded", 12, [1, 2, 3], [0.8, 0.1, 0.1], 0.0, o=[]),
    {
        "Timestamp": "2021-04-24T13:02:39.0740000Z",
        "Version": "1",
        "EventId": "page/é",
        "c": request(13) | {"_slots": [{"_id": "top", "size": 2.0}, {"_id": "side"}]},
        "_outcomes": [
            {"_label_cost": -1.0, "_id": "top", "_a": [0, 1, 2], "_p": [0.6, 0.2, 0.2], "_o": [{"v": 1.0}]},
            {"_label_cost": 0.0, "_id": "side", "_a": [2, 1], "_p": [0.7, 0.3], "_o": [{"v": 0.0}]},
        ],
        "VWState": {"m": "N/A"},
    },
]
JUNK = ['["checkpoint"]', '{"RewardValue":1.0,"EnqueuedTimeUtc":"2021-04-24T20:02:39Z","EventId":"gone"}', "{"]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[SmallService]:
    with SmallService(tmp_path) as service:
        service.make(DESCRIBED | {"encoder": {"bits": 8}}, wait=100.0, default_reward=0.25)
        yield service


def written(path: Path, lines: list[dict[str, Any]], junk: tuple[str, ...] = ()) -> Path:
    path.write_text("".join(f"{line}\n" for line in [*junk, *map(json.dumps, lines)]))
    return path


def learned(folder: Path, log: Path, *options: str, loop: str = "loop") -> str:
    done = warmcb("loop", "learn", f"sqlite:///{folder}/store.db", loop, log, *options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_mirror_becomes_events_that_are_learned(service: SmallService, tmp_path: Path) -> None:
    log = written(tmp_path / "mirror.json", MIRROR, tuple(JUNK))
    assert learned(tmp_path, log) == "5 events taken, 0 known before, 0 left out\n"
    service.train_after(1)
    found = {name: service.event(name) for name in ("first", "excluded", "never shown", "not rewarded", "page/é")}
    assert {name: [slot["reward"] for slot in event["slots"]] for name, event in found.items()} == {
        "first": [1.0],
        "excluded": [-0.5],
        "never shown": [0.0],
        "not rewarded": [0.0],  # as it was there, where the default was another
        "page/é": [1.0, 0.0],
    }
    assert found["first"]["time"] == "2021-04-24T09:02:39.074000Z"
    assert found["first"]["slots"][0]["probabilities"] == {"tea": 0.1, "milk": 0.8, "beer": 0.1}
    assert [found["first"]["slots"][0]["action"], found["excluded"]["slots"][0]["action"]] == ["milk", "beer"]
    assert {name for name, event in found.items() if not event["activated"]} == {"never shown"}
    assert service.bandit.learned_ == 5  # four decisions of their own, and two of a page, without the one not shown
    assert [event for _, _, event in service.journal()] == list(found)


def test_a_log_that_is_read_again_changes_nothing(service: SmallService, tmp_path: Path) -> None:
    log = written(tmp_path / "mirror.json", MIRROR)
    learned(tmp_path, log)
    service.train_after(1)
    before = service.bandit.to_bytes()
    assert learned(tmp_path, log) == "0 events taken, 5 known before, 0 left out\n"
    service.train_after(1)
    assert service.bandit.to_bytes() == before
    assert service.counts()["rewards"] == 6


def world(count: int) -> list[dict[str, Any]]:
    """A log in which milk is right until noon, and beer after it; actions were drawn alike."""
    random = np.random.default_rng(3)
    lines = []
    for i in range(count):
        hour, action = int(random.integers(0, 24)), int(random.integers(3))
        ranking = [action + 1, *(place + 1 for place in range(3) if place != action)]
        reward = float(action == (1 if hour < 12 else 2))
        day = date(2021, 1, 1) + timedelta(days=i)
        line = decision(f"e{i}", hour, ranking, [1 / 3] * 3, reward, Timestamp=f"{day}T{hour:02}:00:00.0000000Z")
        lines.append(line)
    return lines


@pytest.mark.slow
def test_a_replayed_loop_is_worth_what_the_library_makes_of_the_log(service: SmallService, tmp_path: Path) -> None:
    log = written(tmp_path / "log.dsjson", world(1500))
    assert learned(tmp_path, log) == "1,500 events taken, 0 known before, 0 left out\n"
    service.train_after(1)
    service.train_after(10)

    async def new() -> Any:
        async with service.store.snapshot() as database:
            loop = await loop_named(database, "loop")
        return loop.kind.new(loop.settings)

    bandit = service.run(new())
    learn_from(bandit, log)
    asked = [request(hour) for hour in range(24)]
    right = [1 if hour < 12 else 2 for hour in range(24)]
    for model in (service.bandit, bandit):
        assert np.mean(np.asarray(model.predict(asked)) == right) > 0.8
    chosen = service.decide("now", context={"hour": 3, "user": {"age": 33}}, actions=plain())
    assert max(chosen["probabilities"], key=lambda name: chosen["probabilities"][name]) == "milk"


def plain() -> list[dict[str, Any]]:
    return [{"id": name, "hot": name == "tea", "price": price} for price, name in enumerate(DRINKS)]


def test_a_mirror_becomes_labels_of_a_source(service: SmallService, tmp_path: Path) -> None:
    log = written(tmp_path / "mirror.json", [*MIRROR, *world(300)])
    told = learned(tmp_path, log, "--as", "labels", "--source", "old shop")
    assert told == "305 events taken, 0 known before, 0 left out\n"
    service.train_after(1)
    assert service.counts()["events"] == service.bandit.learned_ == 0
    assert any("old shop" in source for source in service.bandit.sources_)
    assert {kind for _, kind, _ in service.journal()} == {"labels"}


def test_many_labels_become_several_entries(
    service: SmallService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("warmcb.service.events.old_logs.MOST_EXAMPLES", 2)
    learned(tmp_path, written(tmp_path / "mirror.json", MIRROR), "--as", "labels")
    kept = [json.loads(body)["examples"] for (body,) in service.read("SELECT body FROM inbox ORDER BY id")]
    rewards = [[example["reward"] for example in examples] for examples in kept]
    assert rewards == [[1.0, -0.5], [0.0, 1.0], [0.0]]  # a page gives an example for each slot


def test_what_cannot_be_learned_is_left_out(service: SmallService, tmp_path: Path) -> None:
    long = decision("e" * 257, 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0)
    twice = decision("twice", 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0)
    twice["c"]["_multi"][0]["_tag"] = "milk"
    nothing = decision("nothing", 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0)
    for name in ("_label_cost", "_original_label_cost"):
        del nothing[name]
    nothing["o"] = []
    odd = decision("no\0text", 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0)
    own, of_odd = (
        decision(event, 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0, warmcb={"slots": [{}], "unit": unit})
        for event, unit in (("own", "Ann"), ("odd", "no\0text"))
    )
    log = written(tmp_path / "mirror.json", [MIRROR[0], long, twice, nothing, odd, own, of_odd])
    assert learned(tmp_path, log) == "2 events taken, 0 known before, 5 left out\n"
    assert service.read("SELECT event, unit FROM events ORDER BY event") == [("first", None), ("own", "Ann")]
    service.change(reward_range=[0.0, 1.0])
    log = written(tmp_path / "more.json", [MIRROR[1]])
    assert learned(tmp_path, log) == "0 events taken, 0 known before, 1 left out\n"


def test_labels_that_the_trainer_could_not_read_are_refused(service: SmallService, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/store.db"
    many = decision("many", 9, list(range(1, 1002)), [1.0] + [0.0] * 1000, 1.0)
    many["c"]["_multi"] = [{"_tag": f"drink {i}", "j": [{"price": i}]} for i in range(1001)]
    for line, source, why in ((MIRROR[0], "", "source"), (MIRROR[0], "s" * 257, "source"), (many, "shop", "actions")):
        log = written(tmp_path / "mirror.json", [line])
        assert why in refusal("loop", "learn", store, "loop", log, "--as", "labels", "--source", source)
    service.train_after(1)
    assert service.journal() == []


def test_lists_of_values_are_features_of_labels_too(service: SmallService, tmp_path: Path) -> None:
    line = decision("list", 9, [2, 1, 3], [0.8, 0.1, 0.1], 1.0)
    line["c"]["_multi"][0]["j"] = ["hot", 3]
    log = written(tmp_path / "mirror.json", [line])
    assert learned(tmp_path, log, "--as", "labels") == "1 event taken, 0 known before, 0 left out\n"
    service.train_after(1)
    assert len(service.bandit.sources_) > 0


def test_the_command_is_explained() -> None:
    page = (ROOT / "docs" / "service" / "personalizer.md").read_text()
    assert all(name in page for name in ("warmcb loop learn", "--as events", "--as labels", "--source"))


def test_loops_and_logs_that_do_not_fit(service: SmallService, tmp_path: Path) -> None:
    log, store = written(tmp_path / "mirror.json", MIRROR), f"sqlite:///{tmp_path}/store.db"
    assert "there is no loop 'other'" in refusal("loop", "learn", store, "other", log)
    assert "cannot be used" in refusal("loop", "learn", f"sqlite:///{tmp_path}/none.db", "loop", log)
    with SmallService(tmp_path, "named") as named:
        named.make(NAMED)
    assert "has named actions" in refusal("loop", "learn", store, "named", log)
    assert "no decision" in refusal("loop", "learn", store, "loop", written(tmp_path / "empty.json", [], tuple(JUNK)))
    assert service.counts()["events"] == 0
