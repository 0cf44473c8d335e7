"""Collect the rounds of a text file one by one, and make a data set of them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import Named
from warmcb.data.remarks import described_remarks
from warmcb.errors import DataError

Row = TypeVar("Row")


class RoundCollector(Generic[Row]):
    """A collection of rounds whose contexts and actions are rows of some type.

    Args:
        encode: converts many rows to a matrix.

    """

    def __init__(self, encode: Callable[[Sequence[Row]], Named]) -> None:
        self._encode = encode
        self._contexts: list[Row] = []
        self._actions: list[Row] = []
        self._starts = [0]
        self._costs: list[float] = []
        self._ids: list[str | int | None] = []

    def add(
        self, context: Row, actions: Iterable[Row], costs: Iterable[float], ids: Iterable[str | int | None]
    ) -> None:
        """Append a round. An unknown cost is NaN, a missing id is None."""
        self._contexts.append(context)
        self._actions.extend(actions)
        self._costs.extend(costs)
        self._ids.extend(ids)
        self._starts.append(len(self._costs))

    def __len__(self) -> int:
        return len(self._contexts)

    def dataset(self, name: str, remarks: Iterable[str] = ()) -> DescribedDataset:
        """Make the data set. If an action has no id, all ids are dropped."""
        if not self._contexts:
            raise DataError(f"{name} has no rounds; expected some")
        X, columns = self._encode(self._contexts)
        A, action_columns = self._encode(self._actions)
        starts, costs = np.array(self._starts), np.array(self._costs)
        ids = tuple(one for one in self._ids if one is not None)
        return DescribedDataset(
            name,
            X if columns else None,
            A,
            starts,
            costs,
            ids if len(ids) == len(costs) else None,
            columns or None,
            action_columns,
            (*remarks, *described_remarks(starts, costs, len(ids))),
        )
