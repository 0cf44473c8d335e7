"""What the exact algorithms share: a class Π of policies, given or drawn when the number of features is known."""

from typing import Any

from warmcb import _inputs
from warmcb._core import Rows
from warmcb._states import State
from warmcb.bandits._numbered import Bandit
from warmcb.errors import InputError
from warmcb.learners.finite_class import Actions, ConstantPolicies, LinearPolicies, Policies

_SMALLEST_PROBABILITY = 1e-20  # as in the core


class HasPolicies(Bandit):
    """A bandit with a parameter `policies`, which is saved with it if it consists of arrays."""

    policies: int | Policies
    _takes_allowed = False  # a policy names one action for a context, and has no second choice

    def _saved_params(self) -> tuple[dict[str, Any], State]:
        if not isinstance(self.policies, Policies):
            return super()._saved_params()
        params = self.get_params()
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
    """Check the argument `policies` of a bandit."""
    if not isinstance(policies, Policies):
        return _inputs.integer("policies", policies, 1, 10**7)
    if policies.n_actions != n_actions:
        raise InputError(f"policies have {policies.n_actions} actions; expected {n_actions}, as n_actions")
    return policies


def resolved(policies: int | Policies, n_actions: int, n_features: int, seed: int) -> Policies:
    """Π: the given class, or the constant policies and the given number of random linear policies."""
    if isinstance(policies, Policies):
        return policies
    return ConstantPolicies(n_actions) + LinearPolicies.at_random(policies, n_actions, n_features, seed)


def actions_of(policies: Policies, rows: Rows) -> Actions:
    """The action of each policy in each row."""
    return policies.actions(rows.dense())


def estimate(cost: float, probability: float) -> float:
    """ĉ(a): the cost of the played action divided by its probability."""
    return cost / max(probability, _SMALLEST_PROBABILITY)
