"""The grid of a study: everything that it runs."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

from warmcb import _inputs
from warmcb.catalogue import DESCRIBED, GROUPS, PAPER, SINGLE_LAMBDA, STUDIED, SUPERVISED_TRUTH, algorithm
from warmcb.data.suites import located
from warmcb.errors import InputError
from warmcb.noise import fits_described, parse_noise
from warmcb.simulation.scenes import TRUTHS
from warmcb.study.sizes import PARTS, Size, sizes_of, why_no_size

FIGURE_2 = ("none", "uar:0.25", "cyc:0.25", "cyc:1", "maj:0.25")
"""The noises of the paper's Figure 2."""


class GridPart(NamedTuple):
    """Algorithms that are played under the same noises and ε, with the same number of shuffles."""

    algorithms: tuple[str, ...]
    epsilon: tuple[float, ...]
    noises: tuple[str, ...]
    shuffles: int


@dataclass(frozen=True)
class Grid:
    """Suites × sizes × noises × ε × algorithms × learning rates × shuffles × seeds. The defaults are the paper's.

    Most claims are about the main ε, so most time is spent there: with `shuffles` orders of the rows, and the `extras`.
    At any other ε, `side_shuffles` of these orders are played. Extras without a learning rate play `extra_shuffles` of
    them: they take long, and have no rate that could be tuned by luck.

    Data with described actions are played by the algorithms for them. If the grid names none, these are `DESCRIBED`.
    """

    suites: tuple[str, ...] = ("bundled",)
    data: tuple[str, ...] = ()
    truth: str = "bandit"
    warm_starts: tuple[int, ...] = (1, 2, 4, 8)
    interactions: tuple[int, ...] = (23, 46, 92, 184)
    noises: tuple[str, ...] = (
        "none", "uar:0.25", "uar:0.5", "uar:1", "cyc:0.25", "cyc:0.5", "cyc:1", "maj:0.25", "maj:0.5", "maj:1",
    )  # fmt: skip
    epsilon: tuple[float, ...] = (0.0125, 0.00625, 0.1)
    learning_rates: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    algorithms: tuple[str, ...] = PAPER
    extras: tuple[str, ...] = ("warm", *SINGLE_LAMBDA)
    """Algorithms that are played at the main ε only. The single λ are played under the noises of Figure 2 only."""
    claims: tuple[str, ...] = ()
    """The claims to judge; empty for all."""
    shuffles: int = 3
    side_shuffles: int = 2
    extra_shuffles: int = 1
    seeds: int = 1
    seed: int = 0
    max_rows: int | None = None

    def __post_init__(self) -> None:
        self._check_lists()
        if self.truth not in TRUTHS:
            raise InputError(f"truth is {self.truth!r}; expected one of {', '.join(TRUTHS)}")
        for name in ("warm_starts", "interactions"):
            for size in getattr(self, name):
                _inputs.integer(name, size, 1, PARTS - 1)
        for epsilon in self.epsilon:
            _inputs.fraction("epsilon", epsilon)
        for rate in self.learning_rates:
            _inputs.learning_rate(rate)
        for name in (*self.algorithms, *self.extras):
            if "cost_range" in algorithm(name, STUDIED).required:
                raise InputError(
                    f"algorithm is {name!r}, which has no default for cost_range; expected one: in a study no algorithm"
                    " is told the range of costs"
                )
        both = [name for name in self.extras if name in self.algorithms]
        if both:
            raise InputError(f"extras has {both[0]}, which is also in algorithms; expected it in one of them")
        for noise in self.noises:
            parse_noise(noise)
        _inputs.integer("shuffles", self.shuffles, 1, 10**6)
        _inputs.integer("side_shuffles", self.side_shuffles, 1, 10**6)
        _inputs.integer("extra_shuffles", self.extra_shuffles, 1, 10**6)
        _inputs.integer("seeds", self.seeds, 1, 10**6)
        _inputs.seed(self.seed)
        if self.max_rows is not None:
            _inputs.integer("max_rows", self.max_rows, 1)

    def _check_lists(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, tuple) and len(set(value)) < len(value):
                raise InputError(f"{field.name} is {', '.join(map(str, value))}; expected each value once")
            if value == () and field.name not in ("suites", "data", "extras", "claims"):
                raise InputError(f"{field.name} is empty; expected at least one value")
        if not self.suites and not self.data:
            raise InputError("suites and data are empty; expected data sets")

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Make a grid from plain values. The other settings have their defaults."""
        return cls().changed(settings)

    def changed(self, settings: Mapping[str, Any]) -> Self:
        """Make the same grid with other values.

        Some defaults depend on these values: with data there is no suite, with another truth there are other
        algorithms, and with named algorithms there are no extras.
        """
        values = {name: self._checked(name, value) for name, value in settings.items()}
        default = Grid()
        if values.get("data") and (self.suites, self.data) == (default.suites, default.data):
            values = {"suites": ()} | values
        if values.get("truth") == "supervised" and self.algorithms == default.algorithms:
            values = {"algorithms": SUPERVISED_TRUTH, "epsilon": default.epsilon[:1]} | values
        if "algorithms" in values and self.extras == default.extras:
            values = {"extras": ()} | values
        return replace(self, **values)

    def _checked(self, name: str, value: Any) -> Any:
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        if name not in known:
            raise InputError(f"the grid has no {name!r}; expected one of {', '.join(known)}")
        if isinstance(known[name], tuple) != isinstance(value, list | tuple):
            expected = "a list" if isinstance(known[name], tuple) else "a single value"
            raise InputError(f"{name} is {value!r}; expected {expected}")
        if isinstance(value, list | tuple) and any(isinstance(one, bool | list | dict) for one in value):
            raise InputError(f"{name} is {value!r}; expected a list of plain values")
        if name in ("epsilon", "learning_rates"):
            return tuple(_inputs.number(name, one, "numbers", -1e308, 1e308) for one in value)
        if name in ("noises", "algorithms", "extras", "claims", "suites", "data"):
            for one in value:
                if not isinstance(one, str):
                    raise InputError(f"{name} has {one!r}; expected text")
        if name == "noises":
            return tuple(str(parse_noise(one)) for one in value)
        if name in ("algorithms", "extras"):
            return tuple(member for one in value for member in GROUPS.get(one, (one,)))
        return tuple(value) if isinstance(value, list) else value

    def as_dict(self) -> dict[str, Any]:
        """The settings as plain values, for JSON and TOML."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @property
    def main_epsilon(self) -> float:
        return main_epsilon(self.epsilon)

    def parts(self, *, described: bool = False) -> Iterator[GridPart]:
        """The parts of the grid for data whose actions are classes, or for described actions."""
        fits = {name: algorithm(name).described == described for name in (*self.algorithms, *self.extras)}
        algorithms, extras = (tuple(filter(fits.get, names)) for names in (self.algorithms, self.extras))
        noises = self.noises
        if described:
            extras = extras or (() if algorithms else DESCRIBED)
            noises = tuple(noise for noise in noises if fits_described(parse_noise(noise)))
        if not noises:
            return
        main = (self.main_epsilon,)
        others = tuple(epsilon for epsilon in self.epsilon if epsilon not in main)
        if algorithms:
            yield GridPart(algorithms, main, noises, self.shuffles)
        if algorithms and others:
            yield GridPart(algorithms, others, noises, min(self.shuffles, self.side_shuffles))
        single = tuple(name for name in extras if name in SINGLE_LAMBDA)
        untuned = tuple(name for name in extras if not algorithm(name).has_rate)
        if more := tuple(name for name in extras if name not in (*single, *untuned)):
            yield GridPart(more, main, noises, self.shuffles)
        if untuned:
            yield GridPart(untuned, main, noises, min(self.shuffles, self.extra_shuffles))
        if single:
            yield GridPart(single, main, tuple(noise for noise in noises if noise in FIGURE_2) or noises, self.shuffles)

    def sizes(self, n_rows: int) -> list[Size]:
        """The sizes that fit a data set with this number of rows."""
        return sizes_of(n_rows, self.warm_starts, self.interactions)

    def why_no_size(self, n_rows: int) -> str:
        """Why no size fits a data set."""
        return why_no_size(n_rows, self.warm_starts)


def read_settings(path: Path) -> dict[str, Any]:
    """The settings of a TOML file, by the names of the grid. Paths of data are relative to the file."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"grid is {str(path)!r}; expected a TOML file: {error}") from None
    data = Grid.of({name: value for name, value in settings.items() if name == "data"}).data
    return settings | ({"data": [located(one, path.parent) for one in data]} if data else {})


def main_epsilon(found: Iterable[float]) -> float:
    """The ε of most figures of the paper if it was played, else the smallest one."""
    known = sorted(found)
    return 0.0125 if 0.0125 in known else known[0]
