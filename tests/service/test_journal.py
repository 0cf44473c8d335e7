"""The journal: everything that changes a model is in it, and replayed it gives the same bits."""

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from small_service import DESCRIBED, NAMED, PIECES, SmallService
from warmcb import _modelfile, load
from warmcb.service.clock import DAY, HOUR
from warmcb.service.loops import versions
from warmcb.service.loops.versions import kept
from warmcb.service.refusals import RefusedError

WAIT = 10.0
KINDS = {"named": NAMED, "described": DESCRIBED}
RIGHT = {"context": {"hour": 3}, "right": "sport"}
REWARDS = {"context": {"hour": 4}, "rewards": {"news": 0.5, "sport": 1.0}}
DONE = {"context": {"hour": 5}, "done": "weather", "reward": 0.25}


@pytest.fixture
def service(place: Path | str) -> Iterator[SmallService]:
    with SmallService(place) as service:
        service.make(NAMED, wait=WAIT)
        yield service


@pytest.fixture(params=KINDS)
def either(request: pytest.FixtureRequest, place: Path | str) -> Iterator[SmallService]:
    with SmallService(place) as service:
        service.make(KINDS[request.param], wait=WAIT)
        yield service


def offered(service: SmallService) -> dict[str, Any]:
    """What a request or an example has to say about actions."""
    ((kind,),) = service.read("SELECT kind FROM loops WHERE loop = $1", service.loop)
    return {"actions": PIECES} if kind == "described" else {}


def play(service: SmallService, *events: str, **options: Any) -> None:
    """Decide, reward every other one, and let all be learned."""
    decide(service, *events, **options)
    service.train_after(WAIT + 1)


def decide(service: SmallService, *events: str, **options: Any) -> None:
    for i, event in enumerate(events):
        service.decide(event, context={"hour": i % 24, "user": event}, **offered(service), **options)
        if i % 2:
            for slot in options.get("slots", [{"id": ""}]):
                service.reward(event, 1.0, slot=slot["id"])


def teach(service: SmallService, *examples: dict[str, Any], source: str | None = None) -> None:
    service.labels(*[example | offered(service) for example in examples], source=source)
    service.train()


def keep(service: SmallService) -> int:
    """Save a version that stays: the last one of its hour."""
    version = service.saved()
    service.wait(3600)
    return version


def names(prefix: str, n: int = 6) -> list[str]:
    return [f"{prefix}{i}" for i in range(n)]


def state(service: SmallService) -> tuple[bytes, str]:
    return service.bandit.to_bytes(), service.training.student.state()


def check_replay(service: SmallService, folder: Callable[[], Path]) -> None:
    """From every version that is kept, and from nothing, the journal gives the same bits."""
    service.train()
    for version in [0, *service.versions()]:
        with service.copied(folder(), version) as other:
            assert state(other) == state(service), f"from version {version}"
            assert other.published()["pinned"] == service.published()["pinned"]


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("copy")


# What changes a model is an entry


@pytest.mark.slow
def test_everything_that_changes_a_model_is_an_entry(
    either: SmallService,
    folder: Callable[[], Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = either
    teach(service, RIGHT, source="editors")
    teach(service, REWARDS, source="llm")
    teach(service, DONE)
    play(service, *names("a"))
    play(service, *names("pages"), slots=[{"id": "top", "features": {"big": True}}, {"id": "side"}])
    play(service, *names("greedy"), explore=False)
    version = keep(service)
    service.change(epsilon=0.2)
    play(service, *names("b"))
    service.retrain()
    play(service, *names("c"))
    service.restore(version)
    play(service, *names("d"))
    service.release()
    service.reset()
    play(service, *names("e"))
    monkeypatch.setattr(versions, "code", lambda: "another version of the code")
    service.restart()
    play(service, *names("f"))
    kinds = [kind for _, kind, _ in service.journal()]
    assert [kind for before, kind in pairwise(["", *kinds]) if kind != before] == [
        *("labels", "event", "settings", "event", "retrain", "event", "restore", "event", "release", "reset"),
        *("event", "upgrade", "event"),
    ]
    check_replay(service, folder)
    assert "cannot be learned" not in caplog.text


@pytest.mark.parametrize(("example", "source"), [(RIGHT, "labels"), (REWARDS, "labels"), (DONE, "log: paid")])
def test_labels_of_each_form_teach(either: SmallService, example: dict[str, Any], source: str) -> None:
    either.train()
    before = either.bandit.to_bytes()
    teach(either, example)
    assert either.bandit.to_bytes() != before
    assert source in either.bandit.sources_
    teach(either, example, source="editors")
    assert any("editors" in name for name in either.bandit.sources_)


def test_a_new_action_is_an_entry(service: SmallService, folder: Callable[[], Path]) -> None:
    play(service, *names("a"))
    decide(service, "decided before it came")
    service.add_action("music")
    play(service, *names("b", 12))
    assert "action" in [kind for _, kind, _ in service.journal()]
    assert service.bandit.actions == ("news", "sport", "weather", "music")
    assert service.bandit.learned_ == 19
    teach(service, {"context": {"hour": 1}, "right": "music"})
    check_replay(service, folder)


def _changed(service: SmallService, **changes: Any) -> None:
    service.change(**changes)
    service.train()


def _saved(service: SmallService) -> None:
    service.saved()


def _restored(service: SmallService, i: int) -> None:
    if there := service.versions():
        service.restore(there[i % len(there)])
        service.train()


def _restarted(service: SmallService) -> None:
    service.restart()


def _forgotten(service: SmallService, i: int) -> None:
    if learned := [event for _, _, event in service.journal() if event is not None]:
        service.forget_event(learned[i % len(learned)])
        service.train()


OPERATIONS: dict[str, Callable[[SmallService, int], None]] = {
    "events": lambda service, i: play(service, *names(f"e{i}-", 3)),
    "pages": lambda service, i: play(service, f"p{i}", slots=[{"id": "top"}, {"id": "side"}]),
    "not explored": lambda service, i: play(service, f"n{i}", explore=False),
    "deferred": lambda service, i: play(service, f"d{i}", deferred=True),
    "right": lambda service, i: teach(service, RIGHT, source=f"s{i % 3}"),
    "rewards": lambda service, i: teach(service, REWARDS),
    "done": lambda service, i: teach(service, DONE),
    "epsilon": lambda service, i: _changed(service, epsilon=0.01 * (i + 1)),
    "features": lambda service, i: _changed(service, features=("linear", "squares")[i % 2]),
    "explorer": lambda service, i: _changed(service, explorer=("epsilon-greedy", "inverse-gap")[i % 2]),
    "range": lambda service, i: _changed(service, reward_range=(-0.5 * i, 1.0 + 0.25 * i)),
    "action": lambda service, i: service.add_action(f"action {i}"),
    "reset": lambda service, i: service.reset(),
    "retrain": lambda service, i: service.retrain(),
    "save": lambda service, i: _saved(service),
    "restore": _restored,
    "release": lambda service, i: service.release(),
    "restart": lambda service, i: _restarted(service),
    "forget": _forgotten,
}


@pytest.mark.slow
@given(st.lists(st.sampled_from(sorted(OPERATIONS)), min_size=4, max_size=14))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_replayed_from_any_kept_version_the_journal_gives_the_same_bits(
    tmp_path_factory: pytest.TempPathFactory, operations: list[str]
) -> None:
    with SmallService(tmp_path_factory.mktemp("store")) as service:
        service.make(NAMED, wait=WAIT)
        for i, name in enumerate(["events", *operations]):
            OPERATIONS[name](service, i)
            service.wait(1.5)
        check_replay(service, lambda: tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
def test_a_trainer_that_is_killed_learns_nothing_twice(either: SmallService) -> None:
    for i in range(5):
        play(either, *names(f"{i}-"))
        before = either.bandit.to_bytes()
        either.restart()
        either.train()
        assert either.bandit.to_bytes() == before
        assert either.bandit.learned_ == 6 * (i + 1)


# Settings


def test_a_change_that_applies_at_once_keeps_what_was_learned(either: SmallService) -> None:
    play(either, *names("a"))
    before = either.bandit._whole_state()
    either.change(epsilon=0.5, publish_seconds=7.0)
    either.train()
    assert either.bandit.epsilon == 0.5
    assert either.training.student.settings.publish_seconds == 7.0
    assert {name: array.tobytes() for name, array in either.bandit._whole_state().items()} == {
        name: array.tobytes() for name, array in before.items()
    }


@pytest.mark.parametrize(
    ("name", "value"), [("features", "linear"), ("explorer", "epsilon-greedy"), ("reward_range", [-1.0, 2.0])]
)
def test_a_change_that_needs_retraining_waits_for_it_and_says_so(either: SmallService, name: str, value: Any) -> None:
    play(either, *names("a"))
    before = either.bandit.to_bytes()
    told = either.change(**{name: value})
    assert told["applies"][name] == "retraining"
    assert told["waiting_for_retraining"] == [name]
    either.train()
    either.restart()
    either.train()
    assert either.bandit.to_bytes() == before
    assert either.settings()["waiting_for_retraining"] == [name]
    either.retrain()
    assert either.settings()["waiting_for_retraining"] == []
    either.train()
    params = either.bandit.get_params()
    assert {"features": params["features"], "explorer": params["explorer"], "reward_range": params["cost_range"]}[
        name
    ] == (value if name != "reward_range" else (-2.0, 1.0))
    assert either.bandit.learned_ == 6
    assert either.settings()["waiting_for_retraining"] == []


def test_a_reset_takes_up_settings_and_forgets(either: SmallService) -> None:
    teach(either, RIGHT)
    play(either, *names("a"))
    either.change(features="linear")
    either.reset()
    either.train()
    assert (either.bandit.features, either.bandit.learned_) == ("linear", 0)
    assert either.settings()["waiting_for_retraining"] == []
    either.retrain()
    either.train()
    assert either.bandit.learned_ == 0, "what was reset stays forgotten"


def test_going_back_goes_back_to_what_a_model_is_made_of_and_says_so(either: SmallService) -> None:
    play(either, *names("a"))
    version = keep(either)
    either.change(features="linear", epsilon=0.3)
    either.retrain()
    either.train()
    either.restore(version)
    either.train()
    assert either.bandit.features == "bends"
    assert either.settings()["waiting_for_retraining"] == ["features"]
    assert either.bandit.epsilon == 0.3, "what applies at once is in force"


def test_retraining_equals_learning_the_same_with_those_settings_from_the_beginning(
    either: SmallService, tmp_path_factory: pytest.TempPathFactory
) -> None:
    teach(either, RIGHT)
    decide(either, *names("a"))
    either.change(features="linear")
    either.train_after(WAIT + 1)
    either.retrain()
    either.train()
    with either.copied(tmp_path_factory.mktemp("other"), 0) as other:
        other.write("DELETE FROM versions")
        other.write("DELETE FROM journal WHERE kind IN ('settings', 'retrain')")
        other.write(
            "UPDATE settings SET settings = (SELECT settings FROM settings WHERE version = 2) WHERE version = 1"
        )
        other.restart()
        other.train()
        assert other.bandit.to_bytes() == either.bandit.to_bytes()


def test_labels_from_before_an_action_came_do_not_judge_it_when_they_are_learned_again(service: SmallService) -> None:
    teach(service, *[{"context": {"hour": hour}, "right": "news"} for hour in range(24)])
    service.add_action("music")
    service.train()
    before = service.bandit.to_bytes()
    service.retrain()
    service.train()
    assert service.bandit.to_bytes() == before


# Going back


def test_going_back_pins_a_version_until_it_is_released(either: SmallService) -> None:
    play(either, *names("a"))
    version = keep(either)
    policy = load(versions_of(either)[version]).to_bytes()
    play(either, *names("b"))
    either.restore(version)
    either.train()
    assert either.published() | {"time": ""} == {"version": version, "pinned": True, "time": ""}
    assert either.bandit.to_bytes() == policy
    play(either, *names("c"))
    assert either.decide("by the pinned one", **offered(either))["model"] == version
    assert either.bandit.learned_ == 12, "learning goes on from it"
    either.release()
    either.train()
    assert either.published()["pinned"] is False
    assert either.decide("by the newest", **offered(either))["model"] == either.training.position


def test_the_newest_version_can_be_pinned_as_well(either: SmallService) -> None:
    play(either, *names("a"))
    version = either.saved()
    assert either.published()["version"] == version
    either.restore(version)
    either.train()
    assert either.published()["pinned"] is True
    either.restart()
    play(either, *names("b"))
    assert either.published()["version"] == version


@pytest.mark.slow
def test_a_version_that_is_gone_back_to_is_never_thinned(either: SmallService, folder: Callable[[], Path]) -> None:
    play(either, *names("a"))
    version = keep(either)
    play(either, *names("b"))
    either.restore(version)
    play(either, *names("c"))
    either.release()
    for day in range(4):
        either.wait(86_400)
        play(either, *names(f"day{day}-"))
        either.saved()
    assert version in either.versions()
    check_replay(either, folder)


def test_a_named_action_that_came_later_is_there_after_going_back(service: SmallService) -> None:
    play(service, *names("a"))
    version = keep(service)
    service.add_action("music")
    play(service, *names("b"))
    service.restore(version)
    service.train()
    assert service.bandit.actions == ("news", "sport", "weather", "music")
    play(service, *names("c"))
    assert service.bandit.learned_ == 12


def versions_of(service: SmallService) -> dict[int, bytes]:
    rows = service.read("SELECT version, model FROM versions WHERE loop = $1", service.loop)
    return {version: zlib.decompress(model) for version, model in rows}


# Thinning and retention


def test_versions_are_kept_hourly_for_a_day_and_daily_after() -> None:
    every = [(i, i * HOUR // 2) for i in range(2 * 24 * 10)]  # one each half hour, for ten days
    last, now = every[-1]
    ages = sorted((now - every[version][1]) for version in kept(every, now))
    assert ages[:2] == [0, HOUR // 2], "the newest two, in case that one is damaged"
    hourly = [age for age in ages if HOUR // 2 < age < DAY]
    assert all(later - earlier == HOUR for earlier, later in pairwise(hourly))
    assert len(hourly) == 23
    daily = [age for age in ages if age >= DAY]
    assert all(later - earlier == DAY for earlier, later in pairwise(daily))
    assert len(daily) == 9
    assert last in kept(every, now)


@given(st.lists(st.integers(0, 40 * DAY), min_size=1, max_size=60), st.integers(0, 3 * DAY))
def test_thinning_again_later_never_keeps_what_thinning_before_let_go(times: list[int], later: int) -> None:
    every = list(enumerate(sorted(times)))
    now = every[-1][1]
    once = kept(every, now)
    assert every[-1][0] in once
    assert kept([one for one in every if one[0] in once], now) == once
    again = kept([one for one in every if one[0] in once], now + later)
    assert again <= once
    for _, time in every:
        same_day = [version for version, other in every if other // DAY == time // DAY]
        assert set(same_day) & again, "no day is lost"


@pytest.mark.slow
def test_events_are_kept_so_long_and_what_was_learned_of_them_stays(
    either: SmallService, folder: Callable[[], Path]
) -> None:
    service = either
    service.change(keep_days=3.0)
    teach(service, RIGHT)
    for day in range(8):
        play(service, *names(f"day{day}-"))
        service.saved()
        service.wait(86_400 - WAIT - 1)
    service.reward("never decided", 1.0)
    learned = service.bandit.to_bytes()
    service.train_after(1)
    left = {event.split("-")[0] for (event,) in service.read("SELECT event FROM events")}
    assert left == {"day6", "day7"}, "day5 is three days and a second old"
    assert {event.split("-")[0] for _, _, event in service.journal() if event} == left
    assert "labels" in [kind for _, kind, _ in service.journal()], "labels stay"
    oldest = min(number for number, kind, _ in service.journal() if kind == "event")
    assert min(service.versions()) < oldest, "a version to begin from"
    assert service.bandit.to_bytes() == learned
    for version in service.versions():
        with service.copied(folder(), version) as other:
            assert state(other) == state(service)
    service.train_after(3 * 86_400 + 1)
    assert service.counts()["rewards"] == 0, "those of events that never came go as well"


def test_models_of_the_format_before_go_on_without_their_events(
    service: SmallService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_modelfile, "_VERSION", 4)
    play(service, *names("gone"))
    service.saved()
    service.run(service.trainer.sweep("loop", 0.0))
    assert service.read("SELECT count(*) FROM events") == [(0,)]
    monkeypatch.undo()
    service.restart()
    service.train()
    assert service.bandit.learned_ == 6


def test_models_of_newer_code_are_passed_over_and_stay(
    service: SmallService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    play(service, *names("a"))
    keep(service)
    monkeypatch.setattr(_modelfile, "_VERSION", 99)
    play(service, *names("b"))
    newest = service.saved()
    monkeypatch.undo()
    learned = state(service)
    service.restart()
    service.train()
    assert f"version {newest} of loop cannot be used; the one before it is used" in caplog.text
    assert state(service) == learned
    assert service.read("SELECT max(broken) FROM versions") == [(0,)]


@pytest.mark.slow
def test_events_of_a_long_wait_stay_until_everything_before_them_can_go(
    either: SmallService, folder: Callable[[], Path]
) -> None:
    service = either
    service.change(keep_days=2.0, wait=4 * 86_400.0)
    decide(service, "decided first, joined last")
    service.change(wait=WAIT)
    for day in range(6):
        play(service, *names(f"day{day}-", 2))
        service.saved()
        service.wait(86_400 - WAIT - 1)
    service.train()
    for version in service.versions():
        with service.copied(folder(), version) as other:
            assert state(other) == state(service)


@pytest.mark.slow
def test_after_a_retraining_only_versions_are_kept_that_can_be_replayed(
    either: SmallService, folder: Callable[[], Path]
) -> None:
    service = either
    service.change(keep_days=2.0)
    for day in range(5):
        play(service, *names(f"day{day}-", 2))
        if day == 3:
            service.retrain()
        service.saved()
        service.wait(86_400 - WAIT - 1)
    service.train()
    assert service.versions()
    for version in service.versions():
        with service.copied(folder(), version) as other:
            assert state(other) == state(service)


# Forgetting


EVENTS = names("e", 12)


def told(folder: Path, kind: dict[str, Any], without: set[str], extra: Callable[[SmallService], None]) -> SmallService:
    """A service that was told everything except of some events."""
    service = SmallService(folder)
    service.make(kind, wait=WAIT)
    teach(service, RIGHT)
    for i, event in enumerate(EVENTS):
        if event not in without:
            unit = "a person" if i in (3, 7) else None
            service.decide(event, context={"hour": i}, unit=unit, **offered(service))
            if i % 2:
                service.reward(event, i / 12)
        service.wait(0.5)
    service.train_after(WAIT - 3)  # some of them are learned
    keep(service)
    teach(service, REWARDS, source="llm")
    extra(service)
    service.train()
    return service


def _changed_and_retrained(service: SmallService) -> None:
    service.change(features="linear")
    service.retrain()
    service.train()


def _back_and_on(service: SmallService) -> None:
    service.restore(service.versions()[-1])
    teach(service, DONE)
    service.release()


EXTRAS: dict[str, Callable[[SmallService], None]] = {
    "nothing more": lambda service: None,
    "retrained": _changed_and_retrained,
    "restored": _back_and_on,
    "pinned": lambda service: service.restore(service.versions()[-1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("forgotten", [{"e2"}, {"e11"}, {"e0"}, {"e3", "e7"}])
def test_what_is_forgotten_has_never_been(
    tmp_path_factory: pytest.TempPathFactory, kind: str, extra: str, forgotten: set[str]
) -> None:
    with ExitStack() as stack:
        service, never = (
            stack.enter_context(told(tmp_path_factory.mktemp("store"), KINDS[kind], without, EXTRAS[extra]))
            for without in (set(), forgotten)
        )
        joined = {event: number for number, _, event in service.journal() if event}
        first = min(joined[event] for event in forgotten)
        before = service.versions()
        if len(forgotten) == 2:
            assert service.forget_unit("a person") == 2
        else:
            assert service.forget_event(min(forgotten)) == 1
        for table in ("events", "rewards", "activations"):
            assert not forgotten & {event for (event,) in service.read(f"SELECT event FROM {table}")}
        assert not forgotten & {event for _, _, event in service.journal()}
        assert service.versions() == [version for version in before if version < first]
        assert not service.read("SELECT 1 FROM published WHERE version >= $1", first)
        service.train_after(5)
        assert service.bandit.to_bytes() == never.bandit.to_bytes()
        never.train_after(5)
        assert service.published()["pinned"] == never.published()["pinned"]
        policies = [one.read("SELECT policy FROM published")[0][0] for one in (service, never)]
        assert policies[0] == policies[1], "workers decide by it"


def test_an_event_that_waits_can_be_forgotten(service: SmallService) -> None:
    decide(service, "a", "b")
    service.train()
    before = service.bandit.to_bytes()
    assert service.forget_event("b") == 1
    assert service.counts()["events"] == 1
    assert service.counts()["rewards"] == 0
    service.train()
    assert service.bandit.to_bytes() == before


def test_what_came_for_an_event_that_was_never_decided_can_be_forgotten(service: SmallService) -> None:
    service.reward("e", 1.0)
    service.activate("e")
    assert service.forget_event("e") == 1
    assert service.read("SELECT 1 FROM rewards UNION ALL SELECT 1 FROM activations") == []


def test_what_is_not_there_cannot_be_forgotten(service: SmallService) -> None:
    for forget in (service.forget_event, service.forget_unit):
        with pytest.raises(RefusedError) as refused:
            forget("nobody")
        assert refused.value.status == 404


def test_a_forgotten_id_can_be_decided_again(service: SmallService) -> None:
    play(service, "e")
    service.forget_event("e")
    play(service, "e")
    assert service.bandit.learned_ == 1
    assert service.counts()["joined"] == 1


# Events without randomness


UNDRAWN = ("learned", "draws", "selector")
"""What begins like this is of rounds that were drawn."""


@pytest.mark.slow
@pytest.mark.parametrize("arm", ["not explored", "fallback"])
def test_events_without_randomness_teach_costs_and_never_score_lambda(either: SmallService, arm: str) -> None:
    service = either
    teach(service, RIGHT, source="editors")
    play(service, *names("a", 20))
    before, scores = service.bandit._whole_state(), service.bandit.scores_
    if arm == "fallback":
        service.lose_models()
    for event in names("b"):
        told = service.decide(event, context={"hour": 2}, explore=arm != "not explored", **offered(service))
        assert told["arm"] == arm
        assert sorted(told["probabilities"].values()) == [0.0, 0.0, 1.0]
        service.reward(event, -3.0)
    service.train_after(WAIT + 1)
    after = service.bandit._whole_state()
    same = {name for name in before if before[name].tobytes() == after[name].tobytes()}
    assert {name for name in before if name.startswith(UNDRAWN)} <= same
    assert set(before) - same, "costs were learned"
    assert np.array_equal(service.bandit.scores_, scores)
    assert service.bandit.learned_ == 20


def test_the_arm_and_its_own_probabilities_are_logged(service: SmallService) -> None:
    play(service, *names("a", 4))
    service.decide("greedy", explore=False)
    shown = service.event("greedy")
    assert shown["arm"] == "not explored"
    assert shown["slots"][0]["probability"] == 1.0


# Named loops


def test_decisions_from_before_an_action_came_are_learned_after_it(service: SmallService) -> None:
    decide(service, *names("before"))
    service.add_action("music")
    service.train()
    decide(service, *names("after"))
    service.train_after(WAIT + 1)
    assert service.bandit.learned_ == 12
    assert set(service.event("before0")["slots"][0]["probabilities"]) == {"news", "sport", "weather"}
    assert set(service.event("after0")["slots"][0]["probabilities"]) == {"news", "sport", "weather", "music"}


def test_decisions_from_before_a_reset_are_learned_after_it(either: SmallService) -> None:
    play(either, *names("old", 40))
    decide(either, *names("waits"))
    either.reset()
    either.train()
    assert either.bandit.learned_ == 0
    either.train_after(WAIT + 1)
    assert either.bandit.learned_ == 6


def test_an_action_is_known_from_the_beginning_after_a_reset(service: SmallService) -> None:
    play(service, *names("a"))
    service.add_action("music")
    service.reset()
    service.train()
    assert service.bandit.actions == ("news", "sport", "weather", "music")
    play(service, *names("b"))
    assert service.bandit.learned_ == 6


def test_an_action_can_be_decided_on_before_the_model_knows_it(service: SmallService) -> None:
    play(service, *names("a"))
    service.add_action("music")
    told = service.decide("e")
    assert told["arm"] == "model"
    assert told["probabilities"]["music"] == 0.0
    told = service.decide("only", allowed=["music"])
    assert (told["arm"], told["action"], told["probability"]) == ("fallback", "music", 1.0)
    service.train_after(WAIT + 1)
    assert service.decide("f")["probabilities"]["music"] > 0


def test_an_entry_that_cannot_be_learned_is_passed_over_alike_each_time(
    service: SmallService, folder: Callable[[], Path]
) -> None:
    play(service, *names("a"))
    service.write(
        "INSERT INTO inbox (loop, kind, body, time) VALUES ($1, 'labels', $2, 0)",
        service.loop,
        json.dumps({"examples": [{"context": {}, "right": "nobody knows it"}]}),
    )
    play(service, *names("b"))
    assert service.bandit.learned_ == 12
    check_replay(service, folder)


def test_loops_have_journals_of_their_own(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        for service.loop, kind in (("one", NAMED), ("two", DESCRIBED)):
            service.make(kind, wait=WAIT)
        for service.loop in ("one", "two"):
            decide(service, *names(service.loop))
        service.train_after(WAIT + 1)
        for service.loop in ("one", "two"):
            assert [number for number, _, _ in service.journal()] == [1, 2, 3, 4, 5, 6]
            assert service.bandit.learned_ == 6


def test_an_evaluation_says_how_many_events_a_version_may_have_learned(service: SmallService) -> None:
    play(service, *names("a", 8))
    before = keep(service)
    service.reset()
    teach(service, RIGHT)
    labelled = keep(service)
    play(service, *names("b"))
    after = keep(service)
    for version, count in ((before, 8), (labelled, 0), (after, 6)):
        warnings = service.evaluate(f"version:{version}")["policies"][f"version:{version}"]["warnings"]
        learned = [text for text in warnings if "may have learned" in text]
        assert [f"{count} events" in text for text in learned] == [True] * bool(count)
    with pytest.raises(RefusedError, match=rf"nearest stored ones are .*{after}; GET"):
        service.evaluate(f"greedy:{after + 1}")
