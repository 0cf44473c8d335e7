"""A data set as the bandits see it, and the way there from a table."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from warmcb.errors import DataError

_SPARSE_BELOW = 0.3  # density: rows with fewer non-zeros are kept as CSR


@dataclass(frozen=True)
class Dataset:
    """Contexts, and a label for each of them; or costs, for a file that gives costs."""

    name: str
    X: Any
    y: NDArray[np.int32] | None
    classes: tuple[str, ...]
    costs: NDArray[np.float64] | None = None
    remarks: tuple[str, ...] = ()
    """What was left out of the file, and why."""

    def __post_init__(self) -> None:
        if self.X.shape[0] == 0:
            raise DataError(f"{self.name} has no rows; expected examples")
        if len(self.classes) < 2:
            raise DataError(f"{self.name} has one class only ({self.classes[0]}); expected at least 2")

    @property
    def n_actions(self) -> int:
        return len(self.classes)

    @property
    def answers(self) -> dict[str, Any]:
        """The labels or the costs, as `simulate` takes them."""
        return {"y": self.y} if self.y is not None else {"costs": self.costs}

    @classmethod
    def from_table(cls, name: str, table: pl.DataFrame, target: str | None = None) -> Self:
        """Encode a table as the paper's experiments did.

        Nominal columns become one-hot, a missing value being a level of its own; a missing number counts as 0; numbers
        go in unscaled. A column without any value and a row without a target are left out, and remarked.
        """
        column = _target_column(name, table, target)
        if len(table) == 0:
            raise DataError(f"{name} has no rows; expected examples")
        remarks = []
        labelled = table.filter(pl.col(column).is_not_null())
        if len(labelled) < len(table):
            remarks.append(f"{len(table) - len(labelled)} rows without a target were dropped")
        features = labelled.drop(column)
        empty = [series.name for series in features if series.null_count() == len(series)]
        if empty:
            remarks.append(f"columns without any value were dropped: {', '.join(empty)}")
            features = features.drop(empty)
        if features.width == 0:
            raise DataError(f"{name} has no column with values beside {column!r}; expected features")
        y, classes = encode_labels(labelled[column].to_numpy())
        return cls(name, _encode(features), y, classes, remarks=tuple(remarks))


def encode_labels(values: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Numbers from 0 for the distinct values in their own order, and the values as text."""
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), tuple(_text(level) for level in levels)


def _text(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float | np.floating) else str(level)


def _target_column(name: str, table: pl.DataFrame, target: str | None) -> str:
    if target is not None and target not in table.columns:
        known = ", ".join(table.columns[:8]) + (", …" if table.width > 8 else "")
        raise DataError(f"{name} has no column {target!r}; expected one of {known}")
    if table.width < 2:
        raise DataError(f"{name} has {table.width} columns; expected features and a target")
    return target or ("target" if "target" in table.columns else table.columns[-1])


def _encode(features: pl.DataFrame) -> Any:
    is_number = [series.dtype.is_numeric() or series.dtype == pl.Boolean for series in features]
    numbers = features.select([s for s, number in zip(features, is_number, strict=True) if number])
    nominal = features.select([s for s, number in zip(features, is_number, strict=True) if not number])
    parts: list[Any] = []
    if numbers.width:
        floats = numbers.cast(pl.Float64).fill_null(0).fill_nan(0)
        parts.append(floats.to_numpy().astype(np.float64))
    if nominal.width:
        from sklearn.preprocessing import OneHotEncoder  # a second to import: only those wait for it who need it

        texts = nominal.cast(pl.String).to_numpy()
        parts.append(OneHotEncoder(dtype=np.float32).fit_transform(texts))
    matrix = sparse.hstack([sparse.csr_array(part) for part in parts]).tocsr()
    matrix.eliminate_zeros()
    density = matrix.nnz / max(1, matrix.shape[0] * matrix.shape[1])
    return matrix.astype(np.float32) if density < _SPARSE_BELOW else matrix.toarray().astype(np.float32)
