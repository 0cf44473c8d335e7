"""Which forecasts are trusted in a world that may change: a NumPy twin, and streams that stand, jump and turn."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.least_squares import Doubles, error, make, play, predictions, same_bits, teach, terms, update
from warmcb import WarmBandit, simulate
from warmcb._core import RecursiveLeastSquares
from warmcb.errors import InputError
from warmcb.learners import RecursiveLeastSquares as Configured

HALF_LIVES = [1000.0, 250.0, 0.0]
SLOPES = np.array([[1.0, -1.0], [-1.0, 0.5], [0.5, 0.5]])


def stream(seed: int, n: int, signs: Any = 1.0, noise: float = 0.1) -> tuple[NDArray[np.float32], Doubles]:
    """Linear costs of two actions, whose slopes are multiplied with `signs`."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3)).astype(np.float32)
    slopes = 0.15 * np.reshape(signs, (-1, 1)) * (X @ SLOPES)
    return X, np.clip(0.5 + slopes + noise * random.normal(size=(n, 2)), 0, 1)


def jump(n: int, at: int) -> NDArray[np.int64]:
    return np.where(np.arange(n) < at, 1, -1)


class Twin:
    """What memories.hpp says, in NumPy; the forecasts come from the learner's weights."""

    def __init__(self, lanes: int, own: int, half_lives: list[float]) -> None:
        self.lanes, self.own, self.half_lives = lanes, own, half_lives
        count = len(half_lives)
        candidate = 0.2 if count == 1 else 0.02
        others = [(0.2 - candidate) / (count - 1)] * (count - 1) if count > 1 else []
        self.prior = np.array([0.8 / own] * own + others + [candidate])
        self.mixture = np.tile(self.prior, (lanes, 1))
        self.better = np.zeros((lanes + count, count))
        self.ages = np.zeros(lanes + count)
        self.errors: list[float] = []
        self.short = self.long = self.square = 0.0
        self.rounds = self.last_alarm = self.changes = self.alarms = 0

    def add(self, cost: float, forecasts: Doubles, importance: Doubles) -> None:
        """`forecasts`: lanes × experts."""
        self.rounds += 1
        mixed = float(min((cost - forecasts[-1] @ self.mixture[-1]) ** 2, 4))
        losses = self.losses(cost, forecasts)
        if self.alarms == 0 or self.ages[-1] >= 1000:
            losses[:, -1] = 4  # no candidate
        losses[:-1, self.own :][importance[:-1] == 0] = 4  # labels alone
        own = self.mixture[:, : self.own].sum(axis=1, keepdims=True)
        mixed_sizes = (self.mixture * forecasts)[:, : self.own].sum(axis=1, keepdims=True) / own
        sizes = self.shifted(self.mixture[:, : self.own] / own, losses[:, : self.own], 1.0)
        together = np.where(np.arange(losses.shape[1]) < self.own, self.losses(cost, mixed_sizes), losses)
        self.mixture = self.shifted(np.hstack([own * sizes, self.mixture[:, self.own :]]), together, 2.0)
        self.ages += np.append(importance > 0, [True] * len(self.half_lives))
        self.copy(losses, importance)
        if self.alarm(mixed):
            self.last_alarm, self.alarms = self.rounds, self.alarms + 1
            self.ages[-1], self.better[:, -1], self.mixture[:, -1] = 0, 0, self.prior[-1]
            self.mixture /= self.mixture.sum(axis=1, keepdims=True)

    @staticmethod
    def losses(cost: float, forecasts: Doubles) -> Doubles:
        return np.minimum((cost - np.clip(forecasts, -0.5, 1.5)) ** 2, 4)

    def shifted(self, mixture: Doubles, losses: Doubles, rate: float) -> Doubles:
        weights, prior = mixture * np.exp(-rate * losses), self.prior[: mixture.shape[1]]
        return np.asarray(0.997 * weights / weights.sum(axis=1, keepdims=True) + 0.003 * prior / prior.sum())

    def copy(self, losses: Doubles, importance: Doubles) -> None:
        of_memories = losses[-1, self.own :]
        for model in range(self.lanes - 1, len(self.better)):
            loss = losses[model, self.own - 1] if model < self.lanes else of_memories[model - self.lanes]
            for memory in range(max(model - self.lanes + 1, 0), len(self.half_lives)):
                sum_ = self.better[model, memory] + 2.0 * (loss - of_memories[memory])
                self.better[model, memory] = max(0.0, sum_)
                if self.better[model, memory] > math.log(self.rounds + 1) + 3:
                    copies = np.flatnonzero(importance) if model < self.lanes else np.array([model])
                    self.ages[copies] = math.floor(self.remembered(memory))
                    self.better[model] = 0
                    self.changes += model < self.lanes
                    break

    def alarm(self, error: float) -> bool:
        deviation = math.sqrt(max(self.square - self.long**2, 1e-12))
        self.short += max(1 / 25, 1 / self.rounds) * (error - self.short)
        raised = self.rounds > self.last_alarm + 50 and self.short > self.long + 3 * deviation / 7
        self.long += max(1 / 400, 1 / self.rounds) * (error - self.long)
        self.square += max(1 / 400, 1 / self.rounds) * (error**2 - self.square)
        return raised

    def remembered(self, memory: int) -> float:
        age, half_life = float(self.ages[self.lanes + memory]), self.half_lives[memory]
        return min(age, half_life / math.log(2)) if half_life else age

    def memory(self, lane: int) -> float:
        rounds = [self.ages[lane]] * self.own + [self.remembered(m) for m in range(len(self.half_lives))]
        return float(self.mixture[lane] @ rounds)


def forecasts(learner: RecursiveLeastSquares, x: Any, action: int) -> Doubles:
    """Of each lane's own models, and of the memories: lanes × experts."""
    phi, lanes = terms(learner, x)[0], learner.lanes
    of_models = [phi[: len(weights)] @ weights[:, action] for weights in learner.models]
    own = [of_lanes[:lanes] for of_lanes in of_models]
    return np.column_stack([*own, *(np.full(lanes, memory) for memory in of_models[-1][lanes:])])


@pytest.mark.parametrize("half_lives", [[1000.0, 250.0, 0.0], [60.0, 20.0, 0.0], [30.0]])
def test_agrees_with_its_twin(half_lives: list[float]) -> None:
    """A jump, and then slopes that turn; λ = 0 never learns from rounds."""
    n, lam = 1000, np.array([0.0, 0.75, 1.0])
    X, costs = stream(1, n, np.where(np.arange(n) < 700, jump(n, 400), np.cos(np.arange(n) / 60)), 0.05)
    learner, twin = make(3, 2, 3, memories=half_lives), Twin(3, 3, half_lives)
    teach(learner, X[:130], costs[:130], 1 - lam)  # the units stand
    played = np.random.default_rng(2).integers(2, size=n)
    for i in range(130, n):
        x, a = X[i], int(played[i])
        twin.add(costs[i, a], forecasts(learner, x, a), lam)
        update(learner, x, a, costs[i, a], lam)
        np.testing.assert_allclose(learner.mixture, twin.mixture, atol=1e-4)
        np.testing.assert_allclose(learner.mixture.sum(axis=1), 1, rtol=1e-12)
        np.testing.assert_array_equal(learner.state()["ages"], twin.ages)
        np.testing.assert_allclose(
            [learner.memory(lane) for lane in range(3)], [twin.memory(lane) for lane in range(3)], rtol=1e-3
        )
        assert learner.changes == twin.changes
    assert twin.changes > 0 and twin.alarms > 0 and twin.ages[0] == 0


def in_parts(learner: RecursiveLeastSquares, X: Any, costs: Doubles, size: int = 250) -> list[float]:
    """Plays all rounds; what it remembers after each part."""
    memories = []
    for begin in range(0, len(X), size):
        play(learner, X[begin : begin + size], costs[begin : begin + size], begin)
        memories.append(learner.memory(0))
    return memories


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("bends", [0, 8])
def test_a_constant_environment_is_remembered(seed: int, bends: int) -> None:
    learner = make(3, bends=bends, memories=HALF_LIVES)
    memories = in_parts(learner, *stream(seed, 4000))
    own = len(learner.models)
    assert learner.mixture[0, :own].sum() > 0.45 and learner.mixture[0, : own + 1].sum() > 0.6
    assert learner.changes == 0
    assert memories[-1] > 2000
    assert min(memories[i + 4] - memories[i] for i in range(12)) > 100  # it grows


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("bends", [0, 8])
def test_a_world_that_changed_is_learned_anew(seed: int, bends: int) -> None:
    n = 4000
    X, costs = stream(seed, n, jump(n, 2000))
    learner, stubborn = make(3, bends=bends, memories=HALF_LIVES), make(3, bends=bends)
    before = in_parts(learner, X[:2000], costs[:2000])
    assert (learner.changes, before[-1] > 1000) == (0, True)
    assert learner.mixture[0, -1] < 0.25
    weights = []
    for begin in range(2000, 2250, 10):
        play(learner, X[begin : begin + 10], costs[begin : begin + 10], begin)
        weights.append(learner.mixture[0, -1])
    assert max(weights) > 0.6  # of the candidate
    assert learner.changes >= 1
    assert learner.memory(0) < 300
    after = in_parts(learner, X[2250:], costs[2250:])
    assert after == sorted(after) and after[-1] > 1200
    in_parts(stubborn, X[:2500], costs[:2500])
    assert error(learner, X[-200:], costs[-200:]) < 0.12
    assert error(stubborn, X[-200:], costs[-200:]) > 0.2


def test_constant_change_leaves_short_memories() -> None:
    """Copies of a memory are as young as what that remembers."""
    n = 6000
    X, costs = stream(3, n, np.cos(np.arange(n) / 100), 0.05)
    learner = make(3, memories=[100.0, 30.0, 0.0])
    memories = in_parts(learner, X, costs, 500)
    assert learner.changes > 2
    assert max(memories) < 500
    ages = learner.state()["ages"]
    assert ages[1] > 5000 or ages[2] > 5000  # some memory is old, and rests on little nevertheless


def test_a_half_life_forgets() -> None:
    """Old examples count half after so many rounds: of a jump, half is forgotten then."""
    n, half_life = 3000, 100.0
    X, costs = stream(4, n, jump(n, 2000), 0.02)
    learner = make(3, bends=0, squares=False, half_life=half_life)
    memories = in_parts(learner, X[:2000], costs[:2000], 100)
    assert learner.mixture.tolist() == [[1.0]]
    np.testing.assert_allclose(memories[:1], 100)
    np.testing.assert_allclose(memories[1:], half_life / math.log(2))
    before = learner.models[-1][1:, :, 0]
    play(learner, X[2000:2100], costs[2000:2100], 2000)
    kept = float((learner.models[-1][1:, :, 0] * before).sum() / (before**2).sum())
    assert -0.3 < kept < 0.3  # half of the old slopes, half of their opposites
    play(learner, X[2100:2700], costs[2100:2700], 2100)
    assert error(learner, X[2700:], costs[2700:]) < 0.04
    assert learner.changes == 0


def test_without_a_half_life_nothing_is_forgotten() -> None:
    n = 3000
    X, costs = stream(5, n, jump(n, 1500))
    learner = make(3)
    memories = in_parts(learner, X, costs, 500)
    np.testing.assert_allclose(memories, np.arange(500, 3001, 500), rtol=1e-12)
    assert learner.changes == 0
    assert np.abs(learner.models[0][1:]).max() < 0.05  # both halves together say nothing


def test_labels_teach_no_memory() -> None:
    X, costs = stream(6, 300)
    learner = make(3, memories=HALF_LIVES)
    teach(learner, X, costs)
    assert learner.memory(0) == 0
    for weights in learner.models:
        np.testing.assert_array_equal(weights[1:, :, 1:], 0)
        np.testing.assert_array_equal(weights[0, :, 1:], 0.5)
        assert np.abs(weights[1:, :, 0]).max() > 0.05


@pytest.mark.parametrize("rate, share", [(1e6, 0.003), (1e6, 0.0), (2.0, 0.0), (2.0, 1.0)])
def test_mixtures_of_any_rate(rate: float, share: float) -> None:
    X, costs = stream(7, 400, jump(400, 200))
    learner = make(3, memories=HALF_LIVES, rate=rate, share=share)
    for i in range(400):
        update(learner, X[i], i % 2, costs[i, i % 2])
        np.testing.assert_allclose(learner.mixture.sum(axis=1), 1, rtol=1e-9)
        assert (learner.mixture >= 0).all()


def test_a_lane_that_learns_nothing_never_becomes_a_copy() -> None:
    n = 1200
    X, costs = stream(8, n, jump(n, 600))
    learner = make(3, lanes=2, memories=HALF_LIVES)
    teach(learner, X[:200], costs[:200], [1.0, 0.5])
    before = learner.models
    for i in range(200, n):
        update(learner, X[i], i % 2, costs[i, i % 2], [0.0, 0.5])
    assert learner.changes == 1
    for weights, then in zip(learner.models, before, strict=True):
        np.testing.assert_array_equal(weights[:, :, 0], then[:, :, 0])
    # What it says is what labels taught, right or wrong: it trusts no memory. The other lane does.
    assert learner.mixture[0, len(before) :].sum() < 1e-3
    errors = np.abs(predictions(learner, X[-100:]) - costs[-100:, :, None]).mean(axis=(0, 1))
    assert errors[1] < 0.1 and errors[0] > 0.2


def test_memories_as_a_user_sees_them() -> None:
    n = 3000
    X, costs = stream(9, n, jump(n, 1500))
    finds_out = simulate(WarmBandit(2, seed=1), X, costs=costs, shuffle=False)
    never = simulate(WarmBandit(2, half_life=math.inf, seed=1), X, costs=costs, shuffle=False)
    told = simulate(WarmBandit(2, half_life=100.0, seed=1), X, costs=costs, shuffle=False)
    cost = {
        name: run.trace.costs[-1000:].mean()
        for name, run in (("finds out", finds_out), ("never", never), ("told", told))
    }
    assert max(cost["finds out"], cost["told"]) < cost["never"] - 0.05
    np.testing.assert_allclose(told.bandit.memory_, 100 / math.log(2))
    np.testing.assert_allclose(never.bandit.memory_, n, rtol=1e-12)
    assert 500 < finds_out.bandit.memory_ < 1500
    assert finds_out.bandit._learner.changes >= 1


def test_the_same_memories_are_the_same() -> None:
    """Configured by name, and by hand."""
    X, costs = stream(10, 300)
    by_name = Configured(most_bends=8, ridge=10.0, bend_ridge=2 * 192 / 8).start(3, 2, 1)
    by_hand = make(3, memories=HALF_LIVES)
    for learner in (by_name, by_hand):
        play(learner, X, costs)
    assert same_bits(by_name, by_hand)


@pytest.mark.parametrize(
    "bad",
    [
        {"half_life": 0.0},
        {"half_life": math.nan},
        {"memories": (10.0, 20.0)},
        {"rate": -1.0},
        {"size_rate": 101.0},
        {"share": 2.0},
    ],
)
def test_bad_memories_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Configured(**bad)
