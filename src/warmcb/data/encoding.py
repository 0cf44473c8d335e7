"""Named features as matrices that are as narrow as a whole file allows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from warmcb.data.dataset import lightest
from warmcb.features import Encoder

Named = tuple[Any, tuple[str, ...]]
"""A matrix, and the names of its columns, by which they are sorted."""


def wide_encoder() -> Encoder:
    """An encoder with so many columns that features hardly ever share one; `narrow` drops those that never occur."""
    return Encoder(bits=30, most_names=2**31 - 1)


def narrow(encoder: Encoder, wide: Any) -> Named:
    """The columns of an encoder's rows that occur. Features that share a column have their names joined by " or "."""
    columns, places = np.unique(wide.indices, return_inverse=True)
    names = [" or ".join(encoder.names(int(column))) for column in columns]
    return _sorted((wide.data, places, wide.indptr), names)


def one_column_each(rows: Sequence[Mapping[str, float]]) -> Named:
    """Numbers by name: every name has a column, nothing is hashed."""
    columns: dict[str, int] = {}
    places = [columns.setdefault(name, len(columns)) for row in rows for name in row]
    values = [value for row in rows for value in row.values()]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    with np.errstate(over="ignore", under="ignore"):  # what is too large for a float is refused later, by its place
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
