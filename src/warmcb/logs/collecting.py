"""Collect the evidence of a log on policies, in two passes. Only a few numbers per decision stay in memory."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from warmcb.errors import DataError
from warmcb.logs.evidence import Evidence
from warmcb.logs.known_actions import LogActions, actions_in
from warmcb.logs.logged import Logged
from warmcb.logs.open import Log
from warmcb.logs.policies import LogPolicy
from warmcb.logs.reward_models import RewardModel

Progress = Callable[[str, int], None]
"""A function that is called with the current step and a number of decisions."""


def no_progress(what: str, decisions: int) -> None:
    """Report nothing."""


class Collected(NamedTuple):
    """The evidence of a log on several policies.

    Attributes:
        evidence: the evidence on each policy, from the same decisions.
        overlaps: Σ_a min(π(a), π'(a)) of each policy and the first in each decision, from 0 to 1.
        times: the times of the decisions in microseconds; NaT if a time is unknown.
        actions: the number of the chosen action of each decision; equal names, or else equal places, have one number.
        left_out: the number of decisions that cannot be used, by reason.

    """

    evidence: dict[str, Evidence]
    overlaps: dict[str, NDArray[np.float64]]
    times: NDArray[np.datetime64]
    actions: NDArray[np.int64]
    left_out: Counter[str]


def collect(log: Log, policies: Mapping[str, LogPolicy], model: RewardModel | None, progress: Progress) -> Collected:
    """Evaluate each policy in each decision of a log that can be used."""
    if model is not None:
        _teach(log, model, progress)
    parts = {name: _Parts() for name in policies}
    overlaps: dict[str, list[NDArray[np.float64]]] = {name: [] for name in policies}
    times, actions, units, dropped, left_out = [], [], [], [], Counter[str]()
    numbers: dict[str | int, int] = {}
    for logged in evidence_of(log, left_out):
        expected = None if model is None else model.expected(logged)
        asked = {name: policy(logged) for name, policy in policies.items()}
        first = next(iter(asked.values()))
        for name, chances in asked.items():
            parts[name].add(logged, chances, expected)
            overlaps[name].append(np.add.reduceat(np.minimum(chances, first), logged.starts[:-1]))
        times.append(logged.table["time"].to_numpy())
        actions.append(_numbers(logged, numbers))
        units.append(logged.units)
        dropped.append(logged.table["dropped"].to_numpy())
        progress("evaluating", len(logged))
    if not times:
        reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.items()) or "there is none"
        raise DataError(f"no decision of the log can be used ({reasons}); expected some that were drawn and rewarded")
    common = {"units": np.concatenate(units).view(np.int64), "dropped": _dropped(np.concatenate(dropped))}
    evidence = {name: one.evidence(common) for name, one in parts.items()}
    common_parts = {name: np.minimum(np.concatenate(some), 1.0) for name, some in overlaps.items()}
    return Collected(evidence, common_parts, np.concatenate(times), np.concatenate(actions), left_out)


def _teach(log: Log, model: RewardModel, progress: Progress) -> None:
    for i, logged in enumerate(evidence_of(log)):
        if i == 0:
            model.start(logged, LogActions() if logged.are_described else actions_in(log.tables()))
        model.learn(logged)
        progress("learning what actions bring", len(logged))


def evidence_of(log: Log, left_out: Counter[str] | None = None) -> Iterator[Logged]:
    """The decisions of a log that can be used, in batches. Others are counted in `left_out`."""
    for table in log.tables():
        logged = Logged(table)
        if left_out is not None:
            left_out.update(_reasons(table.filter(pl.Series(~logged.is_evidence))))
        if logged.is_evidence.any():
            yield logged.where(logged.is_evidence)


def _reasons(table: pl.DataFrame) -> list[str]:
    why = (
        pl.when(pl.col("arm") != "model")
        .then("arm")
        .when(~pl.col("activated"))
        .then(pl.lit("not activated"))
        .when(pl.col("reward").is_null())
        .then(pl.lit("without a reward"))
        .otherwise(pl.lit("with a choice that was not allowed"))
    )
    return table.select(why).to_series().to_list()


@dataclass
class _Parts:
    """The evidence on one policy, table by table."""

    weights: list[NDArray[np.float64]] = field(default_factory=list)
    largest_weights: list[NDArray[np.float64]] = field(default_factory=list)
    rewards: list[NDArray[np.float64]] = field(default_factory=list)
    expected: list[NDArray[np.float64]] = field(default_factory=list)
    expected_played: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, logged: Logged, chances: NDArray[np.float64], expected: NDArray[np.float64] | None) -> None:
        starts, chosen, logging = logged.starts[:-1], logged.chosen, logged.probabilities
        # An action that the log never plays has an infinite weight, which matters for bounds but not for sums.
        with np.errstate(over="ignore"):
            weights = np.divide(chances, logging, out=np.where(chances > 0, np.inf, 0.0), where=logging > 0)
        self.weights.append(weights[chosen])
        self.largest_weights.append(np.maximum.reduceat(weights, starts))
        self.rewards.append(logged.reward)
        if expected is not None:
            self.expected.append(np.add.reduceat(chances * expected, starts))
            self.expected_played.append(expected[chosen])

    def evidence(self, common: dict[str, Any]) -> Evidence:
        """The evidence of all tables."""
        own: dict[str, Any] = {name: np.concatenate(parts) if parts else None for name, parts in vars(self).items()}
        return Evidence(**own, **common)


def _dropped(shares: NDArray[np.float64]) -> NDArray[np.float64] | None:
    return shares if shares.any() else None


def _numbers(logged: Logged, numbers: dict[str | int, int]) -> NDArray[np.int64]:
    """A number for each chosen action, by its name if it has one, else by its place."""
    names = logged.table.select(pl.col("names").list.get(pl.col("action"))).to_series().to_list()
    chosen = [place if name is None else name for name, place in zip(names, logged.action.tolist(), strict=True)]
    return np.array([numbers.setdefault(one, len(numbers)) for one in chosen], dtype=np.int64)
