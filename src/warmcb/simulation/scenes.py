"""The prepared rows of a run: shuffled, with noise in the labels, and with the allowed actions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _frames, _inputs, _streams
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb.errors import InputError
from warmcb.noise import NoiseLike, parse_noise

TRUTHS = ("bandit", "supervised")


@dataclass(frozen=True, slots=True)
class Scene:
    """A prepared data set, which any number of bandits can play.

    Attributes:
        X: the contexts, in the order of play.
        columns: the names of their columns, if they have any.
        rows: the contexts as rows of the core.
        order: the number of each row in the given data set.
        n_actions: the number of actions, K.
        allowed: the allowed actions in each row; None if all are.
        taught: the labels or costs in the warm start.
        shown: the labels or costs that rounds show.
        truth: the true labels or costs.
        warm_start: the number of rows in the warm start.
        interaction: the number of rows that are played after them.
        checkpoints: the numbers of rounds after which the average cost is recorded.

    """

    X: Any
    columns: tuple[str, ...] | None
    rows: Rows
    order: NDArray[np.int64]
    n_actions: int
    allowed: NDArray[np.uint8] | None
    taught: CostTable
    shown: CostTable
    truth: CostTable
    warm_start: int
    interaction: int
    checkpoints: list[int]

    @classmethod
    def prepare(
        cls,
        X: _inputs.Features,
        y: ArrayLike | None,
        costs: ArrayLike | None,
        n_actions: int | None,
        warm_start: int,
        interaction: int | None,
        noise: NoiseLike,
        truth: str,
        seed: int,
        shuffle: bool,
        checkpoints: Sequence[int],
        actions: ArrayLike | None = None,
        columns: tuple[str, ...] | None = None,
        numbers: Mapping[str, int] = MappingProxyType({}),
        cost_range: _inputs.Range = (0.0, 1.0),
    ) -> Self:
        """Check and prepare the data.

        The last arguments are the allowed actions, the columns of the bandit, the numbers of named actions, and the
        range of costs.
        """
        found = _frames.columns_of(X)
        if found is not None:
            columns = columns or found
            X = _frames.arranged("X", X, columns)
        X = _inputs.plain_matrix(X)
        n_rows = X.shape[0]
        if n_rows == 0:
            raise InputError("X has no rows; expected examples")
        _inputs.matrix(X, None)  # before the shuffle, so that an error has the row of the caller
        if (y is None) == (costs is None):
            raise InputError("y and costs: expected exactly one of them")
        n_actions = _inputs.count_actions(y, costs) if n_actions is None else n_actions
        allowed = _inputs.mask(actions, n_rows, n_actions, numbers)
        if y is None:
            table: CostTable = _inputs.cost_table(None, costs, n_rows, n_actions, allowed, numbers, cost_range)
        else:
            table = _inputs.labels(y, n_rows, n_actions, numbers)
        n_s, n_b, marks = lengths(n_rows, warm_start, interaction, checkpoints)
        seed = _inputs.seed(seed)
        noise = parse_noise(noise)
        if noise.kind != "none" and table.ndim == 2:
            raise InputError(f"noise is {noise}; expected labels y, because noise changes labels, not costs")
        _inputs.choice("truth", truth, TRUTHS)
        majority = _costs.best_constant(table, n_actions)
        order = np.arange(n_rows)
        if shuffle:
            order = _streams.generator(seed, _streams.SHUFFLE).permutation(n_rows)
            X, table = X[order], table[order]
            allowed = None if allowed is None else allowed[order]
        taught, shown = table[:n_s], table
        if noise.kind != "none" and truth == "bandit":
            taught = noise.corrupt(taught, n_actions, majority, seed)  # type: ignore[arg-type]
        elif noise.kind != "none":
            shown = table.copy()
            shown[n_s:] = noise.corrupt(table[n_s:], n_actions, majority, seed)  # type: ignore[arg-type]
        if allowed is not None and table.ndim == 1:
            same = shown is table
            taught = _inputs.costs_among(taught, allowed[:n_s])  # type: ignore[arg-type]
            table, shown = (_inputs.costs_among(one, allowed) for one in (table, shown))  # type: ignore[arg-type]
            shown = table if same else shown
        rows = _inputs.matrix(X, None)
        return cls(X, columns, rows, order, n_actions, allowed, taught, shown, table, n_s, n_b, marks)


def lengths(
    n_rows: int, warm_start: int, interaction: int | None, checkpoints: Sequence[int]
) -> tuple[int, int, list[int]]:
    """Check the number of rows in the warm start, the number of rounds, and the checkpoints.

    Args:
        n_rows: the number of rows.
        warm_start: as in `simulate`.
        interaction: as in `simulate`.
        checkpoints: as in `simulate`.

    """
    n_s = _inputs.integer("warm_start", warm_start, 0, n_rows - 1)
    left = n_rows - n_s
    n_b = left if interaction is None else _inputs.integer("interaction", interaction, 1, left)
    if isinstance(checkpoints, int):
        raise InputError(f"checkpoints is {checkpoints}; expected a sequence of numbers of rounds")
    return n_s, n_b, [_inputs.integer("checkpoint", mark, 1, n_b) for mark in checkpoints]
