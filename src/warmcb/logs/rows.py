"""Contexts and described actions of a log as rows of numbers: as they are, or through an encoder."""

from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb.bandits._offers import vertical
from warmcb.errors import DataError
from warmcb.features import Encoder
from warmcb.logs.logged import Logged

_WIDEST = 2048  # columns of contexts, and of descriptions: as many as least squares take in blocks

_UNDESCRIBED = "the log has actions without features; expected described ones, as the bandit wants"


class Offers(NamedTuple):
    """What could be chosen in each of several decisions: allowed actions only."""

    contexts: Any
    actions: list[Any]
    ids: list[list[str]] | None


class Plain:
    """Rows of numbers, as the log has them."""

    def contexts(self, logged: Logged) -> Any:
        """A row for each decision."""
        if logged.numbers is None and logged.has_records:
            raise DataError("the log has records as contexts; expected a bandit with an encoder, or rows of numbers")
        return logged.numbers

    def offers(self, logged: Logged) -> Offers:
        """Contexts and what could be chosen in them."""
        if logged.table["described"].null_count():
            raise DataError(_UNDESCRIBED)
        return Offers(self.contexts(logged), *_allowed(logged, [logged.described(i) for i in range(len(logged))]))


class Encoded:
    """Records, encoded."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def contexts(self, logged: Logged) -> Any:
        """A row for each decision."""
        self._refuse_numbers(logged)
        return self.encoder.encode_many(logged.contexts)

    def offers(self, logged: Logged) -> Offers:
        """Contexts and what could be chosen in them."""
        self._refuse_numbers(logged)
        if any(record.get("_multi") is None for record in logged.records):
            raise DataError(_UNDESCRIBED)
        if isinstance(self.encoder, Encoder):
            requests = [self.encoder.encode_request(record) for record in logged.records]
            contexts, actions = vertical([one.x for one in requests]), [one.actions for one in requests]
        else:
            contexts = self.encoder.encode_many(logged.contexts)
            actions = [self.encoder.encode_many(logged.described(i)) for i in range(len(logged))]
        return Offers(contexts, *_allowed(logged, actions))

    def _refuse_numbers(self, logged: Logged) -> None:
        if not logged.has_records:
            raise DataError("the log has rows of numbers as contexts; expected a bandit without an encoder, or records")


class Narrowed(Encoded):
    """Records, encoded; only columns that the first decisions have, so that a model can be exact.

    Without that, 2^18 columns would leave the online learner only. If even the first decisions have very many columns,
    all are kept.
    """

    def __init__(self) -> None:
        super().__init__(Encoder())
        self._of_contexts: NDArray[np.int64] | None = None
        self._of_actions: NDArray[np.int64] | None = None

    def contexts(self, logged: Logged) -> Any:
        return self._narrow_contexts(super().contexts(logged))

    def offers(self, logged: Logged) -> Offers:
        contexts, actions, ids = super().offers(logged)
        if self._of_actions is None:
            self._of_actions = _columns(vertical(actions))
        return Offers(self._narrow_contexts(contexts), [one[:, self._of_actions] for one in actions], ids)

    def _narrow_contexts(self, contexts: Any) -> Any:
        if self._of_contexts is None:
            self._of_contexts = _columns(contexts)
        return contexts[:, self._of_contexts]


def _columns(rows: Any) -> NDArray[np.int64]:
    """The columns that occur, or all of them if these are too many; at least one."""
    found = np.unique(rows.indices).astype(np.int64)
    return np.arange(rows.shape[1]) if len(found) > _WIDEST else found if len(found) else np.zeros(1, dtype=np.int64)


def _allowed(logged: Logged, actions: list[Any]) -> tuple[list[Any], list[list[str]] | None]:
    """The descriptions and the ids of allowed actions."""
    marks = [logged.allowed[logged.starts[i] : logged.starts[i + 1]] for i in range(len(logged))]
    ids = None
    if logged.table["names"].null_count() == 0:
        ids = [list(compress(names, mark)) for names, mark in zip(logged.table["names"].to_list(), marks, strict=True)]
    return [rows[mark] for rows, mark in zip(actions, marks, strict=True)], ids
