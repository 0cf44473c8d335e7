"""The slips of docs/study/slips.md: for each that can be run, a counter-example or the arithmetic that shows it.

Slips that test_bounds.py already runs (the golden ratio, ε, the corollary's constants, 4Δ) stay there.
"""

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.stats import binom

from tests.support.places import ROOT
from warmcb import ExactSupervisedTruth, WarmUCB, simulate
from warmcb.learners.finite_class import ConstantPolicies
from warmcb.noise import Noise
from warmcb.theory import (
    Problem,
    V,
    corollary,
    effective_sample_size,
    frontier,
    minimax_lower_bound,
    theorem_1,
    theorem_2,
    ucb_regret,
    ucb_T0,
)
from warmcb.theory.failure import two_armed

Doubles = NDArray[np.float64]


# Lemma 2: Freedman's inequality with a random V


def crossing_probability(delta: float, n: int) -> float:
    """How likely a random walk, looked at after 1, 2, … and then every 5 % more steps, is beyond 2·√(t·L) + L."""
    L, t, lowest, crossed = math.log(2 / delta), 0, 0, 0.0
    alive = np.ones(1)  # probabilities of lowest, lowest + 2, …
    while t < n:
        steps = max(1, t // 20)
        t += steps
        first = max(0, steps // 2 - 5 * math.isqrt(steps) - 5)  # beyond ten standard deviations nothing is counted
        alive = fftconvolve(alive, binom.pmf(np.arange(first, steps - first + 1), steps, 0.5))
        lowest += 2 * first - steps
        places = lowest + 2 * np.arange(len(alive))
        inside = np.abs(places) <= 2 * math.sqrt(t * L) + L
        crossed += float(alive[~inside].sum())
        alive, lowest = alive[inside], int(places[inside][0])
    return crossed


@pytest.mark.slow
def test_freedman_with_a_random_variance_is_false() -> None:
    """A walk that stops when it has crossed: V is the time of crossing, M = 1, and δ = ½ is exceeded."""
    assert crossing_probability(0.5, 10**3) < 0.25
    assert crossing_probability(0.5, 10**9) > 0.52


@pytest.mark.parametrize("delta", [0.3, 0.01])
def test_freedman_with_a_bound_on_the_variance(delta: float) -> None:
    """At fixed times V is no longer random, and the same inequality holds."""
    L = math.log(2 / delta)
    for n in (1, 10, 1000, 10**6):
        edge = 2 * math.sqrt(n * L) + L  # of the sum, which is 2·Bin(n, ½) − n
        assert 2 * binom.sf((n + edge) / 2, n, 0.5) <= delta


# Proposition 4: 8Δ is false


def excess_of_a_simple_rule(mu_1: Doubles, mu_2: Doubles, Delta: float) -> Doubles:
    """One context, two labels, costs 0 and 1; μ is what label −1 costs more. D² is known, of D¹ one example is seen."""
    right = (1 + mu_1) / 2  # the probability that the example costs label −1 more: Z = 1, else Z = −1
    chance = np.clip(0.5 + mu_2 / (2 * Delta) + np.array([0.1, -0.1])[:, None, None], 0, 1)  # of label +1, for Z = ±1
    of_plus = right * chance[0] + (1 - right) * chance[1]
    return np.asarray(np.where(mu_1 > 0, mu_1 * (1 - of_plus), -mu_1 * of_plus))


def test_a_rule_is_better_than_the_lower_bound_with_8() -> None:
    d, m, n, Delta = 1, 10**12, 32, 0.02
    mu_1, mu_2 = np.linspace(-0.1, 0.1, 801)[:, None], np.linspace(-0.1, 0.1, 801)
    similar = np.where(mu_1 > 0, mu_2 >= mu_1 - Delta, mu_2 <= mu_1 + Delta)
    worst = excess_of_a_simple_rule(mu_1, mu_2, Delta)[similar].max()
    promised = Delta / (2 + 0.4 * Delta)
    assert 0.99 * promised < worst <= promised
    of_estimating_mu_2 = 1 / (2 * Delta * math.sqrt(m))
    stated = min(math.sqrt(d / m) + 8 * Delta, math.sqrt(d / n)) / 16
    assert minimax_lower_bound(d, m, n, Delta) < promised + of_estimating_mu_2 < stated


def test_total_variation_is_not_below_the_hellinger_distance() -> None:
    epsilon = 0.1
    p, q = np.array([0.5 + epsilon, 0.5 - epsilon]), np.array([0.5 - epsilon, 0.5 + epsilon])
    variation, squared = np.abs(p - q).sum() / 2, ((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2
    assert variation == pytest.approx(2 * epsilon)
    assert math.sqrt(squared) < variation <= math.sqrt(2 * squared)
    assert 2 * squared <= 8 * epsilon**2  # what the proof goes on with


@pytest.mark.parametrize("n", [1, 5, 32, 200])
def test_what_the_minimax_proof_goes_on_with_holds(n: int) -> None:
    for epsilon in (0.001, 0.01, 0.05):
        k = np.arange(n + 1)
        variation = np.abs(binom.pmf(k, n, 0.5 + epsilon) - binom.pmf(k, n, 0.5 - epsilon)).sum() / 2
        assert variation <= math.sqrt(8 * n * epsilon**2)


def test_assouad_gives_half_of_d() -> None:
    d, epsilon = 6, 0.1
    excess_of_a_mistake = 2 * epsilon / d
    assert excess_of_a_mistake * d / 2 == pytest.approx(epsilon)  # the next line of the proof
    assert excess_of_a_mistake * epsilon < epsilon / 10  # what the printed ε would leave


# Corollary 1


@pytest.mark.parametrize("constant", [1, 100, 10**4])
def test_the_corollary_without_k_promises_the_impossible(constant: float) -> None:
    """Of K = 10·n_b arms one costs 0: nine times of ten no round finds it, and every round costs 1."""
    n_b, delta = 10**18, 0.3
    K = 10 * n_b
    assert 1 - n_b / K > delta
    epsilon = n_b ** (-1 / 3)
    assert epsilon + constant * math.sqrt(math.log(n_b * K * 2 / delta) / (n_b * epsilon)) < 0.1


def test_what_theorem_1_gives_outgrows_the_corollary() -> None:
    def ratio(K: int, n_b: int) -> float:
        problem = Problem(K=K, n_s=0, n_b=n_b, epsilon=0.1, n_policies=10)
        printed = math.sqrt(math.log(n_b * 10 * 2 / problem.delta) / (n_b * 0.1))
        return (corollary(problem, 2).total - 0.1) / printed

    assert ratio(200, 10**15) == pytest.approx(10 * ratio(2, 10**15), rel=0.02)  # √K
    assert ratio(2, 10**18) > 1.3 * ratio(2, 10**9)  # ln(e·n_b)


# Section 2.1 and appendix C: the warm-started UCB1


def test_the_warm_start_may_do_no_harm_below_one_half() -> None:
    Delta = 0.49
    assert ucb_T0(Delta, Delta**-3) == pytest.approx(0.136, abs=1e-3)
    assert ucb_T0(Delta, 16 * Delta**-3) == pytest.approx(math.exp(1 / Delta) - 1)
    played = two_armed(Delta, n_s=math.ceil(Delta**-3), n_b=1000)
    assert played["WarmUCB"].regret[-1] < played["UCB1"].regret[-1]
    played = two_armed(Delta, n_s=math.ceil(16 * Delta**-3), n_b=200_000)
    assert played["WarmUCB"].regret[999] > 3 * played["UCB1"].regret[999]
    assert played["WarmUCB"].regret[-1] < played["UCB1"].regret[-1]


@pytest.mark.parametrize("Delta", [0.005, 0.002])
def test_fewer_labels_delay_the_better_arm_less_than_claimed(Delta: float) -> None:
    """With n_s = Δ⁻³ the proof's condition for playing arm 2 is met at t = exp(1/(8Δ)), long before exp(1/Δ)."""
    n_s, log_t = Delta**-3, 1 / (8 * Delta)
    assert Delta / 2 - 2 * math.sqrt(log_t / n_s) <= -2 * math.sqrt(log_t / (n_s + math.exp(log_t) - 1))


def test_right_labels_do_not_spare_all_regret() -> None:
    """Labels and rounds cost (½, ¾). Until arm 2 is played nothing tells this from the paper's other example."""
    costs = [[0.5, 0.75]]
    bandit = WarmUCB(2).warm_start([[0.0]] * 100, costs=costs * 100)
    trace = simulate(bandit, np.zeros((1000, 1)), costs=costs * 1000, shuffle=False).trace
    assert np.flatnonzero(trace.actions == 1)[0] + 1 == 333 == two_armed(0.5, 100, 1000)["WarmUCB"].first_play
    assert (trace.costs - 0.5).sum() == 15.5


@pytest.mark.parametrize("Delta, n_s", [(0.9, 1), (0.5, 20), (0.5, 44), (0.49, 136), (0.9, 100)])
def test_the_regret_of_proposition_1_with_its_constant(Delta: float, n_s: int) -> None:
    """(Δ/4)·exp(Δ²·n_s/16), also where the proof's (Δ/2)·(T₀ − 1) is below 0."""
    least = math.exp(Delta**2 * n_s / 16)
    regret = two_armed(Delta, n_s, math.ceil(least))["WarmUCB"].regret[-1]
    assert regret >= Delta / 4 * least
    assert ucb_regret(Delta, n_s) <= regret


# The ERM lemmas (3 and 7): all λ, but a union over Π alone


def test_two_lambdas_fail_more_often_than_one() -> None:
    """Four labels and four rounds of ±½: each mean is off by ½ in 1 of 8 cases, one of the two in 15 of 64."""
    off = np.array(
        [[abs(sum(signs[:4])) == 4, abs(sum(signs[4:])) == 4] for signs in itertools.product((-1, 1), repeat=8)]
    )
    assert off.mean(axis=0).tolist() == [1 / 8, 1 / 8]
    assert off.any(axis=1).mean() == 15 / 64


def test_what_a_union_over_lambdas_would_cost() -> None:
    problem = Problem(K=3, n_s=1000, n_b=10**6, epsilon=0.05, n_policies=1000)
    with_union = Problem(K=3, n_s=1000, n_b=10**6, epsilon=0.05, n_policies=8 * 1000)
    L = math.log(8 * 10**6 * 1000 / 0.05)
    ratio = V(1000, [0, 0.01, 0.5, 1], with_union) / V(1000, [0, 0.01, 0.5, 1], problem)
    assert (ratio <= 1 + math.log(8) / L).all()
    assert math.log(8) / L == pytest.approx(0.081, abs=1e-3)


# Lemma 1, definition 1


def test_an_upper_bound_on_the_useless_part_is_not_enough() -> None:
    """c⁻ = (0, −0.2) and Δ = 0.1: E c⁻(π) − E c⁻(π*) = −0.2 ≤ Δ as printed, but D₂ is not (1, 0.1)-similar to D₁."""
    D_1, D_2 = np.array([[0.2, 0.5]]), np.array([[0.2, 0.3]])
    assert (D_2 - D_1)[0, 1] - (D_2 - D_1)[0, 0] <= 0.1
    assert frontier(ConstantPolicies(2), np.zeros((1, 1)), D_1, D_2, bootstrap=0).Delta(1) == pytest.approx(0.2)


def test_similarity_depends_on_which_of_two_best_policies() -> None:
    D_1, D_2 = np.array([0.5, 0.5]), np.array([0.0, 1.0])
    smallest = [max(0.0, *((D_1 - D_1[best]) - (D_2 - D_2[best]))) for best in (0, 1)]
    assert smallest == [0, 1]
    assert frontier(ConstantPolicies(2), np.zeros((1, 1)), D_1[None], D_2[None], bootstrap=0).Delta(1) == 0


# Theorem 1: constants, and what a policy may have seen


def test_16_of_lemma_5_may_be_less() -> None:
    """min(4·√(ac) + 2c, a) ≤ (2 + √6)·√(ac), with equality where √(a/c) = 2 + √6."""
    least = 2 + math.sqrt(6)
    a = np.append(np.geomspace(1e-6, 1e9, 2001), least**2)
    capped = np.minimum(4 * np.sqrt(a) + 2, a) / np.sqrt(a)
    assert capped.max() == pytest.approx(least) == capped[-1]
    assert (np.minimum(np.sqrt(16 * a) + 16, a) <= 2 * np.sqrt(16 * a)).all()  # lemma 6 with b = 16·c: 8 and not 16


def test_a_policy_that_has_seen_the_round_scores_0() -> None:
    """A new context in every round, all policies, costs of 0 or 1 by a coin: nothing can be learned."""
    random = np.random.default_rng(0)
    costs, actions = random.integers(0, 2, size=(1000, 2)), random.integers(0, 2, size=1000)
    ips = np.zeros((1000, 2))
    ips[np.arange(1000), actions] = costs[np.arange(1000), actions] / 0.5
    before = ips[:, 0].mean()  # trained up to t − 1, a policy knows nothing of this context: any action
    after = ips.min(axis=1).mean()  # trained up to t, it plays what the round did not find costly
    assert before == pytest.approx(0.5, abs=0.1)
    assert after == 0


def test_the_effective_sample_size() -> None:
    problem = Problem(K=10, n_s=100, n_b=1000, epsilon=0.01, n_policies=10)
    assert effective_sample_size(1000, problem) == 101
    assert (
        effective_sample_size(1000, problem) < 100 + 1000 < 100 + 10 * 1000 / 0.01
    )  # t rounds are worth less than t labels


# Theorem 2


def test_epochs_that_count_natural_logarithms_end_too_early() -> None:
    n_b = 1000
    assert 2 ** math.ceil(math.log(n_b)) == 128
    assert 2 ** Problem(2, 100, n_b, 0.1, 10).epochs >= n_b


def test_theorem_2_can_be_above_the_bound_of_labels_alone() -> None:
    """Identical sources and rounds without end: choosing λ alone costs more than 3 times what 10⁶ policies do."""
    problem = Problem(K=2, n_s=10**6, n_b=2**20, epsilon=0.1, n_policies=10**6)
    labels_alone = math.sqrt(2 * math.log(2 * 10**6 / 0.05) / 10**6)  # Hoeffding, over all policies
    assert theorem_2(problem, 8, 1, 0).selection > 3 * labels_alone
    longer = replace(problem, n_b=2**40)
    assert theorem_2(longer, 8, 1, 0).selection > theorem_2(problem, 8, 1, 0).selection


def test_the_played_policy_depends_on_the_validation_set() -> None:
    """The same training labels and the same rounds: which policy is played is not known from them."""
    played = []
    for label in (0, 1):
        bandit = ExactSupervisedTruth(2, policies=ConstantPolicies(2), lambdas=2, horizon=4)
        bandit.warm_start([[0.0]] * 6, [0, label, label] * 2)  # every third is for training
        for _ in range(2):
            bandit.learn([0.0], 0, 1.0, 0.5)  # rounds say that 0 is costly
        played.append(int(bandit.predict([[0.0]])[0]))
    assert played == [0, 1]


def test_the_probability_of_lemma_8() -> None:
    E = 10
    right = 2 * E / (4 * E) + 2 / 4  # E_e, F_e for all epochs; I, J; in units of δ
    printed = E / (4 * E) + E / 4 + 2 / 4
    assert right == 1
    assert printed > 3


# Experiments


def test_one_rate_for_two_algorithms_may_suit_neither() -> None:
    errors = np.array([[0.10, 0.30, 0.18], [0.30, 0.10, 0.18]])  # |Λ| = 2 and 8, three rates
    together = errors[:, errors.mean(axis=0).argmin()]
    assert together.tolist() == [0.18, 0.18]
    assert errors.min(axis=1).tolist() == [0.10, 0.10]


def test_the_cycle_stays_among_the_actions() -> None:
    K = 3
    assert [(a + 1) % K for a in (1, 2, 3)] == [2, 0, 1]  # as printed; 0 is no action of {1, 2, 3}
    corrupted = Noise("cyc", 1.0).corrupt(np.arange(K, dtype=np.int32), n_actions=K, majority=0, seed=0)
    assert sorted(corrupted) == list(range(K))  # ours are 0, 1, 2


def test_both_theorems_have_a_lambda_that_does_not_depend_on_data() -> None:
    """All that lemmas 3 and 7 are needed for: the minimum of the bound is over fixed numbers."""
    problem = Problem(K=2, n_s=10**6, n_b=10**8, epsilon=0.01, n_policies=100)
    for theorem in (theorem_1, theorem_2):
        best = theorem(problem, 8, 1, 0.01)
        assert theorem(problem, [best.lam], 1, 0.01).mixture == best.mixture


# The page


def test_every_test_that_the_page_names_exists() -> None:
    here = Path(__file__).parent
    tests = {name: (here / name).read_text() for name in ("test_bounds.py", "test_paper.py")}
    named = re.findall(r"`(?:(test_\w+\.py)::)?(test_\w+)`", (ROOT / "docs" / "study" / "slips.md").read_text())
    assert len(named) > 20
    for file, test in named:
        assert f"def {test}(" in tests[file or "test_paper.py"], test
