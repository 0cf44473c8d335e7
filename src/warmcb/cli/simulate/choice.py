"""The algorithm that a user chooses, and the options that it takes."""

from collections.abc import Mapping
from typing import Any

from warmcb.catalogue import CLASSES, algorithm, make_bandit
from warmcb.data import Dataset, DescribedDataset
from warmcb.errors import InputError

DEFAULT = "warm"
"""The default for data whose actions are classes. The default for described actions takes the same options."""


def check_options(chosen: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, which are not None. The algorithm must have all of them."""
    known = algorithm(chosen, CLASSES).parameters
    has = [name for name in options if name in known]
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        if name not in has:
            others = f"it has: {', '.join(has)}" if has else "it has none"
            raise InputError(f"{name} is {value!r}; {chosen} has no such option ({others})")
    if chosen in CLASSES:
        make_bandit(chosen, 2, **given)  # refuses wrong values before the data are read
    return given


def algorithm_for(chosen: str | None, data: Dataset | DescribedDataset) -> str:
    """The algorithm that the user named, or the default. It must fit the actions of the data."""
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
    """Make a bandit with the user's options, and with those known values for which the algorithm has a parameter."""
    return make_bandit(chosen, n_actions, **options, **known)
