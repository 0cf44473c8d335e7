"""What the parts of a bandit promise each other: a learner, a selector, an explorer.

A bandit is given its parts. `start` makes of a part that somebody has configured one that runs: it has room for what
is now known of the data, and has learned nothing. The parts of this package run in the compiled core
(src/core/contracts.hpp says the same in C++). A part of your own is a class that inherits from one of the three below;
its constructor stores its parameters under their own names, so that it can be shown, cloned and saved.

    >>> import numpy as np
    >>> from warmcb import WarmBandit, contracts
    >>> class Uniform(contracts.Explorer):
    ...     '''Explores as much as it can.'''
    ...     def distribution(self, opinions):
    ...         return opinions.allowed / opinions.allowed.sum()
    ...     def largest_weight(self, allowed, epsilon, round, of_eligible):
    ...         return allowed
    >>> WarmBandit(n_actions=4, explorer=Uniform()).decide([1.0], actions=[0, 3]).probabilities
    array([0.5, 0. , 0. , 0.5])

Scores and costs: lower is better. They are in unit costs, from about 0 to 1, whatever a bandit's caller pays in: its
lowest costs are 0 and its highest 1. `K` is the number of actions, `L` the number of lanes, which is that of λ.
"""

import copy
import inspect
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from warmcb._core import Costs, Rows
from warmcb._states import State

__all__ = [
    "Explorer",
    "Learner",
    "Opinions",
    "Outcome",
    "Part",
    "Selector",
    "StartsExplorer",
    "StartsLearner",
    "StartsSelector",
    "parameters",
]

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]


class Opinions(NamedTuple):
    """What the lanes say of the actions of a round, and whom to listen to.

    Attributes:
        scores: K × L, what each lane expects of each action; +∞ for actions that are not allowed. K may differ from
            round to round.
        greedy: for each lane the lowest-scored of the allowed actions.
        eligible: for each lane 1 if its actions are worth exploring, else 0.
        in_charge: the lane that plays.
        epsilon: the bandit's share of exploration.
        round: how many rounds have been learned; fewer, if the learner has forgotten some.

    """

    scores: Floats
    greedy: NDArray[np.int32]
    eligible: NDArray[np.uint8]
    in_charge: int
    epsilon: float
    round: int

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """For each action whether it may be played."""
        return np.asarray(self.scores[:, self.in_charge] < np.inf)


class Outcome(NamedTuple):
    """What became of a round.

    Attributes:
        scores: K × L, what each lane predicts now; +∞ for actions that were not allowed.
        greedy: for each lane the lowest-scored of the actions that were allowed.
        action: the action that was played.
        cost: what it cost.
        probability: with which probability it was played.
        largest_weight: no 1/p of an action that an eligible lane wanted was larger.
        largest_weight_ever: no 1/p of any action was larger.
        age: how many rounds have been learned since the decision.
        bounded: whether costs surely lie between 0 and 1.

    """

    scores: Floats
    greedy: NDArray[np.int32]
    action: int
    cost: float
    probability: float
    largest_weight: float
    largest_weight_ever: float
    age: int = 0
    bounded: bool = True


class Part(ABC):  # noqa: B024 - each kind of part has abstract methods
    """What learners, selectors and explorers have in common.

    A part without `start` is copied; a part that keeps nothing needs neither `state` nor `restore`.
    """

    def state(self) -> State:
        """Everything that it has learned, as arrays by name; `save` writes them, so their numbers must be finite."""
        return {}

    def restore(self, state: State) -> None:  # noqa: B027 - most parts keep nothing
        """The reverse, into a part that has just been started.

        Args:
            state: what `state` gave. It may come from a file: arrays may have any type and shape.

        """

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in parameters(self).items())
        return f"{type(self).__name__}({arguments})"

    def snapshot(self) -> Self:
        """A copy that will never learn again; it may be asked by several threads at once."""
        return copy.deepcopy(self)


class Learner(Part):
    """Regressors of the cost, one for each action and lane."""

    weighs_by_propensity: bool = False
    """Whether 1/p shall be a factor of a round's weight."""

    @property
    def description(self) -> str:
        """What it is, in a few words."""
        return type(self).__name__

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> "Learner":
        """A learner with these parameters that has learned nothing.

        Args:
            n_features: the width of a context.
            n_actions: K.
            n_lanes: L.

        """
        return copy.deepcopy(self)

    @abstractmethod
    def predict(self, rows: Rows, i: int) -> Floats:
        """The scores of the actions in one context: K × L.

        Args:
            rows: contexts; `rows.dense()` is a NumPy matrix of them.
            i: the row that is meant.

        """

    def predict_costs(self, rows: Rows, lane: int) -> Doubles:
        """What one lane scores every action in every row: rows by actions.

        Args:
            rows: contexts.
            lane: the number of the lane.

        """
        return np.array([self.predict(rows, i)[:, lane] for i in range(len(rows))], dtype=np.float64)

    @abstractmethod
    def update(self, rows: Rows, i: int, outcome: Outcome, weights: Doubles) -> None:
        """Learn what became of a round.

        Args:
            rows: contexts.
            i: the row of the round.
            outcome: what was played, and what it cost.
            weights: a number for each lane. If `weighs_by_propensity` is true, it is still to be divided by
                `outcome.probability`.

        """

    @abstractmethod
    def teach(self, rows: Rows, costs: Costs, weights: Doubles) -> None:
        """Learn from labelled examples.

        Args:
            rows: contexts, one for each example.
            costs: `costs.matrix(K)` has one line for each example, NaN where nobody knows.
            weights: what an example weighs: a number for each lane.

        """

    def add_action(self) -> None:
        """Make room for one action more, of which nothing is known. By default that is not supported."""
        raise NotImplementedError

    def with_lanes(self, origins: list[int]) -> "Learner":
        """The same with other lanes, for a second source of labels. By default that is not supported.

        Args:
            origins: for each lane the number of the one that it goes on from; −1: it has learned nothing.

        """
        raise NotImplementedError

    def rescale(self, a: float, b: float) -> None:
        """The unit of costs has changed, which happens in the first rounds, and rarely later.

        Args:
            a: what was `cost` is a·cost + b from now on.
            b: as above.

        """

    @property
    def changes(self) -> int:
        """How often it has noticed that the world has changed; selectors then forget."""
        return 0

    def memory(self, lane: int) -> float:
        """How many rounds a lane's predictions rest on; infinity, the default: all of them.

        Args:
            lane: the number of the lane.

        """
        return float("inf")


class Selector(Part):
    """Says which lane is in charge.

    Attributes:
        rounds: how many rounds are behind `scores`. Every selector has to set it.

    """

    rounds: int

    @property
    @abstractmethod
    def best(self) -> int:
        """The lane in charge."""

    @property
    @abstractmethod
    def eligible(self) -> NDArray[np.uint8]:
        """For each lane 1 if its actions are worth exploring, else 0."""

    @property
    @abstractmethod
    def scores(self) -> Doubles:
        """For each lane what it is thought to cost."""

    @property
    def intervals(self) -> Doubles:
        """L × 2: how much more each lane has cost than the last one, from … to; [−1, 1] says nothing."""
        return np.tile([-1.0, 1.0], (len(self.scores), 1))

    @property
    def dropped(self) -> NDArray[np.uint8]:
        """For each lane 1 if it is out, else 0."""
        return np.zeros(len(self.scores), dtype=np.uint8)

    def start(self, n_lanes: int) -> "Selector":
        """A selector with these parameters that has seen nothing.

        Args:
            n_lanes: L.

        """
        return copy.deepcopy(self)

    @abstractmethod
    def admit(self, first: int) -> None:
        """Say who takes part: at the first data, after each warm start, and before a state is restored.

        Args:
            first: the lanes from this one on take part. Those before it have learned nothing: as long as there are no
                labels, it is the last lane.

        """

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Score the lanes by what became of a round.

        Args:
            outcome: what was played, what it cost, and what the lanes predict of it.

        """

    def with_lanes(self, origins: list[int]) -> "Selector":
        """The same with other lanes, for a second source of labels. By default that is not supported.

        Args:
            origins: for each lane the number of the one that it goes on from; −1: it starts on equal terms with the
                best.

        """
        raise NotImplementedError

    def forget(self) -> None:
        """The world has changed: what was is no evidence of what will be."""


class Explorer(Part):
    """Makes of opinions the distribution that is played."""

    def start(self) -> "Explorer":
        """An explorer with these parameters that has seen nothing."""
        return copy.deepcopy(self)

    @abstractmethod
    def distribution(self, opinions: Opinions) -> Doubles:
        """The probability of each action: they sum to 1, and are 0 for those that are not allowed.

        Args:
            opinions: what the lanes say of the actions of a round.

        """

    @abstractmethod
    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        """The largest 1/p that `distribution` can give in a round. It bounds the evidence for each λ.

        Args:
            allowed: how many actions are allowed.
            epsilon: the bandit's share of exploration.
            round: how many rounds had been learned when it was decided.
            of_eligible: true: only actions that an eligible lane wants count; false: all allowed actions do.

        Returns:
            a bound, or `math.inf` if there is none.

        """


class StartsLearner(Protocol):
    """What a bandit takes as its learner."""

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> Any:
        """A learner that runs; arguments as in `Learner.start`."""


class StartsSelector(Protocol):
    """What a bandit takes as its selector."""

    def start(self, n_lanes: int) -> Any:
        """A selector that runs; arguments as in `Selector.start`."""


class StartsExplorer(Protocol):
    """What a bandit takes as its explorer."""

    def start(self) -> Any:
        """An explorer that runs."""


def parameters(part: object) -> dict[str, Any]:
    """The arguments of a part's constructor, by name.

    Args:
        part: a part that keeps its arguments under their own names.

    """
    return {name: getattr(part, name) for name in inspect.signature(type(part)).parameters}
