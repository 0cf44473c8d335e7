"""The decisions of a table as arrays: contexts, actions, probabilities and rewards.

The actions of all decisions are stored one after the other ("flat"), because decisions may have different numbers of
actions. `starts` has the first place of each decision.
"""

from functools import cached_property
from typing import Any, Self

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb._core import identities_of
from warmcb._messages import shown
from warmcb.errors import DataError

Flat = NDArray[np.float64]
"""A number for each action of each decision."""


class Logged:
    """Decisions of a log, as arrays.

    Args:
        table: rows with the columns of `warmcb.logs.table.SCHEMA`.

    Attributes:
        table: the rows.
        starts: decision i has the places from `starts[i]` up to, but not including, `starts[i + 1]` in flat arrays.
        probabilities: the logged probabilities, flat.
        action: the place of the chosen action in its decision, from 0.
        reward: the reward; NaN if there is none.

    """

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table
        lists = table["probabilities"]
        self.starts = np.concatenate([[0], np.cumsum(lists.list.len().to_numpy())]).astype(np.int64)
        self.probabilities: Flat = lists.explode().to_numpy() if len(table) else np.empty(0)
        self.action = table["action"].to_numpy().astype(np.int64)
        self.reward: NDArray[np.float64] = table["reward"].fill_null(float("nan")).to_numpy()

    def __len__(self) -> int:
        return len(self.table)

    def where(self, mask: NDArray[np.bool_]) -> Self:
        """Select decisions. They keep the information on other slots of their events."""
        if mask.all():
            return self
        some = type(self)(self.table.filter(pl.Series(mask)))
        some.allowed, some.slot_places = self.allowed[np.repeat(mask, self.sizes)], self.slot_places[mask]
        return some

    def part(self, begin: int, end: int) -> Self:
        """Select the decisions [begin, end). They keep the information on other slots of their events."""
        some = type(self)(self.table[begin:end])
        first, last = self.starts[begin], self.starts[begin + len(some)]
        some.allowed, some.slot_places = self.allowed[first:last], self.slot_places[begin:end]
        return some

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of actions of each decision, including those that were not allowed."""
        return np.diff(self.starts)

    @property
    def chosen(self) -> NDArray[np.int64]:
        """The place of each chosen action in flat arrays."""
        return self.starts[:-1] + self.action

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each action in its decision, from 0; flat."""
        return np.arange(len(self.probabilities)) - np.repeat(self.starts[:-1], self.sizes)

    @property
    def row_of_each(self) -> NDArray[np.int64]:
        """The decision of each action; flat."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def entries(self, column: str) -> tuple[NDArray[np.bool_], pl.Series]:
        """For a column of lists: which actions have an entry (flat), and the entries."""
        lists = self.table[column]
        return np.repeat(lists.is_not_null().to_numpy(), self.sizes), lists.drop_nulls().explode()

    @cached_property
    def is_evidence(self) -> NDArray[np.bool_]:
        """Whether each decision can be used: it was drawn by the model, allowed, activated, and has a reward."""
        drawn = self.table.select((pl.col("arm") == "model") & pl.col("activated") & pl.col("reward").is_not_null())
        is_evidence: NDArray[np.bool_] = drawn.to_series().to_numpy() & self.allowed[self.chosen]
        return is_evidence

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Whether each action could have been chosen; flat. Actions of earlier slots of the page cannot."""
        is_told, told = self.entries("allowed")
        marks = np.ones(len(self.probabilities), dtype=np.bool_)
        marks[is_told] = told.fill_null(False).to_numpy()
        for i in np.flatnonzero(self.slot_places).tolist():
            taken = self.action[i - self.slot_places[i] : i]
            marks[self.starts[i] + taken[taken < self.sizes[i]]] = False
        return marks

    @cached_property
    def slot_places(self) -> NDArray[np.int64]:
        """The place of each decision among the slots of its event, from 0; 0 for a decision without slots."""
        event, slot = pl.col("event"), pl.col("slot")
        is_first = slot.is_null() | slot.shift().is_null() | (event != event.shift())
        rows = np.arange(len(self))
        firsts = np.where(self.table.select(is_first.fill_null(True)).to_series().to_numpy(), rows, 0)
        return np.asarray(rows - np.maximum.accumulate(firsts))

    @cached_property
    def units(self) -> NDArray[np.uint64]:
        """The unit of each decision: the hash of its unit, or of its event if it has none."""
        return identities_of(tuple(self.table.select(pl.coalesce("unit", "event")).to_series().to_list()))

    # Contexts and actions

    @property
    def has_records(self) -> bool:
        """Whether contexts are records, and not rows of numbers."""
        return self.table["request"].null_count() < len(self)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Each context with its described actions and its slot, in the form of dsjson."""
        return [self._record(i, text) for i, text in enumerate(self.table["request"].to_list())]

    def _record(self, i: int, text: str | None) -> dict[str, Any]:
        try:
            record = msgspec.json.decode(text or "")
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise self._error(i, "request", text, "JSON of an object, not nested too deeply")
        actions, slots, place = record.get("_multi"), record.get("_slots"), int(self.slot_places[i])
        if actions is not None and not _are_records(actions, int(self.sizes[i])):
            raise self._error(i, "_multi", actions, f"a list of {self.sizes[i]} objects, one for each probability")
        if self.table["slot"][i] is None or not isinstance(slots, list) or place >= len(slots):
            return record
        return record | {"slot": slots[place]}

    @cached_property
    def numbers(self) -> NDArray[np.float32] | None:
        """Contexts as rows of numbers; None if there are none."""
        rows = self.table["x"]
        widths = rows.list.len().fill_null(0).to_numpy()
        if not widths.any():
            return None
        if (widths != widths[0]).any():
            raise DataError(f"x has {widths.min()} to {widths.max()} numbers; expected rows of the same width")
        found: NDArray[np.float32] = rows.explode().to_numpy().reshape(len(rows), -1)
        if not (is_finite := np.isfinite(found).all(axis=1)).all():
            wrong = int(np.argmin(is_finite))
            raise self._error(wrong, "x", found[wrong].tolist(), "finite numbers")
        return _frozen(found)

    @cached_property
    def contexts(self) -> Any:
        """A list of records without their actions, or a matrix of numbers; None if there are no contexts."""
        if self.has_records:
            return [{name: value for name, value in one.items() if name != "_multi"} for one in self.records]
        return self.numbers

    @cached_property
    def are_described(self) -> bool:
        """Whether actions have features, and not only names."""
        if self.table["described"].null_count() < len(self):
            return True
        return self.has_records and any(
            not name.startswith("_") for one in self.records for action in one.get("_multi") or () for name in action
        )

    def described(self, i: int) -> Any:
        """The features of the actions of a decision: a matrix, or a list of records; None if there are none."""
        rows = self.table["described"][i]
        if rows is None:
            return self.records[i].get("_multi") if self.has_records else None
        try:
            return _frozen(np.array(rows.to_list(), dtype=np.float32))
        except (TypeError, ValueError):
            raise self._error(i, "described", rows.to_list(), "rows of numbers of the same width") from None

    def names(self, i: int) -> list[str] | None:
        """The names or ids of the actions of a decision."""
        found = self.table["names"][i]
        return None if found is None else found.to_list()

    def _error(self, i: int, name: str, value: object, expected: str) -> DataError:
        return DataError(f"{name} of event {shown(self.table['event'][i])} is {shown(value)}; expected {expected}")


def _are_records(actions: object, count: int) -> bool:
    return isinstance(actions, list) and len(actions) == count and all(isinstance(one, dict) for one in actions)


def _frozen(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """Make an array read-only, before policies get it."""
    array.flags.writeable = False
    return array
