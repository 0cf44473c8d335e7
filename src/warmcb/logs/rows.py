"""Contexts and described actions of a log as rows of numbers, with or without an encoder."""

from itertools import compress, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb._sparse import is_sparse, plain_csr
from warmcb.bandits._offers import vertical
from warmcb.errors import DataError
from warmcb.features import Encoder
from warmcb.logs.logged import Logged

_WIDEST = 2048  # columns of contexts, and of actions: the limit of least squares in blocks

_UNDESCRIBED = "the log has actions without features; expected described actions, which the bandit needs"


class Offers(NamedTuple):
    """The contexts and the allowed actions of several decisions."""

    contexts: Any
    actions: list[Any]
    ids: list[list[str]] | None


class Plain:
    """Rows of numbers, unchanged."""

    def contexts(self, logged: Logged) -> Any:
        """A row for each decision."""
        if logged.numbers is None and logged.has_records:
            raise DataError("the log has records as contexts; expected a bandit with an encoder, or rows of numbers")
        return logged.numbers

    def offers(self, logged: Logged) -> Offers:
        """Contexts and their allowed actions."""
        if logged.table["described"].null_count():
            raise DataError(_UNDESCRIBED)
        marks = np.split(logged.allowed, logged.starts[1:-1])
        return Offers(self.contexts(logged), [logged.described(i)[mark] for i, mark in enumerate(marks)], _ids(logged))


class Encoded:
    """Records, encoded."""

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def contexts(self, logged: Logged) -> Any:
        """A row for each decision."""
        self._refuse_numbers(logged)
        return self.encoder.encode_many(logged.contexts)

    def offers(self, logged: Logged) -> Offers:
        """Contexts and their allowed actions."""
        self._refuse_numbers(logged)
        if any(record.get("_multi") is None for record in logged.records):
            raise DataError(_UNDESCRIBED)
        contexts, actions = self._rows(logged)
        counts = np.add.reduceat(logged.allowed.astype(np.int64), logged.starts[:-1])
        return Offers(contexts, _divided(actions[logged.allowed], counts), _ids(logged))

    def _rows(self, logged: Logged) -> tuple[Any, Any]:
        """A row for each context, and a row for each action of each decision."""
        if isinstance(self.encoder, Encoder):
            requests = [self.encoder.encode_request(record) for record in logged.records]
            return vertical([one.x for one in requests]), vertical([one.actions for one in requests])
        actions = [self.encoder.encode_many(logged.described(i)) for i in range(len(logged))]
        return self.encoder.encode_many(logged.contexts), vertical(actions)

    def _refuse_numbers(self, logged: Logged) -> None:
        if not logged.has_records:
            raise DataError("the log has rows of numbers as contexts; expected a bandit without an encoder, or records")


class Narrowed(Encoded):
    """Encoded records, with only those columns that the first decisions use.

    So least squares can be used: with all 2^18 columns, only the online learner could. If the first decisions use too
    many columns, all are kept.
    """

    def __init__(self) -> None:
        super().__init__(Encoder())
        self._of_contexts: NDArray[np.int64] | None = None
        self._of_actions: NDArray[np.int64] | None = None

    def contexts(self, logged: Logged) -> Any:
        return self._narrow_contexts(super().contexts(logged))

    def _rows(self, logged: Logged) -> tuple[Any, Any]:
        contexts, actions = super()._rows(logged)
        if self._of_actions is None:
            self._of_actions = _columns(actions)
        return self._narrow_contexts(contexts), actions[:, self._of_actions]

    def _narrow_contexts(self, contexts: Any) -> Any:
        if self._of_contexts is None:
            self._of_contexts = _columns(contexts)
        return contexts[:, self._of_contexts]


def _columns(rows: Any) -> NDArray[np.int64]:
    """The columns that are used, or all columns if these are too many; at least one."""
    found = np.unique(rows.indices).astype(np.int64)
    return np.arange(rows.shape[1]) if len(found) > _WIDEST else found if len(found) else np.zeros(1, dtype=np.int64)


def _ids(logged: Logged) -> list[list[str]] | None:
    """The ids of the allowed actions of each decision."""
    names = logged.table["names"]
    if names.null_count():
        return None
    marks = np.split(logged.allowed, logged.starts[1:-1])
    return [list(compress(some, mark)) for some, mark in zip(names.to_list(), marks, strict=True)]


def _divided(rows: Any, counts: NDArray[np.int64]) -> list[Any]:
    """Split rows by decision; `counts` has the number of rows of each. Slicing with SciPy would be much slower."""
    ends = np.cumsum(counts)
    if not is_sparse(rows):
        return np.split(rows, ends[:-1])
    values, indices, starts = rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    parts = []
    for begin, end in pairwise([0, *ends.tolist()]):
        of_rows = starts[begin : end + 1]
        some = slice(of_rows[0], of_rows[-1])
        parts.append(plain_csr(values[some], indices[some], of_rows - of_rows[0], rows.shape[1]))
    return parts
