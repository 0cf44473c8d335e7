"""What the comparisons with Vowpal Wabbit share: data sets, noises, rates, and the rows that both sides see."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

import peer
from warmcb import ArrowCB, Noise, _streams
from warmcb.catalogue import make_bandit
from warmcb.data import BUNDLED, open_numbered

DATA_SETS = (
    "letter", "pendigits", "satimage", "optdigits", "nursery", "splice", "waveform-5000", "page-blocks", "spambase",
    "electricity", "kropt", "wine_quality", "dry_bean", "phoneme",
)  # fmt: skip
NOISES = ("none", "cyc:0.25", "cyc:1", "maj:0.5")
RATES = (0.03, 0.3, 3.0)
EPSILON = 0.0125

Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Trial:
    """One shuffle of one data set under one noise."""

    X: Any
    y: NDArray[np.int32]
    n_actions: int
    warm_start: int
    noise: Noise
    shuffle: int
    rows_of_peer: Path

    @property
    def horizon(self) -> int:
        return len(self.y) - self.warm_start

    @property
    def setting(self) -> dict[str, Any]:
        """What `simulate` must be told, so that it shows the same labels as the file does."""
        return {"warm_start": self.warm_start, "noise": self.noise, "seed": self.shuffle, "shuffle": False}

    def theirs(self, algorithm: str, rate: float) -> float:
        """Vowpal Wabbit's average cost."""
        return peer.run(
            self.rows_of_peer, algorithm, n_actions=self.n_actions, warm_start=self.warm_start,
            interaction=self.horizon, epsilon=EPSILON, learning_rate=rate, bits=22,
        ).average_cost  # fmt: skip

    def ours(self, algorithm: str, rate: float, seed: int = 0) -> ArrowCB:
        """A bandit of the same algorithm; ARRoW-CB gets Vowpal Wabbit's Λ unless it is "(paper's Λ)"."""
        settings: dict[str, Any] = {"epsilon": EPSILON, "learning_rate": rate, "horizon": self.horizon, "seed": seed}
        if algorithm.startswith("arrow"):
            count = int(algorithm.split("-")[1][0])
            its_own = peer.lambdas_as_the_paper_counts(self.n_actions, EPSILON, count)
            return ArrowCB(self.n_actions, lambdas=count if "paper" in algorithm else its_own, **settings)
        bandit = make_bandit(algorithm, self.n_actions, **settings)
        assert isinstance(bandit, ArrowCB)
        return bandit


@contextmanager
def trial(data: str, shuffle: int, noise_name: str, max_rows: int) -> Iterator[Trial]:
    """Shuffle, corrupt, and write the rows for Vowpal Wabbit."""
    dataset = open_numbered(data)
    order = _streams.generator(shuffle, _streams.SHUFFLE).permutation(len(dataset.y))[:max_rows]
    X, y = dataset.X[order], dataset.y[order]
    warm_start = max(100, len(y) // 50)
    noise = Noise.parse(noise_name)
    shown = y.copy()
    shown[:warm_start] = noise.corrupt(y[:warm_start], dataset.n_actions, int(np.bincount(y).argmax()), shuffle)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.vw"
        peer.write_rows(path, X, shown)
        yield Trial(X, y, dataset.n_actions, warm_start, noise, shuffle, path)


def data_sets(folder: Path | None) -> list[str]:
    """The files of `folder`; without them, the bundled data sets."""
    files = [folder / f"{name}.parquet" for name in DATA_SETS] if folder else []
    return [str(file) for file in files if file.exists()] or list(BUNDLED)


def in_processes(work: Callable[[Task], list[Found]], tasks: Sequence[Task]) -> list[Found]:
    """The results of all tasks, with a progress bar."""
    with ProcessPoolExecutor() as pool:
        batches = track(pool.map(work, tasks), total=len(tasks), console=Console(stderr=True))
        return [one for batch in batches for one in batch]
