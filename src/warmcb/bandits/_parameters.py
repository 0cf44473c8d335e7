"""Parameters in the style of scikit-learn: a constructor stores its arguments under their own names."""

import inspect
from typing import Any, ClassVar, Self

from warmcb.contracts import parameters
from warmcb.errors import InputError, OrderError


class HasParameters:
    """An object whose constructor arguments can be read, shown and cloned, but not changed."""

    _parameters: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._parameters = tuple(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = False) -> dict[str, Any]:
        """Get the arguments of the constructor.

        Args:
            deep: whether to add the arguments of parts, under names such as `explorer__sharpness`.

        Returns:
            the values, by name.

        """
        params = {name: getattr(self, name) for name in self._parameters}
        if deep:
            for name, value in list(params.items()):
                params |= {f"{name}__{inner}": one for inner, one in _arguments(value).items()}
        return params

    def clone(self) -> Self:
        """Make a new object with the same parameters that has not seen any data.

        Returns:
            the new object.

        """
        return type(self)(**self.get_params())

    def _changed(self, params: dict[str, Any]) -> Self:
        """A new object with some parameters replaced; names are those of `get_params(deep=True)`."""
        changed = self.get_params()
        if "actions" in params and "n_actions" not in params:
            changed["n_actions"] = None
        for name, value in sorted(params.items(), key=lambda item: "__" in item[0]):  # parts before their arguments
            outer, nested, inner = name.partition("__")
            part = changed.get(outer)
            known = [*self._parameters, *(f"{outer}__{one}" for one in _arguments(part))]
            if name not in known:
                what = f"{type(self).__name__} has no parameter {name}"
                raise InputError(f"{what}; expected one of {', '.join(known)}")
            changed[outer] = _with_argument(part, inner, value) if nested else value
        return type(self)(**changed)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._parameters and name in vars(self):
            raise OrderError(f"{name} cannot be changed to {value!r}; expected set_params before any data, or a clone")
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        shown = {name: value for name, value in self.get_params().items() if (name, value) != ("actions", None)}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


def _with_argument(part: Any, argument: str, value: Any) -> Any:
    """A copy of a part with one argument replaced."""
    return type(part)(**_arguments(part) | {argument: value})


def _arguments(part: object) -> dict[str, Any]:
    """The arguments of a part of a bandit; empty for plain values."""
    return parameters(part) if hasattr(part, "start") else {}
