"""Lanes: what all bandits share that select λ online, with numbered or with described actions.

A lane is the regressor of one λ. An `Offer` is the context of a round with its allowed actions. `Lanes` has the parts,
the unit of costs, and the round itself for parts that are written in Python. The compiled round is in src/core/rounds.
"""

import copy
import threading
from abc import abstractmethod
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, _inputs
from warmcb._states import State, named, part
from warmcb.bandits._base import BaseBandit, names_as_array, names_of_array
from warmcb.bandits._parts import checked_distribution, checked_weight
from warmcb.bandits._sources import Layout
from warmcb.contracts import Doubles, Floats, Opinions, Outcome
from warmcb.errors import InputError, UnsupportedError


class Offer(Protocol):
    """The context of a round, and the actions that can be played in it."""

    @property
    def n_allowed(self) -> int:
        """The number of allowed actions."""

    def scores(self, learner: Any, n_lanes: int) -> Floats:
        """The prediction of each lane for each action, as a copy; +∞ for actions that are not allowed."""

    def update(self, learner: Any, outcome: Outcome, weights: Doubles) -> None:
        """Teach the outcome of the round; `weights` has a number for each lane."""


class Lanes(BaseBandit):
    """A learner with a lane for each λ, a selector of the lane in charge, and an explorer."""

    epsilon: float
    _trains = True
    """Whether the bandit learns from rounds."""
    # These meet the contracts of warmcb/contracts.py. They are compiled, or Python classes of the user.
    _learner: Any
    _selector: Any
    _explorer: Any
    _compiled: Any
    """The compiled round: a Composition, or the Snapshot of a policy; None if a part is written in Python."""
    _trial: _core.Trial
    _optimism: _core.Optimism
    _unit: _core.CostUnit
    _layout: Layout
    """What each lane learns from. It exists from the first data on."""
    _supervised_weights: Doubles
    _bandit_weights: Doubles

    def __init__(self, seed: int) -> None:
        BaseBandit.__init__(self, seed)
        self._start_lanes()

    def _start_lanes(self) -> None:
        self._warm_examples = 0
        self._label_units: dict[str, tuple[float, float]] = {}
        """The costs that become 0 and 1, for each source whose labels have their own unit."""

    @property
    def _counts_actions(self) -> bool:
        """Whether it counts how often each action was played. Described actions come and go, and are not counted."""
        return len(self._trial.doubts) > 0

    @abstractmethod
    def _set_weights(self) -> None:
        """Set the weight of a label and of a round in each lane."""

    # Sources of labels

    def _listen_to(self, *sources: str) -> None:
        """Give each new source its own lanes. Callers must call `_admit` afterwards."""
        larger = self._layout.with_sources(sources)
        if len(larger.lanes) > len(self._layout.lanes):
            of_learner, of_selector = self._layout.origins(larger)
            learner, selector = _with_lanes(self._learner, of_learner), _with_lanes(self._selector, of_selector)
            self._learner, self._selector = learner, selector
            self._compiled = self._compile()
        self._layout, self.lambdas_ = larger, larger.lambdas

    def _weights_of(self, source: str) -> Doubles:
        """The weight of a label of a source in each lane."""
        return np.where(self._layout.listen(source), self._supervised_weights, 0.0)

    # Algorithm 1, line by line, for parts that are written in Python

    def _distribution_of(self, offer: Offer) -> NDArray[np.float64]:
        scores = self._optimistic(offer.scores(self._learner, len(self.lambdas_)))
        greedy, selector = scores.argmin(axis=0).astype(np.int32), self._selector
        # A bandit that has forgotten explores like a young one.
        remembered = int(min(self._learner.memory(len(self.lambdas_) - 1), self.learned_))
        opinions = Opinions(scores, greedy, selector.eligible, selector.best, self.epsilon, remembered)
        probabilities = checked_distribution(self._explorer, opinions)  # line 3: the policy of λ_t, and exploration
        if self._counts_actions:
            share = self._optimism.share
            if share < 1:  # costs are late, so bonuses are left to a share of the decisions
                doubted = self._as_if(opinions, scores - self._optimism.bonuses[:, np.newaxis])
                probabilities = (1 - share) * probabilities + share * doubted
            left = self._trial.mix(opinions.allowed.astype(np.uint8), probabilities)
            if left > 0:  # the others share the rest, as if no action on trial were allowed
                alone = np.where(self._trial.tried[:, np.newaxis], np.float32(np.inf), scores)
                probabilities += left * self._as_if(opinions, alone)
        return probabilities  # line 4 draws from it

    def _as_if(self, opinions: Opinions, scores: Floats) -> NDArray[np.float64]:
        """What the explorer would do with other scores."""
        other = opinions._replace(scores=scores, greedy=scores.argmin(axis=0).astype(np.int32))
        return checked_distribution(self._explorer, other)

    def _learn_by_parts(
        self, offer: Offer, action: int, cost: float, probability: float, round_: int, weights: Doubles, drawn: bool
    ) -> None:
        change = self._unit.see(cost)
        if change is not None:
            self._learner.rescale(*change)
        scores = offer.scores(self._learner, len(self.lambdas_))
        greedy = self._optimistic(scores).argmin(axis=0).astype(np.int32)
        largest, largest_ever = (
            self._trial.widened(
                self._optimism.widened(
                    checked_weight(self._explorer, offer.n_allowed, self.epsilon, round_, of_eligible)
                ),
                round_,
            )
            for of_eligible in (True, False)
        )
        age, bounds, unit = max(self.learned_ - round_, 0), (largest, largest_ever), self._unit
        in_units = unit.unit(cost)
        outcome = Outcome(scores, greedy, action, in_units, probability, *bounds, age, unit.fixed, unit.varied)
        if drawn:
            self._selector.add(outcome)  # lines 5 and 7: the estimate of the cost, and the next λ
        if self._counts_actions:
            self._optimism.add(action)
            if drawn:
                self._optimism.wait(age)
            self._trial.count(action, self.learned_)
        if self._trains:
            changes = self._learner.changes
            offer.update(self._learner, outcome, weights)  # line 6: the sum over rounds
            if self._learner.changes != changes:
                self._selector.forget()

    def _optimistic(self, scores: Floats) -> Floats:
        """Scores with the bonuses of new and of rarely played actions (src/core/explorers)."""
        doubts = self._trial.doubts
        if self._optimism.share == 1:
            doubts = doubts + self._optimism.bonuses
        return scores - doubts[:, np.newaxis] if len(doubts) else scores

    # Units of cost

    def _in_unit_costs(self, costs: NDArray[np.float64], source: str) -> NDArray[np.float64]:
        """Scale the costs of labels to [0, 1]: by `cost_range` if it was given, else by the range of their source."""
        if self.cost_range == (0.0, 1.0) or np.isnan(costs).all():
            return costs
        if source not in self._label_units:
            self._label_units[source] = self.cost_range or _usual_range(costs)
        low, high = self._label_units[source]
        return np.asarray((np.clip(costs, low, high) - low) / (high - low))

    def _in_paid_costs(self, expected: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert unit costs to the unit of `learn`, or to that of the labels before any cost was learned."""
        low, width = self._paid_unit
        return low + expected * width

    @property
    def _paid_unit(self) -> tuple[float, float]:
        """The cost that corresponds to a unit cost of 0, and the width of a unit."""
        if self._unit.seen == 0:
            for source in self._layout.lanes[self._selector.best].sources:
                if source in self._label_units:
                    low, high = self._label_units[source]
                    return low, high - low
        return self._unit.low, self._unit.width

    # Public attributes

    @property
    def lambda_(self) -> float:
        """The λ in charge."""
        with self._lock:
            return float(self.lambdas_[self._selector.best if self.n_features_ is not None else -1])

    @property
    def memory_(self) -> float:
        """The number of rounds that the model effectively rests on; it falls when the bandit forgets."""
        with self._lock:
            if self.n_features_ is None:
                return 0.0
            return min(float(self._learner.memory(self._selector.best)), float(self.learned_))

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The score of each λ per round, as the selector computes it; the lowest is in charge."""
        with self._lock:
            return np.zeros(len(self.lambdas_)) if self.n_features_ is None else self._selector.scores

    @property
    def rounds_(self) -> int:
        """The number of rounds that `scores_` are computed from."""
        with self._lock:
            return self._selector.rounds if self.n_features_ is not None else 0

    # Explanations

    @property
    def _explainable(self) -> _core.Predictor:
        """The learner, if its scores are sums of terms; else an error."""
        if not isinstance(self._learner, _core.Predictor):
            raise UnsupportedError(
                f"{type(self._learner).__name__} has no terms to explain; expected a learner of warmcb"
            )
        return self._learner

    # Implementation of the base class

    def _compile(self) -> Any:
        parts = self._learner, self._selector, self._explorer
        kinds = _core.Predictor, _core.Selector, _core.Explorer
        if not all(map(isinstance, parts, kinds)):
            return None  # one of them is a Python class of the user
        if not isinstance(self._learner, _core.Learner):
            return _core.Snapshot(*parts, self._trial, self._optimism, self.epsilon)
        return _core.Composition(*parts, self._trial, self._optimism, self._unit, self.epsilon)

    def _admit(self) -> None:
        # Without labels, lanes with a smaller λ have learned too little to play.
        self._selector.admit(0 if self._warm_examples else len(self.lambdas_) - 1)
        self._set_weights()

    def _frozen(self) -> Self:
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin._learner, twin._selector = self._learner.snapshot(), self._selector.snapshot()
        twin._explorer, twin._trial = self._explorer.snapshot(), self._trial.snapshot()
        twin._optimism, twin._unit = self._optimism.snapshot(), self._unit.snapshot()
        twin._draws, twin._lock = copy.copy(self._draws), threading.RLock()
        twin._label_units = dict(self._label_units)
        twin._compiled = None if self._compiled is None else twin._compile()
        return twin

    @property
    def _small_parts(self) -> dict[str, Any]:
        return {
            "selector": self._selector,
            "explorer": self._explorer,
            "trial": self._trial,
            "optimism": self._optimism,
            "unit": self._unit,
        }

    def _state(self) -> State:
        counts = {
            "warm_examples": np.array(self._warm_examples),
            "lambdas": self._layout.base,
            "sources": names_as_array(self._layout.sources),
            # (0, 0) stands for no unit.
            "label_units": np.array([self._label_units.get(one, (0.0, 0.0)) for one in self._layout.sources]),
        }
        parts = {"learner": self._learner} | self._small_parts
        return counts | {key: array for name, one in parts.items() for key, array in named(name, one.state()).items()}

    def _restore(self, state: State) -> None:
        if state["lambdas"].shape != (len(self.lambdas_),):
            raise ValueError(f"lambdas has the shape {state['lambdas'].shape}; expected {(len(self.lambdas_),)}")
        # The paper's Λ depends on the number of actions at the start, so it is saved.
        self._layout = Layout(_inputs.saved_lambdas(state["lambdas"]))
        self._listen_to(*names_of_array(state["sources"]))
        self._warm_examples = _inputs.integer("warm_examples", int(state["warm_examples"]), 0)
        self._admit()
        units = np.asarray(state["label_units"], dtype=np.float64).reshape(-1, 2).tolist()
        for source, unit in zip(self._layout.sources, units, strict=True):
            if any(unit):
                self._label_units[source] = _inputs.cost_range(tuple(unit))  # type: ignore[assignment]
        for name, small in self._small_parts.items():
            small.restore(part(name, state))
        learner = part("learner", state)
        if "frozen" in learner:  # the state of a policy
            frozen = _core.thaw(learner)
            found, expected = ((one.inputs, one.actions, one.lanes) for one in (frozen, self._learner))
            if found != expected:
                raise ValueError(f"the model has the shape {found}; expected {expected}")
            self._learner = frozen
            self._compiled = self._compile()
        else:
            self._learner.restore(learner)


def _with_lanes(part: Any, origins: list[int]) -> Any:
    """A learner or a selector with lanes for more sources."""
    try:
        if hasattr(part, "with_lanes"):
            return part.with_lanes(origins)
    except MemoryError:
        raise InputError(f"the model has {len(origins)} lanes; expected one that fits into memory") from None
    except NotImplementedError:
        pass
    what = f"{type(part).__name__} cannot learn from a second source"
    raise UnsupportedError(f"{what}; expected a part with the method with_lanes, or one source")


def _usual_range(costs: NDArray[np.float64]) -> tuple[float, float]:
    """The lowest and the highest cost, without extreme outliers."""
    mean, reach = float(np.nanmean(costs)), 10 * float(np.nanstd(costs))
    low, high = max(float(np.nanmin(costs)), mean - reach), min(float(np.nanmax(costs)), mean + reach)
    return (low, high) if high - low > 1e-200 else (mean - 0.5, mean + 0.5)
