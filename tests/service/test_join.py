"""How rewards find their events: each sentence on cases that a hand can compute."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from small_service import BEGIN, NAMED, SmallService
from warmcb.service.clock import SECOND, iso
from warmcb.service.refusals import RefusedError
from warmcb.service.store.beat import GRACE

WAIT = 100.0
TOP = [{"id": "top"}, {"id": "side"}]


@pytest.fixture
def service(place: Path | str) -> Iterator[SmallService]:
    with SmallService(place) as service:
        service.make(NAMED, wait=WAIT)
        yield service


def outcome(service: SmallService, event: str) -> tuple[float | None, bool | None]:
    """What the only decision of an event brought, and whether that was filled in; None as long as it waits."""
    (slot,) = service.event(event)["slots"]
    return slot["reward"], slot["filled"]


def lateness(service: SmallService, event: str) -> list[bool]:
    (slot,) = service.event(event)["slots"]
    return [reward["late"] for reward in slot["rewards"]]


# When an event is joined


def test_every_event_is_joined_at_its_deadline_rewarded_or_not(service: SmallService) -> None:
    service.decide("rewarded")
    service.decide("not")
    assert service.reward("rewarded", 1.0) == "kept"
    service.train_after(WAIT)
    assert outcome(service, "rewarded") == outcome(service, "not") == (None, None)
    service.train_after(1e-6)
    assert outcome(service, "rewarded") == (1.0, False)
    assert outcome(service, "not") == (0.0, True)
    assert service.journal() == [(1, "event", "rewarded"), (2, "event", "not")]


def test_a_reward_in_the_microsecond_of_the_deadline_counts_whenever_the_trainer_looks(service: SmallService) -> None:
    service.decide("e")
    service.train_after(WAIT)
    assert service.reward("e", 1.0) == "kept"
    service.train_after(1)
    assert outcome(service, "e") == (1.0, False)
    assert lateness(service, "e") == [False]


def test_an_early_reward_is_kept_until_the_decision_comes(service: SmallService) -> None:
    assert service.reward("e", 0.5) == "early"
    service.train_after(3 * WAIT)
    service.decide("e")
    assert service.event("e")["slots"][0]["rewards"][0]["late"] is False
    service.train_after(WAIT + 1)
    assert outcome(service, "e") == (0.5, False)


def test_a_late_reward_is_kept_and_shown_and_not_learned(service: SmallService) -> None:
    service.decide("e")
    service.wait(WAIT + 1e-6)
    assert service.reward("e", 1.0) == "late", "before the trainer has looked"
    service.train()
    before = service.bandit.to_bytes()
    assert service.reward("e", 1.0) == "late", "and after"
    service.train_after(WAIT)
    assert outcome(service, "e") == (0.0, True)
    assert lateness(service, "e") == [True, True]
    assert service.counts() == {"events": 1, "waiting": 0, "joined": 1, "rewards": 2, "late": 2}
    assert service.bandit.to_bytes() == before


@pytest.mark.parametrize("wait", [1.0, 59.5, 86_400.0, 90 * 86_400.0])
def test_waits_are_from_a_second_to_90_days(service: SmallService, wait: float) -> None:
    service.change(wait=wait)
    service.decide("e")
    service.train_after(wait)
    assert outcome(service, "e") == (None, None)
    assert service.reward("e", 1.0) == "kept"
    service.train_after(1e-6)
    assert outcome(service, "e") == (1.0, False)


@pytest.mark.parametrize("wait", [0.999, 90 * 86_400 + 1])
def test_other_waits_are_refused(service: SmallService, wait: float) -> None:
    with pytest.raises(RefusedError, match="wait"):
        service.change(wait=wait)
    assert service.settings()["version"] == 1


# Several rewards


CAME = [0.5, 2.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("aggregation", "worth"),
    [("earliest", 0.5), ("sum", 2.5), ("mean", 0.625), ("median", 0.75), ("least", -1.0), ("largest", 2.0)],
)
def test_several_rewards_are_worth_what_the_aggregation_says(
    service: SmallService, aggregation: str, worth: float
) -> None:
    service.change(aggregation=aggregation, default_reward=-9.0)
    assert service.reward("e", CAME[0]) == "early"
    service.wait(1)
    service.decide("e")
    for value in CAME[1:]:
        service.wait(1)
        service.reward("e", value)
    service.wait(WAIT)
    assert service.reward("e", 1000.0) == "late"
    service.train()
    assert outcome(service, "e") == (worth, False)


def test_the_first_of_two_in_the_middle_and_one_alone(service: SmallService) -> None:
    for aggregation in ("earliest", "sum", "mean", "median", "least", "largest"):
        service.change(aggregation=aggregation)
        service.decide(aggregation)
        service.reward(aggregation, 0.25)
    service.train_after(WAIT + 1)
    assert {outcome(service, name) for name in ("earliest", "sum", "mean", "median", "least", "largest")} == {
        (0.25, False)
    }


# Repeated deliveries


def test_a_repeated_delivery_counts_once(service: SmallService) -> None:
    service.change(aggregation="sum")
    service.decide("e")
    assert [service.reward("e", 1.0, key="k") for _ in range(3)] == ["kept", "repeated", "repeated"]
    assert service.reward("e", 1.0, key="other") == "kept"
    service.train_after(WAIT + 1)
    assert service.reward("e", 1.0, key="k") == "repeated", "whenever it comes again"
    assert outcome(service, "e") == (2.0, False)
    assert service.counts()["rewards"] == 2


def test_without_a_key_every_delivery_counts(service: SmallService) -> None:
    service.change(aggregation="sum")
    service.decide("e")
    assert [service.reward("e", 1.0) for _ in range(3)] == ["kept"] * 3
    service.train_after(WAIT + 1)
    assert outcome(service, "e") == (3.0, False)


def test_the_same_key_with_another_value_is_a_conflict_and_changes_nothing(service: SmallService) -> None:
    service.change(aggregation="sum")
    service.reward("e", 1.0, key="k")
    service.decide("e")
    with pytest.raises(RefusedError, match="Idempotency-Key 'k' was used for the reward 1;") as refused:
        service.reward("e", 2.0, key="k")
    assert refused.value.status == 409
    service.train_after(WAIT + 1)
    assert outcome(service, "e") == (1.0, False)


def test_a_key_belongs_to_a_loop_an_event_and_a_slot(service: SmallService) -> None:
    for event in ("e", "f"):
        service.decide(event, slots=TOP)
    assert service.reward("e", 1.0, slot="top", key="k") == "kept"
    assert service.reward("e", 2.0, slot="side", key="k") == "kept"
    assert service.reward("f", 3.0, slot="top", key="k") == "kept"
    service.loop = "another"
    service.make(NAMED)
    assert service.reward("e", 4.0, slot="top", key="k") == "early"


def test_a_repeated_decision_is_the_stored_one_and_counts_once(service: SmallService) -> None:
    first = service.decide("e", context={"hour": 1})
    service.change(wait=5.0)
    service.wait(3)
    assert service.decide("e", context={"hour": 2}) == first
    service.train_after(WAIT)
    assert service.counts()["events"] == 1


# Settings in force when an event was decided


def test_wait_default_and_aggregation_are_those_in_force_at_the_decision(service: SmallService) -> None:
    service.change(default_reward=0.25, aggregation="sum")
    for event in ("sum", "nothing"):
        service.decide(event)
    service.change(wait=10.0, default_reward=-1.0, aggregation="largest")
    for event in ("largest", "short"):
        service.decide(event)
    for event in ("sum", "largest"):
        for _ in range(2):
            service.reward(event, 1.0)
    service.train_after(11)
    assert outcome(service, "short") == (-1.0, True)
    assert outcome(service, "largest") == (1.0, False)
    assert outcome(service, "sum") == outcome(service, "nothing") == (None, None)
    service.train_after(WAIT)
    assert outcome(service, "sum") == (2.0, False)
    assert outcome(service, "nothing") == (0.25, True)


def test_the_answer_tells_the_deadline(service: SmallService) -> None:
    service.change(wait=2.5)
    told = service.decide("e")
    now = service.clock.now()
    assert (told["time"], told["due"], told["settings"]) == (iso(now), iso(now + 2_500_000), 2)


# First reward


def test_with_first_reward_a_rewarded_event_is_joined_at_once_and_another_at_its_deadline(
    service: SmallService,
) -> None:
    service.change(join="first_reward")
    service.decide("rewarded")
    service.decide("not")
    service.train_after(1)
    assert service.reward("rewarded", 1.0) == "kept"
    service.wait(1e-6)
    assert service.reward("rewarded", 5.0) == "late"
    service.train()
    assert outcome(service, "rewarded") == (1.0, False)
    assert lateness(service, "rewarded") == [False, True]
    service.train_after(WAIT - 1 - 1e-6)
    assert outcome(service, "not") == (None, None)
    service.train_after(1)
    assert outcome(service, "not") == (0.0, True)


def test_with_first_reward_an_early_one_joins_its_event_with_the_decision(service: SmallService) -> None:
    service.change(join="first_reward")
    service.reward("e", 1.0)
    service.wait(1)
    service.decide("e")
    service.train_after(1e-6)
    assert outcome(service, "e") == (1.0, False)


def test_join_is_that_in_force_at_the_decision(service: SmallService) -> None:
    service.decide("waits")
    service.change(join="first_reward")
    service.decide("hurries")
    service.change(join="deadline")
    for event in ("waits", "hurries"):
        service.reward(event, 1.0)
    service.train_after(1)
    assert outcome(service, "waits") == (None, None)
    assert outcome(service, "hurries") == (1.0, False)


def test_a_reward_for_a_slot_that_the_event_has_not_hurries_nothing(service: SmallService) -> None:
    service.change(join="first_reward")
    service.reward("e", 1.0)
    service.reward("e", 1.0, slot="bottom")
    service.decide("e", slots=TOP)
    service.train_after(1)
    assert service.event("e")["joined"] is None
    service.train_after(WAIT)
    assert [slot["filled"] for slot in service.event("e")["slots"]] == [True, True]


# Deferred events


def test_a_deferred_event_that_is_never_activated_is_never_learned(service: SmallService) -> None:
    service.decide("e", deferred=True)
    assert service.reward("e", 1.0) == "kept"
    service.train_after(WAIT + 1)
    assert service.event("e")["joined"] == 1
    assert service.event("e")["activated"] is False
    assert service.bandit.learned_ == 0


def test_a_deferred_event_that_is_activated_in_time_is_learned(service: SmallService) -> None:
    for event in ("early", "rewarded", "not", "late"):
        if event == "early":
            assert service.activate(event) == "early"
        service.decide(event, deferred=True)
    assert service.activate("rewarded") == "activated"
    assert service.activate("rewarded") == "repeated"
    service.reward("rewarded", 1.0)
    service.wait(WAIT)
    assert service.activate("not") == "activated", "in the microsecond of the deadline"
    service.wait(1e-6)
    assert service.activate("late") == "late"
    service.train()
    assert outcome(service, "rewarded") == (1.0, False)
    assert outcome(service, "not") == (0.0, True), "the wait begins with the decision"
    activated = {event: service.event(event)["activated"] for event in ("early", "rewarded", "not", "late")}
    assert activated == {"early": True, "rewarded": True, "not": True, "late": False}
    assert service.bandit.learned_ == 3


def test_an_event_that_is_not_deferred_needs_no_activation(service: SmallService) -> None:
    service.decide("e")
    assert service.activate("e") == "activated"
    service.train_after(WAIT + 1)
    assert service.event("e")["activated"] is True
    assert service.bandit.learned_ == 1


def test_with_first_reward_a_deferred_event_waits_for_its_activation(service: SmallService) -> None:
    service.change(join="first_reward")
    for event in ("rewarded first", "activated first", "never"):
        service.decide(event, deferred=True)
    service.activate("activated first")
    for event in ("rewarded first", "activated first", "never"):
        service.reward(event, 1.0)
    service.train_after(1)
    assert service.event("activated first")["activated"] is True
    assert service.event("rewarded first")["joined"] is service.event("never")["joined"] is None
    assert service.activate("rewarded first") == "activated"
    service.train_after(1)
    assert service.event("rewarded first")["activated"] is True
    service.train_after(WAIT)
    assert service.event("never")["activated"] is False
    assert service.bandit.learned_ == 2


def test_with_first_reward_an_early_reward_does_not_end_a_deferred_event(service: SmallService) -> None:
    service.change(join="first_reward")
    service.reward("e", 1.0)
    service.decide("e", deferred=True)
    service.train_after(1)
    assert service.activate("e") == "activated"
    service.train_after(1)
    assert service.bandit.learned_ == 1


# Slots


def test_each_slot_has_rewards_of_its_own(service: SmallService) -> None:
    service.change(aggregation="sum", default_reward=0.5)
    service.decide("e", slots=TOP)
    for _ in range(2):
        service.reward("e", 1.0, slot="side")
    service.train_after(WAIT + 1)
    slots = {slot["id"]: (slot["reward"], slot["filled"]) for slot in service.event("e")["slots"]}
    assert slots == {"top": (0.5, True), "side": (2.0, False)}
    assert service.bandit.learned_ == 2


@pytest.mark.parametrize(("slots", "slot"), [(None, "top"), (TOP, ""), (TOP, "bottom")])
def test_a_slot_that_is_not_there_is_refused(service: SmallService, slots: Any, slot: str) -> None:
    service.decide("e", slots=slots)
    with pytest.raises(RefusedError, match="slot is") as refused:
        service.reward("e", 1.0, slot=slot)
    assert refused.value.status == 400
    assert service.counts()["rewards"] == 0


# Rewards and their range


def test_what_is_joined_lies_in_the_range_or_is_learned_as_its_end(tmp_path: Path) -> None:
    with SmallService(tmp_path) as service:
        service.make(NAMED, wait=WAIT, aggregation="sum", reward_range=(0.0, 1.0))
        with pytest.raises(RefusedError, match="reward is 2; expected one from 0 to 1"):
            service.reward("e", 2.0)
        service.decide("e")
        service.decide("f")
        for reward in (0.75, 0.75):
            service.reward("e", reward)
        service.change(reward_range=(0.0, 10.0))
        assert service.settings()["waiting_for_retraining"] == ["reward_range"]
        service.reward("f", 10.0)
        service.train_after(WAIT + 1)
        assert outcome(service, "e") == (1.5, False)
        assert outcome(service, "f") == (10.0, False)
        assert service.bandit.learned_ == 2, "no event is lost to learning"


# A downtime


def beaten(service: SmallService) -> None:
    """The trainer has just told the time."""
    service.train()


def test_what_is_due_after_a_downtime_waits_two_minutes_more(service: SmallService) -> None:
    service.decide("e")
    beaten(service)
    service.wait(WAIT + 3600)
    assert service.restart() == 1
    service.train_after(GRACE / SECOND)
    assert service.reward("e", 1.0) == "kept", "its sender could not reach anybody before"
    service.train_after(1e-6)
    assert outcome(service, "e") == (1.0, False)


def test_what_is_due_soon_after_a_downtime_waits_as_long(service: SmallService) -> None:
    service.change(wait=3700.0)
    service.decide("soon")
    service.change(wait=2 * 86_400.0)
    service.decide("not soon")
    due = service.event("not soon")["due"]
    beaten(service)
    service.wait(3600)
    assert service.restart() == 1
    assert service.event("soon")["due"] == iso(service.clock.now() + GRACE)
    assert service.event("not soon")["due"] == due


def test_a_start_right_after_a_stop_is_no_downtime(service: SmallService) -> None:
    service.decide("e")
    service.train_after(WAIT)
    service.wait(4)
    assert service.restart() == 0
    service.train()
    assert outcome(service, "e") == (0.0, True)


def test_what_was_joined_before_a_downtime_stays_joined(service: SmallService) -> None:
    service.decide("e")
    service.train_after(WAIT + 1)
    service.wait(3600)
    assert service.restart() == 0
    assert service.reward("e", 1.0) == "late"


def test_a_reward_that_was_told_it_is_late_stays_late(service: SmallService) -> None:
    service.decide("e")
    service.decide("deferred", deferred=True)
    beaten(service)
    service.wait(WAIT + 1)
    assert service.reward("e", 1.0) == "late"
    assert service.activate("deferred") == "late"
    service.wait(3600)
    assert service.restart() == 0
    service.train_after(GRACE / SECOND + 1)
    assert outcome(service, "e") == (0.0, True)
    assert service.event("deferred")["activated"] is False


# Arrivals in any order


@pytest.mark.slow
@given(
    st.dictionaries(st.integers(0, 300), st.sampled_from([-1.0, 0.25, 1.0, 4.0]), max_size=8),
    st.sampled_from(["earliest", "sum", "mean", "median", "least", "largest"]),
    st.sets(st.integers(90, 310), max_size=3),
)
@settings(max_examples=50)
def test_what_counts_does_not_depend_on_when_the_trainer_looks(
    tmp_path_factory: pytest.TempPathFactory, came: dict[int, float], aggregation: str, looks: set[int]
) -> None:
    with SmallService(tmp_path_factory.mktemp("store")) as service:
        service.make(NAMED, wait=WAIT, aggregation=aggregation)
        for second in sorted({100, *looks, *came}):
            service.wait(second - (service.clock.now() - BEGIN) / SECOND)
            if second == 100:
                service.decide("e")
            if second in looks:
                service.train()
            if second in came:
                service.reward("e", came[second])
        service.train_after(1000)
        counted = [came[second] for second in sorted(came) if second <= 200]
        reward, filled = outcome(service, "e")
        assert filled == (not counted)
        if counted:
            ordered, middle = sorted(counted), len(counted) // 2
            assert (
                reward
                == {
                    "earliest": counted[0],
                    "sum": sum(counted),
                    "mean": sum(counted) / len(counted),
                    "median": ordered[middle] if len(counted) % 2 else (ordered[middle - 1] + ordered[middle]) / 2,
                    "least": ordered[0],
                    "largest": ordered[-1],
                }[aggregation]
            )
        assert service.counts()["late"] == len(came) - len(counted)
