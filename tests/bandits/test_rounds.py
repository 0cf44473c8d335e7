"""The round as an object: decisions that travel, draws that never repeat, workers, threads."""

import json
import multiprocessing
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.own_parts import InPython
from tests.support.problems import make_problem
from warmcb import ArrowCB, Bandit, BanditOnly, Decision, SupervisedTruth, WarmBandit, load, simulate
from warmcb._core import Contest, Stream
from warmcb._streams import of_worker, round_of_key
from warmcb.contracts import Outcome
from warmcb.errors import InputError, ModelFileError
from warmcb.explorers import EXPLORERS

PROBLEM = make_problem(n=2000)


def taught(bandit: Any, rounds: int = 100) -> Any:
    bandit.warm_start(PROBLEM.X[:100], PROBLEM.y[:100])
    for i in range(100, 100 + rounds):
        decision = bandit.decide(PROBLEM.X[i])
        bandit.learn(PROBLEM.X[i], decision, PROBLEM.costs[i, decision.action])
    return bandit


# Decisions

names = st.text(max_size=20)
probabilities = st.floats(0, 1, exclude_min=True)
decisions = st.builds(
    Decision,
    st.integers(0, 2**20) | names,
    probabilities,
    st.lists(probabilities, min_size=1, max_size=5).map(np.array),
    st.lists(st.integers(0, 9) | names, max_size=4).map(tuple),
    st.integers(0, 2**62),
    st.none() | st.integers() | names,
)


@pytest.mark.slow
@given(decisions)
def test_a_decision_loses_nothing_on_its_way(decision: Decision) -> None:
    for travelled in (
        Decision.from_dict(json.loads(json.dumps(decision.to_dict()))),
        pickle.loads(pickle.dumps(decision)),
    ):
        assert travelled == decision and hash(travelled) == hash(decision)
        assert type(travelled.key) is type(decision.key) and travelled.probabilities.dtype == np.float64


def test_decisions_differ() -> None:
    decision = ArrowCB(3).decide([1.0], key="a")
    others = [decision._replace(round=1), decision._replace(key="b"), decision._replace(action=9)]
    changed = decision._replace(probabilities=decision.probabilities * 0.9)
    assert all(decision != other for other in (*others, changed))


@pytest.mark.parametrize("changed", [{"probabilities": ["x"]}, {"probabilities": [[1, 2], [3]]}, {"actions": None}])
def test_a_damaged_decision_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="expected lists of probabilities and of actions"):
        Decision.from_dict(ArrowCB(2).decide([1.0]).to_dict() | changed)


@pytest.mark.parametrize(
    ("plain", "message"),
    [
        ({}, "the decision has no action, probability, probabilities, actions, round, key; expected the result of to_"),
        ({"action": 1}, "the decision has no probability, probabilities, actions, round, key; expected the result of"),
        (7, "the decision is 7; expected a dictionary with action, probability, probabilities"),
        ({**ArrowCB(2).decide([1.0]).to_dict(), "more": 1}, "the decision has 'more'; expected only action, probab"),
    ],
)
def test_what_is_no_decision_is_refused(plain: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Decision.from_dict(plain)


def test_decisions_of_others_are_refused() -> None:
    named = ArrowCB(actions=["a", "b", "c"]).warm_start(PROBLEM.X[:9], PROBLEM.y[:9])
    plain = ArrowCB(3).warm_start(PROBLEM.X[:9], PROBLEM.y[:9])
    x = PROBLEM.X[0]
    with pytest.raises(InputError, match=r"the action of the decision is .*; expected a name, as actions have names"):
        named.learn(x, plain.decide(x), 0.5)
    with pytest.raises(InputError, match="the decisions have other names of actions"):
        named.learn_many(PROBLEM.X[:5], plain.decide_many(PROBLEM.X[:5]), np.zeros(5))
    decision = plain.decide(x)
    plain.add_action()
    with pytest.raises(InputError, match="action is 3, which was not allowed"):
        plain.learn(x, decision._replace(action=3, actions=(0, 3)), 0.5)
    with pytest.raises(InputError, match=r"from a bandit with probabilities of the shape \(3, 1\)"):
        plain.learn(x, decision._replace(probabilities=np.ones((3, 1))), 0.5)
    with pytest.raises(InputError, match="actions is empty"):
        plain.learn(x, decision._replace(actions=None), 0.5)
    many = plain.decide_many(PROBLEM.X[:5])
    changed: dict[str, Any] = {"action": np.full(5, 9), "probability": np.zeros(5), "round": np.full(5, -1)}
    for name, values in changed.items():
        with pytest.raises(
            InputError, match=rf"decisions\.{name}\[0\] is|action is 9; expected an integer from 0 to 3"
        ):
            plain.learn_many(PROBLEM.X[:5], replace(many, **{name: values}), np.zeros(5))
    odd: dict[str, Any] = {"probability": np.ones(1), "round": np.array(["a"] * 5), "probabilities": [[1]]}
    for name, values in odd.items():
        with pytest.raises(InputError):
            plain.learn_many(PROBLEM.X[:5], replace(many, **{name: values}), np.zeros(5))
    for nothing in (None, 7, iter(many)):
        with pytest.raises(InputError, match="expected 5 decisions, one for each row of X"):
            plain.learn_many(PROBLEM.X[:5], nothing, np.zeros(5))  # type: ignore[arg-type]
    assert plain.learned_ == named.learned_ == 0


def test_some_of_many() -> None:
    many = ArrowCB(3).decide_many(PROBLEM.X[:6], keys=list("abcdef"))
    assert list(many[2:4]) == list(many[[2, 3]]) == list(many[np.arange(6) // 2 == 1]) == [many[2], many[3]]


@pytest.mark.slow
def test_another_process_learns_it(tmp_path: Path) -> None:
    bandit = taught(WarmBandit(3, seed=3))
    bandit.save(tmp_path / "b.warmcb")
    decision = bandit.decide(PROBLEM.X[300], actions=[0, 2], key="event-17")
    event = {"x": PROBLEM.X[300].tolist(), "decision": decision.to_dict(), "cost": 0.25}
    (tmp_path / "event.json").write_text(json.dumps(event))
    script = """
import json, sys, warmcb
bandit = warmcb.load("b.warmcb")
event = json.load(open("event.json"))
bandit.learn(event["x"], warmcb.Decision.from_dict(event["decision"]), event["cost"])
assert warmcb.Decision.from_dict(event["decision"]) == warmcb.load("b.warmcb").decide(event["x"], [0, 2], "event-17")
bandit.save("b.warmcb")
"""
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)
    bandit.learn(PROBLEM.X[300], decision, 0.25)
    again = load(tmp_path / "b.warmcb")
    assert [again.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:50])] == [
        bandit.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:50])
    ]


@pytest.mark.parametrize("delay", [0.0, 48.0])
@pytest.mark.parametrize("explorer", ["inverse-gap", InPython(EXPLORERS["inverse-gap"])])
def test_a_late_cost_counts_with_the_largest_weight_of_its_own_round(explorer: Any, delay: float) -> None:
    """Evidence for λ is bounded by the ε of the decision's round, and not by that of today."""
    bandit = taught(WarmBandit(3, explorer=explorer, cost_range=(0, 1), seed=3), rounds=1000)
    bandit._optimism.restore(bandit._optimism.state() | {"delay": np.array([delay])})
    selector = bandit._selector.snapshot()
    early = Decision(1, 0.5, np.array([0.25, 0.5, 0.25]), (0, 1, 2), 7)
    scores = bandit._learner.predict(bandit._row(PROBLEM.X[5])[1], 0)
    share = 0.25 if delay else 0.0  # of the decisions, in which the bonuses count
    weight = partial(bandit._explorer.largest_weight, 3, bandit.epsilon)
    largest = [weight(7, of_eligible) / (1 - share) for of_eligible in (True, False)]
    assert largest[0] < weight(bandit.learned_, True)
    greedy = scores.argmin(axis=0).astype(np.int32)
    selector.add(Outcome(scores, greedy, 1, 1.0, 0.5, largest[0], largest[1], bandit.learned_ - 7))
    bandit.learn(PROBLEM.X[5], early, 1.0)
    assert isinstance(selector, Contest)
    assert {name: array.tobytes() for name, array in bandit._selector.state().items()} == {
        name: array.tobytes() for name, array in selector.state().items()
    }


def test_exploration_follows_what_was_learned_and_not_what_was_decided() -> None:
    bandit = taught(WarmBandit(3, seed=3), rounds=400)
    first = bandit.decide(PROBLEM.X[700], key="a")
    for _ in range(1000):
        bandit.decide(PROBLEM.X[701])
    assert bandit.decide(PROBLEM.X[700], key="a") == first
    assert first.round == bandit.learned_ == 400


# Draws


@pytest.mark.slow
def test_a_key_names_a_draw_everywhere(tmp_path: Path) -> None:
    bandit = taught(WarmBandit(3, epsilon=1.0, seed=3))
    expected = [bandit.decide(PROBLEM.X[0], key=key).action for key in ("1", 1, "a", -5, 2**200)]
    bandit.save(tmp_path / "b.warmcb")
    script = """
import numpy as np, warmcb
bandit = warmcb.load("b.warmcb")
x = np.load("x.npy")
print([int(bandit.decide(x, key=key).action) for key in ("1", 1, "a", -5, 2**200)])
"""
    np.save(tmp_path / "x.npy", PROBLEM.X[0])
    done = subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert json.loads(done.stdout) == expected


def test_numbers_and_texts_are_different_keys() -> None:
    keys: list[Any] = [1, "1", -1, "-1", "", " ", "number 1", "text 1", 0, "0", "\ud800", "é", "e\u0301"]
    assert len({round_of_key(key) for key in keys}) == len(keys)
    bandit = ArrowCB(3, epsilon=1.0)
    for wrapped, plain in ((np.int64(7), 7), (np.str_("a"), "a"), (np.array(3), 3)):
        decision = bandit.decide([1.0], key=wrapped)  # type: ignore[arg-type]
        assert decision == bandit.decide([1.0], key=plain) and type(decision.key) is type(plain)


def test_keyed_draws_are_uniform() -> None:
    stream = Stream(5, 5)
    draws = np.sort([stream.uniform(round_of_key(f"event-{i}")) for i in range(20_000)])
    assert np.abs(draws - (np.arange(20_000) + 0.5) / 20_000).max() < 1.63 / np.sqrt(20_000)  # Kolmogorov, 1 %


def test_streams_of_workers_never_meet() -> None:
    internal = [Stream(7, stream) for stream in range(10)]
    workers = [of_worker(7, worker, part) for worker in (1, 2, 3, 2**32 - 1) for part in (0, 1, 500)]
    draws = [stream.uniform(i) for stream in (*internal, *workers) for i in range(200)]
    assert len(set(draws)) == len(draws)
    assert of_worker(7, 0, 0).uniform(3) == Stream(7, 0).uniform(3)


def test_workers_draw_their_own_numbers_and_go_on_exactly(tmp_path: Path) -> None:
    path = tmp_path / "b.warmcb"
    taught(BanditOnly(3, epsilon=1.0, seed=3)).save(path)

    def actions(worker: Any, n: int = 200) -> list[int]:
        return [worker.decide(PROBLEM.X[0]).action for _ in range(n)]

    runs = [actions(load(path, stream=stream)) for stream in (None, 1, 2, 3)]
    assert len({tuple(run) for run in runs}) == 4
    assert actions(load(path, stream=2)) == runs[2]
    worker = load(path, stream=2)
    actions(worker, 80)
    worker.save(tmp_path / "worker.warmcb")
    assert actions(load(tmp_path / "worker.warmcb"), 120) == runs[2][80:]
    assert actions(load(tmp_path / "worker.warmcb", stream=2), 120) == runs[2][80:]
    later = load(path)
    later.learn(PROBLEM.X[0], 0, 0.5, 1 / 3)
    later.save(path)
    assert actions(load(path, stream=2)) != runs[2]  # a newer snapshot repeats nothing
    with pytest.raises(InputError, match="stream is -1; expected an integer from 0"):
        load(path, stream=-1)


def test_no_stream_is_drawn_from_twice(tmp_path: Path) -> None:
    """Whoever takes over a stream goes on from a snapshot that nobody else has drawn from."""
    path, x = tmp_path / "b.warmcb", PROBLEM.X[0]
    bandit = BanditOnly(10, epsilon=1.0, seed=3)
    first = [bandit.decide(x).action for _ in range(100)]
    bandit.save(path)
    worker = load(path, stream=3)
    third = [worker.decide(x).action for _ in range(100)]
    worker.save(tmp_path / "w.warmcb")
    again = load(tmp_path / "w.warmcb", stream=0)  # the worker's file does not know how far the first one is
    assert [again.decide(x).action for _ in range(100)] != first
    load(path).warm_start(PROBLEM.X[:5], PROBLEM.y[:5]).save(path)  # nothing was decided, nor any round learned
    later = load(path, stream=3)
    assert [later.decide(x).action for _ in range(100)] != third


def test_changes_before_any_data_keep_the_stream(tmp_path: Path) -> None:
    ArrowCB(3).save(tmp_path / "b.warmcb")
    worker = load(tmp_path / "b.warmcb", stream=3)
    draws = worker._draws.state().tolist()
    lock = worker._lock
    worker.add_action()
    worker.set_params(epsilon=0.5)
    assert (worker._draws.state().tolist(), worker._lock) == (draws, lock)


def _work(path: Path, worker: int, requests: int, out: Any) -> None:
    """Decide with whatever policy lies there now, loaded again every 20 requests."""
    random = np.random.default_rng(worker)
    played, logged, variance = np.zeros(3), np.zeros(3), np.zeros(3)
    for i in range(requests):
        if i % 20 == 0:
            policy = load(path)
        decision = policy.decide(PROBLEM.X[random.integers(len(PROBLEM.y))])
        played[decision.action] += 1
        logged += decision.probabilities
        variance += decision.probabilities * (1 - decision.probabilities)
    out.put((played, logged, variance))


@pytest.mark.slow
def test_logged_probabilities_are_what_happened(tmp_path: Path) -> None:
    """100,000 decisions of four workers, each of which loads the newest policy all the time."""
    path = tmp_path / "policy.warmcb"
    bandit = taught(WarmBandit(3, epsilon=0.3, seed=1))
    bandit.policy().save(path)
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    workers = [context.Process(target=_work, args=(path, worker, 25_000, out)) for worker in range(4)]
    for worker in workers:
        worker.start()
    found: list[Any] = []
    i = 0
    while len(found) < 4:
        assert all(worker.exitcode in (None, 0) for worker in workers)
        for _ in range(20):
            i = (i + 1) % 2000
            decision = bandit.decide(PROBLEM.X[i])
            bandit.learn(PROBLEM.X[i], decision, PROBLEM.costs[i, decision.action])
        bandit.policy().save(path)
        while not out.empty():
            found.append(out.get())
    for worker in workers:
        worker.join()
    played, logged, variance = np.sum(found, axis=0)
    assert played.sum() == 100_000
    assert (np.abs(played - logged) < 4 * np.sqrt(variance)).all()


def test_a_policy_without_keys_makes_random_ones() -> None:
    policy = taught(BanditOnly(3, epsilon=1.0)).policy()
    singles = [policy.decide(PROBLEM.X[0]) for _ in range(300)]
    many = list(policy.decide_many(np.tile(PROBLEM.X[0], (300, 1))))
    for made in (singles, many):
        assert len({decision.key for decision in made}) == 300
        assert set(np.bincount([decision.action for decision in made], minlength=3) > 60) == {True}
        assert all(policy.decide(PROBLEM.X[0], key=decision.key) == decision for decision in made)


# Threads


def in_threads(*jobs: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(jobs)) as pool:
        for future in [pool.submit(job) for job in jobs]:
            future.result()


@pytest.mark.slow
@pytest.mark.parametrize("make", [ArrowCB, WarmBandit, SupervisedTruth], ids=lambda kind: kind.__name__)
def test_threads_wait_for_each_other(make: type[Bandit], tmp_path: Path) -> None:
    bandit: Any = make(3, seed=2)  # type: ignore[call-arg]
    if make is not SupervisedTruth:
        in_threads(*[lambda: bandit.warm_start(PROBLEM.X[:500], PROBLEM.y[:500])] * 3)
    else:
        bandit.warm_start(PROBLEM.X[:500], PROBLEM.y[:500])
    stop = threading.Event()

    def play() -> None:
        for i in range(300):
            decision = bandit.decide(PROBLEM.X[i])
            bandit.learn(PROBLEM.X[i], decision, PROBLEM.costs[i, decision.action])

    def play_many() -> None:
        for begin in range(0, 300, 50):
            many = bandit.decide_many(PROBLEM.X[begin : begin + 50])
            costs = PROBLEM.costs[np.arange(begin, begin + 50), many.action]
            bandit.learn_many(PROBLEM.X[begin : begin + 50], many, costs)

    def look() -> None:
        while not stop.is_set():
            bandit.policy().decide(PROBLEM.X[0])
            assert np.isfinite(bandit.scores_).all()
            bandit.save(tmp_path / "b.warmcb")

    watcher = threading.Thread(target=look)
    watcher.start()
    in_threads(play, play, play_many, play_many)
    stop.set()
    watcher.join()
    assert bandit.learned_ == 1200
    assert load(tmp_path / "b.warmcb").learned_ <= 1200
    assert np.isfinite(bandit.predict_costs(PROBLEM.X)).all()


def test_a_policy_in_many_threads() -> None:
    policy = taught(WarmBandit(3, epsilon=0.5)).policy()
    expected = [policy.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:400])]

    def decide() -> None:
        assert [policy.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:400])] == expected
        assert list(policy.decide_many(PROBLEM.X[:400], keys=range(400))) == expected

    in_threads(*[decide] * 4)


def test_a_state_that_is_not_finite_is_not_saved(tmp_path: Path) -> None:
    bandit = taught(ArrowCB(3))
    bandit.save(tmp_path / "b.warmcb")
    before = (tmp_path / "b.warmcb").read_bytes()
    bandit._learner.weights[0] = np.nan
    with pytest.raises(ModelFileError, match=r"learner_weights\[0\] is nan"):
        bandit.save(tmp_path / "b.warmcb")
    assert (tmp_path / "b.warmcb").read_bytes() == before


def test_several_threads_meet_a_fresh_bandit() -> None:
    for _ in range(20):
        bandit = WarmBandit(3)
        errors: list[Exception] = []

        def job(work: Callable[[], object], errors: list[Exception] = errors) -> None:
            try:
                work()
            except Exception as error:
                errors.append(error)

        def play(bandit: WarmBandit = bandit) -> None:
            for i in range(5):
                bandit.learn(PROBLEM.X[i], 0, 0.5, 0.5)

        def look(bandit: WarmBandit = bandit) -> object:
            return bandit.scores_

        jobs: list[Callable[[], object]] = [bandit.add_action, play, play, look]
        threads = [threading.Thread(target=job, args=(work,)) for work in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert (bandit.learned_, bandit.n_actions) == (10, 4)


# Allowed actions


def test_the_best_that_is_there_is_found() -> None:
    """Actions come and go; what is allowed is judged among itself."""
    gaps = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = random.normal(size=(4000, 6))
        costs = 1 / (1 + np.exp(-X @ random.normal(size=(6, 6))))
        there = random.random((4000, 6)) < 0.6
        there[~there.any(axis=1), 0] = True
        run = simulate(WarmBandit(6, seed=seed), X, costs=np.where(there, costs, np.nan), actions=there, shuffle=False)
        gaps.append(run.trace.costs[2000:].mean() - np.where(there, costs, np.inf).min(axis=1)[2000:].mean())
    assert np.mean(gaps) < 0.022


def test_a_warm_start_may_have_judged_some_actions_only() -> None:
    X, costs = PROBLEM.X[:60], np.array(PROBLEM.costs[:60])
    judged = np.ones((60, 3), dtype=bool)
    judged[:, 2] = False
    costs[:, 2] = np.nan
    bandit = WarmBandit(3).warm_start(X, costs=costs, actions=judged)
    np.testing.assert_allclose(bandit.predict_costs(X)[:, 2], 0.5)  # nobody has said anything of it
    with pytest.raises(InputError, match=r"costs\[0, 2\] is nan; expected a finite number"):
        WarmBandit(3).warm_start(X, costs=costs)
    with pytest.raises(InputError, match=r"y\[\d+\] is 2; expected one of the judged actions"):
        WarmBandit(3).warm_start(X, PROBLEM.y[:60], actions=judged)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "Polars"])
def test_tables_of_actions_go_by_their_names(kind: Any) -> None:
    names = ["a", "b", "c"]
    mask = np.array([[True, True, False], [False, True, True], [False, False, True]])
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]] * 20)
    swapped = ["c", "a", "b"]

    def table(array: Any, columns: list[str]) -> Any:
        return kind(dict(zip(names, array.T, strict=True)))[columns]

    expected = ArrowCB(actions=names).warm_start(PROBLEM.X[:60], costs=costs)
    given = ArrowCB(actions=names).warm_start(PROBLEM.X[:60], costs=table(costs, swapped))
    np.testing.assert_array_equal(given.predict_costs(PROBLEM.X), expected.predict_costs(PROBLEM.X))
    np.testing.assert_array_equal(given.decide_many(PROBLEM.X[:3], actions=table(mask, swapped)).actions, mask)
    plain = ArrowCB(3).warm_start(PROBLEM.X[:60], costs=table(costs, names))
    np.testing.assert_array_equal(plain.decide_many(PROBLEM.X[:3], actions=table(mask, names)).actions, mask)
    with pytest.raises(InputError, match="costs has no column 'c'"):
        given.warm_start(PROBLEM.X[:60], costs=table(costs, ["a", "b"]))


def test_labels_with_a_mask_are_costs_with_gaps() -> None:
    judged = np.ones((100, 3), dtype=bool)
    judged[np.arange(100), (PROBLEM.y[:100] + 1) % 3] = False
    costs = np.where(judged, PROBLEM.costs[:100], np.nan)
    by_label = WarmBandit(3).warm_start(PROBLEM.X[:100], PROBLEM.y[:100], actions=judged)
    by_cost = WarmBandit(3).warm_start(PROBLEM.X[:100], costs=costs, actions=judged)
    np.testing.assert_array_equal(by_label.predict_costs(PROBLEM.X), by_cost.predict_costs(PROBLEM.X))
