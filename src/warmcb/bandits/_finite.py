"""What the exact algorithms share: a class Π that is given, or drawn once the number of features is known."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from warmcb import _costs, _inputs
from warmcb._core import Rows, Stream
from warmcb._costs import CostTable
from warmcb._states import State
from warmcb.bandits._base import Bandit
from warmcb.bandits._rounds import Rounds, Trace
from warmcb.errors import InputError
from warmcb.learners.finite_class import Actions, ConstantPolicies, LinearPolicies, Policies

_SMALLEST_PROBABILITY = 1e-20  # as in the core


class HasPolicies(Bandit):
    """A bandit with a parameter `policies`, which is saved with it if it is made of arrays."""

    policies: int | Policies

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        params = self.get_params()
        if not isinstance(self.policies, Policies):
            return params, {}
        arrays = {f"policies.{name}": array for name, array in self.policies.to_arrays().items()}
        return params | {"policies": type(self.policies).__name__}, arrays

    @classmethod
    def _loaded_params(cls, params: dict[str, Any], state: State) -> dict[str, Any]:
        kind = params["policies"]
        if not isinstance(kind, str):
            return params
        prefix = "policies."
        arrays = {name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)}
        return params | {"policies": Policies.from_arrays(kind, arrays)}


def checked(policies: object, n_actions: int) -> int | Policies:
    """The argument `policies` of a bandit."""
    if not isinstance(policies, Policies):
        return _inputs.integer("policies", policies, 1, 10**7)
    if policies.n_actions != n_actions:
        raise InputError(f"policies have {policies.n_actions} actions; expected {n_actions}, as n_actions")
    return policies


def resolved(policies: int | Policies, n_actions: int, n_features: int, seed: int) -> Policies:
    """Π: as it was given, or the constant actions and as many linear policies at random."""
    if isinstance(policies, Policies):
        return policies
    return ConstantPolicies(n_actions) + LinearPolicies.at_random(policies, n_actions, n_features, seed)


def actions_of(policies: Policies, rows: Rows) -> Actions:
    """What every policy does in every row."""
    return policies.actions(_dense(rows, 0, len(rows)))


def estimate(cost: float, probability: float) -> float:
    """ĉ(a): the cost over the probability of the action it was paid for."""
    return cost / max(probability, _SMALLEST_PROBABILITY)


class PlaysInPython(Protocol):
    """What `play` asks of a bandit."""

    lambdas_: NDArray[np.float64]
    _random: Stream
    _decided: int

    @property
    def _lane(self) -> int: ...

    def _distribution(self, row: Rows) -> NDArray[np.float64]: ...

    def _learn(self, row: Rows, action: int, cost: float, probability: float) -> None: ...


def play(bandit: PlaysInPython, rows: Rows, table: CostTable, begin: int, end: int) -> Trace:
    """Round by round, in Python: each costs O(|Π|·|Λ|), beside which the loop is nothing."""
    out = Rounds(end - begin)
    for t, i in enumerate(range(begin, end)):
        row = Rows(_dense(rows, i, i + 1))
        out.lanes[t] = bandit._lane
        probabilities = bandit._distribution(row)
        action = bandit._random.draw(bandit._decided + t, probabilities)
        cost = float(_costs.paid(table[i : i + 1], action)[0])
        bandit._learn(row, action, cost, float(probabilities[action]))
        out.actions[t], out.probabilities[t], out.costs[t] = action, probabilities[action], cost
    return out.trace(bandit.lambdas_)


def _dense(rows: Rows, begin: int, end: int) -> NDArray[np.float32]:
    values, indices, starts = rows.take(np.arange(begin, end))
    X = np.zeros((end - begin, rows.features), dtype=np.float32)
    X[np.repeat(np.arange(end - begin), np.diff(starts)), indices] = values
    return X
