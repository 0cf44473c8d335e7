"""Random numbers, explorers and selectors of the core."""

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import warmcb
from warmcb import _core
from warmcb._core import EpsilonGreedy, ProgressiveValidation, Rows, Stream, draw
from warmcb.contracts import Opinions, Outcome

uint64 = st.integers(0, 2**64 - 1)


@given(uint64, uint64, st.integers(0, 2**63))
def test_streams_are_numpys_philox(seed: int, stream: int, round_: int) -> None:
    peer = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64), counter=round_)
    # NumPy counts up before it draws.
    expected = Stream(seed, stream).uniform((round_ + 1) % 2**64)
    assert np.random.Generator(peer).random() == expected


def test_two_seeds_or_streams_share_nothing() -> None:
    draws = {(s, t): [Stream(s, t).uniform(i) for i in range(50)] for s in range(4) for t in range(4)}
    assert len({value for values in draws.values() for value in values}) == 16 * 50


def epsilon_greedy(epsilon: float, values: list[float]) -> NDArray[np.float64]:
    scores = np.array(values, dtype=np.float32)[:, np.newaxis]
    greedy, eligible = scores.argmin(axis=0).astype(np.int32), np.ones(1, dtype=np.uint8)
    return EpsilonGreedy().distribution(Opinions(scores, greedy, eligible, 0, epsilon, 0))


def test_epsilon_greedy_by_hand() -> None:
    np.testing.assert_allclose(epsilon_greedy(0.3, [0.5, 0.2, 0.9]), [0.1, 0.8, 0.1])
    np.testing.assert_allclose(epsilon_greedy(0.3, [0.2, 0.2, 0.9]), [0.45, 0.45, 0.1])
    np.testing.assert_allclose(epsilon_greedy(0.3, [0, 0, 0]), [1 / 3] * 3)


def test_epsilon_is_shared_among_the_allowed() -> None:
    np.testing.assert_allclose(epsilon_greedy(0.3, [0.5, np.inf, 0.9]), [0.85, 0, 0.15])
    assert epsilon_greedy(0.3, [np.inf, np.inf, 0.9]).tolist() == [0, 0, 1]


scores = st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=40)


@given(st.floats(0, 1), scores)
def test_epsilon_greedy_is_a_distribution(epsilon: float, values: list[float]) -> None:
    probabilities = epsilon_greedy(epsilon, values)
    assert abs(probabilities.sum() - 1) < 1e-12
    assert probabilities.min() >= epsilon / len(values) * (1 - 1e-12)
    lowest = np.array(values, dtype=np.float32) == np.array(values, dtype=np.float32).min()
    assert probabilities[lowest].min() == probabilities.max()


@given(uint64, st.integers(0, 10**6), st.lists(st.floats(0, 1), min_size=2, max_size=20).filter(lambda p: sum(p) > 0))
def test_draw_never_gives_the_impossible(seed: int, round_: int, weights: list[float]) -> None:
    probabilities = np.array(weights) / sum(weights)
    action = draw(probabilities, Stream(seed, 0).uniform(round_))
    assert probabilities[action] > 0


def test_progressive_validation_by_hand() -> None:
    selector = ProgressiveValidation(3)
    assert selector.best == 0
    scores = np.zeros((3, 3), dtype=np.float32)
    selector.add(Outcome(scores, np.array([0, 1, 1], dtype=np.int32), 0, 0.5, 0.25, 12.0, 12.0))
    assert selector.sums.tolist() == [2.0, 0.0, 0.0]
    assert selector.best == 1
    selector.add(Outcome(scores, np.array([0, 1, 2], dtype=np.int32), 1, 1.0, 0.5, 12.0, 12.0))
    assert selector.sums.tolist() == [2.0, 2.0, 0.0]
    assert (selector.best, selector.rounds) == (2, 2)


def test_rows_refuse_what_would_read_foreign_memory() -> None:
    values, indices = np.ones(2, dtype=np.float32), np.array([0, 5], dtype=np.int32)
    with pytest.raises(ValueError, match="a column out of range"):
        Rows(values, indices, np.array([0, 1, 2]), 5)
    with pytest.raises(ValueError, match="outside of the values"):
        Rows(values, indices, np.array([0, 3]), 6)
    with pytest.raises(ValueError, match="more values than there are columns"):
        Rows(values, indices, np.array([0, 2, 1]), 6)
    with pytest.raises(ValueError, match="more values than there are columns"):
        Rows(values, np.zeros(2, dtype=np.int32), np.array([0, 2]), 1)


def test_rows_find_what_is_not_finite() -> None:
    values = np.array([1, 2, np.inf], dtype=np.float32)
    sparse = Rows(values, np.array([0, 3, 1], dtype=np.int32), np.array([0, 2, 2, 3]), 5)
    assert sparse.first_bad() == (2, 1, np.inf)
    assert Rows(values.reshape(1, 3)).first_bad() == (0, 2, np.inf)
    assert Rows(values[:2].reshape(2, 1)).first_bad() is None


def test_tiny_features_count_as_zero() -> None:
    rows = Rows(np.array([[1e-40, 2.0, 0.0]], dtype=np.float32))
    values, indices, starts = rows.take(np.array([0, 0]))
    assert (values.tolist(), indices.tolist(), starts.tolist()) == ([2.0, 2.0], [1, 1], [0, 1, 2])


def test_the_stubs_name_what_the_module_has() -> None:
    """The build writes them; mypy and readers rely on them."""
    tree = ast.parse(Path(warmcb.__file__).with_name("_core.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert classes.keys() | functions == {name for name in dir(_core) if not name.startswith("_")}
    for name, node in classes.items():
        members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
        own = {member for member in vars(getattr(_core, name)) if not member.startswith("_")}
        assert {member for member in members if not member.startswith("_")} == own
