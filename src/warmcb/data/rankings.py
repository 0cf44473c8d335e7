"""Rankings as LIBSVM text: each query is a round, its documents are the actions, and better grades cost less."""

from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from warmcb.data.dataset import lightest
from warmcb.data.described import DescribedDataset
from warmcb.errors import DataError


def query_file(path: Path) -> Path:
    """The file with the sizes of the queries: the same name, with `.query` added."""
    return path.with_name(f"{path.name.removesuffix('.gz')}.query")


def read_ranking(name: str, file: IO[bytes], sizes: NDArray[np.int64] | None) -> DescribedDataset:
    """Rows `grade qid:query column:value …`; a document of the highest grade costs 0, one of grade 0 costs 1.

    Args:
        name: the name of the data set.
        file: the rows, sorted by query.
        sizes: the number of rows of each query, in order; None if each row has a `qid`.

    """
    from sklearn.datasets import load_svmlight_file  # the import takes a second

    A, grades, queries = load_svmlight_file(file, dtype=np.float32, query_id=True)
    if sizes is None:
        sizes = _sizes_of(name, queries, len(grades))
    elif sizes.sum() != len(grades):
        raise DataError(f"{name} has {len(grades)} rows; expected {sizes.sum()}, the sum of its query sizes")
    best = grades.max(initial=0)
    if not (np.isfinite(grades).all() and grades.min(initial=0) >= 0 and best > 0):
        shown = ", ".join(f"{grade:g}" for grade in np.unique(grades)[:5])
        raise DataError(f"{name} has grades {shown}; expected numbers of at least 0, not all 0")
    A.eliminate_zeros()
    starts = np.concatenate([[0], np.cumsum(sizes)])
    remark = f"the cost is 1 - grade/{best:g}: {best:g} is the highest grade of the file"
    return DescribedDataset(name, None, lightest(A), starts, 1 - grades / best, remarks=(remark,))


def read_sizes(path: Path) -> NDArray[np.int64]:
    """The sizes of queries, one per line of a file."""
    words = path.read_bytes().split()
    for number, word in enumerate(words, start=1):
        if not (word.isdigit() and 0 < int(word) < 2**31):
            found = word.decode(errors="replace")[:20]
            raise DataError(f"{path.name}: the size of query {number} is {found!r}; expected an integer from 1")
    return np.array(words, dtype=np.int64)


def _sizes_of(name: str, queries: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    if len(queries) != n_rows:
        raise DataError(f"{name} has a qid in {len(queries)} of {n_rows} rows; expected one in each")
    begins = np.flatnonzero(np.diff(queries, prepend=queries[0] - 1 if n_rows else 0))
    found, counts = np.unique(queries[begins], return_counts=True)
    if (counts > 1).any():
        raise DataError(f"{name} has rows of query {found[counts > 1][0]} in two places; expected them in one")
    return np.diff(begins, append=n_rows)
