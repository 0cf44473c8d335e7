"""States of objects as arrays by name, which is how a bandit is saved."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

State = dict[str, NDArray[Any]]


def copy_into(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Restore an array of a state, which must have the same type and shape."""
    if (target.dtype, target.shape) != (source.dtype, source.shape):
        found, wanted = f"{source.dtype} {source.shape}", f"{target.dtype} {target.shape}"
        raise ValueError(f"an array is {found}; expected {wanted}")
    target[...] = source


def named(prefix: str, state: State) -> State:
    """The state of a part, with a prefix for its names."""
    return {f"{prefix}_{name}": np.asarray(array) for name, array in state.items()}


def part(prefix: str, state: State) -> State:
    """Undo `named`: the state of one part."""
    return {name.removeprefix(f"{prefix}_"): array for name, array in state.items() if name.startswith(f"{prefix}_")}
