"""The decisions of a table as arrays: in each of them a context, what could be chosen, and what was.

Actions of all decisions lie one behind the other ("flat"); `starts` says where those of a decision begin. So tables
with the same K actions in each row and tables with other actions in each row are alike.
"""

from functools import cached_property
from typing import Any, Self

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb._core import identities_of
from warmcb.errors import DataError

Flat = NDArray[np.float64]
"""A number for each action of each decision."""


class Logged:
    """Decisions of a log, as arrays.

    Args:
        table: rows in the form of `warmcb.logs.table`, with probabilities.

    Attributes:
        table: the rows.
        starts: decision i has the places `starts[i]` to `starts[i + 1]` of flat arrays.
        probabilities: flat, as they were logged.
        action: the place of the chosen action in its decision, from 0.
        reward: what it brought; NaN if nothing came.

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
        """Some of the decisions."""
        return self if mask.all() else type(self)(self.table.filter(pl.Series(mask)))

    def part(self, begin: int, end: int) -> Self:
        """The decisions from one place to another."""
        return type(self)(self.table[begin:end])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many actions each decision has, with those that were not allowed."""
        return np.diff(self.starts)

    @property
    def chosen(self) -> NDArray[np.int64]:
        """The place of each chosen action in flat arrays."""
        return self.starts[:-1] + self.action

    @cached_property
    def is_evidence(self) -> NDArray[np.bool_]:
        """Whether a decision was drawn by the logged probabilities, took place, and has a reward."""
        drawn = self.table.select((pl.col("arm") == "model") & pl.col("activated") & pl.col("reward").is_not_null())
        return drawn.to_series().to_numpy()

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Flat: which actions could have been chosen. Nothing said: all that earlier slots of the event left."""
        told = self.table["allowed"]
        marks = np.ones(len(self.probabilities), dtype=np.bool_)
        for i in np.flatnonzero(told.is_not_null().to_numpy()).tolist():
            marks[self.starts[i] : self.starts[i + 1]] = told[i].to_numpy()
        if self.table["slot"].null_count() < len(self):
            self._strike_earlier_slots(marks)
        return marks

    def _strike_earlier_slots(self, marks: NDArray[np.bool_]) -> None:
        """An action is on a page at most once."""
        event: str | None = None
        taken: list[int] = []
        for i, name in enumerate(self.table["event"].to_list()):
            if name != event:
                event, taken = name, []
            marks[self.starts[i] + np.array(taken, dtype=np.int64)] = False
            taken.append(int(self.action[i]))

    @cached_property
    def units(self) -> NDArray[np.uint64]:
        """Who each decision happened to: the hash of its unit, or of its event."""
        return identities_of(tuple(self.table.select(pl.coalesce("unit", "event")).to_series().to_list()))

    # Contexts and actions

    @property
    def has_records(self) -> bool:
        """Whether contexts are records and not rows of numbers."""
        return self.table["request"].null_count() < len(self)

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Each context with its described actions, as dsjson has them; what is said of the slot is a part of it."""
        found = [msgspec.json.decode(text) if text else {} for text in self.table["request"].to_list()]
        if self.table["slot"].null_count() < len(self):
            found = [self._of_slot(record, i) for i, record in enumerate(found)]
        return found

    def _of_slot(self, record: dict[str, Any], i: int) -> dict[str, Any]:
        events = self.table["event"]
        place = 0
        while place < i and events[i - place - 1] == events[i]:
            place += 1
        slots = record.get("_slots") or []
        return record | {"slot": slots[place]} if place < len(slots) else record

    @cached_property
    def contexts(self) -> Any:
        """A matrix of numbers; or a list of records, without their actions; None if there are no contexts at all."""
        if self.has_records:
            return [{name: value for name, value in one.items() if name != "_multi"} for one in self.records]
        rows = self.table["x"]
        if rows.null_count() == len(rows):
            return None
        widths = rows.list.len().fill_null(0).to_numpy()
        if (widths != widths[0]).any():
            raise DataError(f"x has {widths.min()} to {widths.max()} numbers; expected rows of the same width")
        return rows.explode().to_numpy().reshape(len(rows), -1)

    @property
    def are_described(self) -> bool:
        """Whether actions have features and not only names."""
        if self.table["described"].null_count() < len(self):
            return True
        return self.has_records and any(
            not name.startswith("_")
            for one in self.records[:100]
            for action in one.get("_multi", ())
            for name in action
        )

    def described(self, i: int) -> Any:
        """The descriptions of a decision's actions: a matrix, or a list of records."""
        rows = self.table["described"][i]
        return rows.to_list() if rows is not None else self.records[i].get("_multi")

    def names(self, i: int) -> list[str] | None:
        """The names or ids of a decision's actions."""
        found = self.table["names"][i]
        return None if found is None else list(found)
