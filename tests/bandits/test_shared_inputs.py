"""Whatever a caller or a file brings to SharedBandit: one clear line, and nothing has changed."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from tests.support.offers import CASES, OWN_PARTS, Case
from warmcb import Decision, SharedBandit, _modelfile, load
from warmcb.bandits.decisions import Key
from warmcb.errors import InputError, ModelFileError, OrderError, WarmcbError

X = [0.5, 1.0]
A = np.arange(12.0).reshape(4, 3)
IDS = ("a", "b", "c", "7")


def fingerprint(bandit: SharedBandit) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def used(**options: Any) -> SharedBandit:
    """A bandit of contexts of two features and descriptions of three, which has learned some rounds with ids."""
    random, bandit = np.random.default_rng(0), SharedBandit(seed=1, **options)
    for i in range(12):
        x, described = random.normal(size=2), random.normal(size=(4, 3))
        decision = bandit.decide(x, described, ids=["a", "b", "c", str(i)])
        bandit.learn(x, decision, random.random())
    return bandit


DECISION: Any = used().decide(X, A, ids=list(IDS))


def rows() -> Iterator[list[float]]:
    yield [1.0, 2.0, 3.0]


def bad_x(x: Any, message: str) -> tuple[Callable[[Any], object], str]:
    return lambda bandit: bandit.decide(x, A), message


def bad_actions(actions: Any, message: str) -> tuple[Callable[[Any], object], str]:
    return lambda bandit: bandit.decide(X, actions), message


def bad_ids(ids: Any, message: str) -> tuple[Callable[[Any], object], str]:
    return lambda bandit: bandit.decide(X, A, ids=ids), message


def bad_decision(message: str, **changed: Any) -> tuple[Callable[[Any], object], str]:
    return lambda bandit: bandit.learn(X, DECISION._replace(**changed), 0.5), message


def bad_labels(message: str, *labels: Any, **more: Any) -> tuple[Callable[[Any], object], str]:
    return lambda bandit: bandit.warm_start([X], [A], *labels, **more), message


NO_TABLE = "actions is not a table of numbers: "
NO_ID = "; expected a string or an integer"
NO_LIST = "; expected a list with an id for each action"
A_MATRIX = "; expected a matrix with one row for each action"

BAD_CALLS: dict[str, tuple[Callable[[Any], object], str]] = {
    # Descriptions
    "no actions": bad_actions(None, "actions is None; expected a row of features for each action"),
    "an empty list": bad_actions([], "actions is empty; expected at least one action"),
    "an empty tuple": bad_actions((), "actions is empty; expected at least one action"),
    "an empty table": bad_actions(np.empty((0, 3)), "actions is empty; expected at least one action"),
    "an empty CSR table": bad_actions(sparse.csr_array((0, 3)), "actions is empty; expected at least one action"),
    "an empty row": bad_actions([[]], "actions has 0 features; expected 3, as before"),
    "another width": bad_actions(A[:, :2], "actions has 2 features; expected 3, as before"),
    "another width, CSR": bad_actions(sparse.csr_array(A[:, :2]), "actions has 2 features; expected 3, as before"),
    "a single row": bad_actions(A[0], "actions has shape (3,)" + A_MATRIX),
    "a single sparse row": bad_actions(sparse.coo_array(A[0]), "actions has shape (3,)" + A_MATRIX),
    "three dimensions": bad_actions(A[np.newaxis], "actions has shape (1, 4, 3)" + A_MATRIX),
    "masked values": bad_actions(np.ma.masked_equal(A, 3.0), NO_TABLE + "some of its values are masked"),
    "objects": bad_actions(np.array([["a", 1, 2]], dtype=object), NO_TABLE + "could not convert string"),
    "complex numbers": bad_actions(A * 1j, NO_TABLE + "it has the type complex128"),
    "complex and sparse": bad_actions(sparse.csr_array(A * 1j), "actions has the type complex128; expected numbers"),
    "NaN": bad_actions(np.where(A == 5, np.nan, A), "actions[1, 2] is nan; expected a finite number below 3.4e38"),
    "infinity, sparse": bad_actions(sparse.csr_array(np.where(A == 5, np.inf, A)), "actions[1, 2] is inf"),
    "too large for float32": bad_actions(A * 1e300, "actions[0, 1] is inf; expected a finite number"),
    "ragged rows": bad_actions([[1, 2, 3], [1, 2]], NO_TABLE),
    "a generator": bad_actions(rows(), NO_TABLE + "it is the single value <generator"),
    "a string": bad_actions("abc", NO_TABLE),
    "a number": bad_actions(3.0, NO_TABLE + "it is the single value 3.0"),
    "a set": bad_actions({1, 2}, NO_TABLE),
    "dates": bad_actions(np.zeros((2, 3), dtype="M8[s]"), NO_TABLE + "it has the type datetime64"),
    "a dict of lists": bad_actions({"a": [1.0, 2.0]}, "the column 'a' of actions has [1.0, 2.0]"),
    "a frame of words": bad_actions(pd.DataFrame({"a": ["x"]}, dtype="string"), "of actions has the type"),
    "a lazy frame": bad_actions(pl.LazyFrame({"a": [1.0]}), "actions is a Polars LazyFrame"),
    # Contexts
    "a context before, none now": bad_x(None, "x is None; expected 2 features, as before"),
    "a context of another width": bad_x([1.0], "x has 1 features; expected 2, as before"),
    "two contexts for one": bad_x(np.ones((2, 2)), "x has shape (2, 2); expected a single row of features"),
    "a number for a context": bad_x(1.0, "x is not a table of numbers: it is the single value 1.0"),
    "NaN in a context": bad_x([np.nan, 1], "x[0] is nan; expected a finite number"),
    "a word for a context": bad_x("ab", "x is not a table of numbers"),
    # Ids
    "a word for ids": bad_ids("abcd", "ids is 'abcd'" + NO_LIST),
    "too few ids": bad_ids(["a", "b"], "ids has 2 ids; expected 4, one for each action"),
    "too many ids": bad_ids(list("abcde"), "ids has 5 ids; expected 4, one for each action"),
    "an id twice": bad_ids(list("abca"), "ids has 'a' twice; expected each id once"),
    "a number twice": bad_ids([1, 2, np.int64(1), 3], "ids has 1 twice; expected each id once"),
    "one number for ids": bad_ids(3, "ids is 3" + NO_LIST),
    "truth values": bad_ids([True, False, 2, 3], "ids is True" + NO_ID),
    "floats": bad_ids([1.0, 2.0, 3.0, 4.0], "ids is 1.0" + NO_ID),
    "NaN among ids": bad_ids([1, 2, 3, float("nan")], "ids is nan" + NO_ID),
    "None among ids": bad_ids(["a", None, "b", "c"], "ids is None" + NO_ID),
    "bytes": bad_ids([b"a", b"b", b"c", b"d"], "ids is b'a'" + NO_ID),
    "pairs": bad_ids([(1, 2), (3, 4), (5, 6), (7, 8)], "ids is (1, 2)" + NO_ID),
    "lists": bad_ids([[1], [2], [3], [4]], "ids is [1]" + NO_ID),
    "a column of ids": bad_ids(np.array([["a"], ["b"], ["c"], ["d"]]), NO_LIST),
    "a text of no dimension": bad_ids(np.array("abcd"), NO_LIST),
    "a set of ids": bad_ids({"a", "b", "c", "d"}, NO_LIST),
    "a dict of ids": bad_ids(dict.fromkeys("abcd"), NO_LIST),
    "masked ids": bad_ids(np.ma.masked_equal([1, 2, 3, 4], 2), "ids is None" + NO_ID),
    "an id of many digits": bad_ids([1, 2, 3, 2**300], "expected an integer of at most 255 bits"),
    "an id of too many digits": bad_ids([1, 2, 3, 10**5000], "expected an integer of at most 255 bits"),
    "dates for ids": bad_ids(np.array(["2020-01-01"] * 4, dtype="M8[D]"), NO_ID),
    # Events
    "half a key": (lambda b: b.decide(X, A, key=0.5), "key is 0.5; expected a string or an integer"),
    "a row without its probability": (lambda b: b.learn(X, 1, 0.5, actions=A), "action is 1 without a probability or"),
    "a row without actions": (lambda b: b.learn(X, 1, 0.5, 0.5), "action is 1 without a probability or actions"),
    "a row that is not there": (
        lambda b: b.learn(X, 4, 0.5, 0.5, actions=A),
        "action is 4; expected an integer from 0",
    ),
    "a negative row": (lambda b: b.learn(X, -1, 0.5, 0.5, actions=A), "action is -1; expected an integer from 0 to 3"),
    "half a row": (lambda b: b.learn(X, 0.5, 0.5, 0.5, actions=A), "action is 0.5; expected an integer from 0 to 3"),
    "an id for a row": (
        lambda b: b.learn(X, "a", 0.5, 0.5, actions=A, ids=IDS),
        "action is 'a'; expected an integer from 0 to 3",
    ),
    "NaN cost": (lambda b: b.learn(X, 1, np.nan, 0.5, actions=A), "cost is nan; expected a finite number"),
    "no cost": (lambda b: b.learn(X, DECISION), "cost is None; expected a finite number"),
    "a cost too large": (
        lambda b: b.learn(X, DECISION, 1e300),
        "cost is 1e+300; expected a finite number from -1e+100",
    ),
    "a cost and a reward": (lambda b: b.learn(X, DECISION, 0.5, reward=0.2), "cost is 0.5 and reward is 0.2"),
    "probability 0": (lambda b: b.learn(X, 1, 0.5, 0.0, actions=A), "probability is 0.0; expected a number in (0, 1]"),
    "a decision and a probability": (lambda b: b.learn(X, DECISION, 0.5, 0.5), "expected the decision alone"),
    "a decision and actions": (lambda b: b.learn(X, DECISION, 0.5, actions=A), "expected the decision alone"),
    "a decision and ids": (lambda b: b.learn(X, DECISION, 0.5, ids=IDS), "expected the decision alone"),
    "a decision as a tuple": (lambda b: b.learn(X, tuple(DECISION), 0.5), "expected a Decision, or the row"),
    "a decision as a dict": (lambda b: b.learn(X, DECISION.to_dict(), 0.5), "expected a Decision, or the row"),
    "a decision of another context": (lambda b: b.learn([1.0], DECISION, 0.5), "x has 1 features; expected 2"),
    "a decision without its context": (lambda b: b.learn(None, DECISION, 0.5), "x is None; expected 2 features"),
    "an action that was not there": bad_decision("action is 9; expected an integer from 0 to 3", action=9),
    "no action": bad_decision("action is None; expected an integer from 0 to 3", action=None),
    "a changed probability": bad_decision("probability is 0.0; expected a number in (0, 1]", probability=0.0),
    "too few probabilities": bad_decision("probabilities of the shape (2,), and actions of", probabilities=np.ones(2)),
    "no probabilities": bad_decision("probabilities of the shape ()", probabilities=None),
    "changed descriptions": bad_decision("actions has 2 features; expected 3", actions=A[:, :2]),
    "NaN in a decision": bad_decision("actions[0, 0] is nan", actions=A * np.nan),
    "descriptions of no dimension": bad_decision("actions of the shape ()", actions=np.array(3.0)),
    "descriptions of one dimension": bad_decision("actions has shape (4,)", actions=np.ones(4)),
    "too few ids in a decision": bad_decision("ids has 1 ids; expected 4", ids=("a",)),
    "ids twice in a decision": bad_decision("ids has 'a' twice", ids=("a",) * 4),
    "a negative round": bad_decision("round is -1; expected an integer from 0", round=-1),
    "a word for a round": bad_decision("round is 'x'; expected an integer from 0", round="x"),
    # Many rounds
    "one decision for many": (lambda b: b.learn_many([X], DECISION, [0.5]), "expected a sequence of decisions"),
    "a generator of decisions": (
        lambda b: b.learn_many([X], (one for one in [DECISION]), [0.5]),
        "expected a sequence of decisions",
    ),
    "rows for decisions": (lambda b: b.learn_many([X], [1], [0.5]), "action is 1 without a probability"),
    "too few decisions": (
        lambda b: b.learn_many([X, X], [DECISION], [0.5, 0.5]),
        "decisions has the length 1; expected 2, the number of rows of X",
    ),
    "too few costs": (lambda b: b.learn_many([X], [DECISION], []), "costs have shape (0,); expected (1,)"),
    "NaN among costs": (lambda b: b.learn_many([X], [DECISION], [np.nan]), "costs[0] is nan; expected a finite"),
    "costs and rewards": (lambda b: b.learn_many([X], [DECISION], [0.5], rewards=[0.5]), "expected one of them"),
    "ids in some decisions": (
        lambda b: b.learn_many([X, X], [DECISION, DECISION._replace(ids=None)], [0.5, 0.5]),
        "some decisions have ids and some have none",
    ),
    "a bad decision of many": (
        lambda b: b.learn_many([X, X], [DECISION, DECISION._replace(action=7)], [0.5, 0.5]),
        "action is 7; expected an integer from 0 to 3",
    ),
    "another width among decisions": (
        lambda b: b.learn_many([X, X], [DECISION, DECISION._replace(actions=A[:, :2])], [0.5, 0.5]),
        "decisions[1] has 2 features; expected 3, as in decisions[0]",
    ),
    "no list of actions": (
        lambda b: b.decide_many([X], None),
        "actions is None; expected a list with the actions",
    ),
    "one matrix for all": (lambda b: b.decide_many([X] * 4, A), "actions[0] has shape (3,)" + A_MATRIX),
    "one CSR matrix for all": (
        lambda b: b.decide_many([X], sparse.csr_array(A)),
        "expected a list with the actions",
    ),
    "too few actions": (lambda b: b.decide_many([X, X], [A]), "actions has the length 1; expected 2"),
    "two widths": (lambda b: b.decide_many([X, X], [A, A[:, :2]]), "actions[1] has 2 features; expected 3, as in"),
    "a round without actions": (lambda b: b.decide_many([X, X], [A, []]), "actions[1] is empty; expected at least one"),
    "NaN in a later round": (
        lambda b: b.decide_many([X, X], [A, np.where(A == 7, np.nan, A)]),
        "actions[1][2, 1] is nan; expected a finite number",
    ),
    "NaN in the only round": (lambda b: b.decide_many([X], [A * np.nan]), "actions[0][0, 0] is nan; expected a finite"),
    "too few lists of ids": (lambda b: b.decide_many([X, X], [A, A], ids=[IDS]), "expected a list of ids for each of"),
    "no ids in one round": (lambda b: b.decide_many([X, X], [A, A], ids=[IDS, None]), "ids[1] is None" + NO_LIST),
    "an id twice in one round": (lambda b: b.decide_many([X], [A], ids=[list("abca")]), "ids[0] has 'a' twice"),
    "no contexts": (lambda b: b.decide_many(None, [A]), "X is None; expected 2 features, as before"),
    "flat contexts": (lambda b: b.decide_many(X, [A]), "X has shape (2,)"),
    "too many keys": (lambda b: b.decide_many([X], [A], keys=["a", "b"]), "there are 2 keys; expected 1"),
    "prediction of another width": (lambda b: b.predict([X], [A[:, :1]]), "actions has 1 features; expected 3"),
    # Warm start
    "a label beyond the actions": bad_labels("y[0] is 4; expected a row of its actions, from 0 to 3", [4]),
    "a negative label": bad_labels("y[0] is -1; expected a row of its actions", [-1]),
    "half a label": bad_labels("y is [0.5]; expected the row of the right action in each of 1 rounds", [0.5]),
    "a word for a label": bad_labels("y is ['a']; expected the row of the right action", ["a"]),
    "too few labels": bad_labels("y is []; expected the row of the right action", []),
    "labels and costs": bad_labels("exactly one of them", [1], costs=[[0, 0, 0, 1]]),
    "neither": bad_labels("exactly one of them"),
    "costs that nobody knows": bad_labels("costs has no number, only NaN; expected a cost of at", costs=[[np.nan] * 4]),
    "costs of fewer actions": bad_labels("costs[0] has shape (2,); expected (4,)", costs=[[0, 1]]),
    "an infinite label cost": bad_labels("costs[0][2] is inf; expected a finite number", costs=[[0, 1, np.inf, 0]]),
    "words for costs": bad_labels("costs[0] has the type <U1", costs=[list("abcd")]),
    "costs of other rounds": bad_labels("expected a list of costs for each of the 1 rounds", costs=[[0] * 4, [0] * 4]),
    "ids of fewer actions": bad_labels("ids[0] has 3 ids; expected 4", [1], ids=[list("abc")]),
}


def refused(bandit: SharedBandit, call: Callable[[Any], object], message: str) -> None:
    before = fingerprint(bandit)
    with pytest.raises(InputError) as caught:
        call(bandit)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    assert fingerprint(bandit) == before


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_input_is_refused_and_changes_nothing(case: str) -> None:
    refused(used(), *BAD_CALLS[case])


@pytest.mark.parametrize("options", [{"learner": "online"}, {"lambdas": 2, "features": "linear"}], ids=str)
def test_other_learners_refuse_the_same(options: dict[str, Any]) -> None:
    bandit = used(**options)
    for call, message in BAD_CALLS.values():
        refused(bandit, call, message)


def test_bad_first_input_leaves_a_fresh_bandit_fresh() -> None:
    """A fresh bandit knows no width."""
    for name, (call, message) in BAD_CALLS.items():
        if re.search(r"\d features|prediction", message + name):
            continue
        bandit = SharedBandit()
        with pytest.raises(InputError):
            call(bandit)
        assert bandit.n_features_ is None and fingerprint(bandit) == fingerprint(SharedBandit()), name
        assert bandit.decide([1.0, 2.0, 3.0], A).round == 0


def test_a_context_where_there_was_none() -> None:
    bandit = SharedBandit()
    bandit.decide(None, A)
    refused(bandit, lambda b: b.decide([1.0], A), "x has 1 features; expected None, as before")
    refused(bandit, lambda b: b.decide_many([[1.0]], [A]), "X has 1 features; expected None, as before")
    assert bandit.decide([], A).probabilities.shape == (4,)  # a context without features is none


def test_a_cost_outside_of_its_range() -> None:
    bandit = used(cost_range=(0, 1))
    refused(bandit, lambda b: b.learn(X, DECISION, 1.5), "cost is 1.5; expected a number in [0, 1]")
    refused(bandit, lambda b: b.learn(X, DECISION, reward=0.5), "expected a number in [-1, 0], as cost_range is (0, 1)")
    refused(bandit, lambda b: b.learn_many([X], [DECISION], [2]), "costs[0] is 2; expected a number in [0, 1]")
    refused(bandit, lambda b: b.warm_start([X], [A], costs=[[0, 2, 0, 0]]), "costs[0][1] is 2.0; expected a number in")


def test_calls_before_any_data() -> None:
    bandit = SharedBandit()
    for call in (lambda: bandit.predict([X], [A]), lambda: bandit.predict_costs([X], [A]), bandit.policy):
        with pytest.raises(OrderError, match="came before any data; expected warm_start, decide or learn first"):
            call()
    assert bandit.decide_many([], []) == []
    bandit.learn_many([], [], [])
    assert bandit.n_features_ is None


def test_no_rounds_at_all() -> None:
    bandit = used()
    before = fingerprint(bandit)
    assert bandit.decide_many([], []) == [] and bandit.policy().decide_many([], []) == []
    assert bandit.predict([], []).shape == (0,) and bandit.predict_costs(np.empty((0, 2)), []) == []
    bandit.learn_many([], [], [])
    bandit.warm_start([], [], [])
    assert fingerprint(bandit) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process")
@pytest.mark.parametrize("of_context", [True, False])
def test_a_model_that_does_not_fit_into_memory(of_context: bool) -> None:
    script = f"""
import resource
import numpy as np
from scipy import sparse
from warmcb import SharedBandit
wide = sparse.csr_array(([1.0], ([0], [2**31 - 2])), shape=(1, 2**31 - 1))
resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30, resource.RLIM_INFINITY))
bandit = SharedBandit()
try:
    bandit.decide(*((wide, np.eye(3)) if {of_context} else (None, wide)))
except ValueError as error:
    print(error)
print(bandit.n_features_, bandit.decide(None, np.eye(3)).action in range(3))
"""
    finished = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    widths = "2147483647 features of contexts, 3 of actions" if of_context else "0 features of contexts, 2147483647 of"
    message, rest = finished.stdout.splitlines()
    assert widths in message and message.endswith("expected one that fits into memory")
    assert rest == "None True"


SPARSE = {"data": [1.0, 2.0], "indices": [0, 2], "indptr": [0, 1, 1, 2, 2], "shape": [4, 3]}


@pytest.mark.parametrize(
    "actions",
    [
        {},
        {"data": [1]},
        SPARSE | {"shape": [4]},
        SPARSE | {"shape": [-1, 3]},
        SPARSE | {"shape": [10**12, 3]},
        SPARSE | {"shape": [4, 10**12]},
        SPARSE | {"shape": None},
        SPARSE | {"indices": [0, 9]},
        SPARSE | {"indices": [-1, 0]},
        SPARSE | {"indices": [0, 1.5]},
        SPARSE | {"indices": [2**40, 1]},
        SPARSE | {"indices": [2**70, 1]},
        SPARSE | {"indptr": [0, 100, 1, 2, 2]},
        SPARSE | {"indptr": [0, 2]},
        SPARSE | {"data": ["x", "y"]},
        SPARSE | {"data": [1e300, 2]},
        SPARSE | {"data": [[1, 2]]},
        [[1, 2], [3]],
        [[1, 2, "x"]] * 4,
        [[1, 2, None]] * 4,
        [[[1]]] * 4,
        [[1e300, 2, 3]] * 4,
        [[]] * 4,
        [1, 2, 3, 4],
        [],
        [{"a": 1}] * 4,
    ],
    ids=str,
)
def test_a_decision_that_was_damaged_on_its_way(actions: Any) -> None:
    """`from_dict` refuses it, or else `learn` does."""
    good = Decision.from_dict(DECISION.to_dict() | {"actions": SPARSE})
    bandit = used()
    bandit.learn(X, good, 0.5)
    damaged = good.to_dict() | {"actions": actions}
    refused(bandit, lambda one: one.learn(X, Decision.from_dict(damaged), 0.5), "expected")


# What is no mistake


@pytest.mark.parametrize(
    "ids",
    [
        ["a", 1, "1", "ü\U0001f600"],
        np.array(["a", "b", "c", "d"]),
        list(np.array(["a", "b", "c", "d"])),
        np.array([3, 1, 2, -5], dtype=np.int8),
        np.array(["a", 1, "1", ""], dtype=object),
        pd.Series(["a", "b", "c", "d"], index=[9, 8, 7, 6]),
        pl.Series([1, 2, 3, 2**40]),
        range(4),
        (one for one in "abcd"),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_ids_of_all_kinds(ids: Any) -> None:
    decision = used().decide(X, A, ids=ids)
    assert decision.ids is not None and {type(one) for one in decision.ids} <= {int, str}
    assert Decision.from_dict(json.loads(json.dumps(decision.to_dict()))) == decision


def test_a_number_and_its_text_are_two_ids() -> None:
    bandit, random = SharedBandit(features="linear"), np.random.default_rng(0)
    ids: list[Key] = [1, "1"]
    for i in range(300):
        played = i % 2
        bandit.learn(None, played, float(played), 0.5, actions=random.normal(size=(2, 1)), ids=ids)
    costs = bandit.predict_costs(None, [np.zeros((2, 1))], ids=[ids])[0]
    assert costs[1] - costs[0] > 0.5


@pytest.mark.parametrize("size", [1, 2, 5000])
def test_any_number_of_actions(size: int) -> None:
    bandit, random = SharedBandit(seed=3), np.random.default_rng(1)
    for i in range(12):
        described = random.normal(size=(size, 3))
        decision = bandit.decide([1.0], described, ids=range(size) if i % 2 else None)
        assert decision.probabilities.shape == (size,) and abs(decision.probabilities.sum() - 1) < 1e-9
        bandit.learn([1.0], decision, random.random())
    if size == 1:
        assert decision.probability == 1.0


@pytest.mark.parametrize("scale", [1e-44, 1e-38, 1e-20, 1e20, 1e37])
@pytest.mark.parametrize("learner", ["auto", "online"])
@pytest.mark.parametrize("width", [3, 600])
def test_extreme_events_leave_everything_finite(scale: float, learner: str, width: int, tmp_path: Path) -> None:
    bandit, random = SharedBandit(learner=learner), np.random.default_rng(0)
    with np.errstate(all="raise", under="ignore"):
        for i in range(150):
            x, described = scale * random.uniform(-1, 1, 2), scale * random.uniform(-1, 1, size=(3, width))
            decision = bandit.decide(x, described, ids=["a", "b", str(i)])
            probability = (1.0, 1e-3, 1e-300, 5e-324)[i % 4]
            bandit.learn(x, decision.action, random.choice([-1e6, 0.0, 1.0]), probability, actions=described)
        bandit.save(tmp_path / "b.warmcb")  # it refuses what is not finite
        assert abs(bandit.decide([1e38, -1e38], np.full((2, width), 1e38)).probabilities.sum() - 1) < 1e-9


def test_rows_without_any_value() -> None:
    """Sparse descriptions may be empty, and one-hot ones as well, later."""
    empty = sparse.csr_array((3, 5))
    for first in (empty, sparse.csr_array(np.eye(3, 5)), sparse.csr_array(np.ones((3, 5)))):
        bandit = SharedBandit()
        for described in (first, empty, sparse.csr_array(np.eye(3, 5) * 2), first):
            decision = bandit.decide([1.0, 2.0], described)
            bandit.learn([1.0, 2.0], decision, 0.5)
            bandit.warm_start([[1.0, 2.0]], [described], [0])
        assert all(np.isfinite(one).all() for one in bandit.predict_costs([[1.0, 2.0]], [empty]))


def test_descriptions_without_features() -> None:
    """Then ids are all there is to tell actions apart by."""
    bandit = SharedBandit(seed=2)
    for _ in range(200):
        decision = bandit.decide(None, np.empty((3, 0)), ids=["bad", "good", "ugly"])
        assert Decision.from_dict(json.loads(json.dumps(decision.to_dict()))) == decision
        bandit.learn(None, decision, float(decision.action != 1))
    assert bandit.predict(None, [np.empty((3, 0))], ids=[["bad", "good", "ugly"]]).tolist() == [1]


# Model files


def state_of(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    bandit = case.make().warm_start(**case.offered.some(0, 30), costs=case.offered.costs[:30])
    for i in range(30, 90):
        decision = bandit.decide(**case.offered.offer(i))
        bandit.learn(case.offered.x(i), decision, float(case.offered.costs[i][decision.action]))
    return bandit._saved_params()[0], bandit._whole_state()


FILES = {name: state_of(CASES[name]) for name in ("few ids", "one-hot", "wide", "many columns")}


def loaded(path: Path, params: Any, state: Any, kind: str = "SharedBandit") -> Any:
    _modelfile.write(path, kind, params, state)
    return load(path, parts=OWN_PARTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["few ids", "many columns"])
def test_arrays_of_another_size_or_type_are_refused(name: str, tmp_path: Path) -> None:
    params, state = FILES[name]
    free = ("label_unit", "learner_recent", "learner_beyond", "learner_translator", "learner_translator_inverse")
    for array, values in state.items():
        damages: list[Any] = [np.append(values, values.ravel()[:1]), values.astype(np.complex64), np.array(["a"])]
        if values.size > 1:
            damages.append(values.ravel()[:-1])
        for damaged in damages:
            if damaged.size == 0 or (array in free and damaged.dtype == values.dtype):
                continue
            try:
                again = loaded(tmp_path / "b.warmcb", params, {**state, array: damaged})
            except ModelFileError as error:
                assert "\n" not in str(error)
            else:
                pytest.fail(f"{array} as {damaged.dtype} {damaged.shape} instead of {values.shape}: {again!r}")
        without = {other: kept for other, kept in state.items() if other != array}
        optional = array == "learner_models_identities" or array.startswith("learner_taught_identities")
        if not optional:
            with pytest.raises(ModelFileError):
                loaded(tmp_path / "b.warmcb", params, without)


@pytest.mark.parametrize(
    "array, at, value",
    [
        ("widths", 0, -2),
        ("widths", 0, 4),
        ("widths", 1, 2**31 - 1),
        ("widths", 1, 2**60),
        ("widths", 2, 1),
        ("learned", None, -1),
        ("warm_examples", None, -1),
        ("lambdas", 0, 2.0),
        ("learner_shape", 5, 7),
        ("learner_shape", 6, 0),
        ("learner_models_identities", 0, 0),
        ("learner_models_effect_variances", 0, -1.0),
        ("learner_models_whose", 0, 1000),
        ("learner_kept_counts", 2, 2**64 - 1),
        ("learner_kept_index", 0, 1000),
    ],
)
def test_damaged_numbers_are_refused(array: str, at: int | None, value: Any, tmp_path: Path) -> None:
    params, state = FILES["few ids"]
    damaged = state[array].copy()
    damaged[() if at is None else at] = value
    with pytest.raises(ModelFileError) as caught:
        loaded(tmp_path / "b.warmcb", params, {**state, array: damaged})
    assert "is not a whole SharedBandit" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_whatever_a_file_holds_nothing_crashes(name: str, tmp_path: Path) -> None:
    """Any number may be any other: it is refused, or played on."""
    random, case = np.random.default_rng(5), CASES[name]
    params, state = FILES[name]
    names = [array for array, values in state.items() if values.size]
    refusals = 0
    for _ in range(100):
        array = names[random.integers(len(names))]
        damaged = state[array].copy()
        kind = damaged.dtype
        values = [-1e30, -1.0, 0.0, 1e-30, 1e30] if kind.kind == "f" else [0, 1, 4, 255, np.iinfo(kind).max]
        damaged.flat[random.integers(damaged.size)] = kind.type(values[random.integers(len(values))])
        try:
            with np.errstate(all="ignore"):
                bandit = loaded(tmp_path / "b.warmcb", params, {**state, array: damaged})
                for i in range(90, 96):
                    decision = bandit.decide(**case.offered.offer(i))
                    bandit.learn(case.offered.x(i), decision, 0.5)
                bandit.policy().decide(**case.offered.offer(96))
        except (WarmcbError, ValueError, OverflowError):
            refusals += 1
    assert 0 < refusals < 100


def test_parameters_and_kinds_of_others_are_refused(tmp_path: Path) -> None:
    params, state = FILES["few ids"]
    others: list[dict[str, Any]] = [{"lambdas": 2}, {"features": "linear"}, {"most_ids": "many"}, {"nonsense": 1}]
    for changed in (*others, {"learner": "online"}):
        with pytest.raises(ModelFileError):
            loaded(tmp_path / "b.warmcb", {**params, **changed}, state)
    for kind in ("WarmBandit", "ArrowCB"):
        with pytest.raises(ModelFileError):
            loaded(tmp_path / "b.warmcb", params, state, kind)


def test_a_damaged_policy_is_refused(tmp_path: Path) -> None:
    params, state = FILES["few ids"]
    policy = loaded(tmp_path / "b.warmcb", params, state).policy()
    saved = policy._bandit._whole_state()
    with pytest.raises(ModelFileError, match="which does not learn"):
        loaded(tmp_path / "b.warmcb", params, saved)
    again = loaded(tmp_path / "b.warmcb", params, saved, "policy of SharedBandit")
    assert again.decide(**CASES["few ids"].offered.offer(95), key=1) == policy.decide(
        **CASES["few ids"].offered.offer(95), key=1
    )
    for array, values in saved.items():
        if not array.startswith("learner_") or values.size < 2:
            continue
        with pytest.raises(ModelFileError):
            loaded(tmp_path / "b.warmcb", params, {**saved, array: values[:-1]}, "policy of SharedBandit")
