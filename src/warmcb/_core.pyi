"""The compiled core: the parts of a bandit, and rounds made of them."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

def instruction_sets() -> list[str]:
    """The instruction sets that this machine can run, the fastest first."""

class Stream:
    """Random numbers that are a function of (seed, stream, round): Philox4x64-10."""

    def __init__(self, seed: int, stream: int, part: int = 0) -> None: ...
    def uniform(self, round: int) -> float:
        """A number in [0, 1)."""

    def uniforms(self, first: int, count: int) -> NDArray[np.float64]:
        """The numbers of as many rounds from `first` on."""

    def uniforms_of(self, rounds: NDArray[np.uint64]) -> NDArray[np.float64]:
        """The number of each of these rounds."""

def draw(probabilities: NDArray[np.float64], uniform: float) -> int:
    """The action that a number in [0, 1) draws."""

class Rows:
    """Contexts, one in each row: dense float32, or CSR."""

    @overload
    def __init__(self, values: NDArray[np.float32]) -> None: ...
    @overload
    def __init__(
        self, values: NDArray[np.float32], indices: NDArray[np.int32], starts: NDArray[np.int64], features: int
    ) -> None: ...
    @staticmethod
    def of_vector(x: object, features: int) -> Rows | None:
        """A copy of one finite context; None for anything but a contiguous vector of so many floats."""

    def __len__(self) -> int: ...
    @property
    def features(self) -> int:
        """The number of columns."""

    def first_bad(self) -> tuple[int, int, float] | None:
        """Row, column and value of the first number that is not finite."""

    def dense(self) -> NDArray[np.float32]:
        """All rows as a NumPy matrix."""

    def row(self, i: int) -> Rows:
        """Row i alone."""

    def take(self, order: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        """The rows of these numbers, in this order, as CSR arrays."""

def finite_floats(X: object, features: int) -> NDArray[np.float32] | None:
    """A copy of a finite matrix; None for anything but a contiguous one of floats with so many columns."""

def sorted_csr(
    values: object, indices: object, starts: object, columns: int
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]] | None:
    """Copies of the arrays of a CSR matrix of floats that is sorted and finite; None for any other."""

class Costs:
    """The cost of every action in every row: labels, or a matrix with NaN where nobody knows."""

    @overload
    def __init__(self, labels: NDArray[np.int32]) -> None: ...
    @overload
    def __init__(self, matrix: NDArray[np.float64]) -> None: ...
    def __len__(self) -> int: ...
    def matrix(self, actions: int) -> NDArray[np.float64]:
        """The costs as a NumPy matrix, rows by actions."""

class Pairing:
    """How a context and a described action become what a learner sees."""

    def __init__(self, kind: str, contexts: int, actions: int, products: int, identities: int) -> None: ...
    @property
    def features(self) -> int:
        """The width of a learner's rows."""

    @property
    def regressors(self) -> int:
        """How many actions a learner tells apart."""

    def product(self, of_context: int, of_action: int) -> int:
        """The column of a product of features, of crossed pairs."""

def identities_of(ids: tuple[Any, ...]) -> NDArray[np.uint64]:
    """Ids, strings or integers, as numbers."""

class Offers:
    """Rounds with described actions."""

    def __init__(
        self,
        contexts: Rows | None,
        actions: Rows,
        starts: NDArray[np.int64] | None = None,
        identities: NDArray[np.uint64] | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def total(self) -> int:
        """How many actions there are in all rounds."""

    def count(self, i: int) -> int:
        """How many actions there are in round i."""

    def pairs(self, pairing: Pairing, i: int) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
        """The rows of the actions of round i, as CSR arrays."""

class Predictor:
    """Scores every action in every lane."""

    @property
    def inputs(self) -> int:
        """The number of features, and one for the intercept."""

    @property
    def actions(self) -> int:
        """K."""

    @property
    def lanes(self) -> int:
        """The number of lanes, which is that of λ."""

    def memory(self, lane: int) -> float:
        """How many rounds a lane's predictions rest on; infinity: all of them."""

    def predict(self, rows: Rows, i: int) -> NDArray[np.float32]:
        """The scores of row i, actions by lanes."""

    def predict_described(self, pairing: Pairing, offers: Offers, i: int) -> NDArray[np.float32]:
        """The scores of the actions of offer i, actions by lanes."""

    def explain(self, rows: Rows, i: int, action: int, lane: int) -> list[tuple[list[int], float]]:
        """What each term adds to a score of row i, behind the features that it looks at; -1: what labels say."""

    def explain_described(
        self, pairing: Pairing, offers: Offers, i: int, action: int, lane: int
    ) -> list[tuple[list[int], float]]:
        """The same for offer i; features of contexts come before those of actions; -2: the action's identity."""

    def greedy(self, scores: NDArray[np.float32]) -> NDArray[np.int32]:
        """The lowest-scored action of each lane, the first among equals."""

    def predict_actions(self, rows: Rows, mask: NDArray[np.uint8] | None = None) -> NDArray[np.int32]:
        """The lowest-scored action of each lane in every row: rows by lanes."""

    def predict_costs(self, rows: Rows, lane: int) -> NDArray[np.float64]:
        """What one lane scores every action in every row: rows by actions."""

class Learner(Predictor):
    """Learns from rounds."""

    @property
    def weighs_by_propensity(self) -> bool:
        """Whether 1/p is a factor of a round's weight."""

    def update(self, rows: Rows, i: int, outcome: object, weights: NDArray[np.float64]) -> None:
        """Learn what became of the round in row i; a weight for each lane."""

    def update_described(
        self, pairing: Pairing, offers: Offers, i: int, outcome: object, weights: NDArray[np.float64]
    ) -> None:
        """Learn what became of offer i; a weight for each lane."""

    def rescale(self, a: float, b: float) -> None:
        """The unit of costs has changed: what was `cost` is a·cost + b."""

    @property
    def changes(self) -> int:
        """How often it has noticed that the world has changed."""

    def snapshot(self) -> Predictor:
        """What it predicts now, for ever."""

class WarmLearner(Learner):
    """Learns from labelled examples, too."""

    def teach(self, rows: Rows, costs: Costs, weights: NDArray[np.float64]) -> None:
        """Learn the known costs of every row; a weight for each lane."""

    def teach_described(
        self, pairing: Pairing, offers: Offers, costs: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> None:
        """Learn the known costs of every offer; a weight for each lane."""

    def add_action(self) -> None:
        """Make room for one action more, of which nothing is known."""

    def with_lanes(self, origins: Sequence[int]) -> WarmLearner:
        """The same with other lanes, each a copy of the one that is named here; -1: one that has learned nothing."""

class OnlineLinear(WarmLearner):
    """Adaptive, normalized, importance-weight-aware linear regression of costs."""

    def __init__(
        self, features: int, actions: int, lanes: int, learning_rate: float, instruction_set: str | None = None
    ) -> None: ...
    @property
    def description(self) -> str:
        """What it is, in a few words."""

    @property
    def weights(self) -> NDArray[np.float32]:
        """Inputs × actions × lanes."""

    @property
    def scales(self) -> NDArray[np.float32]:
        """G/s² and 1/s of each weight (docs/internals/learner.md)."""

    @property
    def totals(self) -> NDArray[np.float64]:
        """T and N of each lane (docs/internals/learner.md)."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse, into one that has learned nothing."""

class RecursiveLeastSquares(WarmLearner):
    """Least squares of costs that bend, translate and forget."""

    def __init__(
        self,
        features: int,
        actions: int,
        lanes: int,
        contexts: int | None,
        crosses: bool,
        widest: int,
        squares: bool,
        bends: int,
        translations: int,
        products: int,
        ridge: float,
        intercept_ridge: float,
        cross_ridge: float,
        bend_ridge: float,
        identity_ridge: float,
        most_identities: int,
        first_guess: float,
        settled_at: int,
        half_life: float,
        memories: Sequence[float],
        rate: float,
        size_rate: float,
        share: float,
        patience: float,
        largest: float,
        wild: float,
        instruction_set: str | None = None,
    ) -> None: ...
    @property
    def description(self) -> str:
        """What it is, in a few words."""

    @property
    def models(self) -> list[NDArray[np.float32]]:
        """The weights of the nested models, the smallest first: terms × actions × lanes, memories last."""

    @property
    def mixture(self) -> NDArray[np.float64]:
        """For each lane the weight of each forecast: its own models, then the memories."""

    @property
    def renewals(self) -> int:
        """How many units of features were renewed because their values had left their range."""

    def terms(self, rows: Rows, i: int, translate: bool = True) -> NDArray[np.float32]:
        """What it sees of row i."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse, into one that has learned nothing."""

class LeastSquares(Learner):
    """Normal equations of each action, and the weights that solve them."""

    def __init__(self, features: int, actions: int, lanes: int) -> None: ...
    @property
    def weights(self) -> NDArray[np.float32]:
        """Inputs × actions × lanes."""

    @property
    def gram(self) -> NDArray[np.float64]:
        """Σ h·x·xᵀ of each action."""

    def add(self, rows: Rows, i: int, action: int, cost: float, probability: float) -> None:
        """Add a round to the equations."""

    @property
    def moment(self) -> NDArray[np.float64]:
        """Σ h·cost·x of each action."""

class LinearModel(Predictor):
    """A linear model that learns no more."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

class MixedModel(Predictor):
    """A mixture of least squares that learns no more."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

def thaw(state: dict[str, NDArray[Any]]) -> Predictor:
    """A model that learns no more, from its state."""

class Selector:
    """Says which lane is in charge."""

    @property
    def best(self) -> int:
        """The lane in charge."""

class ProgressiveValidation(Selector):
    """Line 7 of Algorithm 1: sums of cost/p."""

    def __init__(self, lanes: int) -> None: ...
    @property
    def sums(self) -> NDArray[np.float64]:
        """What each lane was charged."""

    @property
    def rounds(self) -> int:
        """How many rounds are behind the scores."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """What each lane is thought to cost."""

    def admit(self, first: int) -> None:
        """Let the lanes from this one on take part."""

    @property
    def eligible(self) -> NDArray[np.uint8]:
        """For each lane 1 if its actions are worth exploring."""

    def with_lanes(self, origins: Sequence[int]) -> ProgressiveValidation:
        """The same with other lanes, each a copy of the one that is named here; -1: on equal terms with the best."""

    def forget(self) -> None:
        """The world has changed: what was is no evidence of what will be."""

    def add(self, outcome: object) -> None:
        """Score the lanes by what became of a round."""

    def snapshot(self) -> ProgressiveValidation:
        """A copy, as it is now."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse, into one that has learned nothing."""

    @property
    def dropped(self) -> NDArray[np.uint8]:
        """None is out for good."""

    @property
    def intervals(self) -> NDArray[np.float64]:
        """Nothing is known: from −1 to 1."""

class Contest(Selector):
    """Lanes compared by a rule beside the paper's; surely worse ones drop out."""

    def __init__(
        self, lanes: int, rule: str, contention: float = 10.0, error_weight: float = 3.0, error: float = 0.05
    ) -> None: ...
    @property
    def sums(self) -> NDArray[np.float64]:
        """What each lane was charged."""

    @property
    def rounds(self) -> int:
        """How many rounds are behind the scores."""

    @property
    def scores(self) -> NDArray[np.float64]:
        """What each lane is thought to cost."""

    def admit(self, first: int) -> None:
        """Let the lanes from this one on take part."""

    @property
    def eligible(self) -> NDArray[np.uint8]:
        """For each lane 1 if its actions are worth exploring."""

    def with_lanes(self, origins: Sequence[int]) -> Contest:
        """The same with other lanes, each a copy of the one that is named here; -1: on equal terms with the best."""

    def forget(self) -> None:
        """The world has changed: what was is no evidence of what will be."""

    def add(self, outcome: object) -> None:
        """Score the lanes by what became of a round."""

    def snapshot(self) -> Contest:
        """A copy, as it is now."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has learned, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse, into one that has learned nothing."""

    @property
    def dropped(self) -> NDArray[np.uint8]:
        """For each lane 1 if it is out for good."""

    @property
    def intervals(self) -> NDArray[np.float64]:
        """How much more each lane has cost than the last one, from … to."""

    def merge(self, other: Contest) -> None:
        """Add what another contest of the same lanes has seen."""

class FixedLane(Selector):
    """A lane that somebody else has chosen."""

    def __init__(self, lane: int, lanes: int) -> None: ...

class Explorer:
    """Makes of opinions the distribution that is played."""

    def largest_weight(self, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
        """The largest 1/p of the actions that eligible lanes want, or of any, where so many are allowed."""

    def distribution(self, opinions: object) -> NDArray[np.float64]:
        """The probability of each action."""

    def snapshot(self) -> object:
        """Itself: it never changes."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Nothing: it has learned nothing."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """There is nothing to restore."""

class EpsilonGreedy(Explorer):
    """ε spread over the allowed actions, the rest over the best."""

    def __init__(self) -> None: ...

class InverseGap(Explorer):
    """Less exploration the worse an action looks, and the later it is."""

    def __init__(self, sharpness: float, floor: float, patience: float) -> None: ...

class Trial:
    """How often new actions are still to be tried."""

    def __init__(self, actions: int, length: int, share: float) -> None: ...
    def widened(self, bound: float, round: int) -> float:
        """The largest 1/p of a decision of this round, where the explorer alone would give `bound`."""

    def mix(self, allowed: NDArray[np.uint8], probabilities: NDArray[np.float64]) -> None:
        """Give new actions their share, in place."""

    @property
    def doubts(self) -> NDArray[np.float32]:
        """For each action what its scores are lowered by."""

    def add_action(self, now: int) -> None:
        """Take in a new action."""

    def count(self, action: int, now: int) -> None:
        """Count a round in which the action was learned."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Which actions are new, and how often they were learned."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse."""

    def snapshot(self) -> Trial:
        """A copy, as it is now."""

class Optimism:
    """The benefit of the doubt for actions that were rarely played lately."""

    def __init__(self, actions: int, strength: float, half_life: float) -> None: ...
    @property
    def bonuses(self) -> NDArray[np.float32]:
        """For each action what its scores are lowered by."""

    def add_action(self) -> None:
        """Take in a new action."""

    def add(self, action: int) -> None:
        """Count a round in which the action was learned."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it has counted, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse."""

    def snapshot(self) -> Optimism:
        """A copy, as it is now."""

class CostUnit:
    """Costs on a scale from about 0 to 1."""

    def __init__(self, range: tuple[float, float] | None) -> None: ...
    @property
    def fixed(self) -> bool:
        """Whether the range was given."""

    @property
    def low(self) -> float:
        """What is 0."""

    @property
    def width(self) -> float:
        """The difference between what is 1 and what is 0."""

    @property
    def mean(self) -> float:
        """Of all costs that were seen."""

    @property
    def seen(self) -> int:
        """How many that were."""

    def see(self, cost: float) -> tuple[float, float] | None:
        """Count a cost; (a, b) if the unit changes: what was u is a·u + b."""

    def unit(self, cost: float) -> float:
        """A cost on this scale."""

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it knows of costs, as arrays by name."""

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """The reverse."""

    def snapshot(self) -> CostUnit:
        """A copy, as it is now."""

class Snapshot:
    """Decides, for ever in the same way."""

    def __init__(
        self,
        predictor: Predictor,
        selector: Selector,
        explorer: Explorer,
        trial: Trial,
        optimism: Optimism,
        epsilon: float,
    ) -> None: ...
    def decide(
        self, rows: Rows, allowed: NDArray[np.uint8] | None, round: int, uniform: float, probabilities: object
    ) -> int:
        """Decide in a single row."""

    def decide_many(
        self,
        rows: Rows,
        mask: NDArray[np.uint8] | None,
        round: int,
        uniforms: NDArray[np.float64],
        actions: NDArray[np.int32],
        probabilities: NDArray[np.float64],
    ) -> None:
        """Decide in every row."""

    def decide_described(
        self, pairing: Pairing, offers: Offers, i: int, round: int, uniform: float, probabilities: object
    ) -> int:
        """Decide in offer i."""

class Composition:
    """A learner, a selector and an explorer: whole rounds."""

    def __init__(
        self,
        learner: Learner,
        selector: Selector,
        explorer: Explorer,
        trial: Trial,
        optimism: Optimism,
        unit: CostUnit,
        epsilon: float,
    ) -> None: ...
    def weigh(self, weights: Sequence[float] | None, unjudged: Sequence[int], unjudged_weight: float) -> None:
        """Set what a round weighs in each lane (None: nothing is learned), and which actions no label tells it of."""

    def learn(
        self,
        rows: Rows,
        action: int,
        cost: float,
        probability: float,
        allowed: NDArray[np.uint8] | None,
        round: int,
        now: int,
        drawn: bool,
    ) -> None:
        """Learn what the action in a single row has cost."""

    def learn_many(
        self,
        rows: Rows,
        actions: NDArray[np.int32],
        costs: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        mask: NDArray[np.uint8] | None,
        rounds: NDArray[np.uint64],
        now: int,
    ) -> None:
        """Learn what the action in every row has cost, one after the other."""

    def play(
        self,
        random: Stream,
        rows: Rows,
        costs: Costs,
        begin: int,
        end: int,
        first_draw: int,
        first_round: int,
        actions: NDArray[np.int32],
        probabilities: NDArray[np.float64],
        paid: NDArray[np.float64],
        lanes: NDArray[np.int32],
        memories: NDArray[np.float64],
    ) -> None:
        """Decide and learn in the rows from begin to end."""

    def learn_described(
        self,
        pairing: Pairing,
        offers: Offers,
        i: int,
        action: int,
        cost: float,
        probability: float,
        round: int,
        now: int,
        drawn: bool,
    ) -> None:
        """Learn what an action of offer i has cost."""

    def play_described(
        self,
        random: Stream,
        pairing: Pairing,
        offers: Offers,
        costs: NDArray[np.float64],
        begin: int,
        end: int,
        first_draw: int,
        first_round: int,
        actions: NDArray[np.int32],
        probabilities: NDArray[np.float64],
        paid: NDArray[np.float64],
        lanes: NDArray[np.int32],
        memories: NDArray[np.float64],
    ) -> int:
        """Decide and learn in the offers from begin to end; how many rounds have been learned then."""

    def decide(
        self, rows: Rows, allowed: NDArray[np.uint8] | None, round: int, uniform: float, probabilities: object
    ) -> int:
        """Decide in a single row."""

    def decide_many(
        self,
        rows: Rows,
        mask: NDArray[np.uint8] | None,
        round: int,
        uniforms: NDArray[np.float64],
        actions: NDArray[np.int32],
        probabilities: NDArray[np.float64],
    ) -> None:
        """Decide in every row."""

    def decide_described(
        self, pairing: Pairing, offers: Offers, i: int, round: int, uniform: float, probabilities: object
    ) -> int:
        """Decide in offer i."""

class LowerConfidenceBounds:
    """UCB1 on costs (Algorithm 3)."""

    def __init__(self, actions: int) -> None: ...
    @property
    def sums(self) -> NDArray[np.float64]:
        """The sum of each action's costs."""

    @property
    def counts(self) -> NDArray[np.float64]:
        """The number of each action's costs."""

    @property
    def rounds(self) -> int:
        """How many rounds were learned."""

    @rounds.setter
    def rounds(self, arg: int, /) -> None: ...
    def best(self, allowed: NDArray[np.uint8] | None = None) -> int:
        """The allowed action with the lowest bound, the first among equals."""

    def bound(self, action: int) -> float:
        """The lower confidence bound of an action's cost."""

    def add(self, action: int, cost: float) -> None:
        """Learn what an action has cost."""

def play_ucb(
    bounds: LowerConfidenceBounds,
    costs: Costs,
    begin: int,
    end: int,
    actions: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    paid: NDArray[np.float64],
    lanes: NDArray[np.int32],
    memories: NDArray[np.float64],
) -> None:
    """Decide and learn in the rows from begin to end."""

def xxh64(text: bytes) -> int:
    """The hash XXH64 of some bytes, with seed 0."""

class FeatureHasher:
    """Dictionaries to rows of 2^bits hashed columns, and the names of these columns."""

    def __init__(
        self,
        bits: int,
        text: Sequence[str],
        categories: Sequence[str],
        now: str,
        most_depth: int,
        most_values: int,
        most_names: int,
        plain: object,
    ) -> None: ...
    def one(
        self, record: object, now: object | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """One record as CSR arrays."""

    def many(
        self, records: list[object], now: object | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """A row for each record, as CSR arrays."""

    def table(
        self, columns: list[object], values: list[object], size: int, now: object | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]]:
        """A row for each row of a table that is given by its columns, as CSR arrays."""

    def request(
        self,
        context: object | None,
        actions: list[object],
        now: object | None,
        merged_context: str,
        merged: str,
        skipped: str,
    ) -> tuple[
        tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]],
        tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int32]],
    ]:
        """The row of a context and those of its actions, each as CSR arrays."""

    def names(self, column: int) -> list[str]:
        """The names that were seen in a column."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All names, as arrays."""

    def restore(
        self, hashes: NDArray[np.uint64], text: NDArray[np.uint8], sizes: NDArray[np.int64], left_out: int
    ) -> None:
        """The reverse of `state`."""

    def counts(self) -> tuple[int, int, int, int]:
        """How many names there are, in how many columns, how many of these have several, how many were left out."""
