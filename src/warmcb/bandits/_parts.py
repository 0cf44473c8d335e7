"""Parts of bandits in model files: a class by name with plain parameters. No file makes anything be imported."""

from collections.abc import Iterable
from typing import Any

from warmcb import explorers, learners, selectors
from warmcb._inputs import shown
from warmcb.contracts import parameters
from warmcb.errors import InputError, ModelFileError

_BUILT_IN: tuple[type[Any], ...] = (
    learners.OnlineLinear,
    learners.RecursiveLeastSquares,
    learners.BySize,
    selectors.ProgressiveValidation,
    selectors.Contest,
    explorers.EpsilonGreedy,
    explorers.InverseGap,
)

_PLAIN = (str, int, float, bool, type(None))


def encoded(name: str, value: Any) -> Any:
    """An argument of a constructor as JSON has it: plain values as they are, a part as its class and its arguments."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple | list):
        return [encoded(name, one) for one in value]
    try:
        arguments = parameters(value)
    except (AttributeError, ValueError):
        expected = "expected a part that keeps its arguments under their names"
        raise ModelFileError(f"{name} is {shown(value)}, which cannot be saved; {expected}") from None
    return {"part": type(value).__name__, "arguments": {key: encoded(key, one) for key, one in arguments.items()}}


def decoded(value: Any, known: dict[str, type[Any]]) -> Any:
    """The reverse."""
    if isinstance(value, list):
        return tuple(decoded(one, known) for one in value)
    if not isinstance(value, dict):
        return value
    name = value["part"]
    if name not in known:
        raise ValueError(f"it has the part {name}; expected load(path, parts=[{name}]) with your class")
    return known[name](**{key: decoded(one, known) for key, one in value["arguments"].items()})


def known_parts(parts: Iterable[type[Any]]) -> dict[str, type[Any]]:
    """The classes that a file may name: those of this package, and the caller's."""
    own = {}
    for part in parts:
        if not isinstance(part, type):
            raise InputError(f"parts has {shown(part)}; expected classes")
        own[part.__name__] = part
    built_in = {part.__name__: part for part in _BUILT_IN}
    if taken := own.keys() & built_in.keys():
        raise InputError(f"parts has a class {min(taken)}, as this package has; expected another name")
    return built_in | own
