"""The base class of all bandits: parameters, random numbers, a lock, and a state that can be saved exactly."""

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
"""The prefix of the class name in the file of a policy."""

Columns = tuple[str, ...] | None
"""The column names of a table; None if it has none."""


Kind = TypeVar("Kind", bound="BaseBandit")


class BaseBandit(HasParameters, ABC):
    """What all bandits have in common, whether their actions have numbers or descriptions.

    A constructor stores its parameters under their own names. `clone`, `repr` and saving rely on that. `Bandit` and
    `SharedBandit` document the attributes.
    """

    seed: int
    lambdas_: NDArray[np.float64] = np.empty(0)

    cost_range: _inputs.Range = (0.0, 1.0)
    """The lowest and the highest possible cost; None if costs may be any finite number."""

    encoder: Any = None
    """Turns dictionaries, JSON and data frames into rows; None if contexts are rows already."""

    _classes: ClassVar[dict[str, type["BaseBandit"]]] = {}
    """All classes of bandits by name. A model file may hold any of them."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        known = BaseBandit._classes.setdefault(cls.__name__, cls)
        if known.__module__ != cls.__module__ and known.__module__.startswith("warmcb."):
            raise InputError(f"class {cls.__name__} has the name of a built-in bandit; expected another name")
        BaseBandit._classes[cls.__name__] = cls

    def __init__(self, seed: int) -> None:
        self.seed = _inputs.seed(seed)
        self.n_features_: int | None = None
        self.features_: Columns = None
        self.learned_ = 0
        self._lock = threading.RLock()
        self._draws = Draws(self.seed)

    # Public methods

    def policy(self) -> "BasePolicy":
        """Take an immutable snapshot of the bandit.

        The snapshot decides, but never learns. Any number of threads may use it without waiting for each other, and
        other processes may load it from a file.

        Returns:
            a `Policy`, or a `SharedPolicy` if actions are described.

        Raises:
            OrderError: the bandit has not seen any data yet.

        """
        with self._lock:
            if self.n_features_ is None:
                raise OrderError("policy came before any data; expected warm_start, decide or learn first")
            return self._frozen()._as_policy()

    @property
    def lambda_(self) -> float:
        """The λ in charge; NaN for a bandit without λ."""
        return float("nan")

    @property
    def memory_(self) -> float:
        """The number of rounds that the model effectively rests on; all of them for a bandit that never forgets."""
        return float(self.learned_)

    @property
    def scores_(self) -> NDArray[np.float64]:
        """The estimated average cost of each λ; the lowest is in charge. Empty for a bandit without λ."""
        return np.empty(0)

    @property
    def rounds_(self) -> int:
        """The number of rounds, or of validation examples, that `scores_` are computed from."""
        return 0

    def set_params(self, **params: Any) -> Self:
        """Change parameters of a bandit that has not seen any data yet.

        Args:
            **params: new values, under the names that `get_params(deep=True)` gives.

        Returns:
            the bandit itself.

        Raises:
            OrderError: the bandit has seen data. Make a new one instead.

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
        """Write parameters and state to a file.

        The file is written in one step: a crash leaves the old file or the new one, never a part. A bandit that
        `warmcb.load` reads continues exactly as this one would.

        Args:
            path: the file. An existing file is replaced.

        Raises:
            FileAccessError: the operating system refuses to write the file.
            ModelFileError: a part of the bandit cannot be saved.

        """
        with self._lock:
            _modelfile.write(path, *self._content())

    def to_bytes(self) -> bytes:
        """Give the bytes that `save` would write, for a database or a message.

        Returns:
            the bytes, which `warmcb.load` reads. Bandits with equal states give equal bytes.

        Raises:
            ModelFileError: a part of the bandit cannot be saved.

        """
        with self._lock:
            return _modelfile.to_bytes(*self._content())

    # Used within the package

    def _content(self) -> tuple[str, dict[str, Any], State]:
        """The content of a file: the name of the class, the parameters, the arrays."""
        params, arrays = self._saved_params()
        return type(self).__name__, params, self._whole_state() | arrays

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        """The parameters as they are saved: plain values, and arrays for parameters that consist of arrays."""
        return {name: encoded(name, value) for name, value in self.get_params().items()}, {}

    @classmethod
    def _loaded_params(cls, params: dict[str, Any], state: State) -> dict[str, Any]:
        """Undo `_saved_params`: rebuild the parameters that consist of arrays."""
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
        """A context, encoded if there is an encoder and it is not encoded yet."""
        return x if self.encoder is None or x is None or self._is_encoded(x) else self.encoder.encode(x)

    def _encoded_rows(self, X: _inputs.Features) -> _inputs.Features:
        """Many contexts, encoded in the same way."""
        return X if self.encoder is None or X is None or self._is_encoded(X) else self.encoder.encode_many(X)

    def _is_encoded(self, X: _inputs.Features) -> bool:
        return is_sparse(X) and X.shape[-1] == self.encoder.n_features

    def _remember(self, columns: Columns) -> None:
        """Keep the column names of the first table that has names."""
        if self.features_ is None:
            self.features_ = columns

    # Implemented by each kind of bandit

    @abstractmethod
    def _as_policy(self) -> "BasePolicy":
        """A policy that decides with this bandit, which is frozen."""

    @abstractmethod
    def _shape(self) -> State:
        """The sizes that `_rebuild` needs."""

    @abstractmethod
    def _rebuild(self, state: State) -> None:
        """Allocate a bandit of the sizes that `_shape` gave, if there were data."""

    @abstractmethod
    def _state(self) -> State:
        """Everything that was learned, as arrays by name."""

    @abstractmethod
    def _restore(self, state: State) -> None:
        """Undo `_state`: fill a bandit that was just built."""


def names_as_array(names: tuple[str, ...]) -> NDArray[np.uint8]:
    """Encode names for a file. JSON is used because an array of strings would drop NULs at the end of a name."""
    return np.frombuffer(json.dumps(names).encode(), dtype=np.uint8)


def names_of_array(array: NDArray[np.uint8], count: int | None = None) -> tuple[str, ...]:
    """Decode what `names_as_array` gave. Names must be distinct, and `count` of them if it is given."""
    names = tuple(json.loads(array.tobytes()))
    count = len(names) if count is None else count
    if len(set(names)) != count or len(names) != count or {type(name) for name in names} - {str}:
        raise ValueError("there is not one name for each feature or source")
    return names


def revive(kind: type[Kind], params: dict[str, Any], state: State) -> Kind:
    """Make a bandit from its parameters and its whole state."""
    bandit = kind(**params)
    bandit._draws = Draws.restored(bandit.seed, state["draws"])
    bandit.learned_ = _inputs.integer("learned", int(state["learned"]), 0)
    bandit._rebuild(state)
    if "feature_names" in state:
        bandit.features_ = names_of_array(state["feature_names"], bandit.n_features_ or 0)
    if bandit.n_features_ is not None:
        bandit._restore(state)
    return bandit
