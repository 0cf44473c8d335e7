"""Algorithm 2 of the paper: the labels are the truth, and the costs of the rounds are a proxy of unknown bias.

Line numbers in comments are those of the paper. A policy is the greedy policy of a linear regressor of the costs. Each
epoch fits the regressors exactly, by least squares from accumulated normal equations. `_epochs.py` defines the epochs.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _costs, _inputs
from warmcb._core import Composition, Costs, FixedLane, LeastSquares, Rows, Trial
from warmcb._costs import CostTable
from warmcb._states import State, copy_into
from warmcb.bandits._actions import Allowed, Mask
from warmcb.bandits._epochs import EpochBandit
from warmcb.bandits.decisions import CheckedEvent, RoundArrays, Trace
from warmcb.errors import InputError
from warmcb.learners import NormalEquations, solve_mixtures

_LARGEST_GRAM = 2**26  # numbers: half a gigabyte


class SupervisedTruth(EpochBandit):
    """Algorithm 2 of the paper: a bandit that trusts its labels, and uses the rounds as far as they agree with them.

    The labels of the warm start are the truth; the costs of the rounds may be biased. Epochs double in length. At the
    end of each epoch all λ are fitted, and the λ with the lowest cost on held-out labels is in charge. λ weighs the
    sources as a whole, not their examples, so a few labels count as much as many rounds.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        epsilon: the share of uniform exploration, ε.
        lambdas: Λ: the number of values, or the values themselves. 8 stands for eight values spread evenly over
            [0, 1], and 2 for {0, 1}. Other values must lie in [0, 1]. With a single value all labels train, because
            nothing has to be validated.
        horizon: the number of rounds to come, n_b, if it is known. It determines the number of epochs,
            E = ⌈log₂ n_b⌉ (at least 1), and splits the labels into E+1 parts. After n_b rounds nothing is fitted any
            more. By default E = 16, which is 65,536 rounds. Later epochs reuse the validation parts, which the theorem
            does not cover.
        ridge: the strength of the regularisation: the number of examples of each source that it counts for.
        seed: the seed of all random draws.

    Attributes:
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        epochs_: the number of epochs, E.
        lambdas_: Λ in ascending order.
        lambda_: the λ in charge, selected at the end of the last epoch.
        scores_: the mean cost of each λ on the last validation part; the lowest is in charge.
        rounds_: the number of labelled examples in that part.

    References:
        Zhang et al.: *Warm-starting Contextual Bandits*, ICML 2019, Algorithm 2. https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import SupervisedTruth
        >>> bandit = SupervisedTruth(n_actions=2, horizon=4, seed=3).warm_start([[1.0], [-1.0]] * 6, [0, 1] * 6)
        >>> for x in ([1.0], [-1.0], [1.0], [-1.0]):
        ...     decision = bandit.decide(x)
        ...     bandit.learn(x, decision, cost=1.0)
        >>> bandit.predict([[1.0], [-1.0]])
        array([0, 1], dtype=int32)

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        horizon: int | None = None,
        ridge: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, epsilon, lambdas, horizon, seed)
        self.ridge = _inputs.number("ridge", ridge, "a number of at least 1e-6", 1e-6, 1e6)

    def _build(self, n_features: int) -> None:
        if self.n_actions * (n_features + 1) ** 2 > _LARGEST_GRAM:
            most = math.isqrt(_LARGEST_GRAM // self.n_actions) - 1
            raise InputError(f"X has {n_features} features; expected at most {most} with {self.n_actions} actions")
        self._learner = LeastSquares(n_features, self.n_actions, len(self.lambdas_))
        self._begin(n_features)

    def _train(self, rows: Rows, table: CostTable) -> None:
        from scipy import sparse

        shape = (len(rows), rows.features)
        X = sparse.csr_array(rows.take(np.arange(len(rows))), shape=shape)
        self._supervised = NormalEquations.of_full_costs(X, _costs.as_matrix(table, self.n_actions))

    def _add(self, row: Rows, event: CheckedEvent) -> None:
        self._learner.add(row, 0, event.action, event.cost, event.probability)  # line 9

    def _fit(self, learned: int) -> None:
        bandit = NormalEquations(self._learner.gram, self._learner.moment, learned)
        self._learner.weights[...] = solve_mixtures(self.lambdas_, self._supervised, bandit, self.ridge)  # line 11

    def _greedy(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        return self._learner.predict_actions(rows, mask)

    def _predict_costs(self, rows: Rows) -> NDArray[np.float64]:
        return self._learner.predict_costs(rows, self._lane)

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        probabilities = np.empty(self.n_actions)
        self._rounds().decide(row, allowed, 0, 0.0, probabilities)  # line 7
        return probabilities

    def _rounds(self) -> Composition:
        """The rounds of this epoch, compiled."""
        explorer, nobody_new = _core.EpsilonGreedy(), Trial(self.n_actions, 0, 0.0)
        no_doubt, unit = _core.Optimism(self.n_actions, 0.0, 1.0), _core.CostUnit(self.cost_range)
        lane = FixedLane(self._lane, len(self.lambdas_))
        rounds = Composition(self._learner, lane, explorer, nobody_new, no_doubt, unit, self._share())
        rounds.weigh([1.0] * len(self.lambdas_), [], 0.0)
        return rounds

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        out = RoundArrays(end - begin)
        costs = Costs(table)
        at = begin
        while at < end:
            played = at - begin
            stop = int(min(end, at + self._epoch_end() - (self.learned_ + played)))
            arrays = out.arrays(played, stop - begin)
            self._rounds().play(self._draws.counted, rows, costs, at, stop, self._draws.count + played, 0, *arrays)
            self._end_epoch(self.learned_ + stop - begin)
            at = stop
        return out.trace(self.lambdas_, self.learned_)

    def _state(self) -> State:
        return self._epoch_state() | {
            "weights": self._learner.weights,
            "gram": self._learner.gram,
            "moment": self._learner.moment,
        }

    def _restore(self, state: State) -> None:
        copy_into(self._learner.weights, state["weights"])
        copy_into(self._learner.gram, state["gram"])
        copy_into(self._learner.moment, state["moment"])
        self._restore_epoch(state)
