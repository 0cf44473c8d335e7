"""Policies: immutable snapshots of bandits, which any number of threads can decide with."""

import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs, _modelfile
from warmcb._states import State
from warmcb.bandits._base import POLICY, BaseBandit, revive
from warmcb.bandits._numbered import Bandit
from warmcb.bandits.decisions import Action, Decision, Decisions, Key
from warmcb.bandits.explanations import Explanation
from warmcb.errors import OrderError


class BasePolicy:
    """What all policies have in common, whether actions have numbers or descriptions."""

    _bandit: Any
    lambda_: float
    round: int

    def __init__(self, bandit: BaseBandit) -> None:
        vars(self).update(_bandit=bandit, lambda_=bandit.lambda_, round=bandit.learned_)

    def __setattr__(self, name: str, value: object) -> None:
        raise OrderError(f"{name} cannot be changed to {value!r}; expected another policy")

    def __delattr__(self, name: str) -> None:
        raise OrderError(f"{name} cannot be deleted; expected another policy")

    def save(self, path: str | Path) -> None:
        """Write the policy to a file, which `warmcb.load` reads.

        The file is written in one step: a crash leaves the old file or the new one, never a part.

        Args:
            path: the file. An existing file is replaced.

        Raises:
            FileAccessError: the operating system refuses to write the file.
            ModelFileError: a part of the policy cannot be saved.

        """
        _modelfile.write(path, *self._content())

    def to_bytes(self) -> bytes:
        """Give the bytes that `save` would write, for a database or a message.

        Returns:
            the bytes, which `warmcb.load` reads.

        Raises:
            ModelFileError: a part of the policy cannot be saved.

        """
        return _modelfile.to_bytes(*self._content())

    def _content(self) -> tuple[str, dict[str, Any], State]:
        kind, params, arrays = self._bandit._content()
        return POLICY + kind, params, arrays

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: np.array(array) for name, array in self._bandit._whole_state().items()}
        return _thawed, (type(self._bandit), self._bandit.get_params(), state)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of {self._bandit!r} after {self.round} rounds"


class Policy(BasePolicy):
    """An immutable snapshot of a bandit. It decides, but never learns. `Bandit.policy` makes it.

    Any number of threads may share a policy, and any number of processes may load it from a file. A random draw is a
    function of the seed and the key, the same in every process. Without a key, the policy makes a random one and puts
    it into the decision. So workers never repeat the draws of each other, even after they load a policy again.

    Args:
        bandit: a frozen bandit. Use `bandit.policy()` instead.

    Attributes:
        n_actions: the number of actions, K.
        actions: the names of the actions; None if they have no names.
        lambda_: the λ in charge.
        round: the number of rounds that the bandit had learned.

    Examples:
        >>> from warmcb import WarmBandit
        >>> bandit = WarmBandit(n_actions=2).warm_start([[1.0], [-1.0]] * 5, [0, 1] * 5)
        >>> policy = bandit.policy()
        >>> decision = policy.decide([1.0], key="event-17")
        >>> decision.action
        0
        >>> bandit.learn([1.0], decision, cost=0.0)  # in the process that learns

    """

    _bandit: Bandit
    actions: tuple[str, ...] | None
    n_actions: int

    def __init__(self, bandit: Bandit) -> None:
        super().__init__(bandit)
        vars(self).update(actions=bandit.actions, n_actions=bandit.n_actions)

    def decide(self, x: _inputs.Features, actions: Iterable[Action] | None = None, key: Key | None = None) -> Decision:
        """Choose an action for one context.

        Args:
            x: the context: a row of numbers. With named columns, also a dictionary or a data frame of one row.
            actions: the allowed actions, by number or name; by default all.
            key: the name of the random draw, such as the id of an event; by default a random one.

        Returns:
            the decision. `Bandit.learn` needs it.

        Raises:
            InputError: an argument has the wrong shape, or a value that cannot be used.

        """
        bandit = self._bandit
        key = secrets.token_hex(8) if key is None else _inputs.key(key)
        _, row = bandit._row(x)
        allowed, playable = bandit._allow(actions)
        action, probabilities = bandit._choose(row, allowed, bandit._draws.uniform(key))
        chosen = bandit._actions.all[action]
        return Decision(chosen, probabilities.item(action), probabilities, playable, self.round, key)

    def decide_many(
        self, X: _inputs.Features, actions: ArrayLike | None = None, keys: Sequence[Key] | None = None
    ) -> Decisions:
        """Choose an action for each row of X.

        Args:
            X: contexts, one per row.
            actions: the allowed actions: a boolean array of shape (n, K), or a list of actions for all rows.
            keys: the name of the random draw of each row; by default random ones.

        Returns:
            the decisions, as arrays.

        """
        bandit = self._bandit
        rows = bandit._known_rows("decide_many", X)
        mask = bandit._mask(actions, len(rows))
        named = _inputs.keys(keys, len(rows))
        if named is None:
            random = secrets.token_hex(8 * len(rows))
            named = tuple(random[16 * i : 16 * (i + 1)] for i in range(len(rows)))
        chosen, probabilities = bandit._choose_many(rows, mask, bandit._draws.uniforms(named, len(rows)))
        return bandit._decisions(chosen, probabilities, mask, named)

    def predict(self, X: _inputs.Features, actions: ArrayLike | None = None) -> NDArray[Any]:
        """Give the greedy action for each row of X, without exploration.

        Args:
            X: contexts, one per row.
            actions: the allowed actions, as in `decide_many`.

        Returns:
            the actions, by name if they have names.

        """
        rows = self._bandit._known_rows("predict", X)
        return self._bandit._actions.spoken(self._bandit._predict(rows, self._bandit._mask(actions, len(rows))))

    def predict_costs(self, X: _inputs.Features) -> NDArray[np.float64]:
        """Predict the cost of each action in each row of X.

        Args:
            X: contexts, one per row.

        Returns:
            the expected costs, of shape (n, K), in the unit of the costs given to `learn`.

        Raises:
            UnsupportedError: the bandit has no model of costs.

        """
        return self._bandit._predict_costs(self._bandit._known_rows("predict_costs", X))

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Explain a decision: how much each feature adds to the expected cost, compared with the runner-up.

        The runner-up is the allowed action with the lowest expected cost among all others. If the policy explored,
        that is the greedy action.

        Args:
            x: the context of the decision.
            decision: the decision.
            most: the largest number of contributions to list. The remaining ones are summed up as "all else".

        Returns:
            the explanation; `print` shows it as a table.

        Raises:
            UnsupportedError: the scores of the bandit are not sums of terms.

        """
        return self._bandit.explain(x, decision, most=most)


def _thawed(kind: type[BaseBandit], params: dict[str, Any], state: dict[str, NDArray[Any]]) -> BasePolicy:
    return revive(kind, params, state)._as_policy()
