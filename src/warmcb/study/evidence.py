"""The evidence for claims: differences between algorithms under a condition, for one tuning of the learning rate."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from warmcb.catalogue import BEST_LAMBDA, PAPER, SINGLE_LAMBDA, STUDIED, SUPERVISED_TRUTH, title
from warmcb.noise import noise_text, parse_noise
from warmcb.study.cells import Cells, MissingError
from warmcb.study.estimates import JackknifeEstimate, Number, TooFewFamiliesError, below, larger_maximum, positive
from warmcb.study.grid import Grid
from warmcb.study.scores import SETTING, make_scores

MAIN, SMALL, LARGE = Grid().epsilon
ALL_NOISES = Grid().noises
CURVE_POINTS = np.linspace(0, 1, 21)
"""The points at which curves are compared."""
MOST_BELOW = 0.05
"""A curve approximately dominates another if it is nowhere lower by more than this share of the settings."""

_SCALED, _COST = 0, 1
RIVALS = {"bandit": PAPER, "supervised": SUPERVISED_TRUTH}


class Condition(NamedTuple):
    """The condition under which algorithms are compared."""

    noises: Sequence[str]
    epsilon: float = MAIN
    ratio: float | None = None
    """None: the mean over all ratios."""
    across: bool = False
    """Whether several ε are compared. Then only the runs count that were played at all of them."""


class ClaimEvidence(Protocol):
    """The source of the numbers of a claim."""

    rivals: Sequence[str]

    def mean(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        """The mean cost under a condition: scaled, and in plain average cost."""

    def curve(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        """The CDF of the normalized error, at each of `CURVE_POINTS`."""


class Difference(NamedTuple):
    """A number that is positive if a claim is true: scaled, and in plain average cost."""

    what: str
    number: Number | None
    """None if there are too few families."""
    cost: float | None = None
    """The difference in average cost; None for curves."""
    families: int | None = None
    """The number of families, if there are too few."""


Differences = Callable[[ClaimEvidence], list[Difference]]


class ScoredEvidence:
    """The evidence of a finished study, for one tuning."""

    def __init__(self, results: pl.DataFrame, tuning: str, rivals: Sequence[str], scores: pl.DataFrame) -> None:
        self.rivals = rivals
        self._results, self._tuning = results, tuning
        self._families = scores["family"].unique().sort().to_list()
        self._scores = {False: scores.filter(pl.col("tuning") == tuning)}
        self._cells: dict[tuple[Any, ...], Cells] = {}

    def mean(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        cells = self._found(under.epsilon, under.across, ["excess", "average_cost"])
        return cells.mean(algorithm, under.noises, under.ratio)

    def curve(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        names = [f"at {point:g}" for point in CURVE_POINTS]
        reached = [
            (pl.col("normalized_error") <= point).cast(pl.Float64).alias(name)
            for point, name in zip(CURVE_POINTS, names, strict=True)
        ]
        return self._found(under.epsilon, under.across, names, reached).mean(algorithm, under.noises, under.ratio)

    def _found(self, epsilon: float, across: bool, columns: list[str], more: Sequence[pl.Expr] = ()) -> Cells:
        key = epsilon, across, columns[0]
        if key not in self._cells:
            scored = self._scored(across)
            if not len(scored):  # a single family has no other families to choose a rate from
                raise TooFewFamiliesError(len(self._families))
            found = scored.filter(pl.col("epsilon") == epsilon)
            if not len(found) or (self._tuning == "other-data" and not _has_all_noises(found)):
                raise MissingError  # the rate is chosen over all noises: over some of them it could be another one
            self._cells[key] = Cells(found.with_columns(more), columns, self._families)
        return self._cells[key]

    def _scored(self, across: bool) -> pl.DataFrame:
        """All scores, or those of the shuffles that every ε has. With fewer shuffles the best rate looks better."""
        if across not in self._scores:
            fewest = self._results.group_by("epsilon").agg(pl.col("shuffle").max())["shuffle"].min()
            common = make_scores(self._results.filter(pl.col("shuffle") <= fewest))
            elsewhere = [name for name in SETTING if name != "epsilon"]
            is_everywhere = pl.col("epsilon").n_unique().over(elsewhere) == common["epsilon"].n_unique()
            self._scores[across] = common.filter(is_everywhere, pl.col("tuning") == self._tuning)
        return self._scores[across]


def _has_all_noises(scores: pl.DataFrame) -> bool:
    found = {noise_text(*noise) for noise in scores.select("noise", "noise_p").unique().iter_rows()}
    return found >= set(ALL_NOISES)


class Needs:
    """Takes the place of evidence, and records what a claim asks for."""

    def __init__(self, rivals: Sequence[str]) -> None:
        self.rivals = rivals
        self._algorithms: set[str] = set()
        self._noises: set[str] = set()
        self._epsilon: set[float] = set()

    def mean(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        self._note([algorithm], under)
        return JackknifeEstimate(np.zeros(2), np.zeros((2, 2)), 1.0)

    def curve(self, algorithm: str, under: Condition) -> JackknifeEstimate:
        self._note([algorithm, *self.rivals], under)  # the normalized error of the worst one is 1
        return JackknifeEstimate(np.zeros(len(CURVE_POINTS)), np.zeros((2, len(CURVE_POINTS))), 1.0)

    def _note(self, algorithms: Sequence[str], under: Condition) -> None:
        self._algorithms.update(algorithms)
        self._noises.update(under.noises)
        self._epsilon.add(under.epsilon)

    def settings(self) -> dict[str, list[Any]]:
        """The settings of the smallest grid that has all of it."""
        wanted = self._algorithms | ({*SINGLE_LAMBDA, "bandit-only"} if BEST_LAMBDA in self._algorithms else set())
        return {
            "algorithms": [name for name in STUDIED if name in wanted],
            "noises": [noise for noise in ALL_NOISES if noise in self._noises],
            "epsilon": [epsilon for epsilon in (MAIN, SMALL, LARGE) if epsilon in self._epsilon],
        }


def ahead(
    better: str, worse: str, noises: Sequence[str], ratio: float | None = None, epsilon: float = MAIN
) -> Differences:
    """One algorithm costs less than another."""
    under = Condition(noises, epsilon, ratio)

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        what = f"{title(worse)} − {title(better)}{_place(under)}"
        try:
            return [_difference(what, evidence.mean(worse, under) - evidence.mean(better, under))]
        except TooFewFamiliesError as error:  # at this ratio; at others there may be enough
            return [Difference(what, None, families=error.families)]

    return differences


def best(
    algorithm: str, noises: Sequence[str], ratio: float | None = None, epsilon: float = MAIN, but: str | None = None
) -> Differences:
    """An algorithm is ahead of all rivals, except for one if it is named."""

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        others = [other for other in evidence.rivals if other not in (algorithm, but)]
        return all_of(*(ahead(algorithm, other, noises, ratio, epsilon) for other in others))(evidence)

    return differences


def all_of(*parts: Differences) -> Differences:
    return lambda evidence: [difference for part in parts for difference in part(evidence)]


def dominates(better: str, worse: str, noises: Sequence[str], epsilon: float = MAIN) -> Differences:
    """One curve is nowhere far below another."""
    under = Condition(noises, epsilon)

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        lead = evidence.curve(worse, under) - evidence.curve(better, under)
        what = f"{MOST_BELOW:g} − largest lead of the curve of {title(worse)}{_place(under)}"
        return [Difference(what, below(lead, MOST_BELOW))]

    return differences


def wider_gap(behind: str, leader: str, noises: Sequence[str], at: float, than_at: float) -> Differences:
    """The gap between two algorithms is larger at one ε than at another."""

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        wide, narrow = (
            evidence.mean(behind, under) - evidence.mean(leader, under)
            for under in (Condition(noises, epsilon, across=True) for epsilon in (at, than_at))
        )
        where = _place(Condition(noises))
        what = f"{title(behind)}, gap to {title(leader)}{where}: at ε = {at:g} − at ε = {than_at:g}"
        return [_difference(what, wide - narrow)]

    return differences


def smaller_lead(leader: str, behind: str, noises: Sequence[str], than: Sequence[str]) -> Differences:
    """The lead of an algorithm over another is smaller under one noise than under another."""

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        large, small = (
            evidence.mean(behind, under) - evidence.mean(leader, under)
            for under in (Condition(than), Condition(noises))
        )
        what = f"lead of {title(leader)} over {title(behind)}: {_title(than)} − {_title(noises)}"
        return [_difference(what, large - small)]

    return differences


def cheaper_with(algorithm: str, better: float, worse: float, noises: Sequence[str]) -> Differences:
    """An algorithm costs less at one ε than at another."""

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        dear, cheap = (evidence.mean(algorithm, Condition(noises, epsilon, across=True)) for epsilon in (worse, better))
        what = f"{title(algorithm)}{_place(Condition(noises))}: at ε = {worse:g} − at ε = {better:g}"
        return [_difference(what, dear - cheap)]

    return differences


def smallest_worst_gap(algorithm: str) -> Differences:
    """The largest gap to the best algorithm, over all noises, is smaller for this algorithm than for all others."""

    def differences(evidence: ClaimEvidence) -> list[Difference]:
        gaps = {name: _gaps(evidence, name) for name in evidence.rivals}
        ours = gaps[algorithm]
        return [
            Difference(
                f"largest gap to the best: {title(other)} − {title(algorithm)}",
                larger_maximum(gaps[other][:, _SCALED], ours[:, _SCALED]),
                float(gaps[other].value[:, _COST].max() - ours.value[:, _COST].max()),
            )
            for other in evidence.rivals
            if other != algorithm
        ]

    return differences


def _gaps(evidence: ClaimEvidence, algorithm: str) -> JackknifeEstimate:
    """The gaps between an algorithm and each rival, itself included, under each noise."""
    gaps = [
        evidence.mean(algorithm, Condition([noise])) - evidence.mean(rival, Condition([noise]))
        for noise in ALL_NOISES
        for rival in evidence.rivals
    ]
    without = np.stack([gap.without for gap in gaps], axis=1)
    return JackknifeEstimate(np.stack([gap.value for gap in gaps]), without, min(gap.df for gap in gaps))


def _difference(what: str, estimate: JackknifeEstimate) -> Difference:
    return Difference(what, positive(estimate[_SCALED]), float(estimate.value[_COST]))


def _place(under: Condition) -> str:
    """The condition of a difference, without what is the default."""
    noises = "" if tuple(under.noises) == ALL_NOISES else f", {_title(under.noises)}"
    ratio = "" if under.ratio is None else f", ratio {under.ratio:g}"
    return noises + ratio + ("" if under.epsilon == MAIN else f", ε = {under.epsilon:g}")


def _title(noises: Sequence[str]) -> str:
    return "all noises" if tuple(noises) == ALL_NOISES else ", ".join(parse_noise(noise).title for noise in noises)
