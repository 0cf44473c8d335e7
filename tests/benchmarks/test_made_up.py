"""The made-up problems of the benchmarks: what they promise, and that they are those of the published figures."""

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import made_up
from tests.support.places import shared_data

PUBLISHED = shared_data().parent / "problems.py"

DRAWS: dict[str, tuple[str, dict[str, Any]]] = {
    "unit": ("unit", {}),
    "unit, large": ("unit", {"low": 0.0, "high": 500.0}),
    "unit, negative": ("unit", {"low": -3.0, "high": -2.0}),
    "arms": ("arms", {}),
    **{f"change, {mode}": ("change", {"mode": mode}) for mode in made_up.MODES},
    "slow_drift": ("slow_drift", {}),
    "turned_good": ("turned_good", {}),
    "one_in_a_hundred": ("one_in_a_hundred", {}),
    "half_right": ("half_right", {}),
}


@pytest.fixture(scope="module")
def published() -> Any:
    if not PUBLISHED.exists():
        pytest.skip("the published problems are not beside the project")
    spec = importlib.util.spec_from_file_location("published_problems", PUBLISHED)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("seed", [0, 7])
def test_arrays_are_the_published_ones(published: Any, name: str, seed: int) -> None:
    function, options = DRAWS[name]
    ours, theirs = (getattr(module, function)(seed, **options) for module in (made_up, published))
    for one, other in zip(ours, theirs, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_recovery_is_counted_as_published(published: Any) -> None:
    random = np.random.default_rng(0)
    for level in (0.1, 0.3, 0.9):
        costs = (random.random(4000) < np.repeat([0.9, level], 2000)).astype(np.float64)
        fresh = (random.random(4000) < 0.2).astype(np.float64)
        assert made_up.rounds_to_recover(costs, fresh) == published.rounds_to_recover(costs, fresh)


@pytest.mark.parametrize(
    ("costs", "rounds"),
    [
        ([1, 1, 1, 0, 0, 0], 5),  # 0, 0 is the first pair below 0.35
        ([0, 0, 1, 1, 1, 1], 2),  # no sooner than a whole window
        ([1, 0, 1, 0, 1, 0], np.inf),
    ],
)
def test_recovery_ends_with_the_first_good_window(costs: list[float], rounds: float) -> None:
    fresh = np.array([0.25, 0.25])
    assert made_up.rounds_to_recover(np.array(costs, dtype=np.float64), fresh, window=2) == rounds


def test_recovery_is_judged_by_the_end_of_the_fresh_run() -> None:
    fresh = np.concatenate([np.ones(5000), np.zeros(2000)])
    assert made_up.rounds_to_recover(np.ones(1000), fresh) == np.inf
    assert made_up.rounds_to_recover(np.zeros(1000), fresh) == 200


def test_a_range_moves_costs_and_nothing_else() -> None:
    X, costs, C = made_up.unit(3, 0.0, 500.0)
    plain_X, plain, same = made_up.unit(3)
    np.testing.assert_array_equal(X, plain_X)
    np.testing.assert_array_equal([same, plain], [C, C])
    assert C.min() >= 0 and C.max() <= 1
    np.testing.assert_array_equal(costs, 500 * C)
    np.testing.assert_array_equal(made_up.rescaled(np.array([0, 0.5, 1]), -3, -2), [-3, -2.5, -2])


@pytest.mark.parametrize(
    ("mode", "moved"),
    [
        ("times 100", lambda X: X * 100),
        ("plus 50", lambda X: X + 50),
    ],
)
def test_features_change_in_the_middle(mode: made_up.Mode, moved: Callable[[Any], Any]) -> None:
    X, y = made_up.change(1, mode, n=100)
    before, after = made_up.change(1, "rotated", n=100)
    np.testing.assert_array_equal(X, np.concatenate([before[:50], moved(before[50:])]))
    np.testing.assert_array_equal(y, np.concatenate([after[:50], (after[50:] - 1) % 4]))


def test_new_weights_are_others_from_the_middle_on() -> None:
    y, rotated = (made_up.change(1, mode, n=1000)[1] for mode in ("new weights", "rotated"))
    assert (y[:500] == rotated[:500]).all()
    assert 0 < (y[500:] == (rotated[500:] - 1) % 4).mean() < 1


def test_the_drift_ends_opposite_to_where_it_began() -> None:
    X, y = made_up.slow_drift(2, n=1000)
    first, _ = np.random.default_rng(2).normal(size=X.size + 48)[X.size :].reshape(2, 6, 4)
    assert y[0] == (X[0] @ first).argmax()
    assert (y[-5:] == (X[-5:] @ first).argmin(axis=1)).all()


def test_the_last_action_turns_good() -> None:
    _, C = made_up.turned_good(0)
    assert set(C[:5000, 3]) == {0.9} and set(C[5000:, 3]) == {0.05}
    assert set(C[:, :3].ravel()) == {0, 1} and abs(C[:, :3].mean() - 0.5) < 0.01


def test_arms_have_nothing_but_their_means() -> None:
    X, C = made_up.arms(0)
    assert (X == 7).all()
    np.testing.assert_allclose(C.mean(axis=0), made_up.ARMS, atol=0.02)


def test_one_row_in_a_hundred_lies_elsewhere() -> None:
    X, y = made_up.one_in_a_hundred(0)
    assert abs(y.mean() - 0.01) < 0.003
    np.testing.assert_allclose(X[y == 1].mean(axis=0), [2, 2, 2, 0, 0, 0, 0, 0], atol=0.4)


def test_labels_are_wrong_by_one_on_half_of_the_space() -> None:
    X, labels, y = made_up.half_right(0)
    np.testing.assert_array_equal((labels - y) % 4, X[:, -1] > 0)
