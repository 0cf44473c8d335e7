"""The paper's claims (section 5 and the appendix). Each is a list of differences, which are positive if it is true."""

from typing import NamedTuple

from warmcb.catalogue import BEST_LAMBDA
from warmcb.errors import InputError
from warmcb.study.evidence import (
    ALL_NOISES,
    LARGE,
    MAIN,
    RIVALS,
    SMALL,
    Differences,
    ahead,
    all_of,
    best,
    cheaper_with,
    dominates,
    smaller_lead,
    smallest_worst_gap,
    wider_gap,
)
from warmcb.study.grid import FIGURE_2

_ARROW = "arrow-8"
_BOTH_SOURCES = ("arrow-2", "sim-bandit")
_EXPLORE = ("arrow-8", "arrow-2", "bandit-only", "sim-bandit")
_RATIOS = (2.875, 5.75, 11.5, 23.0, 46.0, 92.0, 184.0)
_EXTREME_NOISES = ("uar:1", "cyc:1", "maj:1")
_NOISELESS, _UAR, _CYC, _CYC_1, _MAJ = (("none",), ("uar:0.25",), ("cyc:0.25",), ("cyc:1",), ("maj:0.25",))


class Claim(NamedTuple):
    id: str
    claim: str
    where: str
    differences: Differences


def chosen_claims(ids: tuple[str, ...], truth: str) -> tuple[Claim, ...]:
    """The claims with these ids; all claims if no id is given."""
    known = {claim.id: claim for claim in CLAIMS[truth]}
    for one in ids:
        if one not in known:
            raise InputError(f"claims has {one!r}; expected some of {', '.join(known)}")
    return tuple(known[one] for one in ids) or CLAIMS[truth]


def _above_both(epsilon: float) -> Differences:
    """ARRoW-CB 8 is ahead of the other methods that use both sources, under every noise."""
    return all_of(*(ahead(_ARROW, other, [noise], None, epsilon) for other in _BOTH_SOURCES for noise in ALL_NOISES))


def _dominates_all(noises: tuple[str, ...], *but: str) -> Differences:
    rivals = [rival for rival in RIVALS["bandit"] if rival not in (_ARROW, *but)]
    return all_of(*(dominates(_ARROW, rival, noises) for rival in rivals))


_PAPERS_CLAIMS = (
    Claim("aggregate", "ARRoW-CB 8 is best over all noises", "Fig. 1", best(_ARROW, ALL_NOISES)),
    Claim(
        "aggregate-curve",
        "over all noises, the curve of ARRoW-CB 8 dominates all others",
        "Fig. 1",
        _dominates_all(ALL_NOISES),
    ),
    Claim(
        "best-or-close",
        "only ARRoW-CB 8 is best or close to the best under every noise: its largest gap to the best is the smallest",
        'section 5, "In sum"',
        smallest_worst_gap(_ARROW),
    ),
    Claim(
        "both-sources-curves",
        "in the six panels of Figure 2, the curve of ARRoW-CB 8 approximately dominates those of the other methods"
        " that use both sources",
        "Fig. 2",
        all_of(
            *(dominates(_ARROW, other, [noise]) for other in _BOTH_SOURCES for noise in FIGURE_2),
            *(dominates(_ARROW, other, _CYC_1, LARGE) for other in _BOTH_SOURCES),
        ),
    ),
    Claim(
        "above-arrow-2",
        "ARRoW-CB 8 is above ARRoW-CB 2 under every noise",
        "Fig. 2, appendix",
        all_of(*(ahead(_ARROW, "arrow-2", [noise]) for noise in ALL_NOISES)),
    ),
    Claim(
        "above-sim-bandit",
        "ARRoW-CB 8 is above Sim-Bandit under every noise",
        "Fig. 2, appendix",
        all_of(*(ahead(_ARROW, "sim-bandit", [noise]) for noise in ALL_NOISES)),
    ),
    Claim(
        "both-sources-small-epsilon",
        "at ε = 0.00625, ARRoW-CB 8 always beats the other methods that use both sources",
        "appendix",
        _above_both(SMALL),
    ),
    Claim(
        "both-sources-large-epsilon",
        "at ε = 0.1, ARRoW-CB 8 always beats the other methods that use both sources",
        "appendix",
        _above_both(LARGE),
    ),
    Claim(
        "both-sources-ratios",
        "at every ratio and ε, ARRoW-CB 8 beats the other methods that use both sources",
        "appendix",
        all_of(
            *(
                ahead(_ARROW, other, ALL_NOISES, ratio, epsilon)
                for epsilon in (MAIN, SMALL, LARGE)
                for other in _BOTH_SOURCES
                for ratio in _RATIOS
            )
        ),
    ),
    Claim(
        "best-lambda",
        "with different λ in different phases, ARRoW-CB 8 is better than the best single λ, over the noises of"
        " Figure 2",
        "section 5",
        ahead(_ARROW, BEST_LAMBDA, FIGURE_2),
    ),
    Claim(
        "noiseless",
        "without noise, ARRoW-CB 8 is ahead of all others except Sup-Only",
        "Fig. 2",
        best(_ARROW, _NOISELESS, but="sup-only"),
    ),
    Claim(
        "sup-only-leads",
        "without noise, Sup-Only is ahead of ARRoW-CB 8",
        "Fig. 2",
        ahead("sup-only", _ARROW, _NOISELESS),
    ),
    Claim(
        "noiseless-curve",
        "without noise, the curve of ARRoW-CB 8 dominates all others except that of Sup-Only",
        "Fig. 2",
        _dominates_all(_NOISELESS, "sup-only"),
    ),
    Claim(
        "uar",
        "at uar 0.25 the order is the same: only Sup-Only is ahead of ARRoW-CB 8",
        "Fig. 2",
        all_of(ahead("sup-only", _ARROW, _UAR), best(_ARROW, _UAR, but="sup-only")),
    ),
    Claim(
        "less-dominant",
        "Sup-Only leads ARRoW-CB 8 by less at uar 0.25 than without noise",
        "Fig. 2",
        smaller_lead("sup-only", _ARROW, _UAR, than=_NOISELESS),
    ),
    Claim(
        "smaller-gaps",
        "ARRoW-CB 8 leads the others by less at uar 0.25 than without noise, as the labels are worth less",
        "Fig. 2",
        all_of(*(smaller_lead(_ARROW, name, _UAR, _NOISELESS) for name in ("arrow-2", "sim-bandit", "bandit-only"))),
    ),
    Claim(
        "cyc-1",
        "at cyc 1, only Bandit-Only is ahead of ARRoW-CB 8",
        "Fig. 2",
        all_of(ahead("bandit-only", _ARROW, _CYC_1), best(_ARROW, _CYC_1, but="bandit-only")),
    ),
    Claim("cyc-1-leader", "at cyc 1, Bandit-Only is best of all", "Fig. 2, appendix", best("bandit-only", _CYC_1)),
    Claim("uar-1-leader", "at uar 1, Bandit-Only is best of all", "appendix", best("bandit-only", ("uar:1",))),
    Claim("maj-1-leader", "at maj 1, Bandit-Only is best of all", "appendix", best("bandit-only", ("maj:1",))),
    Claim(
        "leader-other-epsilon",
        "with extreme noise (uar 1, cyc 1, maj 1), Bandit-Only is best of all at ε = 0.00625 and 0.1 as well",
        "appendix",
        all_of(
            *(best("bandit-only", [noise], epsilon=epsilon) for epsilon in (SMALL, LARGE) for noise in _EXTREME_NOISES)
        ),
    ),
    Claim(
        "gap-shrinks",
        "at cyc 1, the gap between ARRoW-CB 8 and Bandit-Only is smaller at ε = 0.1 than at 0.0125",
        "Fig. 2",
        wider_gap(_ARROW, "bandit-only", _CYC_1, at=MAIN, than_at=LARGE),
    ),
    Claim("cyc-0.25", "at cyc 0.25, ARRoW-CB 8 is best", "Fig. 2", best(_ARROW, _CYC)),
    Claim(
        "cyc-0.25-curve",
        "at cyc 0.25, the curve of ARRoW-CB 8 dominates all others",
        "Fig. 2",
        _dominates_all(_CYC),
    ),
    Claim("maj-0.25", "at maj 0.25, ARRoW-CB 8 is best", "Fig. 2", best(_ARROW, _MAJ)),
    Claim(
        "maj-0.25-curve",
        "at maj 0.25, the curve of ARRoW-CB 8 dominates all others",
        "Fig. 2",
        _dominates_all(_MAJ),
    ),
    Claim(
        "ratios",
        "at maj 0.25, ARRoW-CB 8 is best at the ratios 2.875, 23 and 184",
        "Fig. 3",
        all_of(*(best(_ARROW, _MAJ, ratio) for ratio in (2.875, 23.0, 184.0))),
    ),
    Claim(
        "ratios-both-sources",
        "at maj 0.25, ARRoW-CB 8 is ahead of the other methods that use both sources, at the ratios 2.875, 23 and 184",
        "Fig. 3",
        all_of(*(ahead(_ARROW, other, _MAJ, ratio) for other in _BOTH_SOURCES for ratio in (2.875, 23.0, 184.0))),
    ),
    Claim(
        "small-ratio",
        "at ratio 2.875 Sup-Only is strong: ahead of Bandit-Only",
        "Fig. 3",
        ahead("sup-only", "bandit-only", _MAJ, 2.875),
    ),
    Claim(
        "large-ratio",
        "at ratio 184 Bandit-Only is strong: ahead of Sup-Only",
        "Fig. 3",
        ahead("bandit-only", "sup-only", _MAJ, 184.0),
    ),
    Claim(
        "hard-baseline",
        "with little noise and small ratios Sup-Only is hard to beat: ahead of ARRoW-CB 8",
        "appendix",
        all_of(*(ahead("sup-only", _ARROW, noises, ratio) for noises in (_NOISELESS, _UAR) for ratio in (2.875, 5.75))),
    ),
    Claim(
        "warm-start-helps",
        "without noise, a warm start helps: ARRoW-CB 8 is ahead of Bandit-Only",
        "section 5, question a",
        ahead(_ARROW, "bandit-only", _NOISELESS),
    ),
    Claim(
        "feedback-helps",
        "bandit feedback helps: over all noises, ARRoW-CB 8 is ahead of Sup-Only",
        "section 5, question b",
        ahead(_ARROW, "sup-only", ALL_NOISES),
    ),
    Claim(
        "no-hit",
        "ARRoW-CB 8 does not rely on the wrong source: it is ahead of Sup-Only with extreme noise, and of"
        " Bandit-Only without noise at small ratios",
        "appendix",
        all_of(
            *(ahead(_ARROW, "sup-only", [noise]) for noise in _EXTREME_NOISES),
            *(ahead(_ARROW, "bandit-only", _NOISELESS, ratio) for ratio in (2.875, 5.75)),
        ),
    ),
    Claim(
        "epsilon-costs",
        "without noise, a larger ε costs every method that explores: its gap to Sup-Only is larger at ε = 0.1 than"
        " at 0.0125",
        "section 5",
        all_of(*(wider_gap(name, "sup-only", _NOISELESS, at=LARGE, than_at=MAIN) for name in _EXPLORE)),
    ),
    Claim(
        "small-epsilon",
        "with little noise a small ε is better: without noise, 0.0125 costs less than 0.1",
        'section 5, "In sum"',
        cheaper_with(_ARROW, MAIN, LARGE, _NOISELESS),
    ),
    Claim(
        "large-epsilon",
        "with much noise a large ε is better: at cyc 1, 0.1 costs less than 0.0125",
        'section 5, "In sum"',
        cheaper_with(_ARROW, LARGE, MAIN, _CYC_1),
    ),
)

_TWO = "supervised-truth"
_SUPERVISED_TRUTH_CLAIMS = (
    Claim("aggregate", "Algorithm 2 is best over all noises", "beyond the paper", best(_TWO, ALL_NOISES)),
    Claim(
        "best-or-close",
        "only Algorithm 2 is best or close to the best under every noise: its largest gap to the best is the smallest",
        "beyond the paper",
        smallest_worst_gap(_TWO),
    ),
    Claim(
        "above-half",
        "Algorithm 2 is ahead of the mixture λ = ½ of its own learner",
        "suggested by theorem 2",
        ahead(_TWO, "least-squares-half", ALL_NOISES),
    ),
    Claim(
        "feedback-helps",
        "if the feedback is right, it helps: Algorithm 2 is ahead of λ = 0 of its own learner",
        "suggested by theorem 2",
        ahead(_TWO, "least-squares-0", _NOISELESS),
    ),
    Claim(
        "feedback-safe",
        "if the feedback misleads (cyc 1), Algorithm 2 is ahead of λ = 1 of its own learner",
        "suggested by theorem 2",
        ahead(_TWO, "least-squares-1", _CYC_1),
    ),
    Claim(
        "labels-lead",
        "if the feedback misleads (cyc 1), the labels alone are best: λ = 0 of the same learner",
        "suggested by theorem 2",
        best("least-squares-0", _CYC_1),
    ),
    Claim(
        "above-sup-only",
        "Algorithm 2 is ahead of Sup-Only, tuned",
        "beyond the paper",
        ahead(_TWO, "sup-only", ALL_NOISES),
    ),
    Claim(
        "above-bandit-only",
        "Algorithm 2 is ahead of Bandit-Only, tuned",
        "beyond the paper",
        ahead(_TWO, "bandit-only", ALL_NOISES),
    ),
)

CLAIMS = {"bandit": _PAPERS_CLAIMS, "supervised": _SUPERVISED_TRUTH_CLAIMS}
"""The claims for the two settings: the rounds are the truth, or the labels are."""
