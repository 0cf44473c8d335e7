"""Data sets as array files: the same after a round trip, and mapped, not copied."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from tests.support.problems import make_problem
from warmcb.data.arrays import fingerprint, load_arrays, save_arrays
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset


def dataset(*, is_sparse: bool = False, labels: bool = True) -> Dataset:
    problem = make_problem(is_sparse=is_sparse, labels=labels)
    X = problem.X.astype(np.float32)
    y, costs = (problem.y, None) if labels else (None, problem.costs)
    return Dataset("small", X, y, ("a", "b", "c"), costs)


def is_mapped(array: object) -> bool:
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("labels", [False, True])
def test_round_trip(tmp_path: Path, is_sparse: bool, labels: bool) -> None:
    before = dataset(is_sparse=is_sparse, labels=labels)
    save_arrays(before, tmp_path / "it")
    after = load_arrays(tmp_path / "it")
    assert isinstance(after, Dataset)
    assert fingerprint(after) == fingerprint(before)
    assert (after.name, after.classes, sparse.issparse(after.X)) == ("small", ("a", "b", "c"), is_sparse)
    parts = [after.X.data, after.X.indices, after.X.indptr] if is_sparse else [after.X]
    for part in [*parts, after.y if labels else after.costs]:
        assert is_mapped(part)


def test_whatever_differs_has_another_fingerprint() -> None:
    one = dataset()
    assert one.y is not None
    others = [
        Dataset("small", one.X + np.float32(1e-6), one.y, one.classes),
        Dataset("small", one.X, (one.y + 1) % 3, one.classes),
        Dataset("small", one.X, one.y, (*one.classes, "d")),
        Dataset("small", sparse.csr_array(one.X), one.y, one.classes),
    ]
    assert len({fingerprint(other) for other in [one, *others]}) == 5
    assert fingerprint(Dataset("other", one.X, one.y, one.classes)) == fingerprint(one)  # a name is no content


def described(*, is_sparse: bool = False, context: bool = True, ids: bool = True) -> DescribedDataset:
    X, A = np.eye(3, 2, dtype=np.float32), np.arange(12, dtype=np.float32).reshape(6, 2)
    matrix = sparse.csr_array if is_sparse else np.asarray
    costs, names = np.array([0, np.nan, 1, 2, 3, 4]), ("a", "b", 1, "1", "a", "ü")
    starts = np.array([0, 2, 3, 6])
    return DescribedDataset("shop", matrix(X) if context else None, matrix(A), starts, costs, names if ids else None)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize("ids", [False, True])
def test_described_actions_make_the_round_trip(tmp_path: Path, is_sparse: bool, context: bool, ids: bool) -> None:
    before = described(is_sparse=is_sparse, context=context, ids=ids)
    save_arrays(before, tmp_path / "it")
    after = load_arrays(tmp_path / "it")
    assert isinstance(after, DescribedDataset)
    assert fingerprint(after) == fingerprint(before)
    assert (after.name, after.ids, after.X is None) == (before.name, before.ids, not context)
    np.testing.assert_array_equal(after.costs, before.costs)
    assert is_mapped(after.costs)
    assert is_mapped(after.A.data if is_sparse else after.A)


def test_whatever_differs_in_described_actions_has_another_fingerprint() -> None:
    one = described()
    others = [
        replace(one, starts=np.array([0, 1, 3, 6])),
        replace(one, costs=one.costs + 1),
        replace(one, ids=("a", "b", "1", "1", "a", "ü")),
        replace(one, A=one.A + np.float32(1)),
        replace(one, X=None),
        described(is_sparse=True),
        described(ids=False),
    ]
    assert len({fingerprint(other) for other in [one, *others]}) == 8
