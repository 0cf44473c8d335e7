"""Recursive least squares: a case by hand, a plain NumPy twin, a million rounds, and whatever data may look like."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from problems import learn_one
from warmcb._core import (
    Composition,
    Costs,
    EpsilonGreedy,
    ProgressiveValidation,
    RecursiveLeastSquares,
    Rows,
    Stream,
    Trial,
    instruction_sets,
)

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
WIDEST = 256
RIDGE = 10.0


def make(features: int, actions: int = 2, lanes: int = 1, **options: Any) -> RecursiveLeastSquares:
    return RecursiveLeastSquares(features, actions, lanes, **{"widest": WIDEST, "block": 8, "squares": True} | options)


def as_rows(X: NDArray[Any], is_sparse: bool = False) -> Rows:
    X = np.ascontiguousarray(X, dtype=np.float32)
    if not is_sparse:
        return Rows(X)
    csr = sparse.csr_array(X)
    return Rows(csr.data, csr.indices.astype(np.int32), csr.indptr.astype(np.int64), X.shape[1])


def update(learner: RecursiveLeastSquares, x: Any, action: int, cost: float, weights: Any = (1.0,)) -> None:
    rows = as_rows(np.atleast_2d(x))
    learn_one(learner, rows, 0, action, cost, np.array(weights, dtype=np.float64), learner.predict(rows, 0))


def teach(learner: RecursiveLeastSquares, X: NDArray[Any], costs: Doubles, weights: Any = (1.0,)) -> None:
    learner.teach(as_rows(X), Costs(np.ascontiguousarray(costs)), np.array(weights, dtype=np.float64))


def predictions(learner: RecursiveLeastSquares, X: NDArray[Any]) -> Doubles:
    rows = as_rows(X)
    return np.array([learner.predict(rows, i) for i in range(len(rows))], dtype=np.float64)


def play(learner: RecursiveLeastSquares, X: NDArray[Any], costs: Doubles) -> NDArray[np.int32]:
    """Compiled rounds that explore uniformly; the actions."""
    n, lanes = len(X), learner.lanes
    actions, in_charge = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    trial = Trial(learner.actions, 0, 0.0)
    rounds = Composition(learner, ProgressiveValidation(lanes), EpsilonGreedy(), trial, 1.0)
    rounds.weigh([1.0] * lanes, [0] * learner.actions, 0.0)
    rounds.play(Stream(3, 0), as_rows(X), Costs(costs), 0, n, 0, 0, actions, np.empty(n), np.empty(n), in_charge)
    return actions


class Twin:
    """The same learner as its description has it: normal equations in float64, solved anew for each prediction.

    Wide data have no centres; that all of their terms are in one block is for the caller to see to.
    """

    def __init__(
        self,
        features: int,
        actions: int,
        lanes: int,
        widest: int = WIDEST,
        squares: bool = True,
        centres: bool = True,
    ) -> None:
        self.features, self.seen, self.centres = features, 0, centres
        self.counted = 0  # since the last renewal
        self.peaks = np.zeros(features)
        self.most_terms = min(widest, 1 + 2 * features) if squares else 1 + features
        self.sums, self.squares = np.zeros(features), np.zeros(features)
        self.centre, self.inverse = np.zeros(features), np.zeros(features)
        self.values: list[set[float]] = [set() for _ in range(features)]
        self.squared: list[int] = []
        self.ridges = np.full(1 + features, RIDGE)
        self.precision = np.tile(RIDGE * np.eye(1 + features), (actions, lanes, 1, 1))
        self.moment = np.zeros((actions, lanes, 1 + features))
        self.moment[:, :, 0] = RIDGE * 0.5

    def weights(self) -> Doubles:
        return np.asarray(np.linalg.solve(self.precision, self.moment[..., None])[..., 0], dtype=np.float64)

    def predict(self, x: Floats) -> Doubles:
        return self.weights() @ self.phi(x)

    def update(self, x: Floats, action: int, cost: float, weights: Doubles) -> None:
        self.see(x)
        self.absorb(self.phi(x), [action], [cost], weights)

    def teach(self, x: Floats, costs: Doubles, weights: Doubles) -> None:
        self.see(x)
        self.absorb(self.phi(x), range(len(costs)), costs, weights)

    def phi(self, x: Floats) -> Doubles:
        z = np.clip((x.astype(np.float64) - self.centre) * self.inverse, -5, 5)
        return np.concatenate([[1.0], z, z[self.squared] ** 2 / 2])

    def absorb(self, phi: Doubles, actions: Any, costs: Any, weights: Doubles) -> None:
        for action, cost in zip(actions, costs, strict=True):
            self.precision[action] += weights[:, None, None] * np.outer(phi, phi)
            self.moment[action] += weights[:, None] * cost * phi

    def see(self, row: Floats) -> None:
        x = row.astype(np.float64)
        self.seen += 1
        self.counted += 1
        moved = self.inverse > 0
        reach = 10 / np.where(moved, self.inverse, 1.0)
        tame = np.where(moved, np.clip(x, self.centre - reach, self.centre + reach), x)
        self.sums += tame
        self.squares += tame * tame
        self.peaks = np.maximum(self.peaks, np.abs(tame))
        for j in range(self.features):
            self.values[j].add(x[j])
            if self.seen == 1 and self.centres:
                self.centre[j] = x[j]
            elif self.inverse[j] == 0 and x[j] != self.centre[j]:
                self.inverse[j] = self.inverse_deviation(j, abs(x[j] - self.centre[j]))
        if self.seen >= 4 and self.seen & (self.seen - 1) == 0:
            self.renew()

    def mean(self, j: int) -> float:
        return float(self.sums[j] / self.counted) if self.centres else 0.0

    def inverse_deviation(self, j: int, instead: float) -> float:
        mean = self.mean(j)
        variance = self.squares[j] / self.counted - mean**2
        deviation = np.sqrt(variance) if variance > 1e-13 * mean**2 else instead
        farthest = self.peaks[j]
        if self.centres:
            farthest = max(abs(value - mean) for value in self.values[j]) if len(self.values[j]) <= 2 else 0.0
        return float(1 / max(deviation, farthest / 5))

    def renew(self) -> None:
        a, b = np.ones(self.features), np.zeros(self.features)
        for j in np.flatnonzero(self.inverse).tolist():
            mean, renewed = self.mean(j), self.inverse_deviation(j, 1 / self.inverse[j])
            scale, shift = renewed / self.inverse[j], (self.centre[j] - mean) * renewed
            self.centre[j], self.inverse[j] = mean, renewed
            if self.ridges[1 + j] * scale**2 <= 4 * RIDGE and scale > 1e-3 and abs(shift) < 1e3:
                a[j], b[j] = scale, shift
            else:
                self.start_anew(1 + j)
                if j in self.squared:
                    self.start_anew(1 + self.features + self.squared.index(j))
        self.change_coordinates(a, b)
        if self.seen <= 64:
            self.sums[:], self.squares[:], self.counted = 0.0, 0.0, 0
        for j in range(self.features):
            if len(self.values[j]) > 2 and j not in self.squared and len(self.ridges) < self.most_terms:
                self.add_square(j)
        missing = np.where(self.ridges < 0.9 * RIDGE, RIDGE - self.ridges, 0.0)
        missing[0] = 0
        self.precision += np.diag(missing)
        self.ridges += missing

    def change_coordinates(self, a: Doubles, b: Doubles) -> None:
        """(1, z, z²/2) of z' = a·z + b, from those of z."""
        matrix = np.diag(np.concatenate([[1.0], a, a[self.squared] ** 2]))
        matrix[1 : 1 + self.features, 0] = b
        for s, j in enumerate(self.squared, 1 + self.features):
            matrix[s, 1 + j] = a[j] * b[j]
            matrix[s, 0] = b[j] ** 2 / 2
        self.precision = matrix @ self.precision @ matrix.T
        self.moment = self.moment @ matrix.T
        self.ridges *= np.diag(matrix) ** 2

    def start_anew(self, term: int) -> None:
        """The other weights stay; a covariance goes without the part that the terms behind this one do not explain."""
        weights, covariance = self.weights(), np.linalg.inv(self.precision)
        behind = slice(term + 1, None)
        explained = np.linalg.solve(covariance[..., behind, behind], covariance[..., behind, term, None])
        own = covariance[..., term] - (covariance[..., behind] @ explained)[..., 0]
        covariance -= own[..., :, None] * own[..., None, :] / own[..., None, term, None]
        covariance[..., term, :] = covariance[..., :, term] = 0
        covariance[..., term, term] = 1 / RIDGE
        weights[..., term] = 0
        self.precision = np.linalg.inv(covariance)
        self.moment = (self.precision @ weights[..., None])[..., 0]
        self.ridges[term] = RIDGE

    def add_square(self, feature: int) -> None:
        self.squared.append(feature)
        self.ridges = np.append(self.ridges, RIDGE)
        self.precision = np.pad(self.precision, [(0, 0), (0, 0), (0, 1), (0, 1)])
        self.precision[..., -1, -1] = RIDGE
        self.moment = np.pad(self.moment, [(0, 0), (0, 0), (0, 1)])


def test_by_hand() -> None:
    """One feature, 3 or 5, of deviation 1; the prior is ten examples of ½ for the intercept, of 0 for the slope."""
    learner = make(1)
    X = np.array([[3.0], [5.0]])
    np.testing.assert_array_equal(predictions(learner, X)[:, :, 0], 0.5)
    update(learner, X[0], 0, 1.0)  # z = 0: nothing has moved yet
    np.testing.assert_allclose(predictions(learner, X)[:, 0, 0], 6 / 11, rtol=1e-6)
    update(learner, X[1], 0, 0.0)  # z = 2: the centre is the first value still, so [[12, 2], [2, 14]]·w = (6, 0)
    np.testing.assert_allclose(predictions(learner, X)[:, 0, 0], [84 / 164, 60 / 164], rtol=1e-6)
    update(learner, X[1], 0, 0.0)  # [[13, 4], [4, 18]]·w = (6, 0)
    np.testing.assert_allclose(predictions(learner, X)[:, 0, 0], [108 / 218, 60 / 218], rtol=1e-6)
    update(learner, X[0], 0, 1.0)  # the centre moves to 4, z to ∓1; in the old z: [[14, 4], [4, 18]]·w = (7, 0)
    np.testing.assert_allclose(predictions(learner, X)[:, 0, 0], [126 / 236, 70 / 236], rtol=1e-6)
    np.testing.assert_allclose(learner.weights[:, 0, 0], [98 / 236, -28 / 236], rtol=1e-6)
    np.testing.assert_array_equal(learner.weights[:, 1, 0], [0.5, 0.0])
    assert learner.squared.tolist() == []  # two values make no curve


def settled_features(random: np.random.Generator, n: int, d: int) -> Doubles:
    """Mean 0 and deviation √½ after 4, 8, 16 … rows: after the fourth a standardiser has nothing to renew."""
    X = np.empty((n, d))
    X[:4] = np.outer([0, 1, -1, 0], random.choice([-1, 1], d))
    for k in range(2, n.bit_length() - 1):
        part = random.normal(size=(2**k, d))
        part -= part.mean(axis=0)
        X[2**k : 2 ** (k + 1)] = part / part.std(axis=0) * np.sqrt(0.5)
    return X


@pytest.mark.parametrize("squares", [False, True])
def test_weights_minimise_the_weighted_squares(squares: bool) -> None:
    random = np.random.default_rng(8)
    n, d, k = 256, 4, 2
    X, costs, actions = settled_features(random, n, d), random.random((n, k)), random.integers(k, size=n)
    supervised, interaction = np.array([1.0, 0.7, 0.04, 0.0]), np.array([0.0, 0.3, 0.96, 1.0])
    learner = make(d, k, lanes=4, squares=squares)
    teach(learner, X[:100], costs[:100], supervised)
    for i in range(100, n):
        update(learner, X[i], int(actions[i]), costs[i, actions[i]], interaction)

    z = X.astype(np.float32) * np.sqrt(2)
    assert np.abs(z).max() < 5
    phi = np.hstack([np.ones((n, 1)), z] + [z**2 / 2] * squares)
    phi[:3, 1 + d :] = 0  # before the first renewal there were no squares
    first_guess = np.zeros(phi.shape[1])
    first_guess[0] = 0.5
    for lane in range(4):
        for a in range(k):
            taught = np.arange(n) < 100
            h = np.where(taught, supervised[lane], np.where(actions == a, interaction[lane], 0.0))
            stacked = np.vstack([np.sqrt(h)[:, None] * phi, np.sqrt(RIDGE) * np.eye(phi.shape[1])])
            target = np.concatenate([np.sqrt(h) * costs[:, a], np.sqrt(RIDGE) * first_guess])
            expected = np.linalg.lstsq(stacked, target)[0]
            np.testing.assert_allclose(learner.weights[:, a, lane], expected, atol=2e-6)


def any_features(random: np.random.Generator, n: int, d: int) -> Floats:
    """Of all scales and offsets; some are zero mostly, some have two values, some one, some wild outliers."""
    X = random.normal(size=(n, d)) + random.choice([0.0, 3.0, -30.0], d)
    kinds = random.integers(6, size=d)
    X[:, kinds == 1] *= random.random((n, (kinds == 1).sum())) < 0.3
    X[:, kinds == 2] = np.sign(X[:, kinds == 2])
    X[:, kinds == 3] = 7.0
    X[random.integers(n), kinds == 4] = 1e6
    X[: n // 2, kinds == 5] = 0.0
    return np.asarray(X * 10.0 ** random.uniform(-3, 3, d), dtype=np.float32)


COURSES: dict[str, Callable[[int, int], bool]] = {
    "warm start only": lambda _i, _n: True,
    "rounds only": lambda _i, _n: False,
    "warm start, then rounds": lambda i, n: i < n // 2,
    "rounds, then a warm start": lambda i, n: i >= n // 2,
    "both mixed": lambda i, _n: i % 3 == 0,
}


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32),
    d=st.integers(1, 6),
    k=st.integers(2, 4),
    lambdas=st.lists(st.floats(0, 1), max_size=3).map(lambda inner: [0.0, *inner, 1.0]),
    squares=st.booleans(),
    is_sparse=st.booleans(),
)
@pytest.mark.parametrize("course", COURSES)
def test_agrees_with_its_twin(
    course: str, seed: int, d: int, k: int, lambdas: list[float], squares: bool, is_sparse: bool
) -> None:
    random = np.random.default_rng(seed)
    n, lam = 70, np.array(lambdas)
    X, costs, actions = any_features(random, n, d), random.random((n, k)), random.integers(k, size=n)
    rows = as_rows(X, is_sparse)
    core, twin = make(d, k, len(lam), squares=squares), Twin(d, k, len(lam), squares=squares)
    for i in range(n):
        if COURSES[course](i, n):
            core.teach(as_rows(X[i : i + 1], is_sparse), Costs(costs[i : i + 1]), 1 - lam)
            twin.teach(X[i], costs[i], 1 - lam)
        else:
            a = int(actions[i])
            learn_one(core, rows, i, a, costs[i, a], lam, core.predict(rows, i), 0.01)  # the propensity has no say
            twin.update(X[i], a, costs[i, a], lam)
        if i % 7 == 0 or i == n - 1:
            for other in (i, (i * 31) % n):
                np.testing.assert_allclose(core.predict(rows, other), twin.predict(X[other]), atol=1e-4)
    assert core.squared.tolist() == twin.squared
    assert core.weights.shape == (len(twin.ridges), k, len(lam))


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.booleans())
def test_one_block_of_wide_data_agrees_with_its_twin(seed: int, d: int, is_sparse: bool) -> None:
    """Scaled by the root mean square, without a centre and squares."""
    random = np.random.default_rng(seed)
    n, k, lam = 70, 3, np.array([0.0, 0.5, 1.0])
    X, costs, actions = any_features(random, n, d), random.random((n, k)), random.integers(k, size=n)
    rows = as_rows(X, is_sparse)
    core, twin = make(d, k, 3, widest=1, block=1 + d), Twin(d, k, 3, squares=False, centres=False)
    for i in range(n):
        if i % 3 == 0:
            core.teach(as_rows(X[i : i + 1], is_sparse), Costs(costs[i : i + 1]), 1 - lam)
            twin.teach(X[i], costs[i], 1 - lam)
        else:
            a = int(actions[i])
            learn_one(core, rows, i, a, costs[i, a], lam, core.predict(rows, i))
            twin.update(X[i], a, costs[i, a], lam)
        if i % 7 == 0 or i == n - 1:
            np.testing.assert_allclose(core.predict(rows, (i * 31) % n), twin.predict(X[(i * 31) % n]), atol=1e-4)


def test_squares_stop_where_there_is_no_room() -> None:
    random = np.random.default_rng(1)
    X, costs = random.normal(size=(40, 5)).astype(np.float32), random.random((40, 2))
    core, twin = make(5, widest=8), Twin(5, 2, 1, widest=8)
    teach(core, X, costs)
    for x, cost in zip(X, costs, strict=True):
        twin.teach(x, cost, np.ones(1))
    assert core.squared.tolist() == twin.squared == [0, 1]
    np.testing.assert_allclose(predictions(core, X)[..., 0], [twin.predict(x)[:, 0] for x in X], atol=1e-5)


@pytest.mark.parametrize("difference, off_by", [(1.0, 1e-4), (0.01, 4e-4)])
def test_a_million_rounds_do_not_drift(difference: float, off_by: float) -> None:
    """Floats, against normal equations in float64; two of the features may be nearly the same."""
    random = np.random.default_rng(4)
    n, d = 10**6, 3
    X = random.normal(size=(n, d)).astype(np.float32)
    X[:, 1] = X[:, 0] + difference * X[:, 1]
    costs = np.clip(0.5 + 0.1 * X @ random.normal(size=(d, 2)) + 0.2 * random.normal(size=(n, 2)), 0, 1)
    learner = make(d)
    actions = play(learner, X, costs)

    state = learner.state()
    z = np.clip((X - state["centre"]) * state["inverse"], -5, 5)
    phi = np.hstack([np.ones((n, 1)), z, z[:, learner.squared] ** 2 / 2])
    assert phi.shape[1] == 7
    for a in range(2):
        mine = phi[actions == a]
        moment = mine.T @ costs[actions == a, a]
        moment[0] += RIDGE * 0.5
        expected = np.linalg.solve(mine.T @ mine + np.diag(state["ridges"]), moment)
        # With costs of deviation 0.2 even the best weights are off by some 3e-4; rounding shall not add to that.
        np.testing.assert_allclose(phi[:1000] @ learner.weights[:, a, 0], phi[:1000] @ expected, atol=off_by)


@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 13])
@pytest.mark.parametrize("widest", [WIDEST, 8])
def test_every_instruction_set_gives_the_same_bits(lanes: int, widest: int) -> None:
    random = np.random.default_rng(2)
    X, y = any_features(random, 300, 9), random.integers(5, size=300).astype(np.int32)
    rows, lam = as_rows(X), np.linspace(0, 1, lanes)
    results = []
    for name in instruction_sets():
        learner = make(9, 5, lanes, widest=widest, block=4, instruction_set=name)
        learner.teach(rows, Costs(y), 1 - lam)
        for i in range(300):
            learn_one(learner, rows, i, i % 5, float(i % 3) / 2, lam, learner.predict(rows, i))
        parts = [*learner.state().values(), learner.predict_actions(rows)]
        results.append([part.tobytes() for part in parts])
    assert "baseline" in instruction_sets()
    assert all(result == results[0] for result in results)


def test_lanes_do_not_touch_each_other() -> None:
    random = np.random.default_rng(5)
    X, costs, lam = any_features(random, 100, 5), random.random((100, 2)), np.linspace(0, 1, 11)
    together, alone = make(5, lanes=11), [make(5) for _ in lam]
    teach(together, X[:50], costs[:50], 1 - lam)
    for single, share in zip(alone, lam, strict=True):
        teach(single, X[:50], costs[:50], [1 - share])
    for i in range(50, 100):
        update(together, X[i], i % 2, costs[i, i % 2], lam)
        for single, share in zip(alone, lam, strict=True):
            update(single, X[i], i % 2, costs[i, i % 2], [share])
    for lane, single in enumerate(alone):
        np.testing.assert_array_equal(together.weights[:, :, lane], single.weights[:, :, 0])


def linear_problem(random: np.random.Generator, n: int, d: int, k: int = 2) -> tuple[Floats, Doubles]:
    X = random.normal(size=(n, d)).astype(np.float32)
    slopes = random.normal(size=(d, k)) * 0.1 / np.sqrt(d)
    return X, np.clip(0.5 + X @ slopes + 0.02 * random.normal(size=(n, k)), 0, 1)


def error(learner: RecursiveLeastSquares, X: NDArray[Any], costs: Doubles) -> float:
    """Root mean square, with every lane."""
    return float(np.sqrt(np.mean((predictions(learner, X) - costs[:, :, None]) ** 2)))


@pytest.mark.parametrize("block", [1, 8])
@pytest.mark.parametrize("density", [1.0, 0.1])
def test_blocks_learn_wide_data(block: int, density: float) -> None:
    random = np.random.default_rng(6)
    X, _ = linear_problem(random, 2500, 300)
    X *= random.random(X.shape) < density
    costs = np.clip(0.5 + X @ (random.normal(size=(300, 2)) * 0.2 / np.sqrt(300 * density)), 0, 1)
    learner = make(300, block=block)
    assert learner.block == block
    for i in range(2000):
        update(learner, X[i], i % 2, costs[i, i % 2])
    assert learner.weights.shape == (301, 2, 1)
    assert np.isfinite(learner.weights).all()
    assert error(learner, X[2000:], costs[2000:]) < 0.7 * costs[2000:].std()


def test_one_block_when_the_terms_fit() -> None:
    assert make(255).block == 0
    assert make(256).block == 8


def test_one_block_beats_single_terms_where_features_are_alike() -> None:
    random = np.random.default_rng(7)
    X, _ = linear_problem(random, 600, 20)
    X += 2 * X[:, :1]  # all of them have a large part in common
    costs = np.clip(0.5 + X @ random.normal(size=(20, 2)) * 0.005, 0, 1)
    whole, single = make(20, squares=False), make(20, squares=False, widest=1, block=1)
    for learner in (whole, single):
        teach(learner, X[:400], costs[:400])
    assert error(whole, X[400:], costs[400:]) < 0.5 * error(single, X[400:], costs[400:])


def spoilt(kind: str) -> tuple[Floats, Doubles]:
    """A sane problem of two features in columns 2 and 3, with something awful in columns 0 and 1."""
    random = np.random.default_rng(9)
    n = 1500
    sane, costs = linear_problem(random, n, 2)
    X = np.hstack([random.normal(size=(n, 2)).astype(np.float32), sane])
    match kind:
        case "constant":
            X[:, :2] = [0.0, 123.0]
        case "collinear":
            X[:, 0] = X[:, 2]
            X[:, 1] = -3 * X[:, 3]
        case "1e30":
            X[:, :2] *= 1e30
        case "3e38":
            X[:, :2] = np.sign(X[:, :2]) * 3e38
        case "1e-30":
            X[:, :2] *= 1e-30
        case "3e38 and 1e-30 in turns":
            X[:, :2] *= np.where(np.arange(n) % 2, 5e37, 1e-30)[:, None].astype(np.float32)
        case "an outlier":
            X[1000, 0] = 1e30
        case "an outlier beside a constant":
            X[:, 1] = 1.0
            X[1000, :2] = -3e38
        case "a feature that moves late":
            X[:1000, :2] = 0.0
        case "a huge offset":
            X[:, :2] += 1e7
        case "constant costs":
            costs[:] = 0.25
    return X, costs


SPOILT = (
    "constant",
    "collinear",
    "1e30",
    "3e38",
    "1e-30",
    "3e38 and 1e-30 in turns",
    "an outlier",
    "an outlier beside a constant",
    "a feature that moves late",
    "a huge offset",
    "constant costs",
)


@pytest.mark.parametrize("widest", [WIDEST, 1])
@pytest.mark.parametrize("kind", SPOILT)
def test_awful_features_spoil_nothing_but_themselves(kind: str, widest: int) -> None:
    X, costs = spoilt(kind)
    lam = np.array([0.0, 0.5, 1.0])
    learner = make(4, lanes=3, widest=widest, block=2)
    teach(learner, X[:400], costs[:400], 1 - lam)
    for i in range(400, 1400):
        update(learner, X[i], i % 2, costs[i, i % 2], lam)
        assert np.isfinite(learner.predict(as_rows(X[i : i + 1]), 0)).all()
    assert all(np.isfinite(array).all() for array in learner.state().values())
    assert error(learner, X[1400:], costs[1400:]) < 0.05


@pytest.mark.parametrize("actions", [2, 50])
def test_any_number_of_actions(actions: int) -> None:
    X, costs = linear_problem(np.random.default_rng(10), 20 * actions + 200, 3, actions)
    learner = make(3, actions)
    teach(learner, X[:100], costs[:100])
    play(learner, X[100:-100].copy(), costs[100:-100].copy())
    assert error(learner, X[-100:], costs[-100:]) < 0.05


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
example = st.tuples(st.lists(floats, min_size=3, max_size=3), st.booleans(), st.floats(0, 1), st.floats(0, 1e6))


@settings(max_examples=150)
@given(st.lists(example, max_size=40), st.sampled_from([(WIDEST, True), (WIDEST, False), (1, False)]))
def test_any_finite_stream_keeps_the_model_finite(
    examples: list[tuple[list[float], bool, float, float]], shape: tuple[int, bool]
) -> None:
    learner = make(3, lanes=2, widest=shape[0], squares=shape[1])
    for x, in_full, cost, weight in examples:
        if in_full:
            teach(learner, np.array([x]), np.array([[cost, 1 - cost]]), [weight, 1.0])
        else:
            update(learner, x, 1, cost, [weight, 1.0])
        assert np.isfinite(predictions(learner, np.array([x]))).all()
    assert all(np.isfinite(array).all() for array in learner.state().values())


@pytest.mark.parametrize("widest", [WIDEST, 1])
def test_units_of_powers_of_two_change_no_bit(widest: int) -> None:
    X, costs = linear_problem(np.random.default_rng(11), 300, 4)
    units = np.array([2.0**-40, 0.25, 8.0, 2.0**40], dtype=np.float32)
    plain, other = make(4, widest=widest), make(4, widest=widest)
    for learner, features in ((plain, X), (other, X * units)):
        teach(learner, features[:100], costs[:100])
        play(learner, features[100:], costs[100:])
    np.testing.assert_array_equal(predictions(other, X * units), predictions(plain, X))


def test_other_units_and_origins_hardly_matter() -> None:
    X, costs = linear_problem(np.random.default_rng(12), 300, 4)
    moved = X * np.array([1 / 3, 7.0, 1000.0, 1e-5]) + np.array([10.0, -50.0, 3e4, 2e-4])
    plain, other = make(4), make(4)
    for learner, features in ((plain, X), (other, moved)):
        teach(learner, features, costs)
    np.testing.assert_allclose(predictions(other, moved), predictions(plain, X), atol=1e-4)


def taught_and_played(widest: int) -> RecursiveLeastSquares:
    """Squares, and factors of their own for some actions only."""
    random = np.random.default_rng(13)
    learner = make(5, 4, 3, widest=widest)
    teach(learner, any_features(random, 50, 5), random.random((50, 4)), [1.0, 0.5, 0.0])
    for i, x in enumerate(any_features(random, 50, 5)):
        update(learner, x, i % 2, random.random(), [0.0, 0.5, 1.0])
    return learner


@pytest.mark.parametrize("widest", [WIDEST, 8, 1])
def test_a_restored_learner_goes_on_exactly(widest: int) -> None:
    original, restored = taught_and_played(widest), make(5, 4, 3, widest=widest)
    restored.restore(original.state())
    random = np.random.default_rng(14)
    X, costs = any_features(random, 100, 5), random.random((100, 4))
    for learner in (original, restored):
        for i in range(50):
            update(learner, X[i], i % 4, costs[i, i % 4], [0.0, 0.5, 1.0])
        teach(learner, X[50:], costs[50:], [1.0, 0.5, 0.0])
    ours, theirs = restored.state(), original.state()
    assert ours.keys() == theirs.keys()
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)
    np.testing.assert_array_equal(predictions(restored, X), predictions(original, X))


def test_a_state_is_a_copy() -> None:
    learner = taught_and_played(WIDEST)
    state = learner.state()
    before = {name: array.tobytes() for name, array in state.items()}
    update(learner, np.ones(5), 0, 1.0, [1.0, 1.0, 1.0])
    assert {name: array.tobytes() for name, array in state.items()} == before


@pytest.mark.parametrize("name", [name for name, array in taught_and_played(WIDEST).state().items() if len(array)])
def test_a_state_of_another_size_is_refused(name: str) -> None:
    state = taught_and_played(WIDEST).state()
    for wrong in (state[name][:-1], np.append(state[name], state[name][:1])):
        with pytest.raises(ValueError):
            make(5, 4, 3).restore(state | {name: wrong})


def test_a_state_of_another_learner_is_refused() -> None:
    state = taught_and_played(WIDEST).state()
    for other in (make(4, 4, 3), make(5, 3, 3), make(5, 4, 2), make(5, 4, 3, squares=False)):
        with pytest.raises(ValueError):
            other.restore(state)
    squares_of_nothing = {"squared": np.full_like(state["squared"], 5)}
    with pytest.raises(ValueError, match="the square of a feature that there is not"):
        make(5, 4, 3).restore(state | squares_of_nothing)


def test_bad_calls_are_refused() -> None:
    learner, rows = make(2), as_rows(np.ones((1, 2)))
    scores = learner.predict(rows, 0)
    with pytest.raises(ValueError, match="row out of range"):
        learner.predict(rows, 1)
    with pytest.raises(ValueError, match="action out of range"):
        learn_one(learner, rows, 0, 2, 0.5, np.ones(1), scores)
    with pytest.raises(ValueError, match="one weight for each lane"):
        learn_one(learner, rows, 0, 1, 0.5, np.ones(2), scores)
    with pytest.raises(ValueError, match="number of features differs"):
        learner.predict(as_rows(np.ones((1, 3))), 0)
    with pytest.raises(ValueError, match="a block of at least one term"):
        make(2, block=0)


@pytest.mark.parametrize("widest", [WIDEST, 1], ids=["centred", "wide"])
def test_a_rare_level_means_the_same_after_a_renewal(widest: int) -> None:
    """One in a hundred rows has it, and costs nothing then: its z would be 10, and is not cut."""
    random = np.random.default_rng(2)
    X = (random.random((1024, 2)) < 0.01).astype(np.float32)
    costs = np.stack([1 - X[:, 0], np.full(1024, 0.5)], axis=1).astype(np.float64)
    rare = np.array([[1.0, 0.0]], dtype=np.float32)
    learner = make(2, widest=widest)
    teach(learner, X[:1023], costs[:1023])
    before = predictions(learner, rare)
    teach(learner, X[1023:], costs[1023:])  # the 1024th renews the units
    np.testing.assert_allclose(predictions(learner, rare), before, atol=0.02)
    assert before[0, 0, 0] < 0.6
