"""Finite classes of policies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from warmcb import ExactArrow, load
from warmcb.errors import InputError
from warmcb.learners.finite_class import (
    ConstantPolicies,
    FunctionPolicies,
    JoinedPolicies,
    LinearPolicies,
    Policies,
    TablePolicies,
    TreePolicies,
)

X = np.random.default_rng(0).normal(size=(200, 3))
Y = X.argmax(axis=1).astype(np.int32)


def classes() -> dict[str, Policies]:
    return {
        "constant": ConstantPolicies(3),
        "linear": LinearPolicies.at_random(20, 3, 3, seed=1),
        "stumps": TreePolicies.stumps(X, 3, 30, seed=2),
        "trees": TreePolicies.grown(X, Y, 3, 5, seed=3),
        "functions": FunctionPolicies([lambda X: (X[:, 0] > 0).astype(int), lambda X: np.full(len(X), 2)], 3),
        "joined": ConstantPolicies(3) + TreePolicies.stumps(X, 3, 10) + LinearPolicies.at_random(5, 3, 3),
    }


@pytest.mark.parametrize("name", classes())
def test_a_row_does_not_depend_on_its_neighbours(name: str) -> None:
    policies = classes()[name]
    together = policies.actions(X)
    assert together.shape == (200, len(policies))
    assert together.min() >= 0 and together.max() < 3
    for i in (0, 17, 199):
        np.testing.assert_array_equal(policies.actions(X[i : i + 1])[0], together[i])


def test_trees_do_what_scikit_learns_do() -> None:
    from sklearn.tree import DecisionTreeClassifier

    one = TreePolicies.grown(X, Y, 3, 1, depth=4, seed=8)
    assert np.mean(one.actions(X)[:, 0] == Y) > 0.6
    tree = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    from warmcb.learners.finite_class import _padded

    columns = [column[np.newaxis] for column in _padded(tree, tree.tree_.node_count + 3)]
    ours = TreePolicies(columns[0], columns[1], columns[2], columns[3], columns[4], 3)
    np.testing.assert_array_equal(ours.actions(X)[:, 0], tree.predict(X))


def test_stumps_have_two_different_actions() -> None:
    stumps = TreePolicies.stumps(X, 3, 200, seed=5)
    below, above = stumps.leaf_actions[:, 1], stumps.leaf_actions[:, 2]
    assert (below != above).all()
    chosen = stumps.actions(X)
    goes_left = X[:, stumps.features[:, 0]] <= stumps.thresholds[:, 0]
    np.testing.assert_array_equal(chosen, np.where(goes_left, below, above))


@pytest.mark.parametrize("name", [name for name in classes() if name != "functions"])
def test_a_class_is_saved_with_its_bandit(name: str, tmp_path: Path) -> None:
    bandit = ExactArrow(3, policies=classes()[name], epsilon=0.2, seed=4).warm_start(X[:50], Y[:50])
    for x in X[50:80]:
        decision = bandit.decide(x)
        bandit.learn(x, decision.action, 0.5, decision.probability)
    bandit.save(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb")
    np.testing.assert_array_equal(again.predict(X), bandit.predict(X))
    assert [again.decide(x).action for x in X[80:120]] == [bandit.decide(x).action for x in X[80:120]]


def test_functions_cannot_be_saved(tmp_path: Path) -> None:
    bandit = ExactArrow(3, policies=classes()["functions"]).warm_start(X, Y)
    with pytest.raises(InputError, match="cannot be saved; expected a class that consists of arrays"):
        bandit.save(tmp_path / "b.warmcb")


BAD: dict[str, Any] = {
    "an empty class": (lambda: FunctionPolicies([], 3), "functions is empty"),
    "no class": (lambda: JoinedPolicies([]), "parts is empty"),
    "an empty table": (lambda: TablePolicies(np.empty((3, 0)), 3), "table has shape"),
    "an action too many": (lambda: TablePolicies([[3]], 3), "table has the action 3; expected actions from 0 to 2"),
    "a negative action": (lambda: TablePolicies([[-1, 2]], 3), "table has the action -1; expected actions from 0 to 2"),
    "half an action": (lambda: TablePolicies([[1.5, 0]], 3), "table has the action 1.5; expected actions from 0 to 2"),
    "no number": (lambda: TablePolicies([[np.nan]], 3), "table has the action nan; expected actions from 0 to 2"),
    "a huge action": (lambda: TablePolicies([[2**63 + 1]], 3), f"table has the action {2**63 + 1}; expected"),
    "a name": (lambda: TablePolicies([["tea"]], 3), "table has the type <U3; expected actions from 0 to 2"),
    "no table": (lambda: TablePolicies(0, 3), "table has shape"),
    "an uneven table": (lambda: TablePolicies([[0, 1], [1]], 3), "table is not an array"),
    "other actions": (lambda: ConstantPolicies(2) + ConstantPolicies(3), "a class has 3 actions; expected 2"),
    "an unknown context": (lambda: TablePolicies([[0]], 2).actions(np.array([[1.0]])), "X has other contexts"),
    "flat weights": (lambda: LinearPolicies(np.zeros(3)), "weights have shape"),
    "no thresholds": (lambda: TreePolicies.stumps(np.empty((0, 2)), 2, 3), "X has shape"),
    "policies of other actions": (lambda: ExactArrow(4, policies=ConstantPolicies(3)), "policies have 3 actions"),
    "no policies": (lambda: ExactArrow(4, policies=0), "policies is 0; expected an integer"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str) -> None:
    make, message = BAD[case]
    with pytest.raises(InputError, match=message):
        make()
