"""Least squares of described actions: against batch solutions in float64, cases by hand, ids that come and go."""

from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.least_squares import Doubles, Floats, make, same_bits
from warmcb import SharedBandit, WarmBandit
from warmcb._core import Offers, Pairing, RecursiveLeastSquares, Rows, instruction_sets, thaw
from warmcb.contracts import Outcome

RIDGES = {"ridge": 10.0, "intercept_ridge": 1.0, "cross_ridge": 100.0, "bend_ridge": 2.0, "identity_ridge": 5.0}


class Shown(NamedTuple):
    """Rounds as the core has them; the actions of round i are the rows of A from starts[i] on. Names: 0 is nobody's."""

    X: Floats
    A: Floats
    starts: NDArray[np.int64]
    names: NDArray[np.uint64]

    @property
    def pairing(self) -> Pairing:
        return Pairing("joint", self.X.shape[1], self.A.shape[1], 0, 0)

    def sizes(self) -> list[int]:
        return [int(size) for size in np.diff(self.starts)]

    def offers(self, n: int | None = None) -> Offers:
        """The first n rounds."""
        starts = self.starts[: None if n is None else n + 1].copy()
        rows, rounds = int(starts[-1]), len(starts) - 1
        contexts = Rows(self.X[:rounds].copy()) if self.X.shape[1] else None
        names = self.names[:rows].copy() if self.names.any() else None
        return Offers(contexts, Rows(self.A[:rows].copy()), starts, names)

    def pairs(self) -> Floats:
        """Contexts and actions side by side, one row for each action."""
        return np.hstack([np.repeat(self.X, np.diff(self.starts), axis=0), self.A])


def shown(random: np.random.Generator, n: int, contexts: int, described: int, names: int = 0, most: int = 5) -> Shown:
    """Features of any unit, some of three values."""
    sizes = random.integers(1, most + 1, size=n)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    X, A = random.normal(size=(n, contexts)), random.normal(size=(int(starts[-1]), described))
    few = random.random(described) < 0.3
    A[:, few] = random.integers(3, size=(len(A), int(few.sum())))
    X, A = (one * 10.0 ** random.uniform(-2, 2, size=one.shape[1]) for one in (X, A))
    of_rows = random.integers(1, names + 1, size=len(A)) if names else np.zeros(len(A))
    return Shown(X.astype(np.float32), A.astype(np.float32), starts, of_rows.astype(np.uint64))


def start(data: Shown, lanes: int = 1, **options: Any) -> RecursiveLeastSquares:
    widths = {"contexts": data.X.shape[1], "crosses": True, "most_identities": 1000}
    return make(data.pairing.features, 1, lanes, **widths | RIDGES | options)


def update(
    learner: RecursiveLeastSquares, data: Shown, i: int, action: int, cost: float, weights: Any = (1.0,)
) -> None:
    offers = data.offers()
    scores = learner.predict_described(data.pairing, offers, i)
    outcome = Outcome(scores, np.zeros(learner.lanes, dtype=np.int32), action, cost, 1.0, 1.0, 1.0)
    learner.update_described(data.pairing, offers, i, outcome, np.asarray(weights, dtype=np.float64))


def terms(learner: RecursiveLeastSquares, data: Shown, translate: bool) -> Doubles:
    """Of every action of every round."""
    rows = Rows(data.pairs())
    return np.array([learner.terms(rows, k, translate) for k in range(len(rows))], dtype=np.float64)


class Lessons(NamedTuple):
    """What was learned, in order: the row of the action, its cost, its weight in each lane, and if it was a label."""

    rows: NDArray[np.int64]
    costs: Doubles
    weights: Doubles
    is_label: NDArray[np.bool_]


def learn_all(learner: RecursiveLeastSquares, data: Shown, random: np.random.Generator, labels: int) -> Lessons:
    """Labels of the first rounds, some of them unknown, and then one action of each other round."""
    lam, learned = np.linspace(0, 1, learner.lanes + 1)[1:] * 0.9, []
    if labels:
        costs = random.random(int(data.starts[labels]))
        costs[random.random(len(costs)) < 0.2] = np.nan
        learner.teach_described(data.pairing, data.offers(labels), costs, 1 - lam)
        learned = [(row, cost, 1 - lam, True) for row, cost in enumerate(costs) if not np.isnan(cost)]
    for i, size in enumerate(data.sizes()):
        if i < labels:
            continue
        action, cost = int(random.integers(size)), float(random.random())
        update(learner, data, i, action, cost, lam)
        learned.append((int(data.starts[i]) + action, cost, lam, False))
    return Lessons(*(np.array(column) for column in zip(*learned, strict=True)))


def seen(learner: RecursiveLeastSquares, data: Shown, lessons: Lessons) -> tuple[Doubles, Doubles]:
    """The terms of what was learned, and the ridge of each of them."""
    labels, rounds = terms(learner, data, False)[lessons.rows], terms(learner, data, True)[lessons.rows]
    phi = np.where(lessons.is_label[:, None], labels, rounds)
    features, _, translations, products, bends, contexts, _ = learner.state()["shape"].astype(int)
    plain = 1 + features + len(learner.state()["squared"])
    crossings = contexts * (features - contexts)
    assert phi.shape[1] == plain + crossings + translations + bends + products
    ridges = np.full(phi.shape[1], RIDGES["ridge"])
    ridges[0] = RIDGES["intercept_ridge"]
    ridges[plain : plain + crossings] = RIDGES["cross_ridge"]
    ridges[plain + crossings + translations :][:bends] = RIDGES["bend_ridge"]
    return phi, ridges


# Weights


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(1, 3), st.integers(0, 100), st.sampled_from([0, 9]))
def test_weights_are_those_of_a_batch(seed: int, contexts: int, described: int, labels: int, bends: int) -> None:
    """Products and all: each nested model is a ridge regression over the first of the learner's own terms."""
    random = np.random.default_rng(seed)
    data = shown(random, 180, contexts, described)
    learner = start(data, 3, bends=bends, translations=1 if bends else 0, products=8)
    lessons = learn_all(learner, data, random, labels)
    phi, ridges = seen(learner, data, lessons)
    assert len(learner.models[-1]) == phi.shape[1]
    for models in learner.models:
        size = len(models)
        for lane in range(3):
            of_lane = lessons.weights[:, lane]
            moment = phi[:, :size].T @ (of_lane * lessons.costs)
            moment[0] += ridges[0] * 0.5
            gram = (phi[:, :size].T * of_lane) @ phi[:, :size] + np.diag(ridges[:size])
            np.testing.assert_allclose(models[:, 0, lane], np.linalg.solve(gram, moment), atol=2e-4)


def in_blocks(
    phi: Doubles, names: NDArray[np.uint64], lessons: Lessons, lane: int, ridges: Doubles
) -> tuple[Doubles, dict[int, float], dict[int, float]]:
    """Kalman's equations with two blocks that know nothing of each other: weights of terms, and the effect of a name.

    The weights, and the effect and the variance of each name.
    """
    covariance, weights = np.diag(1 / ridges), np.zeros(len(ridges))
    weights[0] = 0.5
    effects: dict[int, float] = {}
    variances: dict[int, float] = {}
    for row, name, cost, weight in zip(phi, names.tolist(), lessons.costs, lessons.weights[:, lane], strict=True):
        effect, variance = effects.get(name, 0.0), variances.get(name, 1 / RIDGES["identity_ridge"])
        error = cost - row @ weights - effect
        spread = 1 / weight + row @ covariance @ row + variance  # of the error
        gain = covariance @ row / spread
        weights = weights + gain * error
        covariance = covariance - spread * np.outer(gain, gain)
        effects[name] = effect + variance / spread * error
        variances[name] = 1 / (1 / variance + weight)
    return weights, effects, variances


@settings(max_examples=15)
@given(st.integers(0, 2**32), st.integers(0, 2), st.integers(0, 2), st.integers(0, 60), st.sampled_from([0, 6]))
def test_effects_of_names_are_a_block_of_their_own(
    seed: int, contexts: int, described: int, labels: int, bends: int
) -> None:
    random = np.random.default_rng(seed)
    data = shown(random, 170, contexts, described, names=9)
    learner = start(data, 2, bends=bends if described else 0)
    lessons = learn_all(learner, data, random, labels)
    phi, ridges = seen(learner, data, lessons)
    names, state = data.names[lessons.rows], learner.state()
    known = state["models_identities"].tolist()
    assert known == sorted(set(names.tolist()))
    effects = state["models_effects"].reshape(len(known), len(learner.models), 2)
    variances = state["models_effect_variances"].reshape(len(known), 2)
    for k, models in enumerate(learner.models):
        for lane in range(2):
            found = in_blocks(phi[:, : len(models)], names, lessons, lane, ridges[: len(models)])
            np.testing.assert_allclose(models[:, 0, lane], found[0], atol=2e-4)
            np.testing.assert_allclose(effects[:, k, lane], [found[1][name] for name in known], atol=2e-4)
            np.testing.assert_allclose(variances[:, lane], [found[2][name] for name in known], rtol=1e-4)


def without_features(sizes: list[int], names: list[int]) -> Shown:
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    empty = np.empty((len(names), 0), dtype=np.float32)
    return Shown(empty[: len(sizes)], empty, starts, np.array(names, dtype=np.uint64))


@pytest.mark.parametrize("n", [1, 2, 5, 50])
def test_an_effect_shrinks_by_hand(n: int) -> None:
    """N costs of 1 where ½ was expected, for sure: the effect is ½·n/(n + 5)."""
    data = without_features([2] * n, [1, 2] * n)
    learner = start(data, intercept_ridge=1e6)
    for i in range(n):
        update(learner, data, i, 0, 1.0)
    said = learner.predict_described(data.pairing, data.offers(), 0)[:, 0]
    np.testing.assert_allclose(said, [0.5 + 0.5 * n / (n + 5), 0.5], atol=1e-4)
    np.testing.assert_allclose(learner.state()["models_effect_variances"], 1 / (5 + n), rtol=1e-4)


def test_a_new_name_starts_from_its_description() -> None:
    random = np.random.default_rng(2)
    data = shown(random, 200, 2, 2, names=9)
    learner = start(data)
    learn_all(learner, data, random, 50)
    new = data._replace(names=np.full(len(data.A), 77, dtype=np.uint64))
    nobody = data._replace(names=np.zeros(len(data.A), dtype=np.uint64))
    np.testing.assert_array_equal(
        learner.predict_described(new.pairing, new.offers(), 3),
        learner.predict_described(data.pairing, nobody.offers(), 3),
    )
    known = learner.predict_described(data.pairing, data.offers(), 3)
    assert np.abs(known - learner.predict_described(new.pairing, new.offers(), 3)).min() > 1e-4


# Names that are let go


def known_after(most: int, learned: list[int]) -> list[int]:
    data = without_features([1] * len(learned), learned)
    learner = start(data, most_identities=most)
    for i in range(len(learned)):
        update(learner, data, i, 0, 0.3)
    return [int(name) for name in learner.state()["models_identities"]]


def test_the_older_half_of_effects_is_dropped() -> None:
    assert known_after(6, [1, 2, 3, 4, 5, 6]) == [1, 2, 3, 4, 5, 6]
    assert known_after(6, [1, 2, 3, 4, 5, 6, 7]) == [4, 5, 6, 7]
    assert known_after(6, [1, 2, 3, 4, 5, 6, 1, 7]) == [1, 5, 6, 7]  # 1 was learned again
    assert known_after(5, [1, 2, 3, 4, 5, 6]) == [4, 5, 6]
    assert known_after(2, [1, 2, 3, 4]) == [3, 4]
    assert known_after(6, [*range(1, 7), 7, 8, 9]) == [4, 5, 6, 7, 8, 9]


@given(st.integers(2, 12), st.lists(st.integers(1, 30), min_size=1, max_size=120))
@settings(max_examples=25)
def test_memory_is_bounded(most: int, learned: list[int]) -> None:
    known = known_after(most, learned)
    assert len(known) <= most and learned[-1] in known
    latest = list(dict.fromkeys(reversed(learned)))
    assert set(known) <= set(latest)
    kept = len(known)
    assert sorted(known) == sorted(latest[:kept])  # the latest ones, none left out


def test_a_dropped_effect_starts_from_nothing() -> None:
    data = without_features([1] * 30, [1] * 10 + list(range(2, 22)))
    learner = start(data, most_identities=4, intercept_ridge=1e6)
    for i in range(10):
        update(learner, data, i, 0, 1.0)
    before = learner.predict_described(data.pairing, data.offers(), 0)[0, 0]
    for i in range(10, 30):
        update(learner, data, i, 0, 0.5)
    after = learner.predict_described(data.pairing, data.offers(), 0)[0, 0]
    assert before > 0.8 and abs(after - 0.5) < 1e-3


# Units


def test_units_come_from_all_that_was_on_offer() -> None:
    """The second action is never played, and lies elsewhere."""
    random = np.random.default_rng(4)
    n, starts = 40, np.arange(0, 81, 2)
    A = random.normal(size=(80, 2)).astype(np.float32)
    A[1::2] += [3.0, -8.0]
    data = Shown(random.normal(size=(n, 1)).astype(np.float32), A, starts, np.zeros(80, dtype=np.uint64))
    learner = start(data, settled_at=32)
    for i in range(n):
        update(learner, data, i, 0, 0.5)
    first = data.pairs()[:64].astype(np.float64)
    np.testing.assert_allclose(learner.state()["centre"], first.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(learner.state()["inverse"], 1 / first.std(axis=0), rtol=1e-5)


def test_of_many_actions_eight_are_met_in_turns() -> None:
    random = np.random.default_rng(5)
    n, size = 32, 21
    A = random.normal(size=(n * size, 1)).astype(np.float32)
    data = Shown(np.empty((n, 0), np.float32), A, np.arange(0, n * size + 1, size), np.zeros(n * size, np.uint64))
    learner = start(data, settled_at=n)
    for i in range(n):
        update(learner, data, i, 0, 0.5)
    met = [size * i + (k * size // 8 + i) % size for i in range(n) for k in range(8)]
    np.testing.assert_allclose(learner.state()["centre"], A[met].mean(axis=0, dtype=np.float64), rtol=1e-4)


# States


@pytest.mark.parametrize("saved_at", [3, 60, 150])
def test_a_state_and_a_snapshot_with_names(saved_at: int) -> None:
    random = np.random.default_rng(6)
    data = shown(random, 220, 2, 3, names=30)
    options: dict[str, Any] = {"memories": [100.0, 30.0, 0.0], "most_identities": 12, "translations": 1, "products": 8}
    learner, resumed = start(data, 2, **options), start(data, 2, **options)
    learner.teach_described(data.pairing, data.offers(20), random.random(int(data.starts[20])), np.array([1.0, 0.3]))
    for i in range(20, 20 + saved_at):
        update(learner, data, i, 0, float(i % 3) / 2, (0.0, 0.7))
    resumed.restore(learner.state())
    snapshot: Any = learner.snapshot()
    expected = [learner.predict_described(data.pairing, data.offers(), i) for i in range(50)]
    for i, scores in enumerate(expected):
        np.testing.assert_array_equal(snapshot.predict_described(data.pairing, data.offers(), i), scores)
        np.testing.assert_array_equal(thaw(snapshot.state()).predict_described(data.pairing, data.offers(), i), scores)
    for i in range(170, 220):
        for one in (learner, resumed):
            update(one, data, i, 0, float(i % 3) / 2, (0.0, 0.7))
    assert same_bits(learner, resumed)


@pytest.mark.parametrize("widest", [256, 4], ids=["exact", "in blocks"])
def test_every_instruction_set_gives_the_same_bits(widest: int) -> None:
    random = np.random.default_rng(7)
    data = shown(random, 150, 3, 4, names=8)
    results = []
    for name in instruction_sets():
        learner = start(data, 3, widest=widest, instruction_set=name, memories=[100.0, 30.0, 0.0])
        for i in range(150):
            update(learner, data, i, 0, float(i % 3) / 2, (0.2, 0.7, 1.0))
        said = [learner.predict_described(data.pairing, data.offers(), i).tobytes() for i in range(150)]
        results.append([*(part.tobytes() for part in learner.state().values()), *said])
    assert all(result == results[0] for result in results)


# One-hot descriptions


@pytest.mark.parametrize("labels", ["none", "right ones", "costs"])
def test_one_hot_descriptions_are_numbers(labels: str) -> None:
    """Decisions, probabilities and predictions are bit for bit WarmBandit's, whatever is allowed."""
    random = np.random.default_rng(8)
    n, k = 500, 4
    X = random.normal(size=(n, 3))
    costs = np.clip(0.5 + 0.3 * X @ random.normal(size=(3, k)) + 0.1 * random.normal(size=(n, k)), 0, 1)
    shared, numbered = SharedBandit(seed=3), WarmBandit(k, seed=3, optimism=0)
    whole = [np.eye(k)] * 60
    if labels == "right ones":
        shared.warm_start(X[:60], whole, costs[:60].argmin(axis=1))
        numbered.warm_start(X[:60], costs[:60].argmin(axis=1))
    elif labels == "costs":
        shared.warm_start(X[:60], whole, costs=list(costs[:60]))
        numbered.warm_start(X[:60], costs=costs[:60])
    for i in range(60, n):
        allowed = np.sort(random.permutation(k)[: random.integers(2 if i == 60 else 1, k + 1)])
        ours = shared.decide(X[i], np.eye(k)[allowed])
        theirs = numbered.decide(X[i], actions=allowed.tolist())
        assert allowed[ours.action] == theirs.action
        np.testing.assert_array_equal(ours.probabilities, theirs.probabilities[allowed])
        shared.learn(X[i], ours, costs[i, theirs.action])
        numbered.learn(X[i], theirs, costs[i, theirs.action])
    assert shared.learner_ == numbered.learner_ and shared.lambda_ == numbered.lambda_
    np.testing.assert_array_equal(shared.predict_costs(X[:60], whole), numbered.predict_costs(X[:60]))
