"""Parts with contracts: a user's own play everywhere, and compiled rounds are those of the Python order."""

import copy
import math
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.own_parts import InPython, LastWins, MeanCosts, Softmax
from tests.support.problems import make_problem
from warmcb import WarmBandit, contracts, load, simulate
from warmcb._core import Rows
from warmcb.contracts import Explorer, Opinions
from warmcb.errors import InputError, ModelFileError
from warmcb.explorers import EXPLORERS, EpsilonGreedy, InverseGap
from warmcb.learners import LEARNERS, OnlineLinear, RecursiveLeastSquares
from warmcb.selectors import SELECTORS, Contest, ProgressiveValidation

PROBLEM = make_problem(n=500, labels=False)
COMMON: dict[str, Any] = {"costs": PROBLEM.costs, "warm_start": 60, "interaction": 250, "seed": 4}


def fingerprint(bandit: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in bandit._whole_state().items()}


def some_allowed(n: int) -> NDArray[np.bool_]:
    random = np.random.default_rng(3)
    allowed = random.random((n, 3)) < 0.7
    allowed[np.arange(n), random.integers(3, size=n)] = True
    return allowed


@pytest.mark.parametrize("masked", [False, True], ids=["all allowed", "some allowed"])
@pytest.mark.parametrize("explorer", EXPLORERS)
@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("learner", LEARNERS)
def test_the_order_in_python_is_the_compiled_order(learner: str, selector: str, explorer: str, masked: bool) -> None:
    options = {"learner": learner, "selector": selector, "explorer": explorer}
    own = {"learner": LEARNERS[learner], "selector": SELECTORS[selector], "explorer": InPython(EXPLORERS[explorer])}
    common = COMMON | ({"actions": some_allowed(500)} if masked else {})
    compiled = simulate(WarmBandit(3, epsilon=0.2, seed=5, **options), PROBLEM.X, **common)  # type: ignore[arg-type]
    python = simulate(WarmBandit(3, epsilon=0.2, seed=5, **own), PROBLEM.X, **common)  # type: ignore[arg-type]
    assert compiled.bandit._compiled is not None and python.bandit._compiled is None
    for ours, theirs in zip(compiled.trace, python.trace, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert fingerprint(compiled.bandit) == fingerprint(python.bandit)


@pytest.mark.parametrize("delay", [7, 80])
def test_the_two_orders_agree_on_new_actions_and_late_costs(delay: int) -> None:
    def played(**options: Any) -> tuple[WarmBandit, list[Any]]:
        bandit = WarmBandit(3, epsilon=0.3, seed=5, **options).warm_start(PROBLEM.X[:60], costs=PROBLEM.costs[:60])
        decisions, late = [], []
        for i in range(60, 460):
            if i in (120, 200):
                bandit.add_action()
            decision = bandit.decide(PROBLEM.X[i])
            decisions.append(decision)
            late.append((i, decision))
            if i % delay == 0:
                for j, one in reversed(late):
                    bandit.learn(PROBLEM.X[j], one, 0.2 if one.action > 2 else PROBLEM.costs[j, one.action])
                late.clear()
        return bandit, decisions

    compiled, python = played(), played(explorer=InPython(InverseGap()))
    assert compiled[0]._optimism.share == (1 if delay == 7 else pytest.approx(16 / (16 + 39.5), abs=0.1))
    assert compiled[1] == python[1]
    assert fingerprint(compiled[0]) == fingerprint(python[0])
    keyed = [bandit.policy().decide_many(PROBLEM.X[:50], keys=range(50)) for bandit, _ in (compiled, python)]
    assert list(keyed[0]) == list(keyed[1])


@pytest.mark.parametrize("part", ["learner", "selector"])
def test_any_one_part_in_python_will_do(part: str) -> None:
    known: dict[str, Any] = {"learner": RecursiveLeastSquares(), "selector": Contest()}
    compiled = simulate(WarmBandit(3, seed=5, **{part: known[part]}), PROBLEM.X, **COMMON)
    own: dict[str, Any] = {part: InPython(known[part])}
    python = simulate(WarmBandit(3, seed=5, **own), PROBLEM.X, **COMMON)
    assert python.bandit._compiled is None
    np.testing.assert_array_equal(compiled.trace.actions, python.trace.actions)
    assert fingerprint(compiled.bandit) == fingerprint(python.bandit)


# Parts of somebody's own


OWN: dict[str, Any] = {"explorer": Softmax(0.2), "selector": LastWins(0.3), "learner": MeanCosts()}


@pytest.mark.slow
@pytest.mark.parametrize("part", OWN)
def test_own_parts_play_learn_and_are_saved(part: str, tmp_path: Path) -> None:
    def made() -> WarmBandit:
        return WarmBandit(3, epsilon=0.2, seed=5, **{part: OWN[part]})

    live = simulate(made(), PROBLEM.X, **COMMON, compiled=False)
    run = simulate(made(), PROBLEM.X, **COMMON)
    np.testing.assert_array_equal(run.trace.actions, live.trace.actions)
    bandit = run.bandit
    bandit.save(tmp_path / "b.warmcb")
    with pytest.raises(ModelFileError, match=f"it has the part {type(OWN[part]).__name__}; expected load"):
        load(tmp_path / "b.warmcb")
    again = load(tmp_path / "b.warmcb", parts=[type(OWN[part])])
    for twin in (again, pickle.loads(pickle.dumps(bandit)), copy.deepcopy(bandit)):
        assert fingerprint(twin) == fingerprint(bandit)
    policy = bandit.policy()
    policy.save(tmp_path / "p.warmcb")
    loaded = load(tmp_path / "p.warmcb", parts=[type(OWN[part])])
    expected = [bandit.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:40])]
    bandit.learn(PROBLEM.X[0], 0, 1.0, 0.5)
    for one in (policy, loaded):
        assert [one.decide(x, key=i) for i, x in enumerate(PROBLEM.X[:40])] == expected


class Unbounded(Softmax):
    """It cannot tell how rare an action may be."""

    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        return math.inf


def test_an_explorer_without_bounds_gives_no_evidence(tmp_path: Path) -> None:
    bandit = WarmBandit(3, epsilon=0.2, explorer=Unbounded(), cost_range=(0, 1))
    run = simulate(bandit, PROBLEM.X, **COMMON)
    np.testing.assert_array_equal(run.bandit.intervals_[:-1], [[-1.0, 1.0]] * 2)
    run.bandit.save(tmp_path / "b.warmcb")


def test_own_parts_show_their_arguments() -> None:
    assert repr(LastWins(0.3)) == "LastWins(limit=0.3)"


def test_own_parts_in_any_mixture() -> None:
    run = simulate(WarmBandit(3, epsilon=0.2, seed=5, **OWN), PROBLEM.X, **COMMON, actions=some_allowed(500))
    assert np.isfinite(run.average_cost)
    assert run.bandit.learner_ == "MeanCosts"
    assert run.bandit.intervals_.shape == (3, 2) and not run.bandit.dropped_.any()


class TooMuch(Softmax):
    """Its probabilities sum to 2."""

    def distribution(self, opinions: Opinions) -> NDArray[np.float64]:
        return 2 * super().distribution(opinions)


def test_what_is_no_distribution_is_refused() -> None:
    bandit = WarmBandit(3, explorer=TooMuch())
    with pytest.raises(InputError, match=r"TooMuch gave the probabilities .*; expected numbers of at least 0 that sum"):
        bandit.decide(PROBLEM.X[0])


@dataclass
class Broken(Explorer):
    """Gives whatever it was told to give."""

    given: Any = None
    weight: Any = 2.0

    def distribution(self, opinions: Opinions) -> Any:
        return self.given

    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        return self.weight  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "given", [None, [1.0], [0.5, 0.5, 0.5], [2.0, -1.0, 0.0], ["a", "b", "c"], [[1.0], [0.0, 0.0], [0.0]]]
)
def test_broken_distributions(given: Any) -> None:
    with pytest.raises(InputError, match="Broken gave the probabilities"):
        WarmBandit(3, explorer=Broken(given)).decide(PROBLEM.X[0])


@pytest.mark.parametrize("weight", [math.nan, -5.0, 0.0, None, "much"])
def test_broken_weights(weight: Any) -> None:
    with pytest.raises(InputError, match="Broken gave the largest weight"):
        WarmBandit(3, explorer=Broken([1.0, 0.0, 0.0], weight)).learn(PROBLEM.X[0], 0, 0.5, 0.5)


@pytest.mark.parametrize("scores", [np.full((3, 8), np.nan), np.zeros((1, 8)), np.zeros((3, 1)), 5.0])
def test_broken_scores(scores: Any) -> None:
    class Scores(MeanCosts):
        """Predicts what it was told."""

        def start(self, n_features: int, n_actions: int, n_lanes: int) -> "Scores":
            return Scores()

        def predict(self, rows: Rows, i: int) -> Any:
            return scores

    bandit = WarmBandit(3, learner=Scores())
    for call in (lambda: bandit.decide(PROBLEM.X[0]), lambda: bandit.learn(PROBLEM.X[0], 0, 0.5, 0.5)):
        with pytest.raises(InputError, match=r"Scores predicted .*; expected finite numbers"):
            call()


class OfAnotherSize:
    """Starts a part for other sizes than it was asked for."""

    def __init__(self, part: Any, *shape: int) -> None:
        self.part, self.shape = part, shape

    def start(self, *_: int) -> Any:
        return self.part.start(*self.shape)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"selector": OfAnotherSize(Contest(), 1000)}, "selector has lanes of the shape"),
        ({"selector": OfAnotherSize(ProgressiveValidation(), 7)}, "selector has lanes of the shape"),
        ({"learner": OfAnotherSize(OnlineLinear(), 6, 3, 7)}, "learner has the shape"),
        ({"learner": OfAnotherSize(OnlineLinear(), 6, 2, 8)}, "learner has the shape"),
        ({"explorer": OfAnotherSize(Contest(), 8)}, "explorer is .*, which has no distribution"),
        ({"selector": Softmax()}, "takes|has no best"),
    ],
)
def test_parts_of_another_size_or_kind(options: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        WarmBandit(3, **options).decide(PROBLEM.X[0])


def test_an_explorer_may_use_its_array_again() -> None:
    class Reuses(Softmax):
        """Gives the same array each time."""

        def start(self) -> "Reuses":
            started = Reuses()
            started.room = np.empty(3)  # type: ignore[attr-defined]
            return started

        def distribution(self, opinions: Opinions) -> NDArray[np.float64]:
            self.room[:] = super().distribution(opinions)  # type: ignore[attr-defined]
            return self.room  # type: ignore[attr-defined,no-any-return]

    bandit = WarmBandit(3, explorer=Reuses()).warm_start(PROBLEM.X[:50], costs=PROBLEM.costs[:50])
    first = bandit.decide(PROBLEM.X[0])
    kept = first.probabilities.copy()
    bandit.decide(PROBLEM.X[1])
    np.testing.assert_array_equal(first.probabilities, kept)


def test_a_part_may_not_be_saved_under_the_name_of_another(tmp_path: Path) -> None:
    own = type("InverseGap", (Softmax,), {})
    with pytest.raises(ModelFileError, match="a name that warmcb uses; expected another name"):
        WarmBandit(3, explorer=own()).save(tmp_path / "b.warmcb")


def test_parts_that_make_no_sense_are_refused() -> None:
    wrong: Any = 7
    with pytest.raises(InputError, match=f"explorer is 7; expected one of {', '.join(EXPLORERS)}, or your own object"):
        WarmBandit(3, explorer=wrong)
    with pytest.raises(InputError, match=r"selector is <class .*Contest.*>; expected"):
        WarmBandit(3, selector=Contest)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rule is 'best'; expected one of forecast"):
        Contest("best")
    with pytest.raises(InputError, match=r"floor is 1\.5; expected a number in"):
        InverseGap(floor=1.5)
    with pytest.raises(InputError, match="ridge is 0; expected a number from 1e-6"):
        RecursiveLeastSquares(ridge=0)
    with pytest.raises(InputError, match="features is 'linear' with learner='online'"):
        WarmBandit(3, learner="online", features="linear")


def test_a_file_names_no_class_that_nobody_gave(tmp_path: Path) -> None:
    WarmBandit(3, explorer=Softmax()).save(tmp_path / "b.warmcb")
    with pytest.raises(
        InputError, match="parts has a class InverseGap, a name that warmcb uses; expected another name"
    ):
        load(tmp_path / "b.warmcb", parts=[InverseGap])
    with pytest.raises(InputError, match="parts has 7; expected classes"):
        load(tmp_path / "b.warmcb", parts=[7])  # type: ignore[list-item]


# The constants that were compiled in


def test_default_parts_are_what_their_names_stand_for() -> None:
    objects: dict[str, Any] = {
        "explorer": InverseGap(10.0, 0.02, 100.0),
        "selector": Contest("forecast", 10.0, 3.0, 0.05),
        "learner": RecursiveLeastSquares("bends", None, 30.0, 1.0, 60.0, 0.5, 256, 192, True, 32, 128),
    }
    runs = [simulate(WarmBandit(3, seed=5, **options), PROBLEM.X, **COMMON) for options in ({}, objects)]
    np.testing.assert_array_equal(runs[0].trace.probabilities, runs[1].trace.probabilities)
    assert fingerprint(runs[0].bandit) == fingerprint(runs[1].bandit)


@pytest.mark.parametrize(
    "changed",
    [
        {"explorer": InverseGap(sharpness=1.0)},
        {"explorer": InverseGap(floor=0.9)},
        {"explorer": InverseGap(patience=3.0)},
        {"selector": Contest(error_weight=0.0)},
        {"selector": Contest(contention=0.0)},
        {"learner": RecursiveLeastSquares(ridge=0.1)},
        {"learner": RecursiveLeastSquares(first_guess=0.1)},
        {"learner": RecursiveLeastSquares(largest=0.5)},
        {"learner": RecursiveLeastSquares(settled_at=1)},
        {"learner": RecursiveLeastSquares(exact_terms=3, memories=(50.0,))},
        {"learner": OnlineLinear(learning_rate=3.0)},
        {"selector": ProgressiveValidation()},
        {"explorer": EpsilonGreedy()},
    ],
    ids=repr,
)
def test_every_argument_matters(changed: dict[str, Any]) -> None:
    plain, other = (simulate(WarmBandit(3, epsilon=0.3, seed=5, **opts), PROBLEM.X, **COMMON) for opts in ({}, changed))
    assert not np.array_equal(plain.trace.probabilities, other.trace.probabilities)


def test_the_chance_of_a_wrong_interval_is_an_argument() -> None:
    widths = []
    for error in (0.01, 0.5):
        run = simulate(
            WarmBandit(3, epsilon=0.5, selector=Contest(error=error), cost_range=(0, 1)), PROBLEM.X, **COMMON
        )
        widths.append(np.diff(run.bandit.intervals_).sum())
    assert widths[0] > widths[1]


def test_parameters_of_parts() -> None:
    bandit = WarmBandit(3, explorer=InverseGap(sharpness=3.0))
    assert bandit.get_params(deep=True)["explorer__sharpness"] == 3.0
    assert "explorer__sharpness" not in bandit.get_params()
    bandit.set_params(explorer__sharpness=4.0, epsilon=0.2)
    assert bandit.explorer == InverseGap(sharpness=4.0) and bandit.epsilon == 0.2
    bandit.set_params(explorer__floor=0.5, explorer=InverseGap())
    assert bandit.explorer == InverseGap(floor=0.5)
    with pytest.raises(InputError, match="WarmBandit has no parameter explorer__floor"):
        bandit.set_params(explorer="inverse-gap", explorer__floor=0.5)
    bandit.set_params(explorer=InverseGap(sharpness=4.0))
    assert contracts.parameters(Softmax(0.3)) == {"temperature": 0.3}
    assert eval(repr(bandit), {"WarmBandit": WarmBandit, "InverseGap": InverseGap}).explorer == bandit.explorer
