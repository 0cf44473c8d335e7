"""The online learner: a step by hand, the real Vowpal Wabbit, and all instruction sets against each other."""

import math

import numpy as np
import pytest
import vowpalwabbit
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from tests.support.problems import learn_one
from warmcb._core import Costs, OnlineLinear, Rows, instruction_sets


def as_rows(X: NDArray[np.float32], is_sparse: bool) -> Rows:
    if not is_sparse:
        return Rows(X)
    csr = sparse.csr_array(X)
    return Rows(csr.data, csr.indices.astype(np.int32), csr.indptr.astype(np.int64), X.shape[1])


def test_first_step_by_hand() -> None:
    """One feature x = 2 and the intercept, cost 1, weight 3, rate 0.5; the numbers of docs/internals/learner.md."""
    learner = OnlineLinear(features=1, actions=2, lanes=1, learning_rate=0.5)
    rows = Rows(np.array([[2.0]], dtype=np.float32))
    scores = learner.predict(rows, 0)
    assert scores.tolist() == [[0.0], [0.0]]
    learn_one(learner, rows, 0, 1, 1.0, np.array([3.0]), scores)
    # G = 3·(2·1)²·x²: 48 and 12; s = 2 and 1; N = 3·(1+1), T = 3, so √(T/N) = √½.
    rates = [1 / (math.sqrt(48) * 2), 1 / math.sqrt(12)]
    q = math.sqrt(0.5) * (4 * rates[0] + 1 * rates[1])
    u = (1 - math.exp(-2 * 0.5 * 3 * q)) / q
    expected = [u * math.sqrt(0.5) * 2 * rates[0], u * math.sqrt(0.5) * rates[1]]
    np.testing.assert_allclose(learner.weights[:, 1, 0], expected, rtol=1e-6)
    assert not learner.weights[:, 0, 0].any()
    np.testing.assert_allclose(learner.totals[:, 0], [3.0, 6.0])


@pytest.mark.parametrize("weight, cost", [(0.0, 1.0), (5.0, 0.0)])
def test_no_weight_or_no_loss_changes_nothing(weight: float, cost: float) -> None:
    learner = OnlineLinear(features=2, actions=2, lanes=3, learning_rate=0.5)
    rows = Rows(np.array([[2.0, -1.0]], dtype=np.float32))
    learn_one(learner, rows, 0, 0, cost, np.full(3, weight), learner.predict(rows, 0))
    assert not (learner.weights.any() or learner.scales.any() or learner.totals.any())


def stream(n: int, d: int, density: float) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Features of scales from 1e-4 to 1e4, costs in [0, 1], weights from 0 to 800."""
    random = np.random.default_rng(3)
    X = random.normal(size=(n, d)) * 10.0 ** random.uniform(-4, 4, size=d)
    X[random.random((n, d)) > density] = 0
    y = np.clip(0.5 + (X / np.abs(X).max(axis=0)) @ random.normal(size=d) + 0.1 * random.normal(size=n), 0, 1)
    weights = np.where(random.random(n) < 0.05, random.uniform(0, 800, n), random.uniform(0, 2, n))
    weights[random.random(n) < 0.05] = 0
    return X.astype(np.float32), y.astype(np.float32), weights.astype(np.float32)


@pytest.mark.parametrize("learning_rate", [0.01, 0.1, 0.5, 1.0, 10.0])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_agrees_with_vowpal_wabbit(learning_rate: float, is_sparse: bool) -> None:
    X, y, weights = stream(10_000, 20, density=0.2 if is_sparse else 1.0)
    peer = vowpalwabbit.Workspace(f"--quiet --learning_rate {learning_rate} --min_prediction 0 --max_prediction 1")
    learner = OnlineLinear(20, 2, 8, learning_rate)
    rows = as_rows(X, is_sparse)
    theirs, ours = np.empty(len(X)), np.empty(len(X))
    for i, x in enumerate(X):
        features = " ".join(f"{j}:{x[j]:.9g}" for j in np.flatnonzero(x))
        example = peer.example(f"{y[i]:.9g} {weights[i]:.9g} | {features}")
        peer.learn(example)
        theirs[i] = example.get_partial_prediction()
        peer.finish_example(example)
        scores = learner.predict(rows, i)
        ours[i] = scores[1, 7]
        learn_one(learner, rows, i, 1, float(y[i]), np.full(8, weights[i], dtype=np.float64), scores)
    peer.finish()
    np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 13])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_every_instruction_set_gives_the_same_bits(lanes: int, is_sparse: bool) -> None:
    X, _, weights = stream(500, 9, density=0.5)
    rows = as_rows(X, is_sparse)
    y = np.random.default_rng(0).integers(5, size=500).astype(np.int32)
    importance = np.linspace(0, 3, lanes)
    results = []
    for name in instruction_sets():
        learner = OnlineLinear(9, 5, lanes, 0.7, name)
        learner.teach(rows, Costs(y), importance)
        for i in range(500):
            scores = learner.predict(rows, i)
            learn_one(learner, rows, i, int(y[i]), float(i % 3) / 2, importance * weights[i], scores)
        parts = (learner.weights, learner.scales, learner.totals, learner.predict_actions(rows))
        results.append([part.tobytes() for part in parts])
    assert "baseline" in instruction_sets()
    assert all(result == results[0] for result in results)


def test_lanes_do_not_touch_each_other() -> None:
    X, y, weights = stream(300, 5, density=1.0)
    rows = Rows(X)
    together = OnlineLinear(5, 2, 11, 0.5)
    factors = np.linspace(0, 2, 11)
    alone = [OnlineLinear(5, 2, 1, 0.5) for _ in factors]
    for i in range(300):
        learn_one(together, rows, i, i % 2, float(y[i]), factors * weights[i], together.predict(rows, i))
        for factor, single in zip(factors, alone, strict=True):
            learn_one(single, rows, i, i % 2, float(y[i]), np.array([factor * weights[i]]), single.predict(rows, i))
    for lane, single in enumerate(alone):
        np.testing.assert_array_equal(together.weights[:, :, lane], single.weights[:, :, 0])


def test_dense_equals_sparse() -> None:
    X, _, _ = stream(400, 12, density=0.3)
    y = (np.arange(400) % 3).astype(np.int32)
    learners = []
    for is_sparse in (False, True):
        learner = OnlineLinear(12, 3, 8, 0.5)
        learner.teach(as_rows(X, is_sparse), Costs(y), np.linspace(0, 1, 8))
        learners.append(learner)
    np.testing.assert_array_equal(learners[0].weights, learners[1].weights)


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.lists(floats, min_size=3, max_size=3), st.floats(0, 1), st.floats(0, 1e6)), max_size=20),
    st.sampled_from([0.001, 0.5, 10.0]),
)
def test_any_finite_stream_keeps_the_model_finite(
    examples: list[tuple[list[float], float, float]], learning_rate: float
) -> None:
    learner = OnlineLinear(3, 2, 2, learning_rate)
    for x, cost, weight in examples:
        rows = Rows(np.array([x], dtype=np.float32))
        scores = learner.predict(rows, 0)
        learn_one(learner, rows, 0, 1, cost, np.array([weight, 1.0]), scores)
        assert np.isfinite(learner.predict(rows, 0)).all()
    assert np.isfinite(learner.weights).all()
    assert np.isfinite(learner.scales).all()


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(1e-6, 1e6), st.sampled_from([0.001, 0.5, 10.0]), floats)
def test_an_update_never_overshoots(start: float, cost: float, weight: float, rate: float, x: float) -> None:
    """Importance-weight-aware: the prediction moves towards the cost and never past it."""
    learner = OnlineLinear(1, 1, 1, rate)
    learner.weights[1, 0, 0] = start
    rows = Rows(np.array([[x]], dtype=np.float32))
    before = learner.predict(rows, 0)
    learn_one(learner, rows, 0, 0, cost, np.array([weight]), before)
    after = float(learner.predict(rows, 0)[0, 0])
    low, high = sorted((float(before[0, 0]), float(np.float32(cost))))
    # The weight of a feature near the largest float32 is subnormal, and has fewer digits.
    digits = 1e-4 if abs(x) > 1e37 else 1e-5
    assert low - digits <= after <= high + digits
