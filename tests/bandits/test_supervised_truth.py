"""Algorithm 2: exact least squares, the epochs, and what it is for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tests.support.problems import make_problem
from warmcb import SupervisedTruth, _inputs, simulate
from warmcb._core import LeastSquares, Rows
from warmcb.errors import InputError, OrderError
from warmcb.learners import NormalEquations, solve_mixtures


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(0, 1), st.floats(0.01, 10))
def test_solutions_are_the_weighted_least_squares(seed: int, lam: float, ridge: float) -> None:
    """Against NumPy's lstsq on the stacked, weighted rows with the ridge as extra rows."""
    random = np.random.default_rng(seed)
    n, t, d, k = 40, 60, 4, 3
    scales = 10.0 ** random.uniform(-2, 2, size=d)
    S = (random.normal(size=(n, d)) * scales).astype(np.float32)
    B = (random.normal(size=(t, d)) * scales).astype(np.float32)
    costs = random.random((n, k))
    actions, paid = random.integers(k, size=t), random.random(t)
    probabilities = random.uniform(0.1, 1, size=t)
    weights = (1 / probabilities).astype(np.float32)
    core = LeastSquares(d, k, 1)
    rows = Rows(B)
    for i in range(t):
        core.add(rows, i, int(actions[i]), paid[i], probabilities[i])
    supervised = NormalEquations.of_full_costs(sparse.csr_array(S), costs)
    bandit = NormalEquations(core.gram, core.moment, t)
    found = solve_mixtures(np.array([lam]), supervised, bandit, ridge)[:, :, 0]

    S1, B1 = (np.hstack([M.astype(np.float64), np.ones((len(M), 1))]) for M in (S, B))
    mean_squares = ((S1**2).mean(axis=0) + (weights[:, None] * B1**2).sum(axis=0) / (k * t)) / 2
    penalty = ridge * (lam / t + (1 - lam) / n)
    for a in range(k):
        mine = actions == a
        root = np.sqrt(lam / t * weights[mine])[:, None]
        A = np.vstack([np.sqrt((1 - lam) / n) * S1, root * B1[mine], np.diag(np.sqrt(penalty * mean_squares))])
        b = np.concatenate([np.sqrt((1 - lam) / n) * costs[:, a], root[:, 0] * paid[mine], np.zeros(d + 1)])
        expected = np.linalg.lstsq(A, b)[0]
        np.testing.assert_allclose(found[:, a], expected, rtol=1e-4, atol=1e-5 / np.abs(A).max())


@pytest.mark.parametrize(
    "horizon, epochs", [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (1000, 10), (1024, 10), (1025, 11)]
)
def test_number_of_epochs(horizon: int, epochs: int) -> None:
    assert SupervisedTruth(2, horizon=horizon).epochs_ == epochs


def test_epochs_end_at_the_powers_of_two_and_at_the_horizon() -> None:
    problem = make_problem()
    bandit = SupervisedTruth(3, horizon=20).warm_start(problem.X[:60], problem.y[:60])
    changes = []
    for t in range(1, 31):
        before = bandit._learner.weights.copy()
        decision = bandit.decide(problem.X[60 + t])
        if t <= 2:
            np.testing.assert_allclose(decision.probabilities, 1 / 3)
        bandit.learn(problem.X[60 + t], decision.action, 0.5, decision.probability)
        if not np.array_equal(before, bandit._learner.weights):
            changes.append(t)
    assert changes == [2, 4, 8, 16, 20]


def test_the_warm_start_is_split_into_equal_parts() -> None:
    problem = make_problem()
    bandit = SupervisedTruth(3, horizon=16).warm_start(problem.X[:53], problem.y[:53])
    sizes = np.diff(bandit._part_starts)
    assert sizes.tolist() == [11, 11, 11, 10, 10]
    assert bandit._supervised.examples == 11
    np.testing.assert_array_equal(bandit._examples["table"][:11], problem.y[0:53:5])


def test_each_epoch_is_validated_on_its_own_part() -> None:
    problem = make_problem()
    bandit = SupervisedTruth(3, lambdas=2, horizon=8).warm_start(problem.X[:80], problem.y[:80])
    for t in range(8):
        decision = bandit.decide(problem.X[100 + t])
        bandit.learn(problem.X[100 + t], decision.action, problem.costs[100 + t, decision.action], decision.probability)
        if t + 1 in (2, 4, 8):
            part = slice(bandit._epoch - 1, 80, 4)  # the counter has moved on to the next epoch
            greedy = bandit._learner.predict_actions(Rows(problem.X[part].astype(np.float32))).T
            expected = [np.mean(actions != problem.y[part]) for actions in greedy]
            np.testing.assert_allclose(bandit.scores_, expected)
            assert bandit.lambda_ == np.argmin(expected)


def test_without_labels_it_is_a_plain_bandit() -> None:
    problem = make_problem(n=2000)
    run = simulate(SupervisedTruth(3, epsilon=0.1), problem.X, problem.y)
    assert run.lambda_ == 1
    assert run.average_cost < 0.4


def test_misleading_feedback_does_not_mislead_it() -> None:
    """Judged by the labels, while the feedback blames every action but a wrong one."""
    problem = make_problem(n=3000)
    wrong = np.roll(problem.costs, 1, axis=1)

    def mistakes(bandit: SupervisedTruth) -> float:
        bandit.warm_start(problem.X[:400], problem.y[:400])
        bandit._play_rounds(_inputs.matrix(problem.X, None), wrong, 400, 2400)
        return float(np.mean(bandit.predict(problem.X[2400:]) != problem.y[2400:]))

    assert mistakes(SupervisedTruth(3, lambdas=[1.0], epsilon=0.1, horizon=2000)) > 0.8
    assert mistakes(SupervisedTruth(3, epsilon=0.1, horizon=2000)) < 0.25


def test_true_feedback_helps_it() -> None:
    problem = make_problem(n=6000, k=5, d=20)
    few = 60
    sup = simulate(SupervisedTruth(5, lambdas=[0.0], horizon=5000, epsilon=0.1), problem.X, problem.y, warm_start=few)
    both = simulate(SupervisedTruth(5, horizon=5000, epsilon=0.1), problem.X, problem.y, warm_start=few)
    late = slice(2500, None)  # at first it has fewer labels to learn from: most of them validate
    assert both.trace.costs[late].mean() < sup.trace.costs[late].mean() - 0.02


def test_a_single_weight_needs_no_validation() -> None:
    problem = make_problem()
    bandit = SupervisedTruth(3, lambdas=[0.0]).warm_start(problem.X[:60], problem.y[:60])
    assert bandit._supervised.examples == 60
    assert (bandit.rounds_, bandit.scores_.tolist()) == (0, [0.0])
    several = SupervisedTruth(3, lambdas=[0.0, 1.0]).warm_start(problem.X[:60], problem.y[:60])
    assert several._supervised.examples == 4  # of 17 parts


def test_too_wide_for_normal_equations() -> None:
    bandit = SupervisedTruth(3)
    with pytest.raises(InputError, match=r"X has 100000 features; expected at most \d+ with 3 actions"):
        bandit.decide(sparse.csr_array((1, 100_000)))
    assert bandit.n_features_ is None


def test_warm_start_once() -> None:
    problem = make_problem()
    bandit = SupervisedTruth(3).warm_start(problem.X[:60], problem.y[:60])
    with pytest.raises(OrderError, match="expected one call"):
        bandit.warm_start(problem.X[:60], problem.y[:60])


def test_no_ridge_is_refused() -> None:
    with pytest.raises(InputError, match="ridge is 0; expected a number of at least 1e-6"):
        SupervisedTruth(3, ridge=0)
