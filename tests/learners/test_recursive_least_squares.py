"""Recursive least squares: cases by hand, normal equations in float64, a million rounds, and whatever data may be."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.least_squares import (
    LEVELS,
    OPTIONS,
    Doubles,
    Floats,
    as_rows,
    drawn_bends,
    error,
    linear_problem,
    make,
    play,
    predictions,
    same_bits,
    teach,
    terms,
    update,
)
from tests.support.problems import learn_one
from warmcb import WarmBandit, load, simulate
from warmcb._core import Costs, RecursiveLeastSquares, instruction_sets, thaw
from warmcb.errors import InputError
from warmcb.learners import RecursiveLeastSquares as Configured

MEMORIES = [100.0, 30.0, 0.0]


def any_features(random: np.random.Generator, n: int, d: int) -> Floats:
    """Some normal, some of few values, of any unit and origin."""
    X = random.normal(size=(n, d))
    few = random.random(d) < 0.4
    X[:, few] = random.integers(3, size=(n, int(few.sum())))
    return (X * 10.0 ** random.uniform(-3, 3, size=d) + random.normal(size=d)).astype(np.float32)


# The terms


def test_by_hand() -> None:
    """One feature, 3 or 5; the prior is one example of ½ for the intercept, ten of 0 for the slope."""
    learner = make(1, bends=0, settled_at=4)
    X = np.array([[3.0], [5.0]])
    np.testing.assert_array_equal(predictions(learner, X)[:, :, 0], 0.5)
    update(learner, X[0], 0, 1.0)  # the first value is three deviations: [[2, 3], [3, 19]]·w = (1.5, 3)
    np.testing.assert_allclose(learner.models[-1][:, 0, 0], [19.5 / 29, 1.5 / 29], rtol=1e-5)
    for x, cost in ((1, 0.0), (1, 0.0), (0, 1.0)):
        update(learner, X[x], 0, cost)
    # The fourth example renews the units, and all is learned again: the centre is 4, z is ∓1.
    np.testing.assert_allclose(learner.models[-1][:, 0, 0], [2.5 / 5, -2 / 14], rtol=1e-5)
    np.testing.assert_array_equal(learner.models[-1][:, 1, 0], [0.5, 0.0])
    np.testing.assert_allclose(predictions(learner, X)[:, 0, 0], [0.5 + 1 / 7, 0.5 - 1 / 7], rtol=1e-5)
    assert learner.description == "least squares, 2 terms"  # two values make no curve


def of_32_values(values: NDArray[Any], **options: Any) -> RecursiveLeastSquares:
    """A learner of one feature whose units are those of these 32 values, which are its knots as well."""
    learner = make(1, settled_at=32, **options)
    teach(learner, np.reshape(values, (32, 1)), np.full((32, 2), 0.5))
    return learner


def test_standardised_features_and_squares() -> None:
    values = np.random.default_rng(1).normal(3.0, 2.0, size=32).astype(np.float32)
    x = np.array([3.0, values[0], 1e6, -1e6])
    z = np.clip((x - values.mean(dtype=np.float64)) / values.std(dtype=np.float64), -5, 5)
    expected = np.stack([np.ones(4), z, z**2 / 2], axis=1)
    np.testing.assert_allclose(terms(of_32_values(values, bends=0), x[:, None]), expected, rtol=1e-6)


def test_wild_values_count_as_ten_spreads_of_the_others() -> None:
    values = np.arange(201) % 5 - 2.0
    values[200] = 1e9
    learner = make(1, bends=0, settled_at=201)
    teach(learner, values[:, None], np.full((201, 2), 0.5))
    tame = values.copy()
    tame[200] = np.median(values) + 10 * 2.0  # 16 % lie at −2 and below, 16 % at 2 and above
    np.testing.assert_allclose(learner.state()["centre"], tame.mean(), rtol=1e-9)
    np.testing.assert_allclose(learner.state()["inverse"], 1 / tame.std(), rtol=1e-9)


def bent_twin(features: int, count: int, scores: Doubles) -> Doubles:
    bends = drawn_bends(count, features)
    turns = [phase + scores[:, whose] @ weights for whose, weights, phase in bends]
    return np.asarray(np.sqrt(2) * np.cos(2 * np.pi * np.stack(turns, axis=1)))


def test_bends_of_ranks() -> None:
    """On the knots, between two of them, and beyond the last, where scores go on in deviations, up to five."""
    values = np.sort(np.random.default_rng(2).exponential(size=32)).astype(np.float32)
    deviation = values.std(dtype=np.float64)
    x = np.array([*values, (values[3] + values[4]) / 2, values[31] + deviation / 4, values[0] - deviation, 1e9, -1e9])
    scores = [*LEVELS, (LEVELS[3] + LEVELS[4]) / 2, LEVELS[31] + 0.25, LEVELS[0] - 1, 5.0, -5.0]
    learner = of_32_values(values, bends=12)
    np.testing.assert_array_equal(learner.state()["knots"], values)
    np.testing.assert_allclose(terms(learner, x[:, None])[:, 3:], bent_twin(1, 12, np.array([scores]).T), atol=3e-5)


def test_equal_values_have_the_middle_rank() -> None:
    values = np.repeat([1.0, 2.0, 3.0], [8, 16, 8])
    scores = np.array([[(LEVELS[0] + LEVELS[7]) / 2], [0.0], [(LEVELS[24] + LEVELS[31]) / 2]])
    learner = of_32_values(values, bends=6)
    np.testing.assert_allclose(terms(learner, [[1.0], [2.0], [3.0]])[:, 3:], bent_twin(1, 6, scores), atol=3e-5)


def test_bends_of_several_features() -> None:
    X = np.random.default_rng(3).normal(size=(32, 5)).astype(np.float32)
    learner = make(5, settled_at=32, bends=30)
    teach(learner, X, np.full((32, 2), 0.5))
    scores = LEVELS[X.argsort(axis=0).argsort(axis=0)]
    np.testing.assert_allclose(terms(learner, X)[:, 11:], bent_twin(5, 30, scores), atol=3e-5)


@pytest.mark.parametrize("widest", [256, 1], ids=["centred", "wide"])
def test_a_rare_level_is_not_cut(widest: int) -> None:
    """One row of 64 has it: its z would be 8."""
    X = np.zeros((64, 1))
    X[40] = 1
    learner = make(1, bends=0, widest=widest, settled_at=64)
    teach(learner, X, np.full((64, 2), 0.5))
    of_zero = -5 / 63 if widest > 1 else 0.0
    np.testing.assert_allclose(terms(learner, [[0.0], [1.0]]), np.array([[1.0, of_zero], [1.0, 5.0]]), rtol=1e-5)


def test_squares_stop_where_there_is_no_room() -> None:
    X, costs = linear_problem(np.random.default_rng(1), 128, 5)
    learner = make(5, widest=8, bends=0)
    teach(learner, X, costs)
    assert learner.state()["squared"].tolist() == [0, 1]
    z = terms(learner, X)
    np.testing.assert_allclose(z[:, 6:], z[:, 1:3] ** 2 / 2, rtol=1e-6)


def test_what_labels_say_becomes_terms() -> None:
    """Of actions 0 and 1 they say something, of action 2 always the same."""
    random = np.random.default_rng(4)
    X = random.normal(size=(200, 3)).astype(np.float32)
    costs = np.stack([0.5 + 0.1 * X[:, 0], 0.5 - 0.1 * X[:, 1] ** 2, np.full(200, 0.5)], axis=1)
    learner = make(3, 3, 2, translations=3, products=9)
    teach(learner, X, costs, [1.0, 0.0])
    base = 1 + 3 + 3
    seen = terms(learner, X)
    silent = seen.copy()
    silent[:, base : base + 3] = silent[:, -9:] = 0
    np.testing.assert_array_equal(terms(learner, X, translate=False), silent)

    assert len(learner.models[1]) == base
    weights = learner.models[1][:, :, 0].astype(np.float64)
    deviation = np.sqrt((weights[1:4] ** 2).sum(axis=0) + (weights[4:] ** 2).sum(axis=0) / 2)
    said = np.clip(seen[:, 1:base] @ weights[1:, :2] / deviation[:2], -5, 5)
    np.testing.assert_allclose(seen[:, base : base + 2], said, atol=1e-5)
    np.testing.assert_array_equal(seen[:, base + 2], 0)
    assert np.abs(said).max() == 5  # it is cut

    # Products with normal scores.
    products = seen[:, -9:].reshape(200, 3, 3)
    np.testing.assert_array_equal(products[:, :, 2], 0)
    knots = learner.state()["knots"].reshape(3, 32)
    scores = np.stack([np.interp(X[:, j], knots[j], LEVELS) for j in range(3)], axis=1)
    within = ((knots[:, 0] < X) & (knots[:, -1] > X)).all(axis=1)
    np.testing.assert_allclose(products[within, :, :2], (scores[:, :, None] * said[:, None, :])[within], atol=1e-4)


@pytest.mark.parametrize("features, products", [(10, 30), (11, 0)])
def test_products_of_all_pairs_or_none(features: int, products: int) -> None:
    random = np.random.default_rng(5)
    X = random.normal(size=(60, features)).astype(np.float32)
    learner = make(features, 3, 2, translations=3, products=32, bends=4, settled_at=32)
    teach(learner, X, np.clip(0.5 + X @ random.normal(size=(features, 3)), 0, 1), [1.0, 0.0])
    seen = terms(learner, X)
    assert seen.shape[1] == 1 + 2 * features + 3 + 4 + products
    assert len(np.unique(seen, axis=1).T) == seen.shape[1]


# Exact least squares


def solved(phi: Doubles, costs: Doubles, weights: Doubles, ridges: Doubles) -> Doubles:
    """The weights of a batch ridge regression whose first guess is ½."""
    moment = phi.T @ (weights * costs)
    moment[0] += ridges[0] * 0.5
    return np.asarray(np.linalg.solve((phi.T * weights) @ phi + np.diag(ridges), moment))


def check_against_batch(
    learner: RecursiveLeastSquares, X: Floats, table: Doubles, shares: Doubles, is_label: NDArray[np.bool_]
) -> None:
    """`table` has NaN where nothing was learned, `shares` what each row weighs in each lane."""
    phi = np.where(is_label[:, None], terms(learner, X, translate=False), terms(learner, X))
    n_products, n_bends = learner.state()["shape"][3:5].astype(int)
    ridges = np.array([1.0] + [10.0] * (phi.shape[1] - 1))
    ridges[phi.shape[1] - n_products - n_bends : phi.shape[1] - n_products] = 2.0
    sizes = [len(models) for models in learner.models]
    assert sizes == sorted(set(sizes)) and (sizes[0], sizes[-1]) == (learner.inputs, phi.shape[1])
    for models, size in zip(learner.models, sizes, strict=True):
        assert models.shape == (size, learner.actions, learner.lanes)
        for a in range(learner.actions):
            known = ~np.isnan(table[:, a])
            for lane in range(learner.lanes):
                expected = solved(phi[known, :size], table[known, a], shares[known, lane], ridges[:size])
                np.testing.assert_allclose(models[:, a, lane], expected, atol=1e-4)


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(2, 250), st.booleans(), st.sampled_from([0, 1, 20]))
def test_weights_are_those_of_a_batch(seed: int, d: int, labels: int, partial: bool, bends: int) -> None:
    """Labels first, some of them of a few actions only, then rounds; in the learner's own terms."""
    random = np.random.default_rng(seed)
    n, k, lam = 300, 3, np.array([0.0, 0.5, 0.75, 1.0])
    X, costs = any_features(random, n, d), random.random((n, k))
    translations = k if bends else 0
    learner = make(d, k, 4, bends=bends, translations=translations, products=12)
    if partial:
        costs[random.random((n, k)) < 0.4] = np.nan
    table = np.full((n, k), np.nan)
    table[:labels] = costs[:labels]
    teach(learner, X[:labels], costs[:labels], 1 - lam)
    for i in range(labels, n):
        a, cost = int(random.integers(k)), float(random.random())
        update(learner, X[i], a, cost, lam)
        table[i, a] = cost
    is_label = np.arange(n) < labels
    check_against_batch(learner, X, table, np.where(is_label[:, None], 1 - lam, lam), is_label)


@pytest.mark.parametrize("added_at", [2, 100, 200])
def test_an_action_that_came_later(added_at: int) -> None:
    """Before and after the units have settled; labels and rounds in turns."""
    random = np.random.default_rng(6)
    n, lam = 300, np.array([0.25, 1.0])
    X, table = any_features(random, n, 4), np.full((n, 3), np.nan)
    learner, is_label = make(4, 2, 2), np.arange(n) % 3 == 0
    for i in range(n):
        if i == added_at:
            before = predictions(learner, X[:20])
            learner.add_action()
            np.testing.assert_array_equal(predictions(learner, X[:20])[:, :2], before)
            np.testing.assert_array_equal(predictions(learner, X[:20])[:, 2], 0.5)
        if is_label[i]:
            table[i, : learner.actions] = random.random(learner.actions)
            teach(learner, X[i], table[i, : learner.actions], 1 - lam)
        else:
            a = int(random.integers(learner.actions))
            table[i, a] = random.random()
            update(learner, X[i], a, table[i, a], lam)
    check_against_batch(learner, X, table, np.where(is_label[:, None], 1 - lam, lam), is_label)


@pytest.mark.slow
@pytest.mark.parametrize("difference, bends, off_by", [(1.0, 0, 1e-4), (0.01, 0, 4e-4), (1.0, 24, 4e-4)])
def test_a_million_rounds_do_not_drift(difference: float, bends: int, off_by: float) -> None:
    """Floats, against normal equations in float64; two of the features may be nearly the same."""
    random = np.random.default_rng(4)
    n, d = 10**6, 3
    X = random.normal(size=(n, d)).astype(np.float32)
    X[:, 1] = X[:, 0] + difference * X[:, 1]
    costs = np.clip(0.5 + 0.1 * X @ random.normal(size=(d, 2)) + 0.2 * random.normal(size=(n, 2)), 0, 1)
    learner = make(d, bends=bends)
    actions = play(learner, X, costs)

    size = 7 + bends
    ridges = np.array([1.0] + [10.0] * 6 + [2.0] * bends)
    gram, moment = np.tile(np.diag(ridges), (2, 1, 1)), np.zeros((2, size))
    moment[:, 0] = 0.5
    for begin in range(0, n, 10_000):
        part = slice(begin, begin + 10_000)
        phi = terms(learner, X[part])
        for a in range(2):
            mine = actions[part] == a
            gram[a] += phi[mine].T @ phi[mine]
            moment[a] += phi[mine].T @ costs[part][mine, a]
    phi = terms(learner, X[:1000])
    for models in learner.models:
        of_model = slice(len(models))
        for a in range(2):
            expected = np.linalg.solve(gram[a, of_model, of_model], moment[a, of_model])
            # With costs of deviation 0.2 even the best weights are off by some 3e-4; rounding shall not add to that.
            np.testing.assert_allclose(phi[:, of_model] @ models[:, a, 0], phi[:, of_model] @ expected, atol=off_by)


@pytest.mark.parametrize("lanes", [1, 2, 3, 8, 13])
@pytest.mark.parametrize("widest", [256, 8])
def test_every_instruction_set_gives_the_same_bits(lanes: int, widest: int) -> None:
    random = np.random.default_rng(2)
    X, y = any_features(random, 300, 9), random.integers(5, size=300).astype(np.int32)
    rows, lam = as_rows(X), np.linspace(0, 1, lanes)
    options = {"widest": widest, "bends": 21, "translations": 5, "products": 8, "memories": MEMORIES}
    results = []
    for name in instruction_sets():
        learner = make(9, 5, lanes, instruction_set=name, **options)
        learner.teach(rows, Costs(y), 1 - lam)
        for i in range(300):
            learn_one(learner, rows, i, i % 5, float(i % 3) / 2, lam, learner.predict(rows, i))
        parts = [*learner.state().values(), learner.predict_actions(rows)]
        results.append([part.tobytes() for part in parts])
    assert "baseline" in instruction_sets()
    assert all(result == results[0] for result in results)


def test_lanes_do_not_touch_each_other() -> None:
    random = np.random.default_rng(5)
    X, costs, lam = any_features(random, 200, 5), random.random((200, 2)), np.linspace(0.1, 1, 11)
    together, alone = make(5, lanes=11), [make(5) for _ in lam]
    teach(together, X[:100], costs[:100], 1 - lam)
    for single, share in zip(alone, lam, strict=True):
        teach(single, X[:100], costs[:100], [1 - share])
    for i in range(100, 200):
        update(together, X[i], i % 2, costs[i, i % 2], lam)
        for single, share in zip(alone, lam, strict=True):
            update(single, X[i], i % 2, costs[i, i % 2], [share])
    for lane, single in enumerate(alone):
        for ours, theirs in zip(together.models, single.models, strict=True):
            np.testing.assert_array_equal(ours[:, :, lane], theirs[:, :, 0])


@pytest.mark.parametrize("bends", [0, 8])
def test_another_unit_of_costs(bends: int) -> None:
    """As if all rounds had cost a·cost + b from the beginning, as long as the first are kept; labels have their own."""
    random = np.random.default_rng(7)
    X, costs = any_features(random, 200, 3), random.random((200, 2))
    renewed, expected = make(3, bends=bends, memories=MEMORIES), make(3, bends=bends, memories=MEMORIES)
    for learner in (renewed, expected):
        teach(learner, X[:80], costs[:80])
    for i in range(80, 180):
        update(renewed, X[i], i % 2, costs[i, i % 2])
        update(expected, X[i], i % 2, 0.25 * costs[i, i % 2] + 0.5)
    renewed.rescale(0.25, 0.5)
    assert same_bits(renewed, expected)
    for i in range(180, 200):
        update(renewed, X[i], i % 2, costs[i, i % 2])
    play(renewed, X[100:], costs[100:], begin=120)  # now the first rounds are forgotten
    before = predictions(renewed, X)
    renewed.rescale(0.25, 0.5)
    np.testing.assert_allclose(predictions(renewed, X), 0.25 * before + 0.5, atol=1e-6)


# The units of features


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(1, 128))
def test_the_order_of_the_first_examples_does_not_matter(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    X, costs, order = any_features(random, 128, 3), random.random((128, 2)), random.permutation(128)
    one, other = make(3, settled_at=n), make(3, settled_at=n)
    teach(one, X[:n], costs[:n])
    order = order[order < n]
    teach(other, X[order], costs[order])
    for name in ("centre", "inverse", "knots", "squared"):
        np.testing.assert_array_equal(one.state()[name], other.state()[name])
    assert one.state()["centre"].any()
    np.testing.assert_allclose(predictions(one, X), predictions(other, X), atol=2e-5)
    settled = one.state()["centre"]
    teach(one, X[:40] + 1, costs[:40])
    np.testing.assert_array_equal(one.state()["centre"], settled)


@pytest.mark.parametrize("settled_at", [1, 2, 3, 5, 100])
def test_units_are_those_of_so_many_examples(settled_at: int) -> None:
    X = np.random.default_rng(8).normal(3.0, 2.0, size=(settled_at + 40, 2)).astype(np.float32)
    learner = make(2, settled_at=settled_at)
    teach(learner, X, np.full((len(X), 2), 0.5))
    first = X[:settled_at].astype(np.float64)
    np.testing.assert_allclose(learner.state()["centre"], first.mean(axis=0), rtol=1e-6)
    if settled_at > 2:
        np.testing.assert_allclose(learner.state()["inverse"], 1 / first.std(axis=0), rtol=1e-6)


def test_a_constant_that_moves_late() -> None:
    """Its first other value counts as three deviations; what was learned before stays as it was."""
    X = np.full((128, 2), 7.0)
    X[:, 1] = np.random.default_rng(9).normal(size=128)
    learner = make(2)
    teach(learner, X, np.random.default_rng(10).random((128, 2)))
    np.testing.assert_array_equal(terms(learner, X)[:, 1], 0)
    before, weights = terms(learner, X), learner.models[-1]
    teach(learner, [10.0, 0.0], [0.5, 0.5], [0.0])
    np.testing.assert_allclose(terms(learner, [[7.0, 0.0], [10.0, 0.0], [6.0, 0.0], [13.0, 0.0]])[:, 1], [0, 3, -1, 5])
    np.testing.assert_array_equal(terms(learner, X), before)
    np.testing.assert_array_equal(learner.models[-1], weights)
    update(learner, [11.0, 0.0], 0, 0.5)
    np.testing.assert_allclose(terms(learner, [[10.0, 0.0]])[:, 1], 3)


@pytest.mark.parametrize("at", [378, 390, 400, 420])  # of a window of fifty rows the first, the 13th, the 23rd …
@pytest.mark.parametrize("scale, shift", [(100.0, 0.0), (1.0, 50.0), (0.3048, 1e4)])
def test_a_feature_in_another_unit(scale: float, shift: float, at: int) -> None:
    """It is recognised after fifty rows; the weights stay, as from metres to feet."""
    random = np.random.default_rng(11)
    X, costs = linear_problem(random, 900, 2)
    learner = make(2)
    teach(learner, X[:at], costs[:at])
    assert learner.renewals == 0
    assert error(learner, X[at:], costs[at:]) < 0.05
    X[at:, 0] = scale * X[at:, 0] + shift
    teach(learner, X[at : at + 100], costs[at : at + 100])
    assert learner.renewals == 1
    centre, inverse = (float(learner.state()[name][0]) for name in ("centre", "inverse"))
    assert abs(centre - shift) < 0.5 * scale and 0.7 < scale * inverse < 1.4
    assert error(learner, X[at + 100 :], costs[at + 100 :]) < 0.06
    teach(learner, X[at + 100 :], costs[at + 100 :])
    assert learner.renewals == 1


def test_a_feature_that_is_rarely_far_keeps_its_units() -> None:
    random = np.random.default_rng(12)
    X, costs = linear_problem(random, 1000, 2)
    X[128::4, 0] *= 1000  # a quarter of its values
    learner = make(2)
    teach(learner, X, costs)
    assert learner.renewals == 0


def test_units_of_a_wandering_feature_hold_all_its_places() -> None:
    random = np.random.default_rng(13)
    learner = make(2)
    places = [0.0, 100.0, -300.0, 1000.0]
    teach(learner, random.normal(size=(128, 2)), random.random((128, 2)))
    for place in places[1:]:
        X = random.normal(size=(100, 2))
        X[:, 0] += place
        teach(learner, X, random.random((100, 2)))
    state = learner.state()
    assert learner.renewals == 3
    assert set(state["places_of"].tolist()) == {0} and 50 < len(state["places_of"]) <= 150
    np.testing.assert_allclose(state["centre"][0], state["places"].mean(dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(state["inverse"][0], 1 / state["places"].std(dtype=np.float64), rtol=1e-6)
    z = terms(learner, [[place, 0.0] for place in places])[:, 1]
    assert np.abs(z).max() < 3 and np.diff(np.sort(z)).min() > 0.1
    for i in range(40):  # no more than sixteen places are known
        X = random.normal(size=(50, 2))
        X[:, 0] += 10.0 ** (4 + i % 30)
        teach(learner, X, random.random((50, 2)))
    assert len(learner.state()["places"]) <= 16 * 50
    assert np.isfinite(predictions(learner, X)).all()


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
        case "up to 3e38":
            X[:, :2] = np.clip(X[:, :2].astype(np.float64) * 3e38, -3.4e38, 3.4e38)
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
    "up to 3e38",
    "1e-30",
    "3e38 and 1e-30 in turns",
    "an outlier",
    "an outlier beside a constant",
    "a feature that moves late",
    "a huge offset",
    "constant costs",
)


@pytest.mark.parametrize("widest", [256, 1])
@pytest.mark.parametrize("kind", SPOILT)
def test_awful_features_spoil_nothing_but_themselves(kind: str, widest: int) -> None:
    X, costs = spoilt(kind)
    lam = np.array([0.0, 0.5, 1.0])
    learner = make(4, lanes=3, widest=widest, translations=2, products=8, memories=MEMORIES)
    teach(learner, X[:400], costs[:400], 1 - lam)
    for i in range(400, 1400):
        update(learner, X[i], i % 2, costs[i, i % 2], lam)
        assert np.isfinite(learner.predict(as_rows(X[i]), 0)).all()
    assert all(np.isfinite(array).all() for array in learner.state().values())
    assert error(learner, X[1400:], costs[1400:]) < 0.05


@pytest.mark.parametrize("half", [61, 62, 63, 64])
def test_ranks_near_the_largest_float(half: int) -> None:
    """Quantiles between −3e38 and 3e38, whose difference is no float."""
    X = np.where(np.arange(128) < half, -3e38, 3e38)
    learner = make(1)
    teach(learner, X[:, None], np.full((128, 2), 0.5))
    np.testing.assert_array_equal(np.abs(learner.state()["knots"]), np.float32(3e38))
    assert np.isfinite(terms(learner, [[-3e38], [0.0], [1e38], [3e38]])).all()


@pytest.mark.parametrize("far", [-9007200328482816.0, -1e30, 1e30])
def test_ranks_between_values_of_very_different_size(far: float) -> None:
    """The sum far + (near − far) is rounded, and must not put the quantiles out of order."""
    learner = make(1, settled_at=3)
    teach(learner, [[-1.0], [-1.0], [far]], np.full((3, 2), 0.5))
    assert set(learner.state()["knots"].tolist()) == {-1.0, float(np.float32(far))}
    assert np.isfinite(terms(learner, [[-2.0], [-1.0], [-0.5], [0.0], [1.0]])).all()


floats = st.floats(width=32, allow_nan=False, allow_infinity=False)
example = st.tuples(st.lists(floats, min_size=3, max_size=3), st.booleans(), st.floats(0, 1), st.floats(0, 1e6))


@settings(max_examples=100)
@given(st.lists(example, max_size=40), st.sampled_from([(256, 8), (256, 0), (1, 0)]), st.sampled_from([1, 3, 128]))
def test_any_finite_stream_keeps_the_model_finite(
    examples: list[tuple[list[float], bool, float, float]], shape: tuple[int, int], settled_at: int
) -> None:
    options: dict[str, Any] = {"widest": shape[0], "bends": shape[1], "settled_at": settled_at}
    learner = make(3, lanes=2, translations=2, products=6, memories=MEMORIES, **options)
    for x, in_full, cost, weight in examples:
        if in_full:
            teach(learner, x, [cost, 1 - cost], [weight, 1.0])
        else:
            update(learner, x, 1, cost, [weight, 1.0])
        assert np.isfinite(predictions(learner, [x])).all()
    assert all(np.isfinite(array).all() for array in learner.state().values())


@pytest.mark.parametrize("widest", [256, 1])
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
    np.testing.assert_allclose(predictions(other, moved), predictions(plain, X), atol=5e-4)


# Wide rows


class BlockTwin:
    """Wide rows in float64: a covariance for each 16 terms, which learn one after the other from the same residual."""

    def __init__(self, n_terms: int, actions: int, lanes: int) -> None:
        self.blocks = [np.arange(at, min(at + 16, n_terms)) for at in range(0, n_terms, 16)]
        prior = np.array([1.0] + [0.1] * (n_terms - 1))
        self.covariances = {
            (a, lane): [np.diag(prior[block]) for block in self.blocks] for a in range(actions) for lane in range(lanes)
        }
        self.weights = np.zeros((n_terms, actions, lanes))
        self.weights[0] = 0.5

    def learn(self, phi: Doubles, action: int, cost: float, importance: Doubles) -> None:
        for lane, h in enumerate(importance):
            covariances, alpha = self.covariances[action, lane], 1.0
            residual = cost - phi @ self.weights[:, action, lane]
            gain = np.zeros(len(phi))
            for i, block in enumerate(self.blocks):
                gain[block] = covariances[i] @ phi[block]
                alpha += h * phi[block] @ gain[block]
                covariances[i] = covariances[i] - h / alpha * np.outer(gain[block], gain[block])
            self.weights[:, action, lane] += h / alpha * residual * gain


@pytest.mark.parametrize("density", [1.0, 0.05])
def test_wide_rows_agree_with_their_twin(density: float) -> None:
    """Rows of 300 features, as they are or sparse; scaled by the root mean square, without a centre."""
    random = np.random.default_rng(6)
    n, d, k, lam = 200, 300, 2, np.array([0.0, 0.5, 1.0])
    X = (random.normal(size=(n, d)) * (random.random((n, d)) < density)).astype(np.float32)
    costs = random.random((n, k))
    dense, from_sparse = make(d, k, 3), make(d, k, 3)
    for learner, is_sparse in ((dense, False), (from_sparse, True)):
        teach(learner, X[:150], costs[:150], 1 - lam, is_sparse)
        for i in range(150, n):
            update(learner, X[i], i % 2, costs[i, i % 2], lam, is_sparse)
    assert same_bits(dense, from_sparse)
    assert dense.description == "least squares, 301 terms in blocks of 16"

    first = X[:128].astype(np.float64)
    peaks, rms = np.abs(first).max(axis=0), np.sqrt((first**2).mean(axis=0))
    seen = peaks > 0
    np.testing.assert_allclose(dense.state()["inverse"][seen], 1 / np.maximum(rms, peaks / 5)[seen], rtol=1e-6)
    phi = terms(dense, X)
    np.testing.assert_array_equal(phi[:, 1:][X == 0], 0)
    twin = BlockTwin(d + 1, k, 3)
    for i in range(n):
        for a in range(k) if i < 150 else [i % 2]:
            twin.learn(phi[i], a, costs[i, a], 1 - lam if i < 150 else lam)
    np.testing.assert_allclose(dense.models[-1], twin.weights, atol=1e-5)


def test_wide_rows_leave_other_learners_alone() -> None:
    """In the same thread, one after the other."""
    X, costs = linear_problem(np.random.default_rng(18), 200, 4)
    alone, beside, wide = make(4), make(4), make(300)
    for i in range(200):
        update(alone, X[i], i % 2, costs[i, i % 2])
    for i in range(200):
        update(wide, np.eye(300)[7 * i % 300], 0, 1.0)
        update(beside, X[i], i % 2, costs[i, i % 2])
    assert same_bits(alone, beside)


@pytest.mark.parametrize("density", [1.0, 0.1])
def test_blocks_learn_wide_data(density: float) -> None:
    random = np.random.default_rng(6)
    X = random.normal(size=(2500, 300)) * (random.random((2500, 300)) < density)
    costs = np.clip(0.5 + X @ (random.normal(size=(300, 2)) * 0.2 / np.sqrt(300 * density)), 0, 1)
    learner = make(300)
    play(learner, X[:2000], costs[:2000])
    assert [weights.shape for weights in learner.models] == [(1, 2, 1), (301, 2, 1)]
    assert error(learner, X[2000:], costs[2000:]) < 0.7 * costs[2000:].std()


def test_exact_when_the_terms_fit() -> None:
    assert make(255).description == "least squares, 264 terms, 8 of them bends"
    assert make(256).description == "least squares, 257 terms in blocks of 16"


@pytest.mark.parametrize("actions", [2, 50])
def test_any_number_of_actions(actions: int) -> None:
    X, costs = linear_problem(np.random.default_rng(10), 20 * actions + 200, 3, actions)
    learner = make(3, actions)
    teach(learner, X[:100], costs[:100])
    play(learner, X[100:-100], costs[100:-100])
    assert error(learner, X[-100:], costs[-100:]) < 0.05


# States

SHAPES: dict[str, dict[str, Any]] = {
    "bends": {"translations": 3, "products": 12, "memories": MEMORIES},
    "plain": {"bends": 0, "memories": MEMORIES},
    "forgetting": {"half_life": 50.0, "settled_at": 20},
    "wide": {"widest": 1, "memories": MEMORIES},
}
LAM = np.array([0.0, 0.75, 1.0])


def learn_any(learner: RecursiveLeastSquares, i: int, far: float = 1.0) -> None:
    """Example i of a stream of labels, some of them partial, of rounds, and of changes of the unit."""
    random = np.random.default_rng(i)
    x = far * random.normal(size=4)
    x[3] = 2.0 if i < 140 else random.integers(2)
    if i < 20 or i % 5 == 0:
        costs = random.random(learner.actions)
        costs[random.random(learner.actions) < 0.2] = np.nan
        teach(learner, x, costs, 1 - LAM)
    else:
        update(learner, x, int(random.integers(learner.actions)), random.random(), LAM)
    if i in (30, 31, 100, 250):
        learner.rescale(0.8, 0.1)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_learner_restored_at_every_moment_goes_on_exactly(shape: str) -> None:
    original, restored = make(4, 3, 3, **SHAPES[shape]), make(4, 3, 3, **SHAPES[shape])
    for i in range(420):
        if i < 300 or i % 40 == 0:
            state, actions = restored.state(), restored.actions
            restored = make(4, 3, 3, **SHAPES[shape])
            while restored.actions < actions:
                restored.add_action()
            restored.restore(state)
        for learner in (original, restored):
            if i in (25, 290):
                learner.add_action()
            learn_any(learner, i, 1.0 if i < 300 else 100.0)
        assert same_bits(original, restored)
    assert original.actions == 5
    assert (original.renewals > 0) == (shape != "wide")


@pytest.mark.parametrize("saved_at", [1, 3, 4, 60, 127, 128, 129, 200, 300, 700])
def test_a_loaded_bandit_goes_on_exactly(saved_at: int, tmp_path: Path) -> None:
    random = np.random.default_rng(14)
    X, costs = random.normal(size=(1000, 3)), 10 * random.random((1000, 3))
    costs[500:] = costs[500:, ::-1]
    bandit = WarmBandit(2, seed=3).warm_start(X[:50], costs=costs[:50, :2])

    def rounds(played: WarmBandit, begin: int, end: int) -> list[Any]:
        decisions = []
        for i in range(begin, end):
            decisions.append(played.decide(X[i]))
            played.learn(X[i], decisions[-1], costs[i, int(decisions[-1].action)])
        return decisions

    rounds(bandit, 0, saved_at // 2)
    bandit.add_action()
    rounds(bandit, saved_at // 2, saved_at)
    bandit.save(tmp_path / "a.warmcb")
    again = load(tmp_path / "a.warmcb")
    assert rounds(again, saved_at, saved_at + 200) == rounds(bandit, saved_at, saved_at + 200)
    assert same_bits(again._learner, bandit._learner)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_snapshot_predicts_the_same(shape: str) -> None:
    learner = make(4, 3, 3, **SHAPES[shape])
    X = np.random.default_rng(15).normal(size=(50, 4))
    for i in range(200):
        learn_any(learner, i)
        if i % 20 == 3:
            snapshot: Any = learner.snapshot()
            before = predictions(snapshot, X)
            np.testing.assert_allclose(before, predictions(learner, X), atol=1e-5)
            thawed = thaw(snapshot.state())
            np.testing.assert_array_equal(predictions(thawed, X), before)
            for lane in range(3):
                assert learner.memory(lane) == snapshot.memory(lane) == thawed.memory(lane)
            learn_any(learner, i)
            np.testing.assert_array_equal(predictions(snapshot, X), before)


def test_a_policy_decides_as_its_bandit() -> None:
    random = np.random.default_rng(16)
    X = random.normal(size=(900, 4))
    costs = np.stack([X[:, 0], X[:, 1] * X[:, 2], np.sin(3 * X[:, 3])], axis=1)
    bandit = WarmBandit(3, seed=2).warm_start(X[:100], costs=costs[:100])
    bandit = simulate(bandit, X[100:600], costs=costs[100:600], shuffle=False).bandit
    policy = bandit.policy()
    for i in range(600, 900):
        ours, theirs = policy.decide(X[i], key=i), bandit.decide(X[i], key=i)
        assert ours.action == theirs.action
        np.testing.assert_allclose(ours.probabilities, theirs.probabilities, atol=1e-5)


def any_state(shape: str) -> tuple[RecursiveLeastSquares, dict[str, NDArray[Any]]]:
    """Of a learner that has kept labels and rounds, and renewed units if it renews any."""
    learner = make(4, 3, 3, **SHAPES[shape] | {"settled_at": 40})
    for i in range(120):
        learn_any(learner, i, 1.0 if i < 60 else 50.0)
    return make(4, 3, 3, **SHAPES[shape] | {"settled_at": 40}), learner.state()


def test_a_state_is_a_copy() -> None:
    learner = make(4, 3, 3)
    for i in range(50):
        learn_any(learner, i)
    state = learner.state()
    before = {name: array.tobytes() for name, array in state.items()}
    learn_any(learner, 50)
    assert {name: array.tobytes() for name, array in state.items()} == before


REFUSED = (ValueError, TypeError, RuntimeError, KeyError)
NAMES = sorted(any_state("bends")[1])


@pytest.mark.parametrize("name", NAMES)
def test_a_state_of_another_size_is_refused(name: str) -> None:
    fresh, state = any_state("bends")
    assert len(state[name]) > 0
    for wrong in (state[name][:-1], np.append(state[name], state[name][:1]), state[name][:0]):
        if name in ("recent", "beyond", "translator") and len(wrong) == 0:
            continue  # as before the first of them
        with pytest.raises(ValueError):
            fresh.restore(state | {name: wrong})
        fresh = any_state("bends")[0]
    with pytest.raises(REFUSED):
        fresh.restore(state | {name: state[name].astype(np.int64)})
    if "taught" not in name:  # a learner that has forgotten its first rounds has none
        without = {other: array for other, array in state.items() if other != name}
        with pytest.raises(REFUSED):
            fresh.restore(without)


def changed(array: NDArray[Any], at: int, value: Any) -> NDArray[Any]:
    array = array.copy()
    array[at] = value
    return array


@pytest.mark.parametrize(
    "name, at, value, message",
    [
        ("squared", 0, 4, "the square of an unknown feature"),
        ("taught_whose", 1, 1000, "an unknown factor"),
        ("models_whose", -1, 2**32 - 1, "an unknown factor"),
        ("kept_index", 0, 4, "an unknown feature"),  # the intercept is the last one
        ("kept_index", 0, 2**32 - 1, "an unknown feature"),
        ("kept_ends", 3, 0, "an example out of range"),
        ("kept_ends", -1, 2**63, "an example out of range"),
        ("kept_actions", -1, 3, "an example out of range"),
        ("kept_counts", 0, 2**64 - 1, "another number of examples"),
        ("kept_importance", 0, -1, "an example of negative weight"),
        ("places_of", 0, 4, "a place of an unknown feature"),
        ("knots", 5, 1e9, "knots out of order"),
        ("centre", 0, np.nan, "not finite"),
        ("models_weights", 0, np.inf, "not finite"),
        ("models_variances", 0, -1, "a negative variance"),
        ("mixture", 0, 2, "weights of a mixture that do not sum to 1"),
        ("better", 0, -1, "a negative weight"),
        ("shape", 0, 5, "terms of another shape"),
        ("shape", 4, 2**60, "terms of another shape"),
    ],
)
def test_a_damaged_state_is_refused(name: str, at: int, value: Any, message: str) -> None:
    fresh, state = any_state("bends")
    with pytest.raises(ValueError, match=message):
        fresh.restore(state | {name: changed(state[name], at, value)})


def test_a_state_of_another_learner_is_refused() -> None:
    _, state = any_state("bends")
    options = SHAPES["bends"]
    others = [make(3, 3, 3, **options), make(4, 2, 3, **options), make(4, 3, 2, **options)]
    others += [make(4, 3, 3, **options | {name: 1}) for name in ("bends", "translations", "products", "widest")]
    for other in [*others, make(4, 3, 3, **options | {"memories": []})]:
        with pytest.raises(ValueError):
            other.restore(state)
    with pytest.raises(ValueError, match="kept rounds without the models before them"):
        make(4, 3, 3, **options).restore({name: array for name, array in state.items() if "taught" not in name})


def test_a_damaged_snapshot_is_refused() -> None:
    learner = make(4, 3, 3, **SHAPES["bends"])
    for i in range(150):
        learn_any(learner, i)
    snapshot: Any = learner.snapshot()
    state = snapshot.state()
    damages: list[dict[str, Any]] = [
        {"shape": changed(state["shape"], 3, 13)},
        {"weights": state["weights"][:-1].copy()},
        {"weights": changed(state["weights"], 0, np.nan)},
        {"memories": -state["memories"] - 1},
        {"largest": np.zeros(1)},
        {"squared": changed(state["squared"], 0, 9)},
        {"shape": np.array([4, 1, 4, 8, 8], dtype=np.uint64)},  # more translations than actions
        {"shape": np.array([4, 1, 3, 8, 2**60], dtype=np.uint64)},
        # As many terms as there are weights, but products of features that there are not.
        {"shape": np.array([4, 1, 3, 16, 0], dtype=np.uint64)},
        {"shape": np.array([4, 1, 0, 19, 0], dtype=np.uint64), "translator": np.empty(0, dtype=np.float32)},
    ]
    for damage in damages:
        with pytest.raises(ValueError):
            thaw(state | damage)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_whatever_a_state_holds_nothing_crashes(shape: str) -> None:
    """Any number may be any other: it is refused, or learned on."""
    random = np.random.default_rng(17)
    _, state = any_state(shape)
    names = [name for name in state if len(state[name])]
    rows = as_rows(np.zeros((1, 4)))
    refused = 0
    for _ in range(300):
        name = names[random.integers(len(names))]
        kind = state[name].dtype
        values = [-1e30, -1.0, 0.0, 1e-30, 1e30] if kind.kind == "f" else [0, 1, 4, 40, 255, np.iinfo(kind).max]
        value = kind.type(values[random.integers(len(values))])
        fresh = make(4, 3, 3, **SHAPES[shape] | {"settled_at": 40})
        try:
            fresh.restore(state | {name: changed(state[name], int(random.integers(len(state[name]))), value)})
        except ValueError:
            refused += 1
            continue
        fresh.snapshot().predict(rows, 0)
        with np.errstate(all="ignore"):
            for i in range(100, 160):
                learn_any(fresh, i)
    assert 10 < refused < 290


def test_bad_calls_are_refused() -> None:
    learner, rows = make(2), as_rows(np.ones((1, 2)))
    scores = learner.predict(rows, 0)
    with pytest.raises(ValueError, match="row out of range"):
        learner.predict(rows, 1)
    with pytest.raises(ValueError, match="row out of range"):
        learner.terms(rows, 1)
    with pytest.raises(ValueError, match="lane out of range"):
        learner.memory(1)
    with pytest.raises(ValueError, match="action out of range"):
        learn_one(learner, rows, 0, 2, 0.5, np.ones(1), scores)
    with pytest.raises(ValueError, match="one weight for each lane"):
        learn_one(learner, rows, 0, 1, 0.5, np.ones(2), scores)
    with pytest.raises(ValueError, match="number of features differs"):
        learner.predict(as_rows(np.ones((1, 3))), 0)


# How it is configured


def test_what_it_sees_of_a_row() -> None:
    def description(features: str, *shape: int) -> str:
        return Configured(features, math.inf).start(*shape).description

    assert description("linear", 5, 2, 3) == "least squares, 6 terms"
    assert description("bends", 5, 2, 3) == f"least squares, {6 + 2 + 10 + 192} terms, 192 of them bends"
    assert description("bends", 5, 100, 3) == f"least squares, {6 + 50} terms, 50 of them bends"  # no translations
    assert description("bends", 300, 2, 3) == "least squares, 301 terms in blocks of 16"
    for bad in (
        {"features": "cubes"},
        {"ridge": 0.0},
        {"wild": 0.5},
        {"memories": (10.0, 100.0)},
        {"settled_at": 0},
        {"translate": "no"},
    ):
        with pytest.raises(InputError):
            Configured(**bad)


def test_the_default_is_what_the_tests_assume() -> None:
    shared = {
        "intercept_ridge",
        "first_guess",
        "settled_at",
        "rate",
        "size_rate",
        "share",
        "patience",
        "largest",
        "wild",
    }
    assert all(getattr(Configured(), name) == OPTIONS[name] for name in shared)
