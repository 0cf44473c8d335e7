"""What must hold for every bandit class there is."""

import ast
import copy
import json
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from numpy.typing import NDArray
from scipy import sparse

from tests.support.problems import Problem, make_problem
from warmcb import Bandit, Decision, Policy, load, simulate
from warmcb.errors import InputError, OrderError, UnsupportedError, WarmcbError

Make = Callable[[], Bandit]


def row(problem: Problem, i: int) -> Any:
    return problem.X[[i]]


def live(bandit: Bandit, problem: Problem, begin: int, end: int) -> list[tuple[int, float]]:
    """Rounds as a service plays them."""
    decisions = []
    for i in range(begin, end):
        decision = bandit.decide(row(problem, i))
        bandit.learn(row(problem, i), decision, problem.costs[i, decision.action])
        decisions.append((decision.action, decision.probability))
    return decisions


def started(make: Make, problem: Problem, n: int = 100) -> Bandit:
    answers = {name: values[:n] for name, values in problem.answers.items()}
    return make().warm_start(problem.X[:n], **answers)


def fingerprint(bandit: Bandit, folder: Path) -> dict[str, bytes]:
    bandit.save(folder / "fingerprint.warmcb")
    with np.load(folder / "fingerprint.warmcb") as archive:
        return {name: archive[name].tobytes() for name in archive.files}


def test_resume_is_exact(make: Make, problem: Problem, tmp_path: Path) -> None:
    unbroken = started(make, problem)
    live(unbroken, problem, 100, 250)
    broken = started(make, problem)
    live(broken, problem, 100, 180)
    broken.save(tmp_path / "b.warmcb")
    resumed = load(tmp_path / "b.warmcb")
    live(resumed, problem, 180, 250)
    assert fingerprint(resumed, tmp_path) == fingerprint(unbroken, tmp_path)
    assert live(resumed, problem, 250, 300) == live(unbroken, problem, 250, 300)


def test_bytes_are_the_file(make: Make, problem: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bandit = started(make, problem)
    live(bandit, problem, 100, 150)
    for model in (make(), bandit, bandit.policy()):
        data = model.to_bytes()
        with monkeypatch.context() as later:
            later.setattr(time, "time", lambda: 2e9)
            model.save(tmp_path / "b.warmcb")
            assert (tmp_path / "b.warmcb").read_bytes() == data == model.to_bytes()
        twin = load(data)
        assert type(twin) is type(model) and twin.to_bytes() == data
    resumed = load(bandit.to_bytes())
    assert live(resumed, problem, 150, 200) == live(bandit, problem, 150, 200)
    assert resumed.to_bytes() == bandit.to_bytes()


def test_save_before_any_data(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    make().save(tmp_path / "b.warmcb")
    assert live(load(tmp_path / "b.warmcb"), problem, 0, 30) == live(make(), problem, 0, 30)


def test_same_seed_same_decisions(make: Make, problem: Problem) -> None:
    assert live(started(make, problem), problem, 100, 200) == live(started(make, problem), problem, 100, 200)


def test_compiled_rounds_equal_live_rounds(make: Make, problem: Problem, tmp_path: Path) -> None:
    common: dict[str, Any] = {**problem.answers, "warm_start": 90, "interaction": 300, "seed": 4}
    compiled = simulate(make(), problem.X, **common)
    python = simulate(make(), problem.X, **common, compiled=False)
    for ours, theirs in zip(compiled.trace, python.trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled.bandit, tmp_path) == fingerprint(python.bandit, tmp_path)


def test_compiled_rounds_can_be_cut_anywhere(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    from warmcb import _inputs

    rows, table = _inputs.matrix(problem.X, None), _inputs.cost_table(problem.y, None, 400, 3)
    whole, parts = started(make, problem), started(make, problem)
    expected = whole._play_rounds(rows, table, 100, 400)
    pieces = [parts._play_rounds(rows, table, a, b) for a, b in ((100, 101), (101, 164), (164, 400))]
    for name in expected._fields:
        joined = np.concatenate([getattr(piece, name) for piece in pieces])
        np.testing.assert_array_equal(joined, getattr(expected, name))
    assert fingerprint(whole, tmp_path) == fingerprint(parts, tmp_path)


def test_probabilities(make: Make, problem: Problem) -> None:
    bandit = started(make, problem)
    for i in range(100, 160):
        decision = bandit.decide(row(problem, i))
        assert decision.probabilities.shape == (3,)
        assert decision.probabilities.min() >= 0
        assert abs(decision.probabilities.sum() - 1) < 1e-12
        assert decision.probability == decision.probabilities[decision.action] > 0
        bandit.learn(row(problem, i), decision.action, 0.5, decision.probability)


def test_the_reported_probability_is_the_one_played(make: Make) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    live(bandit, problem, 100, 120)
    draws = [bandit.decide(row(problem, 120)) for _ in range(4000)]
    counts = np.bincount([decision.action for decision in draws], minlength=3)
    expected = 4000 * draws[0].probabilities
    assert (np.abs(counts - expected) <= 5 * np.sqrt(expected) + 1e-9).all()


def test_state_does_not_grow(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    live(bandit, problem, 100, 250)  # the first rounds are kept for a while
    before = {name: len(data) for name, data in fingerprint(bandit, tmp_path).items() if name != "header"}
    live(bandit, problem, 250, 400)
    after = {name: len(data) for name, data in fingerprint(bandit, tmp_path).items() if name != "header"}
    assert before == after


def test_clone_and_repr(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    live(bandit, problem, 100, 150)
    assert fingerprint(bandit.clone(), tmp_path) == fingerprint(make(), tmp_path)
    call = ast.parse(repr(bandit), mode="eval").body
    assert isinstance(call, ast.Call)
    arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    assert repr(type(bandit)(**arguments)) == repr(bandit)


def test_nothing_to_decide(make: Make) -> None:
    assert len(make().decide_many([])) == 0
    assert len(make().decide_many(np.empty((0, 3)))) == 0


def test_a_bandit_that_was_refused_a_table_forgets_its_columns(make: Make) -> None:
    bandit = make()
    with pytest.raises(WarmcbError):
        bandit.warm_start({"a": [1.0], "b": ["x"]}, [0])
    with pytest.raises(WarmcbError):
        bandit.warm_start(pl.DataFrame({"a": [1.0], "b": [2.0]}), [7])
    assert bandit.features_ is None
    bandit.decide({"c": 1.0, "d": 2.0})
    assert bandit.features_ == ("c", "d")
    with pytest.raises(InputError, match="x has no column 'c'"):
        bandit.decide({"d": 2.0, "e": 1.0})


def test_tables_by_the_names_of_their_columns(make: Make, tmp_path: Path) -> None:
    """Another order of columns is put right, in every call and after loading; arrays go by position."""
    problem = make_problem()
    names = [f"f{j}" for j in range(6)]
    table = pd.DataFrame(problem.X, columns=names)
    swapped = table[[*reversed(names)]]
    plain, named = started(make, problem), make().warm_start(swapped[names][:100], problem.y[:100])
    assert named.features_ == tuple(names)
    for i in range(100, 130):
        one, other = plain.decide(problem.X[i]), named.decide(swapped.iloc[i])
        assert one == other
        plain.learn(problem.X[i], one, 0.25)
        named.learn(pl.DataFrame(swapped[i : i + 1]), other, 0.25)
    named.save(tmp_path / "named.warmcb")
    named = load(tmp_path / "named.warmcb")
    many = named.decide_many(swapped[130:160])
    assert list(many) == list(plain.decide_many(problem.X[130:160]))
    named.learn_many(pl.DataFrame(swapped[130:160]), many, np.zeros(30))
    plain.learn_many(problem.X[130:160], many, np.zeros(30))
    np.testing.assert_array_equal(named.predict(swapped), plain.predict(problem.X))
    np.testing.assert_array_equal(named.policy().predict(swapped), plain.predict(problem.X))
    with pytest.raises(InputError, match="X has no column 'f5'"):
        named.predict(swapped.rename(columns={"f5": "five"}))
    runs = [simulate(make(), X, problem.y, warm_start=50, seed=2) for X in (problem.X, table)]
    np.testing.assert_array_equal(runs[0].trace.actions, runs[1].trace.actions)
    assert runs[1].bandit.features_ == tuple(names)
    with pytest.raises(InputError, match="X has the unknown column 'more'"):
        simulate(runs[1].bandit, table.assign(more=1.0), problem.y)


def test_an_empty_warm_start_is_none(make: Make) -> None:
    problem = make_problem()
    without = live(make(), problem, 0, 60)
    assert live(make().warm_start(np.empty((0, 6)), []), problem, 0, 60) == without
    assert live(make().warm_start([], []), problem, 0, 60) == without
    assert live(make().warm_start([], costs=[]), problem, 0, 60) == without


def test_pickle_and_copy_are_exact_too(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    live(bandit, problem, 100, 150)
    for twin in (pickle.loads(pickle.dumps(bandit)), copy.deepcopy(bandit)):
        assert fingerprint(twin, tmp_path) == fingerprint(bandit, tmp_path)
        live(twin, problem, 150, 170)
        assert fingerprint(twin, tmp_path) != fingerprint(bandit, tmp_path) or type(bandit).__name__ == "Majority"


def test_parameters_cannot_be_changed(make: Make) -> None:
    bandit = make()
    for name, value in bandit.get_params().items():
        with pytest.raises(OrderError, match=f"{name} cannot be changed"):
            setattr(bandit, name, value)
    if len(bandit.lambdas_):
        with pytest.raises(ValueError, match="read-only"):
            bandit.lambdas_[0] = 0.5


def test_extreme_events_leave_everything_finite(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    random = np.random.default_rng(0)
    for probability in (1e-3, 1e-30, 1e-300, 5e-324, 1.0):
        for scale in (1e-38, 1e-30, 1.0, 1e30, 1e38):
            bandit.learn(scale * random.uniform(-1, 1, 6), int(random.integers(3)), random.random(), probability)
    with np.errstate(all="raise"):
        bandit.save(tmp_path / "b.warmcb")
        with np.load(tmp_path / "b.warmcb") as archive:
            assert all(np.isfinite(archive[name]).all() for name in archive.files if name != "header")
        live(bandit, problem, 100, 200)
        assert abs(bandit.decide(np.full(6, 1e38)).probabilities.sum() - 1) < 1e-12


def test_numbers_of_all_kinds(make: Make) -> None:
    bandit = make()
    bandit.warm_start(np.ones((2, 6), dtype=np.int8), np.array([True, False]))
    bandit.learn(GOOD, np.int64(1), np.bool_(True), np.float32(0.5))  # type: ignore[arg-type]
    bandit.learn(GOOD, np.array(1), np.array(0.25), np.array(1))  # type: ignore[arg-type]
    bandit.learn(GOOD.tolist(), 1, True, 1)


def test_logged_events_of_others(make: Make, tmp_path: Path) -> None:
    """Learning needs no decision before it; a constant column and late features are nothing special."""
    problem = make_problem()
    X = np.array(problem.X)
    X[:, 0] = 1.0
    X[:200, 1] = 0.0
    bandit = make()
    for i in range(400):
        bandit.learn(X[i], int(i % 3), problem.costs[i, i % 3], 1 / 3)
    assert bandit.predict(X).shape == (400,)


def test_late_and_out_of_order(make: Make, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    pending = [(i, bandit.decide(row(problem, i))) for i in range(100, 140)]
    other = started(make, problem)  # one that never decided, and learns the same events from a log
    for i, decision in reversed(pending):
        travelled = Decision.from_dict(json.loads(json.dumps(decision.to_dict())))
        for learner in (bandit, other):
            learner.learn(row(problem, i), travelled, problem.costs[i, decision.action])
    states = [fingerprint(learner, tmp_path) for learner in (bandit, other)]
    assert states[0].pop("draws") != states[1].pop("draws")
    assert states[0] == states[1]


def some_allowed(n: int, k: int = 3) -> NDArray[np.bool_]:
    """Each action in most of the rows, and at least one in every row."""
    random = np.random.default_rng(7)
    allowed = random.random((n, k)) < 0.6
    allowed[np.arange(n), random.integers(k, size=n)] = True
    return allowed


def takes_allowed(bandit: Bandit) -> bool:
    return not type(bandit).__name__.startswith("Exact")


def listed(allowed: NDArray[np.bool_]) -> list[int]:
    return [int(action) for action in np.flatnonzero(allowed)]


def test_only_allowed_actions_are_played(make: Make, problem: Problem) -> None:
    bandit = started(make, problem)
    if not takes_allowed(bandit):
        with pytest.raises(UnsupportedError, match="cannot restrict the actions; expected actions=None"):
            bandit.decide(row(problem, 100), actions=[0, 1])
        return
    allowed = some_allowed(400)
    for i in range(100, 200):
        decision = bandit.decide(row(problem, i), actions=listed(allowed[i]))
        assert decision.actions == tuple(listed(allowed[i]))
        assert decision.action in decision.actions
        assert abs(decision.probabilities.sum() - 1) < 1e-12
        assert not decision.probabilities[~allowed[i]].any()
        if len(decision.actions) == 1:
            assert decision.probability == 1.0
        bandit.learn(row(problem, i), decision, problem.costs[i, decision.action])
    greedy = bandit.predict(problem.X, actions=allowed)
    assert allowed[np.arange(400), greedy].all()


def test_compiled_rounds_equal_live_rounds_among_allowed_actions(make: Make, problem: Problem, tmp_path: Path) -> None:
    if not takes_allowed(make()):
        return
    allowed = some_allowed(400)
    costs = np.where(allowed, problem.costs, np.nan)
    common: dict[str, Any] = {"costs": costs, "actions": allowed, "warm_start": 90, "interaction": 300, "seed": 4}
    compiled = simulate(make(), problem.X, **common)
    python = simulate(make(), problem.X, **common, compiled=False)
    for ours, theirs in zip(compiled.trace, python.trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled.bandit, tmp_path) == fingerprint(python.bandit, tmp_path)
    resumed = load(tmp_path / "fingerprint.warmcb")
    assert fingerprint(resumed, tmp_path) == fingerprint(python.bandit, tmp_path)


def test_all_allowed_is_as_if_nothing_was_said(make: Make, problem: Problem, tmp_path: Path) -> None:
    if not takes_allowed(make()):
        return
    bandit, other = started(make, problem), make()
    answers = {name: values[:100] for name, values in problem.answers.items()}
    other.warm_start(problem.X[:100], **answers, actions=np.ones((100, 3), dtype=bool))
    for i in range(100, 160):
        decisions = [bandit.decide(row(problem, i)), other.decide(row(problem, i), actions=[2, 0, 1])]
        assert decisions[0] == decisions[1]
        for one, decision in zip((bandit, other), decisions, strict=True):
            one.learn(row(problem, i), decision, problem.costs[i, decision.action])
    assert fingerprint(bandit, tmp_path) == fingerprint(other, tmp_path)


@pytest.mark.slow
def test_batches_are_the_same_bits_as_one_by_one(make: Make, problem: Problem, tmp_path: Path) -> None:
    one_by_one, batches = started(make, problem), started(make, problem)
    allowed = some_allowed(400) if takes_allowed(make()) else np.ones((400, 3), dtype=bool)
    masked = takes_allowed(make())
    for begin, end in ((100, 101), (101, 160), (160, 250)):
        rows = range(begin, end)
        decisions = [one_by_one.decide(row(problem, i), actions=listed(allowed[i]) if masked else None) for i in rows]
        many = batches.decide_many(problem.X[begin:end], actions=allowed[begin:end] if masked else None)
        assert list(many) == decisions
        assert list(many[1:]) == decisions[1:]
        costs = problem.costs[np.arange(begin, end), many.action]
        for i, decision in zip(rows, decisions, strict=True):
            one_by_one.learn(row(problem, i), decision, problem.costs[i, decision.action])
        batches.learn_many(problem.X[begin:end], many if begin != 101 else decisions, costs)
        assert fingerprint(batches, tmp_path) == fingerprint(one_by_one, tmp_path)
    keys: list[int | str] = ["a", 1, "1"]
    keyed = batches.decide_many(problem.X[:3], keys=keys)
    assert list(keyed) == [one_by_one.decide(row(problem, i), key=key) for i, key in enumerate(keys)]
    assert fingerprint(batches, tmp_path) == fingerprint(one_by_one, tmp_path)
    assert len(batches.decide_many(problem.X[:0])) == 0
    batches.learn_many(problem.X[:0], [], [])
    assert fingerprint(batches, tmp_path) == fingerprint(one_by_one, tmp_path)


def test_a_policy_decides_as_the_bandit_did(make: Make, problem: Problem, tmp_path: Path) -> None:
    bandit = started(make, problem)
    live(bandit, problem, 100, 150)
    before = fingerprint(bandit, tmp_path)
    policy = bandit.policy()
    policy.save(tmp_path / "policy.warmcb")
    assert fingerprint(bandit, tmp_path) == before
    keys = list(range(100))
    expected = bandit.decide_many(problem.X[200:300], keys=keys)
    greedy = bandit.predict(problem.X)
    live(bandit, problem, 150, 250)  # what happens to the bandit later is nothing to a policy
    for twin in (policy, load(tmp_path / "policy.warmcb"), pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert isinstance(twin, Policy)
        assert list(twin.decide_many(problem.X[200:300], keys=keys)) == list(expected)
        assert twin.decide(row(problem, 217), key=17) == expected[17]
        np.testing.assert_array_equal(twin.predict(problem.X), greedy)
        with pytest.raises(OrderError, match="round cannot be changed to 7"):
            twin.round = 7
    with pytest.raises(OrderError, match="policy came before any data"):
        make().policy()


def test_expected_costs(make: Make, problem: Problem) -> None:
    bandit = started(make, problem)
    live(bandit, problem, 100, 200)
    try:
        costs = bandit.predict_costs(problem.X)
    except UnsupportedError as error:
        assert str(error) == f"{type(bandit).__name__} has no model of costs; expected a bandit that predicts them"
        return
    assert costs.shape == (400, 3)
    np.testing.assert_array_equal(costs.argmin(axis=1), bandit.predict(problem.X))
    np.testing.assert_array_equal(bandit.policy().predict_costs(problem.X), costs)
    with pytest.raises(OrderError, match="predict_costs came before any data"):
        make().predict_costs(problem.X)


def test_foreign_logs_with_allowed_actions(make: Make, problem: Problem) -> None:
    bandit = started(make, problem)
    allowed = [1, 2] if takes_allowed(bandit) else None
    bandit.learn(row(problem, 0), 1, 0.25, 0.5, actions=allowed)
    assert bandit.learned_ == 1
    if allowed:
        with pytest.raises(InputError, match="action is 0, which was not allowed"):
            bandit.learn(row(problem, 0), 0, 0.25, 0.5, actions=allowed)
    assert bandit.learned_ == 1


def test_clone_of_scikit_learn(make: Make, tmp_path: Path) -> None:
    bandit = started(make, make_problem())
    cloned = sklearn.clone(bandit)
    assert fingerprint(cloned, tmp_path) == fingerprint(make(), tmp_path)
    fresh = make().set_params(seed=9)
    assert fresh.seed == 9 and fresh.n_features_ is None
    assert repr(fresh) == repr(type(bandit)(**make().get_params() | {"seed": 9}))
    with pytest.raises(OrderError, match="set_params came after data"):
        bandit.set_params(seed=9)
    with pytest.raises(InputError, match="has no parameter nonsense; expected one of n_actions, actions"):
        make().set_params(nonsense=1)


def test_actions_with_names(make: Make, problem: Problem, tmp_path: Path) -> None:
    """A named bandit does what its nameless twin does, and speaks of names."""
    nameless = started(make, problem)
    if nameless.get_params().get("action") is not None:
        return
    names = ("sports", "politics", "weather")
    named = type(nameless)(**nameless.get_params() | {"actions": names, "n_actions": None})
    labels = {"y": np.array(names)[problem.y[:100]]} if problem.labelled else {"costs": problem.costs[:100]}
    named.warm_start(problem.X[:100], **labels)
    for i in range(100, 160):
        plain, spoken = nameless.decide(row(problem, i)), named.decide(row(problem, i))
        assert spoken.action == names[plain.action] and spoken.actions == names
        np.testing.assert_array_equal(spoken.probabilities, plain.probabilities)
        nameless.learn(row(problem, i), plain, problem.costs[i, plain.action])
        named.learn(row(problem, i), spoken.action, problem.costs[i, plain.action], spoken.probability)
    assert named.predict(problem.X).tolist() == [names[action] for action in nameless.predict(problem.X)]
    named.save(tmp_path / "named.warmcb")
    again = load(tmp_path / "named.warmcb")
    assert again.actions == names
    many = again.decide_many(problem.X[:20])
    assert set(many.action.tolist()) <= set(names) and many[3].action == many.action[3]
    again.learn_many(problem.X[:20], many, np.zeros(20))
    assert again.learned_ == 80


GOOD = np.arange(6.0)
DECISION = Decision(1, 0.5, np.array([0.25, 0.5, 0.25]), (0, 1, 2), 0)
BAD_CALLS: dict[str, tuple[Callable[[Bandit], object], str]] = {
    "NaN in x": (lambda b: b.decide([np.nan, 0, 0, 0, 0, 0]), "x[0] is nan; expected a finite number"),
    "infinity in x": (lambda b: b.decide([np.inf, 0, 0, 0, 0, 0]), "x[0] is inf; expected a finite number"),
    "too large for float32": (lambda b: b.decide([1e300, 0, 0, 0, 0, 0]), "x[0] is inf; expected a finite number"),
    "a word in x": (lambda b: b.decide(["a"] * 6), "x is not a table of numbers"),
    "too few features": (lambda b: b.decide([1.0, 2.0]), "x has 2 features; expected 6"),
    "two rows for one": (lambda b: b.decide(np.ones((2, 6))), "x has shape (2, 6)"),
    "dates in x": (
        lambda b: b.decide(np.zeros(6, dtype="M8[s]")),
        "x is not a table of numbers: it has the type datetime64",
    ),
    "complex x": (lambda b: b.decide(np.zeros(6, dtype=complex)), "x is not a table of numbers"),
    "a single number": (lambda b: b.decide(3.0), "x is not a table of numbers: it is the single value 3.0"),
    "masked values": (lambda b: b.decide(np.ma.masked_equal(GOOD, 1.0)), "some of its values are masked"),
    "complex and sparse": (lambda b: b.decide(sparse.csr_array(np.ones((1, 6)) * 1j)), "x has the type complex128"),
    "a cost beyond all floats": (lambda b: b.learn(GOOD, 0, 10**400, 0.5), "cost is 1000"),
    "a set": (lambda b: b.decide({1, 2}), "x is not a table of numbers"),
    "dictionaries": (
        lambda b: b.warm_start([{"a": 1.0}, {"a": 2.0}], [0, 1]),
        "X has dictionaries; expected rows of numbers, or a bandit with encoder=Encoder()",
    ),
    "rows of different lengths": (
        lambda b: b.warm_start([[1.0, 2.0], [1.0]], [0, 1]),
        "X is not a table of numbers: its rows have different lengths",
    ),
    "a decision as a context": (
        lambda b: b.learn(DECISION, GOOD),
        "x is a Decision; expected a context, as in learn(x, decision, cost)",
    ),
    "neither a cost nor a reward": (lambda b: b.learn(GOOD, DECISION), ", or a reward"),
    "neither costs nor rewards": (lambda b: b.learn_many([GOOD], [DECISION]), "costs is None; expected 1 numbers"),
    "NaN in X": (lambda b: b.predict(np.full((2, 6), np.nan)), "X[0, 0] is nan"),
    "flat X": (lambda b: b.predict(GOOD), "X has shape (6,)"),
    "NaN when learning": (lambda b: b.learn([np.nan] * 6, 0, 0.5, 0.5), "x[0] is nan; expected a finite number"),
    "unknown action": (lambda b: b.learn(GOOD, 3, 0.5, 0.5), "action is 3; expected an integer from 0 to 2"),
    "negative action": (lambda b: b.learn(GOOD, -1, 0.5, 0.5), "action is -1"),
    "half an action": (lambda b: b.learn(GOOD, 0.5, 0.5, 0.5), "action is 0.5"),
    "cost above 1": (lambda b: b.learn(GOOD, 0, 1.5, 0.5), "cost is 1.5; expected a number in [0, 1]"),
    "cost below 0": (lambda b: b.learn(GOOD, 0, -0.1, 0.5), "cost is -0.1"),
    "NaN cost": (lambda b: b.learn(GOOD, 0, np.nan, 0.5), "cost is nan"),
    "probability 0": (lambda b: b.learn(GOOD, 0, 0.5, 0.0), "probability is 0.0; expected a number in (0, 1]"),
    "probability above 1": (lambda b: b.learn(GOOD, 0, 0.5, 1.1), "probability is 1.1"),
    "label K": (lambda b: b.warm_start(np.ones((2, 6)), [0, 3]), "y[1] is 3; expected an integer label from 0 to 2"),
    "negative label": (lambda b: b.warm_start(np.ones((2, 6)), [-1, 0]), "y[0] is -1"),
    "half a label": (lambda b: b.warm_start(np.ones((2, 6)), [0.5, 0]), "y[0] is 0.5"),
    "a word as label": (
        lambda b: b.warm_start(np.ones((2, 6)), ["a", "b"]),
        "y[0] is 'a'; expected an integer label from 0 to 2",
    ),
    "too few labels": (lambda b: b.warm_start(np.ones((2, 6)), [0]), "y has shape (1,); expected (2,)"),
    "costs above 1": (
        lambda b: b.warm_start(np.ones((1, 6)), costs=[[0, 2, 0]]),
        "costs[0, 1] is 2; expected a number in [0, 1]",
    ),
    "NaN costs": (lambda b: b.warm_start(np.ones((1, 6)), costs=[[0, np.nan, 0]]), "costs[0, 1] is nan"),
    "costs of another shape": (lambda b: b.warm_start(np.ones((1, 6)), costs=[[0, 1]]), "costs have shape (1, 2)"),
    "labels and costs": (lambda b: b.warm_start(np.ones((1, 6)), [0], costs=[[0, 1, 1]]), "exactly one of them"),
    "labels of no examples": (lambda b: b.warm_start([], [0]), "y has shape (1,); expected (0,)"),
    "costs of no examples": (lambda b: b.warm_start([], costs=[[0, 1, 1]]), "costs have shape (1, 3); expected (0, 3)"),
    "neither": (lambda b: b.warm_start(np.ones((1, 6))), "exactly one of them"),
    "NaN in the warm start": (lambda b: b.warm_start(np.full((1, 6), np.nan), [0]), "X[0, 0] is nan"),
    "no actions at all": (lambda b: b.decide(GOOD, actions=[]), "actions is empty; expected at least one"),
    "an unknown action": (lambda b: b.decide(GOOD, actions=[0, 3]), "an entry of actions is 3; expected an integer"),
    "an unknown name": (lambda b: b.decide(GOOD, actions=["a"]), "an entry of actions is 'a'; expected an integer"),
    "an action twice": (lambda b: b.decide(GOOD, actions=[1, 0, 1]), "actions has 1 twice; expected each action once"),
    "one number for actions": (
        lambda b: b.decide(GOOD, actions=1),  # type: ignore[arg-type]
        "actions is 1; expected a list of actions",
    ),
    "half a key": (
        lambda b: b.decide(GOOD, key=0.5),  # type: ignore[arg-type]
        "key is 0.5; expected a string or an integer",
    ),
    "true as a key": (lambda b: b.decide(GOOD, key=True), "key is True; expected a string or an integer"),
    "too few keys": (lambda b: b.decide_many(np.ones((2, 6)), keys=["a"]), "there are 1 keys; expected 2"),
    "a bad key of many": (
        lambda b: b.decide_many(np.ones((1, 6)), keys=[b"a"]),  # type: ignore[list-item]
        "key is b'a'; expected a string",
    ),
    "a mask of another shape": (
        lambda b: b.decide_many(np.ones((2, 6)), actions=np.ones((2, 2), dtype=bool)),
        "actions has shape (2, 2); expected (2, 3)",
    ),
    "a mask that allows nothing": (
        lambda b: b.predict(np.ones((2, 6)), actions=[[True, False, False], [False] * 3]),
        "actions[1] allows no action",
    ),
    "a decision of fewer actions": (
        lambda b: b.learn(GOOD, DECISION._replace(probabilities=np.ones(2) / 2), 0.5),
        "the decision is from a bandit with 2 actions; expected 3 actions",
    ),
    "a decision of unknown actions": (
        lambda b: b.learn(GOOD, DECISION._replace(action="sports", actions=("sports", "politics")), 0.5),
        "action is 'sports'; expected an integer from 0 to 2",
    ),
    "a decision of another width": (lambda b: b.learn(np.ones(5), DECISION, 0.5), "x has 5 features; expected 6"),
    "a decision and a probability": (lambda b: b.learn(GOOD, DECISION, 0.5, 0.5), "expected the decision alone"),
    "an action without its probability": (lambda b: b.learn(GOOD, 1, 0.5), "action is 1 without a probability"),
    "too few decisions": (lambda b: b.learn_many(np.ones((2, 6)), [DECISION], [0, 0]), "there are 1 decisions"),
    "too few paid costs": (lambda b: b.learn_many(np.ones((1, 6)), [DECISION], []), "costs have shape (0,)"),
    "a paid cost above 1": (
        lambda b: b.learn_many(np.ones((2, 6)), [DECISION] * 2, [0, 1.5]),
        "costs[1] is 1.5; expected a number in [0, 1]",
    ),
    "a bad decision of many": (
        lambda b: b.learn_many(np.ones((2, 6)), [DECISION, DECISION._replace(probability=0.0)], [0, 0]),
        "probability is 0.0",
    ),
    "wrong width in the warm start": (lambda b: b.warm_start(np.ones((1, 5)), [0]), "X has 5 features; expected 6"),
}


OF_THE_RANGE = ("cost above 1", "cost below 0", "costs above 1", "a paid cost above 1")
"""What is no mistake where costs are any numbers."""


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_refused_and_changes_nothing(make: Make, case: str, tmp_path: Path) -> None:
    problem = make_problem()
    bandit = started(make, problem)
    live(bandit, problem, 100, 120)
    before = fingerprint(bandit, tmp_path)
    call, message = BAD_CALLS[case]
    if case in OF_THE_RANGE and bandit.cost_range is None:
        call(bandit)
        return
    with pytest.raises(WarmcbError) as caught:
        call(bandit)
    if isinstance(caught.value, UnsupportedError):
        assert not takes_allowed(bandit)
        return
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, InputError) and isinstance(caught.value, ValueError)
    assert fingerprint(bandit, tmp_path) == before


def test_predicting_before_any_data(make: Make) -> None:
    bandit = make()
    with pytest.raises(OrderError, match="predict came before any data"):
        bandit.predict([[1.0, 2.0]])
    assert bandit.n_features_ is None


def test_bad_first_input_leaves_a_fresh_bandit_fresh(make: Make, tmp_path: Path) -> None:
    bandit = make()
    with pytest.raises(InputError):
        bandit.decide([np.nan, 1.0])
    with pytest.raises(InputError):
        bandit.warm_start([[0.0, 1.0]], [17])
    assert fingerprint(bandit, tmp_path) == fingerprint(make(), tmp_path)
    bandit.decide([0.0, 1.0, 2.0])
