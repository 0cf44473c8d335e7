"""Explorers: the distributions they promise, for whatever the lanes say."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from warmcb import contracts
from warmcb._core import EpsilonGreedy
from warmcb.explorers import EXPLORERS, InverseGap

FLOOR = 0.02


class Opinions(NamedTuple):
    """What lanes say of actions, whom to listen to, and when."""

    scores: NDArray[np.float32]
    eligible: NDArray[np.uint8]
    in_charge: int
    round: int

    @property
    def greedy(self) -> NDArray[np.int32]:
        return np.asarray(self.scores.argmin(axis=0), dtype=np.int32)

    @property
    def is_lowest(self) -> NDArray[np.bool_]:
        """Which actions the lane in charge likes best."""
        column = self.scores[:, self.in_charge]
        lowest: NDArray[np.bool_] = column == column.min()
        return lowest

    def of(self, epsilon: float) -> contracts.Opinions:
        return contracts.Opinions(self.scores, self.greedy, self.eligible, self.in_charge, epsilon, self.round)

    def played_by(self, explorer: "Exploring") -> NDArray[np.float64]:
        return np.asarray(explorer.started.distribution(self.of(explorer.epsilon)))


class Exploring(NamedTuple):
    """An explorer and its ε."""

    started: Any
    epsilon: float

    def largest_weight(self, actions: int, round_: int, of_eligible: bool) -> float:
        return float(self.started.largest_weight(actions, self.epsilon, round_, of_eligible))


def inverse_gap(epsilon: float) -> Exploring:
    return Exploring(InverseGap().start(), epsilon)


def epsilon_greedy(epsilon: float) -> Exploring:
    return Exploring(EpsilonGreedy(), epsilon)


def opinions_of(*lanes: list[float], in_charge: int = 0, round_: int = 0) -> Opinions:
    scores = np.ascontiguousarray(np.array(lanes, dtype=np.float32).T)
    return Opinions(scores, np.ones(len(lanes), dtype=np.uint8), in_charge, round_)


finite = st.floats(width=32, allow_nan=False, allow_infinity=False)
sane = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]) | st.floats(0, 1, width=32)


@st.composite
def any_opinions(draw: st.DrawFn) -> Opinions:
    actions, lanes = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    score = draw(st.sampled_from([sane, finite]))
    scores = draw(st.lists(st.lists(score, min_size=lanes, max_size=lanes), min_size=actions, max_size=actions))
    in_charge = draw(st.integers(0, lanes - 1))
    eligible = np.array(draw(st.lists(st.integers(0, 1), min_size=lanes, max_size=lanes)), dtype=np.uint8)
    eligible[in_charge] = 1
    rounds = st.sampled_from([0, 99, 100, 10**6, 2**63]) | st.integers(0, 10**5)
    return Opinions(np.array(scores, dtype=np.float32), eligible, in_charge, draw(rounds))


epsilons = st.sampled_from([0.0, 0.05, 1.0]) | st.floats(0, 1)


@pytest.mark.parametrize("name", EXPLORERS)
@given(epsilons, any_opinions(), st.data())
def test_every_explorer_keeps_its_contract(name: str, epsilon: float, opinions: Opinions, data: st.DataObject) -> None:
    explorer = Exploring(EXPLORERS[name].start(), epsilon)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(opinions.scores), max_size=len(opinions.scores))))
    allowed[data.draw(st.integers(0, len(allowed) - 1))] = True
    opinions.scores[~allowed] = np.inf
    probabilities = opinions.played_by(explorer)
    assert (probabilities >= 0).all() and abs(probabilities.sum() - 1) < 1e-9
    assert not probabilities[~allowed].any()
    wanted = probabilities[opinions.greedy[opinions.eligible == 1]]
    for of_eligible, played in ((True, wanted), (False, probabilities[allowed])):
        largest = explorer.largest_weight(int(allowed.sum()), opinions.round, of_eligible)
        assert largest >= 1
        smallest = max(float(played.min()), 1e-9)
        said = f"largest_weight({int(allowed.sum())}, {epsilon}, {opinions.round}, {of_eligible})"
        assert 1 / largest <= smallest * (1 + 1e-9), f"{said} is {largest}; expected at least {1 / smallest}"


def share(epsilon: float, opinions: Opinions) -> float:
    return epsilon * min(1.0, math.cbrt(100 / (opinions.round + 1))) / len(opinions.scores)


@given(epsilons, any_opinions())
def test_inverse_gap_is_a_distribution_within_its_limits(epsilon: float, opinions: Opinions) -> None:
    probabilities = opinions.played_by(inverse_gap(epsilon))
    full = share(epsilon, opinions)
    lowest = opinions.is_lowest
    assert abs(probabilities.sum() - 1) < 1e-12
    assert probabilities.min() >= FLOOR * full * (1 - 1e-9)
    assert (probabilities[~lowest] <= full * (1 + 1e-9)).all()
    assert probabilities[lowest].min() == probabilities[lowest].max()  # equals share
    assert probabilities[lowest].min() >= probabilities.max() * (1 - 1e-9)


@given(epsilons, any_opinions())
def test_what_a_lane_would_play_has_its_share(epsilon: float, opinions: Opinions) -> None:
    explorer = inverse_gap(epsilon)
    probabilities = opinions.played_by(explorer)
    wanted = probabilities[opinions.greedy[opinions.eligible == 1]]
    assert (wanted >= share(epsilon, opinions) * (1 - 1e-9)).all()
    largest = explorer.largest_weight(len(probabilities), opinions.round, True)
    assert np.isfinite(largest)
    if share(epsilon, opinions) > 1e-9:
        assert (1 / wanted <= largest * (1 + 1e-9)).all()


@pytest.mark.slow
@given(epsilons, any_opinions())
def test_a_larger_gap_is_never_more_probable(epsilon: float, opinions: Opinions) -> None:
    alone = Opinions(opinions.scores[:, :1].copy(), np.ones(1, dtype=np.uint8), 0, opinions.round)
    probabilities = alone.played_by(inverse_gap(epsilon))
    ascending = probabilities[np.argsort(alone.scores[:, 0], kind="stable")]
    assert (np.diff(ascending) <= 1e-12).all()


@given(epsilons, any_opinions(), st.integers(0, 2**32))
def test_lanes_that_are_out_have_no_say(epsilon: float, opinions: Opinions, seed: int) -> None:
    explorer = inverse_gap(epsilon)
    out, others = opinions.eligible == 0, opinions.scores.copy()
    others[:, out] = np.random.default_rng(seed).normal(size=(len(others), out.sum()))
    np.testing.assert_array_equal(opinions._replace(scores=others).played_by(explorer), opinions.played_by(explorer))


def test_a_lane_that_is_out_had_a_say_before() -> None:
    opinions = opinions_of([0.0, 1.0], [1.0, 0.0])
    only_one = opinions._replace(eligible=np.array([1, 0], dtype=np.uint8))
    explorer = inverse_gap(0.2)
    np.testing.assert_allclose(opinions.played_by(explorer), [0.9, 0.1])
    np.testing.assert_allclose(only_one.played_by(explorer), [1 - 0.1 / 11, 0.1 / 11])


def test_inverse_gap_by_hand() -> None:
    explorer = inverse_gap(0.3)  # of three actions: 0.1 for each
    opinions = opinions_of([0.5, 0.2, 0.25])
    # 1 + 10·√1·0.3 = 4, and 1 + 10·0.05 = 1.5
    np.testing.assert_allclose(opinions.played_by(explorer), [0.025, 1 - 0.025 - 0.1 / 1.5, 0.1 / 1.5], rtol=1e-6)
    # 1 + 10·√4·0.3 = 7, and 1 + 10·2·0.05 = 2
    later = opinions._replace(round=3).played_by(explorer)
    np.testing.assert_allclose(later, [0.1 / 7, 0.95 - 0.1 / 7, 0.05], rtol=1e-6)
    # the second lane puts action 2 first, so that it has its share; ties of the lane in charge share the rest
    two = opinions_of([0.5, 0.2, 0.25], [0.9, 0.9, 0.8]).played_by(explorer)
    np.testing.assert_allclose(two, [0.05, 0.85, 0.1], rtol=1e-6)  # it puts action 0 within 0.1 of its best
    tied = opinions_of([0.5, 0.2, 0.2]).played_by(explorer)
    np.testing.assert_allclose(tied, [0.025, 0.4875, 0.4875], rtol=1e-6)


def test_exploration_falls_with_the_round() -> None:
    explorer = inverse_gap(0.3)
    rounds = [0, 10, 99, 100, 1000, 10**6]
    of_worst = [opinions_of([0.0, 0.9, 0.0], round_=round_).played_by(explorer)[1] for round_ in rounds]
    assert of_worst == sorted(of_worst, reverse=True)
    np.testing.assert_allclose(of_worst[-1], FLOOR * 0.1 * (100 / (10**6 + 1)) ** (1 / 3))
    # what another lane wants is explored in full for the first hundred rounds, then like t^(−1/3)
    wanted = [opinions_of([0.0, 0.9, 0.5], [0.5, 0.0, 0.5], round_=t).played_by(explorer)[1] for t in (0, 99, 799)]
    np.testing.assert_allclose(wanted, [0.1, 0.1, 0.05])


@pytest.mark.parametrize("kind", [inverse_gap, epsilon_greedy])
def test_no_exploration_and_nothing_but_exploration(kind: Callable[[float], Exploring]) -> None:
    opinions = opinions_of([0.3, 0.2, 0.9], [0.9, 0.8, 0.1])
    assert opinions.played_by(kind(0.0)).tolist() == [0.0, 1.0, 0.0]
    assert np.isfinite(kind(0.0).largest_weight(3, 0, True))
    np.testing.assert_allclose(opinions_of([0.1, 0.1, 0.1]).played_by(kind(1.0)), 1 / 3)
    assert opinions.played_by(kind(1.0))[2] == pytest.approx(1 / 3)  # a lane wants it


@given(epsilons, any_opinions())
def test_epsilon_greedy_listens_to_the_lane_in_charge(epsilon: float, opinions: Opinions) -> None:
    explorer = epsilon_greedy(epsilon)
    alone = Opinions(opinions.scores[:, [opinions.in_charge]].copy(), np.ones(1, dtype=np.uint8), 0, opinions.round)
    expected = alone.played_by(explorer)
    np.testing.assert_array_equal(opinions.played_by(explorer), expected)
    if epsilon > 1e-9:
        assert 1 / expected.min() <= explorer.largest_weight(len(expected), opinions.round, False) * (1 + 1e-9)


@pytest.mark.parametrize("kind", [inverse_gap, epsilon_greedy])
def test_what_would_read_foreign_memory_is_refused(kind: Callable[[float], Exploring]) -> None:
    explorer, scores, both = kind(0.1).started, np.zeros((3, 2), dtype=np.float32), np.ones(2, dtype=np.uint8)
    greedy = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="scores of another shape"):
        explorer.distribution(contracts.Opinions(scores, greedy, both, 2, 0.1, 0))
    with pytest.raises(ValueError, match="one greedy action for each lane"):
        explorer.distribution(contracts.Opinions(scores, greedy[:1], both, 0, 0.1, 0))
    with pytest.raises(ValueError, match="scores of another shape"):
        explorer.distribution(contracts.Opinions(scores, greedy, both[:1], 0, 0.1, 0))
    for action in (-1, 3):
        with pytest.raises(ValueError, match="action out of range"):
            explorer.distribution(contracts.Opinions(scores, greedy + action, both, 0, 0.1, 0))
