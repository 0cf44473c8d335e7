"""NumPy's types keep their names: `ArrayLike` is shown as such, not as the eight types that it stands for."""

from typing import Generic, TypeVar

import numpy.typing
from sphinx.application import Sphinx

_Scalar = TypeVar("_Scalar")


class ArrayLike:
    __module__ = "numpy.typing"


class NDArray(Generic[_Scalar]):
    __module__ = "numpy.typing"


numpy.typing.ArrayLike = ArrayLike  # before warmcb is imported
numpy.typing.NDArray = NDArray


def setup(app: Sphinx) -> dict[str, bool]:
    return {"parallel_read_safe": True, "parallel_write_safe": True}
