"""The runs of `warmcb simulate`: one run, or one for each of several seeds."""

import math
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from warmcb import _costs
from warmcb.cli.simulate.choice import build
from warmcb.cli.workers import checked_workers
from warmcb.data import Dataset, DescribedDataset
from warmcb.noise import Noise, OwnNoise
from warmcb.simulation import Run, simulate
from warmcb.simulation.runs import play

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Plan:
    """Everything that determines a run, except its seed."""

    dataset: Dataset | DescribedDataset
    algorithm: str
    options: Mapping[str, Any]
    """The options of the bandit that the user gave."""
    warm_start: int
    interaction: int
    noise: Noise | OwnNoise
    truth: str
    shuffle: bool

    def play(self, seed: int) -> Run:
        data = self.dataset
        known: dict[str, Any] = {"horizon": max(self.interaction, 1), "seed": seed}
        if self.has_unit_costs:
            known["cost_range"] = (0.0, 1.0)  # so the bandit can give intervals for λ
        settings: dict[str, Any] = {
            "warm_start": self.warm_start,
            "interaction": self.interaction,
            "noise": self.noise,
            "truth": self.truth,
            "seed": seed,
            "shuffle": self.shuffle,
        }
        if isinstance(data, DescribedDataset):
            bandit = build(self.algorithm, data.n_actions, self.options, known)
            return next(play(data.scene(**settings, checkpoints=()), [bandit]))
        known["action"] = _costs.best_constant(data.cost_table, data.n_actions)
        return simulate(build(self.algorithm, data.n_actions, self.options, known), data.X, **data.answers, **settings)

    @property
    def has_unit_costs(self) -> bool:
        """Whether the costs are known to be from 0 to 1. Those of labels and of grades are."""
        if isinstance(self.dataset, DescribedDataset):
            return (np.nanmin(self.dataset.costs), np.nanmax(self.dataset.costs)) == (0.0, 1.0)
        return self.dataset.y is not None


class RunSummary(NamedTuple):
    """What is kept of one run of many. The bandit is not: it may be large."""

    seed: int
    average_cost: float
    shown: int
    lambda_: float
    parameters: dict[str, Any]
    learner: str | None
    trace: pl.DataFrame | None


class RepeatedRuns(NamedTuple):
    """Runs that differ only in their seeds, in the order of the seeds."""

    played: list[RunSummary]
    seconds: float
    """The time of all runs, without reading the data."""

    @property
    def costs(self) -> list[float]:
        return [one.average_cost for one in self.played]

    def traces(self) -> pl.DataFrame:
        """The rounds of all runs, one run after the other."""
        return pl.concat([one.trace for one in self.played if one.trace is not None])


class MeanCost(NamedTuple):
    """The mean cost of several runs, with a confidence interval."""

    mean: float
    standard_error: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "MeanCost":
        """Compute the mean, its standard error and Student's interval from at least two values.

        >>> mean, error, low, high = MeanCost.of([0.2, 0.4, 0.3])
        >>> f"{mean:.3f}, {error:.3f}, from {low:.3f} to {high:.3f}"
        '0.300, 0.058, from 0.052 to 0.548'
        """
        from scipy.stats import t  # slow to import

        array = np.array(list(values))
        mean, error = float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array)))
        reach = float(t.ppf((1 + CONFIDENCE) / 2, len(array) - 1)) * error
        return cls(mean, error, mean - reach, mean + reach)


def parameters_of(bandit: Any) -> dict[str, Any]:
    """The parameters of a bandit. A user's own bandit need not have `get_params`."""
    return bandit.get_params() if hasattr(bandit, "get_params") else {"n_actions": getattr(bandit, "n_actions", None)}


def learner_of(bandit: Any) -> str | None:
    """The learner in use, in a few words; None if the bandit does not tell."""
    return str(bandit.learner_) if hasattr(bandit, "learner_") else None


def play_many(plan: Plan, seeds: range, console: Console, *, with_trace: bool) -> RepeatedRuns:
    """Play the plan once for each seed, in threads: compiled rounds do not hold Python's lock."""

    def play(seed: int) -> RunSummary:
        run = plan.play(seed)
        trace = trace_table(run, plan.dataset).insert_column(0, _seed_column(seed, run)) if with_trace else None
        return RunSummary(
            seed, run.average_cost, run.shown, run.lambda_, parameters_of(run.bandit), learner_of(run.bandit), trace
        )

    started = time.perf_counter()
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    pool = ThreadPoolExecutor(min(len(seeds), checked_workers(None)))
    try:
        with bar:
            task = bar.add_task(f"playing {plan.algorithm}", total=len(seeds))
            waiting = [pool.submit(play, seed) for seed in seeds]
            for done in as_completed(waiting):
                done.result()  # the first error ends all runs
                bar.advance(task)
    finally:
        pool.shutdown(cancel_futures=True)
    return RepeatedRuns([one.result() for one in waiting], time.perf_counter() - started)


def trace_table(run: Run, data: Dataset | DescribedDataset) -> pl.DataFrame:
    """The rounds of a run as a table, one row for each round."""
    trace = run.trace
    columns: dict[str, Any] = {"round": np.arange(len(trace.actions), dtype=np.int64)}
    columns["row"] = run.rows
    columns["action"] = trace.actions
    if isinstance(data, Dataset):
        columns["label"] = pl.Series(data.classes, dtype=pl.String).gather(trace.actions)
    elif data.ids is not None:
        columns["id"] = _ids(data.ids).gather(data.starts[run.rows] + trace.actions)
    columns["probability"] = trace.probabilities
    columns["cost"] = pl.Series(trace.costs, nan_to_null=True)  # NaN: unknown
    columns["lambda"] = pl.Series(trace.lambdas, nan_to_null=True)  # NaN: the algorithm has no λ
    columns["memory"] = trace.memories
    return pl.DataFrame(columns)


def _ids(ids: tuple[str | int, ...]) -> pl.Series:
    """Ids as a column: integers if all ids are integers, else texts."""
    are_integers = all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in ids)
    return pl.Series(ids, dtype=pl.Int64) if are_integers else pl.Series(map(str, ids), dtype=pl.String)


def _seed_column(seed: int, run: Run) -> pl.Series:
    return pl.Series("seed", np.full(len(run.trace.actions), seed, dtype=np.uint64))
