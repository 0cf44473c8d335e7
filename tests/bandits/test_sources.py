"""Several sources of labels: how lanes are laid out, that they are true copies, and that the right source wins."""

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.offers import CASES, make_offers
from tests.support.own_parts import InPython, LastWins, MeanCosts
from tests.support.problems import Problem, learn_one, make_problem
from warmcb import ArrowCB, SharedBandit, WarmBandit, _core, _inputs, load
from warmcb.bandits._sources import Layout, log_tables
from warmcb.errors import InputError, UnsupportedError
from warmcb.learners import OnlineLinear, RecursiveLeastSquares
from warmcb.selectors import Contest, ProgressiveValidation

PROBLEM = make_problem(n=700)
GRADED = make_problem(n=700, labels=False)
LAMBDAS = np.array([0.0, 0.75, 1.0])


def fingerprint(bandit: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def played(bandit: WarmBandit, begin: int, end: int, problem: Problem = PROBLEM) -> list[tuple[int, float]]:
    decisions = []
    for i in range(begin, end):
        decision = bandit.decide(problem.X[i])
        bandit.learn(problem.X[i], decision, float(problem.costs[i, decision.action]))
        decisions.append((decision.action, decision.probability))
    return decisions


def taught(bandit: WarmBandit, begin: int, end: int, source: str | None, shift: int = 0) -> WarmBandit:
    return bandit.warm_start(PROBLEM.X[begin:end], (PROBLEM.y[begin:end] + shift) % 3, source=source)


# Layouts


def test_the_layout_of_one_source_is_the_papers() -> None:
    bandit = WarmBandit(3)
    assert list(bandit.sources_) == [] and bandit.source_ is None and list(bandit.lane_sources_) == [(), (), ()]
    taught(bandit, 0, 50, None)
    assert list(bandit.sources_) == ["labels"] and bandit.source_ == "labels"
    assert bandit.lambdas_.tolist() == [0, 0.75, 1]
    assert list(bandit.lane_sources_) == [("labels",), ("labels",), ()]


def test_the_layout_of_several_sources() -> None:
    bandit = taught(taught(WarmBandit(3), 0, 50, "editors"), 50, 100, "llm", shift=1)
    assert list(bandit.sources_) == ["editors", "llm"]
    assert bandit.lambdas_.tolist() == [0, 0.75, 0, 0.75, 0, 0.75, 1]
    both = ("editors", "llm")
    assert tuple(bandit.lane_sources_) == (both,) * 2 + (("editors",),) * 2 + (("llm",),) * 2 + ((),)
    assert len(bandit.scores_) == len(bandit.dropped_) == len(bandit.intervals_) == 7
    taught(bandit, 100, 150, "users")
    assert len(bandit.lambdas_) == 9 and list(bandit.sources_) == ["editors", "llm", "users"]
    assert tuple(bandit.lane_sources_[:2]) == (("editors", "llm", "users"),) * 2
    assert tuple(bandit.lane_sources_[-3:]) == (("users",),) * 2 + ((),)
    taught(bandit, 150, 160, "llm")  # goes on
    assert len(bandit.lambdas_) == 9


def test_lambdas_apply_to_every_source() -> None:
    bandit = taught(taught(WarmBandit(3, lambdas=(0.5, 0.9, 1)), 0, 50, "a"), 50, 100, "b")
    assert bandit.lambdas_.tolist() == [0.5, 0.9] * 3 + [1]
    deaf = taught(taught(WarmBandit(3, lambdas=(1.0,)), 0, 50, "a"), 50, 100, "b")
    assert deaf.lambdas_.tolist() == [1] and deaf.sources_ == ("a", "b")


@given(st.lists(st.floats(0, 0.99), min_size=1, max_size=4, unique=True), st.integers(1, 7), st.integers(1, 8))
def test_where_lanes_come_from(weights: list[float], before: int, after: int) -> None:
    lambdas = np.array([*sorted(weights), 1.0])
    smaller = Layout(lambdas, tuple("abcdefgh"[:before]))
    larger = smaller.with_sources("abcdefgh"[:after])
    of_learner, of_selector = smaller.origins(larger)
    assert of_learner[0] == of_selector[0] == 0  # what labels say is translated by the first lane
    assert of_learner[-1] == of_selector[-1] == len(smaller.lanes) - 1
    for lane, from_, judged in zip(larger.lanes, of_learner, of_selector, strict=True):
        known = tuple(source for source in lane.sources if source in smaller.sources)
        if known or lane.weight == 1:
            assert smaller.lanes[from_] == (lane.weight, known) and judged == from_
        else:
            assert (from_, judged) == (len(smaller.lanes) - 1 if lane.weight > 0 else -1, -1)


def test_one_named_source_is_the_same_bandit() -> None:
    named, unnamed = taught(WarmBandit(3), 0, 100, "editors"), taught(WarmBandit(3), 0, 100, None)
    assert played(named, 100, 300) == played(unnamed, 100, 300)


def test_what_each_lane_has_learned() -> None:
    """By hand: the mean cost of action 0 in each lane, whose prior is one example that costs ½."""

    class Means(MeanCosts):
        def start(self, n_features: int, n_actions: int, n_lanes: int) -> "Means":
            started = Means()
            started.sums, started.weights = np.full((n_actions, n_lanes), 0.5), np.ones((n_actions, n_lanes))
            return started

        def with_lanes(self, origins: list[int]) -> "Means":
            other = self.start(0, len(self.sums), len(origins))
            known = [lane for lane, origin in enumerate(origins) if origin >= 0]
            of = [origin for origin in origins if origin >= 0]
            other.sums[:, known], other.weights[:, known] = self.sums[:, of], self.weights[:, of]
            return other

    bandit = WarmBandit(2, learner=Means()).warm_start(np.zeros((4, 1)), [0, 0, 0, 1], source="a")
    bandit.learn([0.0], 0, 1.0, probability=0.5)
    bandit.warm_start(np.zeros((2, 1)), [1, 1], source="b")
    scores = bandit._learner.predict(_inputs.matrix(np.zeros((1, 1)), 1), 0)[0]
    cost = float(bandit._unit.unit(1.0))  # of the only round
    expected = [
        (0.5 + 1 + 2) / 7,
        (0.5 + 0.25 + 0.75 * cost + 0.5) / (1 + 1 + 0.75 + 0.5),
        (0.5 + 1) / 5,
        (0.5 + 0.25 + 0.75 * cost) / (1 + 1 + 0.75),
        (0.5 + 2) / 3,  # the late source has seen no round
        (0.5 + cost + 0.5) / (1 + 1 + 0.5),  # it starts from λ = 1, in which the round weighs 1
        (0.5 + cost) / 2,
    ]
    np.testing.assert_allclose(scores, expected, rtol=1e-6)


# Copies of lanes

LEARNER_KINDS: dict[str, tuple[Callable[[int], Any], int]] = {
    "bends": (lambda lanes: RecursiveLeastSquares().start(6, 3, lanes), 6),
    "forgets": (lambda lanes: RecursiveLeastSquares(half_life=40.0, features="squares").start(6, 3, lanes), 6),
    "in blocks": (lambda lanes: RecursiveLeastSquares().start(300, 3, lanes), 300),
    "online": (lambda lanes: OnlineLinear().start(6, 3, lanes), 6),
}


def lesson(learner: Any, problem: Problem, i: int, weights: list[float]) -> None:
    """Every third example is a label, the others are rounds."""
    rows = _inputs.matrix(problem.X[i : i + 1], None)
    of_lanes = np.array(weights)
    if i % 3 == 0:
        learner.teach(rows, _core.Costs(problem.y[i : i + 1]), 1 - of_lanes)
    else:
        action = i % 2 + i % 3 - 1
        learn_one(learner, rows, 0, action, problem.costs[i, action], of_lanes, np.array(learner.predict(rows, 0)))


@pytest.mark.parametrize("kind", LEARNER_KINDS)
@settings(max_examples=8, deadline=None)
@given(between=st.lists(st.integers(-1, 2), max_size=4), before=st.sampled_from([0, 5, 60, 250]), unit=st.booleans())
def test_copied_lanes_learn_as_the_lanes_they_were(kind: str, between: list[int], before: int, unit: bool) -> None:
    make, width = LEARNER_KINDS[kind]
    problem = make_problem(n=before + 150, d=width)
    origins = [0, *between, 2]
    weights = LAMBDAS.tolist()
    learner = make(3)
    for i in range(before):
        lesson(learner, problem, i, weights)
    wider = learner.with_lanes(origins)
    assert wider.lanes == len(origins) and wider.description == learner.description
    if unit and before:
        learner.rescale(0.5, 0.1)
        wider.rescale(0.5, 0.1)
    more = [weights[origin] if origin >= 0 else 0.75 for origin in origins]
    for i in range(before, before + 150):
        lesson(learner, problem, i, weights)
        lesson(wider, problem, i, more)
    old, new = (one.predict(_inputs.matrix(problem.X[:1], None), 0) for one in (learner, wider))
    copies = [lane for lane, origin in enumerate(origins) if origin >= 0]
    np.testing.assert_array_equal(new[:, copies], old[:, [origins[lane] for lane in copies]])


def test_a_lane_from_nothing_knows_nothing() -> None:
    learner: Any = RecursiveLeastSquares().start(6, 3, 3)
    for i in range(200):
        lesson(learner, PROBLEM, i, LAMBDAS.tolist())
    wider: Any = learner.with_lanes([0, -1, 2])
    for weights in wider.models:  # terms × actions × lanes
        np.testing.assert_array_equal(weights[0, :, 1], 0.5)
        np.testing.assert_array_equal(weights[1:, :, 1], 0)


@pytest.mark.parametrize("origins", [[], [3], [-2, 0]])
def test_unknown_lanes_are_refused(origins: list[int]) -> None:
    for part in (OnlineLinear().start(6, 3, 3), Contest().start(3), ProgressiveValidation().start(3)):
        with pytest.raises(ValueError, match="lane"):
            part.with_lanes(origins)


def test_new_lanes_start_on_equal_terms_with_the_best() -> None:
    bandit = WarmBandit(3, cost_range=(0, 1))
    taught(bandit, 0, 50, "right")
    played(bandit, 50, 250)
    before, intervals = bandit.scores_, bandit.intervals_
    taught(bandit, 250, 300, "late", shift=1)
    best = before.min()
    np.testing.assert_array_equal(bandit.scores_, [*before[:2], *before[:2], best, best, before[2]])
    np.testing.assert_array_equal(bandit.intervals_[4:6], [[-1, 1]] * 2)  # nothing is known of them
    assert (bandit.intervals_[0] <= intervals[0] + 1).all() and bandit.rounds_ == 200


def test_the_papers_selector_takes_in_sources() -> None:
    selector = ProgressiveValidation().start(3)
    selector.restore({"sums": np.array([3.0, 1.0, 2.0]), "rounds": np.array([4], dtype=np.uint64)})
    wider = selector.with_lanes([0, 1, -1, 2])
    assert wider.sums.tolist() == [3, 1, 1, 2] and wider.rounds == 4 and wider.best == 1


# Exact states

SHAPES: dict[str, Callable[[], WarmBandit]] = {
    "least squares": lambda: WarmBandit(3, epsilon=0.2, seed=5),
    "8 lanes": lambda: WarmBandit(3, lambdas=8, features="linear", seed=5),
    "online, the paper's parts": lambda: WarmBandit(
        3, learner="online", selector="cost/p", explorer="epsilon-greedy", seed=5
    ),
    "a range": lambda: WarmBandit(3, cost_range=(0, 1), half_life=100.0, seed=5),
}


@pytest.mark.parametrize("kind", SHAPES)
@pytest.mark.parametrize("cut", [110, 150, 330])
def test_resume_is_exact(kind: str, cut: int, tmp_path: Path) -> None:
    """Two sources at first, a log after 20 rounds, labels again after 200."""

    def events(bandit: WarmBandit, begin: int, end: int) -> WarmBandit:
        for i in range(begin, end):
            if i == 0:
                taught(taught(bandit, 0, 50, "a"), 50, 100, "b", shift=1)
            elif i == 120:
                done, paid = PROBLEM.y[600:660] * (np.arange(60) % 3 > 0), PROBLEM.costs[600:660, 0] * 0.5 + 0.2
                bandit.warm_start(PROBLEM.X[600:660], done, paid=paid, source="old system")
            elif i == 300:
                taught(bandit, 500, 520, "b", shift=1)
            elif i > 100:
                played(bandit, i, i + 1)
        return bandit

    unbroken, broken = events(SHAPES[kind](), 0, 400), events(SHAPES[kind](), 0, cut)
    broken.save(tmp_path / "b.warmcb")
    resumed: Any = load(tmp_path / "b.warmcb")
    assert resumed.sources_ == broken.sources_ and resumed.source_ == broken.source_
    assert resumed.lane_sources_ == broken.lane_sources_
    events(resumed, cut, 400)
    assert unbroken.sources_ == ("a", "b", "old system: done", "old system: paid")
    assert fingerprint(resumed) == fingerprint(unbroken)
    policy = pickle.loads(pickle.dumps(unbroken.policy()))
    unbroken.policy().save(tmp_path / "p.warmcb")
    for one in (policy, load(tmp_path / "p.warmcb")):
        np.testing.assert_array_equal(
            one.decide(PROBLEM.X[450], key=1).probabilities, unbroken.decide(PROBLEM.X[450], key=1).probabilities
        )
    assert fingerprint(unbroken.clone()) == fingerprint(SHAPES[kind]())


@pytest.mark.parametrize("kind", SHAPES)
def test_compiled_rounds_equal_live_rounds(kind: str) -> None:
    def start() -> WarmBandit:
        return taught(taught(SHAPES[kind](), 0, 50, "a"), 50, 100, "b", shift=1)

    compiled, live = start(), start()
    rows, table = _inputs.matrix(PROBLEM.X, None), _inputs.cost_table(PROBLEM.y, None, 700, 3)
    trace = compiled._play_rounds(rows, table, 100, 300)
    assert list(zip(trace.actions, trace.probabilities, strict=True)) == played(live, 100, 300)
    assert fingerprint(compiled) == fingerprint(live)


def test_rounds_in_pythons_order_are_the_same() -> None:
    """Labels of one source judge only some of the actions."""

    def start(**parts: Any) -> WarmBandit:
        bandit = WarmBandit(3, seed=5, **parts)
        taught(bandit, 0, 50, "a")
        judged = np.tile([True, False, True], (50, 1))
        bandit.warm_start(GRADED.X[50:100], costs=GRADED.costs[50:100], actions=judged, source="b")
        return bandit

    ours, theirs = start(), start(selector=InPython(Contest()))
    assert ours._unjudged.tolist() == [[False] * 7, [False] * 4 + [True] * 2 + [False], [False] * 7]
    assert played(ours, 100, 250, GRADED) == played(theirs, 100, 250, GRADED)
    np.testing.assert_array_equal(ours.scores_, theirs.scores_)


def test_actions_may_be_added_to_a_bandit_of_several_sources(tmp_path: Path) -> None:
    bandit = taught(taught(WarmBandit(3), 0, 50, "a"), 50, 100, "b", shift=1)
    bandit.add_action()
    assert bandit._unjudged[3].tolist() == [True] * 6 + [False]
    bandit.save(tmp_path / "b.warmcb")
    again: Any = load(tmp_path / "b.warmcb")
    assert fingerprint(again) == fingerprint(bandit)


# Worth


def linear(n: int) -> Problem:
    random = np.random.default_rng(3)
    X = random.normal(size=(n, 4))
    y = (X @ random.normal(size=(4, 3))).argmax(axis=1).astype(np.int32)
    return Problem(X, y, 1.0 - np.eye(3)[y], True)


def test_two_sources_that_contradict_each_other_end_near_the_right_one() -> None:
    problem = linear(1500)
    X, y = problem.X, problem.y
    costs: dict[str, NDArray[np.float64]] = {}
    for order in ("right", "right wrong", "wrong right"):
        bandit = WarmBandit(3, seed=1)
        for source in order.split():
            part = slice(0, 150) if source == "right" else slice(150, 300)
            bandit.warm_start(X[part], y[part] if source == "right" else (y[part] + 1) % 3, source=source)
        rows = _inputs.matrix(X, None)
        costs[order] = bandit._play_rounds(rows, y, 300, 1500).costs
        assert bandit.source_ in ("right", None)
    for order in ("right wrong", "wrong right"):
        assert costs[order].mean() <= costs["right"].mean() + 0.01
        assert costs[order][600:].mean() <= costs["right"][600:].mean() + 0.005


def test_two_right_sources_are_worth_as_much_as_one_of_both() -> None:
    problem = linear(900)
    means = []
    for second in ("a", "b"):
        bandit = WarmBandit(3, seed=1)
        for source, begin in (("a", 0), (second, 30)):
            bandit.warm_start(problem.X[begin : begin + 30], problem.y[begin : begin + 30], source=source)
        means.append(bandit._play_rounds(_inputs.matrix(problem.X, None), problem.y, 60, 900).costs.mean())
    assert means[1] <= means[0] + 0.01


def test_a_late_source_that_is_right_takes_over() -> None:
    problem = linear(1000)
    bandit = WarmBandit(3, seed=1).warm_start(problem.X[:100], np.zeros(100, dtype=int), source="lazy")
    played(bandit, 100, 130, problem)
    bandit.warm_start(problem.X[600:1000], problem.y[600:1000], source="late")
    played(bandit, 130, 230, problem)
    assert bandit.source_ is not None and "late" in bandit.source_


# Logs without probabilities


def test_what_a_log_teaches() -> None:
    nan = math.nan
    labels = np.array([0, 1, 1, 1, nan, 0], dtype=float)  # the second action could not be done in the second event
    imitated, paid = log_tables(labels, np.array([3, 3]), np.array([0.25, 0.75]), np.array([True, False]))
    np.testing.assert_array_equal(imitated, [0, 1, 1, nan, nan, nan])
    np.testing.assert_array_equal(paid, [0.25, nan, nan, nan, nan, 0.75])


def test_a_log_is_two_sources() -> None:
    paid = np.where(np.arange(100) % 3 == 0, 30.0, 10.0)
    bandit = WarmBandit(3).warm_start(PROBLEM.X[:100], PROBLEM.y[:100], paid=paid)
    assert bandit.sources_ == ("log: done", "log: paid")
    assert bandit.learned_ == 0
    costs = bandit.predict_costs(PROBLEM.X[:50])  # in the unit of what was paid
    assert costs.min() > 5 and costs.max() < 35
    np.testing.assert_allclose([bandit._unit.low, bandit._unit.width], [10, 20])
    bandit.warm_start(PROBLEM.X[:10], PROBLEM.y[:10], paid=paid[:10])
    assert bandit.sources_ == ("log: done", "log: paid")


def test_what_is_no_cheaper_than_the_rest_is_not_imitated() -> None:
    bandit = WarmBandit(3).warm_start(PROBLEM.X[:50], PROBLEM.y[:50], paid=np.full(50, 2.0))
    assert list(bandit.sources_) == ["log: paid"]
    bandit.warm_start(PROBLEM.X[:50], PROBLEM.y[:50], paid=np.full(50, 1.0))
    assert list(bandit.sources_) == ["log: paid", "log: done"]


@pytest.mark.parametrize("right", [0.7, 0.1])
def test_a_log_helps(right: float) -> None:
    problem = linear(1200)
    random = np.random.default_rng(1)
    X, y = problem.X, problem.y
    done = np.where(random.random(300) < right, y[:300], (y[:300] + random.integers(1, 3, 300)) % 3)
    bandit = WarmBandit(3, seed=1).warm_start(X[:300], done, paid=done != y[:300])
    means = [
        one._play_rounds(_inputs.matrix(X, None), y, 300, 800).costs.mean() for one in (bandit, WarmBandit(3, seed=1))
    ]
    assert means[0] < means[1] - 0.01


def test_an_action_that_a_log_never_did_is_learned_from_rounds() -> None:
    done = PROBLEM.y[:60] % 2
    bandit = WarmBandit(3).warm_start(PROBLEM.X[:60], done, paid=PROBLEM.costs[np.arange(60), done])
    of_paid = [sources == ("log: paid",) for sources in bandit.lane_sources_]
    assert bandit._unjudged[2].tolist() == of_paid and not bandit._unjudged[:2].any()


# Described actions


@pytest.mark.parametrize("name", ["described", "ids", "one-hot", "8 lanes", "the paper's parts", "forgets"])
def test_described_actions_have_sources_too(name: str, tmp_path: Path) -> None:
    case, taught = CASES[name], 40
    offered = case.offered

    def start() -> SharedBandit:
        bandit = case.make().warm_start(**offered.some(0, taught), costs=offered.costs[:taught], source="right")
        bandit.warm_start(
            **offered.some(taught, 60), y=[int(costs.argmax()) for costs in offered.costs[taught:60]], source="wrong"
        )
        done = [0] * 20
        paid = [float(costs[0]) for costs in offered.costs[60:80]]
        return bandit.warm_start(**offered.some(60, 80), y=done, paid=paid)

    def live(bandit: SharedBandit, begin: int, end: int) -> None:
        for i in range(begin, end):
            decision = bandit.decide(**offered.offer(i))
            bandit.learn(offered.x(i), decision, float(offered.costs[i][decision.action]))

    bandit, again = start(), start()
    assert bandit.sources_ == ("right", "wrong", "log: done", "log: paid")
    live(bandit, 80, 120)
    bandit.save(tmp_path / "b.warmcb")
    resumed: Any = load(tmp_path / "b.warmcb")
    live(resumed, 120, 200)
    live(again, 80, 200)
    assert fingerprint(resumed) == fingerprint(again)
    assert again.source_ is None or again.source_ != "wrong"


# Errors


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"y": [0, 1], "source": ""}, "source is ''; expected a non-empty string, or None"),
        ({"y": [0, 1], "source": 3}, "source is 3; expected a non-empty string, or None"),
        ({"paid": [0, 1]}, "paid is given without y, or with costs; expected y, the actions, and paid"),
        ({"y": [0, 1], "costs": [[0, 1, 1]] * 2, "paid": [0, 1]}, "paid is given without y, or with costs"),
        ({"y": [0, 1], "paid": [0]}, r"paid have shape \(1,\); expected \(2,\), one for each row of X"),
        ({"y": [0, 1], "paid": [0, math.nan]}, r"paid\[1\] is nan; expected a number in \[0, 1\]"),
        ({"y": [0, 1], "paid": [0, 2]}, r"paid\[1\] is 2; expected a number in \[0, 1\]"),
    ],
)
def test_bad_input_changes_nothing(arguments: dict[str, Any], message: str) -> None:
    bandit = taught(WarmBandit(3, cost_range=(0, 1)), 0, 50, "a")
    before = fingerprint(bandit)
    with pytest.raises(InputError, match=message):
        bandit.warm_start(PROBLEM.X[:2], **arguments)
    assert fingerprint(bandit) == before


def test_at_most_eight_sources() -> None:
    bandit = WarmBandit(3)
    for source in "abcdefg":
        taught(bandit, 0, 10, source)
    before = fingerprint(bandit)
    with pytest.raises(InputError, match="source is 'log: paid', a new one; expected at most 8 sources"):
        bandit.warm_start(PROBLEM.X[:10], PROBLEM.y[:10], paid=PROBLEM.costs[:10, 0])
    assert fingerprint(bandit) == before
    taught(bandit, 0, 10, "h")
    with pytest.raises(InputError, match="source is 'i', a new one; expected at most 8"):
        taught(bandit, 0, 10, "i")
    assert len(bandit.lambdas_) == 19


@pytest.mark.parametrize("parts", [{"learner": MeanCosts()}, {"selector": LastWins()}])
def test_own_parts_that_cannot_take_in_a_source(parts: dict[str, Any]) -> None:
    bandit = taught(WarmBandit(3, **parts), 0, 50, "a")
    before = fingerprint(bandit)
    name = type(*parts.values()).__name__
    with pytest.raises(UnsupportedError, match=f"{name} cannot learn from a second source; expected a part with"):
        taught(bandit, 0, 50, "b")
    assert fingerprint(bandit) == before


def test_a_second_source_needs_a_lane_without_labels() -> None:
    bandit = taught(WarmBandit(3, lambdas=(0, 0.5)), 0, 50, "a")
    with pytest.raises(UnsupportedError, match="expected it to contain 1, as there is a second source"):
        taught(bandit, 0, 50, "b")


def test_a_log_that_is_refused_leaves_a_bandit_without_data() -> None:
    offered, lambdas = make_offers(), (0, 0.5)
    paid = [0.0, 1.0, 0.5, 0.2, 0.1]
    for own in ({"lambdas": lambdas}, {"learner": MeanCosts()}):
        bandit = WarmBandit(3, **own)
        with pytest.raises(UnsupportedError, match="second source"):
            bandit.warm_start(PROBLEM.X[:5], PROBLEM.y[:5], paid=paid)
        assert (bandit.n_features_, len(bandit.lambdas_)) == (None, len(WarmBandit(3, **own).lambdas_))
        taught(bandit, 0, 50, "a")
        assert fingerprint(bandit) == fingerprint(taught(WarmBandit(3, **own), 0, 50, "a"))
    shared = SharedBandit(lambdas=lambdas)
    with pytest.raises(UnsupportedError, match="second source"):
        shared.warm_start(**offered.some(0, 5), y=[0] * 5, paid=paid)
    assert (shared.n_features_, shared.n_action_features_) == (None, None)


def test_the_papers_algorithms_have_one_source() -> None:
    with pytest.raises(TypeError, match="source"):
        ArrowCB(3).warm_start(PROBLEM.X, PROBLEM.y, source="a")  # type: ignore[call-arg]


def test_offers_are_checked() -> None:
    offered = make_offers()
    with pytest.raises(InputError, match="paid is given without y"):
        SharedBandit().warm_start(**offered.some(0, 5), costs=offered.costs[:5], paid=[0] * 5)
    with pytest.raises(InputError, match="source is b''"):
        SharedBandit().warm_start(**offered.some(0, 5), costs=offered.costs[:5], source=b"")  # type: ignore[arg-type]
