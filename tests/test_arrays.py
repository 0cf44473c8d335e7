"""Data sets as array files: the same after a round trip, and mapped, not copied."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from problems import make_problem
from warmcb.data.arrays import fingerprint, load_arrays, save_arrays
from warmcb.data.dataset import Dataset


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
