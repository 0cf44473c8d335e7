"""The contest of the lanes: each rule by hand, and intervals that hold at all times."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from warmcb._core import Contest
from warmcb.contracts import Outcome
from warmcb.selectors import RULES

Doubles = NDArray[np.float64]

# Of three actions, what each of three lanes expects.
SCORES = np.array([[0.1, 0.5, 0.9], [0.6, 0.2, 0.4], [0.7, 0.8, 0.6]], dtype=np.float32)
GREEDY = SCORES.argmin(axis=0).astype(np.int32)
ROUNDS = [(0, 0.8, 0.5), (1, 0.25, 0.25)]  # action, cost, probability

BY_HAND: dict[str, tuple[list[float], list[float]]] = {
    # (0.8 − ½)/0.5, then (0.25 − ½)/0.25
    "baseline": ([0.6, 0, 0], [0.6, -1, -1]),
    # the average before the second round is (½ + 0.8)/2
    "running-baseline": ([0.6, 0, 0], [0.6, -1.6, -1.6]),
    "self-normalised": ([1.6, 0, 0], [1.6, 1, 1]),
    # lane 2 expects 0.9 of action 0, and 0.4 of action 1
    "doubly-robust": ([0.9 - 0.1 / 0.5, 0.4, 0.4], [0.7 + 0.9, 0.4 + 0.4 - 0.15 / 0.25, 0.4 + 0.4 - 0.15 / 0.25]),
    # lane 0 is in charge at first, then lane 1, which expects 0.5 and 0.2
    "doubly-robust-in-charge": ([0.1 + 0.7 / 0.5, 0.6, 0.6], [1.5 + 0.5, 0.6 + 0.2 + 0.05 / 0.25, 1.0]),
    "forecast": (
        [0.8 + 3 * 0.7**2, 0.4 + 3 * 0.3**2, 0.4 + 3 * 0.1**2],
        [2.27 + 0.9 + 3 * 0.35**2, 0.67 + 0.25 + 3 * 0.05**2, 0.43 + 0.25 + 3 * 0.15**2],
    ),
}


def play(contest: Contest, rounds: list[tuple[int, float, float]], scores: NDArray[np.float32] = SCORES) -> Contest:
    for action, cost, probability in rounds:
        contest.add(Outcome(scores, scores.argmin(axis=0).astype(np.int32), action, cost, probability, 10.0, 10.0))
    return contest


def test_every_rule_is_known() -> None:
    assert BY_HAND.keys() == set(RULES)
    with pytest.raises(ValueError, match="no rule is called cost/p"):
        Contest(3, "cost/p")


@pytest.mark.parametrize("rule", RULES)
def test_rules_by_hand(rule: str) -> None:
    contest = Contest(3, rule)
    assert (contest.best, contest.rounds, contest.eligible.tolist()) == (0, 0, [1, 1, 1])
    first, both = BY_HAND[rule]
    play(contest, ROUNDS[:1])
    np.testing.assert_allclose(contest.sums, first, atol=1e-6)
    play(contest, ROUNDS[1:])
    np.testing.assert_allclose(contest.sums, both, atol=1e-6)
    assert contest.rounds == 2
    if rule == "self-normalised":
        np.testing.assert_allclose(contest.scores, [2.1 / 3, 1.5 / 5, 1.5 / 5])  # in units of Σ 1/p, from a first ½
    else:
        np.testing.assert_allclose(contest.scores, contest.sums / 2)
    assert contest.best == (2 if rule == "forecast" else 1)  # the first among equals


def test_expectations_are_within_the_costs() -> None:
    """A score of −3 stands for 0, and one of 7 for 1."""
    scores = np.array([[-3.0, 7.0], [7.0, -3.0]], dtype=np.float32)
    robust = play(Contest(2, "doubly-robust"), [(0, 0.5, 0.5)], scores)
    np.testing.assert_allclose(robust.sums, [1 + (0.5 - 1) / 0.5, 0])
    forecast = play(Contest(2, "forecast"), [(0, 0.5, 0.5)], scores)
    np.testing.assert_allclose(forecast.sums, [0.5 + 3 * 0.25, 0 + 3 * 0.25])


def test_all_lanes_judge_late_rounds() -> None:
    """Lane 0 was played. Lanes 1 and 2 prefer action 1, of which the lanes expect 0.6, 0.2 and 0.4."""
    outcome = Outcome(SCORES, GREEDY, 0, 0.8, 0.5, 10.0, 10.0)
    prompt, mean = BY_HAND["forecast"][0], (0.6 + 0.2 + 0.4) / 3
    late = [0.8 + 3 * 0.7**2, mean + 3 * 0.3**2, mean + 3 * 0.1**2]
    cases = [(0, 0, prompt), (0, 1, late), (10, 5, prompt), (10, 6, late), (99, 16, prompt), (99, 17, late)]
    for learned, age, expected in cases:
        contest = Contest(3, "forecast")
        for _ in range(learned):
            contest.add(outcome)
        before = contest.sums.copy()
        contest.add(outcome._replace(age=age))
        np.testing.assert_allclose(np.subtract(contest.sums, before), expected, atol=1e-5)
    without_labels = Contest(3, "forecast")
    without_labels.admit(2)  # the other lanes have learned nothing, and are not asked
    without_labels.add(outcome._replace(age=17))
    np.testing.assert_allclose(without_labels.sums, prompt)


@pytest.mark.parametrize("other", [0.0, 1.0])
def test_equal_costs_are_charged_when_another_one_tells_whether_they_were_low(other: float) -> None:
    """Lane 0 expects 0.1, lane 1 0.5 and lane 2 0.9 of the action that is played; lane 2 expects 0.4 of the others'."""
    contest, outcome = Contest(3, "forecast"), Outcome(SCORES, GREEDY, 0, 0.5, 0.5, 10.0, 10.0, varied=False)
    in_charge = []
    for _ in range(8):
        contest.add(outcome)
        in_charge.append(contest.best)
    assert in_charge == [0, 0, 2, 0, 2, 0, 2, 0] and not any(contest.sums)
    contest.add(Outcome(SCORES, GREEDY, 0, other, 0.5, 10.0, 10.0))

    def charges(cost: float) -> Doubles:
        return np.array([cost, 0.4, 0.4]) + 3 * (cost - np.array([0.1, 0.5, 0.9])) ** 2

    np.testing.assert_allclose(contest.sums, 8 * charges(1 - other) + charges(other), atol=1e-5)


@pytest.mark.parametrize("rule", RULES)
def test_lanes_before_the_first_do_not_play(rule: str) -> None:
    contest = Contest(3, rule)
    contest.admit(1)
    assert (contest.best, contest.eligible.tolist()) == (1, [0, 1, 1])
    play(contest, [(0, 0.0, 1.0), (1, 1.0, 1.0), (1, 1.0, 1.0)])  # lane 0 would be the best by far
    assert contest.best > 0
    contest.admit(0)
    assert (contest.best, contest.eligible.tolist()) == (0, [1, 1, 1])
    with pytest.raises(ValueError, match="lane out of range"):
        contest.admit(3)


def test_a_lane_far_behind_is_not_worth_exploring() -> None:
    """The forecasts of lane 0 are off by 1, those of the last by 0; ten charges behind is far."""
    contest = Contest(2, "forecast")
    scores = np.array([[0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    greedy = np.array([0, 1], dtype=np.int32)
    for _ in range(2):  # 1 + 3·1² a round against 0
        contest.add(Outcome(scores, greedy, 0, 1.0, 0.5, 2.0, 2.0))
        assert contest.eligible.tolist() == [1, 1]
    contest.add(Outcome(scores, greedy, 0, 1.0, 0.5, 2.0, 2.0))
    assert (contest.sums.tolist(), contest.eligible.tolist()) == ([12, 0], [0, 1])
    assert contest.dropped.tolist() == [0, 0]


def test_lanes_that_learn_late_start_on_equal_terms() -> None:
    contest = Contest(2, "forecast")
    contest.admit(1)
    play(contest, [(0, 1.0, 0.5)] * 50, np.array([[0.0, 1.0], [1.0, 0.0]], dtype=np.float32))
    contest.admit(0)
    assert (contest.sums.tolist(), contest.rounds, contest.best) == ([0, 0], 0, 0)
    assert contest.intervals.tolist() == [[-1, 1], [0, 0]]


def test_a_round_of_the_evidence_by_hand() -> None:
    """Lane 0 would play action 0, the last lane action 1; the last expects ½ of both."""
    contest = Contest(2, "forecast")
    scores = np.array([[0.1, 0.5], [0.9, 0.5]], dtype=np.float32)
    assert contest.intervals.tolist() == [[-1, 1], [0, 0]]
    contest.add(Outcome(scores, np.array([0, 1], dtype=np.int32), 0, 1.0, 0.5, 3.0, 3.0))
    # x = (½ + (1 − ½)/0.5) − ½ = 1, which a weight of at most 3 keeps within 4; the bet is at most ½ of 1/4
    state = contest.state()
    psi = -math.log(1 - 0.5) - 0.5
    assert (state["bets"][0], state["winnings"][0], state["squares"][0]) == (0.125, 0.125, 1.0)
    np.testing.assert_allclose(state["penalties"][0], psi / 16)
    contest.add(Outcome(scores, np.array([0, 1], dtype=np.int32), 1, 1.0, 0.01, 3.0, 3.0))
    # now x = ½ − (½ + ½·3): 1/p is cut at 3, the largest that an action has that a lane wants
    state = contest.state()
    assert (state["bets"][0], state["winnings"][0], state["squares"][0]) == (0.25, 0.125 - 1.5 / 8, 1 + 1.5**2)
    contest.add(
        Outcome(scores, np.array([1, 1], dtype=np.int32), 1, 1.0, 0.5, 3.0, 3.0)
    )  # agreed: x = 0, and the bet counts
    state = contest.state()
    assert (state["bets"][0], state["winnings"][0], state["squares"][0]) == (0.375, 0.125 - 1.5 / 8, 1 + 1.5**2)
    np.testing.assert_allclose(state["penalties"][0], psi * (1 + 1.5**2) / 16)


def intervals_of(state: dict[str, NDArray[Any]]) -> Doubles:
    """From the sums of bets, winnings and penalties; 5 % of error over all lanes and both sides, half at first."""
    others = len(state["bets"]) - 1
    width = (math.log(2 * others / 0.025) + state["penalties"][:-1]) / state["bets"][:-1]
    middle = state["winnings"][:-1] / state["bets"][:-1]
    both = np.clip(np.stack([middle - width, middle + width], axis=1), -1, 1)
    return np.vstack([both, [[0.0, 0.0]]])


class Logs:
    """A log in which actions 0 … K−1 cost 1 with known probabilities, drawn in turns at random and unevenly.

    Lane i would always play the action i.
    """

    def __init__(self, means: list[float], seed: int = 0) -> None:
        self.means, self.random = np.array(means), np.random.default_rng(seed)
        k = len(means)
        self.smallest = 0.2 / k
        uneven = np.full(k, self.smallest)
        uneven[0] += 0.8
        self.policies = np.array([np.full(k, 1 / k), uneven, uneven[::-1]])
        self.greedy = np.arange(k, dtype=np.int32)

    def teach(self, contest: Contest, rounds: int) -> Doubles:
        """The intervals after each round: rounds × lanes × 2."""
        k, random = len(self.means), self.random
        policy = random.integers(len(self.policies), size=rounds)
        actions = (self.policies[policy].cumsum(axis=1) < random.random((rounds, 1))).sum(axis=1)
        actions = np.minimum(actions, k - 1)
        probabilities = self.policies[policy, actions]
        costs = (random.random(rounds) < self.means[actions]).astype(float)
        scores = random.random((rounds, k, k)).astype(np.float32)  # models that know nothing
        found = np.empty((rounds, k, 2))
        for t in range(rounds):
            action, cost, probability = int(actions[t]), float(costs[t]), float(probabilities[t])
            contest.add(
                Outcome(scores[t], self.greedy, action, cost, probability, 1 / self.smallest, 1 / self.smallest)
            )
            found[t] = contest.intervals
        return found


@pytest.mark.slow
@pytest.mark.parametrize("means", [[0.5, 0.6], [0.4, 0.4], [0.9, 0.2]], ids=["better", "equal", "worse"])
def test_intervals_hold_at_all_times(means: list[float]) -> None:
    runs, rounds = 200, 2000
    truth, held, widths = means[0] - means[1], 0, []
    for seed in range(runs):
        intervals = Logs(means, seed).teach(Contest(2, "forecast"), rounds)[:, 0]
        held += bool((intervals[:, 0] <= truth).all() and (truth <= intervals[:, 1]).all())
        widths.append(intervals[-1, 1] - intervals[-1, 0])
    assert held >= 0.95 * runs
    assert max(widths) < 0.9  # not by saying nothing


def test_several_lanes_hold_together() -> None:
    means = [0.3, 0.5, 0.55, 0.5]
    truth = np.array(means) - means[-1]
    held = 0
    for seed in range(40):
        intervals = Logs(means, seed).teach(Contest(4, "baseline"), 1000)
        held += bool((intervals[:, :, 0] <= truth).all() and (truth <= intervals[:, :, 1]).all())
    assert held >= 38


def test_intervals_shrink() -> None:
    intervals = Logs([0.5, 0.5]).teach(Contest(2, "forecast"), 16_000)[:, 0]
    widths = (intervals[:, 1] - intervals[:, 0])[[0, 999, 3999, 15_999]]
    assert widths[0] == 2
    assert (widths[1:] < 0.7 * widths[:-1]).all()


def test_lanes_of_one_opinion_are_equal() -> None:
    contest = Contest(3, "forecast")
    same = np.ones(3, dtype=np.int32)
    for t in range(500):
        contest.add(Outcome(SCORES, same, t % 3, float(t % 2), 1 / 3, 3.0, 3.0))
    lower, upper = contest.intervals.T
    np.testing.assert_array_equal(lower, -upper)
    assert 0 < upper[0] == upper[1] < 0.2
    assert not contest.dropped.any()


@pytest.mark.parametrize("rule", RULES)
def test_a_lane_that_is_surely_worse_is_out_for_good(rule: str) -> None:
    contest, logs = Contest(3, rule), Logs([0.95, 0.3, 0.3])
    logs.teach(contest, 2500)
    assert contest.dropped.tolist() == [1, 0, 0]
    assert contest.intervals[0, 0] > 0
    logs.means = np.array([0.0, 1.0, 1.0])
    logs.teach(contest, 6000)
    assert contest.intervals[0, 1] < 0  # it would be the best of all by now
    assert contest.dropped.tolist() == [1, 0, 0]
    assert not contest.eligible[0]
    assert contest.best > 0


@pytest.mark.parametrize("rule", RULES)
def test_the_last_lane_stays(rule: str) -> None:
    contest = Contest(3, rule)
    Logs([0.2, 0.2, 1.0]).teach(contest, 2500)
    assert not contest.dropped.any()
    assert contest.eligible[2]
    assert contest.intervals[2].tolist() == [0, 0]
    assert (contest.intervals[:2, 1] < 0).all()


@settings(max_examples=60)
@given(st.sampled_from(RULES), st.integers(1, 5), st.integers(2, 4), st.integers(0, 2**32))
def test_eliminations_are_final_and_never_complete(rule: str, lanes: int, k: int, seed: int) -> None:
    """Whatever the costs do: here they turn round every now and then."""
    random = np.random.default_rng(seed)
    contest = Contest(lanes, rule)
    dropped = contest.dropped
    for _ in range(6):
        greedy, costs = random.integers(k, size=lanes).astype(np.int32), random.integers(2, size=k).astype(float)
        scores = random.uniform(-1, 2, size=(k, lanes)).astype(np.float32)
        for action in random.integers(k, size=50).tolist():
            contest.add(Outcome(scores, greedy, action, costs[action], 1 / k, float(k), float(k)))
            now = contest.dropped
            assert not now[-1]
            assert (now >= dropped).all()
            assert contest.eligible[contest.best]
            assert not (contest.eligible & now).any()
            assert contest.scores[contest.best] == contest.scores[now == 0].min()
            dropped = now
    intervals = contest.intervals
    assert (intervals >= -1).all() and (intervals <= 1).all()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("probability", [1e-12, 1e-300, 5e-324])
def test_next_to_nothing_as_a_probability_leaves_everything_finite(rule: str, probability: float) -> None:
    contest = Contest(3, rule)
    for t in range(50):
        contest.add(Outcome(SCORES, GREEDY, t % 3, float(t % 2), probability, 1e9, 1e9))
    assert all(np.isfinite(array).all() for array in contest.state().values())
    assert np.isfinite(contest.scores).all() and np.isfinite(contest.intervals).all()
    assert contest.eligible[contest.best]


ADDITIVE = [rule for rule in RULES if rule not in ("running-baseline", "doubly-robust-in-charge")]


@pytest.mark.parametrize("rule", ADDITIVE)
def test_merged_is_as_if_seen_by_one(rule: str) -> None:
    """Charges add up where no charge depends on the rounds before."""
    first, second = ROUNDS * 7, [(2, 0.4, 0.1), (1, 0.9, 0.5)] * 5
    merged = play(Contest(3, rule), first)
    merged.merge(play(Contest(3, rule), second))
    one = play(Contest(3, rule), first + second)
    np.testing.assert_allclose(merged.sums, one.sums)
    np.testing.assert_allclose(merged.scores, one.scores)
    assert (merged.rounds, merged.best) == (one.rounds, one.best)
    np.testing.assert_allclose(merged.state()["total_cost"], one.state()["total_cost"])


def test_merged_intervals_know_more() -> None:
    means = [0.6, 0.35, 0.5]
    parts = [Contest(3, "forecast") for _ in range(2)]
    for seed, part in enumerate(parts):
        Logs(means, seed).teach(part, 2000)
    states = [part.state() for part in parts]
    widths = [np.ptp(part.intervals, axis=1)[:2] for part in parts]
    parts[0].merge(parts[1])
    added = {name: states[0][name] + states[1][name] for name in ("bets", "winnings", "penalties", "squares")}
    np.testing.assert_allclose(parts[0].intervals, intervals_of(added))
    assert (np.ptp(parts[0].intervals, axis=1)[:2] < 0.8 * np.minimum(*widths)).all()
    truth = np.array(means) - means[-1]
    assert (parts[0].intervals[:, 0] <= truth).all() and (truth <= parts[0].intervals[:, 1]).all()


def test_merging_takes_over_eliminations_and_adds_nothing_of_nothing() -> None:
    sure, unsure = Contest(2, "forecast"), Contest(2, "forecast")
    Logs([1.0, 0.1]).teach(sure, 1000)
    assert sure.eligible.tolist() == [0, 1]
    before = {name: array.tolist() for name, array in sure.state().items()}
    sure.merge(Contest(2, "forecast"))
    assert {name: array.tolist() for name, array in sure.state().items()} == before
    unsure.merge(sure)
    assert unsure.eligible.tolist() == [0, 1]
    np.testing.assert_array_equal(unsure.intervals, sure.intervals)
    with pytest.raises(ValueError, match="another number of lanes"):
        sure.merge(Contest(3, "forecast"))


@pytest.mark.parametrize("rule", RULES)
def test_a_restored_contest_goes_on_exactly(rule: str) -> None:
    original, restored = Contest(3, rule), Contest(3, rule)
    Logs([0.95, 0.3, 0.35]).teach(original, 1500)
    assert original.eligible.tolist() == [0, 1, 1]
    restored.restore(original.state())
    assert restored.rounds == 1500
    for contest in (original, restored):
        Logs([0.5, 0.5, 0.4], seed=1).teach(contest, 200)
    ours, theirs = restored.state(), original.state()
    assert ours.keys() == theirs.keys()
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)
    assert (restored.best, restored.eligible.tolist()) == (original.best, original.eligible.tolist())


@pytest.mark.parametrize("name", Contest(3, "forecast").state())
def test_a_state_of_another_size_is_refused(name: str) -> None:
    state = Contest(3, "forecast").state()
    with pytest.raises(ValueError, match="another size"):
        Contest(3, "forecast").restore(state | {name: state[name][:-1]})


def test_what_would_read_foreign_memory_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one lane"):
        Contest(0, "forecast")
    contest = Contest(3, "forecast")
    with pytest.raises(ValueError, match="one greedy action for each lane"):
        contest.add(Outcome(SCORES, GREEDY[:2], 0, 0.5, 0.5, 10.0, 10.0))
    with pytest.raises(ValueError, match="one greedy action for each lane"):
        contest.add(Outcome(SCORES[:, :2].copy(), GREEDY, 0, 0.5, 0.5, 10.0, 10.0))
    with pytest.raises(ValueError, match="action out of range"):
        contest.add(Outcome(SCORES, GREEDY, 3, 0.5, 0.5, 10.0, 10.0))
    with pytest.raises(ValueError, match="action out of range"):
        contest.add(Outcome(SCORES, GREEDY + 2, 0, 0.5, 0.5, 10.0, 10.0))
