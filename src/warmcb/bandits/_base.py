"""What every bandit is: parameters, random numbers, a lock, an exact state."""

import json
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs, _modelfile
from warmcb._sparse import is_sparse
from warmcb._states import State, named
from warmcb.bandits._draws import Draws
from warmcb.bandits._parameters import HasParameters
from warmcb.bandits._parts import encoded
from warmcb.errors import InputError, OrderError

if TYPE_CHECKING:
    from warmcb.bandits.policy import BasePolicy

POLICY = "policy of "
"""What stands before the name of the class in a policy's file."""

Columns = tuple[str, ...] | None
"""The names of a table's columns, if it has any."""


Kind = TypeVar("Kind", bound="BaseBandit")


class BaseBandit(HasParameters, ABC):
    """What bandits have in common, whether their actions have numbers or descriptions.

    A constructor stores its parameters under their own names, so that `clone`, `repr` and saving follow from its
    signature. They cannot be changed once there were data. Several threads may use one bandit: calls wait for each
    other. Threads that only decide are better off with a `policy`.

    Args:
        seed: of all random numbers.

    Attributes:
        n_features_: the width of a context; None before any data.
        features_: the names of the columns, if a table with names has come; else None.
        lambdas_: Λ in ascending order; empty for a bandit that has no λ.
        learned_: how many rounds have been learned.

    """

    seed: int
    lambdas_: NDArray[np.float64] = np.empty(0)

    cost_range: _inputs.Range = (0.0, 1.0)
    """The lowest and the highest cost; None: any finite number."""

    encoder: Any = None
    """What makes rows of dictionaries, JSON and frames; None: contexts are rows already."""

    known: ClassVar[dict[str, type["BaseBandit"]]] = {}
    """Every class of bandits by its name: what a model file may hold."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        known = BaseBandit.known.setdefault(cls.__name__, cls)
        if known.__module__ != cls.__module__ and known.__module__.startswith("warmcb."):
            raise InputError(f"class {cls.__name__} has the name of a built-in bandit; expected another name")
        BaseBandit.known[cls.__name__] = cls

    def __init__(self, seed: int) -> None:
        self.seed = _inputs.seed(seed)
        self.n_features_: int | None = None
        self.features_: Columns = None
        self.learned_ = 0
        self._lock = threading.RLock()
        self._draws = Draws(self.seed)

    # What callers use

    def policy(self) -> "BasePolicy":
        """An immutable snapshot that decides: for any number of threads at once, and for other processes."""
        with self._lock:
            if self.n_features_ is None:
                raise OrderError("policy came before any data; expected warm_start, decide or learn first")
            return self._frozen()._as_policy()

    @property
    def lambda_(self) -> float:
        """The λ in charge; NaN for a bandit that has none."""
        return float("nan")

    @property
    def memory_(self) -> float:
        """How many rounds the present model effectively rests on; a bandit that never forgets: all of them."""
        return float(self.learned_)

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The estimated average cost of each λ; the lowest is in charge. Empty for a bandit that has none."""
        return np.empty(0)

    @property
    def rounds_(self) -> int:
        """The number of rounds, or of examples, behind `scores_`."""
        return 0

    def set_params(self, **params: Any) -> Self:
        """Change parameters, before any data.

        Args:
            **params: as `get_params(deep=True)` names them.

        """
        with self._lock:
            if self.n_features_ is not None:
                raise OrderError(f"set_params came after data; expected a new {type(self).__name__}")
            fresh = self._changed(params)
            draws = self._draws
            fresh._lock, fresh._draws = self._lock, Draws(fresh.seed, draws.worker, draws.part, draws.count)
            vars(self).update(vars(fresh))
            return self

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:
            copied = {name: np.array(array) for name, array in self._whole_state().items()}
            return revive, (type(self), self.get_params(), copied)

    def save(self, path: str | Path) -> None:
        """Write parameters and state to one file, in one step. What `load` reads goes on exactly as this would.

        Args:
            path: the file; one that is there already is replaced.

        """
        with self._lock:
            _modelfile.write(path, *self._content())

    def to_bytes(self) -> bytes:
        """What `save` would write, for a database or a message; `load` takes it. Equal states give equal bytes."""
        with self._lock:
            return _modelfile.to_bytes(*self._content())

    # What the package uses

    def _content(self) -> tuple[str, dict[str, Any], State]:
        """What a file holds: the name of the class, the parameters, the arrays."""
        params, arrays = self._saved_params()
        return type(self).__name__, params, self._whole_state() | arrays

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        """The parameters for a file: plain values, and arrays for those that are made of arrays."""
        return {name: encoded(name, value) for name, value in self.get_params().items()}, {}

    @classmethod
    def _loaded_params(cls, params: dict[str, Any], state: State) -> dict[str, Any]:
        """Undo what `_saved_params` did to parameters that are made of arrays."""
        return params

    def _whole_state(self) -> State:
        counters = {"draws": self._draws.state(), "learned": np.array(self.learned_)} | self._shape()
        if self.features_ is not None:
            counters["feature_names"] = names_as_array(self.features_)
        if self.encoder is not None:
            counters |= named("encoder", self.encoder.state())
        return counters if self.n_features_ is None else counters | self._state()

    def _frozen(self) -> Self:
        """A frozen copy, for a policy."""
        copied = {name: np.array(array) for name, array in self._whole_state().items()}
        return revive(type(self), self.get_params(), copied)

    def _encoded_row(self, x: _inputs.Features) -> _inputs.Features:
        """A context as a row, if there is an encoder and the context is not encoded yet."""
        return x if self.encoder is None or x is None or self._is_encoded(x) else self.encoder.encode(x)

    def _encoded_rows(self, X: _inputs.Features) -> _inputs.Features:
        """The same for many."""
        return X if self.encoder is None or X is None or self._is_encoded(X) else self.encoder.encode_many(X)

    def _is_encoded(self, X: _inputs.Features) -> bool:
        return is_sparse(X) and X.shape[-1] == self.encoder.n_features

    def _remember(self, columns: Columns) -> None:
        """Keep the names of the first table that has some."""
        if self.features_ is None:
            self.features_ = columns

    # What a kind of bandit fills in

    @abstractmethod
    def _as_policy(self) -> "BasePolicy":
        """A policy that decides by this bandit, which is frozen."""

    @abstractmethod
    def _shape(self) -> State:
        """What has to be known to build the bandit again."""

    @abstractmethod
    def _rebuild(self, state: State) -> None:
        """Build it as large as `_shape` said, if there were data."""

    @abstractmethod
    def _state(self) -> State:
        """Everything that was learned, as arrays by name."""

    @abstractmethod
    def _restore(self, state: State) -> None:
        """The reverse, into a bandit that was just built."""


def names_as_array(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Names for a file: as JSON, because an array of strings would drop the NULs at the end of a name."""
    return np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)


def names_of_array(array: NDArray[np.uint8], count: int | None = None) -> tuple[str, ...]:
    """The reverse; distinct names are expected, and so many if that is known."""
    names = tuple(json.loads(array.tobytes()))
    count = len(names) if count is None else count
    if len(set(names)) != count or len(names) != count or {type(name) for name in names} - {str}:
        raise ValueError("there is not one name for each feature or source")
    return names


def revive(kind: type[Kind], params: dict[str, Any], state: State) -> Kind:
    """A bandit from its parameters and its whole state."""
    bandit = kind(**params)
    bandit._draws = Draws.restored(bandit.seed, state["draws"])
    bandit.learned_ = _inputs.integer("learned", int(state["learned"]), 0)
    bandit._rebuild(state)
    if "feature_names" in state:
        bandit.features_ = names_of_array(state["feature_names"], bandit.n_features_ or 0)
    if bandit.n_features_ is not None:
        bandit._restore(state)
    return bandit
