"""The algorithm that a user names, and which of the command's options it has."""

from collections.abc import Mapping
from typing import Any

from warmcb.catalogue import CLASSES, algorithm, make_bandit
from warmcb.data import Dataset, DescribedDataset
from warmcb.errors import InputError

DEFAULT = "warm"
"""What is played on data whose actions are classes. The default for described actions has the same options."""


def check_options(chosen: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, those that are not None; one that the algorithm does not have is refused."""
    known = algorithm(chosen, CLASSES).parameters
    has = [name for name in options if name in known]
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in has:
            others = f"it has: {', '.join(has)}" if has else "it has none"
            raise InputError(f"{name} is {value!r}; {chosen} has no such option ({others})")
    return given


def algorithm_for(chosen: str | None, data: Dataset | DescribedDataset) -> str:
    """The algorithm that a user has named, or else the default for such data; one for other data is refused."""
    is_described = isinstance(data, DescribedDataset)
    if chosen is None:
        return "shared" if is_described else DEFAULT
    if is_described and not algorithm(chosen).described:
        raise InputError(f"algorithm is {chosen!r}, but the actions of {data.name} are described; expected shared")
    if algorithm(chosen).described and not is_described:
        raise InputError(
            f"algorithm is {chosen!r}, but the actions of {data.name} are classes; expected another algorithm, such as"
            f" {DEFAULT}, or a file with described actions"
        )
    return chosen


def build(chosen: str, n_actions: int, options: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """A bandit with a user's options, and with what the command knows where the algorithm has a parameter for it."""
    return make_bandit(chosen, n_actions, **options, **known)
