"""The contracts of the parts of a bandit: learners, selectors and explorers.

To write your own part, inherit from `Learner`, `Selector` or `Explorer`. Its constructor must store its parameters
under their own names: they are needed to show, clone and save it. At the first data, the bandit calls `start`, which
gives a part that runs: it is allocated for the size of the data, and has learned nothing.

`K` is the number of actions, and `L` the number of lanes. A lane is the regressor of one λ. Scores and costs are better
if they are lower. Parts see unit costs, from about 0 for the lowest to 1 for the highest cost, whatever unit the
caller of the bandit uses.

The parts of this package run in the compiled core; src/core/contracts.hpp has the same contracts in C++.
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
    """What an explorer gets: the predictions of all lanes for the actions of a round.

    Attributes:
        scores: the cost that each lane predicts for each action, of shape (K, L); +∞ for actions that are not allowed.
            K may differ from round to round.
        greedy: for each lane, the allowed action with the lowest score.
        eligible: for each lane, 1 if its actions are worth exploring, else 0.
        in_charge: the number of the lane in charge.
        epsilon: the share of exploration of the bandit, ε.
        round: the number of rounds learned so far, without those that the learner has forgotten.

    Examples:
        >>> import numpy as np
        >>> from warmcb.contracts import Opinions
        >>> scores = np.array([[0.1], [np.inf], [0.4]], dtype=np.float32)
        >>> opinions = Opinions(scores, np.array([0]), np.array([1]), in_charge=0, epsilon=0.1, round=20)
        >>> opinions.allowed
        array([ True, False,  True])

    """

    scores: Floats
    greedy: NDArray[np.int32]
    eligible: NDArray[np.uint8]
    in_charge: int
    epsilon: float
    round: int

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """For each action, whether it is allowed."""
        return np.asarray(self.scores[:, self.in_charge] < np.inf)


class Outcome(NamedTuple):
    """What a selector and a learner get: the outcome of a round.

    Attributes:
        scores: the cost that each lane predicts for each action, before this round is learned, of shape (K, L); +∞ for
            actions that were not allowed.
        greedy: for each lane, the allowed action with the lowest score.
        action: the number of the action that was played.
        cost: its cost, in unit costs.
        probability: the probability with which it was played, p.
        largest_weight: a bound of 1/p for the greedy actions of eligible lanes.
        largest_weight_ever: a bound of 1/p for all actions.
        age: the number of rounds learned since the decision; 0 if the cost arrived at once.
        bounded: whether costs always lie between 0 and 1, which is known if the bandit has a `cost_range`.
        varied: whether costs can be told apart: the bandit has a `cost_range`, or not all costs were equal so far.

    Examples:
        >>> import numpy as np
        >>> from warmcb.contracts import Outcome
        >>> scores = np.array([[0.1, 0.6], [0.5, 0.2]], dtype=np.float32)
        >>> outcome = Outcome(scores, np.array([0, 1]), 1, 0.0, 0.25, largest_weight=4.0, largest_weight_ever=8.0)
        >>> outcome.greedy == outcome.action  # the second lane would have played the same
        array([False,  True])

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
    varied: bool = True


class Part(ABC):  # noqa: B024 - each kind of part has abstract methods
    """The base class of learners, selectors and explorers.

    By default `start` copies the part. A part without a state needs neither `state` nor `restore`.

    Examples:
        >>> from warmcb.contracts import Explorer, Part
        >>> issubclass(Explorer, Part)
        True

    """

    def state(self) -> State:
        """Give everything that the part has learned, to be saved.

        Returns:
            arrays by name. Their numbers must be finite.

        """
        return {}

    def restore(self, state: State) -> None:  # noqa: B027 - most parts have no state
        """Undo `state`, in a part that has just been started.

        Args:
            state: the result of `state`. It may come from a damaged file: arrays may have any type and shape.

        """

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in parameters(self).items())
        return f"{type(self).__name__}({arguments})"

    def snapshot(self) -> Self:
        """Copy the part for a policy. The copy never learns, and several threads may use it at once.

        Returns:
            the copy.

        """
        return copy.deepcopy(self)


class Learner(Part):
    """The base class of your own learners: they predict the cost of each action in each lane.

    `predict`, `update` and `teach` must be implemented. The other methods have defaults.

    Attributes:
        weighs_by_propensity: whether the learner divides the weight of a round by p, its probability; false by default.

    Examples:
        A learner that ignores the context, and predicts the mean cost of each action:

        >>> import copy
        >>> import numpy as np
        >>> from warmcb import WarmBandit
        >>> from warmcb.contracts import Learner
        >>> class MeanCosts(Learner):
        ...     def start(self, n_features, n_actions, n_lanes):
        ...         started = copy.copy(self)
        ...         started.weights = np.ones((n_actions, n_lanes))
        ...         started.costs = 0.5 * started.weights
        ...         return started
        ...     def predict(self, rows, i):
        ...         return (self.costs / self.weights).astype(np.float32)
        ...     def update(self, rows, i, outcome, weights):
        ...         self.weights[outcome.action] += weights
        ...         self.costs[outcome.action] += weights * outcome.cost
        ...     def teach(self, rows, costs, weights):
        ...         given = costs.matrix(len(self.costs))
        ...         self.weights += np.outer((~np.isnan(given)).sum(axis=0), weights)
        ...         self.costs += np.outer(np.nansum(given, axis=0), weights)
        >>> bandit = WarmBandit(n_actions=2, learner=MeanCosts()).warm_start([[0.0]] * 9, [1] * 9)
        >>> bandit.predict_costs([[0.0]])
        array([[0.94999999, 0.05      ]])

    """

    weighs_by_propensity: bool = False

    @property
    def description(self) -> str:
        """The learner in a few words, for `WarmBandit.learner_`; by default the name of the class."""
        return type(self).__name__

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> "Learner":
        """Make a learner with the same parameters that has learned nothing. By default it is a copy.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            the learner that the bandit runs.

        """
        return copy.deepcopy(self)

    @abstractmethod
    def predict(self, rows: Rows, i: int) -> Floats:
        """Predict the costs of all actions in one context.

        Args:
            rows: contexts; `rows.dense()` gives them as a NumPy matrix.
            i: the row of the context.

        Returns:
            the scores, of shape (K, L).

        """

    def predict_costs(self, rows: Rows, lane: int) -> Doubles:
        """Predict the costs of all actions in many contexts, with one lane.

        Args:
            rows: contexts.
            lane: the number of the lane.

        Returns:
            the scores, of shape (n, K).

        """
        return np.array([self.predict(rows, i)[:, lane] for i in range(len(rows))], dtype=np.float64)

    @abstractmethod
    def update(self, rows: Rows, i: int, outcome: Outcome, weights: Doubles) -> None:
        """Learn the outcome of a round.

        Args:
            rows: contexts.
            i: the row of the round.
            outcome: the action that was played, and its cost.
            weights: the weight of the round in each lane. If `weighs_by_propensity` is true, the learner must divide it
                by `outcome.probability`.

        """

    @abstractmethod
    def teach(self, rows: Rows, costs: Costs, weights: Doubles) -> None:
        """Learn from labelled examples.

        Args:
            rows: contexts, one for each example.
            costs: the costs; `costs.matrix(K)` gives them as an array of shape (n, K), with NaN for unknown costs.
            weights: the weight of an example in each lane.

        """

    def add_action(self) -> None:
        """Add an action without any examples. By default that is not supported.

        Raises:
            NotImplementedError: the learner cannot add actions.

        """
        raise NotImplementedError

    def with_lanes(self, origins: list[int]) -> "Learner":
        """Make a learner with other lanes, for a second source of labels. By default that is not supported.

        Args:
            origins: for each new lane, the number of the lane that it continues; −1 if it starts from nothing.

        Returns:
            the learner with the new lanes.

        Raises:
            NotImplementedError: the learner cannot change its lanes.

        """
        raise NotImplementedError

    def rescale(self, a: float, b: float) -> None:
        """Adapt to a new unit of costs: the old cost c is a·c + b in the new unit. By default nothing happens.

        That happens in the first rounds and rarely later, and never with a `cost_range`.

        Args:
            a: the factor.
            b: the offset.

        """

    @property
    def changes(self) -> int:
        """The number of times that the learner noticed a change of the environment. The selector then forgets."""
        return 0

    def memory(self, lane: int) -> float:
        """Give the number of rounds that the predictions of a lane rest on.

        Args:
            lane: the number of the lane.

        Returns:
            the number; by default infinity, which stands for all rounds.

        """
        return float("inf")


class Selector(Part):
    """The base class of your own selectors: they choose the lane in charge.

    `rounds`, `best`, `eligible`, `scores`, `admit` and `add` must be implemented. The other methods have defaults.

    Attributes:
        rounds: the number of rounds that `scores` are computed from. Each selector must set it.

    Examples:
        A selector that puts the lane in charge that predicts the costs best:

        >>> import copy
        >>> import numpy as np
        >>> from warmcb import WarmBandit
        >>> from warmcb.contracts import Selector
        >>> class SquaredErrors(Selector):
        ...     def start(self, n_lanes):
        ...         started = copy.copy(self)
        ...         started.rounds, started.first, started.errors = 0, 0, np.zeros(n_lanes)
        ...         return started
        ...     @property
        ...     def best(self):
        ...         return self.first + int(self.errors[self.first :].argmin())
        ...     @property
        ...     def eligible(self):
        ...         return (np.arange(len(self.errors)) >= self.first).astype(np.uint8)
        ...     @property
        ...     def scores(self):
        ...         return self.errors / max(self.rounds, 1)
        ...     def admit(self, first):
        ...         self.first = first
        ...     def add(self, outcome):
        ...         self.rounds += 1
        ...         self.errors += (outcome.scores[outcome.action] - outcome.cost) ** 2
        >>> bandit = WarmBandit(n_actions=2, selector=SquaredErrors())
        >>> for x in [[1.0], [-1.0]] * 5:
        ...     bandit.learn(x, bandit.decide(x), cost=0.0)
        >>> bandit.rounds_
        10

    """

    rounds: int

    @property
    @abstractmethod
    def best(self) -> int:
        """The number of the lane in charge."""

    @property
    @abstractmethod
    def eligible(self) -> NDArray[np.uint8]:
        """For each lane, 1 if its actions are worth exploring, else 0."""

    @property
    @abstractmethod
    def scores(self) -> Doubles:
        """The estimated cost of each lane."""

    @property
    def intervals(self) -> Doubles:
        """For each lane, an interval for its cost minus that of the last lane, of shape (L, 2).

        The default, [−1, 1] for each lane, means that nothing is known.
        """
        return np.tile([-1.0, 1.0], (len(self.scores), 1))

    @property
    def dropped(self) -> NDArray[np.uint8]:
        """For each lane, 1 if it is excluded, else 0."""
        return np.zeros(len(self.scores), dtype=np.uint8)

    def start(self, n_lanes: int) -> "Selector":
        """Make a selector with the same parameters that has seen no rounds. By default it is a copy.

        Args:
            n_lanes: the number of lanes, L.

        Returns:
            the selector that the bandit runs.

        """
        return copy.deepcopy(self)

    @abstractmethod
    def admit(self, first: int) -> None:
        """Set the lanes that take part.

        The bandit calls it at the first data, after each warm start, and before a state is restored.

        Args:
            first: the number of the first lane that takes part; all later lanes do as well. Without labels it is the
                last lane, because the others have learned too little.

        """

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Score the lanes by the outcome of a round.

        Args:
            outcome: the action that was played, its cost, and the predictions of the lanes.

        """

    def with_lanes(self, origins: list[int]) -> "Selector":
        """Make a selector with other lanes, for a second source of labels. By default that is not supported.

        Args:
            origins: for each new lane, the number of the lane that it continues; −1 if it starts with the score of the
                best lane.

        Returns:
            the selector with the new lanes.

        Raises:
            NotImplementedError: the selector cannot change its lanes.

        """
        raise NotImplementedError

    def forget(self) -> None:
        """Forget old rounds, because the learner noticed a change of the environment. By default nothing happens."""


class Explorer(Part):
    """The base class of your own explorers: they turn scores into the probabilities to play actions with.

    `distribution` and `largest_weight` must be implemented.

    Examples:
        >>> from warmcb import WarmBandit
        >>> from warmcb.contracts import Explorer
        >>> class Uniform(Explorer):
        ...     def distribution(self, opinions):
        ...         return opinions.allowed / opinions.allowed.sum()
        ...     def largest_weight(self, allowed, epsilon, round, of_eligible):
        ...         return allowed
        >>> WarmBandit(n_actions=4, explorer=Uniform()).decide([1.0], actions=[0, 3]).probabilities
        array([0.5, 0. , 0. , 0.5])

    """

    def start(self) -> "Explorer":
        """Make an explorer with the same parameters that has seen no rounds. By default it is a copy.

        Returns:
            the explorer that the bandit runs.

        """
        return copy.deepcopy(self)

    @abstractmethod
    def distribution(self, opinions: Opinions) -> Doubles:
        """Compute the probabilities to play the actions with.

        Args:
            opinions: the predictions of the lanes for the actions of a round.

        Returns:
            K probabilities that sum to 1, and are 0 for actions that are not allowed.

        """

    @abstractmethod
    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        """Give a bound of 1/p for the probabilities that `distribution` gives in a round.

        Selectors use it to bound the evidence for each λ. If it is too small, the intervals of the bandit are wrong.

        Args:
            allowed: the number of allowed actions.
            epsilon: the share of exploration of the bandit, ε.
            round: the number of rounds that had been learned at the decision.
            of_eligible: whether the bound is for the greedy actions of eligible lanes only, or for all allowed actions.

        Returns:
            the bound, or `math.inf` if there is none.

        """


class StartsLearner(Protocol):
    """What a bandit accepts as its learner: any object with this method."""

    def start(self, n_features: int, n_actions: int, n_lanes: int) -> Any:
        """Make a learner that has learned nothing.

        Args:
            n_features: the number of features of a context.
            n_actions: the number of actions, K.
            n_lanes: the number of lanes, L.

        Returns:
            an object with the methods of `Learner`.

        """


class StartsSelector(Protocol):
    """What a bandit accepts as its selector: any object with this method."""

    def start(self, n_lanes: int) -> Any:
        """Make a selector that has seen no rounds.

        Args:
            n_lanes: the number of lanes, L.

        Returns:
            an object with the methods of `Selector`.

        """


class StartsExplorer(Protocol):
    """What a bandit accepts as its explorer: any object with this method."""

    def start(self) -> Any:
        """Make an explorer that has seen no rounds.

        Returns:
            an object with the methods of `Explorer`.

        """


def parameters(part: object) -> dict[str, Any]:
    """Get the arguments of the constructor of a part.

    Args:
        part: a part that stores its arguments under their own names.

    Returns:
        the values, by name.

    Examples:
        >>> from warmcb.contracts import parameters
        >>> from warmcb.explorers import InverseGap
        >>> parameters(InverseGap(sharpness=3.0))
        {'sharpness': 3.0, 'floor': 0.02, 'patience': 100.0}

    """
    return {name: getattr(part, name) for name in inspect.signature(type(part)).parameters}
