"""Drift: compare the mean rewards and features of the first half of a log with those of the second."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri

from warmcb.errors import WarmcbError
from warmcb.features import Encoder

_MOST_BLOCKS = 32
_PIECES = 8  # of a table, so that a short log can be halved as well
_MOST_CONTEXTS = 2048  # of the first table
_ERROR = 0.01
_LARGEST = 1e100
_MOST_DEVIATIONS = 99.0


class Change(NamedTuple):
    """The change of a feature between both halves of a log.

    Attributes:
        name: the name of the feature.
        before: its mean in the first half.
        after: its mean in the second half.
        deviations: the difference in standard deviations of the feature, from −99 to 99.
        is_sure: whether the change is significant, corrected for the number of features, if decisions are independent.

    """

    name: str
    before: float
    after: float
    deviations: float
    is_sure: bool


@dataclass(frozen=True)
class _Block:
    """The number of some rows, and the sums of values and squares in each column."""

    count: int
    columns: NDArray[np.int64]
    sums: NDArray[Any]
    squares: NDArray[Any]

    @classmethod
    def of(cls, count: int, columns: NDArray[np.int64], values: NDArray[np.float64]) -> Self:
        different, places = np.unique(columns, return_inverse=True)
        values = np.clip(values, -_LARGEST, _LARGEST)  # larger squares would overflow
        return cls(count, different, np.bincount(places, values), np.bincount(places, values**2))

    def __add__(self, other: Self) -> "_Block":
        columns, places = np.unique(np.concatenate([self.columns, other.columns]), return_inverse=True)
        sums, squares = (
            np.bincount(places, np.concatenate(both), minlength=len(columns))
            for both in ((self.sums, other.sums), (self.squares, other.squares))
        )
        return _Block(self.count + other.count, columns, sums, squares)


class Halves:
    """The means of columns in blocks of rows. Blocks become longer with the log."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []

    def add(self, count: int, columns: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add `count` rows, with the columns and values that are not 0."""
        self._blocks.append(_Block.of(count, columns, values))
        if len(self._blocks) > _MOST_BLOCKS:
            rest = self._blocks[len(self._blocks) // 2 * 2 :]
            pairs = zip(self._blocks[::2], self._blocks[1::2], strict=False)
            self._blocks = [first + second for first, second in pairs] + rest

    def changes(self) -> list[tuple[int, Change]]:
        """The columns and their changes, the largest change first. Names are added later."""
        if len(self._blocks) < 2:
            return []
        ends = np.cumsum([block.count for block in self._blocks])
        middle = int(np.abs(ends[:-1] - ends[-1] / 2).argmin()) + 1
        first, second = _total(self._blocks[:middle]), _total(self._blocks[middle:])
        columns = (first + second).columns
        (before, early), (after, late) = _moments(first, columns), _moments(second, columns)
        error = np.sqrt(early / first.count + late / second.count)
        scale = np.sqrt((early + late) / 2)
        different = after - before
        with np.errstate(divide="ignore", invalid="ignore"):
            scores, deviations = np.nan_to_num(different / error), np.nan_to_num(different / scale)
        deviations = np.clip(deviations, -_MOST_DEVIATIONS, _MOST_DEVIATIONS)
        is_sure = np.abs(scores) > -ndtri(_ERROR / 2 / max(len(columns), 1))
        order = np.argsort(-np.abs(deviations), kind="stable")
        return [
            (int(columns[i]), Change("", float(before[i]), float(after[i]), float(deviations[i]), bool(is_sure[i])))
            for i in order
        ]


def _total(blocks: list[_Block]) -> _Block:
    total = blocks[0]
    for block in blocks[1:]:
        total = total + block
    return total


def _moments(block: _Block, columns: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean and the variance of each column."""
    sums, squares = np.zeros(len(columns)), np.zeros(len(columns))
    places = np.searchsorted(columns, block.columns)
    sums[places], squares[places] = block.sums, block.squares
    mean = sums / block.count
    return mean, np.maximum(squares / block.count - mean**2, 0.0)


class RewardDrift:
    """The change of the mean reward."""

    def __init__(self) -> None:
        self._halves = Halves()

    def add(self, table: pl.DataFrame) -> None:
        """Add decisions."""
        for piece in np.array_split(table["reward"].drop_nulls().to_numpy(), _PIECES):
            if len(piece):
                self._halves.add(len(piece), np.zeros(len(piece), np.int64), piece)

    def change(self) -> Change | None:
        """The change; None if there are too few rewards for two halves."""
        changes = self._halves.changes()
        return changes[0][1]._replace(name="reward") if changes else None


class ContextDrift:
    """The changes of the features of contexts.

    Records are encoded into at most 2^16 columns. For a long log, only some of them are.
    """

    def __init__(self) -> None:
        self._encoder = Encoder(bits=16, most_names=2**16)
        self._halves = {"x": Halves(), "request": Halves()}
        self._stride: int | None = None
        self.unreadable = 0
        """The number of contexts that could not be encoded."""

    def add(self, table: pl.DataFrame) -> None:
        """Add decisions."""
        if self._stride is None:  # the same for all tables, so that both halves have the same size
            self._stride = max(1, len(table) // _MOST_CONTEXTS)
        some = table.gather_every(self._stride)
        for piece in np.array_split(np.arange(len(some)), _PIECES):
            if len(piece):
                part = some[int(piece[0]) : int(piece[-1]) + 1]
                self._add_rows(part["x"].drop_nulls())
                self._add_records(part["request"].drop_nulls())

    def _add_rows(self, rows: pl.Series) -> None:
        rows = rows.filter(rows.list.len() > 0)
        if len(rows):
            columns = rows.list.eval(pl.int_range(pl.len())).explode().to_numpy()
            self._halves["x"].add(len(rows), columns, np.nan_to_num(rows.explode().to_numpy().astype(np.float64)))

    def _add_records(self, texts: pl.Series) -> None:
        rows = []
        for text in texts:
            try:
                # The encoder ignores keys that start with _, and with them the actions.
                rows.append(self._encoder.encode(msgspec.json.decode(text)))
            except (WarmcbError, msgspec.DecodeError):
                self.unreadable += 1
        if rows:
            encoded = sparse.vstack(rows, format="csr")
            columns, values = encoded.indices.astype(np.int64), encoded.data.astype(np.float64)
            self._halves["request"].add(len(rows), columns, values)

    def changes(self) -> list[Change]:
        """The changes of all features, the largest first."""
        numbers = [change._replace(name=f"x[{column}]") for column, change in self._halves["x"].changes()]
        records = [change._replace(name=self._name(column)) for column, change in self._halves["request"].changes()]
        return sorted(numbers + records, key=lambda change: -abs(change.deviations))

    def _name(self, column: int) -> str:
        return " or ".join(self._encoder.names(column)) or f"column {column}"
