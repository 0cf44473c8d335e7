"""The catalogue: every class has a name, every entry can be made, and says what is true of it."""

from dataclasses import replace
from inspect import isabstract
from typing import Any

import numpy as np
import pytest

from warmcb import bandits
from warmcb.bandits._base import BaseBandit
from warmcb.catalogue import CATALOGUE, CLASSES, GROUPS, SOURCES, STUDIED, SUPERVISED_TRUTH, Workload, make_bandit
from warmcb.errors import InputError
from warmcb.study.facts import DataFacts
from warmcb.study.grid import Grid
from warmcb.study.plan import plan
from warmcb.study.units import RunsUnit

LOAD = Workload(rounds=100, n_features=10, nonzeros=4.0, n_actions=3)


def test_every_class_has_one_name() -> None:
    known = [getattr(bandits, name) for name in bandits.__all__]
    classes = [
        kind for kind in known if isinstance(kind, type) and issubclass(kind, BaseBandit) and not isabstract(kind)
    ]
    named: list[Any] = [CATALOGUE[name].kind for name in CLASSES]
    assert len(named) == len(set(named))
    assert set(named) == set(classes)
    assert not any(CATALOGUE[name].fixed for name in CLASSES)


def test_groups_are_made_of_what_can_be_studied() -> None:
    assert {*SUPERVISED_TRUTH, *(name for group in GROUPS.values() for name in group)} <= set(STUDIED)
    assert not GROUPS.keys() & CATALOGUE.keys()


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_entry_keeps_its_word(name: str) -> None:
    entry = CATALOGUE[name]
    assert entry.name == name
    assert set(entry.fixed) <= set(entry.parameters), "a setting that its class does not have would be lost"
    assert set(entry.learns_from) <= set(SOURCES)
    assert set(entry.costs) <= LOAD.quantities().keys()
    settings: dict[str, Any] = {"learning_rate": 0.3, "horizon": 50, "seed": 1, "action": 2}
    bandit: Any = entry.make(3, epsilon=0.1, **settings)
    for setting, value in entry.fixed.items():
        assert getattr(bandit, setting) == value
    if entry.has_rate:
        assert bandit.learning_rate == 0.3
    if entry.explores:
        assert bandit.epsilon == 0.1


@pytest.mark.parametrize("name", [name for name in CATALOGUE if not CATALOGUE[name].name.startswith("exact")])
def test_what_it_does_not_learn_from_changes_nothing(name: str) -> None:
    random = np.random.default_rng(3)
    X, y, costs = random.normal(size=(60, 4)), random.integers(3, size=60), random.random(60)
    items = random.normal(size=(60, 3, 2)) if CATALOGUE[name].described else None

    def choices(shift: int, cost: float) -> list[int]:
        bandit: Any = CATALOGUE[name].make(3, epsilon=0.3, learning_rate=0.5, horizon=30, seed=1, action=1)
        bandit.warm_start(X[:30], y=(y[:30] + shift) % 3, **({} if items is None else {"actions": items[:30]}))
        chosen = []
        for i in range(30, 60):
            who = {} if items is None else {"actions": items[i]}
            decision = bandit.decide(X[i], **who)
            bandit.learn(X[i], decision.action, abs(cost - costs[i]), decision.probability, **who)
            chosen.append(decision.action)
        return chosen

    if "labels" not in CATALOGUE[name].learns_from:
        assert choices(0, 0.0) == choices(1, 0.0)
    if "rounds" not in CATALOGUE[name].learns_from:
        assert choices(0, 0.0) == choices(0, 1.0)


def test_one_way_to_make_a_bandit() -> None:
    bandit: Any = make_bandit("arrow", 4, epsilon=0.2, lambdas=2, learning_rate=0.1, seed=9)
    same: Any = CATALOGUE["arrow-2"].make(4, epsilon=0.2, learning_rate=0.1, seed=9)
    assert bandit.get_params() == same.get_params()
    with pytest.raises(
        InputError, match=r"algorithm is 'arrow-2'; expected one of warm, shared, arrow, .*package.module:Class"
    ):
        make_bandit("arrow-2", 4)


def test_a_unit_costs_what_its_runs_cost() -> None:
    grid = Grid.of({"algorithms": ["arrow-8", "sup-only", "warm"], "learning_rates": [0.1, 1.0], "noises": ["cyc:1"]})
    unit = next(unit for unit in plan(grid, [DataFacts("a", 3000, 10, 3, 0.4, "x")]) if isinstance(unit, RunsUnit))
    arrow, warm = (replace(unit, algorithms=(name,)) for name in ("arrow-8", "warm"))
    both = replace(unit, algorithms=("arrow-8", "warm"))
    np.testing.assert_allclose(both.load.quantities, np.add(arrow.load.quantities, warm.load.quantities))
    names = list(LOAD.quantities())
    rounds, covariances = names.index("rounds"), names.index("covariances")
    assert arrow.load.quantities[rounds] == 2 * warm.load.quantities[rounds], "one run for each rate"
    assert arrow.load.quantities[covariances] == 0 < warm.load.quantities[covariances]
