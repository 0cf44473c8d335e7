"""Convert named features to matrices with a column for each feature of a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from warmcb.data.dataset import lightest
from warmcb.features import Encoder

Named = tuple[Any, tuple[str, ...]]
"""A matrix, and the names of its columns, which are sorted by name."""


def wide_encoder() -> Encoder:
    """An encoder with so many columns that collisions are very rare; `narrow` drops the unused columns."""
    return Encoder(bits=30, most_names=2**31 - 1)


def narrow(encoder: Encoder, wide: Any) -> Named:
    """Keep the columns of encoded rows that are used. The names of features in the same column are joined by " or "."""
    columns, places = np.unique(wide.indices, return_inverse=True)
    names = [" or ".join(encoder.names(int(column))) for column in columns]
    return _sorted((wide.data, places, wide.indptr), names)


def one_column_each(rows: Sequence[Mapping[str, float]]) -> Named:
    """Convert numbers by name to a matrix with a column for each name, without hashing."""
    columns: dict[str, int] = {}
    places = [columns.setdefault(name, len(columns)) for row in rows for name in row]
    values = [value for row in rows for value in row.values()]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    with np.errstate(over="ignore", under="ignore"):  # numbers that overflow are refused later, with their place
        return _sorted((np.array(values, dtype=np.float64).astype(np.float32), places, starts), list(columns))


def _sorted(csr: tuple[Any, Any, Any], names: list[str]) -> Named:
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), dtype=np.int32)
    rank[order] = np.arange(len(names))
    values, places, starts = csr
    shape = (len(starts) - 1, len(names))
    matrix = sparse.csr_array((values, rank[np.asarray(places, dtype=np.int64)], starts), shape=shape, dtype=np.float32)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return lightest(matrix), tuple(names[column] for column in order)
