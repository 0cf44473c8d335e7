"""The door: whatever a caller brings becomes what the core takes, or an error that says what was expected."""

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _frames
from warmcb._core import Rows
from warmcb._costs import CostTable
from warmcb._messages import listed, one_line, shown
from warmcb._sparse import csr, is_sparse, sparse_rows
from warmcb.errors import InputError

Features = Any
"""A NumPy array, anything NumPy can turn into one, or a SciPy sparse matrix."""


def integer(name: str, value: object, at_least: int, at_most: int | None = None) -> int:
    if type(value) is int and at_least <= value and (at_most is None or value <= at_most):
        return value
    expected = f"an integer of at least {at_least}" if at_most is None else f"an integer from {at_least} to {at_most}"
    plain = _unwrapped(value)
    if not isinstance(plain, Integral) or isinstance(plain, bool):
        raise InputError(f"{name} is {shown(value)}; expected {expected}")
    result = int(plain)
    if result < at_least or (at_most is not None and result > at_most):
        raise InputError(f"{name} is {shown(plain)}; expected {expected}")
    return result


def number(name: str, value: object, expected: str, low: float, high: float, *, low_excluded: bool = False) -> float:
    """`value` as a float in [low, high], or in (low, high]."""
    plain = _unwrapped(value)
    if not isinstance(plain, Real):
        raise InputError(f"{name} is {shown(value)}; expected {expected}")
    try:
        result = float(plain)
    except OverflowError:
        result = float("inf")
    if not low <= result <= high or (low_excluded and result == low):
        raise InputError(f"{name} is {shown(plain)}; expected {expected}")
    return result


def fraction(name: str, value: object) -> float:
    return number(name, value, "a number in [0, 1]", 0.0, 1.0)


def learning_rate(value: object) -> float:
    return number("learning_rate", value, "a number from 1e-30 to 1e30", 1e-30, 1e30)


def half_life(value: object) -> float | None:
    if value is None:
        return None
    return number("half_life", value, "a number of rounds above 0, infinity, or None", 0.0, math.inf, low_excluded=True)


def half_lives(name: str, value: object) -> tuple[float, ...]:
    expected = f"{name} is {shown(value)}; expected numbers of rounds, the largest first"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(expected)
    found = tuple(number(name, one, "numbers of rounds", 1.0, 1e12) for one in value)
    if sorted(found, reverse=True) != list(found) or len(found) > 8:
        raise InputError(expected)
    return found


Range = tuple[float, float] | None
"""The lowest and the highest cost; None: any finite number."""

LARGEST_COST = 1e100
"""Beyond, squares of costs would overflow."""


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
        return value  # scikit-learn's clone wants to see its own tuple again
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
    """What was paid: a cost, or the reward that is its opposite."""
    if reward is None:
        return cost(cost_given, limits)
    if cost_given is not None:
        raise InputError(f"cost is {shown(cost_given)} beside reward={shown(reward)}; expected one of them")
    return -cost(reward, _opposite(limits), "reward")


def _opposite(limits: Range) -> Range:
    """The range of rewards; 0 − 0 is 0, and not −0."""
    return None if limits is None else (0.0 - limits[1], 0.0 - limits[0])


def horizon(value: object) -> int | None:
    return None if value is None else integer("horizon", value, 1, 10**18)


def probability(value: object) -> float:
    if type(value) is float and 0.0 < value <= 1.0:
        return value
    return number("probability", value, "a number in (0, 1]", 0.0, 1.0, low_excluded=True)


def seed(value: object) -> int:
    return integer("seed", value, 0, 2**64 - 1)


def choice(name: str, value: object, known: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise InputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}")
    return value


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} is {shown(value)}; expected True or False")
    return bool(value)


def one_row(x: Features, features: int | None) -> Rows:
    """A single context as rows of the core."""
    if is_sparse(x):
        if x.ndim == 2 and x.shape[0] != 1:
            raise InputError(f"x has shape {x.shape}; expected a single row")
        return _checked(sparse_rows("x", x), "x", features)
    values = dense("x", x)
    if values.ndim == 2 and values.shape[0] == 1:
        values = values[0]
    if values.ndim != 1:
        raise InputError(f"x has shape {values.shape}; expected a single row of features")
    return _checked(Rows(values.reshape(1, -1)), "x", features)


def matrix(X: Features, features: int | None) -> Rows:
    """A matrix of contexts, one per row, as rows of the core."""
    if isinstance(X, Sequence) and len(X) == 0:  # no rows: it tells nothing of the number of features
        X = np.empty((0, features or 0))
    X = plain_matrix(X)
    return _checked(sparse_rows("X", X) if is_sparse(X) else Rows(X), "X", features)


def plain_matrix(X: Features) -> Any:
    """X as something whose rows can be picked: a NumPy array of float32, or a CSR matrix."""
    plain = csr("X", X) if is_sparse(X) else dense("X", X)
    if plain.ndim != 2:
        raise InputError(f"X has shape {plain.shape}; expected a matrix with one row for each example")
    return plain


Numbers = Mapping[str, int]
"""The number of each action's name; empty if they have none."""


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
    """The names of actions, and that of a new one."""
    if (names is None) != (name is None):
        expected = (
            "no name, as the other actions have none" if names is None else "a name, as the other actions have one"
        )
        raise InputError(f"name is {shown(name)}; expected {expected}")
    return None if names is None or name is None else action_names((*names, name))


def action(value: object, n_actions: int, numbers: Numbers) -> int:
    """The number of an action that was given by its number or its name."""
    if type(value) is int and 0 <= value < n_actions:
        return value
    if isinstance(value, str):
        if value in numbers:
            return numbers[value]
        expected = f"one of {listed(list(numbers))}" if numbers else f"an integer from 0 to {n_actions - 1}"
        raise InputError(f"action is {shown(value)}; expected {expected}")
    return integer("action", value, 0, n_actions - 1)


def allowed(actions: Iterable[object], n_actions: int, numbers: Numbers) -> NDArray[np.uint8]:
    """A list of actions as marks, one for each action there is."""
    if (
        isinstance(actions, str)
        or not isinstance(actions, Iterable)
        or np.shape(getattr(actions, "shape", (1,))) == (0,)
    ):
        raise InputError(f"actions is {shown(actions)}; expected a list of actions")
    marks = np.zeros(n_actions, dtype=np.uint8)
    for one in actions:
        number = action(_unwrapped(one), n_actions, numbers)
        if marks[number]:
            raise InputError(f"actions has {shown(_unwrapped(one))} twice; expected each action once")
        marks[number] = 1
    if not marks.any():
        raise InputError("actions is empty; expected at least one action that may be played")
    return marks


def mask(actions: ArrayLike | None, n_rows: int, n_actions: int, numbers: Numbers) -> NDArray[np.uint8] | None:
    """Which actions are allowed in each row, (n, K): given as such, or as one list of actions for all rows."""
    if actions is None:
        return None
    actions = _by_action("actions", actions, numbers)
    if not hasattr(actions, "ndim") and isinstance(actions, Iterable):
        listed: list[Any] = list(actions)
        if not listed:
            raise InputError("actions is empty; expected at least one action that may be played")
        if all(isinstance(_unwrapped(one), str | Integral) and not isinstance(one, bool) for one in listed):
            return np.tile(allowed(listed, n_actions, numbers), (n_rows, 1))
        actions = listed
    array = _array("actions", actions)
    if array.ndim == 1 and array.dtype.kind != "b" and array.size:
        return np.tile(allowed(array.tolist(), n_actions, numbers), (n_rows, 1))
    if array.shape != (n_rows, n_actions):
        raise InputError(f"actions has shape {array.shape}; expected ({n_rows}, {n_actions}): rows of X by actions")
    if array.dtype.kind != "b" and not (array.dtype.kind in "iuf" and np.isin(array, (0, 1)).all()):
        raise InputError(f"actions is {shown(array.tolist())}; expected true or false for each row and action")
    empty = np.flatnonzero(~array.any(axis=1))
    if empty.size:
        raise InputError(f"actions[{empty[0]}] allows nothing; expected at least one action in each row")
    return np.ascontiguousarray(array, dtype=np.uint8)


def key(value: object, name: str = "key") -> int | str:
    """What names a draw or an action, as a plain value."""
    plain = _unwrapped(value)
    if isinstance(plain, str):
        return str(plain)
    if not isinstance(plain, Integral) or isinstance(plain, bool):
        raise InputError(f"{name} is {shown(value)}; expected a string or an integer")
    if abs(int(plain)) >= 2**255:
        raise InputError(f"{name} is {shown(value)}; expected an integer of at most 255 bits")
    return int(plain)


def keys(given: Sequence[int | str] | None, n_rows: int) -> tuple[int | str, ...] | None:
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"keys is {shown(given)}; expected a key for each row")
    found = tuple(key(one) for one in given)
    if len(found) != n_rows:
        raise InputError(f"there are {len(found)} keys; expected {n_rows}, one for each row of X")
    return found


def paid_costs(costs: ArrayLike, n_rows: int, limits: Range, name: str = "costs") -> NDArray[np.float64]:
    """What each of many decisions has cost."""
    array = _array(name, costs)
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
        return paid_costs(costs, n_rows, limits)  # type: ignore[arg-type]
    if costs is not None:
        raise InputError("costs are given beside rewards; expected one of them")
    return -paid_costs(rewards, n_rows, _opposite(limits), "rewards")  # type: ignore[arg-type]


def paid_in_log(paid: ArrayLike, y: object, costs: object, n_rows: int, limits: Range) -> NDArray[np.float64]:
    """What each event of a log without probabilities has cost; y says what was done."""
    if y is None or costs is not None:
        raise InputError("paid is given without y, or beside costs; expected y, what was done, and paid, what it cost")
    return paid_costs(paid, n_rows, limits, "paid")


def part(name: str, value: Any, known: Mapping[str, Any]) -> Any:
    """A part of a bandit: the name of a known one, or an object that can be started."""
    if isinstance(value, str):
        return choice(name, value, tuple(known))
    if isinstance(value, type) or not callable(getattr(value, "start", None)):
        own = "an object of your own (warmcb.contracts)"
        raise InputError(f"{name} is {shown(value)}; expected one of {', '.join(known)}, or {own}")
    return value


def cost_table(
    y: ArrayLike | None,
    costs: ArrayLike | None,
    n_rows: int,
    n_actions: int,
    judged: NDArray[np.uint8] | None = None,
    numbers: Numbers = MappingProxyType({}),
    limits: Range = (0.0, 1.0),
) -> CostTable:
    """Labels (n,) or costs (n, K), whichever of the two was given; NaN where an action was not judged."""
    if (y is None) == (costs is None):
        raise InputError("y and costs: expected exactly one of them")
    if y is None:
        return _costs(_by_action("costs", costs, numbers), n_rows, n_actions, judged, limits)
    found = labels(y, n_rows, n_actions, numbers)
    if judged is None or judged.all():
        return found
    wrong = np.flatnonzero(judged[np.arange(n_rows), found] == 0)
    if wrong.size:
        raise InputError(f"y[{wrong[0]}] is {_array('y', y)[wrong[0]]}, which actions say was not judged")
    return costs_among(found, judged)


def costs_of_offers(y: ArrayLike | None, costs: Any, starts: NDArray[np.int64], limits: Range) -> NDArray[np.float64]:
    """The cost of each described action of several rounds, one round after the other; NaN where nobody has judged."""
    if (y is None) == (costs is None):
        raise InputError("y and costs: expected exactly one of them")
    sizes = np.diff(starts)
    if costs is None:
        right = _array("y", y)
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
    array = _array(name, costs)
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


def _by_action(name: str, table: Any, numbers: Numbers) -> Any:
    """A table with one column for each action: by the names of the actions, if both have names."""
    columns = _frames.columns_of(table, name)
    return table if columns is None else _frames.arranged(name, table, tuple(numbers) or columns)


def costs_among(labels: NDArray[np.int32], judged: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The costs of labels, NaN where an action was not judged."""
    costs = np.where(judged == 0, np.nan, 1.0)
    rows = np.flatnonzero(judged[np.arange(len(labels)), labels])
    costs[rows, labels[rows]] = 0.0
    return costs


def labels(y: ArrayLike, n_rows: int, n_actions: int, numbers: Numbers = MappingProxyType({})) -> NDArray[np.int32]:
    array = _array("y", y)
    if array.shape == (0,) and n_rows == 0:
        return np.empty(0, dtype=np.int32)
    if numbers and array.dtype.kind in "UTO" and array.shape == (n_rows,):
        return np.array([_label(i, one, n_actions, numbers) for i, one in enumerate(array.tolist())], dtype=np.int32)
    expected = f"an integer label from 0 to {n_actions - 1}"
    if array.shape != (n_rows,):
        raise InputError(f"y has shape {array.shape}; expected ({n_rows},), one label for each row of X")
    if array.dtype.kind not in "biuf":
        hint = "numpy.unique(y, return_inverse=True)[1] makes such labels"
        raise InputError(f"y[0] is {shown(_unwrapped(array[0]))}; expected {expected} ({hint})")
    wrong = np.flatnonzero(~((array >= 0) & (array < n_actions) & (array == np.floor(array))))
    if wrong.size:
        raise InputError(f"y[{wrong[0]}] is {array[wrong[0]]}; expected {expected}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _label(i: int, value: object, n_actions: int, numbers: Numbers) -> int:
    try:
        return action(_unwrapped(value), n_actions, numbers)
    except InputError:
        raise InputError(f"y[{i}] is {shown(value)}; expected one of {listed(list(numbers))}") from None


def count_actions(y: ArrayLike | None, costs: ArrayLike | None) -> int:
    """K, as far as labels or costs tell it."""
    if costs is not None:
        array = _array("costs", costs)
        if array.ndim != 2 or array.shape[1] < 2:
            raise InputError(f"costs have shape {array.shape}; expected rows of X by at least 2 actions")
        return int(array.shape[1])
    array = _array("y", y)
    if array.size == 0 or array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        raise InputError(f"y is {shown(y)}; expected integer labels from 0")
    return max(2, int(array.max()) + 1)


def lambdas(value: object, known: Mapping[int, Sequence[float]]) -> NDArray[np.float64]:
    """Λ in ascending order. A number stands for one of the `known`, 2 for {0, 1}."""
    plain = _unwrapped(value)
    by_number = {**known, 2: (0.0, 1.0)}
    expected = f"expected {', '.join(map(str, sorted(by_number, reverse=True)))} or a sequence of numbers in [0, 1]"
    if isinstance(plain, Integral) and not isinstance(plain, bool):
        if plain not in by_number:
            raise InputError(f"lambdas is {plain}; {expected}")
        array = np.array(by_number[int(plain)], dtype=np.float64)
    else:
        try:
            array = np.unique(_array("lambdas", plain))
        except TypeError:  # numbers beside what is none
            raise InputError(f"lambdas is {shown(value)}; {expected}") from None
        if array.dtype.kind not in "iuf" or np.ndim(plain) != 1 or not ((array >= 0) & (array <= 1)).all():
            raise InputError(f"lambdas is {shown(value)}; {expected}")
        if array.size == 0:
            raise InputError(f"lambdas is {shown(value)}; {expected}")
        array = array.astype(np.float64)
    array.setflags(write=False)
    return array


def plain_lambdas(value: Any) -> Any:
    """Λ as a parameter: 8, 2, or values that nobody can change."""
    plain = _unwrapped(value)
    if isinstance(plain, Integral):
        return int(plain)
    if isinstance(plain, tuple) and all(type(one) in (int, float) for one in plain):
        return plain
    return tuple(float(one) for one in np.unique(plain))


def saved_lambdas(values: NDArray[Any]) -> NDArray[np.float64]:
    """Λ from a file: ascending, and of equals all."""
    array = np.array(values, dtype=np.float64)
    if not ((array >= 0) & (array <= 1)).all() or (np.diff(array) < 0).any():
        raise InputError(f"lambdas is {shown(values.tolist())}; expected ascending numbers in [0, 1]")
    array.setflags(write=False)
    return array


def _costs(
    costs: ArrayLike | None, n_rows: int, n_actions: int, judged: NDArray[np.uint8] | None, limits: Range
) -> NDArray[np.float64]:
    array = _array("costs", costs)
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


def _array(name: str, value: object) -> NDArray[Any]:
    try:
        _refuse_mask(value)
        return np.asarray(value)
    except Exception as error:  # whatever a foreign __array__ raises
        raise InputError(f"{name} is not an array: {one_line(error)}") from None


def _refuse_mask(value: object) -> None:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError("some of its values are masked")


def dense(name: str, X: Features) -> NDArray[np.float32]:
    """X as an array of float32."""
    try:
        with np.errstate(over="ignore", under="ignore"):
            _refuse_mask(X)
            array = np.asarray(X)
            if array.dtype.kind not in "biufO":
                raise TypeError(f"it has the type {array.dtype}")
            if array.ndim == 0:
                raise TypeError(f"it is the single value {shown(X)}")
            floats = np.ascontiguousarray(array, dtype=np.float32)
            return floats if floats.flags.aligned else floats.copy()
    except Exception as error:  # whatever a foreign __array__ or __float__ raises
        raise InputError(f"{name} is not a table of numbers: {one_line(error)}") from None


def _checked(rows: Rows, name: str, features: int | None) -> Rows:
    if features is not None and rows.features != features:
        raise InputError(f"{name} has {rows.features} features; expected {features}, as before")
    bad = rows.first_bad()
    if bad is not None:
        row, column, value = bad
        where = f"x[{column}]" if name == "x" else f"X[{row}, {column}]"
        raise InputError(f"{where} is {value}; expected a finite number below 3.4e38")
    return rows


def _unwrapped(value: Any) -> Any:
    """The number inside a NumPy scalar, a 0-d array or a tensor of one element."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
