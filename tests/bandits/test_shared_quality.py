"""What SharedBandit must learn of made-up problems, with a margin; 1 is what random actions lose, and 0 the best."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from warmcb import SharedBandit

Doubles = NDArray[np.float64]


class Round(NamedTuple):
    """A context, what is there, and what each would cost on average and this time."""

    x: Doubles | None
    actions: Any
    ids: list[int] | None
    expected: Doubles
    costs: Doubles


def bilinear(seed: int, n: int, *, size: int = 6, changes_at: int | None = None) -> list[Round]:
    """What an action costs depends on products of the context's features with its own; later it may be the reverse."""
    random = np.random.default_rng(seed)
    products, slopes, rounds = random.normal(size=(3, 4)), random.normal(size=4), []
    for i in range(n):
        x, A = random.normal(size=3), random.normal(size=(size, 4))
        utility = (x @ products) @ A.T / 2 + A @ slopes / 3
        rounds.append(Round(x, A, None, *paid(random, utility if changes_at is None or i < changes_at else -utility)))
    return rounds


def items(seed: int, n: int, effect: float, count: int = 24, first: int = 0) -> list[Round]:
    """Items of two features, each of two values: many have the same description, and another effect."""
    random = np.random.default_rng(seed)
    described, effects = random.integers(2, size=(count, 2)), effect * random.normal(size=count)
    rounds = []
    for _ in range(n):
        there = random.permutation(count)[:6]
        x, A = random.normal(size=1), described[there].astype(np.float64)
        utility = A @ [1.0, -1.0] + effects[there]
        rounds.append(Round(x, A, [first + int(one) for one in there], *paid(random, utility)))
    return rounds


def paid(random: np.random.Generator, utility: Doubles) -> tuple[Doubles, Doubles]:
    expected = 1 / (1 + np.exp(-utility))
    return expected, np.clip(expected + 0.1 * random.normal(size=len(utility)), 0, 1)


def loss(bandit: SharedBandit, rounds: Iterable[Round], with_ids: bool = True) -> float:
    """What it plays costs more than the best, as a share of what random actions would."""
    lost = wasted = 0.0
    for one in rounds:
        decision = bandit.decide(one.x, one.actions, ids=one.ids if with_ids else None)
        bandit.learn(one.x, decision, float(one.costs[decision.action]))
        lost += one.expected[decision.action] - one.expected.min()
        wasted += one.expected.mean() - one.expected.min()
    return lost / wasted


def taught(rounds: list[Round], reverse: bool = False, seed: int = 0) -> SharedBandit:
    costs = [1 - one.costs if reverse else one.costs for one in rounds]
    return SharedBandit(seed=seed).warm_start([one.x for one in rounds], [one.actions for one in rounds], costs=costs)


SEEDS = range(3)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_bilinear_rule_is_learned(seed: int) -> None:
    rounds, bandit = bilinear(seed, 800), SharedBandit(seed=seed)
    assert loss(bandit, rounds[:400]) < 0.3
    assert loss(bandit, rounds[400:]) < 0.06


@pytest.mark.parametrize("seed", SEEDS)
def test_sparse_descriptions_of_many_columns(seed: int) -> None:
    """Words of items: five of 1,000 columns each; 60 of them matter."""
    random = np.random.default_rng(seed)
    worth = np.where(np.arange(1000) < 60, 1.5 * random.normal(size=1000), 0.0)
    rounds = []
    for _ in range(1500):
        columns = np.sort(np.array([random.permutation(60)[:5] for _ in range(5)]), axis=1)
        A = sparse.csr_array((np.ones(25), columns.ravel(), np.arange(0, 26, 5)), shape=(5, 1000))
        rounds.append(Round(None, A, None, *paid(random, A @ worth / 2)))
    bandit = SharedBandit(seed=seed)
    loss(bandit, rounds[:1000])
    assert "in blocks" in bandit.learner_
    assert loss(bandit, rounds[1000:]) < 0.15


@pytest.mark.parametrize("seed", SEEDS)
def test_a_new_item_is_played_from_its_description(seed: int) -> None:
    """Nobody has ever seen these ids."""
    bandit = SharedBandit(seed=seed)
    loss(bandit, items(seed, 600, 0.3))
    strangers = items(seed + 100, 50, 0.3, first=1000)
    X, actions = [one.x for one in strangers], [one.actions for one in strangers]
    played = bandit.predict(X, actions, [one.ids or [] for one in strangers])
    for one, row in zip(strangers, played, strict=True):
        assert one.actions[row] @ [1.0, -1.0] == (one.actions @ [1.0, -1.0]).min()


@pytest.mark.parametrize("seed", SEEDS)
def test_ids_help_where_items_have_effects(seed: int) -> None:
    rounds = items(seed, 1500, 1.0)
    with_ids, without = SharedBandit(seed=seed), SharedBandit(seed=seed)
    loss(with_ids, rounds[:700])
    loss(without, rounds[:700], with_ids=False)
    late = loss(with_ids, rounds[700:])
    assert late < 0.15
    assert late < 0.5 * loss(without, rounds[700:], with_ids=False)


@pytest.mark.parametrize("seed", SEEDS)
def test_ids_do_little_harm_where_they_mean_nothing(seed: int) -> None:
    rounds = items(seed, 600, 0.0)
    assert loss(SharedBandit(seed=seed), rounds) < loss(SharedBandit(seed=seed), rounds, with_ids=False) + 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_labels_help_and_reversed_ones_cost_little(seed: int) -> None:
    rounds = bilinear(seed, 1000)
    labels, rest = rounds[:150], rounds[150:]
    none = loss(SharedBandit(seed=seed), rest)
    assert loss(taught(labels, seed=seed), rest) < 0.5 * none
    assert loss(taught(labels, reverse=True, seed=seed), rest) < none + 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_changed_world_is_noticed(seed: int) -> None:
    rounds = bilinear(seed, 2000, changes_at=1000)
    bandit, stubborn = SharedBandit(seed=seed), SharedBandit(seed=seed, half_life=float("inf"))
    for one in (bandit, stubborn):
        assert loss(one, rounds[:1000]) < 0.2
    assert loss(bandit, rounds[1000:]) < 0.5
    assert loss(stubborn, rounds[1000:]) > 1.0
    assert bandit.memory_ < 1200


def of_two_marks(seed: int, n: int, first: list[list[float]]) -> list[Round]:
    """An action is the better the more of two marks it has; `first` is what is there in the first round."""
    random = np.random.default_rng(seed)
    rounds = []
    for i in range(n):
        A = np.array(first) if i == 0 else random.integers(2, size=(4, 2)).astype(np.float64)
        rounds.append(Round(None, A, None, *paid(random, 1.0 - 1.5 * A.sum(axis=1))))
    return rounds


@pytest.mark.parametrize("first", [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 1.0]]], ids=["one-hot", "not"])
def test_a_first_round_that_is_one_hot_by_accident(first: list[list[float]]) -> None:
    assert loss(SharedBandit(), of_two_marks(0, 600, first)) < 0.1


def test_who_has_learned_much_of_one_hot_descriptions_does_not_forget_it() -> None:
    """A row of another kind may come at any time."""
    bandit = SharedBandit()
    for i in range(60):
        bandit.learn([1.0], i % 3, float(i % 3 != 1), 1 / 3, actions=np.eye(3))
    before = bandit.predict_costs([[1.0]], [np.eye(3)])[0]
    bandit.decide([1.0], np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    np.testing.assert_array_equal(bandit.predict_costs([[1.0]], [np.eye(3)])[0], before)
    assert before.argmin() == 1
