"""What must hold for SharedBandit in each of its shapes, as tests/bandits/test_battery.py says it of the others."""

import ast
import copy
import json
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse

from tests.support.offers import CASES, OWN_PARTS, PROBLEMS, Case, Offered, make_offers
from tests.support.own_parts import InPython
from warmcb import Decision, SharedBandit, WarmBandit
from warmcb import load as load_plain
from warmcb.bandits.decisions import Trace
from warmcb.bandits.shared_policy import SharedPolicy
from warmcb.errors import InputError, OrderError
from warmcb.explorers import EXPLORERS, InverseGap
from warmcb.learners import OnlineLinear
from warmcb.selectors import SELECTORS, Contest

TAUGHT = 40
"""How many of the first rounds are labels; units of features settle after 128 rounds."""


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]


def load(path: Path, stream: int | None = None) -> Any:
    return load_plain(path, stream, parts=OWN_PARTS)


def fingerprint(bandit: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def live(bandit: SharedBandit, offered: Offered, begin: int, end: int) -> list[tuple[int, float, float, float, float]]:
    """Rounds as a service plays them: action, probability, cost, λ and memory."""
    played = []
    for i in range(begin, end):
        in_charge, memory = bandit.lambda_, bandit.memory_
        decision = bandit.decide(**offered.offer(i))
        cost = float(offered.costs[i][decision.action])
        if not np.isnan(cost):
            bandit.learn(offered.x(i), decision, cost)
        played.append((decision.action, decision.probability, cost, in_charge, memory))
    return played


def started(case: Case) -> SharedBandit:
    return case.make().warm_start(**case.offered.some(0, TAUGHT), costs=case.offered.costs[:TAUGHT])


def compiled_rounds(bandit: SharedBandit, offered: Offered, cuts: tuple[int, ...]) -> Trace:
    """The same rounds in as many calls as there are spans between the cuts."""
    offering = bandit._many("actions", **offered.some(0, len(offered.actions)))
    costs = np.concatenate(offered.costs)
    arguments = offering.offers, costs, offering.starts
    traces = [bandit._play_offers(*arguments, begin, end) for begin, end in pairwise(cuts)]
    return Trace(*(np.concatenate(parts) for parts in zip(*traces, strict=True)))


# Resuming


@pytest.mark.parametrize("at", [TAUGHT + 3, 100, 210], ids=["early", "before units settle", "late"])
def test_resume_is_exact(case: Case, at: int, tmp_path: Path) -> None:
    """Also between a decision and its cost."""
    unbroken, broken = started(case), started(case)
    for bandit in (unbroken, broken):
        live(bandit, case.offered, TAUGHT, at)
    pending = [bandit.decide(**case.offered.offer(at)) for bandit in (unbroken, broken)]
    assert pending[0] == pending[1]
    broken.save(tmp_path / "b.warmcb")
    resumed = load(tmp_path / "b.warmcb")
    assert fingerprint(resumed) == fingerprint(unbroken)
    for bandit in (unbroken, resumed):
        bandit.learn(case.offered.x(at), pending[0], 0.25)
    assert live(resumed, case.offered, at + 1, 250) == live(unbroken, case.offered, at + 1, 250)
    assert fingerprint(resumed) == fingerprint(unbroken)


def test_save_before_any_data(case: Case, tmp_path: Path) -> None:
    case.make().save(tmp_path / "b.warmcb")
    assert live(load(tmp_path / "b.warmcb"), case.offered, 0, 30) == live(case.make(), case.offered, 0, 30)


def test_same_seed_same_decisions(case: Case) -> None:
    first, again = started(case), started(case)
    assert live(first, case.offered, TAUGHT, 160) == live(again, case.offered, TAUGHT, 160)
    assert fingerprint(first) == fingerprint(again)


def test_pickle_and_copy_are_exact_too(case: Case) -> None:
    bandit = started(case)
    live(bandit, case.offered, TAUGHT, 90)
    for twin in (pickle.loads(pickle.dumps(bandit)), copy.deepcopy(bandit)):
        assert fingerprint(twin) == fingerprint(bandit)
        live(twin, case.offered, 90, 100)
        assert fingerprint(twin) != fingerprint(bandit)


# Compiled rounds


def test_compiled_rounds_equal_live_rounds(case: Case) -> None:
    """Cut anywhere."""
    whole, cut, by_hand = started(case), started(case), started(case)
    trace = compiled_rounds(whole, case.offered, (TAUGHT, 260))
    pieces = compiled_rounds(cut, case.offered, (TAUGHT, TAUGHT + 1, 130, 131, 200, 260))
    one_by_one = live(by_hand, case.offered, TAUGHT, 260)
    for ours, theirs, expected in zip(trace, pieces, zip(*one_by_one, strict=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(ours, expected)
    assert fingerprint(whole) == fingerprint(cut) == fingerprint(by_hand)


@pytest.mark.parametrize("name", ["ids", "many columns", "one-hot", "own explorer"])
def test_a_cost_that_nobody_knows_is_not_learned(name: str) -> None:
    case = CASES[name]
    random = np.random.default_rng(1)
    costs = [np.where(random.random(len(one)) < 0.4, np.nan, one) for one in case.offered.costs]
    offered = case.offered._replace(costs=costs)
    compiled, by_hand = started(case), started(case)
    trace = compiled_rounds(compiled, offered, (TAUGHT, 120, 260))
    one_by_one = live(by_hand, offered, TAUGHT, 260)
    for ours, expected in zip(trace, zip(*one_by_one, strict=True), strict=True):
        np.testing.assert_array_equal(ours, expected)
    assert fingerprint(compiled) == fingerprint(by_hand)
    assert 0 < compiled.learned_ == (~np.isnan(trace.costs)).sum() < 220


@pytest.mark.parametrize("problem", ["ids", "no context", "one-hot", "wide CSR, ids", "many columns"])
@pytest.mark.parametrize("explorer", EXPLORERS)
@pytest.mark.parametrize("selector", SELECTORS)
def test_the_order_in_python_is_the_compiled_order(problem: str, explorer: str, selector: str) -> None:
    options = {"selector": selector, "lambdas": 2}
    compiled = started(Case(problem, options | {"explorer": explorer}))
    python = started(Case(problem, options | {"explorer": InPython(EXPLORERS[explorer])}))
    assert compiled._compiled is not None and python._compiled is None
    traces = [compiled_rounds(bandit, PROBLEMS[problem], (TAUGHT, 200)) for bandit in (compiled, python)]
    for ours, theirs in zip(*traces, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled) == fingerprint(python)


def test_the_two_orders_agree_on_late_costs() -> None:
    def played(**options: Any) -> tuple[SharedBandit, list[Decision]]:
        case = Case("ids", options)
        bandit, decisions, late = started(case), [], []
        for i in range(TAUGHT, 200):
            decisions.append(bandit.decide(**case.offered.offer(i)))
            late.append(i)
            if i % 7 == 0:
                for j in reversed(late):
                    one = decisions[j - TAUGHT]
                    bandit.learn(case.offered.x(j), one, float(case.offered.costs[j][one.action]))
                late.clear()
        return bandit, decisions

    compiled, python, other = played(), played(explorer=InPython(InverseGap())), played(selector=InPython(Contest()))
    assert compiled[1] == python[1]
    assert fingerprint(compiled[0]) == fingerprint(python[0])
    assert other[0]._compiled is None
    some = {**PROBLEMS["ids"].some(0, 50), "keys": range(50)}
    keyed = [bandit.policy().decide_many(**some) for bandit, _ in (compiled, python)]
    assert keyed[0] == keyed[1]


def test_a_learner_in_python_sees_what_the_compiled_one_sees() -> None:
    """Labels and predictions are the same; only a compiled one has rounds weighed by how many actions there were."""
    offered = PROBLEMS["ids"]
    compiled = started(Case("ids", {"learner": OnlineLinear()}))
    python = started(Case("ids", {"learner": InPython(OnlineLinear())}))
    assert python._compiled is None
    for ours, theirs in zip(
        compiled.predict_costs(**offered.some(0, 100)), python.predict_costs(**offered.some(0, 100)), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


# Decisions


def test_probabilities(case: Case) -> None:
    bandit = started(case)
    for i in range(TAUGHT, 100):
        decision = bandit.decide(**case.offered.offer(i))
        assert type(decision.action) is int
        assert decision.probabilities.shape == case.offered.costs[i].shape
        assert decision.probabilities.min() >= 0
        assert abs(decision.probabilities.sum() - 1) < 1e-12
        assert decision.probability == decision.probabilities[decision.action] > 0
        assert decision.round == bandit.learned_ == i - TAUGHT
        bandit.learn(case.offered.x(i), decision, float(case.offered.costs[i][decision.action]))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ids", "one-hot", "many columns", "own explorer"])
def test_the_reported_probability_is_the_one_played(name: str) -> None:
    bandit, offered = started(CASES[name]), CASES[name].offered
    live(bandit, offered, TAUGHT, 60)
    i = next(i for i in range(60, 260) if len(offered.costs[i]) == 4)
    draws = [bandit.decide(**offered.offer(i)) for _ in range(2000)]
    counts = np.bincount([decision.action for decision in draws], minlength=4)
    expected = 2000 * draws[0].probabilities
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected) + 1e-9).all()


def test_a_decision_loses_nothing_on_its_way(case: Case) -> None:
    bandit, twin = started(case), started(case)
    for i in range(TAUGHT, 60):
        decision = bandit.decide(**case.offered.offer(i), key=f"event {i}")
        described = case.offered.actions[i]
        assert sparse.issparse(decision.actions) == sparse.issparse(described)
        np.testing.assert_array_equal(dense(decision.actions), dense(described).astype(np.float32))
        assert decision.ids == (None if case.offered.ids is None else tuple(case.offered.ids[i]))
        travelled = Decision.from_dict(json.loads(json.dumps(decision.to_dict())))
        for other in (travelled, pickle.loads(pickle.dumps(decision))):
            assert other == decision and hash(other) == hash(decision)
            assert dense(other.actions).dtype == np.float32
        for one, given in ((bandit, decision), (twin, travelled)):
            one.learn(case.offered.x(i), given, 0.3)
    assert fingerprint(bandit) == fingerprint(twin)


def dense(A: Any) -> Any:
    return A.toarray() if sparse.issparse(A) else A


@pytest.mark.parametrize("make", [np.float32, lambda A: sparse.csr_array(A.astype(np.float32))], ids=["dense", "CSR"])
def test_a_decision_keeps_its_descriptions(make: Any) -> None:
    """A caller may fill the same array again before the cost is known."""
    A = make(np.arange(1.0, 7.0).reshape(3, 2))
    decision = SharedBandit().decide([1.0], A)
    (A.data if sparse.issparse(A) else A)[:] = 99
    np.testing.assert_array_equal(dense(decision.actions), np.arange(1.0, 7.0).reshape(3, 2))


def test_late_and_out_of_order(case: Case) -> None:
    bandit, other = started(case), started(case)  # the other one never decided, and learns from a log
    pending = [(i, bandit.decide(**case.offered.offer(i))) for i in range(TAUGHT, 80)]
    for i, decision in reversed(pending):
        for one in (bandit, other):
            one.learn(case.offered.x(i), decision, float(case.offered.costs[i][decision.action]))
    states = [fingerprint(one) for one in (bandit, other)]
    assert states[0].pop("draws") != states[1].pop("draws")
    assert states[0] == states[1]


def test_logs_of_others(case: Case) -> None:
    """An event of another system is as good as a decision of the present round."""
    ours, theirs = started(case), started(case)
    for i in range(TAUGHT, 90):
        decision = ours.decide(**case.offered.offer(i))
        ours.learn(case.offered.x(i), decision, 0.3)
        theirs.learn(
            case.offered.x(i),
            decision.action,
            0.3,
            decision.probability,
            actions=case.offered.actions[i],
            ids=decision.ids,
        )
    states = [fingerprint(one) for one in (ours, theirs)]
    assert states[0].pop("draws") != states[1].pop("draws")
    assert states[0] == states[1]


def test_decisions_of_another_kind_are_refused() -> None:
    offered = PROBLEMS["ids"]
    shared, numbered = started(CASES["ids"]), WarmBandit(4)
    described, plain = shared.decide(**offered.offer(50)), numbered.decide([1.0, 2.0])
    with pytest.raises(
        InputError, match="the decision is about numbered actions; expected one about described actions"
    ):
        shared.learn(offered.x(50), plain, 0.5)
    with pytest.raises(
        InputError, match="the decision is about numbered actions; expected one about described actions"
    ):
        shared.learn_many(offered.X[50:51], [plain], [0.5])
    calls: list[Callable[[], object]] = [
        lambda: numbered.learn([1.0, 2.0], described, 0.5),
        lambda: numbered.learn_many([[1.0, 2.0]], [described], [0.5]),
    ]
    for call in calls:
        with pytest.raises(InputError, match="about described actions; expected one about numbered actions"):
            call()


# Batches, keys, workers


def test_batches_are_the_same_bits_as_one_by_one(case: Case) -> None:
    one_by_one, batches = started(case), started(case)
    for begin, end in ((TAUGHT, TAUGHT + 1), (41, 100), (100, 150)):
        decisions = [one_by_one.decide(**case.offered.offer(i)) for i in range(begin, end)]
        many = batches.decide_many(**case.offered.some(begin, end))
        assert many == decisions
        costs = [float(case.offered.costs[i][one.action]) for i, one in zip(range(begin, end), many, strict=True)]
        for i, decision, cost in zip(range(begin, end), decisions, costs, strict=True):
            one_by_one.learn(case.offered.x(i), decision, cost)
        batches.learn_many(case.offered.some(begin, end)["X"], many, costs)
        assert fingerprint(batches) == fingerprint(one_by_one)
    keys: list[int | str] = ["a", 1, "1"]
    keyed = batches.decide_many(**case.offered.some(0, 3), keys=keys)
    assert keyed == [one_by_one.decide(**case.offered.offer(i), key=key) for i, key in enumerate(keys)]
    assert fingerprint(batches) == fingerprint(one_by_one)
    assert batches.decide_many(**case.offered.some(0, 0)) == []
    batches.learn_many(case.offered.some(0, 0)["X"], [], [])
    batches.warm_start(**case.offered.some(0, 0), costs=[])
    assert fingerprint(batches) == fingerprint(one_by_one)


def test_rewards_are_costs(case: Case) -> None:
    paid, earned = started(Case(case.problem, case.options | {"cost_range": None})), started(case)
    if case.options.get("cost_range"):
        return
    for begin, end in ((TAUGHT, 60), (60, 80)):
        decisions = paid.decide_many(**case.offered.some(begin, end))
        assert decisions == earned.decide_many(**case.offered.some(begin, end))
        costs = np.linspace(0, 1, end - begin)
        X = case.offered.some(begin, end)["X"]
        if begin == TAUGHT:
            paid.learn_many(X, decisions, costs)
            earned.learn_many(X, decisions, rewards=-costs)
        else:
            for k, decision in enumerate(decisions):
                paid.learn(case.offered.x(begin + k), decision, costs[k])
                earned.learn(case.offered.x(begin + k), decision, reward=-costs[k])
    assert fingerprint(paid) == fingerprint(earned)


def test_a_key_names_a_draw_everywhere(tmp_path: Path) -> None:
    bandit, offered = started(CASES["ids"]), PROBLEMS["ids"]
    expected = bandit.decide(**offered.offer(50), key="event")
    live(bandit, offered, TAUGHT, TAUGHT)  # nothing
    bandit.decide(**offered.offer(51))
    assert bandit.decide(**offered.offer(50), key="event") == expected
    bandit.save(tmp_path / "b.warmcb")
    workers = [load(tmp_path / "b.warmcb", stream=worker) for worker in (1, 2)]
    assert all(worker.decide(**offered.offer(50), key="event") == expected for worker in workers)
    counted = [[worker.decide(**offered.offer(i)).action for i in range(100, 260)] for worker in (bandit, *workers)]
    assert counted[0] != counted[1] != counted[2] != counted[0]
    texts = [bandit.decide(**offered.offer(55), key=key) for key in range(200)]
    numbers = [bandit.decide(**offered.offer(55), key=str(key)) for key in range(200)]
    assert [one.action for one in texts] != [one.action for one in numbers]


# Policies


@pytest.mark.slow
def test_a_policy_decides_as_the_bandit_did(case: Case, tmp_path: Path) -> None:
    bandit, offered = started(case), case.offered
    live(bandit, offered, TAUGHT, 170)
    before = fingerprint(bandit)
    policy = bandit.policy()
    policy.save(tmp_path / "policy.warmcb")
    assert fingerprint(bandit) == before
    keys = list(range(60))
    expected = bandit.decide_many(**offered.some(200, 260), keys=keys)
    greedy, costs = bandit.predict(**offered.some(0, 260)), bandit.predict_costs(**offered.some(0, 260))
    assert greedy.tolist() == [int(one.argmin()) for one in costs]
    live(bandit, offered, 170, 220)  # what happens to the bandit later is nothing to a policy
    for twin in (policy, load(tmp_path / "policy.warmcb"), pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert isinstance(twin, SharedPolicy)
        assert (twin.round, twin.lambda_) == (130, policy.lambda_)
        assert twin.decide_many(**offered.some(200, 260), keys=keys) == expected
        assert twin.decide(**offered.offer(217), key=17) == expected[17]
        np.testing.assert_array_equal(twin.predict(**offered.some(0, 260)), greedy)
        for ours, theirs in zip(twin.predict_costs(**offered.some(0, 260)), costs, strict=True):
            np.testing.assert_array_equal(ours, theirs)
        with pytest.raises(OrderError, match="round cannot be changed to 7"):
            twin.round = 7
    with pytest.raises(InputError, match="stream is 1; expected None for a policy"):
        load(tmp_path / "policy.warmcb", stream=1)
    with pytest.raises(OrderError, match="policy came before any data"):
        case.make().policy()


def test_a_policy_without_keys_makes_random_ones() -> None:
    offered = PROBLEMS["ids"]
    policy = started(CASES["ids"]).policy()
    singles = [policy.decide(**offered.offer(50)) for _ in range(50)]
    many = policy.decide_many(**offered.some(50, 100))
    assert len({decision.key for decision in [*singles, *many]}) == 100
    assert all(policy.decide(**offered.offer(50), key=decision.key) == decision for decision in singles)
    assert policy.decide_many([], []) == []


# Threads


def in_threads(*jobs: Callable[[], object]) -> None:
    with ThreadPoolExecutor(len(jobs)) as pool:
        for future in [pool.submit(job) for job in jobs]:
            future.result()


@pytest.mark.parametrize("name", ["few ids", "wide CSR, ids", "own learner"])
def test_threads_wait_for_each_other(name: str, tmp_path: Path) -> None:
    bandit, offered = CASES[name].make(), CASES[name].offered
    labels = {**offered.some(0, TAUGHT), "costs": offered.costs[:TAUGHT]}
    in_threads(*[lambda: bandit.warm_start(**labels)] * 3)
    stop = threading.Event()

    def play() -> None:
        live(bandit, offered, 0, 150)

    def play_many() -> None:
        for begin in range(0, 150, 50):
            many = bandit.decide_many(**offered.some(begin, begin + 50))
            bandit.learn_many(offered.X[begin : begin + 50], many, np.linspace(0, 1, 50))

    def look() -> None:
        while not stop.is_set():
            bandit.policy().decide(**offered.offer(0))
            assert np.isfinite(bandit.scores_).all()
            bandit.save(tmp_path / "b.warmcb")

    watcher = threading.Thread(target=look)
    watcher.start()
    in_threads(play, play, play_many, play_many)
    stop.set()
    watcher.join()
    assert bandit.learned_ == 600
    assert load(tmp_path / "b.warmcb").learned_ <= 600


def test_a_policy_in_many_threads() -> None:
    for name in ("ids", "one-hot", "many columns"):
        offered, policy = CASES[name].offered, started(CASES[name]).policy()
        expected = policy.decide_many(**offered.some(0, 260), keys=range(260))

        def decide(policy: Any = policy, offered: Offered = offered, expected: Any = expected) -> None:
            assert [policy.decide(**offered.offer(i), key=i) for i in range(260)] == expected

        in_threads(*[decide] * 4)


# State and parameters


def test_state_does_not_grow(case: Case) -> None:
    """The first rounds are kept for a while; of the online learner only columns are written that it has met.

    How many ids are known goes up and down; the next test bounds it.
    """
    bandit, offered = started(case), case.offered
    live(bandit, offered, 0, 260)
    met = ["learner_weights", "learner_scales", "learner_seen"] if bandit.learner_ == "online" else []
    kinds = ("identities", "identities_last", "effects", "effect_variances")
    met += [f"learner_models_{kind}" for kind in kinds]

    def sizes() -> dict[str, int]:
        return {name: len(data) for name, data in fingerprint(bandit).items() if name not in met}

    before = sizes()
    live(bandit, offered, 0, 100)
    assert sizes() == before


@pytest.mark.parametrize("learner", ["auto", "online"])
def test_state_is_bounded_whatever_ids_come(learner: str) -> None:
    bandit, random = SharedBandit(most_ids=16, learner=learner), np.random.default_rng(0)
    sizes = []
    for i in range(600):
        A, ids = random.normal(size=(3, 2)), np.array([i, f"{i}", "always"], dtype=object)
        bandit.learn([1.0], int(random.integers(3)), random.random(), 1 / 3, actions=A, ids=ids)
        if learner == "auto":
            assert 1 <= len(bandit._learner.state()["models_identities"]) <= 16
            sizes.append(sum(map(len, fingerprint(bandit).values())))
        else:
            sizes.append(bandit._learner.weights.size)
    assert max(sizes[300:]) <= max(sizes[:300])


def test_clone_and_repr(case: Case) -> None:
    bandit = started(case)
    assert fingerprint(bandit.clone()) == fingerprint(sklearn.clone(bandit)) == fingerprint(case.make())
    if any(name in case.options for name in ("learner", "explorer", "selector")):
        assert repr(bandit.clone()) == repr(bandit)
        return
    call = ast.parse(repr(bandit).replace("inf", "1e999"), mode="eval").body
    assert isinstance(call, ast.Call)
    arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    assert repr(SharedBandit(**arguments)) == repr(bandit)


def test_parameters(case: Case) -> None:
    bandit = case.make()
    for name, value in bandit.get_params().items():
        with pytest.raises(OrderError, match=f"{name} cannot be changed"):
            setattr(bandit, name, value)
    fresh = bandit.set_params(seed=9)
    assert fresh.seed == 9 and fresh.n_features_ is None
    assert live(fresh, case.offered, 0, 20) == live(SharedBandit(**bandit.get_params()), case.offered, 0, 20)
    with pytest.raises(OrderError, match="set_params came after data"):
        bandit.set_params(seed=10)
    with pytest.raises(InputError, match="has no parameter nonsense; expected one of epsilon"):
        case.make().set_params(nonsense=1)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"most_ids": 1}, "most_ids is 1; expected an integer from 2"),
        ({"epsilon": 2}, "epsilon is 2"),
        ({"lambdas": 7}, "lambdas is 7"),
        ({"features": "cubes"}, "features is 'cubes'; expected one of linear, squares, bends"),
        ({"half_life": 0}, "half_life is 0"),
        ({"cost_range": (1, 0)}, "cost_range is"),
        ({"learner": "nonsense"}, "learner is 'nonsense'; expected one of auto, online"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_bad_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        SharedBandit(**options)


def test_what_it_tells_of_itself() -> None:
    fresh = SharedBandit(cost_range=(0, 1))
    assert (fresh.learner_, fresh.lambda_, fresh.memory_, fresh.rounds_) == ("nothing yet", 1.0, 0.0, 0)
    np.testing.assert_array_equal(fresh.intervals_, [[-1, 1]] * 3)
    case = CASES["own lanes, a range"]
    bandit = started(case)
    live(bandit, case.offered, TAUGHT, 200)
    assert (bandit.n_features_, bandit.n_action_features_, bandit.rounds_) == (3, 4, 160)
    assert bandit.intervals_.shape == (3, 2) and (bandit.intervals_[:-1, 0] > -1).all()
    assert not bandit.dropped_[-1] and np.isnan(started(CASES["ids"]).intervals_).all()


# Tables with names


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "Polars"])
def test_tables_by_the_names_of_their_columns(frame: Any, tmp_path: Path) -> None:
    """Another order of columns is put right, of contexts and of actions, in every call and after loading."""
    offered = PROBLEMS["ids"]
    contexts, columns = ["a", "b", "c"], ["p", "q", "r", "s"]

    def table(values: Any, names: list[str], swap: bool) -> Any:
        found = frame(dict(zip(names, np.asarray(values).T, strict=True)))
        return found[names[::-1]] if swap else found

    def some(begin: int, end: int, swap: bool = True) -> dict[str, Any]:
        plain = offered.some(begin, end)
        tables = [table(A, columns, swap and k % 2 == 0) for k, A in enumerate(plain["actions"])]
        return plain | {"X": table(plain["X"], contexts, swap), "actions": tables}

    plain = started(CASES["ids"])
    named = CASES["ids"].make().warm_start(**some(0, TAUGHT, swap=False), costs=offered.costs[:TAUGHT])
    assert (named.features_, named.action_features_) == (tuple(contexts), tuple(columns))
    for i in range(TAUGHT, 80):
        x, A = table(offered.x(i), contexts, True), table(offered.actions[i], columns, True)
        one, other = plain.decide(**offered.offer(i)), named.decide(x, A, offered.offer(i)["ids"])
        assert one == other
        plain.learn(offered.x(i), one, 0.25)
        if i % 2:
            named.learn(x, other, 0.25)
        else:
            named.learn(x, other.action, 0.25, other.probability, actions=A, ids=other.ids)
    named.save(tmp_path / "named.warmcb")
    named = load(tmp_path / "named.warmcb")
    many = named.decide_many(**some(80, 100))
    assert many == plain.decide_many(**offered.some(80, 100))
    for bandit, X in ((plain, offered.X[80:100]), (named, some(80, 100)["X"])):
        bandit.learn_many(X, many, np.linspace(0, 1, 20))
    np.testing.assert_array_equal(named.predict(**some(0, 260)), plain.predict(**offered.some(0, 260)))
    np.testing.assert_array_equal(named.policy().predict(**some(0, 260)), plain.predict(**offered.some(0, 260)))
    with pytest.raises(InputError, match=r"actions has no column 's'"):
        named.decide(table(offered.x(0), contexts, False), table(offered.actions[0], ["p", "q", "r", "t"], False))
    with pytest.raises(InputError, match=r"x has no column 'c'"):
        named.decide(table(offered.x(0), ["a", "b", "d"], False), table(offered.actions[0], columns, False))
    with pytest.raises(InputError, match=r"actions\[1\] has no column 's'"):
        named.predict(offered.X[:2], [offered.actions[0], table(offered.actions[1], ["p", "q", "r", "t"], False)])


# Units


def played_in(case: Case, shift: float, scale: float) -> tuple[Trace, Any]:
    """Rounds whose costs are shift + scale·cost, and what all is expected to cost then."""
    options = case.options | ({"cost_range": (shift, shift + scale)} if "cost_range" in case.options else {})
    costs = [shift + scale * one for one in case.offered.costs]
    bandit = Case(case.problem, options).make().warm_start(**case.offered.some(0, TAUGHT), costs=costs[:TAUGHT])
    trace = compiled_rounds(bandit, case.offered._replace(costs=costs), (TAUGHT, 260))
    return trace, np.concatenate(bandit.predict_costs(**case.offered.some(0, 260)))


OF_UNITS = ["ids", "no context", "one-hot", "wide CSR, ids", "own lanes, a range"]


@pytest.mark.parametrize("name", OF_UNITS)
@pytest.mark.parametrize("scale", [2.0**-20, 1024.0])
def test_powers_of_two_of_costs_change_not_a_bit(name: str, scale: float) -> None:
    usual, expected = played_in(CASES[name], 0.0, 1.0)
    scaled, predicted = played_in(CASES[name], 0.0, scale)
    np.testing.assert_array_equal(scaled.actions, usual.actions)
    np.testing.assert_array_equal(scaled.probabilities, usual.probabilities)
    np.testing.assert_array_equal(predicted, scale * expected)


@pytest.mark.parametrize("name", OF_UNITS)
@pytest.mark.parametrize("shift, scale", [(-70.0, 1000.0), (1e6, 0.3)])
def test_no_unit_of_costs_changes_decisions(name: str, shift: float, scale: float) -> None:
    """Nearly: how much was remembered is rounded to whole rounds, and decides how much is explored."""
    usual, expected = played_in(CASES[name], 0.0, 1.0)
    moved, predicted = played_in(CASES[name], shift, scale)
    np.testing.assert_array_equal(moved.actions, usual.actions)
    np.testing.assert_allclose(moved.probabilities, usual.probabilities, atol=0.01)
    np.testing.assert_allclose((predicted - shift) / scale, expected, atol=1e-3)


@pytest.mark.parametrize("name", ["ids", "no context", "wide", "wide CSR, ids", "2 lanes"])
def test_units_of_features_change_not_a_bit(name: str) -> None:
    """Powers of two, another one for each column."""
    case, random = CASES[name], np.random.default_rng(3)
    offered = case.offered
    widths = [0 if offered.X is None else offered.X.shape[1], offered.actions[0].shape[1]]
    of_context, of_action = (2.0 ** random.integers(-12, 12, size=width) for width in widths)
    X = None if offered.X is None else offered.X * of_context
    scaled = [A @ sparse.diags_array(of_action) if sparse.issparse(A) else A * of_action for A in offered.actions]
    other = offered._replace(X=X, actions=scaled)
    traces = []
    for problem in (offered, other):
        bandit = case.make().warm_start(**problem.some(0, TAUGHT), costs=problem.costs[:TAUGHT])
        traces.append(compiled_rounds(bandit, problem, (TAUGHT, 260)))
    for ours, theirs in zip(*traces, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_labels_are_costs_of_0_and_1() -> None:
    offered = PROBLEMS["ids"]
    right = [int(one.argmin()) for one in offered.costs]
    tables = [1.0 - np.eye(len(one))[k] for k, one in zip(right, offered.costs, strict=True)]
    labelled = CASES["ids"].make().warm_start(**offered.some(0, 100), y=right[:100])
    graded = CASES["ids"].make().warm_start(**offered.some(0, 100), costs=tables[:100])
    assert live(labelled, offered, 100, 200) == live(graded, offered, 100, 200)
    unknown = [np.where(np.arange(len(one)) == k, one, np.nan) for k, one in zip(right, offered.costs, strict=True)]
    partly = CASES["ids"].make().warm_start(**offered.some(0, 100), costs=unknown[:100])
    assert fingerprint(partly) != fingerprint(graded)


def test_an_empty_warm_start_is_none(case: Case) -> None:
    without = live(case.make(), case.offered, 0, 40)
    nothing = case.offered.some(0, 0)
    assert live(case.make().warm_start(**nothing, y=[]), case.offered, 0, 40) == without
    assert live(case.make().warm_start([], [], costs=[]), case.offered, 0, 40) == without


def test_rows_are_what_they_say_dense_or_sparse() -> None:
    """The same numbers as CSR, as lists, as integers, as frames."""
    offered = make_offers(ids=True, n=60)
    whole = [np.round(10 * A) for A in offered.actions]
    expected = None
    for change in (np.asarray, sparse.csr_array, sparse.csc_array, np.ndarray.tolist, np.int64, pd.DataFrame):
        bandit = CASES["ids"].make()
        played = [(one[0], one[1]) for one in live(bandit, offered._replace(actions=[change(A) for A in whole]), 0, 60)]
        expected = expected or played
        assert played == expected
