"""The paper's bounds: by hand, against plain loops, and the propositions about them."""

import math
from collections.abc import Callable
from dataclasses import astuple, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warmcb import WarmUCB, simulate
from warmcb.errors import InputError
from warmcb.theory import (
    Bound,
    G,
    H,
    Problem,
    V,
    W,
    corollary,
    effective_sample_size,
    lambda_0_bandit,
    lambda_0_supervised,
    minimax_lower_bound,
    theorem_1,
    theorem_2,
    ucb_regret,
    ucb_T0,
)

NINE = 8 / math.e**9  # the δ with ln(8/δ) = 9
LAMBDAS = np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-9, 0.01, 50), 1 - np.geomspace(1e-9, 0.01, 50)])


def hand(n_s: int = 4, n_b: int = 1) -> Problem:
    """K/ε = 4 and, for n_b ≤ 2, every logarithm of Π alone is 9."""
    return Problem(K=2, n_s=n_s, n_b=n_b, epsilon=0.5, n_policies=1, delta=NINE)


problems = st.builds(
    Problem,
    K=st.integers(2, 100),
    n_s=st.integers(1, 10**7),
    n_b=st.integers(1, 10**7),
    epsilon=st.floats(1e-4, 1),
    n_policies=st.integers(1, 10**9),
    delta=st.floats(1e-9, 0.36),
)
rounds = st.integers(1, 10**7)
alphas = st.floats(1e-3, 2)
biases = st.floats(0, 1)
weights = st.floats(0, 1)
light = settings(max_examples=60, deadline=None)


# By hand


def test_bandit_truth() -> None:
    # variance 0.25·4·1 + 0.25·12 = 4; V = 2·√(4·9) + (2 + 0.5)·9 = 34.5; G = (6·0.25 + 69)/(0.5 + 6·0.5)
    assert V(1, 0.5, hand(n_s=12)) == pytest.approx(34.5)
    assert G(1, 0.5, hand(n_s=12), 0.5, 0.25) == pytest.approx(70.5 / 3.5)


def test_supervised_truth() -> None:
    # E = 1; variance 0.25·4/8 + 0.25·2/4 = 1/4; W = 2·√(9/4) + (0.25 + 0.25)·9 = 7.5; H = (0.125 + 15)/(0.5 + 0.25)
    assert W(8, 0.5, hand(n_b=2)) == pytest.approx(7.5)
    assert H(8, 0.5, hand(n_b=2), 0.5, 0.25) == pytest.approx(15.125 / 0.75)


def test_theorem_1_in_a_single_round() -> None:
    # 3·√(9/1); 32·√(2·9/0.5); ln(e)·G₁(1) = 2·(2·√(4·9) + 4·9)
    bound = theorem_1(hand(), [1.0], 1, 0)
    assert bound == pytest.approx(Bound(0.5, 9, 192, 96, lam=1))
    assert bound.total == pytest.approx(297.5)
    assert theorem_1(hand(), [1.0], 1, 0, capped=True).mixture == 1


def test_theorem_2_in_two_rounds() -> None:
    # 3·√(9/2); √(2·2·9/8); at λ = 0 W = 2·√(9·2/8) + 9·2/8 = 5.25 in both rounds, so 2/2·(10.5 + 10.5)
    expected = Bound(0.5, 3 * math.sqrt(4.5), math.sqrt(4.5), 21, lam=0)
    assert theorem_2(hand(n_s=8, n_b=2), [0.0], 0.3, 0.7) == pytest.approx(expected)
    assert theorem_2(hand(n_s=8, n_b=2), [0.0], 0.3, 0.7, capped=True).mixture == 2


@pytest.mark.parametrize("n_b, E", [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (1024, 10), (1025, 11)])
def test_epochs(n_b: int, E: int) -> None:
    assert hand(n_b=n_b).epochs == E


def test_numbers_of_numpy_become_plain() -> None:
    problem = Problem(np.int64(2), np.int64(3), np.int64(5), np.float32(0.5), np.int64(2**62))  # type: ignore[arg-type]
    assert repr(problem) == "Problem(K=2, n_s=3, n_b=5, epsilon=0.5, n_policies=4611686018427387904, delta=0.05)"


def test_lambda_0() -> None:
    assert lambda_0_bandit(K=2, epsilon=0.5) == 0.2
    assert lambda_0_bandit(K=2, epsilon=0.0) == 0
    assert lambda_0_supervised(hand(n_s=3, n_b=4)) == 0.25  # 2/(6 + 2)
    assert lambda_0_supervised(hand(n_s=0)) == 1


def test_minimax() -> None:
    assert minimax_lower_bound(4, 400, 128, 0.0) == pytest.approx(0.1 / 16)  # √(4/400) < √(4/128)
    assert minimax_lower_bound(4, 400, 128, 0.01) == pytest.approx(0.14 / 16)
    assert minimax_lower_bound(4, 400, 128, 0.25) == pytest.approx(math.sqrt(1 / 32) / 16)


def test_ucb() -> None:
    # Δ²·n_s/16 = 1
    assert ucb_T0(0.5, 64) == pytest.approx(math.e - 1)
    assert ucb_regret(0.5, 64) == pytest.approx((math.e - 2) / 4)
    assert ucb_T0(1, [0, 10**6]).tolist() == [0, math.inf]
    assert ucb_regret([0, 1], 10**6).tolist() == [0, math.inf]


# Against plain loops


def plain(problem: Problem, lambdas: list[float], alpha: float, Delta: float, capped: bool) -> list[Bound]:
    """Both theorems, transcribed once more."""
    K, n_s, n_b, epsilon, n_policies, delta = astuple(problem)
    E = max(1, math.ceil(math.log2(n_b)))
    cap = 1 if capped else math.inf
    L1, L2 = math.log(8 * n_b * n_policies / delta), math.log(8 * E * n_policies / delta)
    sums = []
    for lam in lambdas:
        g = h = 0.0
        for t in range(1, n_b + 1):
            v = 2 * math.sqrt((lam**2 * K * t / epsilon + (1 - lam) ** 2 * n_s) * L1)
            v += (lam * K / epsilon + (1 - lam)) * L1
            g += min(cap, ((1 - lam) * n_s * Delta + 2 * v) / (lam * t + (1 - lam) * n_s * alpha))
            w = 2 * math.sqrt((lam**2 * K / (t * epsilon) + (1 - lam) ** 2 * (E + 1) / n_s) * L2)
            w += (lam * K / (t * epsilon) + (1 - lam) * (E + 1) / n_s) * L2
            h += min(cap, (lam * Delta + 2 * w) / (1 - lam + lam * alpha))
        sums.append((g, h, lam))
    g, _, lam_1 = min(sums)
    h, lam_2 = min((h, lam) for _, h, lam in sums)
    return [
        Bound(
            epsilon,
            3 * math.sqrt(L1 / n_b),
            32 * math.sqrt(K * math.log(8 * n_b * len(lambdas) / delta) / (n_b * epsilon)),
            math.log(math.e * n_b) / n_b * g,
            lam_1,
        ),
        Bound(
            epsilon,
            3 * math.sqrt(math.log(8 * n_policies / delta) / n_b),
            math.sqrt(2 * (E + 1) * math.log(8 * E * len(lambdas) / delta) / n_s),
            2 / n_b * h,
            lam_2,
        ),
    ]


@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize(
    "n_s, n_b, alpha, Delta", [(50, 1, 1, 0), (3000, 40, 0.5, 0.3), (10**6, 700, 1, 0.1), (10**4, 900, 0.1, 1)]
)
def test_theorems_as_loops(n_s: int, n_b: int, alpha: float, Delta: float, capped: bool) -> None:
    problem = Problem(3, n_s, n_b, 0.2, 20, 0.1)
    lambdas = [0.0, 0.05, 0.5, 1.0]
    first, second = plain(problem, lambdas, alpha, Delta, capped)
    assert theorem_1(problem, lambdas, alpha, Delta, capped=capped)[:4] == pytest.approx(first[:4])
    assert theorem_2(problem, lambdas, alpha, Delta, capped=capped)[:4] == pytest.approx(second[:4])
    if not capped:  # where all are cut at 1, the λ are equally good
        assert theorem_1(problem, lambdas, alpha, Delta).lam == first.lam
        assert theorem_2(problem, lambdas, alpha, Delta).lam == second.lam


@pytest.mark.parametrize("n_b", [1024, 1025, 300_000])
@pytest.mark.parametrize("lam", [0.001, 1.0])
def test_long_sums_are_taken_in_runs(n_b: int, lam: float) -> None:
    problem = Problem(2, 1000, n_b, 0.1, 10)
    t = np.arange(1, n_b + 1)
    for capped in (False, True):
        cap = 1 if capped else math.inf
        g, h = (np.minimum(excess(t, lam, problem, 0.5, 0.1), cap).mean() for excess in (G, H))
        first, second = (theorem(problem, [lam], 0.5, 0.1, capped=capped) for theorem in (theorem_1, theorem_2))
        assert first.mixture == pytest.approx(math.log(math.e * n_b) * g, rel=1e-7)
        assert second.mixture == pytest.approx(2 * h, rel=1e-7)


def test_vectors_are_scalars_side_by_side() -> None:
    problem = hand(n_s=7, n_b=20)
    t, lam = np.array([[1], [5], [20]]), np.array([0.25, 0.5])
    for function, more in ((V, ()), (W, ()), (G, (0.5, 0.1)), (H, (0.5, 0.1))):
        table = function(t, lam, problem, *more)
        assert table.shape == (3, 2)
        one_by_one = [[function(int(i), float(j), problem, *more) for j in lam] for i in t[:, 0]]
        np.testing.assert_array_equal(table, one_by_one)
    frontier = G(5, 0.5, problem, [0.1, 0.5, 1.0], [0.0, 0.1, 0.4])  # α and Δ too
    assert frontier[1] == G(5, 0.5, problem, 0.5, 0.1)


def test_the_default_lambdas_by_number() -> None:
    problem = Problem(2, 1000, 1000, 0.1, 10)
    zeta = lambda_0_bandit(2, 0.1)
    eight = [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
    assert theorem_1(problem, 8, 1, 0) == theorem_1(problem, eight, 1, 0)
    assert theorem_2(problem, 8, 1, 0) == theorem_2(problem, np.linspace(0, 1, 8), 1, 0)
    assert theorem_1(problem, 2, 1, 0) == theorem_1(problem, [0, 1, 1], 1, 0)


# The propositions


@light
@given(problems, rounds, alphas, biases)
def test_a_single_source_is_within_the_root_of_2(problem: Problem, t: int, alpha: float, Delta: float) -> None:
    for excess in (G, H):  # the paper shows it for G; the same proof holds for H
        best = excess(t, LAMBDAS, problem, alpha, Delta).min()
        assert excess(t, [0, 1], problem, alpha, Delta).min() <= math.sqrt(2) * best * (1 + 1e-12)


@light
@given(problems, rounds, weights)
def test_deviations_against_their_ends(problem: Problem, t: int, lam: float) -> None:
    for deviation in (V, W):
        alone, rounds_alone = deviation(t, [0, 1], problem)
        mixed = (1 - lam) * alone + lam * rounds_alone
        value = deviation(t, lam, problem)
        assert mixed / math.sqrt(2) * (1 - 1e-12) <= value <= mixed * (1 + 1e-12)


def test_over_all_rounds_a_single_source_is_not_within_the_root_of_2() -> None:
    """The proposition speaks of each t; theorem 1 takes one λ for all of them, and there {0, 1} can lose φ = 1.618.

    Identical sources with n_s = m/4, where m = ε·n_b/K: up to smaller terms the averages of G_t are 4·√(L/n_s) at
    λ = 0, 8·√(L/m) at λ = 1, which is the same, and 8·√(L/m)·(√(5/4) − √(1/4)) at λ₀.
    """
    problem = Problem(K=2, n_s=10**12, n_b=8 * 10**12, epsilon=1.0, n_policies=10)
    ratio = theorem_1(problem, 2, 1, 0).mixture / theorem_1(problem, [lambda_0_bandit(2, 1.0)], 1, 0).mixture
    assert ratio == pytest.approx((1 + math.sqrt(5)) / 2, rel=1e-3)


@light
@given(problems, rounds)
def test_identical_sources_in_algorithm_1(problem: Problem, t: int) -> None:
    """The O(·) of section 3 with its constants, 4 and 4; in it stands the effective sample size."""
    L_over_m = math.log(8 * problem.n_b * problem.n_policies / problem.delta) / effective_sample_size(t, problem)
    value = G(t, lambda_0_bandit(problem.K, problem.epsilon), problem, 1, 0)
    assert value == pytest.approx(4 * math.sqrt(L_over_m) + 4 * L_over_m)


@light
@given(problems)
def test_identical_sources_in_algorithm_2(problem: Problem) -> None:
    """The appendix's proposition: Jensen's inequality, then its Õ(·) with the constants and E + 1."""
    K, n_s, n_b, epsilon, E = problem.K, problem.n_s, problem.n_b, problem.epsilon, problem.epochs
    lam = lambda_0_supervised(problem)
    mixture = theorem_2(problem, [lam], 1, 0).mixture
    L = math.log(8 * E * problem.n_policies / problem.delta)
    of_rounds, of_labels = K * (math.log(n_b) + 1) / (n_b * epsilon), (E + 1) / n_s
    jensen = 4 * (2 * math.sqrt((lam**2 * of_rounds + (1 - lam) ** 2 * of_labels) * L)
                  + (lam * of_rounds + (1 - lam) * of_labels) * L)  # fmt: skip
    share = (E + 1) * L / effective_sample_size(n_b, problem)
    assert mixture * (1 - 1e-7) <= jensen <= (8 * math.sqrt(share) + 8 * share) * (1 + 1e-12)


@light
@given(problems, st.integers(1, 100))
def test_corollary(problem: Problem, n_lambdas: int) -> None:
    """With min(1, G), min(√(ab) + b, a) ≤ 2·√(ab) gives its O(·) a constant; a √K and a ln(e·n_b) are missing there."""
    bound = corollary(problem, np.linspace(0, 1, n_lambdas + 1)[1:], capped=True)
    assert bound.lam == 1
    n_b = problem.n_b
    L = math.log(8 * n_b * problem.n_policies * n_lambdas / problem.delta)
    constant = 3 + 32 + 16 * math.log(math.e * n_b)
    assert bound.total <= problem.epsilon + constant * math.sqrt(problem.K * L / (n_b * problem.epsilon))


def test_the_best_exploration_falls_with_the_cube_root() -> None:
    """Of ε + √(1/(n_b·ε)): ε = n_b^(−1/3) leaves a regret of n_b^(2/3); the paper's n_b^(−2/3) leaves n_b^(5/6)."""
    n_b = 10**18
    right, printed = (corollary(Problem(2, 0, n_b, n_b**power, 10), 2).total for power in (-1 / 3, -2 / 3))
    assert right < printed / 100


@light
@given(problems, alphas, biases)
def test_the_theorem_is_never_above_its_corollary(problem: Problem, alpha: float, Delta: float) -> None:
    for capped in (False, True):
        bound = theorem_1(problem, 2, alpha, Delta, capped=capped)
        assert bound.total <= corollary(problem, 2, capped=capped).total
    assert bound.total <= theorem_1(problem, 2, alpha, Delta).total


@pytest.mark.slow
@light
@given(problems)
def test_the_last_steps_of_both_proofs(problem: Problem) -> None:
    """The step called "some algebra": what the proofs leave over fits into the deviation."""
    n_b = problem.n_b
    left = math.sqrt(2 * math.log(8 * problem.n_policies / problem.delta) / n_b)
    assert left + math.log(math.e**2 * n_b) / n_b <= theorem_1(problem, [1.0], 1, 0).deviation
    assert left + 2 / n_b <= theorem_2(problem, [1.0], 1, 0).deviation


def test_the_minimax_proof_shows_4_and_not_8() -> None:
    """What its two distributions give, maximised over its free parameters ε and β ≤ Δ/2."""
    d, m, n, Delta = 1, 10**8, 400, 1 / 160  # 8Δ = √(d/n)
    epsilon, share = np.linspace(0, 0.05, 2001)[:, None], np.linspace(0, 1, 101)
    beta = share * Delta / 2
    shown = (epsilon * (1 - np.sqrt(8 / d * (n * epsilon**2 + m * (epsilon - beta) ** 2)))).max()
    stated = min(math.sqrt(d / m) + 8 * Delta, math.sqrt(d / n)) / 16
    assert minimax_lower_bound(d, m, n, Delta) < shown < stated


@pytest.mark.parametrize("Delta, n_s", [(0.5, 400), (0.9, 100)])
def test_warm_ucb_regrets_what_the_proposition_says(Delta: float, n_s: int) -> None:
    T0 = ucb_T0(Delta, n_s)
    bandit = WarmUCB(2).warm_start(np.zeros((n_s, 1)), costs=[[0.5, 0.5 + Delta / 2]] * n_s)
    n_b = math.ceil(T0) + 1
    run = simulate(bandit, np.zeros((n_b, 1)), costs=np.tile([0.5, 0.5 - Delta / 2], (n_b, 1)), shuffle=False)
    assert (run.trace.actions[: math.floor(T0)] == 0).all()
    assert (run.trace.costs - (0.5 - Delta / 2)).sum() >= ucb_regret(Delta, n_s)


# What grows with what


@light
@given(problems, rounds, weights, alphas, biases)
def test_monotone(problem: Problem, t: int, lam: float, alpha: float, Delta: float) -> None:
    above = 1 + 1e-12
    harder = [
        replace(problem, n_policies=2 * problem.n_policies),
        replace(problem, delta=problem.delta / 2),
        replace(problem, n_b=2 * problem.n_b),
        replace(problem, epsilon=problem.epsilon / 2),
        replace(problem, K=problem.K + 1),
    ]
    for excess, deviation in ((G, V), (H, W)):
        value = excess(t, lam, problem, alpha, Delta)
        assert value <= excess(t, lam, problem, alpha, Delta + 0.1) * above
        assert value >= excess(t, lam, problem, alpha + 0.1, Delta) / above
        for worse in harder:
            assert deviation(t, lam, problem) <= deviation(t, lam, worse) * above
    assert V(t, lam, problem) <= V(t + 1, lam, problem) * above
    assert W(t, lam, problem) >= W(t + 1, lam, problem) / above
    assert W(t, lam, problem) >= W(t, lam, replace(problem, n_s=problem.n_s + 1)) / above
    assert G(t, 1, problem, alpha, Delta) >= G(t + 1, 1, problem, alpha, Delta) / above
    assert H(t, lam, problem, alpha, Delta) <= 2 * H(2 * t, lam, problem, alpha, Delta) * above  # as theorem 2 needs


def test_more_rounds_may_hurt() -> None:
    """At a λ that trusts rounds as much as labels, each round adds K/ε to a variance of n_s."""
    problem = Problem(K=10, n_s=10**6, n_b=10**4, epsilon=0.01, n_policies=10)
    early, late = G([1, 10**4], 0.5, problem, 1, 0)
    assert early < late


@light
@given(problems, st.sampled_from(["n_b", "delta", "n_s"]))
def test_terms_fall(problem: Problem, name: str) -> None:
    easier = {"n_b": replace(problem, n_b=4 * problem.n_b), "n_s": replace(problem, n_s=4 * problem.n_s),
              "delta": replace(problem, delta=min(2 * problem.delta, 0.36))}[name]  # fmt: skip
    one, two = (theorem_1(p, 2, 1, 0) for p in (problem, easier))
    assert two.exploration == one.exploration
    assert two.deviation <= one.deviation
    assert two.selection <= one.selection
    if name != "n_b":  # ln(e·n_b) may outgrow what more rounds bring
        assert two.mixture <= one.mixture
        assert theorem_2(easier, 2, 1, 0).total <= theorem_2(problem, 2, 1, 0).total


# Without labels, or without likeness


def test_no_labels() -> None:
    nothing = hand(n_s=0)
    assert V(1, 0.0, nothing) == pytest.approx(9)
    assert G(1, 1.0, nothing, 0, 0) == pytest.approx(96)
    assert G(1, 0.5, nothing, 1, 1) == pytest.approx(2 * (2 * 3 + 2.5 * 9) / 0.5)  # √(0.25·4·9) = 3
    assert W(1, 1.0, nothing) == pytest.approx(48)
    assert H(1, 1.0, nothing, 1, 0) == pytest.approx(96)
    assert effective_sample_size(4, nothing) == 1
    assert theorem_1(nothing, 2, 1, 0) == corollary(nothing, 2)


def test_no_similarity() -> None:
    assert theorem_1(hand(), 2, 0, 0) == corollary(hand(), 2)
    assert theorem_2(hand(), 2, 0, 0).lam == 0
    assert np.isfinite(G(1, 0.5, hand(), 0, 1)) and np.isfinite(H(1, 0.5, hand(), 0, 1))


def test_extremes_are_finite_or_infinite_but_never_warn() -> None:
    assert G(1, 5e-324, hand(n_s=0), 1, 0) == math.inf
    vast = Problem(2**20, 10**18, 10**18, 1e-9, 10**5000, 1e-300)
    assert math.isfinite(theorem_1(vast, 8, 1, 1).total) and math.isfinite(theorem_2(vast, 8, 1, 1).total)


# Bad input

good = {"K": 2, "n_s": 4, "n_b": 2, "epsilon": 0.5, "n_policies": 3, "delta": 0.05}


@pytest.mark.parametrize(
    "name, value",
    [("K", 1), ("K", 2.5), ("n_s", -1), ("n_b", 0), ("n_b", "many"), ("epsilon", 0), ("epsilon", 1.1),
     ("n_policies", 0), ("delta", 0), ("delta", 1 / math.e), ("delta", -0.1), ("delta", math.nan), ("delta", None)],
)  # fmt: skip
def test_bad_problems(name: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"^{name} is .*; expected "):
        Problem(**good | {name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "message, call",
    [
        ("t is 0; expected a round from 1", lambda: V(0, 0.5, hand())),
        ("t is 0; expected a round from 1", lambda: W([1, 0], 0.5, hand())),
        ("t is inf; expected", lambda: G(math.inf, 0.5, hand(), 1, 0)),
        ("t is 'one'; expected", lambda: V("one", 0.5, hand())),
        (r"t is \[\[1\], \[2, 3\]\]; expected", lambda: V([[1], [2, 3]], 0.5, hand())),
        ("lam is 1.5; expected a number in", lambda: V(1, [0.5, 1.5], hand())),
        ("lam is -0.1; expected a number in", lambda: H(1, -0.1, hand(), 1, 0)),
        ("lam is nan; expected a number in", lambda: G(1, math.nan, hand(), 1, 0)),
        ("alpha is -1; expected a number of at least 0", lambda: G(1, 0.5, hand(), -1, 0)),
        ("alpha is -1; expected a number of at least 0", lambda: theorem_1(hand(), 2, -1, 0)),
        ("alpha is nan; expected", lambda: theorem_1(hand(), 2, math.nan, 0)),
        ("Delta is -0.5; expected a number of at least 0", lambda: H(1, 0.5, hand(), 1, -0.5)),
        ("Delta is -0.5; expected a number of at least 0", lambda: theorem_2(hand(), 2, 1, -0.5)),
        ("lam is 0; expected more than 0, as n_s is 0", lambda: G(1, 0, hand(n_s=0), 1, 0)),
        ("alpha is 0; expected more than 0 where lam is 0", lambda: G(1, 0, hand(), 0, 0)),
        ("lam is 0.5; expected 1, as n_s is 0", lambda: W(1, [1, 0.5], hand(n_s=0))),
        ("lam is 0.5; expected 1, as n_s is 0", lambda: H(1, 0.5, hand(n_s=0), 1, 0)),
        ("alpha is 0; expected more than 0 where lam is 1", lambda: H(1, 1, hand(), 0, 0)),
        ("n_s is 0; expected at least 1", lambda: theorem_2(hand(n_s=0), [1], 1, 0)),
        (r"lambdas is \[0.0\]; expected a λ that learns .* n_s is 0", lambda: theorem_1(hand(n_s=0), [0.0], 1, 0)),
        (r"lambdas is \[1.0\]; expected a λ that learns .* alpha 0", lambda: theorem_2(hand(), [1.0], 0, 0)),
        ("lambdas is 3; expected", lambda: theorem_1(hand(), 3, 1, 0)),
        (r"lambdas is \[\]; expected", lambda: theorem_2(hand(), [], 1, 0)),
        ("lambdas end with 0.5; expected 1 among them", lambda: corollary(hand(), [0.0, 0.5])),
        ("K is 1; expected", lambda: lambda_0_bandit(1, 0.1)),
        ("epsilon is 2; expected", lambda: lambda_0_bandit(2, 2)),
        ("t is 0; expected", lambda: effective_sample_size(0, hand())),
        ("d is 0; expected a VC dimension", lambda: minimax_lower_bound(0, 100, 100, 0)),
        ("m is 63; expected at least 32·d examples", lambda: minimax_lower_bound(2, 63, 100, 0)),
        ("n is 63; expected at least 32·d examples", lambda: minimax_lower_bound([1, 2], 64, 63, 0)),
        ("Delta is 0.3; expected a number in", lambda: minimax_lower_bound(1, 100, 100, 0.3)),
        ("Delta is 2; expected a number in", lambda: ucb_T0(2, 10)),
        ("Delta is -1; expected a number of at least 0", lambda: ucb_regret(-1, 10)),
        ("n_s is -1; expected", lambda: ucb_T0(0.5, -1)),
        (
            r"t of shape \(2,\) and lam of shape \(3,\) do not fit together; expected",
            lambda: V([1, 2], [0.1, 0.2, 0.3], hand()),
        ),
    ],
)
def test_bad_arguments(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        call()
