"""The policies that can be evaluated on a log.

A policy gives the probability of each action in each decision. On the command line it is a text: a name such as
`uniform`, the file of a saved bandit or policy, or `module:object` for your own.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from warmcb import _own
from warmcb._messages import named, shown
from warmcb.bandits import Bandit, Policy, SharedBandit, SharedPolicy, load
from warmcb.errors import InputError
from warmcb.logs.logged import Flat, Logged
from warmcb.logs.playing import Learning, player_of

LogPolicy = Callable[[Logged], Flat]
"""A policy as a function: it gives the probability of each action of each decision."""


class Asked(NamedTuple):
    """What your own policy gets in `evaluate`: one decision to make.

    Attributes:
        context: a row of numbers, or a record; None if there is none.
        actions: the features of all actions; None if they are not described.
        names: the names or ids of all actions; None if they have none.
        allowed: for each action, whether it is allowed.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, evaluate, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=float(i % 2)),)) for i in range(1000)]
        >>> def last_allowed(asked):
        ...     return int(asked.allowed.nonzero()[0][-1])
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = evaluate(f"{folder}/log.dsjson", {"last": last_allowed}, model="none")
        >>> found.policies["last"].best.value
        1.0

    """

    context: Any
    actions: Any
    names: list[str] | None
    allowed: NDArray[np.bool_]


def uniform(logged: Logged) -> Flat:
    """Draw uniformly from the allowed actions."""
    counts = np.add.reduceat(logged.allowed.astype(np.float64), logged.starts[:-1])
    return np.where(logged.allowed, 1.0 / np.repeat(counts, logged.sizes), 0.0)


def default(logged: Logged) -> Flat:
    """Play the first allowed action, which is what callers do without a bandit if they list their choice first."""
    return _certain(logged, logged.allowed)


def as_logged(logged: Logged) -> Flat:
    """Play with the logged probabilities."""
    return logged.probabilities


_NAMED: dict[str, LogPolicy] = {"uniform": uniform, "default": default, "logged": as_logged}


class Always:
    """Play one action wherever it is allowed, and draw uniformly from the allowed ones elsewhere.

    Args:
        action: the name or id of the action, or its place from 0 if it has no name.

    """

    def __init__(self, action: str | int) -> None:
        self.action = action
        self.met = False
        self.others: list[str] = []
        """The first actions of the log, if the action was not met: their names, or their places."""

    def __call__(self, logged: Logged) -> Flat:
        wanted = self._places(logged) & logged.allowed
        self.met |= bool(wanted.any())
        if not self.met and not self.others:
            names = logged.entries("names")[1]
            self.others = list(dict.fromkeys(names.to_list())) or [str(i) for i in range(int(logged.sizes.max()))]
        is_there = np.repeat(np.logical_or.reduceat(wanted, logged.starts[:-1]), logged.sizes)
        return np.where(is_there, _certain(logged, wanted), uniform(logged))

    def _places(self, logged: Logged) -> NDArray[np.bool_]:
        text = str(self.action)
        place = int(text) if text.isdecimal() and len(text) < 10 else -1
        marks = np.asarray(logged.places == place)
        is_named, names = logged.entries("names")
        marks[is_named] = (names == text).fill_null(False).to_numpy()
        return marks


def policy_of(policy: Any) -> LogPolicy:
    """Convert an argument of `evaluate`, which explains the forms of a policy, to a function."""
    if isinstance(policy, Path | str):
        return _named(str(policy))
    if isinstance(policy, Bandit | Policy | SharedBandit | SharedPolicy):
        return player_of(policy).probabilities
    if isinstance(policy, Always | Learning) or any(policy is one for one in _NAMED.values()):
        known: LogPolicy = policy
        return known
    if callable(policy):
        return lambda logged: _own_answers(policy, logged)
    raise InputError(f"policy is {shown(policy)}; expected a name, a file, a bandit, a policy or a function")


def _named(text: str) -> LogPolicy:
    if text in _NAMED:
        return _NAMED[text]
    kind, _, rest = text.partition(":")
    if kind == "always" and rest:
        return Always(rest)
    if kind == "greedy" and rest:
        return player_of(load(rest)).greedy
    if os.path.exists(text):
        return player_of(load(text)).probabilities
    if _own.is_own(text):
        return policy_of(_made(text, _own.find("policy", text).value))
    known = f"{', '.join(_NAMED)}, always:ACTION, a saved bandit, greedy:FILE or module:object"
    raise InputError(f"policy is {shown(text)}; expected {known}")


def _made(text: str, found: Any) -> Any:
    """The object of a user's module; if it is a class, an object of it."""
    if not isinstance(found, type):
        return found
    try:
        return found()
    except Exception as error:
        raise InputError(f"policy is {text!r}; expected a class that needs no arguments ({named(error)})") from error


def _certain(logged: Logged, marks: NDArray[np.bool_]) -> Flat:
    """Probability 1 for the first marked action of each decision."""
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
            logged.allowed[part].copy(),
        )
        try:
            answer = function(asked)
        except Exception as error:
            event = shown(logged.table["event"][i])
            raise InputError(f"the policy failed at event {event} ({named(error)}); expected an answer") from error
        flat[part] = _checked_answer(answer, logged.allowed[part])
    return flat


def _checked_answer(answer: Any, allowed: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The answer of a function as probabilities, checked."""
    size = len(allowed)
    if isinstance(answer, int | np.integer) and not isinstance(answer, bool) and 0 <= answer < size:
        probabilities = np.zeros(size)
        probabilities[answer] = 1.0
    else:
        probabilities = _as_numbers(answer)
    fits = probabilities.shape == (size,) and (probabilities >= 0).all() and abs(probabilities.sum() - 1) < 1e-6
    if not fits:
        raise InputError(f"the policy gave {shown(answer)}; expected a place below {size}, or {size} probabilities")
    if probabilities[~allowed].any():
        raise InputError(f"the policy gave {shown(answer)}, with an action that is not allowed; expected allowed ones")
    return probabilities


def _as_numbers(answer: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(answer)
        return found.astype(np.float64) if found.dtype.kind in "iuf" else np.empty(())
    except Exception:  # a foreign object may raise anything when it is converted
        return np.empty(())
