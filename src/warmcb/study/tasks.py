"""The units of work: what one worker computes in one go, and what identifies it."""

import hashlib
import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import product, tee
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import polars as pl

import warmcb
from warmcb import _costs, _own
from warmcb._atomic import replacing
from warmcb.catalogue import Workload, algorithm
from warmcb.data.arrays import load_arrays, save_arrays
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.errors import WarmcbError
from warmcb.noise import parse_noise
from warmcb.simulation import PlaysRounds, play
from warmcb.simulation.described_scenes import DescribedScene
from warmcb.simulation.scenes import Scene
from warmcb.study.draws import exploration_seed, noise_seed, row_order
from warmcb.study.grid import Grid, Size
from warmcb.study.optimal import optimal_cost, optimal_described, random_cost

Columns = dict[str, list[Any]]
_VERSION_FILE = "code-version"


@dataclass(frozen=True)
class DataFacts:
    """What a study knows of a data set without opening it."""

    name: str
    n_rows: int
    n_features: int
    n_actions: int
    density: float
    """The share of features that are not 0."""
    fingerprint: str
    mean_actions: float | None = None
    """How many described actions a round has on average; None: actions are classes, and K of them in each round."""

    @property
    def is_described(self) -> bool:
        return self.mean_actions is not None

    def workload(self, rounds: int) -> Workload:
        """The size of a run with so many examples and rounds."""
        n_actions = round(self.mean_actions or self.n_actions)
        return Workload(rounds, self.n_features, self.density * self.n_features, n_actions)


class Load(NamedTuple):
    """What the time of a unit depends on: a kind of work, and quantities whose weighted sum it is.

    The weights are not known beforehand: they are found from the units of this kind that are done.
    """

    kind: str
    quantities: tuple[float, ...]


@dataclass(frozen=True)
class Runs:
    """Algorithms at every learning rate on the same rows: a data set, shuffled, one size, one ε, one noise.

    Or several noises or ε, if the algorithms do not see them: they are run once, and counted under each.
    """

    kind: ClassVar[str] = "runs"
    data: DataFacts
    size: Size
    noises: tuple[str, ...]
    truth: str
    epsilon: tuple[float, ...]
    shuffle: int
    seeds: int
    algorithms: tuple[str, ...]
    learning_rates: tuple[float, ...]
    seed: int
    sources: tuple[tuple[str, str], ...] = ()
    """The user's own algorithms and noises that the results depend on, each with the version of its source code."""

    @property
    def label(self) -> str:
        noise = self.noises[0] if len(self.noises) == 1 else "all noises"
        epsilon = f"ε={self.epsilon[0]:g}" if len(self.epsilon) == 1 else "all ε"
        own = [f" {name}" for name in self.algorithms if _own.is_own(name)]  # it may fail, and must be named then
        return f"{self.data.name} n_s={self.size.warm_start} {noise} {epsilon}{''.join(own)}"

    @property
    def alike(self) -> Hashable:
        return self.data, self.size, self.algorithms

    @property
    def load(self) -> Load:
        one_run = self.data.workload(self.size.warm_start + max(self.size.checkpoints))
        costs = np.zeros(len(one_run.quantities()))
        for name in self.algorithms:
            runs = self.seeds * (len(self.learning_rates) if algorithm(name).has_rate else 1)
            costs += runs * np.array(algorithm(name).work(one_run))
        return Load(",".join(self.algorithms), tuple(costs.tolist()))

    def compute(self, arrays: Path) -> Columns:
        """One row for each algorithm, learning rate, seed and interaction length."""
        if not any(map(_own.is_own, (*self.algorithms, *self.noises))):
            return self._compute(arrays)
        try:
            self._check_sources()
            return self._compute(arrays)
        except WarmcbError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        # Not from within: a user's own exception may not survive the way to another process, not even as a context.
        raise WarmcbError(reason)

    def _compute(self, arrays: Path) -> Columns:
        scene = self.scene(_mapped(arrays, self.data, self.shuffle))
        noises = [parse_noise(noise) for noise in self.noises]
        columns: Columns = {name: [] for name in COLUMNS}
        players, bandits = tee(self._bandits(scene))
        runs = play(scene, (bandit for *_, bandit in bandits))
        for (name, rate, exploration, _), run in zip(players, runs, strict=True):
            costs = run.checkpoints
            ends = zip(self.size.checkpoints, self.size.ratios, strict=True)
            for noise, epsilon, (end, ratio) in product(noises, self.epsilon, ends):
                row = (
                    self.data.name, self.data.n_rows, self.data.n_features, self.data.n_actions, self.size.warm_start,
                    end, ratio, noise.kind, noise.p, epsilon, name, rate, self.shuffle, exploration, costs[end],
                )  # fmt: skip
                for column, value in zip(COLUMNS, row, strict=True):
                    columns[column].append(value)
        return columns

    def _check_sources(self) -> None:
        for name, planned in self.sources:
            found = _own.find("source", name).version
            if found != planned:
                raise WarmcbError(f"this worker has the version {found} of {name}; expected {planned}, as the study")

    def scene(self, shuffled: Dataset | DescribedDataset) -> Scene | DescribedScene:
        """The data set, its rows in the order of the shuffle, with the labels that are wrong under this noise."""
        settings: dict[str, Any] = {
            "warm_start": self.size.warm_start,
            "interaction": max(self.size.checkpoints),
            "noise": self.noises[0],
            "truth": self.truth,
            "seed": noise_seed(self.seed, self.data.name, self.shuffle, parse_noise(self.noises[0]).kind),
            "shuffle": False,  # the rows are
            "checkpoints": self.size.checkpoints,
        }
        if isinstance(shuffled, DescribedDataset):
            return shuffled.scene(**settings)
        return Scene.prepare(shuffled.X, shuffled.y, None, shuffled.n_actions, **settings)

    def _bandits(self, scene: Scene | DescribedScene) -> Iterator[tuple[str, float | None, int, PlaysRounds]]:
        best_constant = _costs.best_constant(scene.truth, scene.n_actions) if isinstance(scene, Scene) else None
        for name in self.algorithms:
            chosen = algorithm(name)
            rates: Sequence[float | None] = self.learning_rates if chosen.has_rate else (None,)
            for rate in rates:
                for exploration in range(self.seeds):
                    bandit = chosen.make(
                        self.data.n_actions,
                        epsilon=self.epsilon[0],
                        learning_rate=rate,
                        horizon=self.data.n_rows - self.size.warm_start,
                        action=best_constant,
                        seed=exploration_seed(self.seed, self.data.name, self.shuffle, exploration),
                    )
                    yield name, rate, exploration, bandit


@dataclass(frozen=True)
class Optimal:
    """What the costs of one shuffle of a data set are measured by: e*, and the cost of the best constant action.

    Described actions have no constant one: a choice at random takes its place.
    """

    kind: ClassVar[str] = "optimal"
    data: DataFacts
    shuffle: int
    seed: int

    @property
    def label(self) -> str:
        return f"{self.data.name} e*"

    @property
    def alike(self) -> Hashable:
        return self.data

    @property
    def load(self) -> Load:
        quantities = self.data.workload(self.data.n_rows).quantities()
        if self.data.is_described:
            return Load("e* of described actions", algorithm("shared").work(self.data.workload(self.data.n_rows)))
        return Load("e*", (quantities["rounds"], quantities["scores"]))

    def compute(self, arrays: Path) -> Columns:
        dataset = _mapped(arrays, self.data, self.shuffle)
        if isinstance(dataset, DescribedDataset):
            found, constant = optimal_described(dataset), random_cost(dataset)
        else:
            assert dataset.y is not None
            found = optimal_cost(dataset.X, dataset.y, dataset.n_actions)
            constant = float(1 - np.bincount(dataset.y).max() / len(dataset.y))
        row = (self.data.name, self.shuffle, found, constant)
        return {column: [value] for column, value in zip(FLOOR_COLUMNS, row, strict=True)}


Unit = Runs | Optimal
SCHEMA = {
    "dataset": pl.String, "n_rows": pl.Int64, "n_features": pl.Int64, "n_actions": pl.Int64, "warm_start": pl.Int64,
    "interaction": pl.Int64, "ratio": pl.Float64, "noise": pl.String, "noise_p": pl.Float64, "epsilon": pl.Float64,
    "algorithm": pl.String, "learning_rate": pl.Float64, "shuffle": pl.Int64, "seed": pl.Int64,
    "average_cost": pl.Float64, "optimal_cost": pl.Float64, "constant_cost": pl.Float64,
}  # fmt: skip
"""The columns of the units' files."""
COLUMNS = tuple(SCHEMA)[:-2]
FLOOR_COLUMNS = ("dataset", "shuffle", *tuple(SCHEMA)[-2:])


def plan(grid: Grid, datasets: Sequence[DataFacts]) -> list[Unit]:
    """All units, in the order of the results."""
    units: list[Unit] = []
    for data, shuffle in product(datasets, range(grid.shuffles)):
        units.append(Optimal(data, shuffle, grid.seed))
        for size in grid.sizes(data.n_rows):
            for noises, epsilon, names in _groups(grid, shuffle, data.is_described):
                sources = _sources(names, noises, grid.truth)
                rest = (epsilon, shuffle, grid.seeds, names, grid.learning_rates, grid.seed, sources)
                units.append(Runs(data, size, noises, grid.truth, *rest))
    return units


def _groups(
    grid: Grid, shuffle: int, described: bool
) -> Iterator[tuple[tuple[str, ...], tuple[float, ...], tuple[str, ...]]]:
    """Noises, ε and the algorithms to run under them; one that does not see noise or ε is run once for all of them.

    A user's own algorithm has units of its own: when it is edited, the others need not be computed again.
    """
    wanted: dict[str, tuple[tuple[str, ...], tuple[float, ...]]] = {}
    for part in grid.parts(described=described):
        if shuffle < part.shuffles:
            for name in part.algorithms:
                _, epsilon = wanted.get(name, ((), ()))
                wanted[name] = part.noises, (*epsilon, *part.epsilon)
    together: dict[tuple[tuple[str, ...], tuple[float, ...], str], list[str]] = {}
    for name, (noises, epsilon) in wanted.items():
        by_noise = [(noise,) for noise in noises] if algorithm(name).sees_noise(grid.truth) else [noises]
        by_epsilon = [(one,) for one in epsilon] if algorithm(name).explores else [epsilon]
        for group in product(by_noise, by_epsilon):
            together.setdefault((*group, name if _own.is_own(name) else ""), []).append(name)
    for (noises, epsilon, _), names in together.items():
        yield noises, epsilon, tuple(names)


def _sources(names: Sequence[str], noises: Sequence[str], truth: str) -> tuple[tuple[str, str], ...]:
    """What the results of these algorithms under these noises depend on besides this package."""
    seen = noises if any(algorithm(name).sees_noise(truth) for name in names) else ()
    return tuple(
        (name, _own.find(argument, name).version)
        for argument, given in (("algorithm", names), ("noise", seen))
        for name in given
        if _own.is_own(name)
    )


def key(unit: Unit) -> str:
    """A name for what was computed: the data, the setting, the code."""
    what = {"kind": unit.kind, "code": code_version()} | asdict(unit)
    return hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=16).hexdigest()


@cache
def code_version() -> str:
    """A hash of the code that determines results: equal versions give equal rows."""
    package = Path(warmcb.__file__).parent
    hashed = hashlib.blake2b(f"NumPy {np.__version__}".encode(), digest_size=8)
    for path in code_files(package):
        hashed.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return f"{warmcb.__version__}+{hashed.hexdigest()}"


def code_files(package: Path) -> list[Path]:
    """The files that determine results: all but those known not to, so that a new one is never forgotten."""
    # A unit is keyed by the data themselves.
    aside = {"__main__.py", "_svg.py", "cli", "client", "data", "logs", "plot.py", "service", "theory"}
    of_study = {"draws.py", "optimal.py", "tasks.py"}
    modules = [
        path
        for path in package.rglob("*.py")
        if (part := path.relative_to(package).parts[0]) not in aside and (part != "study" or path.name in of_study)
    ]
    return sorted([*modules, *package.glob("_core*.so"), *package.glob("_core*.pyd")])


def write_arrays(dataset: Dataset | DescribedDataset, facts: DataFacts, grid: Grid, arrays: Path) -> None:
    """Write what workers map into their memory: the rows in the order of each shuffle, and which code they need."""
    for shuffle in range(grid.shuffles):
        order = row_order(grid.seed, facts.name, shuffle, facts.n_rows)
        save_arrays(dataset.rows(order), _folder(arrays, facts, shuffle))
    with replacing(arrays / _VERSION_FILE) as file:
        file.write(code_version().encode())


def _folder(arrays: Path, data: DataFacts, shuffle: int) -> Path:
    # With the name: a copy of a data set has orders of its own.
    named = hashlib.blake2b(f"{data.name}/{data.fingerprint}".encode(), digest_size=16)
    return arrays / named.hexdigest() / str(shuffle)


@lru_cache(maxsize=1)
def _mapped(arrays: Path, data: DataFacts, shuffle: int) -> Dataset | DescribedDataset:
    planned = (arrays / _VERSION_FILE).read_text()
    if planned != code_version():
        raise WarmcbError(f"this worker has warmcb {code_version()}; expected {planned}, as the study")
    return load_arrays(_folder(arrays, data, shuffle))
