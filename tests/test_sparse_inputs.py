"""Sparse matrices whose index arrays are wrong are refused before SciPy, which trusts them, does anything with them."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from warmcb import ArrowCB, _inputs, simulate
from warmcb.errors import InputError

DENSE = np.array([[0, 1, 0, 2], [0, 0, 0, 0], [3, 0, 4, 0], [0, 0, 0, 5]], dtype=np.float32)


def put(attribute: str, place: int, value: int) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        getattr(X, attribute)[place] = value

    return change


def swap(attribute: str, new: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change(X: Any) -> None:
        setattr(X, attribute, new(getattr(X, attribute)))

    return change


COMPRESSED: dict[str, tuple[Callable[[Any], None], str]] = {
    "a start far away": (put("indptr", 3, 10**9), "indptr[4] is 5; expected at least 1000000000"),
    "an end far away": (put("indptr", 4, 10**9), "indptr[4] is 1000000000; expected at most 5, the number of values"),
    "a start that goes back": (put("indptr", 2, 0), "indptr[2] is 0; expected at least"),
    "a negative start": (put("indptr", 1, -3), "indptr[1] is -3; expected at least 0"),
    "a negative end": (put("indptr", 4, -1), "indptr[4] is -1; expected at least"),
    "a first start that is not 0": (put("indptr", 0, 1), "indptr[0] is 1; expected 0"),
    "too few starts": (swap("indptr", lambda a: a[:-1]), "indptr has 4 entries; expected 5"),
    "too many starts": (swap("indptr", lambda a: np.append(a, a[-1])), "indptr has 6 entries; expected 5"),
    "no starts": (swap("indptr", lambda a: a[:0]), "indptr has 0 entries; expected 5"),
    "starts that are no integers": (swap("indptr", lambda a: a + 0.5), "expected an array of integers"),
    "starts of None": (swap("indptr", lambda a: None), "indptr is None; expected an array of integers"),
    "starts in a table": (swap("indptr", lambda a: a[None]), "expected an array of integers"),
    "a negative index": (put("indices", 0, -5), "indices[0] is -5; expected an integer from 0 to 3"),
    "an index just outside": (put("indices", 2, 4), "indices[2] is 4; expected an integer from 0 to 3"),
    "an index beyond 32 bits": (
        swap("indices", lambda a: a.astype(np.int64) + 2**32),
        "expected an integer from 0 to 3",
    ),
    "too few indices": (swap("indices", lambda a: a[:-1]), "indices has 4 entries; expected 5, as many as data"),
    "too few values": (swap("data", lambda a: a[:-1]), "indices has 5 entries; expected 4, as many as data"),
    "values of None": (swap("data", lambda a: None), "data is None; expected an array of numbers"),
}
OTHERS: dict[str, tuple[str, Callable[[Any], None], str]] = {
    "BSR: a start far away": ("bsr", put("indptr", -1, 10**9), "is 1000000000; expected at most"),
    "BSR: a negative index": ("bsr", put("indices", 0, -1), "indices[0] is -1"),
    "BSR: an index outside": ("bsr", put("indices", 0, 9), "indices[0] is 9"),
    "BSR: other blocks": ("bsr", swap("data", lambda a: np.ones((len(a), 3, 3))), "its blocks are 3 × 3"),
    "BSR: flat values": ("bsr", swap("data", lambda a: a.ravel()), "expected an array of numbers"),
    "COO: a row outside": ("coo", put("row", 1, 4), "coords[0][1] is 4; expected an integer from 0 to 3"),
    "COO: a negative column": ("coo", put("col", 0, -1), "coords[1][0] is -1; expected an integer from 0 to 3"),
    "COO: too few values": (
        "coo",
        swap("data", lambda a: a[1:]),
        "coords[0] has 5 entries; expected 4, as many as data",
    ),
    "DIA: too many offsets": ("dia", swap("offsets", lambda a: np.append(a, 0)), "offsets do not fit data"),
    "DIA: an offset that would wrap": (
        "dia",
        swap("offsets", lambda a: np.where(a == a[0], 2**32, a.astype(np.int64))),
        "offsets do not fit data",
    ),
    "LIL: a row of more columns than values": ("lil", lambda X: X.rows[0].append(2), "rows do not fit data"),
    "LIL: a column outside": ("lil", lambda X: X.rows[0].__setitem__(0, 77), "77"),
}


def forbid_scipy(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every method of SciPy's fail that reads the index arrays."""

    def forbidden(*_: object, **__: object) -> None:
        pytest.fail("SciPy was asked")

    for method in ("tocsr", "tocoo", "astype", "copy", "sum_duplicates", "__getitem__", "reshape", "check_format"):
        monkeypatch.setattr(kind, method, forbidden)
    monkeypatch.setattr(kind, "has_canonical_format", property(forbidden))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize("case", COMPRESSED)
def test_broken_index_arrays_are_refused_before_scipy_sees_them(
    case: str, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    change, message = COMPRESSED[case]
    X = kind(DENSE.T if kind is sparse.csc_array else DENSE)
    change(X)
    forbid_scipy(kind, monkeypatch)
    for call in (
        lambda: _inputs.matrix(X, None),
        lambda: _inputs.plain_matrix(X),
        lambda: ArrowCB(3).warm_start(X, [0, 1, 2, 0]),
        lambda: simulate(ArrowCB(3), X, [0, 1, 2, 0], warm_start=1),
    ):
        with pytest.raises(InputError, match=f"^X is not a valid {X.format.upper()} matrix: ") as caught:
            call()
        assert message in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("case", OTHERS)
def test_other_formats(case: str) -> None:
    format, change, message = OTHERS[case]
    X = sparse.csr_array(DENSE).asformat(format)
    change(X)
    with pytest.raises(InputError, match=f"^X is not a valid {format.upper()} matrix: ") as caught:
        _inputs.matrix(X, None)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("indptr", 1, 10**9), "indptr[1] is 1000000000; expected at most 2, the number of values"),
        (put("indptr", 1, -1), "indptr[1] is -1; expected at least 0"),
        (put("indices", 1, 4), "indices[1] is 4; expected an integer from 0 to 3"),
        (put("indices", 0, -1), "indices[0] is -1"),
    ],
)
def test_a_broken_row(change: Callable[[Any], None], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    x = sparse.csr_array(DENSE[:1])
    change(x)
    forbid_scipy(sparse.csr_array, monkeypatch)
    with pytest.raises(InputError) as caught:
        ArrowCB(3).decide(x)
    assert str(caught.value).startswith("x is not a valid CSR matrix: ") and message in str(caught.value)


@pytest.mark.parametrize("format", ["csr", "csc", "bsr", "coo", "dia", "lil", "dok"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, bool])
def test_every_format_gives_the_same_rows(format: str, dtype: type) -> None:
    values: Any = DENSE.astype(dtype)
    bandit = ArrowCB(3).warm_start(values, [0, 1, 2, 0])
    X = sparse.csr_array(values).asformat(format)
    other = ArrowCB(3).warm_start(X, [0, 1, 2, 0])
    np.testing.assert_array_equal(other.predict(DENSE), bandit.predict(X))
    everything = np.arange(4)
    for ours, theirs in zip(
        _inputs.matrix(X, 4).take(everything), _inputs.matrix(values, 4).take(everything), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


def test_what_scipy_once_saw_is_not_trusted() -> None:
    """A matrix that was sorted when it was first used has got a column twice since then."""
    X = sparse.csr_array(DENSE)
    assert X.has_canonical_format
    X.indices[0] = 3
    values, indices, _ = _inputs.matrix(X, 4).take(np.array([0]))
    assert (values.tolist(), indices.tolist()) == ([3.0], [3])
    assert X.indices.tolist() == [3, 3, 0, 2, 3]  # the caller's matrix stays as it is


def test_unsorted_columns_and_spare_room() -> None:
    unsorted = sparse.csr_array((np.ones(3), np.array([2, 0, 1]), np.array([0, 2, 2, 3])), shape=(3, 3))
    spare = sparse.csr_array((np.ones(9), np.array([0, 2, 1, 9, 9, 9, 9, 9, -9]), np.array([0, 2, 2, 3])), shape=(3, 3))
    for X in (unsorted, spare):
        _, indices, starts = _inputs.matrix(X, 3).take(np.arange(3))
        assert (indices.tolist(), starts.tolist()) == ([0, 2, 1], [0, 2, 2, 3])


def test_empty_matrices() -> None:
    for shape in ((0, 3), (3, 0), (0, 0), (2, 3)):
        assert len(_inputs.matrix(sparse.csr_array(shape), None)) == shape[0]


def test_the_check_is_cheap() -> None:
    X = sparse.random_array(
        (20_000, 10_000), density=5e-3, rng=np.random.default_rng(0), format="csr", dtype=np.float32
    )

    def fastest(call: Callable[[], object]) -> float:
        times = []
        for _ in range(5):
            started = time.perf_counter()
            call()
            times.append(time.perf_counter() - started)
        return min(times)

    assert fastest(lambda: _inputs.plain_matrix(X)) < 100 * fastest(X.indices.max)
