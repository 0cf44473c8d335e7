"""`observe`: costs of actions that nobody drew teach predictions, and nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.offers import CASES, OWN_PARTS, Case
from tests.support.own_parts import InPython
from tests.support.problems import Problem, make_problem
from warmcb import ArrowCB, Bandit, SharedBandit, WarmBandit, load
from warmcb.errors import InputError, OrderError, UnsupportedError
from warmcb.explorers import EXPLORERS, InverseGap
from warmcb.features import Encoder
from warmcb.learners import LEARNERS
from warmcb.selectors import Contest

PROBLEM = make_problem(n=500, labels=False)
UNDRAWN = ("learned", "draws", "selector")
"""What begins like this is of rounds that were drawn."""


def state_of(bandit: Any, *, drawn: bool) -> dict[str, bytes]:
    whole = bandit._whole_state().items()
    return {name: array.tobytes() for name, array in whole if name.startswith(UNDRAWN) == drawn}


def observe(bandit: Any, problem: Problem, begin: int, end: int) -> None:
    """What somebody plays who always takes turns."""
    for i in range(begin, end):
        bandit.observe(problem.X[[i]], i % 3, problem.costs[i, i % 3])


def play(bandit: Any, problem: Problem, begin: int, end: int) -> list[Any]:
    decisions = []
    for i in range(begin, end):
        decisions.append(bandit.decide(problem.X[[i]]))
        bandit.learn(problem.X[[i]], decisions[-1], problem.costs[i, min(int(decisions[-1].action), 2)])
    return decisions


def warm(bandit: Any, problem: Problem) -> Any:
    return bandit.warm_start(problem.X[:60], **{name: values[:60] for name, values in problem.answers.items()})


def test_it_teaches_as_a_round_of_probability_1_does(make: Callable[[], Bandit], problem: Problem) -> None:
    ours, theirs = (warm(make(), problem) for _ in range(2))
    if not isinstance(ours, ArrowCB | WarmBandit) or not ours._trains:
        before = ours.to_bytes()
        with pytest.raises(UnsupportedError, match=f"{type(ours).__name__} cannot observe costs"):
            ours.observe(problem.X[[0]], 0, 0.5)
        assert ours.to_bytes() == before
        return
    for bandit in (ours, theirs):
        play(bandit, problem, 60, 90)
    before, known, scores = state_of(ours, drawn=True), state_of(ours, drawn=False), ours.scores_
    observe(ours, problem, 90, 240)
    for i in range(90, 240):
        theirs.learn(problem.X[[i]], i % 3, problem.costs[i, i % 3], probability=1.0)
    assert state_of(ours, drawn=False) == state_of(theirs, drawn=False) != known
    assert state_of(ours, drawn=True) == before
    assert (ours.learned_, ours.rounds_) == (30, 30) and theirs.learned_ == theirs.rounds_ == 180
    np.testing.assert_array_equal(ours.scores_, scores)
    resumed = load(ours.to_bytes())
    observe(resumed, problem, 240, 260)
    observe(ours, problem, 240, 260)
    assert play(resumed, problem, 260, 300) == play(ours, problem, 260, 300)
    assert resumed.to_bytes() == ours.to_bytes()


@pytest.mark.parametrize("explorer", EXPLORERS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_in_python_is_the_compiled_order(learner: str, explorer: str) -> None:
    def played(own: Any) -> tuple[Any, list[Any]]:
        bandit = warm(WarmBandit(3, epsilon=0.2, seed=5, learner=learner, explorer=own), PROBLEM)
        decisions = []
        for begin in range(60, 480, 20):
            decisions += play(bandit, PROBLEM, begin, begin + 10)
            if begin == 160:
                bandit.add_action()
            observe(bandit, PROBLEM, begin + 10, begin + 20)
            bandit.observe(PROBLEM.X[begin], bandit.n_actions - 1, reward=-0.3)
        return bandit, decisions

    (compiled, ours), (python, theirs) = played(explorer), played(InPython(EXPLORERS[explorer]))
    assert compiled._compiled is not None and python._compiled is None
    assert ours == theirs
    assert [state_of(compiled, drawn=one) for one in (False, True)] == [
        state_of(python, drawn=one) for one in (False, True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_described_actions(name: str) -> None:
    case = CASES[name]
    offered = case.offered

    def played(case: Case, teach: Callable[[Any, int, int, float], None]) -> SharedBandit:
        bandit = case.make().warm_start(**offered.some(0, 40), costs=offered.costs[:40])
        for i in range(40, 200):
            if i % 3 == 0:
                decision = bandit.decide(**offered.offer(i))
                bandit.learn(offered.x(i), decision, float(offered.costs[i][decision.action]))
            else:
                row = i % len(offered.costs[i])
                teach(bandit, i, row, float(offered.costs[i][row]))
        return bandit

    def observed(bandit: Any, i: int, row: int, cost: float) -> None:
        before = state_of(bandit, drawn=True)
        changes = bandit._learner.changes
        bandit.observe(offered.x(i), row, cost, actions=offered.actions[i], ids=offered.offer(i)["ids"])
        assert state_of(bandit, drawn=True) == before or bandit._learner.changes > changes

    ours = played(case, observed)
    assert ours.learned_ == 53
    if "explorer" not in case.options:
        python = played(case._replace(options=case.options | {"explorer": InPython(InverseGap())}), observed)
        for drawn in (False, True):
            assert state_of(python, drawn=drawn) == state_of(ours, drawn=drawn)
    resumed = load(ours.to_bytes(), parts=OWN_PARTS)
    for bandit in (resumed, ours):
        observed(bandit, 200, 0, 0.5)
    assert resumed.to_bytes() == ours.to_bytes()


def test_it_is_a_round_of_probability_1_of_described_actions() -> None:
    offered = CASES["ids"].offered
    ours, theirs = SharedBandit(seed=5), SharedBandit(seed=5)
    for i in range(150):
        offer = {"actions": offered.actions[i], "ids": offered.offer(i)["ids"]}
        ours.observe(offered.x(i), 0, float(offered.costs[i][0]), **offer)
        theirs.learn(offered.x(i), 0, float(offered.costs[i][0]), 1.0, **offer)
    assert state_of(ours, drawn=False) == state_of(theirs, drawn=False)
    assert (ours.learned_, ours.rounds_) == (0, 0) and theirs.learned_ == theirs.rounds_ == 150


def test_a_request_with_its_actions() -> None:
    encoder = Encoder(bits=9)
    request = {"country": "de", "_multi": [{"i": {"id": "tea"}, "price": 2.0}, {"i": {"id": "milk"}, "price": 1.0}]}
    ours, theirs = SharedBandit(encoder=encoder), SharedBandit(encoder=Encoder(bits=9))
    ours.observe(request, 1, reward=1.0)
    theirs.learn(request, 1, -1.0, 1.0)
    assert state_of(ours, drawn=False) == state_of(theirs, drawn=False)


def test_exploration_does_not_fade() -> None:
    """Rounds that nobody drew are no exploration, however many there are."""
    shares = []
    for teach in (lambda b, x, a, c: b.observe(x, a, c), lambda b, x, a, c: b.learn(x, a, c, 1.0)):
        bandit = WarmBandit(3, explorer=InverseGap(), optimism=0.0)
        for i in range(300):
            teach(bandit, PROBLEM.X[i], i % 3, PROBLEM.costs[i, i % 3])  # type: ignore[no-untyped-call]
        shares.append(1 - np.mean([bandit.decide(x).probabilities.max() for x in PROBLEM.X[300:400]]))
    assert shares[0] > shares[1]


class Counting(InPython):
    """A selector that counts what it is told."""

    added = forgotten = 0

    def start(self, *shape: int) -> "Counting":
        return Counting(self.part.start(*shape))

    def add(self, outcome: Any) -> None:
        self.added += 1
        self.part.add(outcome)

    def forget(self) -> None:
        self.forgotten += 1
        self.part.forget()


def test_the_selector_hears_of_changes_and_of_nothing_else() -> None:
    bandit = WarmBandit(2, selector=Counting(Contest()))
    random = np.random.default_rng(0)
    for i in range(1200):
        x, action = random.normal(size=2), i % 2
        bandit.observe(x, action, float(action == (i < 600)) + 0.1 * random.normal())
    assert bandit._selector.added == 0
    assert bandit._selector.forgotten == bandit._learner.changes > 0


@pytest.mark.parametrize("bandit", [WarmBandit(2), SharedBandit()], ids=["numbered", "described"])
def test_predictions_are_in_the_unit_of_costs_from_the_first_one_on(bandit: Any) -> None:
    """As in `learn`: labels have a unit of their own only as long as no cost was seen."""
    X, A = np.array([[1.0], [-1.0]] * 20), np.eye(2)
    described = isinstance(bandit, SharedBandit)
    offers = {"actions": [A] * 40} if described else {}
    bandit.warm_start(X, costs=[[0.0, 10.0], [10.0, 0.0]] * 20, **offers)
    for i in range(40):
        bandit.observe(X[i], i % 2, 500.0 + i % 2, **({"actions": A} if described else {}))
    costs = bandit.predict_costs(X[:2], **({"actions": [A] * 2} if described else {}))
    assert bandit.learned_ == 0
    assert np.min(costs) > 400


def test_what_was_observed_is_not_forgotten_by_accident() -> None:
    """A SharedBandit starts anew if the first offers were one-hot by accident, but not once it has seen much."""
    bandit = SharedBandit()
    for i in range(40):
        bandit.observe(None, i % 2, float(i % 2), actions=np.eye(2))
    before = bandit.predict_costs(None, [np.eye(2)])[0]
    bandit.decide(None, [[0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_array_equal(bandit.predict_costs(None, [np.eye(2)])[0], before)


def test_a_warm_start_with_a_horizon_comes_first() -> None:
    bandit = ArrowCB(3, horizon=100)
    bandit.observe(PROBLEM.X[0], 1, 0.5)
    with pytest.raises(OrderError, match="warm_start came after 0 examples and 1 rounds"):
        bandit.warm_start(PROBLEM.X[:5], costs=PROBLEM.costs[:5])


DECISION = WarmBandit(3).decide(PROBLEM.X[0])
BAD: dict[str, tuple[Callable[[Any, Any], None], str]] = {
    "an unknown action": (lambda b, x: b.observe(x, 3, 0.5), "action is 3; expected an integer from 0 to 2"),
    "a name": (lambda b, x: b.observe(x, "a", 0.5), "action is 'a'"),
    "a decision": (lambda b, x: b.observe(x, DECISION, 0.5), "action is "),
    "no cost": (lambda b, x: b.observe(x, 0), "cost"),
    "NaN": (lambda b, x: b.observe(x, 0, np.nan), "cost is nan"),
    "a cost and a reward": (lambda b, x: b.observe(x, 0, 0.5, reward=0.5), "cost"),
    "a cost out of the range": (lambda b, x: b.observe(x, 0, 1.5), "cost is 1.5; expected a number in [0, 1]"),
    "NaN in x": (lambda b, x: b.observe(x * np.nan, 0, 0.5), "x[0] is nan"),
    "another width": (lambda b, x: b.observe(x[:2], 0, 0.5), "x has 2 features; expected 6"),
}
BAD_DESCRIBED: dict[str, tuple[Callable[[Any, Any], None], str]] = {
    "an unknown row": (lambda b, A: b.observe(None, 3, 0.5, actions=A), "row is 3; expected an integer from 0 to 2"),
    "a decision": (lambda b, A: b.observe(None, DECISION, 0.5, actions=A), "row is "),
    "no actions": (lambda b, A: b.observe(None, 0, 0.5), "actions"),
    "no cost": (lambda b, A: b.observe(None, 0, actions=A), "cost"),
    "NaN in actions": (lambda b, A: b.observe(None, 0, 0.5, actions=A * np.nan), "nan"),
    "too few ids": (lambda b, A: b.observe(None, 0, 0.5, actions=A, ids=["a"]), "ids"),
    "another width": (lambda b, A: b.observe(None, 0, 0.5, actions=A[:, :2]), "2 features"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_changes_nothing(case: str) -> None:
    call, message = BAD[case]
    bandit = WarmBandit(3, cost_range=(0.0, 1.0))
    for _ in range(2):
        before = bandit.to_bytes()
        if bandit.n_features_ is not None or case != "another width":
            with pytest.raises(InputError) as caught:
                call(bandit, PROBLEM.X[0])
            assert message in str(caught.value) and "\n" not in str(caught.value)
        assert bandit.to_bytes() == before
        play(bandit, PROBLEM, 0, 20)


@pytest.mark.parametrize("case", BAD_DESCRIBED)
def test_bad_input_of_described_actions_changes_nothing(case: str) -> None:
    call, message = BAD_DESCRIBED[case]
    bandit, A = SharedBandit(), np.random.default_rng(0).normal(size=(3, 4))
    for _ in range(2):
        before = bandit.to_bytes()
        if bandit.n_features_ is not None or case != "another width":
            with pytest.raises(InputError) as caught:
                call(bandit, A)
            assert message in str(caught.value) and "\n" not in str(caught.value)
        assert bandit.to_bytes() == before
        bandit.learn(None, bandit.decide(None, A), 0.5)


def test_policies_cannot_observe() -> None:
    assert not hasattr(warm(WarmBandit(3), PROBLEM).policy(), "observe")
