"""Actions by name, and actions that come during operation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.problems import make_problem
from warmcb import ArrowCB, Majority, SimBandit, SupOnly, WarmBandit, load, simulate
from warmcb.errors import InputError, UnsupportedError

PROBLEM = make_problem(n=1200, k=4)


def fingerprint(bandit: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def play(bandit: Any, begin: int, end: int, costs: Any = PROBLEM.costs, X: Any = PROBLEM.X) -> list[Any]:
    decisions = []
    for i in range(begin, end):
        decision = bandit.decide(X[i])
        number = decision.action if bandit.actions is None else bandit.actions.index(decision.action)
        bandit.learn(X[i], decision, float(costs[i, number]))
        decisions.append(decision)
    return decisions


@pytest.mark.parametrize("kind", [ArrowCB, WarmBandit, SimBandit])
def test_everything_that_was_learned_stays(kind: Any, tmp_path: Path) -> None:
    bandit = kind(actions=["a", "b", "c"], seed=3).warm_start(
        PROBLEM.X[:100], np.array(list("abc"))[PROBLEM.y[:100] % 3]
    )
    play(bandit, 100, 300)
    before, lambdas = bandit.predict_costs(PROBLEM.X), bandit.lambdas_.copy()
    scores = bandit.scores_
    bandit.add_action("d")
    after = bandit.predict_costs(PROBLEM.X)
    np.testing.assert_array_equal(after[:, :3], before)
    np.testing.assert_array_equal(after[:, 3], 0.5 if kind is WarmBandit else 0.0)
    np.testing.assert_array_equal(bandit.scores_, scores)
    np.testing.assert_array_equal(bandit.lambdas_, lambdas)
    assert (bandit.n_actions, bandit.actions) == (4, ("a", "b", "c", "d"))
    decision = bandit.decide(PROBLEM.X[0])
    assert decision.actions == ("a", "b", "c", "d") and len(decision.probabilities) == 4
    bandit.save(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb")
    assert again.actions == bandit.actions
    assert play(again, 300, 500) == play(bandit, 300, 500)
    assert fingerprint(again) == fingerprint(bandit)
    assert bandit.clone().actions == ("a", "b", "c", "d")
    assert list(bandit.policy().decide_many(PROBLEM.X[:50], keys=range(50))) == [
        bandit.decide(PROBLEM.X[i], key=i) for i in range(50)
    ]


def test_decisions_of_before_can_still_be_learned() -> None:
    bandit = WarmBandit(3).warm_start(PROBLEM.X[:100], PROBLEM.y[:100] % 3)
    late = [bandit.decide(PROBLEM.X[i], actions=[0, 2] if i % 2 else None) for i in range(100, 110)]
    many = bandit.decide_many(PROBLEM.X[110:120])
    bandit.add_action()
    for i, decision in enumerate(late, 100):
        bandit.learn(PROBLEM.X[i], decision, 0.5)
    bandit.learn_many(PROBLEM.X[110:120], many, np.zeros(10))
    assert bandit.learned_ == 20


def test_compiled_rounds_equal_live_ones_after_an_action_came() -> None:
    def made() -> WarmBandit:
        bandit = WarmBandit(3, seed=4).warm_start(PROBLEM.X[:100], PROBLEM.y[:100] % 3)
        play(bandit, 100, 150)
        bandit.add_action()
        bandit.add_action()
        bandit.warm_start(PROBLEM.X[150:160], PROBLEM.y[150:160])
        return bandit

    costs = np.column_stack([PROBLEM.costs, np.full(1200, 0.3)])
    runs = [simulate(made(), PROBLEM.X, costs=costs, shuffle=False, compiled=compiled) for compiled in (True, False)]
    for ours, theirs in zip(runs[0].trace, runs[1].trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(runs[0].bandit) == fingerprint(runs[1].bandit)


def test_before_any_data_an_action_more_is_just_that() -> None:
    for kind in (ArrowCB, WarmBandit):
        bandit = kind(actions=["a", "b"], seed=3)
        bandit.add_action("c")
        fresh = kind(actions=["a", "b", "c"], seed=3)
        assert repr(bandit) == repr(fresh)
        assert play(bandit, 0, 60) == play(fresh, 0, 60)


def share_of_newcomer(seed: int, costs_of_new: float, *, labels: bool, binary: bool) -> float:
    """How often an action is played in rounds 500 to 1,000 after it came, beside others that cost 0.5 to 0.8."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(2200, 5))
    means = np.array([0.5, 0.6, 0.7, 0.8, costs_of_new])
    noisy = random.random((2200, 5)) < means if binary else np.clip(means + 0.1 * random.normal(size=(2200, 5)), 0, 1)
    bandit = WarmBandit(4, seed=seed)
    if labels:
        bandit.warm_start(X[:200], noisy[:200, :4].argmin(axis=1))
    play(bandit, 200, 1200, noisy, X)
    bandit.add_action()
    played = [decision.action == 4 for decision in play(bandit, 1200, 2200, noisy, X)]
    return float(np.mean(played[500:]))


@pytest.mark.slow
@pytest.mark.parametrize("labels", [True, False])
def test_the_best_is_found_soon(labels: bool) -> None:
    """If it is the best by 0.1, it is played in at least 80 % of rounds 500 to 1,000."""
    shares = [share_of_newcomer(seed, 0.4, labels=labels, binary=False) for seed in range(3)]
    assert min(shares) > 0.8
    coins = [share_of_newcomer(seed, 0.4, labels=labels, binary=True) for seed in range(6)]
    assert np.mean(coins) > 0.8


@pytest.mark.slow
@pytest.mark.parametrize("new", [1, 2, 6])
@pytest.mark.parametrize("epsilon", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("explorer", ["inverse-gap", "epsilon-greedy"])
def test_no_action_is_rarer_than_its_round_allows(new: int, epsilon: float, explorer: str) -> None:
    """The evidence for each λ is bounded by the largest 1/p of the decision's round, during a trial and after it."""
    bandit = WarmBandit(2, epsilon=epsilon, explorer=explorer, seed=1).warm_start(PROBLEM.X[:50], PROBLEM.y[:50] % 2)
    play(bandit, 50, 150)
    before = bandit.decide(PROBLEM.X[0])
    plain = bandit._explorer.largest_weight(2, epsilon, before.round, False)
    for _ in range(new):
        bandit.add_action()
    assert bandit._trial.widened(plain, before.round - 1) == plain
    for i in range(150, 1100):
        decision = bandit.decide(PROBLEM.X[i])
        bound = bandit._explorer.largest_weight(2 + new, epsilon, decision.round, False)
        largest = bandit._trial.widened(bound, decision.round)
        assert 1 / decision.probabilities.min() <= largest * (1 + 1e-9)
        bandit.learn(PROBLEM.X[i], decision, 0.2 if decision.action > 1 else 0.7)
    if new == 1:
        assert bandit._trial.widened(10.0, bandit.learned_) == 10.0  # its trial is over


def test_two_new_actions_at_once() -> None:
    """The better of two is found as well, if it is the best by 0.1."""
    random = np.random.default_rng(0)
    X = random.normal(size=(2400, 5))
    costs = np.clip(np.array([0.5, 0.6, 0.7, 0.8, 0.4, 0.9]) + 0.1 * random.normal(size=(2400, 6)), 0, 1)
    bandit = WarmBandit(4, seed=1)
    play(bandit, 0, 1400, costs, X)
    bandit.add_action()
    bandit.add_action()
    played = [decision.action == 4 for decision in play(bandit, 1400, 2400, costs, X)]
    assert np.mean(played[500:]) > 0.8


def test_a_bad_one_is_left_alone() -> None:
    assert share_of_newcomer(0, 0.9, labels=True, binary=False) < 0.02


def test_a_new_action_is_tried_at_once_but_never_takes_over() -> None:
    """Costs may be late: whatever is decided before the first of them, three quarters go on as before."""
    bandit = WarmBandit(3, seed=1).warm_start(PROBLEM.X[:100], PROBLEM.y[:100] % 3)
    play(bandit, 100, 200)
    without = bandit.decide(PROBLEM.X[200], key=1).probabilities
    bandit.add_action()
    with_it = bandit.decide(PROBLEM.X[200], key=1).probabilities
    np.testing.assert_allclose(with_it, [*0.75 * np.array(without), 0.25], atol=0.02)
    one = bandit.decide(PROBLEM.X[200], actions=[0, 1, 2], key=1).probabilities
    np.testing.assert_array_equal(one[:3], without)  # and not at all where it is not allowed
    assert bandit.decide(PROBLEM.X[200], actions=[3], key=1).probability == 1.0


@pytest.mark.parametrize("explorer", ["inverse-gap", "epsilon-greedy"])
@pytest.mark.parametrize("new", [1, 3])
def test_known_actions_keep_their_proportions_while_costs_are_late(explorer: str, new: int) -> None:
    """The new actions look best, as nothing is known of them. The others are played as if there were no new ones."""
    bandit = WarmBandit(3, explorer=explorer, cost_range=(-1, 0), seed=1)
    play(bandit, 0, 400, np.where(PROBLEM.costs < 0.5, -0.4, 0.0))
    without = bandit.decide_many(PROBLEM.X[400:500]).probabilities
    for _ in range(new):
        bandit.add_action()
    predicted = bandit.predict_costs(PROBLEM.X[400:500])
    assert (predicted[:, 3:].min(axis=1) < predicted[:, :3].min(axis=1)).mean() > 0.5
    share = min(0.25 * new, 0.5)
    found = bandit.decide_many(PROBLEM.X[400:500]).probabilities
    np.testing.assert_allclose(found[:, 3:], share / new, atol=0.02)
    np.testing.assert_allclose(found[:, :3], (1 - share) * without, atol=0.03)


def test_labels_may_judge_it_later() -> None:
    bandit = WarmBandit(3, lambdas=2, seed=1).warm_start(PROBLEM.X[:100], PROBLEM.y[:100] % 3)
    bandit.add_action()
    assert bandit._unjudged[:, 0].tolist() == [False, False, False, True]  # rounds teach it in every lane
    bandit.warm_start(PROBLEM.X[100:150], PROBLEM.y[100:150])
    assert not bandit._unjudged.any()


@pytest.mark.parametrize(
    "actions, message",
    [
        (["a", "a"], "actions has 'a' twice; expected each name once"),
        (["a"], r"actions is \['a'\]; expected at least 2 names"),
        ("ab", "actions is 'ab'; expected a sequence of names"),
        ([1, 2], r"actions\[0\] is 1; expected a name, which is a string"),
        (7, "actions is 7; expected a sequence of names"),
    ],
)
def test_bad_names(actions: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WarmBandit(actions=actions)


def test_bad_new_names_change_nothing() -> None:
    named = WarmBandit(actions=["a", "b"]).warm_start([[0.0], [1.0]], ["a", "b"])
    before = fingerprint(named)
    with pytest.raises(InputError, match="actions has 'a' twice"):
        named.add_action("a")
    with pytest.raises(InputError, match="name is None; expected a name, as actions have names"):
        named.add_action()
    with pytest.raises(InputError, match="an entry of actions is 'c'; expected one of a, b"):
        named.decide([0.0], actions=["a", "c"])
    with pytest.raises(InputError, match="n_actions is 3; expected 2, the number of actions, or none"):
        WarmBandit(3, actions=["a", "b"])
    assert (fingerprint(named), named.actions) == (before, ("a", "b"))
    nameless = WarmBandit(2)
    with pytest.raises(InputError, match="name is 'c'; expected None, as actions have no names"):
        nameless.add_action("c")
    with pytest.raises(InputError, match="n_actions is None; expected an integer from 2"):
        WarmBandit()


@pytest.mark.slow
def test_beyond_what_fits() -> None:
    bandit = ArrowCB(2**20).warm_start(np.ones((1, 1)), [0])
    with pytest.raises(InputError, match="the model has 1048577 actions × 1 features × 8 λ; expected one that fits"):
        bandit.add_action()
    assert bandit.n_actions == 2**20


@pytest.mark.parametrize("bandit", [SupOnly(3), Majority(3)], ids=repr)
def test_who_cannot_take_in_new_actions_says_so(bandit: Any) -> None:
    bandit.warm_start(PROBLEM.X[:50], PROBLEM.y[:50] % 3)
    with pytest.raises(UnsupportedError, match=f"{type(bandit).__name__} cannot add new actions"):
        bandit.add_action()
