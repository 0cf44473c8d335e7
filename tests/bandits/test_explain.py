"""Explanations: contributions add up, belong to the right features, and have the right names."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import warmcb
from tests.support.problems import make_problem
from warmcb import ArrowCB, Contribution, Decision, Explanation, SharedBandit, WarmBandit, load
from warmcb._core import Rows
from warmcb.bandits.explanations import column_names
from warmcb.contracts import Learner
from warmcb.errors import InputError, OrderError, UnsupportedError
from warmcb.features import Encoder
from warmcb.learners import RecursiveLeastSquares
from warmcb.plot import plot_explanation

ALL = 10**6

NUMBERED: dict[str, Callable[[], Any]] = {
    "WarmBandit": lambda: WarmBandit(3),
    "WarmBandit, squares": lambda: WarmBandit(3, features="squares"),
    "WarmBandit, linear": lambda: WarmBandit(3, features="linear", half_life=100),
    "WarmBandit, online": lambda: WarmBandit(3, learner="online"),
    "WarmBandit, wide": lambda: WarmBandit(3, learner=RecursiveLeastSquares(exact_terms=4)),
    "WarmBandit, no labels": lambda: WarmBandit(3, lambdas=(1.0,)),
    "ArrowCB": lambda: ArrowCB(3),
    "BanditOnly": lambda: warmcb.BanditOnly(3),
    "SupOnly": lambda: warmcb.SupOnly(3),
    "SimBandit": lambda: warmcb.SimBandit(3),
}
DESCRIBED: dict[str, tuple[Callable[[], SharedBandit], int, int]] = {
    "joint": (SharedBandit, 3, 4),
    "joint, linear": (lambda: SharedBandit(features="linear"), 3, 4),
    "joint, no context": (SharedBandit, 0, 4),
    "joint, wide": (SharedBandit, 2, 600),
    "crossed": (lambda: SharedBandit(learner="online"), 3, 4),
    "crossed, no context": (lambda: SharedBandit(learner="online"), 0, 4),
    "crossed, hashed": (lambda: SharedBandit(learner="online"), 600, 600),
    "crossed, least squares": (lambda: SharedBandit(learner=RecursiveLeastSquares()), 3, 4),
}


def check_sum(explanation: Explanation) -> None:
    """The contributions are the difference of the two costs, the largest first, whatever is left out."""
    costs = [one.cost for one in explanation.contributions]
    unit = max(1.0, *map(abs, costs), abs(explanation.cost), abs(explanation.cost_against))
    assert sum(costs) == pytest.approx(explanation.cost - explanation.cost_against, abs=4e-6 * unit)
    listed = [abs(one.cost) for one in explanation.contributions if one.name != "all else"]
    assert all(first >= second for first, second in pairwise(listed))
    names = [one.name for one in explanation.contributions]
    assert len(set(names)) == len(names)


def trained(bandit: Any, X: Any, y: Any, scale: float = 1.0) -> Any:
    """After labels and rounds."""
    bandit.warm_start(X[:60], y[:60])
    for i in range(60, X.shape[0]):
        x = X[[i]] if sparse.issparse(X) else X[i]
        decision = bandit.decide(x)
        bandit.learn(x, decision, scale * float(decision.action != y[i]))
    return bandit


def offers(n: int, n_context: int, n_described: int, as_csr: bool = False) -> list[tuple[Any, Any, Any]]:
    """Contexts, descriptions and costs; rows of many features have few that are not 0."""
    random = np.random.default_rng(3)
    found = []
    for _ in range(n):
        x, A = random.normal(size=n_context), random.normal(size=(4, n_described))
        if n_described > 100:
            x[random.random(n_context) < 0.9] = 0
            A[random.random(A.shape) < 0.97] = 0
        context = None if n_context == 0 else sparse.csr_array(x[np.newaxis]) if as_csr else x
        costs = 0.5 + 0.3 * np.tanh(A[:, 0] + (x[0] * A[:, 1] if n_context else 0))
        found.append((context, sparse.csr_array(A) if as_csr else A, costs))
    return found


def trained_shared(bandit: SharedBandit, rounds: list[tuple[Any, Any, Any]], ids: Any = None) -> SharedBandit:
    for x, A, costs in rounds[:20]:
        bandit.warm_start(None if x is None else x.reshape(1, -1), [A], costs=[costs], ids=ids and [ids])
    for x, A, costs in rounds[20:]:
        decision = bandit.decide(x, A, ids)
        bandit.learn(x, decision, float(costs[decision.action]))
    return bandit


# Sums


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("name", NUMBERED)
def test_contributions_add_up(name: str, is_sparse: bool) -> None:
    problem = make_problem(n=300, is_sparse=is_sparse)
    unit = 25.0 if name.startswith("WarmBandit") else 1.0
    bandit = trained(NUMBERED[name](), problem.X, problem.y, unit)
    for i in range(20):
        x = problem.X[[i]]
        decision = bandit.decide(x)
        for most in (1, 20, ALL):
            explanation = bandit.explain(x, decision, most=most)
            check_sum(explanation)
            assert len(explanation.contributions) <= most + 1
        costs = bandit.predict_costs(x)[0]
        other = np.delete(np.arange(3), decision.action)
        assert (explanation.action, explanation.cost) == (decision.action, costs[decision.action])
        assert explanation.against == other[costs[other].argmin()]
        assert explanation.cost_against == costs[explanation.against]


@pytest.mark.slow
@pytest.mark.parametrize("as_csr", [False, True])
@pytest.mark.parametrize("with_ids", [False, True])
@pytest.mark.parametrize("name", DESCRIBED)
def test_contributions_of_described_actions_add_up(name: str, with_ids: bool, as_csr: bool) -> None:
    make, n_context, n_described = DESCRIBED[name]
    rounds, ids = offers(160, n_context, n_described, as_csr), ["a", "b", "c", "d"] if with_ids else None
    bandit = trained_shared(make(), rounds, ids)
    for x, A, _ in rounds[-5:]:
        decision = bandit.decide(x, A, ids)
        for most in (3, ALL):
            explanation = bandit.explain(x, decision, most=most)
            check_sum(explanation)
        (costs,) = bandit.predict_costs(None if x is None else x.reshape(1, -1), [A], ids and [ids])
        other = np.delete(np.arange(4), decision.action)
        assert explanation.against == other[costs[other].argmin()]
        assert (explanation.cost, explanation.cost_against) == tuple(costs[[decision.action, explanation.against]])
        assert any(one.name == "the action itself (id)" for one in explanation.contributions) == with_ids


def test_contributions_add_up_before_and_after_the_first_round() -> None:
    """Labels have a unit of their own until a round is learned."""
    problem = make_problem(n=100)
    bandit = WarmBandit(3).warm_start(problem.X, costs=100 + 50 * problem.costs)
    decision = bandit.decide(problem.X[0])
    check_sum(bandit.explain(problem.X[0], decision, most=ALL))
    bandit.learn(problem.X[0], decision, -7.0)
    check_sum(bandit.explain(problem.X[0], decision, most=ALL))


# Whose contribution it is


def by_hand() -> tuple[ArrowCB, list[float]]:
    """Costs of 1·3 − 2·1 + 0.5 and of 0.5·3 + 0.25."""
    bandit, x = ArrowCB(2, lambdas=2), [3.0, -1.0]
    bandit.decide(x)
    bandit._learner.weights[:, 0, :] = np.array([[1.0], [2.0], [0.5]])
    bandit._learner.weights[:, 1, :] = np.array([[0.5], [0.0], [0.25]])
    return bandit, x


def test_a_linear_model_by_hand() -> None:
    bandit, x = by_hand()
    decision = Decision(0, 0.9, np.array([0.9, 0.1]), (0, 1))
    explanation = bandit.explain(x, decision)
    assert explanation == Explanation(
        action=0,
        against=1,
        cost=1.5,
        cost_against=1.75,
        contributions=(
            Contribution("feature 1", (-1.0,), (-1.0,), -2.0),
            Contribution("feature 0", (3.0,), (3.0,), 1.5),
            Contribution("the action itself", (), (), 0.25),
        ),
    )
    assert str(explanation).splitlines() == [
        "action 0 instead of 1: expected cost 1.50 instead of 1.75",
        "feature            value  contribution",
        "feature 1             -1         -2.00",
        "feature 0              3         +1.50",
        "the action itself                +0.25",
        "together                         -0.25",
    ]


def test_small_contributions_are_taken_together() -> None:
    bandit, x = by_hand()
    explanation = bandit.explain(x, Decision(0, 0.9, np.array([0.9, 0.1]), (0, 1)), most=1)
    assert [(one.name, one.cost) for one in explanation.contributions] == [("feature 1", -2.0), ("all else", 1.75)]


def test_what_explored_is_compared_with_the_greedy_action() -> None:
    bandit, x = by_hand()
    explored = bandit.explain(x, Decision(1, 0.1, np.array([0.9, 0.1]), (0, 1)))
    assert (explored.action, explored.against, explored.cost, explored.cost_against) == (1, 0, 1.75, 1.5)
    assert [one.cost for one in explored.contributions] == [2.0, -1.5, -0.25]


def test_the_runner_up_was_allowed() -> None:
    problem = make_problem(n=200)
    bandit = trained(WarmBandit(actions=["a", "b", "c"]), problem.X, np.array(["a", "b", "c"])[problem.y])
    x = problem.X[0]
    for allowed in (["a", "b"], ["a", "c"], ["b", "c"]):
        explanation = bandit.explain(x, bandit.decide(x, actions=allowed))
        assert {explanation.action, explanation.against} == set(allowed)
        assert explanation.title.startswith(f"action {explanation.action} instead of {explanation.against}: ")


def test_an_action_that_came_later_is_no_runner_up() -> None:
    bandit, x = by_hand()
    decision = bandit.decide(x)
    bandit.add_action()  # it is expected to cost 0, less than both others
    assert {bandit.explain(x, decision).action, bandit.explain(x, decision).against} == {0, 1}
    assert bandit.explain(x, bandit.decide(x, actions=[0, 2])).cost_against in (0.0, 1.5)


def term_by_term(learner: Any, row: np.ndarray[Any, Any], lane: int) -> list[tuple[list[int], float]]:
    found: list[tuple[list[int], float]] = learner.explain(Rows(row[np.newaxis].astype(np.float32)), 0, 0, lane)
    return found


@pytest.mark.parametrize("described", [False, True])
@given(data=st.data())
def test_a_term_looks_at_its_features_alone(described: bool, data: st.DataObject) -> None:
    learner, width = _shared_learner() if described else _numbered_learner()
    row = np.array(data.draw(st.lists(st.floats(-3, 3), min_size=width, max_size=width)))
    feature = data.draw(st.integers(0, width - 1))
    moved = row.copy()
    moved[feature] = data.draw(st.floats(-3, 3))
    before, after = term_by_term(learner, row, 0), term_by_term(learner, moved, 0)
    assert {len(sources) for sources, _ in before} == {0, 1, 2, 3}
    for (sources, amount), (_, other) in zip(before, after, strict=True):
        if feature not in sources and -1 not in sources:  # what labels say is a matter of all features
            assert amount == other


_LEARNERS: dict[str, tuple[Any, int]] = {}


def _numbered_learner() -> tuple[Any, int]:
    if "numbered" not in _LEARNERS:
        problem = make_problem(n=200)
        _LEARNERS["numbered"] = trained(WarmBandit(3), problem.X, problem.y)._learner, 6
    return _LEARNERS["numbered"]


def _shared_learner() -> tuple[Any, int]:
    if "shared" not in _LEARNERS:
        _LEARNERS["shared"] = trained_shared(SharedBandit(), offers(160, 3, 4))._learner, 7
    return _LEARNERS["shared"]


def test_terms_of_a_learner_move_with_their_features() -> None:
    """The reverse: a feature that a term names matters to it."""
    learner, width = _shared_learner()
    row = np.random.default_rng(0).normal(size=width)
    before = term_by_term(learner, row, 0)
    for feature in range(width):
        moved = row.copy()
        moved[feature] += 1
        after = term_by_term(learner, moved, 0)
        assert all(
            one[1] != other[1] for one, other in zip(before, after, strict=True) if feature in one[0] and one[1] != 0
        )


def test_products_in_one_column_are_told_apart() -> None:
    """360,000 products share 2¹⁸ columns; each is still that of its own two features."""
    rounds = offers(60, 600, 600)
    bandit = trained_shared(SharedBandit(learner="online"), rounds)
    x, A, _ = rounds[-1]
    decision = bandit.decide(x, A)
    explanation = bandit.explain(x, decision, most=ALL)
    weights = bandit._learner.weights[:, 0, bandit._selector.best].astype(np.float64)
    products = [one for one in explanation.contributions if " × " in one.name]
    assert len(products) > 100
    x, A = x.astype(np.float32), A.astype(np.float32)
    for one in products:
        i, k = (int(name.rsplit(" ", 1)[1]) for name in one.name.split(" × "))
        value, other = A[decision.action, k], A[explanation.against, k]
        assert (one.values, one.other_values) == ((x[i], value), (x[i], other))
        weight = weights[bandit._pairing.product(i, k)] * bandit._unit.width
        assert one.cost == pytest.approx(weight * float(x[i] * value - x[i] * other), rel=1e-5, abs=1e-12)


@pytest.mark.parametrize("learner", ["auto", "online"])
def test_actions_that_are_described_alike_differ_by_their_ids(learner: str) -> None:
    bandit, A = SharedBandit(learner=learner, epsilon=0.5, seed=2), np.ones((2, 3))
    for _ in range(100):
        decision = bandit.decide([1.0], A, ids=["tea", "milk"])
        bandit.learn([1.0], decision, float(decision.action == 0))
    explanation = bandit.explain([1.0], bandit.decide([1.0], A, ids=["tea", "milk"]))
    (one,) = explanation.contributions
    assert one.name == "the action itself (id)"
    assert {one.values, one.other_values} == {("tea",), ("milk",)}
    assert one.cost == pytest.approx(explanation.cost - explanation.cost_against)
    assert one.shown_values in ("tea instead of milk", "milk instead of tea")


def test_one_hot_descriptions_have_a_model_each() -> None:
    problem = make_problem(n=200)
    shared, numbered = SharedBandit(features="linear"), WarmBandit(3, features="linear", optimism=0.0)
    for x, y in zip(problem.X, problem.y, strict=True):
        decision = shared.decide(x, np.eye(3))
        shared.learn(x, decision, float(decision.action != y))
        numbered.learn(x, decision.action, float(decision.action != y), decision.probability)
    x = problem.X[0]
    decision = shared.decide(x, np.eye(3))
    explanation = shared.explain(x, decision)
    assert explanation == numbered.explain(x, decision._replace(actions=(0, 1, 2)))
    check_sum(explanation)
    assert {one.name for one in explanation.contributions} == {*(f"feature {j}" for j in range(6)), "the action itself"}
    # A row that is not one-hot is the average of its columns.
    mixed = shared.decide(x, np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.0, 0.0]]))
    check_sum(shared.explain(x, mixed))


def test_sparse_rows_are_explained_as_dense_ones() -> None:
    problem = make_problem(n=200, is_sparse=True)
    bandit = trained(WarmBandit(3), problem.X, problem.y)
    decision = bandit.decide(problem.X[[0]])
    assert bandit.explain(problem.X[[0]], decision) == bandit.explain(problem.X[[0]].toarray()[0], decision)


def test_what_labels_say_is_a_contribution() -> None:
    problem = make_problem(n=300)
    bandit = trained(WarmBandit(3), problem.X, problem.y)
    explanation = bandit.explain(problem.X[0], bandit.decide(problem.X[0]), most=ALL)
    found = {one.name: one.values for one in explanation.contributions}
    assert found["what labels say"] == ()
    assert found["what labels say × feature 2"] == (np.float32(problem.X[0, 2]),)


# Names


def test_columns_of_frames_have_their_names() -> None:
    table = pd.DataFrame({"age": [31.0, 25.0, 40.0, 33.0], "visits": [1.0, 7.0, 2.0, 3.0]})
    bandit = ArrowCB(2).warm_start(table, [0, 1, 0, 1])
    row = {"visits": 5.0, "age": 20.0}
    explanation = bandit.explain(row, bandit.decide(row))
    named = {one.name: one.values for one in explanation.contributions}
    assert named == {"age": (20.0,), "visits": (5.0,), "the action itself": ()}


def test_a_name_that_contexts_and_actions_have_is_told_apart() -> None:
    context, items = {"age": 31.0}, pd.DataFrame({"age": [1.0, 9.0], "price": [3.0, 4.0]})
    bandit = SharedBandit(learner="online")
    for _ in range(20):
        decision = bandit.decide(context, items)
        bandit.learn(context, decision, float(decision.action))
    explanation = bandit.explain(context, bandit.decide(context, items))
    assert {one.name for one in explanation.contributions} == {
        "age of the action",
        "price",
        "age × age of the action",
        "age × price",
    }
    (price,) = (one for one in explanation.contributions if one.name == "age × price")
    assert price.shown_values in ("31, 3 instead of 4", "31, 4 instead of 3")


@pytest.mark.parametrize(
    "own, other, shown",
    [
        (446.0, 1154.0, "446 instead of 1154"),
        (26.01, 26.04, "26.01 instead of 26.04"),
        (0.05162, 0.2054, "0.0516 instead of 0.205"),
        (2.5e7, -1e-9, "2.5e+07 instead of -1e-09"),
        (1.0, 1.0 + 1e-15, "1 instead of 1"),
        ("tea", "milk", "tea instead of milk"),
        (7.0, 7.0, "7"),
    ],
)
def test_values_are_shown_with_the_digits_that_tell_them_apart(own: Any, other: Any, shown: str) -> None:
    assert Contribution("one", (own,), (other,), 1.0).shown_values == shown


def test_columns_of_an_encoder_have_its_names() -> None:
    encoder = Encoder(bits=10)
    rows = [encoder.encode({"country": country, "age": age}) for country, age in (("de", 31), ("fr", 25))]
    bandit = ArrowCB(2)
    vars(bandit)["encoder"] = encoder
    for _ in range(5):
        for y, row in enumerate(rows):
            decision = bandit.decide(row)
            bandit.learn(row, decision, float(decision.action != y))
    explanation = bandit.explain(rows[0], bandit.decide(rows[0]))
    assert {one.name for one in explanation.contributions} == {"country=de", "age", "the action itself"}


def test_a_column_of_several_names_or_none() -> None:
    encoder = Encoder(bits=1)
    row = encoder.encode({"a": 1, "b": 2, "c": 3})
    shared = next(column for column in row.indices.tolist() if len(encoder.names(column)) > 1)
    assert column_names(None, encoder, "feature")(shared) == " or ".join(encoder.names(shared))
    assert column_names(None, Encoder(), "feature")(7) == "feature 7"
    assert column_names(None, None, "action feature")(7) == "action feature 7"
    assert column_names(("age",), encoder, "feature")(0) == "age"


def test_long_names_keep_the_table_in_shape() -> None:
    explanation = Explanation("a\nb", 1, 0.0, 0.0, (Contribution("x" * 100 + "\n", (1.0,), (1.0,), -1e-9),))
    lines = str(explanation).splitlines()
    assert len({len(line) for line in lines[1:]}) == 1
    assert lines[0] == "action a b instead of 1: expected cost 0.00000000000 instead of 0.00000000000"
    assert lines[2].endswith("-0.00000000100")


def test_nothing_tells_actions_apart_at_first() -> None:
    bandit = WarmBandit(3)
    explanation = bandit.explain([1.0], bandit.decide([1.0]))
    assert explanation.contributions == ()
    assert str(explanation).splitlines()[-1].split() == ["together", "+0.000"]


# Policies and files


@pytest.mark.parametrize("make", [lambda: WarmBandit(3), lambda: ArrowCB(3)])
def test_policies_explain_as_their_bandits_do(make: Callable[[], Any], tmp_path: Path) -> None:
    problem = make_problem(n=200)
    bandit = trained(make(), problem.X, problem.y)
    bandit.policy().save(tmp_path / "policy")
    bandit.save(tmp_path / "bandit")
    x = problem.X[1]
    decision = bandit.decide(x)
    expected = bandit.explain(x, decision)
    for one in (bandit.policy(), load(tmp_path / "policy"), load(tmp_path / "bandit")):
        assert one.explain(x, decision) == expected


@pytest.mark.parametrize("name", ["joint", "crossed"])
def test_policies_of_described_actions_explain_as_their_bandits_do(name: str, tmp_path: Path) -> None:
    make, n_context, n_described = DESCRIBED[name]
    rounds, ids = offers(100, n_context, n_described), [1, 2, 3, 4]
    bandit = trained_shared(make(), rounds, ids)
    bandit.policy().save(tmp_path / "policy")
    x, A, _ = rounds[0]
    decision = bandit.decide(x, A, ids)
    expected = bandit.explain(x, decision)
    for one in (bandit.policy(), load(tmp_path / "policy")):
        assert one.explain(x, decision) == expected
        assert one.explain(x, Decision.from_dict(decision.to_dict())) == expected


# Bad input


class Constant(Learner):
    """A user's own learner."""

    def __init__(self, n_actions: int) -> None:
        self.n_actions = n_actions

    def predict(self, rows: Rows, i: int) -> Any:
        return np.zeros((self.n_actions, 3), dtype=np.float32)

    def update(self, rows: Rows, i: int, outcome: Any, weights: Any) -> None:
        pass

    def teach(self, rows: Rows, costs: Any, weights: Any) -> None:
        pass


def test_explain_refuses_what_makes_no_sense() -> None:
    bandit = ArrowCB(3)
    decision = ArrowCB(3).decide([1.0, 2.0])
    with pytest.raises(OrderError, match="explain came before any data"):
        bandit.explain([1.0, 2.0], decision)
    bandit.warm_start([[1.0, 2.0]], [0])
    with pytest.raises(InputError, match="x has 3 features; expected 2"):
        bandit.explain([1.0, 2.0, 3.0], decision)
    with pytest.raises(InputError, match="decision is 2; expected a Decision"):
        bandit.explain([1.0, 2.0], 2)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the decision is from a bandit with 4 actions; expected 3 actions"):
        bandit.explain([1.0, 2.0], ArrowCB(4).decide([1.0, 2.0]))
    with pytest.raises(InputError, match="the decision is about described actions"):
        bandit.explain([1.0, 2.0], SharedBandit().decide([1.0, 2.0], np.eye(3)))
    with pytest.raises(InputError, match="the decision had one action only"):
        bandit.explain([1.0, 2.0], bandit.decide([1.0, 2.0], actions=[1]))
    with pytest.raises(InputError, match="most is 0; expected"):
        bandit.explain([1.0, 2.0], decision, most=0)


def test_explain_of_described_actions_refuses_what_makes_no_sense() -> None:
    bandit, A = SharedBandit(), np.array([[1.0, 2.0], [3.0, 1.0]])
    decision = SharedBandit().decide([1.0], A)
    with pytest.raises(OrderError, match="explain came before any data"):
        bandit.explain([1.0], decision)
    bandit.decide([1.0], A)
    with pytest.raises(InputError, match="x has 2 features; expected 1"):
        bandit.explain([1.0, 2.0], decision)
    with pytest.raises(InputError, match="actions has 3 features; expected 2"):
        bandit.explain([1.0], SharedBandit().decide([1.0], np.ones((2, 3))))
    with pytest.raises(InputError, match="decision is 1; expected a Decision"):
        bandit.explain([1.0], 1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the decision is about numbered actions"):
        bandit.explain([1.0], ArrowCB(2).decide([1.0]))
    with pytest.raises(InputError, match="the decision had one action only"):
        bandit.explain([1.0], bandit.decide([1.0], A[:1]))


def test_what_has_no_terms_cannot_be_explained() -> None:
    for bandit in (WarmBandit(2, learner=Constant(2)), warmcb.Majority(2), warmcb.WarmUCB(2)):
        decision = bandit.decide([1.0])
        for one in (bandit, bandit.policy()):
            with pytest.raises(UnsupportedError, match="has no terms to explain; expected"):
                one.explain([1.0], decision)
    shared, A = SharedBandit(learner=Constant(1)), np.array([[1.0], [2.0]])
    shared.warm_start(None, [A], [0])
    with pytest.raises(UnsupportedError, match="Constant has no terms to explain"):
        shared.explain(None, SharedBandit().decide(None, A))


# The picture


def test_the_picture_has_a_bar_for_each_contribution() -> None:
    problem = make_problem(n=200)
    bandit = trained(WarmBandit(3), problem.X, problem.y)
    explanation = bandit.explain(problem.X[0], bandit.decide(problem.X[0]))
    figure = plot_explanation(explanation)
    (axis,) = figure.axes
    widths = [patch.get_width() for patch in axis.patches]  # type: ignore[attr-defined]
    assert widths == [one.cost for one in explanation.contributions]
    assert len(widths) == 21
    labels = [tick.get_text() for tick in axis.get_yticklabels()]
    assert all(label.startswith(one.name) for label, one in zip(labels, explanation.contributions, strict=True))
    assert figure.get_suptitle() == explanation.title
    assert plot_explanation(explanation, title="why").get_suptitle() == "why"
    assert axis.get_xlabel() and axis.get_ylabel() == "feature"


def test_the_picture_takes_any_name(tmp_path: Path) -> None:
    odd = Contribution("price in $ \\frac{ × $\n" + "very " * 50, (1.0, 2.0), (1.0, 3.0), 0.5)
    for contributions in ((odd,), ()):
        explanation = Explanation("$a_{$", "b", 1.0, 0.5, contributions)
        plot_explanation(explanation).savefig(tmp_path / "odd.png")
    with pytest.raises(InputError, match="explanation is 3; expected an Explanation"):
        plot_explanation(3)  # type: ignore[arg-type]
