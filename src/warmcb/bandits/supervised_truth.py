"""Algorithm 2 of the paper: the supervised costs are the truth, the costs of the interaction a proxy of unknown bias.

The line numbers below are the paper's. Policies are the greedy ones of linear regressors of the cost; each epoch fits
them exactly, by least squares from accumulated normal equations.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs, _inputs
from warmcb._core import Costs, EpsilonGreedy, LeastSquares, Rows, play_epoch
from warmcb._costs import CostTable
from warmcb.bandits._base import Bandit, State, copy_into
from warmcb.bandits._rounds import Rounds, Trace
from warmcb.errors import InputError, OrderError
from warmcb.learners import NormalEquations, solve_mixtures

_EPOCHS_WITHOUT_HORIZON = 16
_LARGEST_GRAM = 2**26  # numbers: half a gigabyte


class SupervisedTruth(Bandit):
    """Bandit that is judged by the costs of its warm start, and uses the interaction as far as it agrees with them.

    λ weighs the two sources as wholes, not their examples: the supervised ones, however few, are never drowned out.

    Args:
        n_actions: K, at least 2.
        epsilon: share of uniform exploration.
        lambdas: Λ. 8: eight values spread evenly over [0, 1]; 2: {0, 1}; or any values in [0, 1]. A single one leaves
            nothing to validate: all of the warm start trains.
        horizon: n_b, the number of rounds to come, if known. It fixes the number of epochs E = ⌈log₂ n_b⌉ (at least 1),
            and so how many parts the warm start is split into; after n_b rounds nothing is fitted any more. Without it
            E = 16 (65,536 rounds); afterwards epochs go on doubling, and validation parts are used again in turn, which
            the theorem does not cover.
        ridge: strength of the regularisation: how many examples of each source it counts like.
        seed: of the exploration.

    >>> bandit = SupervisedTruth(n_actions=2, horizon=4, seed=3).warm_start([[1.0], [-1.0]] * 6, [0, 1] * 6)
    >>> for x in ([1.0], [-1.0], [1.0], [-1.0]):
    ...     decision = bandit.decide(x)
    ...     bandit.learn(x, decision.action, cost=1.0, probability=decision.probability)
    >>> bandit.predict([[1.0], [-1.0]])
    array([0, 1], dtype=int32)

    """

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        horizon: int | None = None,
        ridge: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.horizon = _inputs.horizon(horizon)
        self.ridge = _inputs.number("ridge", ridge, "a number of at least 1e-6", 1e-6, 1e6)
        self.lambdas_ = _inputs.lambdas(lambdas, np.linspace(0, 1, 8).tolist())
        self.lambdas = lambdas if isinstance(lambdas, int) else tuple(self.lambdas_.tolist())
        self.epochs_ = (
            _EPOCHS_WITHOUT_HORIZON if self.horizon is None else max(1, (self.horizon - 1).bit_length())
        )  # line 1
        self._parts = self.epochs_ + 1 if len(self.lambdas_) > 1 else 1
        self._epoch = 1
        self._learned = 0
        self._lane = 0

    @property
    def lambda_(self) -> float:
        """The λ of the last epoch."""
        return float(self.lambdas_[self._lane])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """For each λ the mean supervised cost on the last epoch's validation part (line 12)."""
        return self._scores.copy() if self.n_features_ is not None else np.zeros(len(self.lambdas_))

    @property
    def rounds_(self) -> int:
        """The number of examples in that validation part."""
        return self._validated if self.n_features_ is not None else 0

    def _build(self, n_features: int) -> None:
        if self.n_actions * (n_features + 1) ** 2 > _LARGEST_GRAM:
            most = math.isqrt(_LARGEST_GRAM // self.n_actions) - 1
            raise InputError(
                f"X has {n_features} features; normal equations for {self.n_actions} actions take at most {most}"
            )
        self._learner = LeastSquares(n_features, self.n_actions, len(self.lambdas_))
        self._scores = np.zeros(len(self.lambdas_))
        self._validated = 0
        nothing = Rows(np.empty((0, n_features), dtype=np.float32))
        self._split(*nothing.take(np.empty(0, dtype=np.int64)), np.empty(0, dtype=np.int32))

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        if self._learned or self._part_starts[-1]:
            seen = f"{self._part_starts[-1]} examples and {self._learned} rounds"
            raise OrderError(f"warm_start came after {seen}; expected once, before the first round")
        # line 3: every (E+1)-th example, so that a sorted file makes equal parts too
        order = np.concatenate([np.arange(part, len(rows), self._parts) for part in range(self._parts)])
        self._split(*rows.take(order), table[order])
        self._fit()

    def _split(
        self, values: NDArray[np.float32], indices: NDArray[np.int32], starts: NDArray[np.int64], table: CostTable
    ) -> None:
        """Keep the examples, which lie part by part: the training part first, then a validation part for each epoch."""
        from scipy import sparse

        self._examples: State = {"values": values, "indices": indices, "starts": starts, "table": table}
        sizes = [len(range(part, len(table), self._parts)) for part in range(self._parts)]
        self._part_starts = np.concatenate([[0], np.cumsum(sizes)])
        n_train = sizes[0]
        X = sparse.csr_array((values, indices, starts), shape=(len(table), self._learner.inputs - 1))[:n_train]
        self._supervised = NormalEquations.of_full_costs(X, _costs.as_matrix(table[:n_train], self.n_actions))

    def _distribution(self, row: Rows) -> NDArray[np.float64]:
        scores = self._learner.predict(row, 0)
        return self._explorer().probabilities(scores[:, self._lane])  # line 7

    def _explorer(self) -> EpsilonGreedy:
        return EpsilonGreedy(self.epsilon if self._epoch > 1 else 1.0)

    def _epoch_end(self) -> float:
        """Line 2: t_e; past the horizon there is no further epoch."""
        if self.horizon is None:
            return float(2**self._epoch)
        return min(2**self._epoch, self.horizon) if self._epoch <= self.epochs_ else math.inf

    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None:
        self._learner.add(row, 0, action, cost, probability)  # line 9
        self._count(1)

    def _count(self, rounds: int) -> None:
        self._learned += rounds
        if self._learned == self._epoch_end():
            self._fit()
            self._validate()
            self._epoch += 1

    def _fit(self) -> None:
        bandit = NormalEquations(self._learner.gram, self._learner.moment, self._learned)
        self._learner.weights[...] = solve_mixtures(self.lambdas_, self._supervised, bandit, self.ridge)  # line 11

    def _validate(self) -> None:
        parts = np.count_nonzero(np.diff(self._part_starts)[1:])
        if parts == 0:  # at most one supervised example: a plain bandit
            self._lane = len(self.lambdas_) - 1
            return
        part = (self._epoch - 1) % parts + 1
        begin, end = self._part_starts[part : part + 2]
        kept = self._examples
        rows = Rows(kept["values"], kept["indices"], kept["starts"][begin : end + 1], self._learner.inputs - 1)
        chosen = self._learner.predict_actions(rows)
        table = kept["table"][begin:end]
        self._scores[...] = [_costs.paid(table, chosen[:, lane]).mean() for lane in range(len(self.lambdas_))]
        self._validated = int(end - begin)
        self._lane = int(np.argmin(self._scores))  # line 12

    def _predict(self, rows: Rows) -> NDArray[np.int32]:
        return self._learner.predict_actions(rows)[:, self._lane]

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        out = Rounds(end - begin)
        costs = Costs(table)
        at = begin
        while at < end:
            stop = int(min(end, at + self._epoch_end() - self._learned))
            parts = (self._learner, self._lane, self._explorer(), self._random)
            first_round = self._decided + at - begin
            play_epoch(*parts, rows, costs, at, stop, first_round, *out.arrays(at - begin, stop - begin))
            self._count(stop - at)
            at = stop
        return out.trace(self.lambdas_)

    def _state(self) -> State:
        return self._examples | {
            "weights": self._learner.weights,
            "gram": self._learner.gram,
            "moment": self._learner.moment,
            "scores": self._scores,
            "epoch": np.array(self._epoch),
            "learned": np.array(self._learned),
            "lane": np.array(self._lane),
            "validated": np.array(self._validated),
        }

    def _restore(self, state: State) -> None:
        for name in ("epoch", "learned", "lane", "validated"):
            setattr(self, f"_{name}", int(state[name]))
        if not 1 <= self._epoch <= 64 or not 0 <= self._learned <= self._epoch_end():
            raise ValueError("the epoch and the number of rounds do not fit together")
        copy_into(self._learner.weights, state["weights"])
        copy_into(self._learner.gram, state["gram"])
        copy_into(self._learner.moment, state["moment"])
        copy_into(self._scores, state["scores"])
        self._restore_examples(state)

    def _restore_examples(self, state: State) -> None:
        values, indices, starts, table = (state[name] for name in ("values", "indices", "starts", "table"))
        rows = Rows(values, indices, starts, self._learner.inputs - 1)
        y, costs = (table, None) if table.ndim == 1 else (None, table)
        checked = _inputs.cost_table(y, costs, len(rows), self.n_actions)
        if rows.first_bad() is not None or not 0 <= self._lane < len(self.lambdas_):
            raise ValueError("an example or the lane makes no sense")
        self._split(values, indices, starts, checked)
