"""Runs with described actions: the same compiled and call by call, what is shown, what is charged."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from warmcb import ArrowCB, Decision, Noise, SharedBandit, load, simulate, simulate_many
from warmcb.errors import InputError


class Rounds(NamedTuple):
    """A small problem: some rounds of two to five actions, whose cost depends on context and description."""

    X: Any
    actions: list[Any]
    costs: list[NDArray[np.float64]]
    ids: list[list[str]] | None


def make_rounds(
    n: int = 150, *, context: bool = True, ids: bool = False, is_sparse: bool = False, unknown: float = 0.0
) -> Rounds:
    random = np.random.default_rng(5)
    items, likes = random.normal(size=(30, 4)).round(2), random.normal(size=(3, 4))
    if is_sparse:
        items[random.random(items.shape) < 0.5] = 0
    X, offered = random.normal(size=(n, 3)), [random.permutation(30)[: random.integers(2, 6)] for _ in range(n)]
    costs = [1 / (1 + np.exp(-(likes.T @ x) @ items[some].T)) for x, some in zip(X, offered, strict=True)]
    for one in costs:
        one[random.random(len(one)) < unknown] = np.nan
    matrix = sparse.csr_array if is_sparse else np.asarray
    return Rounds(
        matrix(X) if context else None,
        [matrix(items[some]) for some in offered],
        costs,
        [[f"item {one}" for one in some] for some in offered] if ids else None,
    )


def run_of(rounds: Rounds, bandit: Any, **settings: Any) -> Any:
    X, actions, costs, ids = rounds
    return simulate(bandit, X, actions=actions, costs=costs, ids=ids, **settings)


def equal(one: Any, other: Any) -> None:
    for name in one.trace._fields:
        np.testing.assert_array_equal(getattr(one.trace, name), getattr(other.trace, name), err_msg=name)


@pytest.mark.parametrize("unknown", [0.0, 0.3])
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("context", [False, True])
def test_compiled_equals_live(context: bool, ids: bool, is_sparse: bool, unknown: float) -> None:
    rounds = make_rounds(context=context, ids=ids, is_sparse=is_sparse, unknown=unknown)
    for warm_start in (0, 40):
        settings: dict[str, Any] = {"warm_start": warm_start, "noise": "uar:0.5", "seed": 3}
        compiled = run_of(rounds, SharedBandit(seed=1), **settings)
        live = run_of(rounds, SharedBandit(seed=1), **settings, compiled=False)
        equal(compiled, live)
        assert (compiled.average_cost, compiled.shown) == (live.average_cost, live.shown)
        assert compiled.bandit.learned_ == live.bandit.learned_ == compiled.shown
        assert (compiled.shown < len(compiled.trace.costs)) == (unknown > 0)


@pytest.mark.parametrize("parts", [{"learner": "online"}, {"lambdas": 2, "selector": "cost/p"}])
def test_other_parts_are_equal_as_well(parts: dict[str, Any]) -> None:
    rounds = make_rounds(ids=True)
    equal(*(run_of(rounds, SharedBandit(**parts), warm_start=40, compiled=compiled) for compiled in (True, False)))


def test_a_run_is_what_a_live_loop_does() -> None:
    rounds = make_rounds(ids=True, unknown=0.2)
    assert rounds.ids is not None
    run = run_of(rounds, SharedBandit(seed=4), warm_start=30, shuffle=False)
    bandit = SharedBandit(seed=4)
    bandit.warm_start(rounds.X[:30], actions=rounds.actions[:30], costs=rounds.costs[:30], ids=rounds.ids[:30])
    for t, i in enumerate(range(30, 150)):
        decision = bandit.decide(rounds.X[i], actions=rounds.actions[i], ids=rounds.ids[i])
        assert (decision.action, decision.probability) == (run.trace.actions[t], run.trace.probabilities[t])
        cost = float(rounds.costs[i][decision.action])
        np.testing.assert_equal(cost, run.trace.costs[t])
        if not np.isnan(cost):
            bandit.learn(rounds.X[i], decision, cost)
    assert run.shown < 120
    assert run.average_cost == pytest.approx(np.nanmean(run.trace.costs))


@pytest.mark.parametrize("truth", ["bandit", "supervised"])
def test_labels_are_costs_of_0_and_1(truth: str) -> None:
    rounds = make_rounds()
    y = [int(one.argmin()) for one in rounds.costs]
    costs = [(np.arange(len(one)) != right).astype(float) for one, right in zip(rounds.costs, y, strict=True)]
    settings: dict[str, Any] = {"warm_start": 50, "noise": "cyc:0.5", "truth": truth, "seed": 2}
    labelled = simulate(SharedBandit(cost_range=(0, 1)), rounds.X, y, actions=rounds.actions, **settings)
    equal(labelled, run_of(rounds._replace(costs=costs), SharedBandit(cost_range=(0, 1)), **settings))


class Watcher:
    """A user's own bandit: plays the last action, and writes down what it is shown."""

    def __init__(self) -> None:
        self.warm: dict[str, Any] = {}
        self.seen: list[tuple[Any, int, float, float, Any, Any]] = []

    def warm_start(self, X: Any, **told: Any) -> None:
        self.warm = {"X": X, **told}

    def decide(self, x: Any, actions: Any, ids: Any = None) -> Decision:
        return Decision(actions.shape[0] - 1, 0.5, np.empty(0))

    def learn(self, x: Any, row: int, cost: float, probability: float, actions: Any, ids: Any = None) -> None:
        self.seen.append((x, row, cost, probability, actions, ids))


def test_a_foreign_bandit_sees_what_it_should() -> None:
    rounds, watcher = make_rounds(ids=True, unknown=0.2), Watcher()
    assert rounds.ids is not None
    run = run_of(rounds, watcher, warm_start=50, interaction=60, shuffle=False, noise="cyc:1")
    np.testing.assert_array_equal(watcher.warm["X"], np.float32(rounds.X[:50]))
    np.testing.assert_array_equal(watcher.warm["actions"][7], np.float32(rounds.actions[7]))
    np.testing.assert_array_equal(watcher.warm["costs"][7], np.roll(rounds.costs[7], 1))
    assert list(watcher.warm["ids"][7]) == rounds.ids[7]
    last = np.array([one[-1] for one in rounds.costs[50:110]])
    np.testing.assert_array_equal(run.trace.costs, last)
    assert [seen[2] for seen in watcher.seen] == last[~np.isnan(last)].tolist()
    assert run.shown == len(watcher.seen) < 60
    assert run.rows.tolist() == list(range(50, 110))


def test_a_foreign_bandit_without_context_and_with_labels() -> None:
    rounds, watcher = make_rounds(context=False), Watcher()
    y = np.array([len(one) - 1 for one in rounds.costs])
    simulate(watcher, None, y, actions=rounds.actions, warm_start=20, shuffle=False, noise="cyc:1")
    assert watcher.warm["X"] is None
    assert watcher.warm["y"].tolist() == [0] * 20
    assert {seen[2] for seen in watcher.seen} == {0.0}
    assert watcher.seen[0][0] is None


def test_a_foreign_bandits_decisions_are_checked() -> None:
    class Wild(Watcher):
        answer: Any = Decision(5, 0.5, np.empty(0))

        def decide(self, x: Any, actions: Any, ids: Any = None) -> Decision:
            return self.answer  # type: ignore[no-any-return]

    rounds, wild = make_rounds(), Wild()
    with pytest.raises(InputError, match="the action of decide is 5; expected an integer from 0 to"):
        run_of(rounds, wild)
    wild.answer = Decision(0, 7.0, np.empty(0))
    with pytest.raises(InputError, match="probability is 7"):
        run_of(rounds, wild)
    wild.answer = 1
    with pytest.raises(InputError, match="decide gave 1; expected a Decision"):
        run_of(rounds, wild)


def test_the_truth_is_charged_where_the_rounds_are_wrong() -> None:
    rounds = make_rounds()
    settings: dict[str, Any] = {"warm_start": 50, "noise": "cyc:1", "truth": "supervised", "shuffle": False}
    watcher = Watcher()
    run = run_of(rounds, watcher, **settings)
    np.testing.assert_array_equal(watcher.warm["costs"][3], rounds.costs[3])
    assert [seen[2] for seen in watcher.seen] == [one[-2] for one in rounds.costs[50:]]
    assert run.trace.costs.tolist() == [one[-1] for one in rounds.costs[50:]]
    compiled, live = (run_of(rounds, SharedBandit(), **settings, compiled=compiled) for compiled in (True, False))
    equal(compiled, live)


def test_checkpoints_and_the_seed() -> None:
    rounds = make_rounds(unknown=0.4)
    run = run_of(rounds, SharedBandit(), warm_start=50, checkpoints=[20, 100])
    assert run.checkpoints == pytest.approx({t: np.nanmean(run.trace.costs[:t]) for t in (20, 100)})
    orders = [run_of(rounds, SharedBandit(), warm_start=50, seed=seed).rows.tolist() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    assert len(set(orders[0])) == 100


def test_many_equal_one_by_one() -> None:
    X, actions, costs, ids = make_rounds(ids=True)
    common: dict[str, Any] = {"actions": actions, "costs": costs, "ids": ids, "warm_start": 40, "seed": 9}
    bandits = [SharedBandit(seed=seed) for seed in (1, 2, 3)]
    for run, bandit in zip(simulate_many(bandits, X, **common, threads=2), bandits, strict=True):
        assert run.bandit is bandit
        equal(run, simulate(bandit.clone(), X, **common))
    with pytest.raises(InputError, match=r"bandits\[1\] is ArrowCB.*; expected all bandits for described actions, or"):
        simulate_many([SharedBandit(), ArrowCB(3)], X, **common)


def test_names_of_columns_are_remembered() -> None:
    import polars as pl

    rounds = make_rounds(n=20)
    frames = [pl.DataFrame(one, schema=["a", "b", "c", "d"]) for one in rounds.actions]
    mixed = [frames[0], *(frame.select("d", "c", "b", "a") for frame in frames[1:])]
    X = pl.DataFrame(rounds.X, schema=["u", "v", "w"])
    run = run_of(rounds._replace(X=X, actions=mixed), SharedBandit(), warm_start=5)
    assert (run.bandit.features_, run.bandit.action_features_) == (("u", "v", "w"), ("a", "b", "c", "d"))
    equal(run, run_of(rounds, SharedBandit(), warm_start=5))


@pytest.mark.slow
@given(st.lists(st.integers(1, 5), min_size=1, max_size=20), st.integers(0, 9), st.sampled_from(["uar:1", "uar:0.5"]))
def test_costs_move_within_their_round(sizes: list[int], seed: int, noise: str) -> None:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rounds = np.repeat(np.arange(len(sizes)), sizes)
    moved = Noise.parse(noise).move(starts, seed)
    assert sorted(moved.tolist()) == list(range(starts[-1]))
    np.testing.assert_array_equal(rounds[moved], rounds)


def test_how_often_costs_move() -> None:
    starts = np.arange(0, 40_001, 4)
    changed = {
        text: (Noise.parse(text).move(starts, 1).reshape(-1, 4) != np.arange(40_000).reshape(-1, 4))
        for text in ("uar:1", "uar:0.25", "cyc:0.25", "none")
    }
    assert abs(changed["uar:1"].mean() - 3 / 4) < 0.01  # a place in four keeps its cost by chance
    assert abs(changed["uar:0.25"].mean() - 3 / 16) < 0.01
    assert abs(changed["cyc:0.25"].mean() - 1 / 4) < 0.01
    assert not changed["none"].any()
    assert not (changed["uar:0.25"] & ~changed["uar:1"]).any(), "what is wrong at a small p is wrong at a larger one"


def keep(labels: Any, n_actions: int, majority: int, generator: Any) -> Any:
    return labels


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"noise": "maj:0.5"}, "noise is maj:0.5; expected none, uar:P or cyc:P with described actions"),
        ({"noise": keep}, "keep; expected none, uar:P or cyc:P with described actions"),
        ({"warm_start": 150}, "warm_start is 150; expected an integer from 0 to 149"),
        ({"interaction": 151}, "interaction is 151; expected an integer from 1 to 150"),
        ({"truth": "me"}, "truth is 'me'; expected one of bandit, supervised"),
        ({"seed": -1}, "seed is -1"),
        ({"checkpoints": [151]}, "checkpoint is 151"),
        ({"actions": []}, "actions has the length 0; expected 150, the number of rows of X"),
        ({"actions": [], "X": None, "costs": []}, "actions is empty; expected the actions of at least one round"),
        ({"actions": None}, "actions is None; expected a list with the actions of each round"),
        ({"costs": None}, "y and costs: expected exactly one of them"),
        ({"costs": [[np.nan] * len(one) for one in make_rounds().costs]}, "costs has no number, only NaN"),
        ({"ids": [["a"]]}, "expected a list of ids for each of the 150 rounds"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], message: str) -> None:
    X, actions, costs, _ = make_rounds()
    given: dict[str, Any] = {"X": X, "actions": actions, "costs": costs} | changes
    with pytest.raises(InputError) as caught:
        simulate(SharedBandit(), **given)
    assert message in str(caught.value)


def test_each_kind_of_bandit_has_its_kind_of_actions() -> None:
    rounds = make_rounds()
    with pytest.raises(InputError, match="bandit is ArrowCB; expected a SharedBandit, as actions are described"):
        run_of(rounds, ArrowCB(3))
    with pytest.raises(InputError, match=r"actions\[0\] has shape \(3,\); expected a matrix"):
        simulate(SharedBandit(), np.ones((4, 1)), [0] * 4, actions=np.ones((4, 3)))


@pytest.mark.filterwarnings("error")
def test_labels_that_nobody_has_judged_teach_nothing(tmp_path: Path) -> None:
    rounds = make_rounds()
    unknown: list[Any] = [np.full(len(one), np.nan, dtype=np.float32) for one in rounds.costs[:40]]
    known: list[Any] = [one.astype(np.float32) for one in rounds.costs[40:]]
    run = run_of(rounds._replace(costs=[*unknown, *known]), SharedBandit(), warm_start=40, shuffle=False)
    assert run.shown == 110
    assert run.average_cost < np.mean(np.concatenate(known))
    run.bandit.save(tmp_path / "it.warmcb")
    np.testing.assert_array_equal(load(tmp_path / "it.warmcb").lambdas_, run.bandit.lambdas_)
