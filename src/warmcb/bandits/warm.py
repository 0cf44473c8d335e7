"""The default: what the paper's algorithm became when nothing was left to tune; docs/study/beyond.md says why."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _inputs
from warmcb.bandits._chosen_parts import ChosenParts, named
from warmcb.bandits._sources import LABELS, LOG, source_name
from warmcb.bandits.arrow import LaneBandit
from warmcb.contracts import StartsExplorer, StartsLearner, StartsSelector
from warmcb.learners.linear import LEARNERS, BySize


class WarmBandit(LaneBandit, ChosenParts):
    """Contextual bandit that starts from labels of unknown worth and has nothing to tune.

    Least-squares regressors for each λ, exact after each example, which learn any function, translate what labels say
    and forget what is no longer true; λ selected by forecasts; exploration that fades where the costs are clear. An
    example of the warm start weighs 1−λ, a round λ.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: the largest share of exploration; it falls with the rounds, and where actions are clearly worse.
        lambdas: Λ. 3: {0, ¾, 1}; 8: {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}; 2: {0, 1}; or any in [0, 1].
        features: what the learner "auto" sees of a row: "bends", any function; "squares", parabolas; or "linear".
        half_life: after so many rounds what was learned counts half. None: it notices by itself when the world has
            changed; `math.inf`: it never forgets.
        cost_range: the lowest and the highest cost, if they are known; `intervals_` need it. None: costs are any finite
            numbers, and their unit does not matter.
        learner: "auto": least squares, exact up to 256 terms, in blocks up to 4,096 features, and beyond that, or with
            too many actions, "online": the paper's learner, at learning rate ½. Or one of `warmcb.learners`, or your
            own. `learner_` tells which it is.
        selector: how λ is scored: a rule of `warmcb.selectors`, or "cost/p" as in the paper. Or a selector.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper. Or an explorer.
        optimism: the benefit of the doubt, in units of the range of costs, for an action that was not played for long:
            it may have turned good.
        encoder: an `Encoder`, or a fitted transformer of scikit-learn: contexts are then dictionaries, JSON or frames.
        seed: of the exploration.

    >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
    >>> decision = bandit.decide([1.0])
    >>> decision.action
    0
    >>> bandit.learn([1.0], decision, reward=19.90)
    >>> bandit.learner_
    'least squares, 198 terms, 192 of them bends'
    >>> from warmcb.explorers import InverseGap
    >>> bandit = WarmBandit(actions=["sports", "politics"], explorer=InverseGap(sharpness=3.0))

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.05,
        lambdas: int | Sequence[float] = 3,
        features: str = "bends",
        half_life: float | None = None,
        cost_range: tuple[float, float] | None = None,
        learner: str | StartsLearner = "auto",
        selector: str | StartsSelector = "forecast",
        explorer: str | StartsExplorer = "inverse-gap",
        optimism: float = 0.75,
        encoder: Any = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self._choose_parts(
            epsilon=epsilon,
            lambdas=lambdas,
            features=features,
            half_life=half_life,
            cost_range=cost_range,
            learner=learner,
            selector=selector,
            explorer=explorer,
            encoder=encoder,
        )
        self.optimism = _inputs.number("optimism", optimism, "a number from 0 to 1e6", 0.0, 1e6)

    def warm_start(
        self,
        X: _inputs.Features,
        y: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        actions: ArrayLike | None = None,
        paid: ArrayLike | None = None,
        source: str | None = None,
    ) -> Self:
        """Learn from labelled examples, or from a log without probabilities; before the first round, or later.

        Args:
            X: contexts, one in each row: an array, a SciPy sparse matrix, or a pandas or Polars frame. None at all is
                fine.
            y: the right action of each, by number or name; it costs 0, and any other 1. With `paid`, what was done,
                right or wrong.
            costs: instead of `y`, the cost of each action in each row: (n, K).
            actions: which actions were judged in each row: (n, K), true or false; or a list of those that were judged
                in all rows. Costs of others may be NaN. With `paid`, which actions could be done.
            paid: what each row of a log has cost, in the unit of `learn`. Nobody says that `y` was right: it is
                imitated where it cost less than the average, and what it cost is learned of all rows.
            source: who gave the labels. What each source is worth is found out in the rounds. By default all labels
                have one source, "labels", and all logs another one, "log". A log counts as two sources, "log: done"
                and "log: paid". At most 8.

        Returns:
            the bandit itself.

        >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5, source="editors")
        >>> bandit = bandit.warm_start([[1.0], [-1.0]] * 5, [0, 0] * 5, source="llm")
        >>> bandit.sources_, bandit.source_
        (('editors', 'llm'), 'editors + llm')

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            name = source_name(source, LABELS if paid is None else LOG)
            prices = None if paid is None else _inputs.paid_in_log(paid, y, costs, len(rows), self.cost_range)
            table = self._cost_table(y, costs, actions, len(rows))
            if len(rows) == 0:
                return self
            self._meet(rows)
            if prices is None:
                self._warm_start(rows, table, name)
            else:
                labels, sizes = _costs.as_matrix(table, self.n_actions).ravel(), np.full(len(rows), self.n_actions)
                for one, lesson in self._lessons_of_log(name, labels, sizes, prices):
                    self._teach(rows, lesson.reshape(-1, self.n_actions), one)
            self._remember(columns)
            return self

    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        learner = BySize(self.features, self.half_life) if self.learner == "auto" else named(self.learner, LEARNERS)
        # What it can see depends on the number of actions that there were in the beginning.
        started = learner.start(n_features, self._actions.at_first, n_lanes)
        for _ in range(self._actions.at_first, self.n_actions):
            started.add_action()
        return started, *self._started_judges()

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # An online step is as large as its weight, and rounds come with 1/p there: the average weight shall be 1.
        total = 1 - lambdas + self.n_actions * lambdas if self._learner.weighs_by_propensity else 1
        return (1 - lambdas) / total, lambdas / total
