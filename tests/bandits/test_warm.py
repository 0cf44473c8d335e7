"""The default bandit: what its parts are, that they play together bit for bit, and that it is worth its name."""

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from tests.support.problems import make_problem
from warmcb import ArrowCB, WarmBandit, _inputs, explorers, load, simulate
from warmcb._core import (
    Contest,
    EpsilonGreedy,
    InverseGap,
    OnlineLinear,
    ProgressiveValidation,
    RecursiveLeastSquares,
)
from warmcb.bandits._base import revive
from warmcb.errors import InputError
from warmcb.selectors import RULES

EVERY_COMPOSITION = [
    {"learner": learner, "selector": selector, "explorer": explorer, "features": features}
    for learner, selector, explorer, features in itertools.product(
        ["auto", "online"], [*RULES, "cost/p"], ["inverse-gap", "epsilon-greedy"], ["bends", "linear"]
    )
    if learner == "auto" or features == "bends"  # the online learner has no choice
]


def fingerprint(bandit: WarmBandit | ArrowCB) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def played(bandit: WarmBandit, X: Any, costs: Any, begin: int, end: int) -> list[tuple[int, float]]:
    """Rounds as a service plays them."""
    decisions = []
    for i in range(begin, end):
        decision = bandit.decide(X[[i]])
        bandit.learn(X[[i]], decision.action, costs[i, decision.action], decision.probability)
        decisions.append((decision.action, decision.probability))
    return decisions


@pytest.mark.parametrize("options", EVERY_COMPOSITION, ids=lambda options: ", ".join(map(str, options.values())))
def test_compiled_rounds_equal_live_rounds(options: dict[str, Any]) -> None:
    problem = make_problem(labels=False)
    common: dict[str, Any] = {"costs": problem.costs, "warm_start": 60, "interaction": 200, "seed": 4}
    compiled = simulate(WarmBandit(3, epsilon=0.2, seed=5, **options), problem.X, **common)
    live = simulate(WarmBandit(3, epsilon=0.2, seed=5, **options), problem.X, **common, compiled=False)
    for ours, theirs in zip(compiled.trace, live.trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled.bandit) == fingerprint(live.bandit)


@pytest.mark.parametrize("width", [300, 5000], ids=["in blocks", "online"])
def test_compiled_rounds_equal_live_rounds_on_wide_data(width: int) -> None:
    problem = make_problem(n=150, d=width, is_sparse=True)
    common: dict[str, Any] = {"warm_start": 50, "seed": 4}
    compiled = simulate(WarmBandit(3, seed=5), problem.X, problem.y, **common)
    live = simulate(WarmBandit(3, seed=5), problem.X, problem.y, **common, compiled=False)
    for ours, theirs in zip(compiled.trace, live.trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled.bandit) == fingerprint(live.bandit)


def test_a_warm_start_in_parts_is_the_same_warm_start() -> None:
    problem = make_problem()
    at_once = WarmBandit(3).warm_start(problem.X[:90], problem.y[:90])
    in_parts = WarmBandit(3)
    for begin, end in ((0, 1), (1, 33), (33, 90)):
        in_parts.warm_start(problem.X[begin:end], problem.y[begin:end])
    assert fingerprint(at_once) == fingerprint(in_parts)


@pytest.mark.parametrize("options", EVERY_COMPOSITION, ids=lambda options: ", ".join(map(str, options.values())))
def test_a_saved_bandit_goes_on_exactly(options: dict[str, Any], tmp_path: Path) -> None:
    problem = make_problem(labels=False)
    bandit = WarmBandit(3, epsilon=0.2, seed=5, **options).warm_start(problem.X[:20], costs=problem.costs[:20])
    played(bandit, problem.X, problem.costs, 20, 100)
    bandit.save(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb")
    assert isinstance(again, WarmBandit)
    assert (repr(again), again.learner_, again.lambda_) == (repr(bandit), bandit.learner_, bandit.lambda_)
    np.testing.assert_array_equal(again.intervals_, bandit.intervals_)
    expected = played(bandit, problem.X, problem.costs, 100, 200)
    assert played(again, problem.X, problem.costs, 100, 200) == expected
    assert fingerprint(again) == fingerprint(bandit)


def test_saved_before_and_after_squares_were_added(tmp_path: Path) -> None:
    """A feature that is 0 or 1 at first, and shows a third value later: its square comes when units are renewed."""
    random = np.random.default_rng(1)
    X = np.stack([random.integers(2, size=300), random.normal(size=300)], axis=1)
    X[40:, 0] += random.normal(size=260)
    costs = random.random((300, 2))
    unbroken, broken = (WarmBandit(2, features="squares", seed=2) for _ in range(2))
    played(unbroken, X, costs, 0, 300)
    sizes = []
    for begin, end in ((0, 30), (30, 50), (50, 70), (70, 300)):
        played(broken, X, costs, begin, end)
        sizes.append(broken.learner_)
        broken.save(tmp_path / "b.warmcb")
        loaded = load(tmp_path / "b.warmcb")
        assert isinstance(loaded, WarmBandit)
        broken = loaded
    assert sizes == [f"least squares, {terms} terms" for terms in (4, 4, 5, 5)]
    assert fingerprint(broken) == fingerprint(unbroken)


@pytest.mark.parametrize(
    "width, options, expected",
    [
        (5, {}, "least squares, 215 terms, 192 of them bends"),
        (5, {"features": "squares"}, "least squares, 11 terms"),
        (5, {"features": "linear"}, "least squares, 6 terms"),
        (200, {"features": "squares"}, "least squares, 256 terms"),
        (200, {}, "least squares, 352 terms, 94 of them bends"),
        (255, {}, "least squares, 352 terms, 94 of them bends"),
        (300, {}, "least squares, 301 terms in blocks of 16"),
        (4096, {}, "least squares, 4097 terms in blocks of 16"),
        (5000, {}, "online"),
        (5, {"learner": "online"}, "online"),
    ],
)
def test_what_learns_depends_on_the_data(width: int, options: dict[str, Any], expected: str) -> None:
    bandit = WarmBandit(2, **options)
    assert bandit.learner_ == "nothing yet"
    X = sparse.random_array(
        (4, width), density=1.0 if width < 300 else 0.05, rng=np.random.default_rng(0), format="csr"
    )
    bandit.warm_start(X, [0, 1, 0, 1])
    assert bandit.learner_ == expected


def test_it_is_made_of_its_parts() -> None:
    kinds: list[tuple[dict[str, Any], type, type, type]] = [
        ({}, RecursiveLeastSquares, Contest, InverseGap),
        ({"learner": "online"}, OnlineLinear, Contest, InverseGap),
        ({"selector": "cost/p"}, RecursiveLeastSquares, ProgressiveValidation, InverseGap),
        ({"explorer": "epsilon-greedy"}, RecursiveLeastSquares, Contest, EpsilonGreedy),
    ]
    for options, learner, selector, explorer in kinds:
        bandit = WarmBandit(2, **options).warm_start([[0.0], [1.0]], [0, 1])
        assert type(bandit._learner) is learner
        assert type(bandit._selector) is selector
        assert type(bandit._explorer) is explorer


def test_arrow_is_the_papers_composition() -> None:
    """Other parts and the same rounds: the paper's bandit is one composition of the same class."""
    problem = make_problem()
    arrow = ArrowCB(3, epsilon=0.1, lambdas=[0.0, 0.5, 1.0], seed=6)
    warm = WarmBandit(
        3,
        epsilon=0.1,
        lambdas=[0.0, 0.5, 1.0],
        learner="online",
        selector="cost/p",
        explorer="epsilon-greedy",
        cost_range=(0, 1),
        optimism=0.0,
        seed=6,
    )
    runs = [simulate(bandit, problem.X, problem.y, warm_start=80) for bandit in (arrow, warm)]
    parts = [type(part) for part in (arrow._learner, arrow._selector, arrow._explorer)]
    assert parts == [OnlineLinear, ProgressiveValidation, EpsilonGreedy]
    for ours, theirs in zip(*(run.trace for run in runs), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(arrow) == fingerprint(warm)
    np.testing.assert_array_equal(arrow.scores_, warm.scores_)


def test_examples_weigh_what_their_source_says() -> None:
    """Least squares take 1−λ and λ as they are; an online step, which 1/p makes K times larger, is brought to 1."""
    exact = WarmBandit(4, lambdas=[0.0, 0.25, 1.0]).warm_start([[1.0]], [0])
    np.testing.assert_allclose(exact._supervised_weights, [1, 0.75, 0])
    np.testing.assert_allclose(exact._bandit_weights, [0, 0.25, 1])
    online = WarmBandit(4, lambdas=[0.0, 0.25, 1.0], learner="online").warm_start([[1.0]], [0])
    np.testing.assert_allclose(online._supervised_weights, [1, 0.75 / 1.75, 0])
    np.testing.assert_allclose(online._bandit_weights, [0, 0.25 / 1.75, 1 / 4])


def average_cost(
    make: Callable[[], WarmBandit | ArrowCB], noise: str, warm_start: int = 300, rounds: int = 3000
) -> float:
    """Over the first rounds of three data sets, of four actions that are each the best where a plane is highest."""
    costs = []
    for seed in range(3):
        random = np.random.default_rng(seed)
        X = random.normal(size=(3300, 8))
        y = (X @ random.normal(size=(8, 4)) + random.normal(size=4)).argmax(axis=1)
        run = simulate(make(), X, y, warm_start=warm_start, interaction=rounds, noise=noise, seed=seed)
        costs.append(run.average_cost)
    return float(np.mean(costs))


def test_good_labels_help_at_once() -> None:
    problem = make_problem(n=1000)
    bandit = WarmBandit(3).warm_start(problem.X[:500], problem.y[:500])
    assert np.mean(bandit.predict(problem.X[500:]) != problem.y[500:]) < 0.2
    with_labels = average_cost(lambda: WarmBandit(4), "none", rounds=200)
    assert with_labels < average_cost(lambda: WarmBandit(4), "none", rounds=200, warm_start=0) - 0.08


@pytest.mark.slow
def test_wrong_labels_do_not_ruin_it() -> None:
    """Labels that name another action than the best, always the same other one."""
    misled = average_cost(lambda: WarmBandit(4), "cyc:1.0")
    without = average_cost(lambda: WarmBandit(4), "none", warm_start=0)
    believer = average_cost(lambda: WarmBandit(4, lambdas=[0.0]), "cyc:1.0")
    assert believer > 0.8
    assert misled < without + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("noise", ["none", "uar:0.5", "cyc:1.0"])
def test_it_compares_well_with_the_papers(noise: str) -> None:
    assert average_cost(lambda: WarmBandit(4), noise) < average_cost(lambda: ArrowCB(4), noise)


@pytest.mark.parametrize("reward", [0.0, 1.0])
def test_equal_rewards_say_nothing_about_labels(reward: float) -> None:
    """Until a reward differs from the first one, nobody knows whether it is good or bad."""
    problem = make_problem(n=600)
    bandit = WarmBandit(3).warm_start(problem.X[:500], problem.y[:500])
    before = bandit.predict(problem.X)
    in_charge = []
    for x in problem.X[500:540]:
        in_charge.append(bandit.lambda_)
        bandit.learn(x, bandit.decide(x), reward=reward)
    assert in_charge[:6] == [0, 0, 0, 1, 0, 1] and in_charge.count(0.0) == 21
    assert np.mean(bandit.predict(problem.X) == before) > 0.9
    bandit.learn(problem.X[0], bandit.decide(problem.X[0]), reward=1.0 - reward)
    assert any(bandit.scores_)


def test_without_a_warm_start_the_largest_lambda_plays() -> None:
    problem = make_problem(n=1500)
    run = simulate(WarmBandit(3), problem.X, problem.y)
    assert set(run.trace.lambdas) == {1.0}
    assert run.average_cost < 0.3
    assert run.bandit._selector.eligible.tolist() == [0, 0, 1]


@pytest.mark.parametrize("explorer", ["inverse-gap", "epsilon-greedy"])
def test_labels_that_come_late_have_their_say(explorer: str) -> None:
    """What a λ did before anybody taught it is no reason to put it out as soon as it has learned something."""
    random = np.random.default_rng(3)
    X = random.normal(size=(3100, 3))
    y = (X @ random.normal(size=(3, 4))).argmax(axis=1).astype(np.int32)
    rows, table = _inputs.matrix(X, None), _inputs.cost_table(y, None, 3100, 4)
    bandit = WarmBandit(4, epsilon=0.2, explorer=explorer)
    bandit._play_rounds(rows, table, 0, 2000)
    bandit.warm_start(X[2000:3000], y[2000:3000])
    assert bandit._selector.eligible.all()
    bandit._play_rounds(rows, table, 3000, 3010)
    assert bandit._selector.eligible.all()


def test_defaults() -> None:
    bandit = WarmBandit(2)
    assert bandit.lambdas_.tolist() == [0, 0.75, 1]
    assert WarmBandit(2, lambdas=8).lambdas_.tolist() == [0, 0.25, 0.5, 0.75, 0.9, 0.96, 0.99, 1]
    assert WarmBandit(2, lambdas=2).lambdas_.tolist() == [0, 1]
    assert (bandit.lambda_, bandit.rounds_, bandit.scores_.tolist()) == (1.0, 0, [0.0] * 3)


def misled_for_good(explorer: str) -> tuple[WarmBandit, Any]:
    """λ = 0 is taught the opposite of the truth, and nothing else ever; and the λ that were in charge."""
    random = np.random.default_rng(3)
    X = random.normal(size=(6000, 3))
    y = (X[:, 0] > 0).astype(np.int32)
    whole = explorers.InverseGap(floor=0.1) if explorer == "inverse-gap" else explorer
    bandit = WarmBandit(4, lambdas=[0.0, 0.5, 1.0], epsilon=0.5, explorer=whole, cost_range=(0, 1), half_life=math.inf)
    bandit.warm_start(X[:200], 1 - y[:200])
    rows, table = _inputs.matrix(X, None), _inputs.cost_table(y, None, 6000, 4)
    return bandit, bandit._play_rounds(rows, table, 200, 6000).lambdas


@pytest.mark.parametrize("explorer", ["inverse-gap", "epsilon-greedy"])
def test_a_lambda_that_is_surely_worse_is_out(explorer: str) -> None:
    fresh = WarmBandit(4, lambdas=[0.0, 0.5, 1.0], cost_range=(0, 1))
    np.testing.assert_array_equal(fresh.intervals_, np.tile([-1.0, 1.0], (3, 1)))
    bandit, in_charge = misled_for_good(explorer)
    assert bandit.intervals_.shape == (3, 2)
    assert (bandit.intervals_[:, 0] <= bandit.intervals_[:, 1]).all()
    assert bandit.intervals_[0, 0] > 0
    assert bandit.intervals_[-1].tolist() == [0, 0]
    assert bandit._selector.eligible[[0, 2]].tolist() == [0, 1]
    assert 0.0 not in in_charge[-3000:]
    assert bandit.lambda_ > 0


@pytest.mark.parametrize("explorer", ["inverse-gap", "epsilon-greedy"])
def test_intervals_hold_for_a_lambda_that_is_out(explorer: str) -> None:
    """λ = 0 costs 0.9 a round at least and λ = 1 nearly nothing, and so it stays when nobody listens to λ = 0."""
    bandit, _ = misled_for_good(explorer)
    assert bandit.intervals_[0, 1] > 0.8


def test_the_papers_selector_knows_no_intervals() -> None:
    problem = make_problem()
    bandit = simulate(WarmBandit(3, selector="cost/p", cost_range=(0, 1)), problem.X, problem.y, warm_start=100).bandit
    np.testing.assert_array_equal(bandit.intervals_, np.tile([-1.0, 1.0], (3, 1)))
    np.testing.assert_allclose(bandit.scores_, bandit._selector.sums / 300)


@pytest.mark.parametrize("selector", RULES)
def test_the_lowest_score_is_in_charge(selector: str) -> None:
    problem = make_problem()
    bandit = simulate(WarmBandit(3, selector=selector), problem.X, problem.y, warm_start=100).bandit
    in_the_running = bandit._selector.eligible == 1
    lowest = bandit.scores_[in_the_running].argmin()
    assert bandit.lambda_ == bandit.lambdas_[in_the_running][lowest]
    assert bandit.rounds_ == 300


def test_probabilities_keep_the_explorers_promise() -> None:
    problem = make_problem()
    run = simulate(WarmBandit(3, epsilon=0.3), problem.X, problem.y, warm_start=100)
    assert run.trace.probabilities.min() >= 0.02 * 0.3 / 3 * (100 / 300) ** (1 / 3) * (1 - 1e-9)


BAD_ARGUMENTS: list[tuple[dict[str, Any], str]] = [
    (
        {"selector": "x"},
        "selector is 'x'; expected one of forecast, doubly-robust, doubly-robust-in-charge, baseline, ",
    ),
    ({"selector": None}, "selector is None; expected one of"),
    ({"selector": ["forecast"]}, "selector is ['forecast']; expected one of"),
    ({"explorer": 3}, "explorer is 3; expected one of inverse-gap, epsilon-greedy"),
    ({"explorer": "greedy"}, "explorer is 'greedy'; expected one of inverse-gap, epsilon-greedy"),
    ({"learner": "exact"}, "learner is 'exact'; expected one of auto, online"),
    ({"learner": 0}, "learner is 0; expected one of auto, online"),
    ({"features": "cubes"}, "features is 'cubes'; expected one of linear, squares, bends"),
    ({"features": None}, "features is None; expected one of"),
    ({"half_life": 0}, "half_life is 0; expected a number of rounds above 0, infinity, or None"),
    ({"half_life": -3.0}, "half_life is -3.0; expected a number of rounds above 0"),
    ({"half_life": float("nan")}, "half_life is nan; expected a number of rounds above 0"),
    ({"cost_range": (1, 0)}, "cost_range is (1, 0); expected None, or the lowest and the highest cost"),
    ({"cost_range": 5}, "cost_range is 5; expected None, or the lowest and the highest cost"),
    ({"cost_range": (0, math.inf)}, "cost_range is inf; expected two finite numbers"),
    ({"optimism": -1}, "optimism is -1; expected a number from 0 to 1e6"),
    ({"epsilon": 1.5}, "epsilon is 1.5; expected a number in [0, 1]"),
    ({"epsilon": float("nan")}, "epsilon is nan"),
    ({"lambdas": 4}, "lambdas is 4; expected 8, 3, 2 or a sequence of numbers in [0, 1]"),
    ({"lambdas": [0.5, 2.0]}, "lambdas is [0.5, 2.0]; expected 8, 3, 2 or a sequence"),
    ({"lambdas": []}, "lambdas is []; expected 8, 3, 2 or a sequence"),
    ({"seed": -1}, "seed is -1"),
    ({"n_actions": 1}, "n_actions is 1"),
]


@pytest.mark.parametrize("arguments, message", BAD_ARGUMENTS, ids=lambda value: str(value)[:30])
def test_bad_arguments_are_named_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        WarmBandit(**{"n_actions": 3} | arguments)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("row", [0, 40, 2000])
@pytest.mark.parametrize("value", [100.0, 1e6, 1e30])
def test_one_wild_row_does_no_harm(row: int, value: float) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 6))
    y = X[:, :3].argmax(axis=1)
    X[row] = value
    run = simulate(WarmBandit(3), X, y, warm_start=100, shuffle=False)
    assert run.average_cost < 0.07  # 0.046 without it
    assert run.trace.costs[-500:].mean() < 0.05


def test_a_missing_value_that_is_coded_by_a_number_does_little_harm() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 6))
    y = X[:, :3].argmax(axis=1)
    X[random.random(3000) < 0.01, 0] = -999
    assert simulate(WarmBandit(3), X, y, warm_start=100, shuffle=False).average_cost < 0.09


def test_the_scale_follows_the_data() -> None:
    X = np.random.default_rng(0).normal(size=(8000, 6))
    y = X[:, :3].argmax(axis=1)
    X[256:] *= 5
    run = simulate(WarmBandit(3), X, y, warm_start=100, shuffle=False)
    assert run.trace.costs[-2000:].mean() < 0.1


@pytest.mark.parametrize(
    "name", ["learner_models_weights", "learner_models_variances", "learner_centre", "selector_sums"]
)
def test_a_state_that_is_not_finite_is_refused(name: str) -> None:
    problem = make_problem()
    bandit = simulate(WarmBandit(3), problem.X, problem.y, warm_start=50).bandit
    state = bandit._whole_state()
    state[name] = np.where(np.arange(state[name].size) == 1, np.nan, state[name]).astype(state[name].dtype)
    with pytest.raises(ValueError, match="not finite"):
        revive(WarmBandit, bandit.get_params(), state)
