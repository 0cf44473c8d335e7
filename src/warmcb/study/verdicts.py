"""The verdict on each claim.

A claim is a list of differences that are positive if it is true. It holds if all of them are certainly positive. It
does not hold if one of them is certainly negative. Otherwise it is too close to call. The probability of an error is
shared by all claims.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from warmcb.noise import noise_text
from warmcb.study.cells import MissingError
from warmcb.study.claims import CLAIMS, Claim, chosen_claims
from warmcb.study.estimates import FEWEST_FAMILIES, TooFewFamiliesError
from warmcb.study.evidence import MOST_BELOW, RIVALS, ClaimEvidence, Difference, Needs, ScoredEvidence
from warmcb.study.scores import SMALLEST_RANGE, make_scores, plays_described

METHOD = (
    "A number is a difference of mean costs. It is positive if it supports the claim. On each data set, costs are"
    " measured from e*, the cost of a classifier that knows every label, in units of the distance from e* to the best"
    f" constant action (at least {SMALLEST_RANGE:g}). Nothing is clipped, and the scale is the same for every ε and for"
    " every choice of the learning rate. Data sets that are the same data in another form are one family, which counts"
    f" once. Ratios with fewer than {FEWEST_FAMILIES} families are left out. Brackets contain 95 % intervals: the"
    " families are a random sample. For claims about curves, the largest lead of the other curve is compared with"
    f" {MOST_BELOW:g}: a curve that is nowhere lower by more dominates approximately."
)
CORRECTION = (
    "If each of {count} claims were judged by its own interval, one or two verdicts would be chance. Therefore all"
    ' claims of a column are corrected together (Bonferroni). The probability that even one verdict "holds" or "does'
    ' not hold" is wrong is at most 5 %, also if only some claims are judged. For this reason a claim is too close to'
    " call if its intervals are just above 0."
)
HOLDS, FAILS, CLOSE, FEW, NOT_RUN = "holds", "does not hold", "too close to call", "needs more data", "not run"
_LEVEL = 0.05


class _Judged(NamedTuple):
    """The evidence on a claim for one tuning, before all claims are judged together."""

    differences: list[Difference]
    p_holds: float
    p_fails: float
    families: int | None = None
    """The number of families of some difference, if there are too few."""
    was_run: bool = True

    @property
    def can_be_judged(self) -> bool:
        return any(difference.number is not None for difference in self.differences)

    @property
    def p(self) -> float:
        """The p-value of the verdict that the numbers suggest. Only one of the two can be wrong: it is not doubled."""
        return min(self.p_holds, self.p_fails)


def judge(
    results: pl.DataFrame,
    truth: str = "bandit",
    claims: tuple[str, ...] = (),
    scores: pl.DataFrame | None = None,
) -> dict[str, Any]:
    """Judge all claims, with numbers and verdicts, in the form of `claims.json`.

    Learning rates are chosen in hindsight, as in the paper. Fields that begin with `untuned` are for the rates that are
    best on the other families. Only data sets whose actions are classes count.
    """
    asked, count = chosen_claims(claims, truth), len(CLAIMS[truth])
    scores = make_scores(results) if scores is None else scores
    results, scores = (table.filter(~plays_described(table)) for table in (results, scores))
    rivals = RIVALS[truth]
    was_run = {claim.id: _was_run(claim, results, rivals) for claim in asked}
    columns = []
    for tuning in ("hindsight", "other-data"):
        evidence = ScoredEvidence(results, tuning, rivals, scores)
        columns.append([_examine(claim, evidence) if was_run[claim.id] else _NOT_RUN for claim in asked])
    rows = [
        {
            "id": claim.id,
            "claim": claim.claim,
            "where": claim.where,
            **tuned,
            "untuned": untuned["verdict"],
            **{f"untuned_{name}": untuned[name] for name in ("p", "seen", "numbers")},
        }
        for claim, tuned, untuned in zip(asked, *(_rows(found, count) for found in columns), strict=True)
    ]
    return {"method": METHOD, "correction": CORRECTION.format(count=count), "claims": rows}


_NOT_RUN = _Judged([], 1.0, 1.0, was_run=False)


def _was_run(claim: Claim, results: pl.DataFrame, rivals: Sequence[str]) -> bool:
    """Whether the study has the algorithms, the noises and the ε of a claim."""
    needs = Needs(rivals)
    claim.differences(needs)
    played = results.select("algorithm", "epsilon", "noise", "noise_p").unique()
    noises = {noise_text(kind, p) for kind, p in played.select("noise", "noise_p").unique().iter_rows()}
    there = {"algorithms": set(played["algorithm"]), "noises": noises, "epsilon": set(played["epsilon"])}
    return all(set(wanted) <= there[name] for name, wanted in needs.settings().items())


def _examine(claim: Claim, evidence: ClaimEvidence) -> _Judged:
    try:
        found = claim.differences(evidence)
    except MissingError:
        return _NOT_RUN
    except TooFewFamiliesError as error:
        return _Judged([], 1.0, 1.0, error.families)
    numbers = [difference.number for difference in found if difference.number is not None]
    too_few = min((difference.families for difference in found if difference.families is not None), default=None)
    p_holds = max((number.p_for for number in numbers), default=1.0) if too_few is None else 1.0
    p_fails = min(1.0, len(numbers) * min((number.p_against for number in numbers), default=1.0))
    return _Judged(found, p_holds, p_fails, too_few)


def _rows(column: Sequence[_Judged], count: int) -> list[dict[str, Any]]:
    """The results of each claim for one tuning, corrected for `count` claims."""
    rows = []
    for one in column:
        p = min(1.0, count * one.p) if one.can_be_judged else None
        verdict, seen = _verdict(one, p), _seen(one, _LEVEL / count)
        rows.append({"verdict": verdict, "p": p, "families": one.families, "seen": seen, "numbers": _numbers(one)})
    return rows


def _verdict(one: _Judged, p: float | None) -> str:
    if not one.was_run:
        return NOT_RUN
    if p is not None and p <= _LEVEL:
        return HOLDS if one.p_holds < one.p_fails else FAILS
    return CLOSE if one.families is None else FEW


def _seen(one: _Judged, tail: float) -> float | None:
    """The smallest difference that four of five such studies would detect; None if there is none."""
    numbers = [number for _, number, _, _ in one.differences if number is not None]
    open_ones = [number for number in numbers if number.low <= 0 <= number.high] or numbers
    most = max((number.seen(tail / len(numbers)) for number in open_ones), default=math.inf)
    return most if math.isfinite(most) else None


def _numbers(one: _Judged) -> list[Mapping[str, Any]]:
    """The numbers, the least favourable one first, with their differences in average cost."""
    rows = [
        {"what": what, "value": number.value, "low": number.low, "high": number.high, "cost": cost}
        for what, number, cost, _ in one.differences
        if number is not None
    ]
    return sorted(rows, key=lambda row: row["value"])
