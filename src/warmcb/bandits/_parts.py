"""Parts of bandits: checks that they keep their contracts, and their form in model files.

In a file, a part is the name of a class with plain arguments. Loading a file never imports anything.
"""

from collections.abc import Iterable
from dataclasses import is_dataclass
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _core, explorers, learners, selectors
from warmcb._core import Rows
from warmcb._messages import shown
from warmcb.contracts import Opinions, parameters
from warmcb.errors import InputError, ModelFileError
from warmcb.features import Encoder, TransformerEncoder


def _parts_of(module: ModuleType) -> list[Any]:
    """The parts that a module exports: they are dataclasses, unlike what they inherit from."""
    return [thing for name in module.__all__ if is_dataclass(thing := getattr(module, name))]


_BUILT_IN: tuple[type[Any], ...] = (*_parts_of(learners), *_parts_of(selectors), *_parts_of(explorers), Encoder)

_WANTED = {
    "learner": ("predict", "predict_costs", "update", "teach", "state", "restore", "snapshot"),
    "selector": ("best", "eligible", "scores", "rounds", "admit", "add", "state", "restore", "snapshot"),
    "explorer": ("distribution", "largest_weight", "state", "restore", "snapshot"),
}

_PLAIN = (str, int, float, bool, type(None))


def encoded(name: str, value: Any) -> Any:
    """Convert an argument of a constructor for JSON: a part becomes the name of its class and its arguments."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, tuple | list):
        return [encoded(name, one) for one in value]
    if isinstance(value, TransformerEncoder):
        return {"transformer": value.fingerprint()}  # a foreign object, which the caller passes to `load`
    try:
        arguments = parameters(value)
    except (AttributeError, ValueError):
        expected = "expected a part that stores its arguments under their names"
        raise ModelFileError(f"{name} is {shown(value)}, which cannot be saved; {expected}") from None
    if type(value) not in _BUILT_IN and type(value).__name__ in {part.__name__ for part in _BUILT_IN}:
        kind = type(value).__name__
        raise ModelFileError(f"{name} is of your class {kind}, a name that warmcb uses; expected another name")
    return {"part": type(value).__name__, "arguments": {key: encoded(key, one) for key, one in arguments.items()}}


def decoded(value: Any, known: dict[str, type[Any]]) -> Any:
    """Undo `encoded`."""
    if isinstance(value, list):
        return tuple(decoded(one, known) for one in value)
    if not isinstance(value, dict):
        return value  # a plain value, or an object that the caller has passed
    name = value["part"]
    if name not in known:
        raise ValueError(f"it has the part {name}; expected load(path, parts=[{name}]) with your class")
    return known[name](**{key: decoded(one, known) for key, one in value["arguments"].items()})


def known_parts(parts: Iterable[type[Any]]) -> dict[str, type[Any]]:
    """The classes that a file may name: those of this package, and those of the caller."""
    own = {}
    if isinstance(parts, type) or not isinstance(parts, Iterable):
        raise InputError(f"parts is {shown(parts)}; expected a list of classes")
    for part in parts:
        if not isinstance(part, type):
            raise InputError(f"parts has {shown(part)}; expected classes")
        own[part.__name__] = part
    built_in = {part.__name__: part for part in _BUILT_IN}
    if taken := own.keys() & built_in.keys():
        raise InputError(f"parts has a class {min(taken)}, a name that warmcb uses; expected another name")
    return built_in | own


def check_parts(learner: Any, selector: Any, explorer: Any, shape: tuple[int, int, int]) -> None:
    """Check that started parts have the methods of their contracts, and the right size."""
    for role, part in (("learner", learner), ("selector", selector), ("explorer", explorer)):
        missing = [name for name in _WANTED[role] if not hasattr(part, name)]
        if missing:
            raise InputError(f"{role} is {shown(part)}, which has no {missing[0]}; expected it, see warmcb.contracts")
    if isinstance(learner, _core.Predictor):
        found = (learner.inputs - 1, learner.actions, learner.lanes)
        if found != shape:
            raise InputError(f"learner has the shape {found}; expected {shape}: features, actions, lanes")
    lanes = np.shape(selector.eligible)
    if lanes != shape[2:] or not 0 <= selector.best < shape[2]:
        raise InputError(f"selector has lanes of the shape {lanes}; expected {shape[2:]}, one for each λ")


def checked_scores(learner: Any, rows: Rows, i: int, shape: tuple[int, int]) -> NDArray[np.float32]:
    """The predictions of a learner for a row, checked, as a copy."""
    scores = np.array(learner.predict(rows, i), dtype=np.float32)
    if scores.shape != shape or not np.isfinite(scores).all():
        expected = f"expected finite numbers of the shape {shape}: actions by lanes"
        raise InputError(f"{_name(learner)} predicted {shown(scores.tolist())}; {expected}")
    return scores


def checked_distribution(explorer: Any, opinions: Opinions) -> NDArray[np.float64]:
    """The probabilities of an explorer, checked, as a copy."""
    given = explorer.distribution(opinions)
    try:
        probabilities = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        probabilities = np.empty(0)
    allowed = opinions.allowed
    fits = probabilities.shape == allowed.shape and (probabilities >= 0).all()
    if not fits or abs(probabilities.sum() - 1) > 1e-9 or probabilities[~allowed].any():
        expected = "expected numbers of at least 0 that sum to 1, and 0 for actions that are not allowed"
        raise InputError(f"{_name(explorer)} gave the probabilities {shown(given)}; {expected}")
    return probabilities


def checked_weight(explorer: Any, allowed: int, epsilon: float, round: int, of_eligible: bool) -> float:
    """The largest importance weight that an explorer gives, checked."""
    weight = explorer.largest_weight(allowed, epsilon, round, of_eligible)
    if not isinstance(weight, Real) or not float(weight) >= 1:
        raise InputError(f"{_name(explorer)} gave the largest weight {shown(weight)}; expected a number of at least 1")
    return float(weight)


def _name(part: object) -> str:
    return type(part).__name__
