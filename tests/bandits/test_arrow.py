"""ARRoW-CB and the baselines, on cases that a hand can compute."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.problems import make_problem
from warmcb import ArrowCB, BanditOnly, Majority, SimBandit, SupOnly, simulate
from warmcb.errors import InputError, OrderError


def test_the_papers_lambdas() -> None:
    zeta = 0.1 / (4 + 0.1)
    expected = [0, zeta / 8, zeta / 4, zeta / 2, zeta, 0.5 + zeta / 2, 0.75 + zeta / 4, 1]
    np.testing.assert_allclose(ArrowCB(4, epsilon=0.1).lambdas_, expected)
    assert ArrowCB(4, lambdas=2).lambdas_.tolist() == [0, 1]
    assert ArrowCB(4, lambdas=[1, 0.5, 0.5]).lambdas_.tolist() == [0.5, 1]


@given(
    st.integers(2, 50),
    st.integers(1, 10_000),
    st.integers(1, 100_000),
    st.lists(st.floats(0, 1, allow_subnormal=False), min_size=1, max_size=9),
)
def test_weights_average_to_one_and_keep_the_papers_ratio(
    n_actions: int, n_s: int, n_b: int, lambdas: list[float]
) -> None:
    bandit = ArrowCB(n_actions, lambdas=lambdas, horizon=n_b)
    bandit._build(1)
    bandit._warm_examples = n_s
    supervised, interaction = bandit._weigh(bandit.lambdas_)
    # A round weighs λ·c/p, which is K·λ·c on average over the actions.
    np.testing.assert_allclose((n_s * supervised + n_b * n_actions * interaction) / (n_s + n_b), 1)
    np.testing.assert_allclose(supervised * bandit.lambdas_, interaction * (1 - bandit.lambdas_), atol=1e-12)


def test_weights_are_vowpal_wabbits() -> None:
    """Its λ and its 1/(K·p) give the same weights as the paper's λ and 1/p with the same ratio."""
    n_actions, n_s, n_b, epsilon = 5, 200, 3000, 0.1
    theirs = epsilon / (1 + epsilon)
    ours = epsilon / (n_actions + epsilon)
    bandit = ArrowCB(n_actions, epsilon=epsilon, lambdas=[ours], horizon=n_b)
    bandit._build(1)
    bandit._warm_examples = n_s
    supervised, interaction = bandit._weigh(bandit.lambdas_)
    total = (1 - theirs) * n_s + theirs * n_b
    np.testing.assert_allclose(supervised, (1 - theirs) * (n_s + n_b) / total)
    np.testing.assert_allclose(interaction, theirs * (n_s + n_b) / total / n_actions)


def test_play_starts_as_sup_only() -> None:
    problem = make_problem()
    arrow = ArrowCB(3, epsilon=0.0).warm_start(problem.X[:100], problem.y[:100])
    sup = SupOnly(3).warm_start(problem.X[:100], problem.y[:100])
    assert arrow.lambda_ == 0
    np.testing.assert_array_equal(arrow.predict(problem.X), sup.predict(problem.X))


def test_scores_by_hand() -> None:
    bandit = ArrowCB(2, lambdas=2, epsilon=0.2).warm_start([[1.0], [-1.0]] * 20, [0, 1] * 20)
    assert bandit.predict([[1.0]])[0] == 0  # λ=0 says 0; λ=1 knows nothing, and of equals the first counts: 0 as well
    bandit.learn([-1.0], 1, cost=1.0, probability=0.5)  # λ=0 plays 1 here and pays 1/0.5; λ=1 plays 0 and pays nothing
    assert bandit.scores_.tolist() == [2.0, 0.0]
    assert (bandit.lambda_, bandit.rounds_) == (1.0, 1)


def test_fresh_diagnostics() -> None:
    bandit = ArrowCB(3)
    assert (bandit.lambda_, bandit.rounds_, bandit.scores_.tolist()) == (1.0, 0, [0.0] * 8)


def test_bandit_only_ignores_the_warm_start() -> None:
    problem = make_problem()
    bandit = BanditOnly(3).warm_start(problem.X[:100], problem.y[:100])
    assert not bandit._learner.weights.any()


def test_sup_only_neither_explores_nor_trains() -> None:
    problem = make_problem()
    bandit = SupOnly(3).warm_start(problem.X[:100], problem.y[:100])
    before = bandit._learner.weights.copy()
    run = simulate(bandit, problem.X, problem.y)
    assert (run.trace.probabilities == 1).all()
    again = SupOnly(3).warm_start(problem.X[:100], problem.y[:100])
    again.learn(problem.X[0], 0, 1.0, 1.0)
    np.testing.assert_array_equal(again._learner.weights, before)


def test_sim_bandit_learns_one_action_of_each_warm_example() -> None:
    bandit = SimBandit(4, epsilon=1.0).warm_start(np.ones((1, 1)), costs=[[0.5] * 4])
    assert bandit._learner.totals[0].tolist() == [1.0]  # weight 1/(K·p) with p = 1/K
    assert np.count_nonzero(bandit._learner.weights.any(axis=(0, 2))) == 1
    assert bandit.rounds_ == 0


def test_majority() -> None:
    costs = [[0.2, 0.5, 0.9], [0.6, 0.2, 0.9]]
    assert Majority(3).warm_start(np.zeros((2, 1)), costs=costs).action_ == 1
    assert Majority(3, action=2).warm_start(np.zeros((2, 1)), costs=costs).decide([0.0]).action == 2


def test_good_labels_help_and_bad_ones_cost_little() -> None:
    """The point of it all, on data where it is easy to see."""
    problem = make_problem(n=4000)
    common = {"warm_start": 200, "seed": 1}

    def cost(bandit: ArrowCB, noise: str) -> float:
        return simulate(bandit, problem.X, problem.y, noise=noise, **common).average_cost  # type: ignore[arg-type]

    alone = cost(BanditOnly(3, epsilon=0.05, learning_rate=0.1), "none")
    assert cost(ArrowCB(3, epsilon=0.05, learning_rate=0.1), "none") < alone - 0.05
    assert cost(SupOnly(3), "cyc:1") > 0.8
    assert cost(ArrowCB(3, epsilon=0.05, learning_rate=0.1), "cyc:1") < alone + 0.05


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n_actions": 1}, "n_actions is 1; expected an integer from 2 to 1048576"),
        ({"n_actions": 2.5}, "n_actions is 2.5"),
        ({"n_actions": True}, "n_actions is True"),
        ({"n_actions": 3, "epsilon": 1.5}, "epsilon is 1.5; expected a number in [0, 1]"),
        ({"n_actions": 3, "epsilon": -0.1}, "epsilon is -0.1"),
        ({"n_actions": 3, "epsilon": float("nan")}, "epsilon is nan"),
        ({"n_actions": 3, "epsilon": "much"}, "epsilon is 'much'"),
        ({"n_actions": 3, "lambdas": []}, "lambdas is []; expected 8, 2 or a sequence of numbers in [0, 1]"),
        ({"n_actions": 3, "lambdas": [0.5, 1.5]}, "lambdas is [0.5, 1.5]"),
        ({"n_actions": 3, "lambdas": [float("nan")]}, "lambdas is [nan]"),
        ({"n_actions": 3, "lambdas": 5}, "lambdas is 5"),
        ({"n_actions": 3, "lambdas": "all"}, "lambdas is 'all'"),
        ({"n_actions": 3, "lambdas": "0.5"}, "lambdas is '0.5'"),
        ({"n_actions": 3, "lambdas": True}, "lambdas is True"),
        ({"n_actions": 3, "lambdas": 0.5}, "lambdas is 0.5"),
        ({"n_actions": 3, "learning_rate": 0}, "learning_rate is 0; expected a number from 1e-30 to 1e30"),
        ({"n_actions": 3, "learning_rate": float("inf")}, "learning_rate is inf"),
        ({"n_actions": 3, "horizon": 0}, "horizon is 0; expected an integer from 1 to"),
        ({"n_actions": 2**61 + 1}, "n_actions is 2305843009213693953"),
        ({"n_actions": 3, "epsilon": 10**400}, "epsilon is 1000"),
        ({"n_actions": 3, "seed": 10**5000}, "seed is a int that cannot be printed"),
        ({"n_actions": 3, "learning_rate": 1e-300}, "learning_rate is 1e-300"),
        ({"n_actions": 3, "horizon": 10**400}, "horizon is 1000"),
        ({"n_actions": 3, "seed": -1}, "seed is -1; expected an integer from 0"),
    ],
)
def test_bad_parameters(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ArrowCB(**arguments)  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_warm_start_in_batches_without_a_horizon_only() -> None:
    problem = make_problem()
    whole = ArrowCB(3).warm_start(problem.X[:100], problem.y[:100])
    batches = ArrowCB(3).warm_start(problem.X[:40], problem.y[:40])
    batches.warm_start(problem.X[40:100], problem.y[40:100])
    np.testing.assert_array_equal(whole._learner.weights, batches._learner.weights)
    once = ArrowCB(3, horizon=100).warm_start(problem.X[:40], problem.y[:40])
    with pytest.raises(OrderError, match="expected one call"):
        once.warm_start(problem.X[:40], problem.y[:40])
