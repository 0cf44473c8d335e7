"""Policies with described actions: immutable snapshots of `SharedBandit`."""

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
    """An immutable snapshot of a `SharedBandit`. It decides, but never learns. `SharedBandit.policy` makes it.

    Any number of threads may share a policy, and any number of processes may load it from a file. A random draw is a
    function of the seed and the key, the same in every process. Without a key, the policy makes a random one and puts
    it into the decision.

    Args:
        bandit: a frozen bandit. Use `bandit.policy()` instead.

    Attributes:
        lambda_: the λ in charge.
        round: the number of rounds that the bandit had learned.

    Examples:
        >>> from warmcb import SharedBandit
        >>> articles = [[1.0, 0.2], [0.0, 0.9]]
        >>> bandit = SharedBandit(seed=1)
        >>> bandit.observe([0.3, 0.7], 0, cost=0.0, actions=articles)
        >>> policy = bandit.policy()
        >>> decision = policy.decide([0.3, 0.7], actions=articles, key="event-17")
        >>> decision == policy.decide([0.3, 0.7], actions=articles, key="event-17")
        True
        >>> bandit.learn([0.3, 0.7], decision, reward=1.0)  # in the process that learns

    """

    _bandit: "SharedBandit"

    def decide(
        self,
        x: _inputs.Features,
        actions: _inputs.Features = None,
        ids: ArrayLike | None = None,
        key: Key | None = None,
    ) -> Decision:
        """Choose one of the given actions for one context.

        Args:
            x: the context, as in `SharedBandit.decide`; None if there is none.
            actions: the features of the actions on offer, one action per row.
            ids: the ids of the actions, if they have any.
            key: the name of the random draw, such as the id of an event; by default a random one.

        Returns:
            the decision, whose action is a row of `actions`. `SharedBandit.learn` needs it.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.

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
        """Choose an action for each of many contexts.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.
            keys: the name of the random draw of each context; by default random ones.

        Returns:
            a decision for each context.

        """
        offering = self._bandit._many("actions", X, actions, ids)
        count = len(offering.offers)
        named = _inputs.keys(keys, count) or tuple(secrets.token_hex(8) for _ in range(count))
        uniforms = self._bandit._draws.uniforms(named, count).tolist()
        return [self._bandit._decided(offering, named[i], uniforms[i], i) for i in range(count)]

    def predict(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> NDArray[np.int64]:
        """Give the greedy action for each context, without exploration.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.

        Returns:
            for each context, the row of the action.

        """
        return self._bandit.predict(X, actions, ids)

    def predict_costs(
        self, X: _inputs.Features, actions: Sequence[Any] | None = None, ids: Sequence[ArrayLike] | None = None
    ) -> list[NDArray[np.float64]]:
        """Predict the cost of each action of each context.

        Args:
            X: contexts, one per row; None if there are none.
            actions: for each context, the features of its actions.
            ids: for each context, the ids of its actions.

        Returns:
            for each context, an array of expected costs in the unit of the costs given to `learn`.

        """
        return self._bandit.predict_costs(X, actions, ids)

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Explain a decision: how much each feature adds to the expected cost, compared with the runner-up.

        The runner-up is the action on offer with the lowest expected cost among all others. If the policy explored,
        that is the greedy action.

        Args:
            x: the context of the decision; None if there was none.
            decision: the decision.
            most: the largest number of contributions to list. The remaining ones are summed up as "all else".

        Returns:
            the explanation; `print` shows it as a table. Its actions are rows of `decision.actions`.

        Raises:
            UnsupportedError: the scores of the bandit are not sums of terms.

        """
        return self._bandit.explain(x, decision, most=most)
