"""Checks of actions: their names, single actions, and which actions are allowed."""

import operator
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _frames
from warmcb._inputs.arrays import as_array, unwrapped
from warmcb._inputs.scalars import integer
from warmcb._messages import listed, shown
from warmcb.errors import InputError

Numbers = Mapping[str, int]
"""The number of each named action; empty if actions have no names."""


def action_names(names: Sequence[str] | None) -> tuple[str, ...] | None:
    if names is None:
        return None
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InputError(f"actions is {shown(names)}; expected a sequence of names")
    plain = tuple(str(name) if isinstance(name, str) else name for name in names)
    found = names if isinstance(names, tuple) and all(map(operator.is_, names, plain)) else plain
    for i, name in enumerate(found):
        if not isinstance(name, str) or "\0" in name:
            raise InputError(f"actions[{i}] is {shown(name)}; expected a name, which is a string without NULs")
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise InputError(f"actions has {shown(twice)} twice; expected each name once")
    if len(found) < 2:
        raise InputError(f"actions is {shown(names)}; expected at least 2 names")
    return found


def one_name_more(names: tuple[str, ...] | None, name: str | None) -> tuple[str, ...] | None:
    """The names of actions with a new one added."""
    if (names is None) != (name is None):
        expected = "None, as actions have no names" if names is None else "a name, as actions have names"
        raise InputError(f"name is {shown(name)}; expected {expected}")
    return None if names is None or name is None else action_names((*names, name))


def action(value: object, n_actions: int, numbers: Numbers, name: str = "action") -> int:
    """The number of an action, which is given by number or name. Errors refer to it as `name`."""
    if type(value) is int and 0 <= value < n_actions:
        return value
    if isinstance(value, str):
        if value in numbers:
            return numbers[value]
        expected = f"one of {listed(list(numbers))}" if numbers else f"an integer from 0 to {n_actions - 1}"
        raise InputError(f"{name} is {shown(value)}; expected {expected}")
    return integer(name, value, 0, n_actions - 1)


def allowed(actions: Iterable[object], n_actions: int, numbers: Numbers) -> NDArray[np.uint8]:
    """A list of allowed actions as a mask over all actions."""
    if (
        isinstance(actions, str)
        or not isinstance(actions, Iterable)
        or np.shape(getattr(actions, "shape", (1,))) == (0,)
    ):
        raise InputError(f"actions is {shown(actions)}; expected a list of actions")
    marks = np.zeros(n_actions, dtype=np.uint8)
    for one in actions:
        number = action(unwrapped(one), n_actions, numbers, "an entry of actions")
        if marks[number]:
            raise InputError(f"actions has {shown(unwrapped(one))} twice; expected each action once")
        marks[number] = 1
    if not marks.any():
        raise InputError("actions is empty; expected at least one allowed action")
    return marks


def mask(actions: ArrayLike | None, n_rows: int, n_actions: int, numbers: Numbers) -> NDArray[np.uint8] | None:
    """The allowed actions of each row, (n, K), from such a mask or from one list of actions for all rows."""
    if actions is None:
        return None
    actions = by_action("actions", actions, numbers)
    if not hasattr(actions, "ndim") and isinstance(actions, Iterable):
        listed: list[Any] = list(actions)
        if not listed:
            raise InputError("actions is empty; expected at least one allowed action")
        if all(isinstance(unwrapped(one), str | Integral) and not isinstance(one, bool) for one in listed):
            return np.tile(allowed(listed, n_actions, numbers), (n_rows, 1))
        actions = listed
    array = as_array("actions", actions)
    if array.ndim == 1 and array.dtype.kind != "b" and array.size:
        return np.tile(allowed(array.tolist(), n_actions, numbers), (n_rows, 1))
    if array.shape != (n_rows, n_actions):
        raise InputError(f"actions has shape {array.shape}; expected ({n_rows}, {n_actions}): rows of X by actions")
    if array.dtype.kind != "b" and not (array.dtype.kind in "iuf" and np.isin(array, (0, 1)).all()):
        raise InputError(f"actions is {shown(array.tolist())}; expected true or false for each row and action")
    empty = np.flatnonzero(~array.any(axis=1))
    if empty.size:
        raise InputError(f"actions[{empty[0]}] allows no action; expected at least one in each row")
    return np.ascontiguousarray(array, dtype=np.uint8)


def by_action(name: str, table: Any, numbers: Numbers) -> Any:
    """A table with a column for each action, in the order of the names if both have names."""
    columns = _frames.columns_of(table, name)
    return table if columns is None else _frames.arranged(name, table, tuple(numbers) or columns)
