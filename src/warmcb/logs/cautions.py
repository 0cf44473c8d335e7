"""Warnings: reasons not to trust an estimate."""

import numpy as np
from numpy.typing import ArrayLike

from warmcb.logs.estimators import Terms
from warmcb.logs.evidence import Evidence
from warmcb.logs.intervals import Interval, gaussian

SMALLEST_OVERLAP = 0.01
"""The smallest share of decisions with a weight above 0."""
SMALLEST_EFFECTIVE_SIZE = 100
SMALLEST_EFFECTIVE_SHARE = 0.01
TOO_LUCKY = 10
"""The largest ratio of the effective size to the least size."""
LARGEST_SHARE = 0.1
"""The largest share of one decision in the sum of all weights."""
FEWEST_UNITS = 30
SURE = 0.999
"""The confidence level of the interval of the mean weight, which must contain 1."""


def warnings(evidence: Evidence, actions: ArrayLike | None = None) -> list[str]:
    """List reasons not to trust estimates from some evidence.

    Args:
        evidence: the evidence on a policy.
        actions: the action of each decision, to detect a log with a single action.

    Returns:
        the warnings; empty if there are none.

    Examples:
        >>> from warmcb.logs.cautions import warnings
        >>> from warmcb.logs.evidence import Evidence
        >>> evidence = Evidence(weights=[2.0, 0.0, 2.0], rewards=[1.0, 0.0, 0.0], largest_weights=[2.0, 2.0, 2.0])
        >>> warnings(evidence)[0]
        'the effective size is 2 of 3 decisions: too little for a reliable estimate'

    """
    checks = (_overlap(evidence), _effective_size(evidence), _missing_weights(evidence), _one_weight(evidence))
    more = (_mean_weight(evidence), _support(evidence), _units(evidence), _rewards(evidence), _actions(actions))
    return [text for text in (*checks, *more) if text]


def contradictions(*intervals: Interval) -> list[str]:
    """Warn if an interval is empty.

    Args:
        *intervals: the intervals of a policy.

    Returns:
        one warning if an interval is empty, else none.

    Examples:
        >>> from warmcb.logs.cautions import contradictions
        >>> from warmcb.logs.intervals import Interval
        >>> contradictions(Interval(0.3, 0.2, "empirical Bernstein", 0.95, False))
        ['no value fits all decisions: the probabilities of the log or of the policy are wrong']

    """
    if not any(interval.is_empty for interval in intervals):
        return []
    return ["no value fits all decisions: the probabilities of the log or of the policy are wrong"]


def _overlap(evidence: Evidence) -> str:
    share = float((evidence.weights > 0).mean())
    if share >= SMALLEST_OVERLAP:
        return ""
    return f"the policy could have made only {share:.2%} of the decisions: the log says little about it"


def _effective_size(evidence: Evidence) -> str:
    size = evidence.effective_size
    if size >= SMALLEST_EFFECTIVE_SIZE and size >= SMALLEST_EFFECTIVE_SHARE * len(evidence):
        return ""
    return f"the effective size is {size:,.0f} of {len(evidence):,} decisions: too little for a reliable estimate"


def _missing_weights(evidence: Evidence) -> str:
    possible, least = float(evidence.largest_weights.max()), evidence.least_size
    if least >= SMALLEST_EFFECTIVE_SIZE or evidence.effective_size < TOO_LUCKY * least or np.isinf(possible):
        return ""
    return (
        f"weights of up to {possible:,.0f} were possible, but the largest is {evidence.largest_weight:,.0f}: "
        "estimates and Gaussian intervals ignore what is missing"
    )


def _one_weight(evidence: Evidence) -> str:
    weights = evidence.counts * evidence.weights
    share = float(weights.max() / weights.sum()) if weights.any() else 0.0
    if share <= LARGEST_SHARE:
        return ""
    return f"one decision has {share:.0%} of all weight: without it the estimate could be very different"


def _mean_weight(evidence: Evidence) -> str:
    counts = evidence.counts
    terms = Terms(counts * evidence.weights, 0.0, counts)
    interval = gaussian(terms, evidence.units, level=SURE)
    if 1.0 in interval:
        return ""
    return (
        f"the mean weight is {terms.value:.3g}, from {interval.low:.3g} to {interval.high:.3g}; expected 1: "
        "either rare decisions with large weights are missing (wait for more), or the probabilities of the log or of "
        "the policy are wrong (the check `frequencies` of the log tests those of the log)"
    )


def _support(evidence: Evidence) -> str:
    share = float(np.isinf(evidence.largest_weights).mean())
    if share == 0:
        return ""
    return f"in {share:.2%} of the decisions the policy may play an action that the log never plays"


def _units(evidence: Evidence) -> str:
    if evidence.units is None or (count := int(evidence.units.max()) + 1) >= FEWEST_UNITS:
        return ""
    return f"there are only {count} units: intervals from so few are too narrow"


def _rewards(evidence: Evidence) -> str:
    if np.ptp(evidence.rewards) > 0:
        return ""
    return f"all rewards are {evidence.rewards[0]:g}: policies cannot be compared"


def _actions(actions: ArrayLike | None) -> str:
    if actions is None or len(np.unique(np.asarray(actions))) > 1:
        return ""
    return "the log has a single action: other actions cannot be evaluated"
