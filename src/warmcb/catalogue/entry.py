"""An entry of the catalogue."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from warmcb.bandits.arrow import eight_lambdas
from warmcb.catalogue.look import Look
from warmcb.catalogue.workload import ONLINE, Workload
from warmcb.errors import InputError
from warmcb.simulation import PlaysRounds

SOURCES = ("labels", "rounds")
"""What an algorithm can learn from: the labels of the warm start, and the rounds of the interaction."""


class NoDefaultError(InputError):
    """A parameter of a user's class or function has neither a value nor a default."""


@dataclass(frozen=True)
class Algorithm:
    """An entry of the catalogue.

    Attributes:
        name: the name in commands, studies and results.
        title: the name in figures and tables.
        kind: the class, or a function that makes an object of it.
        fixed: the settings that belong to the name. Callers cannot change them.
        learns_from: some of `SOURCES`.
        costs: the quantities that its time depends on, by their names in `Workload.quantities`.
        look: the style of its line; None for the style of unknown algorithms.
        lane: for ARRoW-CB with a single λ, its place among the eight of the paper, from 0; else None.
        described: whether its actions are described by features, instead of numbered.

    Examples:
        >>> from warmcb.catalogue import CATALOGUE
        >>> entry = CATALOGUE["sup-only"]
        >>> entry.title, entry.learns_from, entry.explores
        ('Sup-Only', ('labels',), False)
        >>> entry.make(3, learning_rate=0.1)
        SupOnly(n_actions=3, learning_rate=0.1, horizon=None, seed=0)

    """

    name: str
    title: str
    kind: Callable[..., PlaysRounds]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    learns_from: tuple[str, ...] = SOURCES
    costs: tuple[str, ...] = ONLINE
    look: Look | None = None
    lane: int | None = None
    described: bool = False

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters of its class."""
        return tuple(inspect.signature(self.kind).parameters)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The names of the parameters of its class that have no default."""
        kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        parameters = inspect.signature(self.kind).parameters.values()
        return tuple(one.name for one in parameters if one.default is one.empty and one.kind in kinds)

    @property
    def has_rate(self) -> bool:
        """Whether its class has a learning rate."""
        return "learning_rate" in self.parameters

    @property
    def explores(self) -> bool:
        """Whether its runs depend on ε."""
        return "epsilon" in self.parameters and self.fixed.get("epsilon") != 0.0

    def sees_noise(self, truth: str) -> bool:
        """Tell whether its runs depend on the noise, which is in the source that is not the truth.

        Args:
            truth: the source without noise, "bandit" or "supervised", as in `simulate`.

        Returns:
            true if they do.

        """
        return ("labels" if truth == "bandit" else "rounds") in self.learns_from

    def make(self, n_actions: int, **settings: Any) -> PlaysRounds:
        """Make a new bandit.

        Args:
            n_actions: the number of actions, K; ignored if actions are described.
            **settings: parameters of the class, by name. Those that the class does not have are ignored. Fixed
                settings take precedence.

        Returns:
            the bandit.

        Raises:
            InputError: a parameter of your own class or function has neither a value nor a default.

        """
        settings |= self.fixed
        if self.lane is not None:
            settings["lambdas"] = (eight_lambdas(n_actions, settings.get("epsilon", 0.0125))[self.lane],)
        taken = {name: value for name, value in settings.items() if name in self.parameters}
        if not self.described:
            taken["n_actions"] = n_actions
        missing = [name for name in self.required if name not in taken]
        if missing:
            raise NoDefaultError(f"algorithm is {self.name!r}, which has no default for {missing[0]}; expected one")
        return self.kind(**taken)

    def work(self, load: Workload) -> tuple[float, ...]:
        """Compute the quantities that the time of a run depends on.

        Args:
            load: the size of the run.

        Returns:
            a number for each of `load.quantities()`, in their order; 0 if the time does not depend on it.

        """
        return tuple(value if name in self.costs else 0.0 for name, value in load.quantities().items())
