"""The exact algorithms beside transcriptions that keep every past policy in a list, as the paper prints them."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.problems import make_problem
from warmcb import ExactArrow, ExactSupervisedTruth, simulate
from warmcb.learners.finite_class import ConstantPolicies, LinearPolicies, TablePolicies

PROBLEM = make_problem(n=400, k=3)
PI = ConstantPolicies(3) + LinearPolicies.at_random(40, 3, 6, seed=2)
ACTIONS = PI.actions(PROBLEM.X.astype(np.float32))
N_S, EPSILON, LAMBDAS = 60, 0.2, (0.0, 0.3, 1.0)


def test_algorithm_1_line_by_line() -> None:
    bandit = ExactArrow(3, policies=PI, epsilon=EPSILON, lambdas=LAMBDAS, seed=3)
    run = simulate(bandit, PROBLEM.X, PROBLEM.y, warm_start=N_S, interaction=200, shuffle=False)
    supervised = PROBLEM.costs[np.arange(N_S)[:, np.newaxis], ACTIONS[:N_S]].sum(axis=0)
    past: dict[float, list[int]] = {lam: [] for lam in LAMBDAS}
    scores = dict.fromkeys(LAMBDAS, 0.0)
    estimates: list[tuple[int, int, float]] = []
    lam_t = LAMBDAS[0]
    for t in range(1, 201):
        x = N_S + t - 1
        expected = np.full(3, 1 / 3)  # line 3
        if t >= 2:
            played = np.array([np.mean([ACTIONS[x, policy] == a for policy in past[lam_t]]) for a in range(3)])
            expected = (1 - EPSILON) * played + EPSILON / 3
        action, probability = int(run.trace.actions[t - 1]), run.trace.probabilities[t - 1]
        assert abs(probability - expected[action]) < 1e-12
        assert run.trace.lambdas[t - 1] == lam_t
        estimate = PROBLEM.costs[x, action] / probability  # line 5
        for lam in LAMBDAS:  # line 6
            bandit_part = np.zeros(len(PI))
            for row, chosen, value in estimates:
                bandit_part += value * (ACTIONS[row] == chosen)
            newest = int(np.argmin(lam * bandit_part + (1 - lam) * supervised))
            past[lam].append(newest)
            scores[lam] += estimate * (ACTIONS[x, newest] == action)
        estimates.append((x, action, estimate))
        lam_t = min(LAMBDAS, key=lambda lam: scores[lam])  # line 7
    np.testing.assert_allclose(bandit.scores_, [scores[lam] / 200 for lam in LAMBDAS])


def test_algorithm_2_by_hand() -> None:
    """Two policies, two epochs: constant actions, so that risks are means of columns."""
    costs = np.array([[0.2, 0.8], [0.4, 0.6], [0.9, 0.1], [0.3, 0.5], [0.6, 0.2], [0.1, 0.9]])
    X = np.zeros((6, 1))
    bandit = ExactSupervisedTruth(2, policies=ConstantPolicies(2), lambdas=(0.0, 1.0), horizon=4, epsilon=0.5)
    bandit.warm_start(X, costs=costs)  # E = 2: parts {0, 3}, {1, 4}, {2, 5}
    assert bandit.epochs_ == 2
    assert bandit._risks.supervised.tolist() == [0.5, 1.3]
    assert bandit.decide([0.0]).probabilities.tolist() == [0.5, 0.5]  # line 7, epoch 1
    bandit.learn([0.0], 0, 1.0, 0.5)
    bandit.learn([0.0], 1, 0.0, 0.5)  # t_1 = 2: the rounds favour action 1, the labels action 0
    assert bandit._best.tolist() == [0, 1]
    np.testing.assert_allclose(bandit.scores_, [0.5, 0.4])  # line 12 on {1, 4}
    assert bandit.lambda_ == 1.0
    assert bandit.decide([0.0]).probabilities.tolist() == [0.25, 0.75]
    bandit.learn([0.0], 1, 1.0, 0.75)
    bandit.learn([0.0], 1, 1.0, 0.75)  # t_2 = 4: now they favour action 0
    assert bandit._best.tolist() == [0, 0]
    np.testing.assert_allclose(bandit.scores_, [0.5, 0.5])  # on {2, 5}
    assert bandit.lambda_ == 0.0


def regret(labels: NDArray[np.int32], seed: int) -> float:
    table = np.random.default_rng(7).integers(2, size=(50, 30))
    random = np.random.default_rng(seed)
    contexts = random.integers(50, size=3000)
    truth = table[:, 4]
    bandit = ExactArrow(2, policies=TablePolicies(table, 2), epsilon=0.1, seed=seed)
    y = truth[contexts]
    bandit.warm_start(contexts[:200, np.newaxis], labels[contexts[:200]])
    run = simulate(bandit, contexts[200:, np.newaxis], y[200:], shuffle=False)
    return run.average_cost


@pytest.mark.slow
def test_good_labels_help_and_bad_ones_do_not_ruin() -> None:
    truth = np.random.default_rng(7).integers(2, size=(50, 30))[:, 4].astype(np.int32)
    good = np.mean([regret(truth, seed) for seed in range(3)])
    bad = np.mean([regret((1 - truth).astype(np.int32), seed) for seed in range(3)])
    assert good < 0.08
    assert bad < 0.35
