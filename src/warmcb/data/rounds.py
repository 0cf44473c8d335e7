"""Rounds as the reader of a text finds them, one after the other, until they become a data set."""

from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

import numpy as np

from warmcb.data.described import DescribedDataset
from warmcb.data.encoding import Named
from warmcb.data.remarks import described_remarks
from warmcb.errors import DataError

Row = TypeVar("Row")


class RoundCollector(Generic[Row]):
    """Collects rounds whose contexts and actions are rows of some kind.

    Args:
        encode: makes a matrix of many rows.

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
        """Append a round; a cost that nobody knows is NaN, an id that is missing None."""
        self._contexts.append(context)
        self._actions.extend(actions)
        self._costs.extend(costs)
        self._ids.extend(ids)
        self._starts.append(len(self._costs))

    def dataset(self, name: str, remarks: Iterable[str] = ()) -> DescribedDataset:
        """All rounds. If some actions have no id, none of them has."""
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
