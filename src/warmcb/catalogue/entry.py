"""What an entry of the catalogue says of an algorithm."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from warmcb.bandits.arrow import eight_lambdas
from warmcb.catalogue.look import Look
from warmcb.catalogue.workload import ONLINE, Workload
from warmcb.simulation import PlaysRounds

SOURCES = ("labels", "rounds")
"""What an algorithm can learn from: the labels of the warm start, the rounds of the interaction."""


@dataclass(frozen=True)
class Algorithm:
    """An entry of the catalogue.

    Attributes:
        name: by which commands, studies and results know it.
        title: how people call it, in figures and tables.
        kind: the class, or a function that makes an object of it.
        fixed: the settings that belong to the name, and that nobody else sets.
        learns_from: some of `SOURCES`.
        costs: the quantities of a workload that its time depends on, by their names in `Workload.quantities`.
        look: how its line is drawn; None: as those of strangers are.
        lane: of ARRoW-CB's eight λ the only one, counted from 0; None: all that its settings say.
        described: whether it plays actions that are described by features, and not numbers from 0 to K−1.

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
        """What its class can be told."""
        return tuple(inspect.signature(self.kind).parameters)

    @property
    def has_rate(self) -> bool:
        """Whether its class takes a learning rate."""
        return "learning_rate" in self.parameters

    @property
    def explores(self) -> bool:
        """Whether its runs differ between ε."""
        return "epsilon" in self.parameters and self.fixed.get("epsilon") != 0.0

    def sees_noise(self, truth: str) -> bool:
        """Whether its runs differ between noises: the side that is not the truth has them.

        Args:
            truth: which source can be believed, "bandit" or "supervised", as in `simulate`.

        """
        return ("labels" if truth == "bandit" else "rounds") in self.learns_from

    def make(self, n_actions: int, **settings: Any) -> PlaysRounds:
        """A new bandit.

        Args:
            n_actions: K; one for described actions is not told it.
            **settings: parameters of the class, by name. Those that the class does not have are left out, and what is
                fixed goes first.

        """
        settings |= self.fixed
        if self.lane is not None:
            settings["lambdas"] = (eight_lambdas(n_actions, settings.get("epsilon", 0.0125))[self.lane],)
        taken = {name: value for name, value in settings.items() if name in self.parameters}
        return self.kind(**taken) if self.described else self.kind(n_actions=n_actions, **taken)

    def work(self, load: Workload) -> tuple[float, ...]:
        """The quantities that one run costs; 0 for those that its time does not depend on.

        Args:
            load: the size of the run.

        Returns:
            a number for each of `load.quantities()`, in their order.

        """
        return tuple(value if name in self.costs else 0.0 for name, value in load.quantities().items())
