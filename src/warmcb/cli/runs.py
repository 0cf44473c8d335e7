"""The runs of `warmcb simulate`: one, or one for each of several seeds."""

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
from warmcb.cli.choice import build
from warmcb.cli.workers import checked_workers
from warmcb.data import Dataset
from warmcb.noise import Noise, OwnNoise
from warmcb.simulation import Run, simulate

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Plan:
    """Everything that fixes a run but its seed."""

    dataset: Dataset
    algorithm: str
    options: Mapping[str, Any]
    """The bandit's options that the user gave."""
    warm_start: int
    interaction: int
    noise: Noise | OwnNoise
    truth: str
    shuffle: bool

    def play(self, seed: int) -> Run:
        data = self.dataset
        table = data.y if data.y is not None else data.costs
        assert table is not None
        best_constant = _costs.best_constant(table, data.n_actions)
        known: dict[str, Any] = {"horizon": max(self.interaction, 1), "seed": seed, "action": best_constant}
        if data.y is not None:
            known["cost_range"] = (0.0, 1.0)  # labels cost 0 or 1: intervals of λ can be had
        return simulate(
            build(self.algorithm, data.n_actions, self.options, known),
            data.X,
            **data.answers,
            warm_start=self.warm_start,
            interaction=self.interaction,
            noise=self.noise,
            truth=self.truth,
            seed=seed,
            shuffle=self.shuffle,
        )


class Played(NamedTuple):
    """What is kept of one run of many: a bandit may be large, and its rounds are wanted only for a trace."""

    seed: int
    average_cost: float
    lambda_: float
    parameters: dict[str, Any]
    trace: pl.DataFrame | None


class Runs(NamedTuple):
    """Runs that differ by their seed alone, in the order of their seeds."""

    played: list[Played]
    seconds: float
    """From the first to the last, without the reading of the data."""

    @property
    def costs(self) -> list[float]:
        return [one.average_cost for one in self.played]

    def traces(self) -> pl.DataFrame:
        """The rounds of all runs, run by run."""
        return pl.concat([one.trace for one in self.played if one.trace is not None])


class Estimate(NamedTuple):
    """A mean over runs, and how far it may be from the truth."""

    mean: float
    standard_error: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> "Estimate":
        """Mean, standard error and Student's interval of at least two values.

        >>> mean, error, low, high = Estimate.of([0.2, 0.4, 0.3])
        >>> f"{mean:.3f}, {error:.3f}, from {low:.3f} to {high:.3f}"
        '0.300, 0.058, from 0.052 to 0.548'
        """
        from scipy.stats import t  # slow to import: only those wait for it who need it

        array = np.array(list(values))
        mean, error = float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array)))
        reach = float(t.ppf((1 + CONFIDENCE) / 2, len(array) - 1)) * error
        return cls(mean, error, mean - reach, mean + reach)


def parameters_of(bandit: Any) -> dict[str, Any]:
    """The parameters of a bandit, as far as it tells them."""
    return bandit.get_params() if hasattr(bandit, "get_params") else {"n_actions": getattr(bandit, "n_actions", None)}


def play_many(plan: Plan, seeds: range, console: Console, *, with_trace: bool) -> Runs:
    """Play the plan once for each seed, in threads: the compiled rounds hold no lock."""

    def play(seed: int) -> Played:
        run = plan.play(seed)
        trace = trace_table(run, plan.dataset.classes).insert_column(0, _seed_column(seed, run)) if with_trace else None
        return Played(seed, run.average_cost, run.lambda_, parameters_of(run.bandit), trace)

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
                done.result()  # the first mistake ends all
                bar.advance(task)
    finally:
        pool.shutdown(cancel_futures=True)
    return Runs([one.result() for one in waiting], time.perf_counter() - started)


def trace_table(run: Run, classes: tuple[str, ...]) -> pl.DataFrame:
    """Every round of a run: a row for each, in order."""
    trace = run.trace
    columns: dict[str, Any] = {"round": np.arange(len(trace.actions), dtype=np.int64)}
    columns["row"] = run.rows
    columns["action"] = trace.actions
    columns["label"] = pl.Series(classes, dtype=pl.String).gather(trace.actions)
    columns["probability"] = trace.probabilities
    columns["cost"] = trace.costs
    columns["lambda"] = pl.Series(trace.lambdas, nan_to_null=True)  # NaN: the algorithm has no λ
    columns["memory"] = trace.memories
    return pl.DataFrame(columns)


def _seed_column(seed: int, run: Run) -> pl.Series:
    return pl.Series("seed", np.full(len(run.trace.actions), seed, dtype=np.uint64))
