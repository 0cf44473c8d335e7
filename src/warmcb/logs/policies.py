"""The policies that a log can be asked about.

A policy gives for each action of each decision the probability with which it would choose it. On the command line it
is a text: a name such as `uniform`, the file of a saved bandit or policy, or `module:object` for one of your own.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _own
from warmcb._messages import shown
from warmcb.bandits import Bandit, Policy, SharedBandit, SharedPolicy, load
from warmcb.errors import InputError
from warmcb.logs.logged import Flat, Logged
from warmcb.logs.playing import Learning, player_of

LogPolicy = Callable[[Logged], Flat]
"""What a policy is inside: the probability of each action of each decision."""

NAMES = ("uniform", "default", "logged")


class Asked(NamedTuple):
    """What your own policy is asked about: one decision.

    Attributes:
        context: a row of numbers, or a record; None if there is none.
        actions: the descriptions of all actions, if they are described; else None.
        names: the names or ids of all actions, if they have any; else None.
        allowed: for each action whether it may be chosen.

    """

    context: Any
    actions: Any
    names: list[str] | None
    allowed: NDArray[np.bool_]


def uniform(logged: Logged) -> Flat:
    """Every allowed action alike."""
    shares = np.add.reduceat(logged.allowed.astype(np.float64), logged.starts[:-1])
    return np.where(logged.allowed, 1.0 / np.repeat(shares, logged.sizes), 0.0)


def default(logged: Logged) -> Flat:
    """The first action that is allowed: what callers that list their own choice first do without a bandit."""
    return _certain(logged, logged.allowed)


def as_logged(logged: Logged) -> Flat:
    """What the log says was done."""
    return logged.probabilities


class Always:
    """One action, wherever it is allowed, and elsewhere each of the allowed ones alike.

    Args:
        action: its name or id, or the place from 0 of one without a name.

    """

    def __init__(self, action: str | int) -> None:
        self.action = action
        self.met = False

    def __call__(self, logged: Logged) -> Flat:
        wanted = self._places(logged) & logged.allowed
        self.met |= bool(wanted.any())
        is_there = np.repeat(np.logical_or.reduceat(wanted, logged.starts[:-1]), logged.sizes)
        return np.where(is_there, _certain(logged, wanted), uniform(logged))

    def _places(self, logged: Logged) -> NDArray[np.bool_]:
        names = logged.table["names"]
        if names.null_count() == 0:
            return (names.explode() == str(self.action)).to_numpy()
        places = np.arange(len(logged.probabilities)) - np.repeat(logged.starts[:-1], logged.sizes)
        return np.asarray(places == (int(self.action) if str(self.action).isdecimal() else -1))


def policy_of(policy: Any) -> LogPolicy:
    """What `evaluate` takes as a policy, ready to be asked.

    Args:
        policy: one of `NAMES`; "always:ACTION"; the file of a saved bandit or policy, or "greedy:FILE" for what it
            would do without exploration; "module:object"; a bandit or a policy; or a function of your own. It gets an
            `Asked` and gives the place of an action, or a probability for each action.

    """
    if isinstance(policy, Path | str):
        return _named(str(policy))
    if isinstance(policy, Bandit | Policy | SharedBandit | SharedPolicy):
        return player_of(policy).probabilities
    if isinstance(policy, Always | Learning) or policy in (uniform, default, as_logged):
        known: LogPolicy = policy
        return known
    if callable(policy):
        return lambda logged: _own_answers(policy, logged)
    raise InputError(f"policy is {shown(policy)}; expected a name, a file, a bandit, a policy or a function")


def _named(text: str) -> LogPolicy:
    if text in NAMES:
        return {"uniform": uniform, "default": default, "logged": as_logged}[text]
    kind, _, rest = text.partition(":")
    if kind == "always" and rest:
        return Always(rest)
    if kind == "greedy" and rest:
        return player_of(load(rest)).greedy
    if Path(text).exists():
        return player_of(load(text)).probabilities
    if _own.is_own(text):
        found: Any = _own.find("policy", text).value
        return policy_of(found() if isinstance(found, type) else found)
    known = f"{', '.join(NAMES)}, always:ACTION, a saved bandit, greedy:FILE or module:object"
    raise InputError(f"policy is {text!r}; expected {known}")


def _certain(logged: Logged, marks: NDArray[np.bool_]) -> Flat:
    """Certainty for the first marked action of each decision."""
    flat, places = np.zeros(len(marks)), np.flatnonzero(marks)
    if places.size:
        first = np.searchsorted(places, logged.starts[:-1])
        found = places[np.minimum(first, places.size - 1)]
        flat[found[(found >= logged.starts[:-1]) & (found < logged.starts[1:])]] = 1.0
    return flat


def _own_answers(function: Callable[[Asked], Any], logged: Logged) -> Flat:
    flat = np.zeros(len(logged.probabilities))
    contexts, described = logged.contexts, logged.are_described
    for i in range(len(logged)):
        part = slice(logged.starts[i], logged.starts[i + 1])
        asked = Asked(
            None if contexts is None else contexts[i],
            logged.described(i) if described else None,
            logged.names(i),
            logged.allowed[part],
        )
        flat[part] = _checked_answer(function(asked), asked.allowed)
    return flat


def _checked_answer(answer: Any, allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Probabilities, from what a function gave."""
    size = len(allowed)
    if np.ndim(answer) == 0 and isinstance(answer, int | np.integer) and 0 <= answer < size:
        probabilities = np.zeros(size)
        probabilities[answer] = 1.0
    else:
        try:
            probabilities = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            probabilities = np.empty(())
    fits = probabilities.shape == (size,) and (probabilities >= 0).all() and abs(probabilities.sum() - 1) < 1e-6
    if not fits:
        raise InputError(f"the policy gave {shown(answer)}; expected a place below {size}, or {size} probabilities")
    if probabilities[~allowed].any():
        raise InputError(f"the policy gave {shown(answer)}, with an action that is not allowed; expected allowed ones")
    return probabilities
