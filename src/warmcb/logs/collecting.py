"""From a log and policies to evidence: two passes over the log, in bounded memory but for some numbers a decision."""

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
"""Is told what is being done, and how many decisions more it was done for."""


def no_progress(what: str, decisions: int) -> None:
    """Tell nobody."""


class Collected(NamedTuple):
    """What a log has to say of some policies.

    Attributes:
        evidence: of each policy, on the same decisions.
        overlaps: how much each policy has in common with the first in each decision, from 0 to 1: Σ_a min(π(a), π'(a)).
        times: when the decisions were made, microseconds since 1970; NaT where nobody knows.
        actions: a number for the chosen action of each decision: the same for the same name, or for the same place.
        left_out: how many decisions carry no evidence, by reason.

    """

    evidence: dict[str, Evidence]
    overlaps: dict[str, NDArray[np.float64]]
    times: NDArray[np.datetime64]
    actions: NDArray[np.int64]
    left_out: Counter[str]


def collect(log: Log, policies: Mapping[str, LogPolicy], model: RewardModel | None, progress: Progress) -> Collected:
    """Ask each policy about each decision of a log that carries evidence."""
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
        raise DataError(
            f"no decision of the log carries evidence ({reasons}); expected some that were drawn and rewarded"
        )
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
    """The decisions of a log that carry evidence, some at a time; what others are is counted in `left_out`."""
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
        # What the log never tries has an infinite weight that never occurs: bounds see it, sums do not.
        with np.errstate(over="ignore"):
            weights = np.divide(chances, logging, out=np.where(chances > 0, np.inf, 0.0), where=logging > 0)
        self.weights.append(weights[chosen])
        self.largest_weights.append(np.maximum.reduceat(weights, starts))
        self.rewards.append(logged.reward)
        if expected is not None:
            self.expected.append(np.add.reduceat(chances * expected, starts))
            self.expected_played.append(expected[chosen])

    def evidence(self, common: dict[str, Any]) -> Evidence:
        """All of it."""
        own: dict[str, Any] = {name: np.concatenate(parts) if parts else None for name, parts in vars(self).items()}
        return Evidence(**own, **common)


def _dropped(shares: NDArray[np.float64]) -> NDArray[np.float64] | None:
    return shares if shares.any() else None


def _numbers(logged: Logged, numbers: dict[str | int, int]) -> NDArray[np.int64]:
    """A number for each chosen action: of its name if it has one, else of its place."""
    names = logged.table.select(pl.col("names").list.get(pl.col("action"))).to_series().to_list()
    chosen = [place if name is None else name for name, place in zip(names, logged.action.tolist(), strict=True)]
    return np.array([numbers.setdefault(one, len(numbers)) for one in chosen], dtype=np.int64)
