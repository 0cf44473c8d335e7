"""ARRoW-CB, Algorithm 1 of Zhang, Agarwal, Daumé III, Langford, Negahban: Warm-starting Contextual Bandits, ICML 2019.

The line numbers below are the paper's. As in its experiments (section 5, appendix A), the policy π^λ is the greedy one
of a linear regressor taught online, and line 3 plays the newest policy instead of the average of all.

`LaneBandit` is the order of a round, over any learner with a lane for each λ, any selector of the lane in charge and
any explorer. `ArrowCB` gives it the paper's parts. Where all parts are compiled, so is the round: src/core/rounds.hpp.
"""

import copy
import math
import threading
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _inputs
from warmcb._core import Costs, Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State, named, part
from warmcb.bandits._actions import Actions, Allowed, Events, Mask
from warmcb.bandits._base import Bandit
from warmcb.bandits._parts import check_parts, checked_distribution, checked_scores, checked_weight
from warmcb.bandits.decisions import Event, Rounds, Trace
from warmcb.contracts import Opinions, Outcome
from warmcb.errors import OrderError, UnsupportedError
from warmcb.explorers import EpsilonGreedy
from warmcb.learners.linear import OnlineLinear
from warmcb.selectors import ProgressiveValidation

_TRIAL_LENGTH, _TRIAL_SHARE = 100, 0.25  # of a new action: rounds to be learned, and the share of rounds it gets
_DOUBT_ROUNDS = 17.5  # divided by ε: so long until an action that was not played gets the benefit of the doubt again


class LaneBandit(Bandit):
    """The order of a round. Subclasses say of which parts, and what an example of either source weighs."""

    epsilon: float
    optimism: float = 0.0
    """How much better than it looks an action may be that nobody plays, in units of the range of costs."""
    _trains = True
    """Whether rounds teach anything."""
    # What meets a contract of warmcb/contracts.py: compiled, or somebody's Python class.
    _learner: Any
    _selector: Any
    _explorer: Any
    _compiled: Any
    """The compiled round: a Composition, or the Snapshot of a policy; None if a part is written in Python."""

    def __init__(self, n_actions: int | None, actions: Sequence[str] | None, seed: int) -> None:
        super().__init__(n_actions, actions, seed)
        self._warm_examples = 0
        self._judged = np.zeros(self.n_actions, dtype=np.bool_)
        self._label_unit: tuple[float, float] | None = None
        """What is 0 and what is 1 in the costs of labels, if those have a unit of their own."""

    # What a composition fills in

    @abstractmethod
    def _make_parts(self, n_features: int, n_lanes: int) -> tuple[Any, Any, Any]:
        """The learner, the selector and the explorer, which have learned nothing."""

    @abstractmethod
    def _weigh(self, lambdas: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each of these λ the weight of a supervised example, and of a round."""

    # Algorithm 1, line by line: what is played where a part is written in Python, and compiled in src/core/rounds.hpp

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        self._count_examples(table)
        table = self._in_unit_costs(table)
        self._learner.teach(rows, Costs(table), self._supervised_weights)  # line 6: the sum over supervised examples

    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        scores = self._optimistic(self._look(row, allowed))
        greedy, selector = scores.argmin(axis=0).astype(np.int32), self._selector
        # A bandit that has forgotten is as young as its memory of rounds: it has to explore again.
        remembered = int(min(self._learner.memory(len(self.lambdas_) - 1), self.learned_))
        opinions = Opinions(scores, greedy, selector.eligible, selector.best, self.epsilon, remembered)
        probabilities = checked_distribution(self._explorer, opinions)  # line 3: the policy of λ_t, and exploration
        self._trial.mix(opinions.allowed.astype(np.uint8), probabilities)
        return probabilities  # line 4 draws from it: Bandit._choose

    def _learn_by_parts(self, row: Rows, event: Event) -> None:
        change = self._unit.see(event.cost)
        if change is not None:
            self._learner.rescale(*change)
        scores = self._look(row, event.allowed)
        greedy = self._optimistic(scores).argmin(axis=0).astype(np.int32)
        n_allowed = self.n_actions if event.allowed is None else int(event.allowed.sum())
        largest, largest_ever = (
            self._trial.widened(
                checked_weight(self._explorer, n_allowed, self.epsilon, event.round, of_eligible), event.round
            )
            for of_eligible in (True, False)
        )
        age = max(self.learned_ - event.round, 0)
        cost = self._unit.unit(event.cost)
        bounds = largest, largest_ever
        outcome = Outcome(scores, greedy, event.action, cost, event.probability, *bounds, age, self._unit.fixed)
        self._optimism.add(event.action)
        self._selector.add(outcome)  # lines 5 and 7: the estimate of the cost, and the next λ
        self._trial.count(event.action, self.learned_)
        if self._trains:
            judged = not self._unjudged[event.action]
            weights = self._bandit_weights if judged else np.full(len(self.lambdas_), self._unjudged_weight)
            changes = self._learner.changes
            self._learner.update(row, 0, outcome, weights)  # line 6: the sum over rounds
            if self._learner.changes != changes:
                self._selector.forget()

    def _look(self, row: Rows, allowed: Allowed) -> NDArray[np.float32]:
        """What each lane predicts of each action."""
        scores = checked_scores(self._learner, row, 0, (self.n_actions, len(self.lambdas_)))
        if allowed is not None:
            scores[allowed == 0] = np.inf
        return scores

    # The same, compiled

    def _choose(self, row: Rows, allowed: Allowed, uniform: float) -> tuple[int, NDArray[np.float64]]:
        if self._compiled is None:
            return super()._choose(row, allowed, uniform)
        probabilities = np.empty(self.n_actions)
        return self._compiled.decide(row, allowed, self.learned_, uniform, probabilities), probabilities

    def _learn(self, row: Rows, event: Event) -> None:
        if self._compiled is None:
            self._learn_by_parts(row, event)
            return
        action, cost, probability, allowed, round_ = event
        self._compiled.learn(row, action, cost, probability, allowed, round_, self.learned_)

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
            self._judged = np.append(self._judged, False)
            vars(self).update(n_actions=self.n_actions + 1, actions=names)
            self._actions = Actions(self.n_actions, names, self._actions.at_first)
            self._set_weights()

    def _optimistic(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores that give actions the benefit of the doubt (src/core/trial.hpp, optimism.hpp)."""
        return scores - (self._trial.doubts + self._optimism.bonuses)[:, np.newaxis]

    # Units of cost

    def _in_unit_costs(self, table: CostTable) -> CostTable:
        """What labels say, from 0 to 1: in the unit of rounds if that was given, or else in their own."""
        if table.ndim == 1 or self.cost_range == (0.0, 1.0):
            return table
        costs = np.asarray(table, dtype=np.float64)
        if self._label_unit is None:
            self._label_unit = self.cost_range or _usual_range(costs)
        low, high = self._label_unit
        return np.asarray((np.clip(costs, low, high) - low) / (high - low))

    # What callers see

    @property
    def lambda_(self) -> float:
        """The λ in charge."""
        with self._lock:
            return float(self.lambdas_[self._selector.best if self.n_features_ is not None else -1])

    @property
    def memory_(self) -> float:
        """How many rounds the present model effectively rests on."""
        with self._lock:
            if self.n_features_ is None:
                return 0.0
            return min(float(self._learner.memory(self._selector.best)), float(self.learned_))

    @property
    def scores_(self) -> NDArray[np.float64]:
        """What the selector makes of each λ, per round; the lowest is in charge."""
        with self._lock:
            return np.zeros(len(self.lambdas_)) if self.n_features_ is None else self._selector.scores

    @property
    def rounds_(self) -> int:
        """The number of rounds behind `scores_`."""
        with self._lock:
            return self._selector.rounds if self.n_features_ is not None else 0

    # What else a bandit is

    def _build(self, n_features: int) -> None:
        parts = self._make_parts(n_features, len(self.lambdas_))
        self._learner, self._selector, self._explorer = parts
        check_parts(*parts, (n_features, self.n_actions, len(self.lambdas_)))
        self._trial = _core.Trial(self.n_actions, _TRIAL_LENGTH, _TRIAL_SHARE)
        self._optimism = _core.Optimism(self.n_actions, self.optimism, self._doubt_half_life())
        self._unit = _core.CostUnit(self.cost_range)
        self._compiled = self._compile()
        self._admit()

    def _doubt_half_life(self) -> float:
        """In rounds; longer where actions are many: trying them again shall cost at most ε/11 of the range a round."""
        of_three = max(1.0, (self._actions.at_first - 1) / 3)
        return of_three * _DOUBT_ROUNDS / self.epsilon if self.epsilon > 0 else math.inf

    def _compile(self) -> Any:
        parts = self._learner, self._selector, self._explorer
        kinds = _core.Predictor, _core.Selector, _core.Explorer
        if not all(map(isinstance, parts, kinds)):
            return None  # one of them is somebody's Python class
        if not isinstance(self._learner, _core.Learner):
            return _core.Snapshot(*parts, self._trial, self._optimism, self.epsilon)
        return _core.Composition(*parts, self._trial, self._optimism, self._unit, self.epsilon)

    def _count_examples(self, table: CostTable) -> None:
        """Who may play, and what examples weigh, depend on what was supervised."""
        self._warm_examples += len(table)
        self._judged |= True if table.ndim == 1 else ~np.isnan(table).all(axis=0)
        self._admit()

    def _admit(self) -> None:
        # Without labels nobody has taught the smaller λ anything: they may not play.
        self._selector.admit(0 if self._warm_examples else len(self.lambdas_) - 1)
        self._set_weights()

    def _set_weights(self) -> None:
        self._supervised_weights, self._bandit_weights = self._weigh(self.lambdas_)
        # Of an action that no label tells of, rounds are all there is to learn from, whatever λ.
        self._unjudged = ~self._judged if self._warm_examples else np.zeros(self.n_actions, dtype=np.bool_)
        self._unjudged_weight = float(self._weigh(np.ones(1))[1][0])
        if self._compiled is not None:
            weights = self._bandit_weights.tolist() if self._trains else None
            self._compiled.weigh(weights, self._unjudged.tolist(), self._unjudged_weight)

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
        if self._label_unit is not None and self.learned_ == 0:
            low, high = self._label_unit
            return low + expected * (high - low)
        return self._unit.low + expected * self._unit.width

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
        out = Rounds(end - begin)
        composition.play(random, rows, Costs(table), begin, end, first_draw, self.learned_, *out.arrays())
        return out.trace(self.lambdas_)

    def _frozen(self) -> Self:
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._learner, twin._selector = self._learner.snapshot(), self._selector.snapshot()
        twin._explorer, twin._trial = self._explorer.snapshot(), self._trial.snapshot()
        twin._optimism, twin._unit = self._optimism.snapshot(), self._unit.snapshot()
        twin._judged, twin._draws, twin._lock = self._judged.copy(), copy.copy(self._draws), threading.RLock()
        twin._compiled = None if self._compiled is None else twin._compile()
        return twin

    def _state(self) -> State:
        counts = {
            "warm_examples": np.array(self._warm_examples),
            "judged": self._judged,
            "lambdas": self.lambdas_,
            "label_unit": np.array(self._label_unit or ()),
        }
        parts = {"learner": self._learner} | self._small_parts
        return counts | {key: array for name, one in parts.items() for key, array in named(name, one.state()).items()}

    @property
    def _small_parts(self) -> dict[str, Any]:
        return {
            "selector": self._selector,
            "explorer": self._explorer,
            "trial": self._trial,
            "optimism": self._optimism,
            "unit": self._unit,
        }

    def _restore(self, state: State) -> None:
        for name, size in (("judged", self.n_actions), ("lambdas", len(self.lambdas_))):
            if state[name].shape != (size,):
                raise ValueError(f"{name} has the shape {state[name].shape}; expected {(size,)}")
        self._judged = np.array(state["judged"], dtype=np.bool_)
        # The paper's Λ depends on the number of actions that there were in the beginning.
        self.lambdas_ = _inputs.saved_lambdas(state["lambdas"])
        self._warm_examples = _inputs.integer("warm_examples", int(state["warm_examples"]), 0)
        self._admit()
        unit = tuple(np.asarray(state.get("label_unit", ()), dtype=np.float64).tolist())
        self._label_unit = _inputs.cost_range(unit or None)
        for name, small in self._small_parts.items():
            if found := part(name, state):  # files of older versions have fewer
                small.restore(found)
        learner = part("learner", state)
        if "frozen" in learner:  # the state of a policy
            self._learner = _core.thaw(learner)
            shape = (self._learner.inputs - 1, self._learner.actions, self._learner.lanes)
            if shape != (self.n_features_, self.n_actions, len(self.lambdas_)):
                raise ValueError(f"the model is of the shape {shape}, and not of this bandit")
            self._compiled = self._compile()
        else:
            self._learner.restore(learner)


def _usual_range(costs: NDArray[np.float64]) -> tuple[float, float]:
    """The lowest and the highest cost, wild ones left out."""
    mean, reach = float(np.nanmean(costs)), 10 * float(np.nanstd(costs))
    low, high = max(float(np.nanmin(costs)), mean - reach), min(float(np.nanmax(costs)), mean + reach)
    return (low, high) if high - low > 1e-200 else (mean - 0.5, mean + 0.5)


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
        seed: int = 0,
    ) -> None:
        super().__init__(n_actions, actions, seed)
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

    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        if self.horizon is not None and (self._warm_examples or self._selector.rounds):
            seen = f"{self._warm_examples} examples and {self._selector.rounds} rounds"
            raise OrderError(
                f"warm_start came after {seen}; with a horizon it is expected once, before the first round"
            )
        super()._warm_start(rows, table)


def eight_lambdas(n_actions: int, epsilon: float) -> list[float]:
    zeta = epsilon / (n_actions + epsilon)
    return [0, zeta / 8, zeta / 4, zeta / 2, zeta, 1 / 2 + zeta / 2, 3 / 4 + zeta / 4, 1]
