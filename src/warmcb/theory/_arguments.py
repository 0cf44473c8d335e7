"""The arguments of the bounds: checked, and converted to arrays of floats."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warmcb import _inputs
from warmcb.errors import InputError

Doubles = NDArray[np.float64]

MANY = 10**18
"""The largest number of rounds or examples."""
_AT_LEAST_0 = (0, 1e300, "a number of at least 0")
_COUNT = (0, MANY, "a number from 0 to 10¹⁸")
_RANGES = {
    "t": (1, MANY, "a round from 1 to 10¹⁸"),
    "lam": (0, 1, "a number in [0, 1]"),
    "alpha": _AT_LEAST_0,
    "Delta": _AT_LEAST_0,
    "n_s": _COUNT,
    "d": (1, MANY, "a VC dimension of at least 1"),
    "m": _COUNT,
    "n": _COUNT,
}


def as_arrays(**values: ArrayLike) -> list[Doubles]:
    """Check that each argument is in its range, and that their shapes broadcast.

    Args:
        **values: the arguments, by their names in the paper.

    Returns:
        the arguments as arrays, in the same order.

    """
    arrays = [_array(name, value) for name, value in values.items()]
    try:
        np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = " and ".join(f"{name} of shape {array.shape}" for name, array in zip(values, arrays, strict=True))
        raise InputError(f"{shapes} do not fit together; expected shapes that broadcast") from None
    return arrays


def _array(name: str, value: ArrayLike) -> Doubles:
    low, high, expected = _RANGES[name]
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r:.60}; expected {expected}") from None
    array = array.astype(np.float64)
    require_range(name, array, low, high, expected)
    return array


def require_range(name: str, array: Doubles, low: float | Doubles, high: float, expected: str) -> None:
    """Refuse an array with a value out of range.

    Args:
        name: the argument, for the message.
        array: its values.
        low: the lowest value that is allowed.
        high: the highest one.
        expected: the range in words.

    """
    wrong = ~((array >= low) & (array <= high))
    if wrong.any():
        raise InputError(f"{name} is {np.broadcast_to(array, wrong.shape)[wrong][0]:g}; expected {expected}")


def at_least_0(name: str, value: object) -> float:
    """Check a single number.

    Args:
        name: the argument, for the message.
        value: its value.

    """
    return _inputs.number(name, value, "a number of at least 0", 0.0, 1e300)
