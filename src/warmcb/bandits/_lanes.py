"""Bandits made of a learner with a lane for each λ, a selector of the lane in charge, and an explorer.

The line numbers are those of Algorithm 1 in the paper (Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting
Contextual Bandits, ICML 2019), which is one such composition.
"""

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Costs, Rows, Stream, play_lanes
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._base import Bandit
from warmcb.bandits._rounds import Rounds, Trace
from warmcb.explorers import Explorer
from warmcb.learners import Learner, learner_state, restore_learner
from warmcb.selectors import Selector, restore_selector, selector_state


class LaneBandit(Bandit):
    """A composition: subclasses say of what, and what an example of either source weighs."""

    _trains = True
    """Whether rounds teach anything."""
    _learner: Learner
    _selector: Selector
    _explorer: Explorer

    def __init__(self, n_actions: int, seed: int) -> None:
        super().__init__(n_actions, seed)
        self._warm_examples = 0

    # What a composition fills in

    @abstractmethod
    def _make_learner(self, n_features: int) -> Learner: ...

    @abstractmethod
    def _make_selector(self) -> Selector: ...

    @abstractmethod
    def _weigh(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each λ the weight of a supervised example, and of a round."""

    # What callers see

    @property
    def lambda_(self) -> float:
        """The λ in charge."""
        return float(self.lambdas_[self._selector.best if self.n_features_ is not None else -1])

    @property
    def scores_(self) -> NDArray[np.float64]:
        """What the selector makes of each λ, per round; the lowest is in charge."""
        return np.zeros(len(self.lambdas_)) if self.n_features_ is None else self._selector.scores

    @property
    def rounds_(self) -> int:
        """The number of rounds behind `scores_`."""
        return self._selector.rounds if self.n_features_ is not None else 0

    # The order of a round

    def _build(self, n_features: int) -> None:
        self._learner = self._make_learner(n_features)
        self._selector = self._make_selector()
        self._count_examples(0)

    def _count_examples(self, more: int) -> None:
        """Who may play, and what examples weigh, depend on how many were supervised."""
        self._warm_examples += more
        # Nobody has taught the smaller λ anything: they may not play.
        self._selector.admit(0 if self._warm_examples else len(self.lambdas_) - 1)
        self._supervised_weights, self._bandit_weights = self._weigh()

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._count_examples(len(rows))
        self._learner.teach(rows, Costs(table), self._supervised_weights)  # line 6, second sum

    def _distribution(self, row: Rows) -> NDArray[np.float64]:
        scores = self._learner.predict(row, 0)
        greedy = self._learner.greedy(scores)
        selector = self._selector
        return self._explorer.distribution(scores, greedy, selector.eligible, selector.best, self._decided)  # line 3

    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None:
        scores = self._learner.predict(row, 0)
        greedy = self._learner.greedy(scores)
        last_round = max(self._decided, 1) - 1
        largest = [self._explorer.largest_weight(self.n_actions, last_round, eligible) for eligible in (True, False)]
        self._selector.add(scores, greedy, action, cost, probability, *largest)  # lines 5 and 7
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
        selector: Selector,
        random: Stream,
        first_round: int,
    ) -> Trace:
        weights = self._bandit_weights if self._trains else None
        out = Rounds(end - begin)
        parts = (self._learner, selector, self._explorer, random)
        play_lanes(*parts, rows, Costs(table), begin, end, first_round, weights, *out.arrays())
        return out.trace(self.lambdas_)

    def _state(self) -> State:
        warm_examples = {"warm_examples": np.array(self._warm_examples)}
        return learner_state(self._learner) | selector_state(self._selector) | warm_examples

    def _restore(self, state: State) -> None:
        self._count_examples(int(state["warm_examples"]))
        restore_learner(self._learner, state)
        restore_selector(self._selector, state)
