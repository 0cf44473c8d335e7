"""Checks of Λ, the candidate weights of bandit feedback against labels."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._inputs.arrays import as_array, unwrapped
from warmcb._messages import shown
from warmcb.errors import InputError


def lambdas(value: object, known: Mapping[int, Sequence[float]]) -> NDArray[np.float64]:
    """Λ in ascending order. A number stands for a set in `known`, and 2 for {0, 1}."""
    plain = unwrapped(value)
    by_number = {**known, 2: (0.0, 1.0)}
    expected = f"expected {', '.join(map(str, sorted(by_number, reverse=True)))} or a sequence of numbers in [0, 1]"
    if isinstance(plain, Integral) and not isinstance(plain, bool):
        if plain not in by_number:
            raise InputError(f"lambdas is {plain}; {expected}")
        array = np.array(by_number[int(plain)], dtype=np.float64)
    else:
        try:
            array = np.unique(as_array("lambdas", plain))
        except TypeError:  # a mixture of types that cannot be sorted
            raise InputError(f"lambdas is {shown(value)}; {expected}") from None
        if array.dtype.kind not in "iuf" or np.ndim(plain) != 1 or not ((array >= 0) & (array <= 1)).all():
            raise InputError(f"lambdas is {shown(value)}; {expected}")
        if array.size == 0:
            raise InputError(f"lambdas is {shown(value)}; {expected}")
        array = array.astype(np.float64)
    array.setflags(write=False)
    return array


def plain_lambdas(value: Any) -> Any:
    """Λ as a parameter of a bandit: a number, or an immutable tuple."""
    plain = unwrapped(value)
    if isinstance(plain, Integral):
        return int(plain)
    if isinstance(plain, tuple) and all(type(one) in (int, float) for one in plain):
        return plain
    return tuple(float(one) for one in np.unique(plain))


def saved_lambdas(values: NDArray[Any]) -> NDArray[np.float64]:
    """Λ from a file, in ascending order; values may repeat."""
    array = np.array(values, dtype=np.float64)
    if not ((array >= 0) & (array <= 1)).all() or (np.diff(array) < 0).any():
        raise InputError(f"lambdas is {shown(values.tolist())}; expected ascending numbers in [0, 1]")
    array.setflags(write=False)
    return array
