"""A data set whose actions are described by features, another set of them in each round."""

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
    """Rounds with described actions: for each of them a context, its actions, and what these cost.

    The actions of all rounds lie one below the other in `A`; `starts` says where the rounds begin.

    Attributes:
        name: what the data set is called: of a file, its name without folder and suffix.
        X: contexts, one in each row: an array of float32, or a SciPy CSR matrix where many values are 0; None if there
            are no features of the context.
        A: the features of the actions, one action in each row, in the same form as `X`.
        starts: round i has the rows `starts[i]` to `starts[i + 1]` of `A`, the latter excluded: (n + 1,).
        costs: what each row of `A` costs; NaN where nobody knows.
        ids: the identity of each row of `A`, if actions have one: a text or an integer.
        columns: the names of the columns of `X`, if they are known.
        action_columns: the names of the columns of `A`, if they are known.
        remarks: what a user should know: what was left out or replaced, what looks odd.

    Examples:
        >>> import numpy as np
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
        """How many features a context has; 0 if there are none."""
        return 0 if self.X is None else int(self.X.shape[1])

    def actions(self, i: int) -> Any:
        """The features of a round's actions.

        Args:
            i: the number of the round, from 0.

        Returns:
            a row for each action.

        """
        return self.A[self.starts[i] : self.starts[i + 1]]

    def rows(self, order: NDArray[np.int64]) -> Self:
        """Some of the rounds, in a given order.

        Args:
            order: the numbers of the rounds, from 0. A round may come more than once.

        Returns:
            a data set of these rounds with all of their actions.

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
        """These rounds as bandits meet them.

        Args:
            **settings: as `DescribedScene.prepare` has them, from `warm_start` to `checkpoints`.

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
        """Refuse numbers that are not finite, and name the first one's place."""
        values = matrix.data if sparse.issparse(matrix) else matrix
        if np.isfinite(values).all():
            return
        found = matrix.tocoo() if sparse.issparse(matrix) else sparse.coo_array(matrix)
        place = int(np.argmin(np.isfinite(found.data)))
        value, row, column = found.data[place], found.coords[0][place], found.coords[1][place]
        where = f"the column {columns[column] if columns else column + 1} of round {rounds[row] + 1}"
        raise DataError(f"{self.name} has {value} in its {what}, {where}; expected finite numbers")


def _names(columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Names by which a bandit can find columns: each of them once."""
    return columns if columns is not None and len(set(columns)) == len(columns) else None
