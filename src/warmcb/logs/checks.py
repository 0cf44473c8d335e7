"""Check tables of decisions. Decisions that fail a check are left out, and counted."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb.logs.events import ARMS, SUM_TOLERANCE
from warmcb.logs.seen import NEW, OTHER, SAME, Seen
from warmcb.logs.table import TIME
from warmcb.logs.tally import Tally


class Batch(NamedTuple):
    """Some rows of a file.

    Attributes:
        file: the file.
        table: the rows.
        lines: for each row, its line or row in the file, from 1.

    """

    file: Path
    table: pl.DataFrame
    lines: NDArray[np.int64]


class Checks:
    """The checks of one pass over a log."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._seen = Seen()
        self._latest: int | None = None

    def checked(self, batch: Batch) -> pl.DataFrame:
        """The rows that can be used."""
        batch = self._without_bad_values(batch._replace(table=batch.table.with_columns(_TIMES)))
        self._note_times(batch)
        return self._without_duplicates(batch).table

    def _without_bad_values(self, batch: Batch) -> Batch:
        kinds = batch.table.select(_KIND.alias("kind"), "event", "slot")
        if kinds["kind"].null_count() == len(kinds):
            return batch
        # An event is left out if one of its decisions is.
        of_event = pl.col("kind").drop_nulls().first().over("event")
        whole = kinds.select(pl.when(pl.col("slot").is_null()).then("kind").otherwise(of_event))["kind"]
        for kind in whole.drop_nulls().unique(maintain_order=True):
            self._count(kind, batch, (whole == kind).fill_null(False).to_numpy())
        return _only(batch, whole.is_null().to_numpy())

    def _without_duplicates(self, batch: Batch) -> Batch:
        keys = batch.table.select("event", "slot").hash_rows(seed=1).to_numpy()
        outcomes = batch.table.select("event", "slot", "reward").hash_rows(seed=2).to_numpy().astype(np.uint32)
        found = self._seen.add(keys, outcomes)
        for status, kind in ((SAME, "same reward"), (OTHER, "other reward")):
            self._count(kind, batch, found == status)
        return _only(batch, found == NEW)

    def _note_times(self, batch: Batch) -> None:
        times = batch.table["time"]
        has_time = times.is_not_null().to_numpy()
        self._count("no time", batch, ~has_time)
        moments = times.drop_nulls().cast(pl.Int64).to_numpy()
        if not len(moments):
            return
        steps = np.diff(moments, prepend=moments[0] if self._latest is None else self._latest)
        is_back = np.zeros(len(times), bool)
        is_back[has_time] = steps < 0
        self._count("backwards", batch, is_back)
        self._latest = int(moments[-1])

    def _count(self, kind: str, batch: Batch, where: NDArray[np.bool_]) -> None:
        if where.any():
            self._tally.add(kind, batch.file, int(batch.lines[where.argmax()]), int(where.sum()))


def _only(batch: Batch, where: NDArray[np.bool_]) -> Batch:
    if where.all():
        return batch
    return Batch(batch.file, batch.table.filter(pl.Series(where)), batch.lines[where])


def _kind() -> pl.Expr:
    """The problem of a row; null if there is none."""
    probabilities, action = pl.col("probabilities"), pl.col("action")
    n_actions, total = probabilities.list.len(), probabilities.list.sum()
    is_whole = (n_actions > 0) & (action < n_actions) & (pl.col("event") != "") & pl.col("arm").is_in(ARMS)
    is_whole &= pl.col("dropped").is_between(0, 1, closed="left")
    for name in ("names", "allowed", "described"):
        is_whole &= pl.col(name).is_null() | (pl.col(name).list.len() == n_actions)
    is_possible = (probabilities.list.min() >= 0) & (probabilities.list.max() <= 1) & ~total.is_nan()
    is_possible &= ~probabilities.list.contains(None)
    return (
        pl.when(~is_whole.fill_null(False))
        .then(pl.lit("contradiction"))
        .when(~is_possible)
        .then(pl.lit("impossible probability"))
        .when(probabilities.list.get(action, null_on_oob=True) == 0)
        .then(pl.lit("probability 0"))
        .when((total - 1).abs() > SUM_TOLERANCE)
        .then(pl.lit("sum"))
        .when(~pl.col("reward").is_finite())
        .then(pl.lit("reward"))
    )


_KIND = _kind()

# Python supports no other years, and .NET uses the first day for a missing time.
_FIRST, _LAST = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
_TIMES = [
    pl.when(pl.col(name).is_between(pl.lit(_FIRST, TIME), pl.lit(_LAST, TIME))).then(name).alias(name)
    for name in ("time", "rewarded")
]
