"""Immutable snapshots of bandits: they decide, for any number of threads at once."""

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
    """What all policies have in common, whether actions have numbers or descriptions.

    Args:
        bandit: a frozen bandit.

    Attributes:
        lambda_: the λ in charge.
        round: how many rounds the bandit had learned.

    """

    _bandit: Any
    lambda_: float
    round: int

    def __init__(self, bandit: BaseBandit) -> None:
        vars(self).update(_bandit=bandit, lambda_=bandit.lambda_, round=bandit.learned_)

    def __setattr__(self, name: str, value: object) -> None:
        raise OrderError(f"{name} cannot be changed to {value!r}; expected another policy")

    def __delattr__(self, name: str) -> None:
        raise OrderError(f"{name} cannot be taken away; expected another policy")

    def save(self, path: str | Path) -> None:
        """Write it to one file, in one step; `warmcb.load` reads it.

        Args:
            path: the file; one that is there already is replaced.

        """
        _modelfile.write(path, *self._content())

    def to_bytes(self) -> bytes:
        """What `save` would write, for a database or a message; `warmcb.load` takes it."""
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
    """What `bandit.policy()` gives: a bandit as it was, which decides and never learns.

    Any number of threads may use one policy, and any number of processes may load it from a file. A draw is a function
    of the seed and the key, the same everywhere; without a key a random one is made and put into the decision. So
    decisions of many workers never repeat each other, however often a policy is loaded again.

    Args:
        bandit: a frozen bandit. Callers use `bandit.policy()` instead.

    Attributes:
        n_actions: K.
        actions: their names, if they have any.
        lambda_: the λ in charge.
        round: how many rounds the bandit had learned.

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
        """Choose an action for the context x.

        Args:
            x: the context: a row of numbers; or, with named columns, a dict or a frame of one row.
            actions: the actions that may be played, by number or name; by default all of them.
            key: names the draw, as an event's id does; by default a random one.

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
        """Choose an action in every row of X.

        Args:
            X: contexts, one in each row.
            actions: which may be played in each row, (n, K), true or false; or a list of those that may in all rows.
            keys: one for each row; by default random ones.

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
        """The greedy action for each row of X; explores nothing.

        Args:
            X: contexts, one in each row.
            actions: as in `decide_many`.

        """
        rows = self._bandit._known_rows("predict", X)
        return self._bandit._actions.spoken(self._bandit._predict(rows, self._bandit._mask(actions, len(rows))))

    def predict_costs(self, X: _inputs.Features) -> NDArray[np.float64]:
        """What each action is expected to cost in each row of X: (n, K), in the unit of `learn`.

        Args:
            X: contexts, one in each row.

        """
        return self._bandit._predict_costs(self._bandit._known_rows("predict_costs", X))

    def explain(self, x: _inputs.Features, decision: Decision, *, most: int = 20) -> Explanation:
        """Why this action: what each feature contributes to its expected cost, compared with that of the runner-up.

        The runner-up is the cheapest other action that was allowed. So the decision of a policy that explored is
        compared with the greedy action.

        Args:
            x: the context of the decision.
            decision: what `decide` gave.
            most: how many contributions are listed; smaller ones are taken together as "all else".

        Returns:
            an `Explanation`, which can be printed.

        """
        return self._bandit.explain(x, decision, most=most)


def _thawed(kind: type[BaseBandit], params: dict[str, Any], state: dict[str, NDArray[Any]]) -> BasePolicy:
    return revive(kind, params, state)._as_policy()
