"""What every bandit is: parameters, checked calls, an exact state. What each one does is in the files beside this."""

import inspect
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs, _modelfile, _streams
from warmcb._core import Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._rounds import Decision, Trace
from warmcb.errors import InputError, ModelFileError, OrderError

_LARGEST_MODEL = 2**38  # weights, for all λ together: far beyond any machine, far below any overflow


class Bandit(ABC):
    """A bandit on costs in [0, 1], lower is better: `warm_start`, then `decide` and `learn` for ever.

    A constructor stores its parameters under their own names, so that `clone`, `repr` and saving follow from its
    signature; they cannot be changed afterwards. One bandit belongs to one thread at a time.
    """

    n_actions: int
    seed: int
    lambdas_: NDArray[np.float64] = np.empty(0)
    """Λ in ascending order; empty for a bandit that has no λ."""

    _known: ClassVar[dict[str, type["Bandit"]]] = {}
    _parameters: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._parameters = tuple(inspect.signature(cls).parameters)
        known = Bandit._known.setdefault(cls.__name__, cls)
        if known.__module__ != cls.__module__ and known.__module__.startswith("warmcb."):
            raise InputError(f"class {cls.__name__} has the name of a built-in bandit; expected another name")
        Bandit._known[cls.__name__] = cls

    def __init__(self, n_actions: int, seed: int) -> None:
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, 2**20)
        self.seed = _inputs.seed(seed)
        self.n_features_: int | None = None
        self._random = Stream(self.seed, _streams.DECIDE)
        self._decided = 0

    # What callers use

    def warm_start(self, X: _inputs.Features, y: ArrayLike | None = None, *, costs: ArrayLike | None = None) -> Self:
        """Learn from fully labelled examples: labels `y` in 0..K−1, or `costs` of shape (n, K). None at all is fine."""
        rows = _inputs.matrix(X, self.n_features_)
        table = _inputs.cost_table(y, costs, len(rows), self.n_actions)
        if len(rows):
            self._meet(rows)
            self._warm_start(rows, table)
        return self

    def decide(self, x: _inputs.Features) -> Decision:
        """Choose an action for the context x. Keep `action` and `probability`: `learn` wants them back."""
        row = _inputs.one_row(x, self.n_features_)
        self._meet(row)
        probabilities = self._distribution(row)
        action = self._random.draw(self._decided, probabilities)
        self._decided += 1
        return Decision(action, float(probabilities[action]), probabilities)

    def learn(self, x: _inputs.Features, action: int, cost: float, probability: float) -> None:
        """Learn what `action` cost in the context x, where it was drawn with `probability`.

        May come late, out of order, or from a log of decisions that this bandit did not make: whatever has to be
        predicted is predicted at the moment of this call.
        """
        action = _inputs.integer("action", action, 0, self.n_actions - 1)
        cost = _inputs.fraction("cost", cost)
        probability = _inputs.probability(probability)
        row = _inputs.one_row(x, self.n_features_)
        self._meet(row)
        self._learn(row, action, cost, probability)

    def predict(self, X: _inputs.Features) -> NDArray[np.int32]:
        """The greedy action for each row of X; explores nothing, changes nothing."""
        rows = _inputs.matrix(X, self.n_features_)
        if self.n_features_ is None:
            raise OrderError("predict came before any data; expected warm_start, decide or learn first")
        return self._predict(rows)

    @property
    def lambda_(self) -> float:
        """The λ in charge; NaN for a bandit that has none."""
        return float("nan")

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The estimated average cost of each λ; the lowest is in charge. Empty for a bandit that has none."""
        return np.empty(0)

    @property
    def rounds_(self) -> int:
        """The number of rounds, or of examples, behind `scores_`."""
        return 0

    def get_params(self) -> dict[str, Any]:
        """The constructor's arguments, by name."""
        return {name: getattr(self, name) for name in self._parameters}

    def clone(self) -> Self:
        """A new bandit with the same parameters that has seen nothing."""
        return type(self)(**self.get_params())

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._parameters and name in vars(self):
            raise OrderError(f"{name} cannot be changed to {value!r}; expected a new {type(self).__name__} with it")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.get_params().items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        copied = {name: np.array(array) for name, array in self._whole_state().items()}
        return _revive, (type(self), self.get_params(), copied)

    def save(self, path: str | Path) -> None:
        """Write parameters and state to one file, in one step. What `load` reads goes on exactly as this would."""
        params, arrays = self._saved_params()
        _modelfile.write(Path(path), type(self).__name__, params, self._whole_state() | arrays)

    # What the package uses

    def _play_rounds(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        """Decide and learn in the rows [begin, end), compiled: the same rounds, to the bit, as the live calls."""
        self._meet(rows)
        trace = self._play(rows, table, begin, end)
        self._decided += end - begin
        return trace

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        """The parameters for a file: plain values, and arrays for those that are made of arrays."""
        return self.get_params(), {}

    @classmethod
    def _loaded_params(cls, params: dict[str, Any], state: State) -> dict[str, Any]:
        """The reverse of `_saved_params`."""
        return params

    def _whole_state(self) -> State:
        met = self.n_features_ is not None
        counters = {"decided": np.array(self._decided), "n_features": np.array(self.n_features_ if met else -1)}
        return counters | self._state() if met else counters

    def _meet(self, rows: Rows) -> None:
        if self.n_features_ is not None:
            return
        size = self.n_actions * (rows.features + 1) * max(1, len(self.lambdas_))
        try:
            if size > _LARGEST_MODEL:
                raise MemoryError
            self._build(rows.features)
        except MemoryError:
            sizes = f"{self.n_actions} actions × {rows.features} features × {len(self.lambdas_)} λ"
            raise InputError(f"the model is {sizes}; expected one that fits into memory") from None
        self.n_features_ = rows.features

    # What an algorithm fills in

    @abstractmethod
    def _build(self, n_features: int) -> None:
        """Allocate the state, now that the number of features is known."""

    @abstractmethod
    def _warm_start(self, rows: Rows, table: CostTable) -> None: ...

    @abstractmethod
    def _distribution(self, row: Rows) -> NDArray[np.float64]: ...

    @abstractmethod
    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None: ...

    @abstractmethod
    def _predict(self, rows: Rows) -> NDArray[np.int32]: ...

    @abstractmethod
    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace: ...

    @abstractmethod
    def _state(self) -> State: ...

    @abstractmethod
    def _restore(self, state: State) -> None: ...


def load(path: str | Path) -> Bandit:
    """Read a bandit that `save` wrote.

    >>> import tempfile, warmcb
    >>> bandit = warmcb.ArrowCB(n_actions=3, seed=7).warm_start([[0.0, 1.0], [1.0, 0.0]], [2, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bandit.save(f"{folder}/news.warmcb")
    ...     again = warmcb.load(f"{folder}/news.warmcb")
    >>> again.decide([0.0, 1.0]).action == bandit.decide([0.0, 1.0]).action
    True
    """
    kind, params, state = _modelfile.read(Path(path))
    if kind not in Bandit._known:
        raise ModelFileError(f"{path} holds a {kind!r}; expected one of {', '.join(sorted(Bandit._known))}")
    try:
        known = Bandit._known[kind]
        return _revive(known, known._loaded_params(params, state), state)
    except Exception as error:  # a file may hold anything
        reason = " ".join(str(error).split())[:200]
        raise ModelFileError(f"{path} is not a whole {kind}: {reason}") from error


def _revive(kind: type[Bandit], params: dict[str, Any], state: State) -> Bandit:
    bandit = kind(**params)
    bandit._decided = _inputs.integer("decided", int(state["decided"]), 0)
    n_features = int(state["n_features"])
    if n_features >= 0:
        bandit._build(n_features)
        bandit.n_features_ = n_features
        bandit._restore(state)
    return bandit
