"""The paper's claims (section 5), each as a list of differences that are positive if it is true.

A difference comes with a 95 % interval. A claim holds if every interval lies above 0. It does not hold if one lies
below, even when the intervals are widened for their number: among twenty there would else be one by chance. Otherwise
it is too close to call. Nothing here is typed in: change the data and the verdicts follow.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from warmcb.noise import Noise
from warmcb.study.algorithms import PAPER, SUPERVISED_TRUTH, title
from warmcb.study.grid import Grid
from warmcb.study.scores import Areas, Doubles, interval

METHOD = (
    "Where the paper says that one curve dominates another, areas above them are compared (mean normalized errors,"
    " clipped to [0, 1]). A number is a difference of areas, or of average costs where it says «cost», positive where"
    " it supports the claim, with a 95 % bootstrap interval over data sets."
    " A claim holds if every interval lies above 0; it does not hold if one lies below, widened for the number of them"
    " (Bonferroni); else it is too close to call."
)
_ARROW, _ALL_NOISES = "arrow-8", None
_NOISES = Grid().noises
_EXPLORE = ("arrow-8", "arrow-2", "bandit-only", "sim-bandit")


class NotRunError(Exception):
    """The study does not hold what a claim is about."""


class Difference(NamedTuple):
    what: str
    replicates: Doubles


class Evidence:
    """The scores of one tuning, by condition, and who is compared; whoever else was run is no part of the claims."""

    def __init__(self, scores: pl.DataFrame, rivals: Sequence[str]) -> None:
        self.rivals = rivals
        self._scores = scores.filter(pl.col("algorithm").is_in(rivals))
        self._datasets = scores["dataset"].unique().sort().to_list()
        self._known: dict[tuple[Any, ...], Areas] = {}

    def area(
        self,
        algorithm: str,
        noise: str | None,
        epsilon: float = 0.0125,
        ratio: float | None = None,
        *,
        cost: bool = False,
    ) -> Doubles:
        """The area above the CDF of an algorithm under a condition, or its average cost, with its replicates."""
        condition = (noise, epsilon, ratio, cost)
        if condition not in self._known:
            self._known[condition] = self._areas(*condition)
        areas = self._known[condition]
        if algorithm not in areas.algorithms:
            raise NotRunError
        return areas[algorithm]

    def _areas(self, noise: str | None, epsilon: float, ratio: float | None, cost: bool) -> Areas:
        found = self._scores.filter(pl.col("epsilon") == epsilon)
        if noise is _ALL_NOISES and found.select("noise", "noise_p").n_unique() < len(_NOISES):
            raise NotRunError
        if noise is not None:
            kind = Noise.parse(noise)
            found = found.filter(pl.col("noise") == kind.kind, pl.col("noise_p") == kind.p)
        if ratio is not None:
            found = found.filter(pl.col("ratio") == ratio)
        if not len(found):
            raise NotRunError
        return Areas(found, self._datasets, "average_cost" if cost else "normalized_error")


Differences = Callable[[Evidence], list[Difference]]


class Claim(NamedTuple):
    id: str
    claim: str
    where: str
    differences: Differences


def judge(scores: pl.DataFrame, truth: str = "bandit") -> dict[str, Any]:
    """All claims with numbers and verdicts, as `claims.json` has them.

    The rates are chosen in hindsight, as in the paper; `untuned` is the verdict when each data set gets the rate that
    is best on the others.
    """
    rivals = PAPER if truth == "bandit" else SUPERVISED_TRUTH
    hindsight = Evidence(scores.filter(pl.col("tuning") == "hindsight"), rivals)
    untuned = Evidence(scores.filter(pl.col("tuning") == "other-data"), rivals)
    rows = []
    for claim in PAPERS_CLAIMS if truth == "bandit" else SUPERVISED_TRUTH_CLAIMS:
        numbers, verdict = _judge(claim, hindsight)
        rows.append(
            {
                "id": claim.id,
                "claim": claim.claim,
                "where": claim.where,
                "numbers": numbers,
                "verdict": verdict,
                "untuned": _judge(claim, untuned)[1],
            }
        )
    return {"method": METHOD, "claims": rows}


def _judge(claim: Claim, evidence: Evidence) -> tuple[list[dict[str, Any]], str]:
    try:
        found = claim.differences(evidence)
    except NotRunError:
        return [], "not run"
    areas = [interval(replicates) for _, replicates in found]
    numbers = [{"what": what, **area._asdict()} for (what, _), area in zip(found, areas, strict=True)]
    widened = [interval(replicates, parts=len(found)) for _, replicates in found]
    if any(area.high is not None and area.high < 0 for area in widened):
        return numbers, "does not hold"
    holds = all(area.low is not None and area.low > 0 for area in areas)
    return numbers, "holds" if holds else "too close to call"


def _ahead(better: str, worse: str, noise: str | None, ratio: float | None = None) -> Differences:
    place = "".join([f", {Noise.parse(noise).title}" if noise else "", f", ratio {ratio:g}" if ratio else ""])
    return lambda evidence: [
        Difference(
            f"{title(worse)} − {title(better)}{place}",
            evidence.area(worse, noise, ratio=ratio) - evidence.area(better, noise, ratio=ratio),
        )
    ]


def _best(algorithm: str, noise: str | None, ratio: float | None = None, behind: str | None = None) -> Differences:
    """Ahead of all others; `behind` one of them, if it is given."""

    def differences(evidence: Evidence) -> list[Difference]:
        others = [other for other in evidence.rivals if other not in (algorithm, behind)]
        pairs = [(behind, algorithm)] if behind else []
        pairs += [(algorithm, other) for other in others]
        return _all_of(*(_ahead(better, worse, noise, ratio) for better, worse in pairs))(evidence)

    return differences


def _ahead_under_every_noise(worse: str) -> Differences:
    return _all_of(*(_ahead(_ARROW, worse, noise) for noise in _NOISES))


def _gap(evidence: Evidence, behind: str, leader: str, noise: str, epsilon: float = 0.0125) -> Doubles:
    return evidence.area(behind, noise, epsilon) - evidence.area(leader, noise, epsilon)


def _wider_gap(behind: str, leader: str, noise: str, at: float, than_at: float) -> Differences:
    return lambda evidence: [
        Difference(
            f"{title(behind)}, gap to {title(leader)}, {Noise.parse(noise).title}: at ε = {at:g} − at ε = {than_at:g}",
            _gap(evidence, behind, leader, noise, at) - _gap(evidence, behind, leader, noise, than_at),
        )
    ]


def _smaller_lead(leader: str, behind: str, noise: str, than: str) -> Differences:
    return lambda evidence: [
        Difference(
            f"lead of {title(leader)} over {title(behind)}: {Noise.parse(than).title} − {Noise.parse(noise).title}",
            _gap(evidence, behind, leader, than) - _gap(evidence, behind, leader, noise),
        )
    ]


def _cheaper_with(better: float, worse: float, noise: str) -> Differences:
    return lambda evidence: [
        Difference(
            f"cost of {title(_ARROW)}, {Noise.parse(noise).title}: at ε = {worse:g} − at ε = {better:g}",
            evidence.area(_ARROW, noise, worse, cost=True) - evidence.area(_ARROW, noise, better, cost=True),
        )
    ]


def _smallest_worst_gap(algorithm: str) -> Differences:
    """Under each noise an algorithm has a gap to the best; of all algorithms the largest of these gaps is smallest."""

    def differences(evidence: Evidence) -> list[Difference]:
        areas = np.array([[evidence.area(name, noise) for noise in _NOISES] for name in evidence.rivals])
        worst = dict(zip(evidence.rivals, (areas - areas.min(axis=0)).max(axis=1), strict=True))
        others = [other for other in evidence.rivals if other != algorithm]
        what = "largest gap to the best: {} − {}"
        return [Difference(what.format(title(o), title(algorithm)), worst[o] - worst[algorithm]) for o in others]

    return differences


def _all_of(*parts: Differences) -> Differences:
    return lambda evidence: [difference for part in parts for difference in part(evidence)]


PAPERS_CLAIMS = (
    Claim("aggregate", "ARRoW-CB 8 is best over all noises", "Fig. 1", _best(_ARROW, _ALL_NOISES)),
    Claim(
        "best-or-close",
        "ARRoW-CB 8 alone is best or close under every noise: its largest gap to the best is the smallest",
        "section 5, «In sum»",
        _smallest_worst_gap(_ARROW),
    ),
    Claim(
        "above-arrow-2",
        "ARRoW-CB 8 is above ARRoW-CB 2 under every noise",
        "Fig. 2, appendix",
        _ahead_under_every_noise("arrow-2"),
    ),
    Claim(
        "above-sim-bandit",
        "ARRoW-CB 8 is above Sim-Bandit under every noise",
        "Fig. 2, appendix",
        _ahead_under_every_noise("sim-bandit"),
    ),
    Claim(
        "noiseless",
        "noiseless, ARRoW-CB 8 is behind Sup-Only alone",
        "Fig. 2",
        _best(_ARROW, "none", behind="sup-only"),
    ),
    Claim(
        "uar",
        "at uar 0.25, ARRoW-CB 8 is behind Sup-Only alone",
        "Fig. 2",
        _best(_ARROW, "uar:0.25", behind="sup-only"),
    ),
    Claim(
        "less-dominant",
        "at uar 0.25 Sup-Only leads by less than noiseless",
        "Fig. 2",
        _smaller_lead("sup-only", _ARROW, "uar:0.25", than="none"),
    ),
    Claim(
        "smaller-gaps",
        "at uar 0.25 ARRoW-CB 8 leads by less than noiseless: the labels are worth less",
        "Fig. 2",
        _all_of(
            *(_smaller_lead(_ARROW, name, "uar:0.25", "none") for name in ("arrow-2", "sim-bandit", "bandit-only"))
        ),
    ),
    Claim(
        "cyc-1",
        "at cyc 1, ARRoW-CB 8 is behind Bandit-Only alone",
        "Fig. 2",
        _best(_ARROW, "cyc:1", behind="bandit-only"),
    ),
    Claim("cyc-1-leader", "at cyc 1, Bandit-Only is best of all", "Fig. 2, appendix", _best("bandit-only", "cyc:1")),
    Claim(
        "gap-shrinks",
        "at cyc 1, the gap of ARRoW-CB 8 to Bandit-Only shrinks from ε = 0.0125 to 0.1",
        "Fig. 2",
        _wider_gap(_ARROW, "bandit-only", "cyc:1", at=0.0125, than_at=0.1),
    ),
    Claim("cyc-0.25", "at cyc 0.25, ARRoW-CB 8 is best", "Fig. 2", _best(_ARROW, "cyc:0.25")),
    Claim("maj-0.25", "at maj 0.25, ARRoW-CB 8 is best", "Fig. 2", _best(_ARROW, "maj:0.25")),
    Claim(
        "ratios",
        "at maj 0.25, ARRoW-CB 8 is best at the ratios 2.875, 23 and 184",
        "Fig. 3",
        _all_of(*(_best(_ARROW, "maj:0.25", ratio) for ratio in (2.875, 23, 184))),
    ),
    Claim(
        "small-ratio",
        "at ratio 2.875 Sup-Only is strong: ahead of Bandit-Only",
        "Fig. 3",
        _ahead("sup-only", "bandit-only", "maj:0.25", 2.875),
    ),
    Claim(
        "large-ratio",
        "at ratio 184 Bandit-Only is strong: ahead of Sup-Only",
        "Fig. 3",
        _ahead("bandit-only", "sup-only", "maj:0.25", 184),
    ),
    Claim(
        "warm-start-helps",
        "noiseless, a warm start helps: ARRoW-CB 8 is ahead of Bandit-Only",
        "section 5, question a",
        _ahead(_ARROW, "bandit-only", "none"),
    ),
    Claim(
        "epsilon-costs",
        "noiseless, more ε costs all that explore: their gaps to Sup-Only grow from ε = 0.0125 to 0.1",
        "section 5",
        _all_of(*(_wider_gap(name, "sup-only", "none", at=0.1, than_at=0.0125) for name in _EXPLORE)),
    ),
    Claim(
        "small-epsilon",
        "with little noise a small ε is to be preferred: noiseless, 0.0125 is cheaper than 0.1",
        "section 5, «In sum»",
        _cheaper_with(0.0125, 0.1, "none"),
    ),
    Claim(
        "large-epsilon",
        "with much noise a large ε is to be preferred: at cyc 1, 0.1 is cheaper than 0.0125",
        "section 5, «In sum»",
        _cheaper_with(0.1, 0.0125, "cyc:1"),
    ),
)

_TWO = "supervised-truth"
SUPERVISED_TRUTH_CLAIMS = (
    Claim("aggregate", "Algorithm 2 is best over all noises", "beyond the paper", _best(_TWO, _ALL_NOISES)),
    Claim(
        "best-or-close",
        "Algorithm 2 alone is best or close under every noise: its largest gap to the best is the smallest",
        "beyond the paper",
        _smallest_worst_gap(_TWO),
    ),
    Claim(
        "above-half",
        "Algorithm 2 is ahead of the mixture λ = ½ of its own learner",
        "suggested by theorem 2",
        _ahead(_TWO, "least-squares-half", _ALL_NOISES),
    ),
    Claim(
        "feedback-helps",
        "where feedback is right, it helps: Algorithm 2 is ahead of λ = 0 of its own learner",
        "suggested by theorem 2",
        _ahead(_TWO, "least-squares-0", "none"),
    ),
    Claim(
        "feedback-safe",
        "where feedback is misleading (cyc 1), Algorithm 2 is ahead of λ = 1 of its own learner",
        "suggested by theorem 2",
        _ahead(_TWO, "least-squares-1", "cyc:1"),
    ),
    Claim(
        "labels-lead",
        "where feedback is misleading (cyc 1), the labels alone are best: λ = 0 of that learner",
        "suggested by theorem 2",
        _best("least-squares-0", "cyc:1"),
    ),
    Claim(
        "above-sup-only",
        "Algorithm 2 is ahead of Sup-Only, tuned",
        "beyond the paper",
        _ahead(_TWO, "sup-only", _ALL_NOISES),
    ),
    Claim(
        "above-bandit-only",
        "Algorithm 2 is ahead of Bandit-Only, tuned",
        "beyond the paper",
        _ahead(_TWO, "bandit-only", _ALL_NOISES),
    ),
)
