"""ARRoW-CB, Algorithm 1 of Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting Contextual Bandits, ICML 2019.

The line numbers below are the paper's. As in its experiments (section 5, appendix A), the policy π^λ is the greedy one
of a linear regressor taught online, and line 3 plays the newest policy instead of the average of all.

`LaneBandit` is the order of a round, over any learner with a lane for each λ, any selector of the lane in charge and
any explorer. `ArrowCB` gives it the paper's parts. Where all parts are compiled, so is the round: src/core/rounds.
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
from warmcb.bandits._actions import Actions, Allowed, Events, Mask
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

_TRIAL_LENGTH, _TRIAL_SHARE = 100, 0.25  # of a new action: rounds to be learned, and the share of rounds it gets
_DOUBT_ROUNDS = 17.5  # divided by ε: so long until an action that was not played gets the benefit of the doubt again


class LaneBandit(Lanes, Bandit):
    """The order of a round. Subclasses say of which parts, and what an example of either source weighs."""

    optimism: float = 0.0
    """How much better than it looks an action may be that nobody plays, in units of the range of costs."""

    def __init__(self, n_actions: int | None, actions: Sequence[str] | None, seed: int) -> None:
        Bandit.__init__(self, n_actions, actions, seed)
        self._start_lanes()
        self._judged: dict[str, NDArray[np.bool_]] = {}
        """For each source of which actions its labels tell."""

    # What a composition fills in

    @abstractmethod
    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        """The learner, the selector and the explorer, which have learned nothing."""

    @abstractmethod
    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each of these λ the weight of a supervised example, and of a round."""

    # A round; bandits/_lanes.py has what is common to all lanes

    def _warm_start(self, rows: Rows, table: CostTable, source: str = LABELS) -> None:
        self._listen_to(source)
        if table.ndim == 2:
            table = self._in_unit_costs(np.asarray(table, dtype=np.float64), source)
        self._teach(rows, table, source)

    def _teach(self, rows: Rows, table: CostTable, source: str) -> None:
        """Learn unit costs that a known source tells."""
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
                raise UnsupportedError(f"{type(self).__name__} cannot take in new actions: it learns from labels alone")
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
                raise UnsupportedError(f"{self._learner.description} cannot take in new actions") from None
            self._trial.add_action(self.learned_)
            self._optimism.add_action()
            self._judged = {source: np.append(judged, False) for source, judged in self._judged.items()}
            vars(self).update(n_actions=self.n_actions + 1, actions=names)
            self._actions = Actions(self.n_actions, names, self._actions.at_first)
            self._set_weights()

    # What else a bandit is

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
        """In rounds; longer where actions are many: trying them again shall cost at most ε/11 of the range a round."""
        of_three = max(1.0, (self._actions.at_first - 1) / 3)
        return of_three * _DOUBT_ROUNDS / self.epsilon if self.epsilon > 0 else math.inf

    def _count_examples(self, table: CostTable, source: str) -> None:
        """Who may play, and what examples weigh, depend on what was supervised."""
        self._warm_examples += len(table)
        judged = np.ones(self.n_actions, dtype=np.bool_) if table.ndim == 1 else ~np.isnan(table).all(axis=0)
        self._judged[source] = judged | self._judged.get(source, np.zeros_like(judged))
        self._admit()

    def _set_weights(self) -> None:
        self._supervised_weights, self._bandit_weights = self._weigh(self.lambdas_)
        # Of an action that no label tells a lane of, rounds are all there is to learn from, whatever λ.
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

    def _learn_many(self, rows: Rows, events: Events) -> None:
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
    """A context, and which of the K actions are allowed in it."""

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
    """Contextual bandit that weighs bandit against supervised examples by a λ it selects online.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        epsilon: share of uniform exploration.
        lambdas: Λ. 8: the paper's {0, ζ/8, ζ/4, ζ/2, ζ, ½+ζ/2, ¾+ζ/4, 1}, ζ = ε/(K+ε); 2: {0, 1}; or any in [0, 1].
        learning_rate: of the online learner; try 0.1 to 3 by `simulate` on data of your own.
        horizon: the number of rounds to come, if known. An example of the warm start weighs (1−λ)·c, one of the
            interaction λ·c/p, and c makes the average weight 1, as in Vowpal Wabbit; that takes n_s and n_b. Without
            a horizon c = 1/(1−λ+Kλ), which needs neither: λ = 0 and λ = 1 are then the plain learners of one source.
        encoder: an `Encoder`, or a fitted transformer of scikit-learn: contexts are then dictionaries, JSON or frames.
        seed: of the exploration.

    `learn` scores λ with the predictions of the moment it is called, not of the moment of the decision: a bandit whose
    costs arrive late is scored by newer, usually better policies than the ones that were played. Without any example
    of a warm start the largest λ is in charge: a plain bandit.

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
                f"warm_start came after {seen}; with a horizon it is expected once, before the first round"
            )
        super()._warm_start(rows, table, source)


def eight_lambdas(n_actions: int, epsilon: float) -> list[float]:
    zeta = epsilon / (n_actions + epsilon)
    return [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
