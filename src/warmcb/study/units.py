"""Units of work. A worker computes one at a time."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product, tee
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from warmcb import _costs, _own
from warmcb._messages import named
from warmcb.catalogue import algorithm
from warmcb.data.dataset import Dataset
from warmcb.data.described import DescribedDataset
from warmcb.errors import WarmcbError
from warmcb.noise import parse_noise
from warmcb.simulation import PlaysRounds
from warmcb.simulation.described_scenes import DescribedScene
from warmcb.simulation.runs import play
from warmcb.simulation.scenes import Scene
from warmcb.study.arrays import mapped_dataset
from warmcb.study.columns import COLUMNS, FLOOR_COLUMNS, Columns
from warmcb.study.draws import exploration_seed, noise_seed
from warmcb.study.facts import DataFacts
from warmcb.study.optimal import optimal_cost, optimal_described, random_cost
from warmcb.study.sizes import Size


class Load(NamedTuple):
    """The load of a unit: a kind of work, and quantities. Its time is a weighted sum of the quantities.

    The weights are not known in advance. They are estimated from finished units of the same kind.
    """

    kind: str
    quantities: tuple[float, ...]


@dataclass(frozen=True)
class RunsUnit:
    """Runs of some algorithms at every learning rate, on the same rows: one shuffle, one size, one noise, one ε.

    There are several noises or ε if the algorithms do not depend on them. The runs then count for each of them.
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
    """The user's own algorithms and noises, each with the version of its source code."""

    @property
    def label(self) -> str:
        noise = self.noises[0] if len(self.noises) == 1 else "all noises"
        epsilon = f"ε={self.epsilon[0]:g}" if len(self.epsilon) == 1 else "all ε"
        own = [f" {name}" for name in self.algorithms if _own.is_own(name)]  # if it fails, the message names it
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
        """A row for each algorithm, learning rate, seed and length of interaction."""
        if not any(map(_own.is_own, (*self.algorithms, *self.noises))):
            return self._compute(arrays)
        try:
            self._check_sources()
            return self._compute(arrays)
        except WarmcbError:
            raise
        except Exception as error:
            reason = named(error)
        # Outside of the handler: a user's exception, even as a context, may be impossible to send to another process.
        raise WarmcbError(reason)

    def _compute(self, arrays: Path) -> Columns:
        scene = self.scene(mapped_dataset(arrays, self.data, self.shuffle))
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
                raise WarmcbError(
                    f"this worker has the version {found} of {name}; expected {planned}, the version of the study"
                )

    def scene(self, shuffled: Dataset | DescribedDataset) -> Scene | DescribedScene:
        """The data set with the noise of this unit, ready to be played."""
        settings: dict[str, Any] = {
            "warm_start": self.size.warm_start,
            "interaction": max(self.size.checkpoints),
            "noise": self.noises[0],
            "truth": self.truth,
            "seed": noise_seed(self.seed, self.data.name, self.shuffle, parse_noise(self.noises[0]).kind),
            "shuffle": False,  # the rows are shuffled already
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
class OptimalUnit:
    """The two points of the scale of costs, for one shuffle of a data set: e*, and the best constant action.

    With described actions there is no constant action. A random choice takes its place.
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
        dataset = mapped_dataset(arrays, self.data, self.shuffle)
        if isinstance(dataset, DescribedDataset):
            found, constant = optimal_described(dataset), random_cost(dataset)
        else:
            found = optimal_cost(dataset.X, dataset.y, dataset.n_actions)
            constant = float(1 - np.bincount(dataset.y).max() / len(dataset.y))
        row = (self.data.name, self.shuffle, found, constant)
        return {column: [value] for column, value in zip(FLOOR_COLUMNS, row, strict=True)}


Unit = RunsUnit | OptimalUnit
