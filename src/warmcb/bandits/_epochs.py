"""What both forms of Algorithm 2 share: epochs that double in length, each validated on its own part of the labels.

Line numbers in comments are those of the paper.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs, _inputs
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._actions import Mask
from warmcb.bandits._numbered import Bandit
from warmcb.bandits.decisions import CheckedEvent
from warmcb.errors import OrderError

_EPOCHS_WITHOUT_HORIZON = 16


class EpochBandit(Bandit):
    """Algorithm 2 without its policies, which `_train`, `_add`, `_fit` and `_greedy` define."""

    def __init__(
        self,
        n_actions: int | None,
        actions: Sequence[str] | None,
        epsilon: float,
        lambdas: int | Sequence[float],
        horizon: int | None,
        seed: int,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.horizon = _inputs.horizon(horizon)
        self.lambdas_ = _inputs.lambdas(lambdas, {8: np.linspace(0, 1, 8).tolist()})
        self.lambdas = _inputs.plain_lambdas(lambdas)
        self.epochs_ = (
            _EPOCHS_WITHOUT_HORIZON if self.horizon is None else max(1, (self.horizon - 1).bit_length())
        )  # line 1
        self._parts = self.epochs_ + 1 if len(self.lambdas_) > 1 else 1
        self._epoch = 1
        self._lane = 0
        self._scores = np.zeros(len(self.lambdas_))
        self._validated = 0

    @property
    def lambda_(self) -> float:
        """The λ in charge, selected at the end of the last epoch."""
        return float(self.lambdas_[self._lane])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The mean cost of each λ on the last validation part (line 12); the lowest is in charge."""
        return self._scores.copy()

    @property
    def rounds_(self) -> int:
        """The number of labelled examples in the last validation part."""
        return self._validated

    # Implemented by each form of the algorithm

    @abstractmethod
    def _train(self, rows: Rows, table: CostTable) -> None:
        """Set the labelled examples to train on; there are none before the warm start."""

    @abstractmethod
    def _add(self, row: Rows, event: CheckedEvent) -> None:
        """Add a round (line 9)."""

    @abstractmethod
    def _fit(self, learned: int) -> None:
        """Fit π_e^λ for each λ, after `learned` rounds (line 11)."""

    @abstractmethod
    def _greedy(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        """The action of π_e^λ among the allowed ones, for each row and each λ."""

    # The order of the algorithm

    def _begin(self, n_features: int) -> None:
        nothing = Rows(np.empty((0, n_features), dtype=np.float32))
        self._split(nothing.features, *nothing.take(np.empty(0, dtype=np.int64)), np.empty(0, dtype=np.int32))

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        if self.learned_ or self._part_starts[-1]:
            seen = f"{self._part_starts[-1]} examples and {self.learned_} rounds"
            raise OrderError(f"warm_start came after {seen}; expected one call before the first round")
        # line 3: every (E+1)-th example, because files may be sorted
        order = np.concatenate([np.arange(part, len(rows), self._parts) for part in range(self._parts)])
        self._split(rows.features, *rows.take(order), table[order])
        self._fit(0)

    def _split(
        self,
        n_features: int,
        values: NDArray[np.float32],
        indices: NDArray[np.int32],
        starts: NDArray[np.int64],
        table: CostTable,
    ) -> None:
        """Store the examples part by part: the training part first, then a validation part for each epoch."""
        self._examples: State = {"values": values, "indices": indices, "starts": starts, "table": table}
        self._n_features = n_features
        sizes = [len(range(part, len(table), self._parts)) for part in range(self._parts)]
        self._part_starts = np.concatenate([[0], np.cumsum(sizes)])
        self._train(*self._part(0))

    def _part(self, part: int) -> tuple[Rows, CostTable]:
        begin, end = self._part_starts[part : part + 2]
        kept = self._examples
        rows = Rows(kept["values"], kept["indices"], kept["starts"][begin : end + 1], self._n_features)
        return rows, kept["table"][begin:end]

    def _share(self) -> float:
        """The share of exploration: ε, or 1 in the first epoch."""
        return self.epsilon if self._epoch > 1 else 1.0

    def _epoch_end(self) -> float:
        """The last round of the epoch, t_e (line 2). There are no epochs after the horizon."""
        if self.horizon is None:
            return float(2**self._epoch)
        return min(2**self._epoch, self.horizon) if self._epoch <= self.epochs_ else math.inf

    def _learn(self, row: Rows, event: CheckedEvent) -> None:
        self._add(row, event)
        self._end_epoch(self.learned_ + 1)

    def _end_epoch(self, learned: int) -> None:
        """End the epoch if `learned` is the number of its last round."""
        if learned == self._epoch_end():
            self._fit(learned)
            self._validate()
            self._epoch += 1

    def _validate(self) -> None:
        parts = int(np.count_nonzero(np.diff(self._part_starts)[1:]))
        if parts == 0:  # there are too few labels to validate: use rounds alone
            self._lane = len(self.lambdas_) - 1
            return
        rows, table = self._part((self._epoch - 1) % parts + 1)
        chosen = self._greedy(rows, _costs.mask(table))
        self._scores[...] = [_costs.paid(table, chosen[:, lane]).mean() for lane in range(len(self.lambdas_))]
        self._validated = len(rows)
        self._lane = int(np.argmin(self._scores))  # line 12

    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        return np.ascontiguousarray(self._greedy(rows, mask)[:, self._lane])

    def _epoch_state(self) -> State:
        table = self._examples["table"]
        judged = _costs.mask(table)
        examples = (
            self._examples if judged is None else self._examples | {"table": np.nan_to_num(table), "judged": judged}
        )
        return examples | {
            "scores": self._scores,
            "epoch": np.array(self._epoch),
            "lane": np.array(self._lane),
            "validated": np.array(self._validated),
        }

    def _restore_epoch(self, state: State) -> None:
        for name in ("epoch", "lane", "validated"):
            setattr(self, f"_{name}", int(state[name]))
        if not 1 <= self._epoch <= 64 or not 0 <= self.learned_ <= self._epoch_end():
            raise ValueError("the epoch and the number of rounds do not fit together")
        if state["scores"].shape != self._scores.shape:
            raise ValueError("scores does not have one entry for each λ")
        self._scores = np.array(state["scores"], dtype=np.float64)
        values, indices, starts, table = (state[name] for name in ("values", "indices", "starts", "table"))
        rows = Rows(values, indices, starts, self._n_features)
        y, costs = (table, None) if table.ndim == 1 else (None, table)
        judged = _inputs.mask(state.get("judged"), len(rows), self.n_actions, {})
        checked = _inputs.cost_table(y, costs, len(rows), self.n_actions, judged)
        if rows.first_bad() is not None or not 0 <= self._lane < len(self.lambdas_):
            raise ValueError("an example or the lane is invalid")
        self._split(self._n_features, values, indices, starts, checked)
