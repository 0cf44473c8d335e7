"""A data set with labels or costs, and its construction from a table."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from warmcb._costs import CostTable
from warmcb.data.remarks import is_number, table_remarks
from warmcb.errors import DataError

_SPARSE_BELOW = 0.3  # matrices with a lower density are stored as CSR


@dataclass(frozen=True)
class Dataset:
    """A data set whose actions are classes: contexts with labels, or with costs.

    Attributes:
        name: the name of the data set; for a file, its name without folder and suffix.
        X: contexts, one per row: an array, or a SciPy sparse matrix if many values are 0.
        y: the number of the class of each row, from 0; None if there are costs.
        classes: the names of the classes, at least 2. Each class is an action.
        costs: instead of `y`, the cost of each action in each row, of shape (n, K); None if there are labels.
        target: the column of the labels; None if the format has no columns.
        remarks: notes for the user: what was left out or replaced, and what looks unusual.

    Examples:
        >>> import polars as pl
        >>> from warmcb.data import Dataset
        >>> table = pl.DataFrame({"age": [31, 25, 40], "country": ["de", "fr", "de"], "target": ["a", "b", "a"]})
        >>> data = Dataset.from_table("people", table)
        >>> data.X
        array([[31.,  1.,  0.],
               [25.,  0.,  1.],
               [40.,  1.,  0.]], dtype=float32)
        >>> data.y, data.classes
        (array([0, 1, 0], dtype=int32), ('a', 'b'))

    """

    name: str
    X: Any
    y: NDArray[np.int32] | Any  # Any instead of None: programs that know what their data has need not prove it to mypy
    classes: tuple[str, ...]
    costs: NDArray[np.float64] | Any = None
    target: str | None = None
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.X.shape[0] == 0:
            raise DataError(f"{self.name} has no rows; expected examples")
        if len(self.classes) < 2:
            raise DataError(f"{self.name} has one class only ({self.classes[0]}); expected at least 2")

    @property
    def n_rounds(self) -> int:
        """The number of rows."""
        return int(self.X.shape[0])

    @property
    def n_actions(self) -> int:
        """The number of classes, K."""
        return len(self.classes)

    @property
    def answers(self) -> dict[str, Any]:
        """The labels or the costs, as keyword arguments of `simulate`."""
        return {"y": self.y} if self.y is not None else {"costs": self.costs}

    @property
    def cost_table(self) -> CostTable:
        """The labels, or the costs if there are no labels."""
        return self.costs if self.y is None else self.y

    def rows(self, order: NDArray[np.int64]) -> Self:
        """Select rows, in a given order.

        Args:
            order: the numbers of the rows, from 0. A row may be selected more than once.

        Returns:
            a data set of these rows, with the same classes.

        """
        y = None if self.y is None else self.y[order]
        costs = None if self.costs is None else self.costs[order]
        return replace(self, X=self.X[order], y=y, costs=costs)

    @classmethod
    def from_table(cls, name: str, table: pl.DataFrame, target: str | None = None) -> Self:
        """Encode a table as in the experiments of the paper.

        Numbers are not scaled, and a missing number becomes 0. Other columns become one-hot; a missing value is its own
        level, and a date is a level like any text. Columns without values and rows without a target are dropped. The
        `remarks` of the data set report all of this.

        Args:
            name: the name of the data set.
            table: a Polars data frame with a target and at least one other column.
            target: the column of the labels; by default "target" if there is such a column, else the last one.

        Returns:
            the data set.

        Raises:
            DataError: the table has no rows, no target, no features, or a column of an unsupported type.

        """
        column = _target_column(name, table, target)
        if len(table) == 0:
            raise DataError(f"{name} has no rows; expected examples")
        table = table.with_columns(pl.selectors.float().fill_nan(None))
        labelled = table.filter(pl.col(column).is_not_null())
        if len(labelled) == 0:
            raise DataError(f"{name} has no value in the column {column!r}; expected a target")
        features = labelled.drop(column)
        empty = [series.name for series in features if series.null_count() == len(series)]
        features = features.drop(empty)
        if features.width == 0:
            raise DataError(f"{name} has no column with values other than {column!r}; expected features")
        y, classes = encode_labels(labelled[column].to_numpy())
        dropped_rows = len(table) - len(labelled)
        remarks = table_remarks(features, column, len(classes), dropped_rows, empty)
        return cls(name, _encode(name, features), y, classes, target=column, remarks=tuple(remarks))


def encode_labels(values: NDArray[Any]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Number the distinct values in sorted order, from 0. Returns the numbers, and the values as text."""
    levels, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int32), tuple(_text(level) for level in levels)


def _text(level: Any) -> str:
    return f"{level:.15g}" if isinstance(level, float | np.floating) else str(level)


def _target_column(name: str, table: pl.DataFrame, target: str | None) -> str:
    if target is not None and target not in table.columns:
        known = ", ".join(table.columns[:8]) + (", …" if table.width > 8 else "")
        raise DataError(f"{name} has no column {target!r}; expected one of {known}")
    if table.width < 2:
        raise DataError(f"{name} has {table.width} columns; expected features and a target")
    return target or ("target" if "target" in table.columns else table.columns[-1])


def _encode(name: str, features: pl.DataFrame) -> Any:
    numbers = features.select([series for series in features if is_number(series)])
    nominal = features.select([series for series in features if not is_number(series)])
    parts: list[Any] = []
    if numbers.width:
        parts.append(sparse.csr_array(numbers.cast(pl.Float64).fill_null(0).to_numpy()))
    if nominal.width:
        from sklearn.preprocessing import OneHotEncoder  # the import takes a second

        try:
            texts = nominal.cast(pl.String).to_numpy()
        except pl.exceptions.PolarsError:
            kinds = ", ".join(f"{series.name} ({series.dtype})" for series in nominal)
            raise DataError(f"{name} has columns that are neither numbers nor text: {kinds}") from None
        parts.append(OneHotEncoder(dtype=np.float32).fit_transform(texts))
    matrix = sparse.hstack(parts).tocsr()
    with np.errstate(over="ignore", under="ignore"):  # numbers that overflow are refused later, with their place
        matrix = matrix.astype(np.float32)
    matrix.eliminate_zeros()
    return lightest(matrix)


def lightest(matrix: Any) -> Any:
    """A CSR matrix unchanged, or as an array if its density is high."""
    is_sparse = matrix.nnz < _SPARSE_BELOW * matrix.shape[0] * matrix.shape[1]
    return matrix if is_sparse else matrix.toarray()
