"""An immutable snapshot of a bandit with described actions."""

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb.bandits.decisions import Decision, Key
from warmcb.bandits.explanations import Explanation
from warmcb.bandits.policy import BasePolicy

if TYPE_CHECKING:
    from warmcb.bandits.shared import SharedBandit


class SharedPolicy(BasePolicy):
    """What `policy()` of a `SharedBandit` gives: a bandit as it was, which decides and never learns.

    Any number of threads may use one policy, and any number of processes may load it from a file. A draw is a function
    of the seed and the key, the same everywhere; without a key a random one is made and put into the decision.

    Args:
        bandit: a frozen bandit. Callers use `bandit.policy()` instead.

    Attributes:
        lambda_: the λ in charge.
        round: how many rounds the bandit had learned.

    """

    _bandit: "SharedBandit"

    def decide(
        self,
        x: _inputs.Features,
        actions: _inputs.Features = None,
        ids: ArrayLike | None = None,
        key: Key | None = None,
    ) -> Decision:
        """Choose one of the actions for the context x.

        Args:
            x: the context; None if there is none.
            actions: a row of features for each action that is there.
            ids: their ids, if they have any.
            key: names the draw, as an event's id does; by default a random one.

        """
        key = secrets.token_hex(8) if key is None else _inputs.key(key)
        offering = self._bandit._one(x, actions, ids)
        return self._bandit._decided(offering, key, self._bandit._draws.uniform(key))

    def decide_many(
        self,
        X: _inputs.Features,
        actions: Sequence[Any] | None = None,
        ids: Sequence[ArrayLike] | None = None,
        keys: Sequence[Key] | None = None,
    ) -> list[Decision]:
        """Choose an action in every row of X.

        Args:
            X: contexts, one in each row; None if there are none.
            actions: for each context the actions that are there.
            ids: for each context the ids of its actions.
            keys: one for each context; by default random ones.

        """
        offering = self._bandit._many("actions", X, actions, ids)
        count = len(offering.offers)
        named = _inputs.keys(keys, count) or tuple(secrets.token_hex(8) for _ in range(count))
        uniforms = self._bandit._draws.uniforms(named, count).tolist()
        return [self._bandit._decided(offering, named[i], uniforms[i], i) for i in range(count)]

    def predict(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> NDArray[np.int64]:
        """The row of the greedy action for each row of X; explores nothing.

        Args:
            X: contexts, one in each row; None if there are none.
            actions: for each context the actions that are there.
            ids: for each context the ids of its actions.

        """
        return self._bandit.predict(X, actions, ids)

    def predict_costs(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> list[NDArray[np.float64]]:
        """What each action is expected to cost, in the unit of `learn`: an array for each context.

        Args:
            X: contexts, one in each row; None if there are none.
            actions: for each context the actions that are there.
            ids: for each context the ids of its actions.

        """
        return self._bandit.predict_costs(X, actions, ids)

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Why this action: what each feature contributes to its expected cost, compared with that of the runner-up.

        The runner-up is the cheapest other action that was there. So the decision of a policy that explored is
        compared with the greedy action.

        Args:
            x: the context of the decision; None if there was none.
            decision: what `decide` gave.
            most: how many contributions are listed; smaller ones are taken together as "all else".

        Returns:
            an `Explanation`, which can be printed. Its actions are rows of `decision.actions`.

        """
        return self._bandit.explain(x, decision, most=most)
