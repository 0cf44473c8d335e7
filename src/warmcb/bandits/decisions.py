"""What a round gives: a decision that travels, many of them, and the record of a run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from operator import index
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import shown
from warmcb._sparse import is_sparse
from warmcb.errors import InputError

Action = Any
"""An action: its name, a string, if actions have names; else its number from 0 to K−1."""
Key = int | str


class Decision(NamedTuple):
    """What `decide` gives and `learn` wants back: it pickles, and goes through JSON without loss.

    Attributes:
        action: the action to play, by its name if actions have names; of described actions, the row of its description.
        probability: with which it was drawn.
        probabilities: of all K actions, 0 for those that were not allowed; or of all described actions.
        actions: the actions that were allowed; or the descriptions of those that were there, one in each row.
        round: how many rounds had been learned. It fixes ε and the largest weight of this round's evidence.
        key: what names the draw; None for one that the bandit has counted itself.
        ids: the ids of described actions, if they had any.

    >>> import json
    >>> from warmcb import ArrowCB
    >>> decision = ArrowCB(n_actions=3).decide([1.0, 0.0], actions=[0, 2], key="event-17")
    >>> Decision.from_dict(json.loads(json.dumps(decision.to_dict()))) == decision
    True

    """

    action: Action
    probability: float
    probabilities: NDArray[np.float64]
    actions: Any = ()
    round: int = 0
    key: Key | None = None
    ids: tuple[Key, ...] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as JSON has them."""
        plain = self._asdict() | {"probabilities": self.probabilities.tolist(), "actions": _plain(self.actions)}
        if not self.is_described:
            del plain["ids"]
        return plain

    @property
    def is_described(self) -> bool:
        """Whether its actions have descriptions instead of numbers."""
        return isinstance(self.actions, np.ndarray) or is_sparse(self.actions)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`.

        Args:
            plain: what `to_dict` gave, as it is or through JSON.

        """
        if not isinstance(plain, Mapping) or {*plain, "ids"} != set(cls._fields):
            found = sorted(plain) if isinstance(plain, Mapping) else plain
            raise InputError(f"the decision is {shown(found)}; expected {', '.join(cls._fields)}")
        try:
            probabilities = np.asarray(plain["probabilities"], dtype=np.float64)
        except (TypeError, ValueError):
            probabilities = np.empty(())
        ids = plain.get("ids")
        lists = isinstance(plain["actions"], list | tuple | Mapping) and isinstance(ids, list | tuple | None)
        if probabilities.ndim != 1 or not lists:
            raise InputError(f"the decision is {shown(dict(plain))}; expected lists of probabilities and of actions")
        arrays = {"probabilities": probabilities, "actions": _unplain(plain["actions"])}
        return cls(**{**plain, **arrays, "ids": None if ids is None else tuple(ids)})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Decision):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.action, self.probability, self.round, self.key))


def _plain(actions: Any) -> Any:
    """Allowed actions, or descriptions, as JSON has them."""
    if is_sparse(actions):
        arrays = {name: getattr(actions, name).tolist() for name in ("data", "indices", "indptr")}
        return {**arrays, "shape": list(actions.shape)}
    return actions.tolist() if isinstance(actions, np.ndarray) else list(actions)


def _unplain(plain: Any) -> Any:
    """The reverse."""
    try:
        with np.errstate(over="ignore", under="ignore"):
            if isinstance(plain, Mapping):
                from scipy.sparse import csr_array

                values = np.asarray(plain["data"], dtype=np.float32)
                indices, starts = (
                    np.array([*map(index, plain[name])], dtype=np.int64) for name in ("indices", "indptr")
                )
                return csr_array((values, indices, starts), shape=tuple(plain["shape"]))
            if plain and all(isinstance(row, list | tuple) for row in plain):
                table = np.array(plain, dtype=np.float32)
                if table.ndim == 2:
                    return table
                raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"the decision has the actions {shown(plain)}; expected a list, or a CSR matrix") from None
    return tuple(plain)


@dataclass(frozen=True, eq=False)
class Decisions(Sequence[Decision]):
    """Many decisions, as arrays under the names of a `Decision`; `decisions[i]` is one.

    Attributes:
        action: (n,), numbers, or names if actions have them.
        probability: (n,).
        probabilities: (n, K).
        actions: (n, K), true where an action was allowed.
        round: (n,).
        key: n keys, None for draws that the bandit has counted itself.
        names: of the actions, if they have any.

    """

    action: NDArray[Any]
    probability: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    actions: NDArray[np.bool_]
    round: NDArray[np.int64]
    key: tuple[Key | None, ...]
    names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.action)

    @overload
    def __getitem__(self, i: int) -> Decision: ...

    @overload
    def __getitem__(self, i: slice | Sequence[Any] | NDArray[Any]) -> "Decisions": ...

    def __getitem__(self, i: int | slice | Sequence[Any] | NDArray[Any]) -> "Decision | Decisions":
        if not isinstance(i, Integral):
            key = tuple(self.key[j] for j in np.arange(len(self))[i].tolist())
            arrays = {name: value[i] for name, value in vars(self).items() if name not in ("names", "key")}
            return Decisions(**arrays, key=key, names=self.names)
        numbers = np.flatnonzero(self.actions[i]).tolist()
        allowed = tuple(numbers) if self.names is None else tuple(self.names[a] for a in numbers)
        action, probability = self.action[i].item(), float(self.probability[i])
        return Decision(action, probability, self.probabilities[i].copy(), allowed, int(self.round[i]), self.key[i])

    def __iter__(self) -> Iterator[Decision]:
        return (self[i] for i in range(len(self)))


class Trace(NamedTuple):
    """What happened in each round of a run.

    Attributes:
        actions: the number of the action that was played.
        probabilities: with which it was played.
        costs: what it cost.
        lambdas: the λ that was in charge, NaN for a bandit without one.
        memories: how many rounds the model effectively rested on.

    """

    actions: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    costs: NDArray[np.float64]
    lambdas: NDArray[np.float64]
    memories: NDArray[np.float64]


class CheckedEvent(NamedTuple):
    """A decision that comes back with its cost, checked."""

    action: int
    cost: float
    probability: float
    allowed: NDArray[np.uint8] | None
    round: int


class RoundArrays:
    """Output arrays of the compiled rounds."""

    def __init__(self, size: int) -> None:
        self.actions = np.empty(size, dtype=np.int32)
        self.probabilities = np.empty(size)
        self.costs = np.empty(size)
        self.lanes = np.zeros(size, dtype=np.int32)
        self.memories = np.empty(size)

    def arrays(
        self, begin: int = 0, end: int | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.float64]]:
        part = slice(begin, end)
        return self.actions[part], self.probabilities[part], self.costs[part], self.lanes[part], self.memories[part]

    def trace(self, lambdas: NDArray[np.float64], learned: int | None = None) -> Trace:
        """What happened; `learned`, of a bandit that never forgets: how many rounds it had learned before these."""
        memories = self.memories if learned is None else learned + np.arange(len(self.costs), dtype=np.float64)
        return Trace(self.actions, self.probabilities, self.costs, lambdas[self.lanes], memories)


def certain(action: int, n_actions: int) -> NDArray[np.float64]:
    """The distribution that has one action only."""
    probabilities = np.zeros(n_actions)
    probabilities[action] = 1.0
    return probabilities
