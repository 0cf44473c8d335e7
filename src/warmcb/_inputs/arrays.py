"""Arrays of any library as NumPy arrays, and the numbers inside of arrays without dimensions."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb._messages import one_line
from warmcb.errors import InputError


def as_array(name: str, value: object) -> NDArray[Any]:
    try:
        refuse_mask(value)
        return np.asarray(value)
    except Exception as error:  # a foreign __array__ may raise anything
        raise InputError(f"{name} is not an array: {one_line(error)}") from None


def refuse_mask(value: object) -> None:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ValueError("some of its values are masked")


def unwrapped(value: Any) -> Any:
    """The number inside a NumPy scalar, a 0-d array or a tensor of one element."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
