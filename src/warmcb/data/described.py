"""A data set whose actions are described by features, and differ from round to round."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from warmcb.bandits._offers import Names
from warmcb.errors import DataError
from warmcb.simulation.described_scenes import DescribedScene, rows_of_rounds


@dataclass(frozen=True)
class DescribedDataset:
    """A data set with described actions: each round has a context, its actions, and their costs.

    The actions of all rounds are stacked in `A`.

    Attributes:
        name: the name of the data set; for a file, its name without folder and suffix.
        X: contexts, one per row: an array of float32, or a SciPy CSR matrix if many values are 0; None if there are no
            features of the context.
        A: the features of the actions, one action per row, in the same form as `X`.
        starts: round i has the rows of `A` from `starts[i]` up to, but not including, `starts[i + 1]`; of shape
            (n + 1,).
        costs: the cost of each row of `A`; NaN if it is unknown.
        ids: the id of each row of `A`, a string or an integer; None if actions have no ids.
        columns: the names of the columns of `X`, if they are known.
        action_columns: the names of the columns of `A`, if they are known.
        remarks: notes for the user: what was left out or replaced, and what looks unusual.

    Examples:
        >>> import numpy as np
        >>> from warmcb.data import DescribedDataset
        >>> A = np.array([[1, 0], [0, 1], [1, 1]], dtype=np.float32)
        >>> data = DescribedDataset("shop", None, A, np.array([0, 2, 3]), np.array([0.5, np.nan, 0.0]))
        >>> data.n_rounds, data.sizes.tolist()
        (2, [2, 1])
        >>> data.actions(0).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        >>> data.rows(np.array([1, 0])).costs.tolist()
        [0.0, 0.5, nan]

    """

    name: str
    X: Any | None
    A: Any
    starts: NDArray[np.int64]
    costs: NDArray[np.float64]
    ids: tuple[str | int, ...] | None = None
    columns: tuple[str, ...] | None = None
    action_columns: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n_actions, n_features = self.A.shape
        if len(self.starts) < 2:
            raise DataError(f"{self.name} has no rounds; expected some")
        if self.starts[0] != 0 or self.starts[-1] != n_actions:
            ends = f"{self.starts[0]} to {self.starts[-1]}"
            raise DataError(f"{self.name} has starts from {ends}; expected 0 to {n_actions}, the number of actions")
        if (empty := np.flatnonzero(self.sizes < 1)).size:
            raise DataError(f"{self.name} has no actions in round {empty[0] + 1}; expected at least one")
        if n_features == 0:
            raise DataError(f"{self.name} has no features of actions; expected some")
        if self.X is not None and self.X.shape[0] != self.n_rounds:
            raise DataError(f"{self.name} has {self.X.shape[0]} contexts; expected {self.n_rounds}, one for each round")
        for what, values, expected in (
            ("costs", self.costs, n_actions),
            ("ids", self.ids, n_actions),
            ("columns", self.columns, 0 if self.X is None else self.X.shape[1]),
            ("action_columns", self.action_columns, n_features),
        ):
            if values is not None and len(values) != expected:
                raise DataError(f"{self.name} has {len(values)} {what}; expected {expected}")
        self._refuse_costs()
        if self.X is not None:
            self._refuse_infinite("context", self.X, self.columns, np.arange(self.n_rounds))
        self._refuse_infinite("actions", self.A, self.action_columns, np.repeat(np.arange(self.n_rounds), self.sizes))

    @property
    def n_rounds(self) -> int:
        """The number of rounds."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of actions of each round."""
        return np.diff(self.starts)

    @property
    def n_actions(self) -> int:
        """The largest number of actions of a round."""
        return int(self.sizes.max())

    @property
    def n_features(self) -> int:
        """The number of features of a context; 0 if there are no contexts."""
        return 0 if self.X is None else int(self.X.shape[1])

    def actions(self, i: int) -> Any:
        """Get the features of the actions of a round.

        Args:
            i: the number of the round, from 0.

        Returns:
            a row for each action.

        """
        return self.A[self.starts[i] : self.starts[i + 1]]

    def rows(self, order: NDArray[np.int64]) -> Self:
        """Select rounds, in a given order.

        Args:
            order: the numbers of the rounds, from 0. A round may be selected more than once.

        Returns:
            a data set of these rounds, with all of their actions.

        """
        rows, starts = rows_of_rounds(self.starts, order)
        return replace(
            self,
            X=None if self.X is None else self.X[order],
            A=self.A[rows],
            starts=starts,
            costs=self.costs[rows],
            ids=None if self.ids is None else tuple(self.ids[row] for row in rows),
        )

    def scene(self, **settings: Any) -> DescribedScene:
        """Prepare the rounds for a simulation.

        Args:
            **settings: the settings of `simulate`, from `warm_start` to `checkpoints`.

        Returns:
            the prepared rounds.

        """
        names = Names(_names(self.columns), _names(self.action_columns))
        return DescribedScene.prepare(self.X, self.A, self.starts, self.ids, self.costs, names=names, **settings)

    def _refuse_costs(self) -> None:
        if (infinite := np.flatnonzero(np.isinf(self.costs))).size:
            i = np.searchsorted(self.starts, infinite[0], side="right")
            raise DataError(f"{self.name} has a cost of {self.costs[infinite[0]]} in round {i}; expected finite costs")
        if np.isnan(self.costs).all():
            raise DataError(f"{self.name} has no known cost; expected the cost of an action in some round")

    def _refuse_infinite(self, what: str, matrix: Any, columns: tuple[str, ...] | None, rounds: NDArray[Any]) -> None:
        """Refuse numbers that are not finite, with the place of the first one."""
        values = matrix.data if sparse.issparse(matrix) else matrix
        if np.isfinite(values).all():
            return
        found = matrix.tocoo() if sparse.issparse(matrix) else sparse.coo_array(matrix)
        place = int(np.argmin(np.isfinite(found.data)))
        value, row, column = found.data[place], found.coords[0][place], found.coords[1][place]
        where = f"the column {columns[column] if columns else column + 1} of round {rounds[row] + 1}"
        raise DataError(f"{self.name} has {value} in its {what}, {where}; expected finite numbers")


def _names(columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names of columns if they are distinct; a bandit cannot use others."""
    return columns if columns is not None and len(set(columns)) == len(columns) else None
