"""Make columns of lists from Python lists, many times faster than Polars does row by row."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import polars as pl


def list_column(name: str, rows: Sequence[Any], kind: pl.List) -> pl.Series:
    """A column of lists. Rows of equal length are converted together, and then put into their order."""
    lengths = np.fromiter((-1 if row is None else len(row) for row in rows), np.int64, len(rows))
    empty = pl.Series(name, [], dtype=kind)
    parts: list[pl.Series] = []
    places: list[int] = []
    for length in np.unique(lengths):
        here = np.flatnonzero(lengths == length).tolist()
        places += here
        if length < 0:
            parts.append(empty.extend_constant(None, len(here)))
        elif length == 0 or isinstance(kind.inner, pl.List):
            parts.append(pl.Series(name, [rows[place] for place in here], dtype=kind))
        else:
            values = list(chain.from_iterable(rows if len(here) == len(rows) else [rows[place] for place in here]))
            flat = pl.Series(name, values, dtype=kind.inner)
            parts.append(flat.reshape((len(here), int(length))).cast(kind))
    if len(parts) < 2:
        return parts[0] if parts else empty
    return pl.concat(parts).gather(np.argsort(places))
