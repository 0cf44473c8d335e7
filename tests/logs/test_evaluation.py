"""What `evaluate` says about policies of small worlds, where the truth can be computed."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.logged_worlds import DRINKS, WANTED, drinks, numbered, pages, rewards_of
from warmcb import ArrowCB, SharedBandit, WarmBandit
from warmcb.errors import DataError, InputError
from warmcb.features import Encoder
from warmcb.logs import Event, Slot, append_parquet, evaluate, learn_from, open_log, write_dsjson
from warmcb.logs.estimators import ESTIMATORS
from warmcb.logs.logged import Logged
from warmcb.logs.policies import Asked, default, policy_of, uniform
from warmcb.logs.table import table_of


def logged(events: Iterable[Event]) -> Logged:
    return Logged(table_of(events))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    append_parquet(folder, numbered(4000))
    return folder


TRUTH = np.array([rewards_of(x) for x in np.random.default_rng(99).normal(size=(20_000, 2))])


@pytest.mark.slow
@pytest.mark.parametrize("estimator", sorted(ESTIMATORS.keys() - {"dm"}))
@pytest.mark.parametrize(("policy", "value"), [("uniform", TRUTH.mean()), ("always:1", TRUTH[:, 1].mean())])
def test_estimates_come_near_the_truth(log: Path, policy: str, value: float, estimator: str) -> None:
    found = evaluate(log, [policy], model="linear").policies[policy].estimates[estimator]
    assert abs(found.value - value) < 4 * found.error
    assert found.error < 0.05


@pytest.mark.parametrize("model_learns", ["others", "earlier"])
def test_a_model_never_predicts_what_it_has_seen(model_learns: str, tmp_path: Path) -> None:
    # Rewards are pure noise and each context has its own: whoever has seen them would know them.
    random = np.random.default_rng(2)
    slots = [Slot(int(random.integers(2)), (0.5, 0.5), reward=float(random.random() < 0.5)) for _ in range(300)]
    append_parquet(tmp_path, (Event(f"e{i}", (slot,), x=tuple(random.normal(size=3))) for i, slot in enumerate(slots)))
    evidence = evaluate(tmp_path, ["logged"], model="bends", model_learns=model_learns).policies["logged"].evidence
    assert evidence.expected_played is not None
    assert abs(np.corrcoef(evidence.expected_played[50:], evidence.rewards[50:])[0, 1]) < 0.2


def test_the_logged_policy_has_the_mean_of_the_log(log: Path) -> None:
    found = evaluate(log, ["logged"], model="none")
    rewards = [event.slots[0].reward for event in open_log(log).events()]
    assert found.policies["logged"].estimates["ips"].value == pytest.approx(np.mean(np.array(rewards, dtype=float)))
    assert found.policies["logged"].effective_size == pytest.approx(4000)
    assert "dr" not in found.policies["logged"].estimates


def test_sequences_contain_the_truth_and_shrink(log: Path) -> None:
    band = evaluate(log, ["uniform"], model="none", reward_range=(0.0, 1.0)).policies["uniform"].sequence
    assert not band.asymptotic
    assert (band.low <= TRUTH.mean()).all()
    assert (band.high >= TRUTH.mean()).all()
    assert band.high[-1] - band.low[-1] < 0.2 < band.high[5] - band.low[5]


def test_differences_are_paired(log: Path) -> None:
    found = evaluate(log, {"uniform": "uniform", "the same": uniform, "always": "always:0"}, model="linear")
    assert found.policies["uniform"].compared is None
    same, always = found.policies["the same"].compared, found.policies["always"].compared
    assert same is not None
    assert always is not None
    assert same.value == same.error == 0.0
    assert abs(always.value - (TRUTH[:, 0].mean() - TRUTH.mean())) < 4 * always.error


# Who carries evidence


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"arm": "fallback"}, "fallback"),
        ({"arm": "control"}, "control"),
        ({"arm": "not explored"}, "not explored"),
        ({"arm": "baseline"}, "baseline"),
        ({"activated": False}, "not activated"),
    ],
)
def test_only_decisions_that_were_drawn_carry_evidence(change: dict[str, Any], reason: str, tmp_path: Path) -> None:
    others = (replace(event, id=f"x{event.id}", **change) for event in numbered(30))
    append_parquet(tmp_path, [*numbered(50), *others])
    found = evaluate(tmp_path, ["uniform"], model="none")
    assert found.decisions == 50
    assert found.left_out == {reason: 30}


def test_decisions_without_a_reward_wait(tmp_path: Path) -> None:
    events = [replace(e, slots=(replace(e.slots[0], reward=None),)) if i % 2 else e for i, e in enumerate(numbered(60))]
    append_parquet(tmp_path, events)
    found = evaluate(tmp_path, ["uniform"], model="none")
    assert found.decisions == 30
    assert found.left_out == {"without a reward": 30}


def test_a_log_without_evidence_is_refused(tmp_path: Path) -> None:
    append_parquet(tmp_path, (replace(event, arm="fallback") for event in numbered(20)))
    with pytest.raises(DataError, match=r"no decision of the log can be used \(20 fallback\)"):
        evaluate(tmp_path, ["uniform"])


def test_intervals_are_over_units(tmp_path: Path) -> None:
    events = list(numbered(400))
    repeated = [replace(event, id=f"{event.id}-{k}", unit=event.id) for event in events for k in range(5)]
    append_parquet(tmp_path / "once", events)
    append_parquet(tmp_path / "repeated", repeated)
    once = evaluate(tmp_path / "once", ["uniform"], model="none").policies["uniform"].estimates["ips"]
    five = evaluate(tmp_path / "repeated", ["uniform"], model="none").policies["uniform"].estimates["ips"]
    assert five.value == pytest.approx(once.value)
    assert five.error == pytest.approx(once.error)  # five copies of a decision say no more than one


def test_a_log_of_one_action_cannot_answer(tmp_path: Path) -> None:
    append_parquet(tmp_path, (replace(e, slots=(Slot(1, (0.0, 1.0, 0.0), reward=0.5),)) for e in numbered(200)))
    found = evaluate(tmp_path, ["uniform"], model="none").policies["uniform"]
    assert any("single action" in warning for warning in found.warnings)
    assert any("action that the log never plays" in warning for warning in found.warnings)
    assert any("all rewards are 0.5" in warning for warning in found.warnings)


# Policies


def test_uniform_and_default_know_allowed_sets() -> None:
    table = logged([Event("e", (Slot(2, (0.0, 0.5, 0.5), allowed=(1, 2), reward=0.0),))])
    assert uniform(table).tolist() == [0.0, 0.5, 0.5]
    assert default(table).tolist() == [0.0, 1.0, 0.0]
    assert policy_of("always:0")(table).tolist() == [0.0, 0.5, 0.5]
    assert policy_of("always:2")(table).tolist() == [0.0, 0.0, 1.0]


def wise(asked: Asked) -> int:
    wanted = DRINKS.index(WANTED[asked.context["hour"]])
    return wanted if asked.allowed[wanted] else int(np.flatnonzero(asked.allowed)[0])


@pytest.mark.slow
@pytest.mark.parametrize("described", [True, False])
def test_bandits_learn_from_logs_and_are_evaluated_on_others(described: bool, tmp_path: Path) -> None:
    write_dsjson(tmp_path / "before.dsjson", drinks(800, described=described))
    write_dsjson(tmp_path / "after.dsjson.gz", drinks(1500, seed=1, described=described))
    warm = WarmBandit(actions=DRINKS[::-1], encoder=Encoder(bits=8))  # another order than the log's
    bandits: dict[str, Any] = (
        {"warm": warm, "shared": SharedBandit(encoder=Encoder(bits=8))} if described else {"warm": warm}
    )
    for bandit in bandits.values():
        assert learn_from(bandit, tmp_path / "before.dsjson") == 800
    found = evaluate(tmp_path / "after.dsjson.gz", {"wise": wise, "uniform": "uniform", **bandits}, model="linear")
    best = found.policies["wise"].estimates["dr"].value
    assert best - found.policies["uniform"].estimates["dr"].value > 0.3
    for name in bandits:
        assert abs(found.policies[name].estimates["dr"].value - best) < 0.03


def test_saved_policies_by_name(log: Path, tmp_path: Path) -> None:
    bandit = WarmBandit(n_actions=3, epsilon=0.5)
    learn_from(bandit, log)
    bandit.save(tmp_path / "b.warmcb")
    bandit.policy().save(tmp_path / "p.warmcb")
    names = [f"greedy:{tmp_path}/b.warmcb", f"{tmp_path}/b.warmcb", f"{tmp_path}/p.warmcb"]
    found = evaluate(log, names, model="none")
    greedy, explored, frozen = (value.estimates["snips"].value for value in found.policies.values())
    assert explored == frozen
    assert greedy > TRUTH.mean() + 0.2
    assert explored > TRUTH.mean() + 0.2


def test_evaluating_a_bandit_changes_nothing(log: Path) -> None:
    bandit = WarmBandit(n_actions=3, seed=3).warm_start(np.eye(2), [0, 1])
    before = bandit.clone().warm_start(np.eye(2), [0, 1])
    evaluate(log, {"bandit": bandit}, model="none")
    assert [bandit.decide([1.0, 2.0]) for _ in range(20)] == [before.decide([1.0, 2.0]) for _ in range(20)]


def test_slots_are_decisions_among_what_is_left(tmp_path: Path) -> None:
    write_dsjson(tmp_path / "pages.dsjson", pages(600))
    found = evaluate(tmp_path / "pages.dsjson", {"best": first_wanted, "uniform": "uniform"}, model="none")
    assert found.decisions == 1200
    assert found.policies["best"].estimates["snips"].value > 0.85
    assert abs(found.policies["uniform"].estimates["snips"].value - 0.5) < 0.05


def test_a_part_of_a_log_knows_what_earlier_slots_took() -> None:
    whole = logged(pages(5))
    parts = [whole.part(begin, begin + 3) for begin in range(0, len(whole), 3)]  # cuts pages of two slots in two
    assert np.array_equal(np.concatenate([part.allowed for part in parts]), whole.allowed)
    assert [record["slot"] for part in parts for record in part.records] == [one["slot"] for one in whole.records]


def first_wanted(asked: Asked) -> int:
    assert asked.context["slot"]["size"] in ("l", "s")
    assert sum(asked.allowed) == (4 if asked.context["slot"]["size"] == "l" else 3)
    wanted = [i for i, action in enumerate(asked.actions) if action["wanted"] and asked.allowed[i]]
    return wanted[0] if wanted else int(np.flatnonzero(asked.allowed)[0])


def test_described_by_numbers(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    events = []
    for i in range(500):
        items = random.normal(size=(int(random.integers(2, 5)), 2))
        action = int(random.integers(len(items)))
        slot = Slot(action, (1 / len(items),) * len(items), reward=float(items[action, 0] > 0))
        events.append(Event(f"e{i}", (slot,), x=(1.0,), described=tuple(map(tuple, items.tolist()))))
    append_parquet(tmp_path, events)
    found = evaluate(tmp_path, {"best": lambda asked: int(np.argmax(np.array(asked.actions)[:, 0]))}, model="linear")
    assert found.policies["best"].estimates["dr"].value > 0.8


# Bad input


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("nobody", "policy is 'nobody'; expected uniform, default, logged"),
        ("always:9", "plays '9'; expected an action of the log, such as 0, 1, 2"),
        ("no_such_module:policy", "expected a module that can be imported"),
        (7, "policy is 7; expected a name"),
        (lambda asked: 5, "the policy gave 5; expected a place below 3, or 3 probabilities"),
        (lambda asked: [0.5, 0.2, 0.2], r"the policy gave \[0.5, 0.2, 0.2\]; expected"),
        (lambda asked: None, "the policy gave None"),
        (WarmBandit(n_actions=4).warm_start(np.eye(2), [0, 1]), "the log has 3 actions; expected 4"),
        (SharedBandit().warm_start(np.eye(2), actions=[np.eye(2)] * 2, y=[0, 1]), "described"),
    ],
)
def test_policies_that_do_not_fit(log: Path, policy: Any, message: str) -> None:
    with pytest.raises((InputError, DataError), match=message):
        evaluate(log, {str(policy): policy}, model="none")


def test_a_policy_for_other_names(tmp_path: Path) -> None:
    write_dsjson(tmp_path / "log.dsjson", drinks(20))
    beers = WarmBandit(actions=["ale", "stout"], encoder=Encoder()).warm_start([{"hour": "noon"}], ["ale"])
    with pytest.raises(InputError, match=r"the log has the action 'tea'; expected one of \['ale', 'stout'\]"):
        evaluate(tmp_path / "log.dsjson", {"beers": beers}, model="none")


def test_an_action_that_is_not_allowed(tmp_path: Path) -> None:
    write_dsjson(tmp_path / "log.dsjson", drinks(50))
    with pytest.raises(InputError, match="an action that is not allowed"):
        evaluate(tmp_path / "log.dsjson", {"tea": lambda asked: 0}, model="none")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"policies": []}, "policies is empty"),
        ({"model": "trees"}, "model is 'trees'"),
        ({"model_learns": "all"}, "model_learns is 'all'"),
        ({"level": 1.0}, "level is 1.0"),
        ({"reward_range": (1.0, 0.0)}, "reward_range is"),
        ({"reward_range": (0.0, 0.5)}, "reward"),
        ({"looks": 0}, "looks is 0"),
    ],
)
def test_arguments_that_make_no_sense(log: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate(log, **{"policies": ["uniform"], "model": "none", **arguments})


def test_rows_of_other_widths(tmp_path: Path) -> None:
    first, second = numbered(2)
    append_parquet(tmp_path, [first, replace(second, x=(1.0,))])
    with pytest.raises(DataError, match="x has 1 to 2 numbers; expected rows of the same width"):
        evaluate(tmp_path, ["uniform"])


def test_records_are_no_numbers(log: Path, tmp_path: Path) -> None:
    write_dsjson(tmp_path / "log.dsjson", drinks(20))
    plain = WarmBandit(actions=DRINKS).warm_start(np.eye(2), ["tea", "milk"])
    with pytest.raises(DataError, match="the log has records as contexts; expected a bandit with an encoder"):
        evaluate(tmp_path / "log.dsjson", {"plain": plain}, model="none")
    encoded = WarmBandit(n_actions=3, encoder=Encoder(bits=4)).warm_start([{"a": 1}], [0])
    with pytest.raises(DataError, match="the log has rows of numbers as contexts"):
        evaluate(log, {"encoded": encoded}, model="none")


def test_requests_are_kept_as_they_came() -> None:
    event = next(drinks(1))
    assert event.request is not None
    assert json.loads(event.request)["hour"] == event.context["hour"]


def test_learning_from_a_log_equals_learning_its_rounds(log: Path) -> None:
    bandit, by_hand = WarmBandit(n_actions=3), WarmBandit(n_actions=3)
    learn_from(bandit, log)
    for event in open_log(log).events():
        (slot,) = event.slots
        assert slot.reward is not None
        x = np.array(event.x, dtype=np.float32)
        by_hand.learn(x, slot.action, -slot.reward, slot.probability)
    X = np.random.default_rng(1).normal(size=(50, 2))
    assert np.array_equal(bandit.predict_costs(X), by_hand.predict_costs(X))
    assert bandit.learned_ == 4000


def test_a_bandit_of_the_paper_learns_from_rewards_in_a_range(log: Path) -> None:
    bandit = ArrowCB(n_actions=3)
    with pytest.raises(InputError, match="ArrowCB needs costs from 0 to 1"):
        learn_from(bandit, log)
    learn_from(bandit, log, reward_range=(0.0, 1.0))
    assert bandit.predict([[2.0, 0.0], [-2.0, 0.0], [0.0, 2.0]]).tolist() == [0, 2, 1]


def test_nothing_to_learn(tmp_path: Path) -> None:
    append_parquet(tmp_path, (replace(event, arm="baseline") for event in numbered(20)))
    with pytest.raises(DataError, match="no decision of the log can be learned"):
        learn_from(WarmBandit(n_actions=3), tmp_path)
