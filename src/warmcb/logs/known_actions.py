"""The actions of a whole log: what a bandit has to know of them before it meets the first decision."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl


class LogActions(NamedTuple):
    """The actions of a log.

    Attributes:
        names: all of them, in alphabetical order; None if some action has no name, or all have the same.
        n_actions: how many there are: names, or else places of the largest decision. At least 2, as bandits need them.

    """

    names: list[str] | None = None
    n_actions: int = 2


def actions_in(tables: Iterable[pl.DataFrame]) -> LogActions:
    """Find the actions of a log.

    Args:
        tables: all of the log.

    """
    found: set[str | None] = set()
    count = 2
    for table in tables:
        count = max(count, int(table["probabilities"].list.len().to_numpy().max()))
        lists = table["names"]
        found.update([None] if lists.null_count() else lists.explode().unique().to_list())
    names = sorted(name for name in found if name is not None)
    return LogActions(None, count) if None in found or len(names) < 2 else LogActions(names, len(names))
