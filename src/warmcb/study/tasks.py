"""The units of work: what one worker computes in one go, and what identifies it."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

import warmcb
from warmcb import _costs, _streams
from warmcb._atomic import replacing
from warmcb.bandits import Bandit
from warmcb.data.arrays import load_arrays, save_arrays
from warmcb.data.dataset import Dataset
from warmcb.errors import WarmcbError
from warmcb.noise import Noise
from warmcb.simulate import Scene
from warmcb.study.algorithms import algorithm
from warmcb.study.grid import Grid, Size
from warmcb.study.optimal import optimal_cost

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


@dataclass(frozen=True)
class Runs:
    """Algorithms at every learning rate on the same rows: a data set, shuffled, one size, one ε, one noise.

    Or several noises, if the algorithms do not see them: they are run once, and counted under each.
    """

    kind: ClassVar[str] = "runs"
    data: DataFacts
    size: Size
    noises: tuple[str, ...]
    truth: str
    epsilon: float
    shuffle: int
    seeds: int
    algorithms: tuple[str, ...]
    learning_rates: tuple[float, ...]

    @property
    def label(self) -> str:
        noise = self.noises[0] if len(self.noises) == 1 else "all noises"
        return f"{self.data.name} n_s={self.size.warm_start} {noise} ε={self.epsilon:g}"

    @property
    def effort(self) -> float:
        """Seconds, roughly, as once measured; only the proportions matter."""
        n_actions, n_features = self.data.n_actions, self.data.n_features
        nonzeros = self.data.density * n_features
        rounds = max(self.size.checkpoints)
        online = rounds * (1.3e-7 + 3.9e-9 * nonzeros + 4.7e-10 * nonzeros * n_actions)
        exact = rounds * 5e-10 * nonzeros**2 + 4e-9 * n_actions * n_features**3
        terms = 2 * n_features + 1
        recursive = rounds * (1e-6 + 1e-9 * n_actions * terms + 1.2e-9 * terms * min(terms, 256))
        kinds = [algorithm(name) for name in self.algorithms]
        each = [
            online * len(self.learning_rates) * kind.has_rate + exact * kind.is_exact + recursive * kind.is_recursive
            for kind in kinds
        ]
        return self.seeds * sum(each)

    def compute(self, arrays: Path) -> Columns:
        """One row for each algorithm, learning rate, seed and interaction length."""
        dataset = _mapped(arrays, self.data, self.shuffle)
        scene = Scene.prepare(
            X=dataset.X,
            y=dataset.y,
            costs=None,
            n_actions=dataset.n_actions,
            warm_start=self.size.warm_start,
            interaction=max(self.size.checkpoints),
            noise=self.noises[0],
            truth=self.truth,
            seed=self.shuffle,
            shuffle=False,  # the arrays are
            checkpoints=self.size.checkpoints,
        )
        noises = [Noise.parse(noise) for noise in self.noises]
        columns: Columns = {name: [] for name in COLUMNS}
        for name, rate, seed, bandit in self._bandits(scene):
            costs = scene.run(bandit).checkpoints
            for noise, (end, ratio) in product(noises, zip(self.size.checkpoints, self.size.ratios, strict=True)):
                row = (
                    self.data.name, self.data.n_rows, self.data.n_features, self.data.n_actions, self.size.warm_start,
                    end, ratio, noise.kind, noise.p, self.epsilon, name, rate, self.shuffle, seed, costs[end],
                )  # fmt: skip
                for column, value in zip(COLUMNS, row, strict=True):
                    columns[column].append(value)
        return columns

    def _bandits(self, scene: Scene) -> Iterator[tuple[str, float | None, int, Bandit]]:
        best_constant = int(np.argmin(_costs.totals(scene.truth, scene.n_actions)))
        for name in self.algorithms:
            chosen = algorithm(name)
            rates: Sequence[float | None] = self.learning_rates if chosen.has_rate else (None,)
            for rate in rates:
                for seed in range(self.seeds):
                    bandit = chosen.make(
                        self.data.n_actions,
                        epsilon=self.epsilon,
                        learning_rate=rate,
                        horizon=self.data.n_rows - self.size.warm_start,
                        action=best_constant,
                        seed=exploration_seed(self.data.name, self.shuffle, seed),
                    )
                    yield name, rate, seed, bandit


@dataclass(frozen=True)
class Optimal:
    """e* of one shuffle of a data set."""

    kind: ClassVar[str] = "optimal"
    data: DataFacts
    shuffle: int

    @property
    def label(self) -> str:
        return f"{self.data.name} e*"

    @property
    def effort(self) -> float:
        return 5e-9 * self.data.n_rows * self.data.n_actions * self.data.density * self.data.n_features

    def compute(self, arrays: Path) -> Columns:
        dataset = _mapped(arrays, self.data, self.shuffle)
        assert dataset.y is not None
        found = optimal_cost(dataset.X, dataset.y, dataset.n_actions)
        return {"dataset": [self.data.name], "shuffle": [self.shuffle], "optimal_cost": [found]}


Unit = Runs | Optimal
SCHEMA = {
    "dataset": pl.String, "n_rows": pl.Int64, "n_features": pl.Int64, "n_actions": pl.Int64, "warm_start": pl.Int64,
    "interaction": pl.Int64, "ratio": pl.Float64, "noise": pl.String, "noise_p": pl.Float64, "epsilon": pl.Float64,
    "algorithm": pl.String, "learning_rate": pl.Float64, "shuffle": pl.Int64, "seed": pl.Int64,
    "average_cost": pl.Float64, "optimal_cost": pl.Float64,
}  # fmt: skip
"""The columns of the results. Units of runs give all but the last, which the units of e* give."""
COLUMNS = tuple(SCHEMA)[:-1]


def plan(grid: Grid, datasets: Sequence[DataFacts]) -> list[Unit]:
    """All units, in the order of the results."""
    units: list[Unit] = []
    for data in datasets:
        for shuffle in range(grid.shuffles):
            units.append(Optimal(data, shuffle))
            for size, epsilon in product(grid.sizes(data.n_rows), grid.epsilon):
                for noises, names in _groups(grid):
                    rest = (grid.truth, epsilon, shuffle, grid.seeds, names, grid.learning_rates)
                    units.append(Runs(data, size, noises, *rest))
    return units


def _groups(grid: Grid) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Noises and the algorithms to run under them: those that do not see the noise only once."""
    seeing = tuple(name for name in grid.algorithms if algorithm(name).sees_noise(grid.truth))
    blind = tuple(name for name in grid.algorithms if name not in seeing)
    if seeing:
        yield from (((noise,), seeing) for noise in grid.noises)
    if blind:
        yield grid.noises, blind


def key(unit: Unit) -> str:
    """A name for what was computed: the data, the setting, the code."""
    what = {"kind": unit.kind, "code": code_version()} | asdict(unit)
    return hashlib.blake2b(json.dumps(what, sort_keys=True).encode(), digest_size=16).hexdigest()


@cache
def code_version() -> str:
    """A hash of the code that determines results: equal versions give equal rows."""
    package = Path(warmcb.__file__).parent
    patterns = (
        "_core*.so", "_core*.pyd", "_costs.py", "_inputs.py", "_streams.py", "noise.py", "simulate.py", "bandits/*.py",
        "learners/*.py", "study/algorithms.py", "study/optimal.py", "study/tasks.py",
    )  # fmt: skip
    hashed = hashlib.blake2b(f"NumPy {np.__version__}".encode(), digest_size=8)
    for path in sorted(path for pattern in patterns for path in package.glob(pattern)):
        hashed.update(path.name.encode() + path.read_bytes())
    return f"{warmcb.__version__}+{hashed.hexdigest()}"


def exploration_seed(dataset: str, shuffle: int, seed: int) -> int:
    """Its own for each data set and shuffle, so that they are independent; shared by what is compared on them."""
    digest = hashlib.blake2b(f"{shuffle}/{seed}/{dataset}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def write_arrays(dataset: Dataset, facts: DataFacts, shuffles: int, arrays: Path) -> None:
    """Write what workers map into their memory: the rows in the order of each shuffle, and which code they need."""
    for shuffle in range(shuffles):
        order = _streams.generator(shuffle, _streams.SHUFFLE).permutation(facts.n_rows)
        save_arrays(dataset.rows(order), _folder(arrays, facts, shuffle))
    with replacing(arrays / _VERSION_FILE) as file:
        file.write(code_version().encode())


def _folder(arrays: Path, data: DataFacts, shuffle: int) -> Path:
    return arrays / data.fingerprint / str(shuffle)


@lru_cache(maxsize=1)
def _mapped(arrays: Path, data: DataFacts, shuffle: int) -> Dataset:
    planned = (arrays / _VERSION_FILE).read_text()
    if planned != code_version():
        raise WarmcbError(f"this worker has warmcb {code_version()}; expected {planned}, as the study")
    return load_arrays(_folder(arrays, data, shuffle))
