"""The default bandit: ARRoW-CB with other parts, which need no tuning."""

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
    """A contextual bandit that starts from labels of unknown quality, and needs no tuning.

    It has several models of the costs, one for each λ in Λ. λ is the weight of the rounds against the labels: with
    λ = 0 a model learns from the labels alone, with λ = 1 from the rounds alone. In between, a label weighs 1−λ and a
    round λ. The model of one λ is called a lane. The lane whose policy and forecasts cost least is in charge: it
    decides.

    The models are least-squares regressors, which are exact after each example, fit nonlinear functions, and forget
    what is no longer true. Exploration decreases over the rounds, and is lower for actions that are clearly worse.
    Costs may have any unit. Labels may come from several sources, and each source is judged by the rounds.

    `ArrowCB` has the same structure, with the parts of the paper. `SharedBandit` is for actions with features of their
    own.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        epsilon: the largest share of exploration, ε.
        lambdas: Λ: the number of values, or the values themselves. 3 stands for {0, ¾, 1}, 8 for
            {0, ¼, ½, ¾, 0.9, 0.96, 0.99, 1}, and 2 for {0, 1}. Other values must lie in [0, 1].
        features: the functions of a row that the learner "auto" can fit: "bends" for any smooth function, "squares"
            for parabolas, or "linear".
        half_life: the number of rounds after which an example counts half. By default the bandit detects changes
            of the environment. `math.inf` means that it never forgets.
        cost_range: the lowest and the highest possible cost, if they are known. `intervals_` need them. By default
            costs may be any finite numbers, and their unit does not matter.
        learner: "auto" for the learner that fits the size of the data: least squares, exact up to 256 terms and in
            blocks up to 4,096 features (both limits are lower with more than a thousand actions), and else "online".
            "online" is the learner of the paper with a learning rate of ½. Or a learner of `warmcb.learners`, or your
            own.
        selector: how λ is selected: a rule in `warmcb.selectors.RULES`, or "cost/p" as in the paper. Or a selector of
            `warmcb.selectors`, or your own.
        explorer: "inverse-gap", or "epsilon-greedy" as in the paper. Or an explorer of `warmcb.explorers`, or your own.
        optimism: the largest bonus of an action that was not played for a long time, in units of the range of costs.
            Such an action may have become better.
        encoder: an `Encoder` or a fitted scikit-learn transformer. Contexts may then be dictionaries, JSON or data
            frames.
        seed: the seed of all random draws.

    Attributes:
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        lambdas_: the λ of each lane. With one source of labels that is Λ in ascending order.
        lambda_: the λ in charge.
        scores_: the score of each lane per round; the lowest is in charge.
        rounds_: the number of rounds that `scores_` are computed from.
        memory_: the number of rounds that the model effectively rests on; it falls when the bandit forgets.
        learner_: a description of the learner, which depends on the size of the data.
        sources_: the names of the sources that have given labels, in order of arrival.
        source_: the sources that the lane in charge learns labels from; None if there is none.
        lane_sources_: for each entry of `lambdas_`, the sources that its lane learns labels from.
        intervals_: for each lane, an interval for its cost per round minus that of the last lane.
        dropped_: for each lane, whether it is excluded because it was significantly worse than the last lane.

    Examples:
        >>> from warmcb import WarmBandit
        >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
        >>> decision = bandit.decide([1.0])
        >>> decision.action
        0
        >>> bandit.learn([1.0], decision, reward=19.90)
        >>> bandit.learner_
        'least squares, 198 terms, 192 of them bends'

        Parts can be chosen by name, or configured:

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
        """Learn from labelled examples, or from a log without probabilities; before the first round or later.

        Args:
            X: contexts, one per row: an array, a SciPy sparse matrix, or a pandas or Polars data frame. It may have
                no rows.
            y: the right action of each row, by number or name. It costs 0, every other action costs 1. With `paid`,
                the action that was played, right or wrong.
            costs: instead of `y`, the cost of each action in each row, of shape (n, K).
            actions: which actions were judged: a boolean array of shape (n, K), or a list of actions for all rows.
                The costs of other actions may be NaN. With `paid`, which actions could have been played.
            paid: for a log, the cost of each row in the unit of `learn`. The bandit then imitates the actions that
                cost less than average, and learns the costs of all.
            source: the name of the source of the labels. The rounds show how good each source is. By default, labels
                come from the source "labels" and logs from "log". A log counts as two sources, such as "log: done" and
                "log: paid". At most 8 sources are possible.

        Returns:
            the bandit itself.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.
            UnsupportedError: the learner or the selector cannot learn from a second source.

        Examples:
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
            with self._keeping_nothing_if_refused():
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
        # The terms of the learner depend on the number of actions at the start.
        started = learner.start(n_features, self._actions.at_first, n_lanes)
        for _ in range(self._actions.at_first, self.n_actions):
            started.add_action()
        return started, *self._started_judges()

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # The step of an online learner grows with the weight, which has a factor 1/p: scale to an average weight of 1.
        total = 1 - lambdas + self.n_actions * lambdas if self._learner.weighs_by_propensity else 1
        return (1 - lambdas) / total, lambdas / total
