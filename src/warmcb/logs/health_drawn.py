"""Random decisions as flat arrays, with an entry for each action of each decision."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb.logs.events import MODEL

OTHERS = "all other actions"
_MOST_ACTIONS = 10_000  # further actions are counted together, because a log may have any number of them


@dataclass(frozen=True)
class Drawn:
    """The actions of random decisions.

    Attributes:
        rows: for each entry, the number of its decision.
        codes: for each entry, the number of its action in `ActionNames`.
        probabilities: for each entry, its probability; those of a decision sum to 1.
        allowed: for each entry, whether it was allowed.
        chosen: for each decision, the place of the chosen entry.
        starts: for each decision, the place of its first entry.

    """

    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    allowed: NDArray[np.bool_]
    chosen: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        """The number of decisions."""
        return len(self.starts)


class ActionNames:
    """Numbers the names of actions in the order of their first appearance."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}

    def codes(self, names: pl.Series) -> NDArray[np.int64]:
        """The number of each name. Names after the largest number of actions share one."""
        different = names.unique(maintain_order=True)
        codes = [self._code(name) for name in different]
        return names.replace_strict(different, codes, return_dtype=pl.Int64).to_numpy()

    def _code(self, name: str) -> int:
        if name not in self._codes:
            if len(self.names) > _MOST_ACTIONS:
                return _MOST_ACTIONS
            self._codes[name] = len(self.names)
            self.names.append(name if len(self.names) < _MOST_ACTIONS else OTHERS)
        return self._codes[name]


def evidence(table: pl.DataFrame) -> pl.DataFrame:
    """The rows whose action was drawn by the model, and used."""
    return table.filter((pl.col("arm") == MODEL) & pl.col("activated"))


def drawn_of(table: pl.DataFrame, names: ActionNames) -> Drawn:
    """The flat arrays of a table. The name of an action without a name is its place."""
    places = pl.int_ranges(0, pl.col("probabilities").list.len()).cast(pl.List(pl.String))
    any_of_all = pl.col("probabilities").list.eval(pl.element().is_not_null())
    lists = table.select("probabilities", pl.col("names").fill_null(places), pl.col("allowed").fill_null(any_of_all))
    sizes = lists["probabilities"].list.len().to_numpy().astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    rows = np.repeat(np.arange(len(sizes)), sizes)
    probabilities = lists["probabilities"].explode().to_numpy()
    totals = np.bincount(rows, probabilities, minlength=len(sizes))
    codes = names.codes(lists["names"].explode().fill_null(""))
    allowed = lists["allowed"].explode().fill_null(True).to_numpy() & _left(table, starts, len(rows))
    chosen = starts + table["action"].to_numpy()
    return Drawn(rows, codes, probabilities / totals[rows], allowed, chosen, starts)


def _left(table: pl.DataFrame, starts: NDArray[np.int64], n_entries: int) -> NDArray[np.bool_]:
    """Whether each entry was not used by an earlier slot of the same event."""
    left = np.ones(n_entries, bool)
    slots = table.with_row_index("row").filter(pl.col("slot").is_not_null()).select("row", "event", "action")
    taken: list[int] = []
    previous = None
    for row, event, action in slots.iter_rows():
        if event != previous:
            taken, previous = [], event
        left[[starts[row] + place for place in taken]] = False
        taken.append(action)
    return left
