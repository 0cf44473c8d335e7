"""What every bandit is: parameters, checked calls, an exact state. What each one does is in the files beside this."""

import inspect
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _costs, _frames, _inputs, _modelfile, _streams
from warmcb._core import Rows, Stream, draw
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._parts import decoded, encoded, known_parts
from warmcb.bandits.decisions import Action, Decision, Decisions, Event, Key, Rounds, Trace
from warmcb.contracts import parameters
from warmcb.errors import InputError, ModelFileError, OrderError, UnsupportedError

if TYPE_CHECKING:
    from warmcb.bandits.policy import Policy

_LARGEST_MODEL = 2**38  # weights, for all λ together: far beyond any machine, far below any overflow
_MOST_ACTIONS = 2**20

Allowed = NDArray[np.uint8] | None
"""For each action whether it may be played; None: all of them."""
Mask = NDArray[np.uint8] | None
"""The same for many rows: (n, K)."""


class Bandit(ABC):
    """What every bandit has, on costs in [0, 1], lower is better: `warm_start`, then `decide` and `learn` for ever.

    A constructor stores its parameters under their own names, so that `clone`, `repr` and saving follow from its
    signature. They cannot be changed once there were data. Several threads may use one bandit: calls wait for each
    other. Threads that only decide are better off with a `policy`.

    Args:
        n_actions: K, at least 2.
        actions: instead, or as well, the names of the actions.
        seed: of all random numbers.

    Attributes:
        n_actions: K.
        actions: their names, if they have any.
        n_features_: the width of a context; None before any data.
        features_: the names of the columns, if a table with names has come; else None.
        lambdas_: Λ in ascending order; empty for a bandit that has no λ.
        learned_: how many rounds have been learned.

    """

    n_actions: int
    actions: tuple[str, ...] | None
    seed: int
    lambdas_: NDArray[np.float64] = np.empty(0)

    _takes_allowed: ClassVar[bool] = True
    """Whether it can be told which actions are allowed."""

    _known: ClassVar[dict[str, type["Bandit"]]] = {}
    _parameters: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._parameters = tuple(inspect.signature(cls).parameters)
        known = Bandit._known.setdefault(cls.__name__, cls)
        if known.__module__ != cls.__module__ and known.__module__.startswith("warmcb."):
            raise InputError(f"class {cls.__name__} has the name of a built-in bandit; expected another name")
        Bandit._known[cls.__name__] = cls

    def __init__(self, n_actions: int | None, actions: Sequence[str] | None, seed: int) -> None:
        self.actions = _inputs.action_names(actions)
        if self.actions is not None and n_actions is None:
            n_actions = len(self.actions)
        self.n_actions = _inputs.integer("n_actions", n_actions, 2, _MOST_ACTIONS)
        if self.actions is not None and len(self.actions) != self.n_actions:
            raise InputError(f"n_actions is {n_actions}; expected {len(self.actions)}, the number of actions, or none")
        self.seed = _inputs.seed(seed)
        self.n_features_: int | None = None
        self.features_: tuple[str, ...] | None = None
        self.learned_ = 0
        self._lock = threading.RLock()
        self._name_actions()
        self._added = 0
        self._worker, self._base_round, self._drawn = 0, 0, 0
        self._random = Stream(self.seed, _streams.DECIDE)
        self._keyed = Stream(self.seed, _streams.KEYS)

    def _name_actions(self) -> None:
        self._everything: tuple[Action, ...] = tuple(range(self.n_actions)) if self.actions is None else self.actions
        self._numbers = {name: number for number, name in enumerate(self.actions or ())}

    # What callers use

    def warm_start(
        self,
        X: _inputs.Features,
        y: ArrayLike | None = None,
        *,
        costs: ArrayLike | None = None,
        actions: ArrayLike | None = None,
    ) -> Self:
        """Learn from labelled examples.

        Args:
            X: contexts, one in each row: an array, a SciPy sparse matrix, or a pandas or Polars frame. None at all is
                fine.
            y: the right action of each, by number or name; it costs 0, and any other 1.
            costs: instead of `y`, the cost of each action in each row: (n, K).
            actions: which actions were judged in each row: (n, K), true or false; or a list of those that were judged
                in all rows. Costs of others may be NaN.

        Returns:
            the bandit itself.

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            mask = self._mask(actions, len(rows))
            table = _inputs.cost_table(y, costs, len(rows), self.n_actions, mask, self._numbers)
            if len(rows):
                self._meet(rows, columns)
                self._warm_start(rows, table)
            return self

    def decide(self, x: _inputs.Features, actions: Iterable[Action] | None = None, key: Key | None = None) -> Decision:
        """Choose an action for the context x.

        Args:
            x: the context: a row of numbers; or, with named columns, a dict or a frame of one row.
            actions: the actions that may be played, by number or name; by default all of them.
            key: names the draw, as an event's id does: the same key draws the same number in every process. Without
                one the bandit counts its own draws.

        Returns:
            a `Decision`. Keep it: `learn` wants it back.

        """
        with self._lock:
            columns, row = self._row(x)
            allowed, playable = self._allow(actions)
            key = None if key is None else _inputs.key(key)
            uniform = self._random.uniform(self._drawn) if key is None else self._draw_of(key)
            self._meet(row, columns)
            action, probabilities = self._choose(row, allowed, uniform)
            if key is None:
                vars(self)["_drawn"] += 1  # not by __setattr__, which would take a tenth of this method's time
            return Decision(
                self._everything[action], float(probabilities[action]), probabilities, playable, self.learned_, key
            )

    def decide_many(
        self, X: _inputs.Features, actions: ArrayLike | None = None, keys: Sequence[Key] | None = None
    ) -> Decisions:
        """Choose an action in every row of X: the same bits as `decide` one by one, far faster.

        Args:
            X: contexts, one in each row.
            actions: which may be played in each row, (n, K), true or false; or a list of those that may in all rows.
            keys: one for each row.

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            n_rows = len(rows)
            mask = self._mask(actions, n_rows)
            named = _inputs.keys(keys, n_rows)
            uniforms = self._random.uniforms(self._drawn, n_rows) if named is None else self._draws_of(named)
            if n_rows:
                self._meet(rows, columns)
            chosen, probabilities = self._choose_many(rows, mask, uniforms)
            if named is None:
                self._drawn += n_rows
            return self._decisions(chosen, probabilities, mask, named or (None,) * n_rows)

    def learn(
        self,
        x: _inputs.Features,
        action: Decision | Action,
        cost: float,
        probability: float | None = None,
        *,
        actions: Iterable[Action] | None = None,
    ) -> None:
        """Learn what a decision cost: `learn(x, decision, cost)`.

        It may come late, out of order, in another process. ε and the largest weight are those of the decision's round;
        predictions are those of this moment.

        Args:
            x: the context of the decision.
            action: the decision; or, from the log of another system, the action that it played.
            cost: what it cost, in [0, 1].
            probability: with which the other system played it.
            actions: which actions the other system could have played; by default all of them.

        """
        with self._lock:
            columns, row = self._row(x)
            event = self._event(action, cost, probability, actions)
            self._meet(row, columns)
            self._learn(row, event)
            vars(self)["learned_"] += 1  # as in decide

    def learn_many(self, X: _inputs.Features, decisions: Sequence[Decision], costs: ArrayLike) -> None:
        """Learn what many decisions cost, one after the other: the same bits as `learn`, far faster.

        Args:
            X: the contexts of the decisions, one in each row.
            decisions: what `decide_many` gave, or any sequence of decisions.
            costs: what each has cost, in [0, 1].

        """
        with self._lock:
            columns, rows = self._rows("X", X)
            if len(decisions) != len(rows):
                raise InputError(f"there are {len(decisions)} decisions; expected {len(rows)}, one for each row of X")
            paid = _inputs.paid_costs(costs, len(rows))
            events = self._many_events(decisions, paid)
            if len(rows):
                self._meet(rows, columns)
                learned = self.learned_
                self._learn_many(rows, *events)
                self.learned_ = learned + len(rows)

    def predict(self, X: _inputs.Features, actions: ArrayLike | None = None) -> NDArray[Any]:
        """The greedy action for each row of X; explores nothing, changes nothing.

        Args:
            X: contexts, one in each row.
            actions: as in `decide_many`.

        """
        with self._lock:
            _, rows = self._known_rows("predict", X)
            return self._by_name(self._predict(rows, self._mask(actions, len(rows))))

    def predict_costs(self, X: _inputs.Features) -> NDArray[np.float64]:
        """What each action is expected to cost in each row of X, by the lane in charge: (n, K), in the unit of `learn`.

        It is what a regression says, and may lie a little outside of [0, 1].

        Args:
            X: contexts, one in each row.

        """
        with self._lock:
            return self._predict_costs(self._known_rows("predict_costs", X)[1])

    def add_action(self, name: str | None = None) -> None:
        """Take in one action more, during operation; everything that was learned stays.

        Nothing is known of its costs, so it is tried out in at least a quarter of the rounds until 100 of them were
        learned, and given the benefit of the doubt until 1,000 were. To retire an action, do not allow it.

        Args:
            name: of the action, if the others have names.

        """
        raise UnsupportedError(f"{type(self).__name__} cannot take in new actions; expected a WarmBandit or an ArrowCB")

    def policy(self) -> "Policy":
        """An immutable snapshot that decides: for any number of threads at once, and for other processes."""
        from warmcb.bandits.policy import Policy

        with self._lock:
            if self.n_features_ is None:
                raise OrderError("policy came before any data; expected warm_start, decide or learn first")
            return Policy(self._frozen())

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

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """The constructor's arguments, by name.

        Args:
            deep: whether to add the arguments of parts, as `explorer__sharpness`.

        """
        params = {name: getattr(self, name) for name in self._parameters}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "start"):
                    params |= {f"{name}__{inner}": one for inner, one in parameters(value).items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Change parameters, before any data.

        Args:
            **params: as `get_params(deep=True)` names them.

        """
        with self._lock:
            if self.n_features_ is not None:
                raise OrderError(f"set_params came after data; expected a new {type(self).__name__}")
            changed = self.get_params()
            if "actions" in params and "n_actions" not in params:
                changed["n_actions"] = None
            for name, value in params.items():
                known = self.get_params(deep=True)
                if name not in known:
                    what = f"{type(self).__name__} has no parameter {name}"
                    raise InputError(f"{what}; expected one of {', '.join(known)}")
                outer, nested, inner = name.partition("__")
                part = changed[outer]
                changed[outer] = type(part)(**parameters(part) | {inner: value}) if nested else value
            fresh = type(self)(**changed)
            vars(self).clear()
            vars(self).update(vars(fresh))
            return self

    def clone(self) -> Self:
        """A new bandit with the same parameters that has seen nothing."""
        return type(self)(**self.get_params())

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._parameters and name in vars(self):
            raise OrderError(f"{name} cannot be changed to {value!r}; expected set_params before any data, or a clone")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.get_params().items() if (name, value) != ("actions", None)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            copied = {name: np.array(array) for name, array in self._whole_state().items()}
            return _revive, (type(self), self.get_params(), copied)

    def save(self, path: str | Path) -> None:
        """Write parameters and state to one file, in one step. What `load` reads goes on exactly as this would.

        Args:
            path: the file; one that is there already is replaced.

        """
        with self._lock:
            params, arrays = self._saved_params()
            _modelfile.write(path, type(self).__name__, params, self._whole_state() | arrays)

    # What the package uses

    def _play_rounds(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        """Decide and learn in the rows [begin, end): the same rounds, to the bit, as the live calls.

        Actions whose cost is NaN are not allowed.
        """
        with self._lock:
            if _costs.mask(table) is not None:
                self._check_allowed()
            self._meet(rows, None)
            trace = self._play(rows, table, begin, end)
            self._drawn += end - begin
            self.learned_ += end - begin
            return trace

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        """The parameters for a file: plain values, and arrays for those that are made of arrays."""
        return {name: encoded(name, value) for name, value in self.get_params().items()}, {}

    @classmethod
    def _loaded_params(cls, params: dict[str, Any], state: State) -> dict[str, Any]:
        """Undo what `_saved_params` did to parameters that are made of arrays."""
        return params

    def _whole_state(self) -> State:
        met = self.n_features_ is not None
        counters = {
            "draws": np.array([self._worker, self._base_round, self._drawn], dtype=np.uint64),
            "learned": np.array(self.learned_),
            "added": np.array(self._added),
            "n_features": np.array(self.n_features_ if met else -1),
        }
        if self.features_ is not None:
            # JSON, because an array of strings would drop the NULs at the end of a name.
            counters["feature_names"] = np.frombuffer(json.dumps(self.features_).encode(), dtype=np.uint8)
        return counters | self._state() if met else counters

    def _become(self, worker: int, part: int, drawn: int) -> None:
        """Draw as this worker, from this part of its stream, after so many draws."""
        self._worker, self._base_round, self._drawn = worker, part, drawn
        self._random = _streams.of_worker(self.seed, worker, part)

    def _frozen(self) -> "Bandit":
        """A twin that nobody teaches any more."""
        return _revive(
            type(self), self.get_params(), {name: np.array(array) for name, array in self._whole_state().items()}
        )

    # The door: what callers bring becomes what algorithms take

    def _row(self, x: _inputs.Features) -> tuple[tuple[str, ...] | None, Rows]:
        if type(x) is np.ndarray:
            row = Rows.of_vector(x)
            if row is not None and row.features == self.n_features_:
                return None, row
        columns = _frames.columns_of(x, "x")
        if columns is not None:
            x = _frames.arranged("x", x, self.features_ or columns)
        return columns, _inputs.one_row(x, self.n_features_)

    def _rows(self, name: str, X: _inputs.Features) -> tuple[tuple[str, ...] | None, Rows]:
        columns = _frames.columns_of(X, name)
        if columns is not None:
            X = _frames.arranged(name, X, self.features_ or columns)
        return columns, _inputs.matrix(X, self.n_features_)

    def _known_rows(self, method: str, X: _inputs.Features) -> tuple[tuple[str, ...] | None, Rows]:
        columns, rows = self._rows("X", X)
        if self.n_features_ is None:
            raise OrderError(f"{method} came before any data; expected warm_start, decide or learn first")
        return columns, rows

    def _draw_of(self, key: Key) -> float:
        return self._keyed.uniform(_streams.round_of_key(key))

    def _draws_of(self, keys: Sequence[Key]) -> NDArray[np.float64]:
        rounds = np.array([_streams.round_of_key(key) for key in keys], dtype=np.uint64)
        return self._keyed.uniforms_of(rounds)

    def _decisions(
        self, chosen: NDArray[np.int32], probabilities: NDArray[np.float64], mask: Mask, keys: Sequence[Key | None]
    ) -> Decisions:
        return Decisions(
            self._by_name(chosen),
            probabilities[np.arange(len(chosen)), chosen],
            probabilities,
            np.broadcast_to(True, probabilities.shape) if mask is None else mask.astype(np.bool_),
            np.full(len(chosen), self.learned_),
            tuple(keys),
            self.actions,
        )

    def _allow(self, actions: Iterable[Action] | None) -> tuple[Allowed, tuple[Action, ...]]:
        """The allowed actions, for the core and for people."""
        if actions is None or actions is self._everything:
            return None, self._everything
        self._check_allowed()
        allowed = _inputs.allowed(actions, self.n_actions, self._numbers)
        return allowed, tuple(self._everything[number] for number in np.flatnonzero(allowed).tolist())

    def _mask(self, actions: ArrayLike | None, n_rows: int) -> Mask:
        """The allowed actions of many rows, for the core."""
        if actions is not None:
            self._check_allowed()
        return _inputs.mask(actions, n_rows, self.n_actions, self._numbers)

    def _check_allowed(self) -> None:
        if not self._takes_allowed:
            raise UnsupportedError(f"{type(self).__name__} knows nothing of allowed actions; expected actions=None")

    def _by_name(self, chosen: NDArray[np.int32]) -> NDArray[Any]:
        return chosen if self.actions is None else np.array(self.actions)[chosen]

    def _event(
        self, action: Decision | Action, cost: float, probability: float | None, actions: Iterable[Action] | None
    ) -> Event:
        if isinstance(action, Decision):
            if probability is not None or actions is not None:
                raise InputError("learn got a decision and also a probability or actions; expected the decision alone")
            decision, round_ = action, action.round
            if not self.n_actions - self._added <= len(decision.probabilities) <= self.n_actions:
                known = f"{len(decision.probabilities)} actions"
                raise InputError(f"the decision is of a bandit with {known}; expected one of {self.n_actions}")
            action, probability = decision.action, decision.probability
            every = len(decision.probabilities) == self.n_actions and decision.actions == self._everything
            actions = None if every else decision.actions
            round_ = _inputs.integer("round", round_, 0, 2**62)
        else:
            if probability is None:
                raise InputError(
                    "probability is missing; expected learn(x, decision, cost), or the probability of an action"
                )
            round_ = self.learned_
        number = _inputs.action(action, self.n_actions, self._numbers)
        allowed = self._allow(actions)[0]
        if allowed is not None and not allowed[number]:
            raise InputError(f"action is {action!r}, which was not allowed; expected one of the allowed actions")
        if type(cost) is not float or not 0.0 <= cost <= 1.0:
            cost = _inputs.fraction("cost", cost)
        return Event(number, cost, _inputs.probability(probability), allowed, round_)

    def _many_events(
        self, decisions: Sequence[Decision], costs: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], Mask, NDArray[np.uint64]]:
        """Actions, costs, probabilities, allowed sets and rounds of many events, all of them checked."""
        shape = (len(costs), self.n_actions)
        if isinstance(decisions, Decisions) and (decisions.names, decisions.probabilities.shape) == (
            self.actions,
            shape,
        ):
            return self._own_events(decisions, costs)
        events = [
            self._event(decision, float(cost), None, None) for decision, cost in zip(decisions, costs, strict=True)
        ]
        all_of_them = np.ones(self.n_actions, dtype=np.uint8)
        masked = any(event.allowed is not None for event in events)
        return (
            np.array([event.action for event in events], dtype=np.int32),
            costs,
            np.array([event.probability for event in events], dtype=np.float64),
            np.array([all_of_them if one.allowed is None else one.allowed for one in events]) if masked else None,
            np.array([event.round for event in events], dtype=np.uint64),
        )

    def _own_events(
        self, many: Decisions, costs: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], Mask, NDArray[np.uint64]]:
        numbers = many.action
        if self.actions is not None:
            order = np.argsort(self.actions)
            numbers = order[np.minimum(np.searchsorted(self.actions, many.action, sorter=order), self.n_actions - 1)]
            if not (np.array(self.actions)[numbers] == many.action).all():
                raise InputError("decisions have an action that there is not; expected those of this bandit")
        mask = None if many.actions.all() else np.ascontiguousarray(many.actions, dtype=np.uint8)
        known = ((numbers >= 0) & (numbers < self.n_actions)).all()
        if not known or not many.actions[np.arange(len(many)), numbers].all():
            raise InputError("decisions have an action that was not allowed; expected the decisions as they were made")
        if not ((many.probability > 0) & (many.probability <= 1)).all() or not (many.round >= 0).all():
            raise InputError("decisions have a probability outside of (0, 1]; expected the decisions as they were made")
        probabilities = np.ascontiguousarray(many.probability, dtype=np.float64)
        return numbers.astype(np.int32), costs, probabilities, mask, many.round.astype(np.uint64)

    def _meet(self, rows: Rows, columns: tuple[str, ...] | None) -> None:
        if columns is not None and self.features_ is None:
            self.features_ = columns
        if self.n_features_ is not None:
            return
        self._check_size(self.n_actions, rows.features)
        try:
            self._build(rows.features)
        except MemoryError:
            raise self._too_large(self.n_actions, rows.features) from None
        self.n_features_ = rows.features

    def _check_size(self, n_actions: int, n_features: int) -> None:
        if n_actions * (n_features + 1) * max(1, len(self.lambdas_)) > _LARGEST_MODEL or n_actions > _MOST_ACTIONS:
            raise self._too_large(n_actions, n_features)

    def _too_large(self, n_actions: int, n_features: int) -> InputError:
        sizes = f"{n_actions} actions × {n_features} features × {len(self.lambdas_)} λ"
        return InputError(f"the model is {sizes}; expected one that fits into memory")

    # What an algorithm fills in

    @abstractmethod
    def _build(self, n_features: int) -> None:
        """Allocate the state, now that the number of features is known."""

    @abstractmethod
    def _warm_start(self, rows: Rows, table: CostTable) -> None:
        """Learn from labels (n,), or from costs (n, K) that are NaN where nobody has judged."""

    @abstractmethod
    def _distribution(self, row: Rows, allowed: Allowed) -> NDArray[np.float64]:
        """The probability of each action in a single row; 0 for those that are not allowed."""

    @abstractmethod
    def _learn(self, row: Rows, event: Event) -> None:
        """Learn what became of a round."""

    @abstractmethod
    def _predict(self, rows: Rows, mask: Mask) -> NDArray[np.int32]:
        """The greedy action in each row."""

    @abstractmethod
    def _state(self) -> State:
        """Everything that was learned, as arrays by name."""

    @abstractmethod
    def _restore(self, state: State) -> None:
        """The reverse, into a bandit that was just built."""

    # What an algorithm may do better

    def _predict_costs(self, rows: Rows) -> NDArray[np.float64]:
        raise UnsupportedError(f"{type(self).__name__} has no model of costs; expected a bandit that predicts them")

    def _choose(self, row: Rows, allowed: Allowed, uniform: float) -> tuple[int, NDArray[np.float64]]:
        probabilities = self._distribution(row, allowed)
        return draw(probabilities, uniform), probabilities

    def _choose_many(
        self, rows: Rows, mask: Mask, uniforms: NDArray[np.float64]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        chosen = np.empty(len(rows), dtype=np.int32)
        probabilities = np.empty((len(rows), self.n_actions))
        for i in range(len(rows)):
            allowed = None if mask is None else mask[i]
            chosen[i], probabilities[i] = self._choose(rows.row(i), allowed, float(uniforms[i]))
        return chosen, probabilities

    def _learn_many(
        self,
        rows: Rows,
        actions: NDArray[np.int32],
        costs: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        mask: Mask,
        rounds: NDArray[np.uint64],
    ) -> None:
        numbers = zip(actions.tolist(), costs.tolist(), probabilities.tolist(), rounds.tolist(), strict=True)
        for i, (action, cost, probability, round_) in enumerate(numbers):
            allowed = None if mask is None else mask[i]
            self._learn(rows.row(i), Event(action, cost, probability, allowed, round_))
            self.learned_ += 1

    def _play(self, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
        out = Rounds(end - begin)
        lambdas = np.empty(end - begin)
        learned = self.learned_
        for t, i in enumerate(range(begin, end)):
            row, allowed = rows.row(i), _costs.known(table, i)
            lambdas[t] = self.lambda_
            action, probabilities = self._choose(row, allowed, self._random.uniform(self._drawn + t))
            cost = float(_costs.paid(table[i : i + 1], action)[0])
            self._learn(row, Event(action, cost, float(probabilities[action]), allowed, learned + t))
            self.learned_ = learned + t + 1
            out.actions[t], out.probabilities[t], out.costs[t] = action, probabilities[action], cost
        self.learned_ = learned
        return Trace(out.actions, out.probabilities, out.costs, lambdas)


def load(path: str | Path, stream: int | None = None, parts: Iterable[type[Any]] = ()) -> Any:
    """Read a bandit or a policy that `save` wrote.

    Args:
        path: the file.
        stream: the number of a worker that shall decide by itself. Workers with different numbers never share a draw;
            0 is the bandit itself. By default, it goes on as the one that was saved.
        parts: your own classes that the bandit is made of. A file only names them: it makes nothing be imported.

    >>> import tempfile, warmcb
    >>> bandit = warmcb.ArrowCB(n_actions=3, seed=7).warm_start([[0.0, 1.0], [1.0, 0.0]], [2, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bandit.save(f"{folder}/news.warmcb")
    ...     again = warmcb.load(f"{folder}/news.warmcb")
    >>> again.decide([0.0, 1.0]).action == bandit.decide([0.0, 1.0]).action
    True

    """
    worker = None if stream is None else _inputs.integer("stream", stream, 0, 2**32 - 1)
    known = known_parts(parts)
    kind, params, state = _modelfile.read(path)
    is_policy = kind.startswith(_POLICY)
    kind = kind.removeprefix(_POLICY)
    if kind not in Bandit._known:
        raise ModelFileError(f"{path} holds a {kind!r}; expected one of {', '.join(sorted(Bandit._known))}")
    try:
        saved = Bandit._known[kind]
        arguments = saved._loaded_params({name: decoded(value, known) for name, value in params.items()}, state)
        bandit = _revive(saved, arguments, state)
        if worker is not None and worker != bandit._worker:
            bandit._become(worker, bandit.learned_, 0)
    except Exception as error:  # a file may hold anything
        reason = " ".join(str(error).split())[:200]
        raise ModelFileError(f"{path} is not a whole {kind}: {reason}") from error
    if is_policy:
        from warmcb.bandits.policy import Policy

        return Policy(bandit)
    return bandit


_POLICY = "policy of "


def _revive(kind: type[Bandit], params: dict[str, Any], state: State) -> Bandit:
    bandit = kind(**params)
    worker, part, drawn = (int(number) for number in state["draws"])
    bandit._become(_inputs.integer("stream", worker, 0, 2**32 - 1), part, drawn)
    bandit.learned_ = _inputs.integer("learned", int(state["learned"]), 0)
    bandit._added = _inputs.integer("added", int(state["added"]), 0, bandit.n_actions)
    if "feature_names" in state:
        bandit.features_ = tuple(json.loads(state["feature_names"].tobytes()))
    n_features = int(state["n_features"])
    if n_features >= 0:
        names = bandit.features_
        if names is not None and (len(set(names)) != n_features or {type(name) for name in names} != {str}):
            raise ValueError("there is not one name for each feature")
        bandit._check_size(bandit.n_actions, n_features)
        bandit._build(n_features)
        bandit.n_features_ = n_features
        bandit._restore(state)
    return bandit
