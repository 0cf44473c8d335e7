"""ARRoW-CB, Algorithm 1 of Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting Contextual Bandits, ICML 2019.

The line numbers below are the paper's. As in its experiments (section 5, appendix A), the policy π^λ is the greedy one
of a linear regressor taught online, and line 3 plays the newest policy instead of the average of all.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._core import Costs, EpsilonGreedy, OnlineLinear, ProgressiveValidation, Rows, Stream, play_arrow
from warmcb._costs import CostTable
from warmcb.bandits._base import Bandit, State, copy_into
from warmcb.bandits._rounds import Rounds, Trace
from warmcb.errors import OrderError


class ArrowCB(Bandit):
    """Contextual bandit that weighs bandit against supervised examples by a λ it selects online.

    Args:
        n_actions: K, at least 2.
        epsilon: share of uniform exploration.
        lambdas: Λ. 8: the paper's {0, ζ/8, ζ/4, ζ/2, ζ, ½+ζ/2, ¾+ζ/4, 1}, ζ = ε/(K+ε); 2: {0, 1}; or any in [0, 1].
        learning_rate: of the online learner; try 0.1 to 3 by `simulate` on data of your own.
        horizon: the number of rounds to come, if known. An example of the warm start weighs (1−λ)·c, one of the
            interaction λ·c/p, and c makes the average weight 1, as in Vowpal Wabbit; that takes n_s and n_b. Without
            a horizon c = 1/(1−λ+Kλ), which needs neither: λ = 0 and λ = 1 are then the plain learners of one source.
        seed: of the exploration.

    `learn` scores λ with the predictions of the moment it is called, not of the moment of the decision: a bandit whose
    costs arrive late is scored by newer, usually better policies than the ones that were played. Without any example
    of a warm start the largest λ is in charge: a plain bandit.

    >>> bandit = ArrowCB(n_actions=2, epsilon=0.1, seed=1).warm_start([[1.0], [-1.0]], [0, 1])
    >>> decision = bandit.decide([1.0])
    >>> bandit.learn([1.0], decision.action, cost=0.0, probability=decision.probability)
    >>> bandit.lambda_
    0.0

    """

    _trains = True

    def __init__(
        self,
        n_actions: int,
        *,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, seed)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.learning_rate = _inputs.learning_rate(learning_rate)
        self.horizon = _inputs.horizon(horizon)
        self.lambdas_ = _inputs.lambdas(lambdas, eight_lambdas(self.n_actions, self.epsilon))
        self.lambdas = lambdas if isinstance(lambdas, int) else tuple(self.lambdas_.tolist())
        self._explorer = EpsilonGreedy(self.epsilon)
        self._warm_examples = 0

    @property
    def lambda_(self) -> float:
        """The λ in charge."""
        return float(self.lambdas_[self._selector.best if self.n_features_ is not None else -1])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """For each λ the estimated average cost of its policies (progressive validation); the lowest is in charge."""
        if self.n_features_ is None:
            return np.zeros(len(self.lambdas_))
        return self._selector.sums / max(self._selector.rounds, 1)

    @property
    def rounds_(self) -> int:
        """The number of rounds behind `scores_`."""
        return self._selector.rounds if self.n_features_ is not None else 0

    def _build(self, n_features: int) -> None:
        self._learner = OnlineLinear(n_features, self.n_actions, len(self.lambdas_), self.learning_rate)
        self._selector = ProgressiveValidation(len(self.lambdas_))
        self._weigh()

    def _weigh(self) -> None:
        # Nobody has taught the smaller λ anything: they may not play.
        self._selector.first = 0 if self._warm_examples else len(self.lambdas_) - 1
        if self.horizon is None:
            total, length = (1 - self.lambdas_) + self.n_actions * self.lambdas_, 1
        else:
            total = (1 - self.lambdas_) * self._warm_examples + self.n_actions * self.lambdas_ * self.horizon
            length = self._warm_examples + self.horizon
        total = np.maximum(total, 1e-300)
        self._supervised_weights = np.minimum((1 - self.lambdas_) / total, 1e20) * length
        self._bandit_weights = self.lambdas_ / total * length

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        if self.horizon is not None and (self._warm_examples or self._selector.rounds):
            seen = f"{self._warm_examples} examples and {self._selector.rounds} rounds"
            raise OrderError(
                f"warm_start came after {seen}; with a horizon it is expected once, before the first round"
            )
        self._warm_examples += len(rows)
        self._weigh()
        self._learner.teach(rows, Costs(table), self._supervised_weights)  # line 6, second sum

    def _distribution(self, row: Rows) -> NDArray[np.float64]:
        scores = self._learner.predict(row, 0)
        return self._explorer.probabilities(scores[:, self._selector.best])  # line 3

    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None:
        scores = self._learner.predict(row, 0)
        greedy = self._learner.greedy(scores)
        self._selector.add(greedy, action, cost, probability)  # lines 5 and 7
        if self._trains:
            self._learner.update(row, 0, action, cost, self._bandit_weights, scores, probability)  # line 6, first sum

    def _predict(self, rows: Rows) -> NDArray[np.int32]:
        return self._learner.predict_actions(rows)[:, self._selector.best]

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        return self._play_rows(rows, table, begin, end, self._selector, self._random, self._decided)

    def _play_rows(
        self,
        rows: Rows,
        table: CostTable,
        begin: int,
        end: int,
        selector: ProgressiveValidation,
        random: Stream,
        first_round: int,
    ) -> Trace:
        weights = self._bandit_weights if self._trains else None
        out = Rounds(end - begin)
        parts = (self._learner, selector, self._explorer, random)
        play_arrow(*parts, rows, Costs(table), begin, end, first_round, weights, *out.arrays())
        return out.trace(self.lambdas_)

    def _state(self) -> State:
        # Only the features that were ever seen: a sparse model of millions stays a small file.
        seen = np.flatnonzero(self._learner.scales.any(axis=(1, 2, 3)))
        return {
            "seen": seen,
            "weights": self._learner.weights[seen],
            "scales": self._learner.scales[seen],
            "totals": self._learner.totals,
            "scores": self._selector.sums,
            "rounds": np.array(self._selector.rounds),
            "warm_examples": np.array(self._warm_examples),
        }

    def _restore(self, state: State) -> None:
        seen = state["seen"]
        for table, saved in ((self._learner.weights, state["weights"]), (self._learner.scales, state["scales"])):
            part = table[seen]
            copy_into(part, saved)
            table[seen] = part
        copy_into(self._learner.totals, state["totals"])
        copy_into(self._selector.sums, state["scores"])
        self._selector.rounds = int(state["rounds"])
        self._warm_examples = int(state["warm_examples"])
        self._weigh()


def eight_lambdas(n_actions: int, epsilon: float) -> list[float]:
    zeta = epsilon / (n_actions + epsilon)
    return [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
