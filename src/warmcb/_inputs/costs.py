"""Checks of costs, rewards and labels."""

import operator
from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb._costs import CostTable
from warmcb._inputs.actions import Numbers, action, by_action
from warmcb._inputs.arrays import as_array, unwrapped
from warmcb._inputs.scalars import number
from warmcb._messages import listed, shown
from warmcb.errors import InputError

Range = tuple[float, float] | None
"""The lowest and the highest cost; None for any finite number."""


LARGEST_COST = 1e100
"""The squares of larger costs would overflow."""


def cost_range(value: object) -> Range:
    if value is None:
        return None
    expected = "expected None, or the lowest and the highest cost"
    if isinstance(value, str) or not isinstance(value, Iterable) or len(ends := list(value)) != 2:
        raise InputError(f"cost_range is {shown(value)}; {expected}")
    low, high = (number("cost_range", end, "two finite numbers", -LARGEST_COST, LARGEST_COST) for end in ends)
    if not low < high:
        raise InputError(f"cost_range is {shown(value)}; {expected}")
    if isinstance(value, tuple) and all(map(operator.is_, value, (low, high))):
        return value  # scikit-learn's clone compares by identity
    return low, high


def costs_expected(limits: Range) -> str:
    if limits is None:
        return f"a finite number from {-LARGEST_COST:g} to {LARGEST_COST:g}"
    return f"a number in [{limits[0]:g}, {limits[1]:g}]"


def cost(value: object, limits: Range, name: str = "cost") -> float:
    low, high = limits or (-LARGEST_COST, LARGEST_COST)
    if type(value) is float and low <= value <= high:
        return value
    return number(name, value, costs_expected(limits), low, high)


def cost_or_reward(cost_given: object, reward: object, limits: Range) -> float:
    """The cost, which may be given as a reward: the cost is −reward."""
    if reward is None:
        if cost_given is None:
            raise InputError(f"cost is None; expected {costs_expected(limits)}, or a reward")
        return cost(cost_given, limits)
    if cost_given is not None:
        raise InputError(f"cost is {shown(cost_given)} and reward is {shown(reward)}; expected one of them")
    try:
        return -cost(reward, _opposite(limits), "reward")
    except InputError as error:
        raise InputError(f"{error}{_why_opposite(limits)}") from None


def _why_opposite(limits: Range) -> str:
    """Why rewards have the range that they have, for errors."""
    return "" if limits is None else f", as cost_range is ({limits[0]:g}, {limits[1]:g}) and a reward is minus a cost"


def _opposite(limits: Range) -> Range:
    """The range of rewards. 0 − x is used because −x would give −0."""
    return None if limits is None else (0.0 - limits[1], 0.0 - limits[0])


def paid_costs(costs: ArrayLike, n_rows: int, limits: Range, name: str = "costs") -> NDArray[np.float64]:
    """The costs of many decisions."""
    array = as_array(name, costs)
    if array.shape != (n_rows,):
        raise InputError(f"{name} have shape {array.shape}; expected ({n_rows},), one for each row of X")
    if array.dtype.kind not in "biuf" and array.size:
        raise InputError(f"{name} have the type {array.dtype}; expected each to be {costs_expected(limits)}")
    low, high = limits or (-LARGEST_COST, LARGEST_COST)
    wrong = np.flatnonzero(~((array >= low) & (array <= high)))
    if wrong.size:
        raise InputError(f"{name}[{wrong[0]}] is {array[wrong[0]]}; expected {costs_expected(limits)}")
    return np.ascontiguousarray(array, dtype=np.float64)


def paid_costs_or_rewards(costs: object, rewards: object, n_rows: int, limits: Range) -> NDArray[np.float64]:
    if rewards is None:
        if costs is None:
            raise InputError(f"costs is None; expected {n_rows} numbers, one for each row of X, or rewards")
        return paid_costs(costs, n_rows, limits)  # type: ignore[arg-type]
    if costs is not None:
        raise InputError("both costs and rewards are given; expected one of them")
    try:
        return -paid_costs(rewards, n_rows, _opposite(limits), "rewards")  # type: ignore[arg-type]
    except InputError as error:
        why = "" if "shape" in str(error) else _why_opposite(limits)
        raise InputError(f"{error}{why}") from None


def paid_in_log(paid: ArrayLike, y: object, costs: object, n_rows: int, limits: Range) -> NDArray[np.float64]:
    """The cost of each event of a log without probabilities; y has the actions that were played."""
    if y is None or costs is not None:
        raise InputError("paid is given without y, or with costs; expected y, the actions, and paid, their costs")
    return paid_costs(paid, n_rows, limits, "paid")


def cost_table(
    y: ArrayLike | None,
    costs: ArrayLike | None,
    n_rows: int,
    n_actions: int,
    judged: NDArray[np.uint8] | None = None,
    numbers: Numbers = MappingProxyType({}),
    limits: Range = (0.0, 1.0),
) -> CostTable:
    """Labels (n,) or costs (n, K), as they were given; NaN if an action was not judged."""
    if (y is None) == (costs is None):
        raise InputError("y and costs: expected exactly one of them")
    if y is None:
        return _costs(by_action("costs", costs, numbers), n_rows, n_actions, judged, limits)
    found = labels(y, n_rows, n_actions, numbers)
    if judged is None or judged.all():
        return found
    wrong = np.flatnonzero(judged[np.arange(n_rows), found] == 0)
    if wrong.size:
        raise InputError(f"y[{wrong[0]}] is {as_array('y', y)[wrong[0]]}; expected one of the judged actions")
    return costs_among(found, judged)


def _costs(
    costs: ArrayLike | None, n_rows: int, n_actions: int, judged: NDArray[np.uint8] | None, limits: Range
) -> NDArray[np.float64]:
    array = as_array("costs", costs)
    if n_rows == 0 and array.shape == (0,):
        array = array.reshape(0, n_actions)
    if array.shape != (n_rows, n_actions):
        raise InputError(f"costs have shape {array.shape}; expected ({n_rows}, {n_actions}): rows of X by actions")
    if array.dtype.kind not in "biuf":
        raise InputError(f"costs have the type {array.dtype}; expected each to be {costs_expected(limits)}")
    low, high = limits or (-LARGEST_COST, LARGEST_COST)
    fine = (array >= low) & (array <= high)
    wrong = np.argwhere(~(fine if judged is None else fine | (judged == 0)))
    if wrong.size:
        row, column = wrong[0]
        raise InputError(f"costs[{row}, {column}] is {array[row, column]}; expected {costs_expected(limits)}")
    if judged is None or judged.all():
        return np.ascontiguousarray(array, dtype=np.float64)
    return np.where(judged, array, np.nan)


def labels(y: ArrayLike, n_rows: int, n_actions: int, numbers: Numbers = MappingProxyType({})) -> NDArray[np.int32]:
    array = as_array("y", y)
    if array.shape == (0,) and n_rows == 0:
        return np.empty(0, dtype=np.int32)
    if numbers and array.dtype.kind in "UTO" and array.shape == (n_rows,):
        return np.array([_label(i, one, n_actions, numbers) for i, one in enumerate(array.tolist())], dtype=np.int32)
    expected = f"an integer label from 0 to {n_actions - 1}"
    if array.shape != (n_rows,):
        raise InputError(f"y has shape {array.shape}; expected ({n_rows},), one label for each row of X")
    if array.dtype.kind not in "biuf":
        hint = "numpy.unique(y, return_inverse=True)[1] makes such labels"
        raise InputError(f"y[0] is {shown(unwrapped(array[0]))}; expected {expected} ({hint})")
    wrong = np.flatnonzero(~((array >= 0) & (array < n_actions) & (array == np.floor(array))))
    if wrong.size:
        raise InputError(f"y[{wrong[0]}] is {array[wrong[0]]}; expected {expected}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _label(i: int, value: object, n_actions: int, numbers: Numbers) -> int:
    try:
        return action(unwrapped(value), n_actions, numbers)
    except InputError:
        raise InputError(f"y[{i}] is {shown(value)}; expected one of {listed(list(numbers))}") from None


def costs_among(labels: NDArray[np.int32], judged: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The costs of labels; NaN if an action was not judged."""
    costs = np.where(judged == 0, np.nan, 1.0)
    rows = np.flatnonzero(judged[np.arange(len(labels)), labels])
    costs[rows, labels[rows]] = 0.0
    return costs


def costs_of_offers(y: ArrayLike | None, costs: Any, starts: NDArray[np.int64], limits: Range) -> NDArray[np.float64]:
    """The costs of the described actions of several rounds, one round after the other; NaN if a cost is unknown."""
    if (y is None) == (costs is None):
        raise InputError("y and costs: expected exactly one of them")
    sizes = np.diff(starts)
    if costs is None:
        right = as_array("y", y)
        if right.shape != (len(sizes),) or (right.dtype.kind not in "iu" and right.size):
            raise InputError(f"y is {shown(y)}; expected the row of the right action in each of {len(sizes)} rounds")
        wrong = np.flatnonzero((right < 0) | (right >= sizes))
        if wrong.size:
            i = wrong[0]
            raise InputError(f"y[{i}] is {right[i]}; expected a row of its actions, from 0 to {sizes[i] - 1}")
        table = np.ones(int(starts[-1]))
        table[starts[:-1] + right.astype(np.int64)] = 0.0
        return table
    if isinstance(costs, str) or not isinstance(costs, Iterable) or len(lists := list(costs)) != len(sizes):
        raise InputError(f"costs is {shown(costs)}; expected a list of costs for each of the {len(sizes)} rounds")
    tables = [_costs_of_offer(f"costs[{i}]", one, int(sizes[i]), limits) for i, one in enumerate(lists)]
    found = np.concatenate(tables) if tables else np.empty(0)
    if found.size and np.isnan(found).all():
        raise InputError("costs has no number, only NaN; expected a cost of at least one action")
    return found


def _costs_of_offer(name: str, costs: Any, size: int, limits: Range) -> NDArray[np.float64]:
    array = as_array(name, costs)
    if array.shape != (size,):
        raise InputError(f"{name} has shape {array.shape}; expected ({size},), one cost for each action")
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name} has the type {array.dtype}; expected each to be {costs_expected(limits)}, or NaN")
    array = array.astype(np.float64)
    low, high = limits or (-LARGEST_COST, LARGEST_COST)
    wrong = np.flatnonzero(~(np.isnan(array) | ((array >= low) & (array <= high))))
    if wrong.size:
        raise InputError(f"{name}[{wrong[0]}] is {array[wrong[0]]}; expected {costs_expected(limits)}, or NaN")
    return array


def count_actions(y: ArrayLike | None, costs: ArrayLike | None) -> int:
    """The number of actions in labels or costs, K."""
    if costs is not None:
        array = as_array("costs", costs)
        if array.ndim != 2 or array.shape[1] < 2:
            raise InputError(f"costs have shape {array.shape}; expected rows of X by at least 2 actions")
        return int(array.shape[1])
    array = as_array("y", y)
    if array.size == 0 or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise InputError(f"y is {shown(y)}; expected integer labels from 0")
    return max(2, int(array.max()) + 1)
