"""ARRoW-CB, Algorithm 1 of Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting Contextual Bandits, ICML 2019.

Line numbers in comments are those of the paper. As in its experiments (section 5, appendix A), the policy π^λ is the
greedy policy of a linear regressor that learns online, and line 3 plays the newest policy instead of the average of
all policies.

`LaneBandit` defines the order of a round for any learner, selector and explorer. `ArrowCB` uses the parts of the paper.
If all parts are compiled, so is the round: see src/core/rounds.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _inputs
from warmcb._core import Costs, Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._actions import Actions, Allowed, CheckedEvents, Mask
from warmcb.bandits._base import names_of_array
from warmcb.bandits._lanes import Lanes
from warmcb.bandits._numbered import Bandit
from warmcb.bandits._parts import check_parts, checked_scores
from warmcb.bandits._sources import LABELS, Layout
from warmcb.bandits.decisions import Action, CheckedEvent, RoundArrays, Trace
from warmcb.bandits.explanations import ComparedAction, Explanation, column_names, explained, values_of
from warmcb.contracts import Doubles, Floats, Outcome
from warmcb.errors import OrderError, UnsupportedError
from warmcb.explorers import EpsilonGreedy
from warmcb.features import as_encoder
from warmcb.learners.linear import OnlineLinear
from warmcb.selectors import ProgressiveValidation

_TRIAL_LENGTH, _TRIAL_SHARE = 100, 0.25  # the trial of a new action: its rounds, and its share of all rounds
_DOUBT_ROUNDS = 17.5  # divided by ε: after so many rounds an action that is not played is preferred in case of doubt


class LaneBandit(Lanes, Bandit):
    """The order of a round. Subclasses choose the parts, and the weight of a label and of a round."""

    optimism: float = 0.0
    """The largest bonus of an action that is not played, in units of the range of costs."""

    def __init__(self, n_actions: int | None, actions: Sequence[str] | None, seed: int) -> None:
        Bandit.__init__(self, n_actions, actions, seed)
        self._start_lanes()
        self._judged: dict[str, NDArray[np.bool_]] = {}
        """For each source, which actions its labels judge."""

    # Implemented by subclasses

    @abstractmethod
    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        """A fresh learner, selector and explorer."""

    @abstractmethod
    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The weight of a label and the weight of a round, for each of the given λ."""

    # A round; bandits/_lanes.py has what all bandits with lanes share

    def _warm_start(self, rows: Rows, table: CostTable, source: str = LABELS) -> None:
        self._listen_to(source)
        if table.ndim == 2:
            table = self._in_unit_costs(np.asarray(table, dtype=np.float64), source)
        self._teach(rows, table, source)

    def _teach(self, rows: Rows, table: CostTable, source: str) -> None:
        """Learn unit costs from a known source."""
        self._count_examples(table, source)
        self._learner.teach(rows, Costs(table), self._weights_of(source))  # line 6: the sum over supervised examples

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        return self._distribution_of(_NumberedOffer(row, allowed, self.n_actions))

    def _choose(self, row: Rows, allowed: Allowed, uniform: float) -> tuple[int, NDArray[np.float64]]:
        if self._compiled is None:
            return super()._choose(row, allowed, uniform)
        probabilities = np.empty(self.n_actions)
        return self._compiled.decide(row, allowed, self.learned_, uniform, probabilities), probabilities

    def _learn(self, row: Rows, event: CheckedEvent, drawn: bool = True) -> None:
        action, cost, probability, allowed, round_ = event
        if self._compiled is not None:
            self._compiled.learn(row, action, cost, probability, allowed, round_, self.learned_, drawn)
            return
        offer = _NumberedOffer(row, allowed, self.n_actions)
        weights = np.where(self._unjudged[action], self._unjudged_weight, self._bandit_weights)
        self._learn_by_parts(offer, action, cost, probability, round_, weights, drawn)

    def observe(
        self, x: _inputs.Features, action: Action, cost: float | None = None, *, reward: float | None = None
    ) -> None:
        with self._lock:
            if not self._trains:
                raise UnsupportedError(f"{type(self).__name__} cannot observe costs: it learns from labels alone")
            columns, row = self._row(x)
            paid = _inputs.cost_or_reward(cost, reward, self.cost_range)
            event = CheckedEvent(self._actions.number(action), paid, 1.0, None, self.learned_)
            self._meet(row)
            self._learn(row, event, drawn=False)
            self._remember(columns)

    # New actions

    def add_action(self, name: str | None = None) -> None:
        with self._lock:
            if not self._trains:
                raise UnsupportedError(f"{type(self).__name__} cannot add new actions: it learns from labels alone")
            names = _inputs.one_name_more(self.actions, name)
            self._check_size(self.n_actions + 1, self.n_features_ or 0)
            if self.n_features_ is None:
                self.set_params(n_actions=self.n_actions + 1, actions=names)
                return
            try:
                self._learner.add_action()
            except MemoryError:
                raise self._too_large(self.n_actions + 1, self.n_features_) from None
            except NotImplementedError:
                raise UnsupportedError(f"{self._learner.description} cannot add new actions") from None
            self._trial.add_action(self.learned_)
            self._optimism.add_action()
            self._judged = {source: np.append(judged, False) for source, judged in self._judged.items()}
            vars(self).update(n_actions=self.n_actions + 1, actions=names)
            self._actions = Actions(self.n_actions, names, self._actions.at_first)
            self._set_weights()

    # Implementation of the base classes

    def _build(self, n_features: int) -> None:
        parts = self._make_parts(n_features, len(self.lambdas_))
        self._learner, self._selector, self._explorer = parts
        check_parts(*parts, (n_features, self.n_actions, len(self.lambdas_)))
        self._trial = _core.Trial(self.n_actions, _TRIAL_LENGTH, _TRIAL_SHARE)
        self._optimism = _core.Optimism(self.n_actions, self.optimism, self._doubt_half_life())
        self._unit = _core.CostUnit(self.cost_range)
        self._layout = Layout(self.lambdas_)
        self._compiled = self._compile()
        self._admit()

    def _doubt_half_life(self) -> float:
        """In rounds. With many actions it is longer: retrying them should cost at most ε/11 of the range per round."""
        of_three = max(1.0, (self._actions.at_first - 1) / 3)
        return of_three * _DOUBT_ROUNDS / self.epsilon if self.epsilon > 0 else math.inf

    def _count_examples(self, table: CostTable, source: str) -> None:
        """Update the eligible lanes and the weights: both depend on which labels there are."""
        self._warm_examples += len(table)
        judged = np.ones(self.n_actions, dtype=np.bool_) if table.ndim == 1 else ~np.isnan(table).all(axis=0)
        self._judged[source] = judged | self._judged.get(source, np.zeros_like(judged))
        self._admit()

    def _set_weights(self) -> None:
        self._supervised_weights, self._bandit_weights = self._weigh(self.lambdas_)
        # If no label judges an action, rounds are the only source for it, whatever λ.
        self._unjudged = np.zeros((self.n_actions, len(self.lambdas_)), dtype=np.bool_)
        for number, lane in enumerate(self._layout.lanes):
            told = [self._judged[source] for source in lane.sources if source in self._judged]
            if told:
                self._unjudged[:, number] = ~np.any(told, axis=0)
        self._unjudged_weight = float(self._weigh(np.ones(1))[1][0])
        if self._compiled is not None:
            weights = self._bandit_weights.tolist() if self._trains else None
            unjudged = self._unjudged.ravel().tolist() if self._unjudged.any() else []
            self._compiled.weigh(weights, unjudged, self._unjudged_weight)

    def _choose_many(
        self, rows: Rows, mask: Mask, uniforms: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        if self._compiled is None:
            return super()._choose_many(rows, mask, uniforms)
        chosen, probabilities = np.empty(len(rows), dtype=np.int32), np.empty((len(rows), self.n_actions))
        self._compiled.decide_many(rows, mask, self.learned_, uniforms, chosen, probabilities)
        return chosen, probabilities

    def _learn_many(self, rows: Rows, events: CheckedEvents) -> None:
        if self._compiled is None:
            super()._learn_many(rows, events)
        else:
            self._compiled.learn_many(rows, *events, self.learned_)

    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        costs = self._predict_costs(rows)
        return np.asarray((costs if mask is None else np.where(mask, costs, np.inf)).argmin(axis=1), dtype=np.int32)

    def _predict_costs(self, rows: Rows) -> NDArray[np.float64]:
        expected = np.asarray(self._learner.predict_costs(rows, self._selector.best), dtype=np.float64)
        return self._in_paid_costs(expected)

    def _explain(self, row: Rows, event: CheckedEvent, most: int) -> Explanation:
        learner, lane, values = self._explainable, self._selector.best, values_of(row)
        costs = self._predict_costs(row)[0]
        if event.allowed is not None:
            costs = np.where(event.allowed, costs, np.inf)

        def side_of(action: int) -> ComparedAction:
            return ComparedAction(self._actions.all[action], learner.explain(row, 0, action, lane), values)

        names = column_names(self.features_, getattr(self, "encoder", None), "feature")
        return explained(costs, event.action, side_of, names, self._paid_unit[1], most)

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        if self._compiled is None:
            return super()._play(rows, table, begin, end)
        draws = self._draws
        return self._play_compiled(self._compiled, draws.counted, draws.count, rows, table, begin, end)

    def _play_compiled(
        self,
        composition: _core.Composition,
        random: Stream,
        first_draw: int,
        rows: Rows,
        table: CostTable,
        begin: int,
        end: int,
    ) -> Trace:
        out = RoundArrays(end - begin)
        composition.play(random, rows, Costs(table), begin, end, first_draw, self.learned_, *out.arrays())
        return out.trace(self.lambdas_)

    def _frozen(self) -> Self:
        twin = super()._frozen()
        twin._judged = dict(self._judged)
        return twin

    def _state(self) -> State:
        judged = np.zeros((len(self._layout.sources), self.n_actions), dtype=np.bool_)
        for number, source in enumerate(self._layout.sources):
            judged[number] = self._judged.get(source, False)
        return super()._state() | {"judged": judged}

    def _restore(self, state: State) -> None:
        sources = names_of_array(state["sources"])
        if state["judged"].shape != (len(sources), self.n_actions):
            expected = f"expected {(len(sources), self.n_actions)}"
            raise ValueError(f"judged has the shape {state['judged'].shape}; {expected}")
        self._judged = dict(zip(sources, np.array(state["judged"], dtype=np.bool_), strict=True))
        super()._restore(state)


class _NumberedOffer:
    """A context, and the actions that are allowed in it."""

    def __init__(self, row: Rows, allowed: Allowed, n_actions: int) -> None:
        self.row, self.allowed, self.n_actions = row, allowed, n_actions

    @property
    def n_allowed(self) -> int:
        return self.n_actions if self.allowed is None else int(self.allowed.sum())

    def scores(self, learner: Any, n_lanes: int) -> Floats:
        scores = checked_scores(learner, self.row, 0, (self.n_actions, n_lanes))
        if self.allowed is not None:
            scores[self.allowed == 0] = np.inf
        return scores

    def update(self, learner: Any, outcome: Outcome, weights: Doubles) -> None:
        learner.update(self.row, 0, outcome, weights)


class ArrowCB(LaneBandit):
    """ARRoW-CB: a contextual bandit that selects the weight of labels against bandit feedback while it runs.

    Each λ in Λ has its own online linear regressor of the costs. A label weighs 1−λ there, a round λ/p, where p is the
    probability of the action that was played. The λ with the lowest estimated cost so far is in charge, and plays
    ε-greedily. Without labels the largest λ is in charge.

    If costs arrive late, `learn` scores each λ with its current predictions, which are usually better than those at the
    time of the decision. `WarmBandit` needs no tuning, and usually costs less.

    Args:
        n_actions: the number of actions, K; at least 2.
        actions: the names of the actions, instead of `n_actions` or in addition to it.
        epsilon: the share of uniform exploration, ε.
        lambdas: Λ: the number of values, or the values themselves. 8 stands for the values of the paper,
            {0, ζ/8, ζ/4, ζ/2, ζ, ½+ζ/2, ¾+ζ/4, 1} with ζ = ε/(K+ε), and 2 for {0, 1}. Other values must lie in [0, 1].
        learning_rate: the step size of the online learner. Try values from 0.1 to 3 on your own data with `simulate`.
        horizon: the number of rounds to come, n_b, if it is known. It scales the weights (1−λ)·c and λ·c/p so that
            their average over n_s labels and n_b rounds is 1, as in Vowpal Wabbit. By default c = 1/(1−λ+Kλ), which
            depends on neither number.
        encoder: an `Encoder` or a fitted scikit-learn transformer. Contexts may then be dictionaries, JSON or data
            frames.
        seed: the seed of all random draws.

    Attributes:
        n_features_: the number of features of a context; None before any data.
        features_: the column names of the first table with names; None if there was none.
        learned_: the number of rounds learned so far.
        lambdas_: Λ in ascending order.
        lambda_: the λ in charge.
        scores_: the estimated average cost of each λ; the lowest is in charge.
        rounds_: the number of rounds that `scores_` are computed from.
        memory_: the number of rounds that the model rests on, which is `learned_`.

    References:
        Zhang, Agarwal, Daumé III, Langford, Negahban: *Warm-starting Contextual Bandits*, ICML 2019, Algorithm 1.
        https://arxiv.org/abs/1901.00301

    Examples:
        >>> from warmcb import ArrowCB
        >>> bandit = ArrowCB(n_actions=2, epsilon=0.1, seed=1).warm_start([[1.0], [-1.0]], [0, 1])
        >>> decision = bandit.decide([1.0])
        >>> bandit.learn([1.0], decision, cost=0.0)
        >>> bandit.lambda_
        0.0

    """

    def __init__(
        self,
        n_actions: int | None = None,
        *,
        actions: Sequence[str] | None = None,
        epsilon: float = 0.0125,
        lambdas: int | Sequence[float] = 8,
        learning_rate: float = 0.5,
        horizon: int | None = None,
        encoder: Any = None,
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
        self.encoder = None if encoder is None else as_encoder(encoder)
        self.epsilon = _inputs.fraction("epsilon", epsilon)
        self.learning_rate = _inputs.learning_rate(learning_rate)
        self.horizon = _inputs.horizon(horizon)
        self.lambdas_ = _inputs.lambdas(lambdas, {8: eight_lambdas(self.n_actions, self.epsilon)})
        self.lambdas = _inputs.plain_lambdas(lambdas)

    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        learner = OnlineLinear(self.learning_rate).start(n_features, self.n_actions, n_lanes)
        return learner, ProgressiveValidation().start(n_lanes), EpsilonGreedy().start()

    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self.horizon is None:
            total, length = (1 - lambdas) + self.n_actions * lambdas, 1
        else:
            total = (1 - lambdas) * self._warm_examples + self.n_actions * lambdas * self.horizon
            length = self._warm_examples + self.horizon
        total = np.maximum(total, 1e-300)
        return np.minimum((1 - lambdas) / total, 1e20) * length, lambdas / total * length

    def _warm_start(self, rows: Rows, table: CostTable, source: str = LABELS) -> None:
        if self.horizon is not None and (self._warm_examples or self._unit.seen):
            seen = f"{self._warm_examples} examples and {self._unit.seen} rounds"
            raise OrderError(
                f"warm_start came after {seen}; expected one call before the first round, as there is a horizon"
            )
        super()._warm_start(rows, table, source)


def eight_lambdas(n_actions: int, epsilon: float) -> list[float]:
    """Λ of the paper's experiments."""
    zeta = epsilon / (n_actions + epsilon)
    return [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
