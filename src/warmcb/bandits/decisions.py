"""The results of rounds: a decision, many decisions, and the record of a run."""

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
"""An action: its name if actions have names, else its number from 0 to K−1."""
Key = int | str


class Decision(NamedTuple):
    """The result of `decide`, which `learn` needs later.

    It can be pickled, or stored as JSON without loss, and learned in another process. `Decisions` are those of
    `decide_many`. What a service answers is a `client.Answer`.

    Attributes:
        action: the action to play: its name or number. For a described action, its row in `actions`.
        probability: the probability with which the action was drawn.
        probabilities: the probabilities of all K actions, 0 for those that were not allowed. With described actions,
            one for each row of `actions`.
        actions: the allowed actions. With described actions, their features, one action per row.
        round: the number of rounds that had been learned. It determines ε and the largest importance weight.
        key: the name of the random draw; None if the bandit has counted it.
        ids: the ids of described actions; None if they have none.

    Examples:
        >>> import json
        >>> from warmcb import ArrowCB, Decision
        >>> decision = ArrowCB(n_actions=3).decide([1.0, 0.0], actions=[0, 2], key="event-17")
        >>> decision.actions, decision.key
        ((0, 2), 'event-17')
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
        """Convert to plain values that JSON can store.

        Returns:
            the values, by name.

        """
        plain = self._asdict() | {"probabilities": self.probabilities.tolist(), "actions": _plain(self.actions)}
        if not self.is_described:
            del plain["ids"]
        return plain

    @property
    def is_described(self) -> bool:
        """Whether the actions are described by features, instead of numbered."""
        return isinstance(self.actions, np.ndarray) or is_sparse(self.actions)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Self:
        """Make a decision from the result of `to_dict`.

        Args:
            plain: the result of `to_dict`, also after a round trip through JSON.

        Returns:
            the decision.

        Raises:
            InputError: a key is missing or unknown, or a value has the wrong type.

        """
        if not isinstance(plain, Mapping):
            raise InputError(f"the decision is {shown(plain)}; expected a dictionary with {', '.join(cls._fields)}")
        if missing := [name for name in cls._fields if name not in plain and name != "ids"]:
            raise InputError(f"the decision has no {', '.join(missing)}; expected the result of to_dict")
        if unknown := [name for name in plain if name not in cls._fields]:
            raise InputError(f"the decision has {shown(unknown[0])}; expected only {', '.join(cls._fields)}")
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
    """Convert allowed actions, or features of actions, to values that JSON can store."""
    if is_sparse(actions):
        arrays = {name: getattr(actions, name).tolist() for name in ("data", "indices", "indptr")}
        return {**arrays, "shape": list(actions.shape)}
    return actions.tolist() if isinstance(actions, np.ndarray) else list(actions)


def _unplain(plain: Any) -> Any:
    """Undo `_plain`."""
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
    """The result of `decide_many`: arrays with the names of the fields of `Decision`.

    It is a sequence: `decisions[i]` is a `Decision`, and a slice or an array of indices gives `Decisions`.

    Attributes:
        action: the action of each row, by name or number, of shape (n,).
        probability: the probability with which each action was drawn, of shape (n,).
        probabilities: the probabilities of all actions, of shape (n, K).
        actions: whether each action was allowed, of shape (n, K).
        round: the number of rounds that had been learned, of shape (n,).
        key: the name of each random draw; None for a draw that the bandit has counted.
        names: the names of the actions; None if they have no names.

    Examples:
        >>> from warmcb import ArrowCB
        >>> bandit = ArrowCB(n_actions=2, epsilon=0.0).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
        >>> decisions = bandit.decide_many([[2.0], [-2.0], [1.0]])
        >>> decisions.action
        array([0, 1, 0], dtype=int32)
        >>> decisions[1].action, len(decisions[:2])
        (1, 2)
        >>> bandit.learn_many([[2.0], [-2.0], [1.0]], decisions, costs=[0.0, 0.0, 1.0])

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
    """The rounds of a run, as arrays with an entry for each round.

    Attributes:
        actions: the number of the action that was played.
        probabilities: the probability with which it was played.
        costs: its true cost; NaN if it is unknown.
        lambdas: the λ in charge; NaN for a bandit without λ.
        memories: the number of rounds that the model effectively rested on.

    Examples:
        >>> import numpy as np
        >>> from warmcb import ArrowCB, simulate
        >>> X = np.random.default_rng(0).normal(size=(500, 3))
        >>> trace = simulate(ArrowCB(n_actions=3), X, X.argmax(axis=1), warm_start=100).trace
        >>> len(trace.costs), bool((trace.probabilities > 0).all())
        (400, True)

    """

    actions: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    costs: NDArray[np.float64]
    lambdas: NDArray[np.float64]
    memories: NDArray[np.float64]


class CheckedEvent(NamedTuple):
    """The outcome of a decision, after all checks."""

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
        """The trace of these rounds. `learned` is the number of rounds before them, for a bandit that never forgets."""
        memories = self.memories if learned is None else learned + np.arange(len(self.costs), dtype=np.float64)
        return Trace(self.actions, self.probabilities, self.costs, lambdas[self.lanes], memories)


def certain(action: int, n_actions: int) -> NDArray[np.float64]:
    """The distribution that always plays one action."""
    probabilities = np.zeros(n_actions)
    probabilities[action] = 1.0
    return probabilities
