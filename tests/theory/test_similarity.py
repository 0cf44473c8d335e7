"""Similarity of two sources: the frontier, its band, and what the paper claims of its examples."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from warmcb.errors import InputError
from warmcb.learners.finite_class import (
    ConstantPolicies,
    FunctionPolicies,
    LinearPolicies,
    Policies,
    TablePolicies,
    TreePolicies,
)
from warmcb.noise import Noise
from warmcb.theory import (
    Frontier,
    Problem,
    SimilarSource,
    best_lambda,
    frontier,
    general_corruption,
    lambda_0_bandit,
    lowest_cost_labels,
    risks,
    similarity,
    strong_similarity,
    theorem_1,
    uniform_corruption,
)

ALPHAS = np.linspace(0, 3, 61)
ROUNDING = 1e-12


def brute_force(policies: Policies, X: NDArray[Any], costs_1: NDArray[Any], costs_2: NDArray[Any]) -> NDArray[Any]:
    """Δ at ALPHAS by the definition, policy by policy."""
    actions = policies.actions(X)
    R1, R2 = (
        np.array([np.mean(costs[np.arange(len(X)), column]) for column in actions.T]) for costs in (costs_1, costs_2)
    )
    best = min(range(len(R1)), key=lambda i: (round(float(R1[i]), 12), R2[i]))
    return np.array([max(alpha * (R1 - R1[best]) - (R2 - R2[best])) for alpha in ALPHAS])


def contexts(n: int) -> NDArray[Any]:
    return np.arange(n, dtype=np.float64)[:, None]


def mixed_class(X: NDArray[Any], y: NDArray[Any], K: int) -> Policies:
    return (
        ConstantPolicies(K)
        + LinearPolicies.at_random(100, K, X.shape[1], seed=1)
        + TreePolicies.stumps(X, K, 50, seed=2)
        + TreePolicies.grown(X, y, K, 20, seed=3)
    )


def labelled(n: int, K: int = 3, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)).astype(np.float32)
    return X, np.argmax(X[:, :K] + 0.3 * random.normal(size=(n, K)), axis=1)


# The frontier


def test_two_policies_by_hand() -> None:
    """The paper's two arms: (½, ½ + Δ/2) against the truth (½, ½ − Δ/2) are (1, Δ)-similar."""
    measured = frontier(ConstantPolicies(2), np.zeros((1, 1)), [[0.5, 0.4]], [[0.5, 0.6]], bootstrap=0)
    assert measured.best_policy == 1
    np.testing.assert_allclose(measured.regrets, [[0.1, 0.0], [-0.1, 0.0]])
    np.testing.assert_allclose(measured.Delta([0, 1, 2]), [0.1, 0.2, 0.3])
    assert measured.breakpoints.size == 0
    same = frontier(ConstantPolicies(2), np.zeros((1, 1)), [[0.5, 0.4]], [[0.5, 0.4]], bootstrap=0)
    np.testing.assert_allclose(same.Delta([0.0, 0.5, 1.0, 2.0]), [0, 0, 0, 0.1], atol=ROUNDING)
    np.testing.assert_allclose(same.breakpoints, [1.0])
    assert same.Delta(2).shape == ()


def test_among_several_best_policies_the_one_that_is_best_on_the_other_source_counts() -> None:
    measured = frontier(ConstantPolicies(3), np.zeros((1, 1)), [[0.5, 0.5, 1.0]], [[1.0, 0.0, 1.0]], bootstrap=0)
    assert measured.best_policy == 1
    np.testing.assert_allclose(measured.Delta([0, 1, 3]), [0, 0, 0.5])


def test_one_policy_has_no_regret() -> None:
    only = TablePolicies([[0], [1]], n_actions=2)
    measured = frontier(only, contexts(2), [0, 0], [1, 0], bootstrap=5)
    assert measured.Delta(ALPHAS).tolist() == [0.0] * len(ALPHAS)
    assert [end.max() for end in measured.band(ALPHAS)] == [0.0, 0.0]


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(1, 30), st.integers(2, 5), st.integers(0, 2**32), st.booleans())
def test_the_frontier_is_the_definition(n: int, size: int, K: int, seed: int, coarse: bool) -> None:
    random = np.random.default_rng(seed)
    policies = TablePolicies(random.integers(K, size=(n, size)), K)
    costs = random.random((2, n, K))
    costs_1, costs_2 = costs.round() if coarse else costs
    measured = frontier(policies, contexts(n), costs_1, costs_2, bootstrap=3, seed=seed)
    Delta = measured.Delta(ALPHAS)
    np.testing.assert_allclose(Delta, brute_force(policies, contexts(n), costs_1, costs_2), atol=ROUNDING)
    assert (Delta >= 0).all()
    assert measured.Delta(0) == pytest.approx(-measured.regrets[1].min(), abs=ROUNDING)
    assert (np.diff(Delta, 2) >= -ROUNDING).all()  # convex
    assert (np.diff(Delta) >= -ROUNDING).all()
    assert (np.diff(measured.breakpoints) > 0).all()
    low, high = measured.band(ALPHAS)
    assert (low >= 0).all() and (low <= Delta).all() and (high >= Delta).all()


@given(st.integers(0, 2**32))
def test_between_breakpoints_it_is_straight(seed: int) -> None:
    random = np.random.default_rng(seed)
    policies = TablePolicies(random.integers(3, size=(10, 50)), 3)
    measured = frontier(policies, contexts(10), random.random((10, 3)), random.random((10, 3)), bootstrap=0)
    ends = np.concatenate([[0.0], measured.breakpoints, [measured.breakpoints.max(initial=0) + 1]])
    middle = measured.Delta((ends[:-1] + ends[1:]) / 2)
    np.testing.assert_allclose(middle, (measured.Delta(ends[:-1]) + measured.Delta(ends[1:])) / 2, atol=1e-10)


def test_labels_are_costs_of_0_and_1_and_sparse_contexts_are_contexts() -> None:
    X, y = labelled(300)
    X[np.abs(X) < 0.5] = 0
    z = (y + 1) % 3
    policies = mixed_class(X, y, 3)
    one = frontier(policies, X, y, z, bootstrap=20)
    other = frontier(policies, sparse.csr_array(X), 1 - np.eye(3)[y], (1 - np.eye(3)[z]).tolist(), bootstrap=20)
    np.testing.assert_array_equal(one.risks, other.risks)
    np.testing.assert_array_equal(one.band(ALPHAS), other.band(ALPHAS))
    np.testing.assert_allclose(one.Delta(ALPHAS), brute_force(policies, X, 1 - np.eye(3)[y], 1 - np.eye(3)[z]))


def test_the_size_of_chunks_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = labelled(500)
    policies = mixed_class(X, y, 3)
    costs = np.random.default_rng(0).random((500, 3))
    whole = frontier(policies, X, y, costs, bootstrap=200)
    monkeypatch.setattr(similarity, "_DECISIONS", 7 * len(policies))
    parts = frontier(policies, X, y, costs, bootstrap=200)
    np.testing.assert_allclose(whole.risks, parts.risks, rtol=1e-13)
    widths = [float(np.diff(measured.band(1.0))[0]) for measured in (whole, parts)]
    assert widths[0] == pytest.approx(widths[1], rel=0.3)  # other draws of the same distribution


@pytest.mark.parametrize("K, d", [(2, 4), (3, 15), (3, 40), (200, 16)])
def test_linear_policies_in_blocks_do_what_they_do_row_by_row(K: int, d: int) -> None:
    policies = LinearPolicies.at_random(300, K, d, seed=5)
    X = np.random.default_rng(0).normal(size=(130, d)).astype(np.float32)
    np.testing.assert_array_equal(similarity._actions(policies, X), policies.actions(X))
    ties = LinearPolicies(np.zeros((2, K, d + 1)))
    np.testing.assert_array_equal(similarity._actions(ties, X), 0)


def test_the_bootstrap_draws_as_many_contexts_as_there_are() -> None:
    random = np.random.default_rng(0)
    left = np.full(1000, 30)
    counts = []
    for size, of in ((10, 30), (15, 20), (5, 5)):
        counts.append(similarity._multinomial(random, left, size, of))
        left -= counts[-1].sum(axis=1)
    weights = np.concatenate(counts, axis=1)
    assert weights.shape == (1000, 30)
    assert (weights.sum(axis=1) == 30).all()
    assert np.abs(weights.mean(axis=0) - 1).max() < 0.15
    assert weights.var(axis=0).mean() == pytest.approx(29 / 30, abs=0.05)


def test_the_band_narrows_with_more_contexts_and_follows_the_seed() -> None:
    policies = ConstantPolicies(3) + LinearPolicies.at_random(50, 3, 4, seed=1)
    widths = []
    for n in (200, 3200):
        X, y = labelled(n)
        z = Noise("cyc", 0.3).corrupt(y, 3, 0, seed=1)
        low, high = frontier(policies, X, y, z, seed=4).band(ALPHAS)
        np.testing.assert_array_equal(frontier(policies, X, y, z, seed=4).band(ALPHAS), (low, high))
        assert not np.array_equal(frontier(policies, X, y, z, seed=5).band(ALPHAS)[1], high)
        widths.append((high - low)[20])
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.4)


@pytest.mark.slow
@pytest.mark.parametrize("kind, alpha", [("uar", 0.5), ("uar", 1.0), ("cyc", 1.0)])
def test_the_band_covers_what_all_contexts_would_give(kind: str, alpha: float) -> None:
    """At uar's α = 1 − p all policies are equally bad: there a maximum of samples is too high most of all."""
    random = np.random.default_rng(0)
    K, n, p = 3, 100, 0.5
    y = random.integers(K, size=n, dtype=np.int32)
    policies = TablePolicies(np.where(random.random((n, 60)) < random.random(60), y[:, None], 0), K)
    source = uniform_corruption(y, K, p) if kind == "uar" else general_corruption(y, (y + 1) % K, K, p)
    true = frontier(policies, contexts(n), y, source.costs, bootstrap=0).Delta(alpha)
    hits = 0
    for seed in range(50):
        drawn = random.integers(n, size=500)
        z = Noise(kind, p).corrupt(y[drawn], K, 0, seed)
        low, high = frontier(policies, contexts(n)[drawn], y[drawn], z, bootstrap=60, seed=seed).band(alpha)
        hits += int(low - ROUNDING <= true <= high + ROUNDING)
    assert hits >= 44


# The paper's examples


def claimed(policies: Policies, X: NDArray[Any], costs_1: NDArray[Any], source: SimilarSource) -> Frontier:
    """Both similarities hold as claimed."""
    measured = frontier(policies, X, costs_1, source.costs, bootstrap=0)
    assert measured.Delta(source.alpha) <= source.Delta + ROUNDING
    assert strong_similarity(policies, X, costs_1, source).holds
    return measured


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 5), st.floats(0, 1), st.integers(0, 2**32))
def test_the_claims_hold_on_any_data(n: int, size: int, K: int, p: float, seed: int) -> None:
    random = np.random.default_rng(seed)
    table = random.integers(K, size=(n, size))
    y = np.where(random.random(n) < 0.7, table[:, 0], random.integers(K, size=n))
    policies, X = TablePolicies(table, K), contexts(n)
    claimed(policies, X, y, uniform_corruption(y, K, p))
    claimed(policies, X, y, general_corruption(y, random.integers(K, size=n), K, p))
    claimed(policies, X, y, general_corruption(y, 1 - random.dirichlet(np.ones(K), size=n), K, p))
    costs = random.random((n, K)).round(random.integers(1, 4))
    best = table[:, risks(policies, X, costs, costs)[0].argmin()]
    claimed(policies, X, costs, lowest_cost_labels(costs, best))


def test_uar_is_similar_by_1_minus_p_and_no_more() -> None:
    X, y = labelled(400)
    measured = claimed(mixed_class(X, y, 3), X, y, uniform_corruption(y, 3, 0.25))
    np.testing.assert_allclose(measured.Delta(0.75), 0, atol=ROUNDING)
    assert measured.Delta(0.76) > 0.001
    np.testing.assert_allclose(measured.regrets[1], 0.75 * measured.regrets[0], atol=ROUNDING)


def test_general_corruption_can_need_all_of_2p() -> None:
    """Right on y, and wrong exactly like the corruption: their costs change by p in opposite directions."""
    y = np.array([0, 1] * 50)
    policies = TablePolicies(np.stack([y, 1 - y], axis=1), 2)
    measured = claimed(policies, contexts(100), y, general_corruption(y, 1 - y, 2, 0.3))
    assert measured.Delta(1) == pytest.approx(0.6)


def test_lowest_cost_labels_count_ties_against_them() -> None:
    source = lowest_cost_labels([[0.2, 0.2, 0.9], [0.1, 0.3, 0.3]], best_actions=[0, 0])
    assert (source.alpha, source.Delta) == (1.0, 1.0)
    assert lowest_cost_labels([[0.1, 0.3]], [0]).Delta == 0
    X, y = labelled(300)
    costs = np.clip((1 - np.eye(3)[y]) * 0.5 + np.random.default_rng(0).random((300, 3)) * 0.5, 0, 1)
    policies = mixed_class(X, y, 3)
    best = frontier(policies, X, costs, costs, bootstrap=0).best_policy
    source = lowest_cost_labels(costs, policies.actions(X)[:, best])
    assert 0 < source.Delta < 2
    claimed(policies, X, costs, source)


@pytest.mark.parametrize("kind", ["uar", "cyc", "maj"])
def test_the_claims_hold_for_sampled_noise_within_the_band(kind: str) -> None:
    X, y = labelled(2000)
    p = 0.3
    sampled = Noise(kind, p).corrupt(y, 3, 0, seed=7)
    alpha, Delta = (1 - p, 0.0) if kind == "uar" else (1.0, 2 * p)
    low, _ = frontier(mixed_class(X, y, 3), X, y, sampled).band(alpha)
    assert low <= Delta


def test_a_wrong_claim_is_seen() -> None:
    y = np.array([0, 1, 1, 0])
    policies = TablePolicies([[0, 1], [1, 0], [1, 0], [0, 1]], 2)
    true = general_corruption(y, 1 - y, 2, 0.25)
    assert strong_similarity(policies, contexts(4), y, true) == (0.0, 0.25, True)
    too_small = SimilarSource(true.costs, true.plus, 1.0, 0.4)
    assert not strong_similarity(policies, contexts(4), y, too_small).holds
    too_steep = SimilarSource(true.costs, true.plus, 1.1, 0.5)
    assert strong_similarity(policies, contexts(4), y, too_steep).useful == pytest.approx(-0.1)
    assert not strong_similarity(policies, contexts(4), y, too_steep).holds


# The best λ


def constant(costs_1: list[float], costs_2: list[float]) -> Frontier:
    return frontier(ConstantPolicies(len(costs_1)), np.zeros((1, 1)), [costs_1], [costs_2], bootstrap=0)


def test_identical_sources_deserve_the_papers_lambda() -> None:
    problem = Problem(K=2, n_s=10**6, n_b=10**9, epsilon=0.1, n_policies=10)
    best = best_lambda(problem, constant([0.0, 1.0], [0.0, 1.0]))
    assert best.lam == pytest.approx(lambda_0_bandit(2, 0.1), rel=0.1)
    assert (best.alpha, best.Delta) == (1, 0)


def test_no_labels_and_bad_labels_deserve_nothing() -> None:
    opposite = constant([0.0, 1.0], [1.0, 0.0])
    assert best_lambda(Problem(K=2, n_s=0, n_b=1000, epsilon=0.1, n_policies=2), opposite).lam == 1
    assert best_lambda(Problem(K=2, n_s=10**6, n_b=10**8, epsilon=0.1, n_policies=2), opposite).lam > 0.9
    few_rounds = Problem(K=2, n_s=10**5, n_b=10, epsilon=0.01, n_policies=2)
    assert best_lambda(few_rounds, constant([0.0, 1.0], [0.0, 1.0])).lam == 0


def test_no_alpha_proves_more_than_the_best() -> None:
    X, y = labelled(300)
    measured = frontier(mixed_class(X, y, 3), X, y, (y + (y == 1)) % 3, bootstrap=0)
    problem = Problem(K=3, n_s=10**4, n_b=10**5, epsilon=0.1, n_policies=173)
    best = best_lambda(problem, measured)
    assert best.Delta == pytest.approx(float(measured.Delta(best.alpha)))
    logarithm = 1 + np.log(problem.n_b)
    for alpha in (0.3, 0.6, 1.0, best.alpha):
        for lam in (0.0, 0.01, best.lam, 0.5, 1.0):
            bound = theorem_1(problem, [lam], alpha, float(measured.Delta(alpha))).mixture / logarithm
            assert best.average <= bound * 1.001
    assert bound == pytest.approx(theorem_1(problem, [1.0], 1.0, 0.0).mixture / logarithm)
    chosen = best_lambda(problem, measured, [0.0, 0.5, 1.0])
    assert chosen.lam in (0.0, 0.5, 1.0)
    assert chosen.average >= best.average
    assert best_lambda(problem, measured, 2).lam in (0.0, 1.0)


def test_scaled_costs_may_use_an_alpha_above_1() -> None:
    problem = Problem(K=2, n_s=10**4, n_b=1000, epsilon=0.1, n_policies=2)
    best = best_lambda(problem, constant([0.0, 0.1], [0.0, 1.0]))
    assert best.alpha == pytest.approx(10)
    assert best.Delta == pytest.approx(0, abs=ROUNDING)


# Bad input


class Nobody(Policies):
    n_actions = 2

    def __len__(self) -> int:
        return 0

    def actions(self, X: NDArray[Any]) -> NDArray[np.int32]:
        return np.empty((len(X), 0), dtype=np.int32)


TWO = ConstantPolicies(2)
FOUR = np.zeros((4, 1))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((Nobody(), FOUR, [0] * 4, [1] * 4), "policies is empty; expected at least one policy"),
        (("all", FOUR, [0] * 4, [1] * 4), "policies is 'all'; expected a class of policies"),
        ((TWO, np.zeros((0, 1)), [], []), "X has no rows; expected contexts"),
        ((TWO, [[0.0], [np.nan]], [0, 1], [0, 1]), r"X\[1, 0\] is nan; expected a finite number"),
        ((TWO, FOUR, [0] * 4, [1] * 3), r"costs_2: y has shape \(3,\); expected \(4,\), one label for each row of X"),
        ((TWO, FOUR, [[0, 1]] * 5, [1] * 4), r"costs_1: costs have shape \(5, 2\); expected \(4, 2\)"),
        ((TWO, FOUR, [0] * 4, [[0, 1, 1]] * 4), r"costs_2: costs have shape \(4, 3\); expected \(4, 2\)"),
        ((TWO, FOUR, [0, 1, 2, 0], [1] * 4), r"costs_1: y\[2\] is 2; expected an integer label from 0 to 1"),
        ((TWO, FOUR, [0] * 4, [[0, 1.5]] * 4), r"costs_2: costs\[0, 1\] is 1.5; expected a number in \[0, 1\]"),
        ((LinearPolicies.at_random(2, 2, 3), FOUR, [0] * 4, [1] * 4), "X has 1 features; expected 3"),
        ((FunctionPolicies([lambda X: [5] * len(X)], 2), FOUR, [0] * 4, [1] * 4), r"y\[0\] is 5"),
    ],
)
def test_bad_data(arguments: tuple[Any, ...], message: str) -> None:
    for function in (frontier, risks):
        with pytest.raises(InputError, match=message) as caught:
            function(*arguments)
        assert "\n" not in str(caught.value)


def test_bad_options() -> None:
    for options, message in (
        ({"bootstrap": -1}, "bootstrap is -1; expected an integer from 0"),
        ({"bootstrap": 2.5}, "bootstrap is 2.5"),
        ({"level": 0}, r"level is 0; expected a number in \(0, 1\]"),
        ({"seed": -1}, "seed is -1"),
    ):
        with pytest.raises(InputError, match=message):
            frontier(TWO, FOUR, [0] * 4, [1] * 4, **options)


@pytest.mark.parametrize("alpha", [-0.1, [0.5, -1], float("nan"), float("inf"), "one", None])
def test_bad_alpha(alpha: Any) -> None:
    measured = frontier(TWO, FOUR, [0] * 4, [1] * 4, bootstrap=2)
    for function in (measured.Delta, measured.band):
        with pytest.raises(InputError, match=r"alpha is .*; expected .* of at least 0"):
            function(alpha)


def test_a_frontier_is_printed_in_one_line() -> None:
    assert repr(frontier(TWO, FOUR, [0] * 4, [0, 0, 0, 1])) == "<Frontier of 2 policies, Δ(1) = 0.5>"


def test_no_band_without_replicates() -> None:
    measured = frontier(TWO, FOUR, [0] * 4, [1] * 4, bootstrap=0)
    assert measured.n_replicates == 0
    with pytest.raises(InputError, match="bootstrap is 0; expected replicates for a band"):
        measured.band(1)


def test_bad_examples_and_lambdas() -> None:
    measured = frontier(TWO, FOUR, [0] * 4, [1] * 4, bootstrap=0)
    problem = Problem(K=2, n_s=0, n_b=10, epsilon=0.1, n_policies=2)
    for function, message in (
        (lambda: uniform_corruption([0, 1], 2, 1.5), r"p is 1.5; expected a number in \[0, 1\]"),
        (lambda: uniform_corruption([0, 2], 2, 0.5), r"y\[1\] is 2"),
        (lambda: general_corruption([0, 1], [0, 1, 1], 2, 0.5), r"wrong: y has shape \(3,\)"),
        (lambda: general_corruption([0, 1], [0, 1], 1, 0.5), "n_actions is 1"),
        (lambda: lowest_cost_labels([0, 1], [0, 1]), r"costs have shape \(2,\)"),
        (lambda: lowest_cost_labels([[0, 1]], [2]), r"best_actions: y\[0\] is 2"),
        (lambda: lowest_cost_labels([[0, 1]], [[0, 1]]), r"best_actions have shape \(1, 2\)"),
        (lambda: best_lambda(problem, measured, [0.0]), "lambdas is .*; expected another λ, as n_s is 0"),
        (lambda: best_lambda(problem, measured, [1.5]), "lambdas is"),
    ):
        with pytest.raises(InputError, match=message):
            function()
