"""The actions of a whole log, which a bandit needs to know before the first decision."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl


class LogActions(NamedTuple):
    """The actions of a log.

    Attributes:
        names: their names in alphabetical order; None if an action has no name, or if there is only one name.
        n_actions: the number of names, or else the largest number of actions of a decision. At least 2, because
            bandits need 2 actions.

    """

    names: list[str] | None = None
    n_actions: int = 2


def actions_in(tables: Iterable[pl.DataFrame]) -> LogActions:
    """Find the actions of a log.

    Args:
        tables: all tables of the log.

    """
    found: set[str | None] = set()
    count = 2
    for table in tables:
        count = max(count, int(table["probabilities"].list.len().to_numpy().max()))
        lists = table["names"]
        found.update([None] if lists.null_count() else lists.explode().unique().to_list())
    names = sorted(name for name in found if name is not None)
    return LogActions(None, count) if None in found or len(names) < 2 else LogActions(names, len(names))
