"""Runs: what is shown, what is charged, what can be asked of them."""

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.support.problems import make_problem
from warmcb import ArrowCB, BanditOnly, Decision, Majority, SupOnly, simulate, simulate_many
from warmcb.errors import InputError


class Watcher:
    """A user's own bandit: plays action 0 and writes down what it is shown."""

    def __init__(self) -> None:
        self.warm: tuple[Any, Any] = (None, None)
        self.seen: list[tuple[Any, int, float, float]] = []

    def warm_start(self, X: Any, y: Any = None, *, costs: Any = None) -> None:
        self.warm = (X, y if y is not None else costs)

    def decide(self, x: Any) -> Decision:
        return Decision(0, 0.5, np.array([0.5, 0.25, 0.25]))

    def learn(self, x: Any, action: int, cost: float, probability: float) -> None:
        self.seen.append((x, action, cost, probability))


def test_a_foreign_bandit_sees_what_it_should() -> None:
    problem = make_problem()
    watcher = Watcher()
    run = simulate(watcher, problem.X, problem.y, warm_start=50, interaction=100, shuffle=False, noise="cyc:1")
    np.testing.assert_array_equal(watcher.warm[0], np.float32(problem.X[:50]))
    np.testing.assert_array_equal(watcher.warm[1], (problem.y[:50] + 1) % 3)
    assert len(watcher.seen) == 100
    assert [cost for _, _, cost, _ in watcher.seen] == problem.costs[50:150, 0].tolist() == run.trace.costs.tolist()
    np.testing.assert_array_equal(watcher.seen[7][0].ravel(), np.float32(problem.X[57]))
    assert np.isnan(run.lambda_)


def test_costs_are_charged_as_given() -> None:
    problem = make_problem(labels=False)
    run = simulate(Majority(3, action=1), problem.X, costs=problem.costs, warm_start=10, shuffle=False)
    np.testing.assert_array_equal(run.trace.costs, problem.costs[10:, 1])


def test_checkpoints() -> None:
    problem = make_problem()
    run = simulate(ArrowCB(3), problem.X, problem.y, warm_start=100, checkpoints=[1, 50, 300])
    assert run.checkpoints == {t: run.trace.costs[:t].mean() for t in (1, 50, 300)}
    assert run.average_cost == run.checkpoints[300]


def test_the_seed_shuffles_and_no_shuffle_keeps_the_order() -> None:
    problem = make_problem()
    costs = [simulate(Majority(3, action=0), problem.X, problem.y, seed=seed).trace.costs for seed in (1, 1, 2)]
    kept = simulate(Majority(3, action=0), problem.X, problem.y, shuffle=False).trace.costs
    np.testing.assert_array_equal(costs[0], costs[1])
    assert not np.array_equal(costs[0], costs[2])
    np.testing.assert_array_equal(kept, problem.costs[:, 0])


def test_two_bandits_with_two_seeds_explore_differently() -> None:
    problem = make_problem()
    runs = [simulate(BanditOnly(3, epsilon=1.0, seed=seed), problem.X, problem.y) for seed in (1, 2)]
    assert 0.2 < np.mean(runs[0].trace.actions == runs[1].trace.actions) < 0.5


def test_maj_uses_the_most_frequent_label_of_the_whole_data_set() -> None:
    y = np.array([0] * 30 + [1] * 70)
    watcher = Watcher()
    simulate(watcher, np.ones((100, 1)), y, warm_start=30, shuffle=False, noise="maj:1")
    assert set(watcher.warm[1]) == {1}


def test_many_equal_one_by_one() -> None:
    problem = make_problem(is_sparse=True)

    def bandits() -> list[Any]:
        rates = (0.1, 1.0)
        return [kind(3, learning_rate=rate, seed=s) for kind in (ArrowCB, SupOnly) for rate in rates for s in (0, 1)]

    common: dict[str, Any] = {"warm_start": 60, "noise": "uar:0.5", "seed": 9}
    together = simulate_many(bandits(), problem.X, problem.y, **common, threads=2)
    for run, bandit in zip(together, bandits(), strict=True):
        alone = simulate(bandit, problem.X, problem.y, **common)
        for a, b in zip(run.trace, alone.trace, strict=True):
            np.testing.assert_array_equal(a, b)
    assert simulate_many([], problem.X, problem.y) == []


def test_dense_and_sparse_runs_are_equal() -> None:
    problem = make_problem(is_sparse=True)
    runs = [simulate(ArrowCB(3), X, problem.y, warm_start=60) for X in (problem.X, problem.X.toarray())]
    for a, b in zip(runs[0].trace, runs[1].trace, strict=True):
        np.testing.assert_array_equal(a, b)


def test_other_sparse_formats_and_duplicates() -> None:
    problem = make_problem(is_sparse=True)
    expected = simulate(ArrowCB(3), problem.X, problem.y, warm_start=60).average_cost
    split = problem.X.tocoo()
    doubled = sparse.coo_array(
        (np.tile(split.data / 2, 2), (np.tile(split.coords[0], 2), np.tile(split.coords[1], 2))), shape=split.shape
    )
    for X in (problem.X.tocsc(), sparse.csr_matrix(problem.X), doubled):
        assert simulate(ArrowCB(3), X, problem.y, warm_start=60).average_cost == expected


def test_without_a_warm_start_arrow_is_bandit_only() -> None:
    """Also where a policy that was never taught would look good: action 0 is nearly always right."""
    problem = make_problem()
    y = np.where(np.arange(400) % 10 == 0, problem.y, 0)
    arrow, alone = (simulate(kind(3, epsilon=0.1, seed=2), problem.X, y) for kind in (ArrowCB, BanditOnly))
    for a, b in zip(arrow.trace, alone.trace, strict=True):
        np.testing.assert_array_equal(a, b)
    assert alone.average_cost < 0.2


def test_an_error_names_the_callers_row() -> None:
    problem = make_problem()
    X = np.array(problem.X)
    X[15, 2] = np.nan
    with pytest.raises(InputError, match=r"X\[15, 2\] is nan"):
        simulate(ArrowCB(3), X, problem.y)


def test_a_foreign_bandits_decisions_are_checked() -> None:
    class Wild(Watcher):
        answer: Any = Decision(17, 0.5, np.ones(1))

        def decide(self, x: Any) -> Decision:
            return self.answer  # type: ignore[no-any-return]

    wild = Wild()
    with pytest.raises(InputError, match="the action of decide is 17; expected an integer from 0 to 2"):
        simulate(wild, np.ones((9, 1)), [0, 1, 2] * 3)
    wild.answer = Decision(1, 7.0, np.ones(1))
    with pytest.raises(InputError, match="probability is 7"):
        simulate(wild, np.ones((9, 1)), [0, 1, 2] * 3)
    wild.answer = 1
    with pytest.raises(InputError, match="decide gave 1; expected a Decision"):
        simulate(wild, np.ones((9, 1)), [0, 1, 2] * 3)


@pytest.mark.parametrize("answers", [{}, {"y": ["a"] * 9}, {"y": [np.nan] * 9}, {"costs": [0] * 9}])
def test_a_foreign_bandit_needs_labels_that_tell_the_actions(answers: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        simulate(Watcher(), np.ones((9, 1)), **answers)


@pytest.mark.parametrize(
    "bandits, message",
    [
        (lambda: [ArrowCB(3)] * 2, "bandits[1] is in the list twice"),
        (lambda: [ArrowCB(3), ArrowCB(3).warm_start([[1.0]], [0])], "bandits[1] has seen data already"),
        (lambda: [ArrowCB], "expected a built-in bandit"),
        (lambda: ArrowCB(3), "expected a sequence of bandits"),
    ],
)
def test_many_want_distinct_bandits(bandits: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        simulate_many(bandits(), np.ones((9, 1)), [0, 1, 2] * 3)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"warm_start": 400}, "warm_start is 400; expected an integer from 0 to 399"),
        ({"warm_start": -1}, "warm_start is -1"),
        ({"interaction": 0}, "interaction is 0; expected an integer from 1 to 400"),
        ({"interaction": 401}, "interaction is 401"),
        ({"noise": "loud"}, "noise is 'loud'"),
        ({"seed": -3}, "seed is -3"),
        ({"checkpoints": 500}, "checkpoints is 500; expected a sequence"),
        ({"checkpoints": [500]}, "checkpoint is 500; expected an integer from 1 to 400"),
        ({"y": [0] * 399}, "y has shape (399,)"),
        ({"y": None, "costs": np.zeros((400, 3)), "noise": "uar:0.5"}, "expected labels y, because"),
    ],
)
def test_bad_arguments(changes: dict[str, Any], message: str) -> None:
    problem = make_problem()
    with pytest.raises(InputError) as caught:
        simulate(ArrowCB(3), problem.X, **({"y": problem.y} | changes))
    assert message in str(caught.value)


def test_no_rows_and_no_object() -> None:
    with pytest.raises(InputError, match="X has no rows"):
        simulate(ArrowCB(3), np.ones((0, 2)), [])
    with pytest.raises(InputError, match="bandit is the class ArrowCB"):
        simulate(ArrowCB, np.ones((9, 1)), [0] * 9)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="threads is 0"):
        simulate_many([ArrowCB(3)], np.ones((9, 1)), [0] * 9, threads=0)


def test_many_need_the_same_actions() -> None:
    with pytest.raises(InputError, match=r"bandits\[1\] has 4 actions; expected 3"):
        simulate_many([ArrowCB(3), ArrowCB(4)], np.ones((5, 1)), [0] * 5)


def test_where_the_supervised_costs_are_true() -> None:
    """The warm start is right; what the rounds show is not, and the true costs are charged."""
    problem = make_problem()
    watcher = Watcher()
    run = simulate(
        watcher, problem.X, problem.y, warm_start=50, interaction=100, shuffle=False, noise="cyc:1", truth="supervised"
    )
    np.testing.assert_array_equal(watcher.warm[1], problem.y[:50])
    shown = [cost for _, _, cost, _ in watcher.seen]
    assert shown == [float((label + 1) % 3 != 0) for label in problem.y[50:150]]
    assert run.trace.costs.tolist() == problem.costs[50:150, 0].tolist()


@pytest.mark.parametrize("noise", ["none", "uar:0.5", "cyc:1", "maj:0.5"])
def test_compiled_and_python_rounds_see_the_same_false_costs(noise: str) -> None:
    problem = make_problem()
    runs = [
        simulate(BanditOnly(3, epsilon=0.2, seed=1), problem.X, problem.y, warm_start=50, noise=noise,
                 truth="supervised", compiled=compiled)
        for compiled in (True, False)
    ]  # fmt: skip
    np.testing.assert_array_equal(runs[0].trace.actions, runs[1].trace.actions)
    np.testing.assert_array_equal(runs[0].trace.costs, runs[1].trace.costs)


def test_an_unknown_truth_is_refused() -> None:
    problem = make_problem()
    with pytest.raises(InputError, match="truth is 'nobody'; expected one of bandit, supervised"):
        simulate(Majority(3), problem.X, problem.y, truth="nobody")
