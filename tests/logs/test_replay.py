"""What `replay` says about bandits that learn on a log."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.logged_worlds import DRINKS, drinks, numbered, rewards_of
from warmcb import ArrowCB, Majority, SharedBandit, WarmBandit, simulate
from warmcb.errors import DataError, InputError
from warmcb.logs import append_parquet, replay, write_dsjson


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("log")
    append_parquet(folder, numbered(2500, epsilon=1.0))
    return folder


def alive(rounds: int) -> float:
    """What a WarmBandit earns in this world when it is really there: the mean of several runs."""
    random = np.random.default_rng(5)
    means = []
    for seed in range(5):
        X = random.normal(size=(rounds, 2))
        rewards = np.array([rewards_of(x) for x in X])
        drawn = (random.random(rewards.shape) < rewards).astype(float)
        means.append(-simulate(WarmBandit(n_actions=3, seed=seed), X, costs=-drawn, shuffle=False).average_cost)
    return float(np.mean(means))


@pytest.mark.slow
def test_rejection_gives_what_a_bandit_would_have_earned_alive(log: Path) -> None:
    curve = replay(log, {"warm": WarmBandit(n_actions=3)}, method="rejection").curves["warm"]
    # The log explores uniformly, so that a third of its decisions can be used.
    assert 700 < curve.learned < 950
    assert curve.rounds[-1] <= curve.learned + 50
    assert abs(curve.value[-1] - alive(curve.learned)) < 0.04
    assert (curve.low < curve.value).all()
    assert (curve.value < curve.high).all()


def test_weights_use_every_decision(log: Path) -> None:
    found = replay(log, {"warm": WarmBandit(n_actions=3), "majority": Majority(n_actions=3)}, reward_range=(0.0, 1.0))
    warm, majority = found.curves["warm"], found.curves["majority"]
    assert warm.learned == found.decisions == 2500
    assert warm.value[-1] > alive(800) - 0.03
    assert warm.low[-1] < warm.value[-1] < warm.high[-1]
    assert majority.compared is not None
    assert majority.compared.interval.high < 0
    assert majority.compared.value == pytest.approx(majority.value[-1] - warm.value[-1])


def test_a_replay_leaves_the_bandit_fresh(log: Path) -> None:
    bandit = WarmBandit(n_actions=3)
    first = replay(log, {"warm": bandit}, model="none").curves["warm"]
    again = replay(log, {"warm": bandit}, model="none").curves["warm"]
    assert bandit.n_features_ is None
    assert np.array_equal(first.value, again.value)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["weights", "rejection"])
def test_described_and_named_actions(method: str, tmp_path: Path) -> None:
    write_dsjson(tmp_path / "log.dsjson", drinks(900))
    bandits: dict[str, Any] = {"shared": SharedBandit(), "warm": WarmBandit(actions=DRINKS)}
    found = replay(tmp_path / "log.dsjson", bandits, method=method, runs=2)
    assert all(curve.value[-1] > 0.65 for curve in found.curves.values())


def test_a_log_that_explored_little_leaves_little(tmp_path: Path) -> None:
    append_parquet(tmp_path, numbered(500, epsilon=0.02))
    found = replay(tmp_path, {"warm": WarmBandit(n_actions=3)}, method="rejection", runs=1)
    assert any("were accepted, which is too few" in warning for warning in found.curves["warm"].warnings)


@pytest.mark.parametrize(
    ("bandits", "arguments", "message"),
    [
        ({}, {}, "bandits is empty"),
        ({"a": 7}, {}, "the bandit 'a' is 7; expected one of warmcb that has seen no data"),
        ({"a": WarmBandit(3).warm_start(np.eye(2), [0, 1])}, {}, "expected one of warmcb that has seen no data"),
        ({"a": WarmBandit(3)}, {"method": "magic"}, "method is 'magic'"),
        ({"a": WarmBandit(3)}, {"method": "rejection", "runs": 0}, "runs is 0"),
        ({"a": WarmBandit(3)}, {"points": 0}, "looks is 0|points is 0"),
        ({"a": ArrowCB(3)}, {}, r"reward_range is None; expected .*--reward-range\), as ArrowCB needs"),
        ({"a": WarmBandit(4)}, {}, "the log has 3 actions; expected 4"),
    ],
)
def test_bad_input(log: Path, bandits: dict[str, Any], arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, DataError), match=message):
        replay(log, bandits, **{"model": "none", **arguments})
