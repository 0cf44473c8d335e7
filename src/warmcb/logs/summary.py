"""All estimates of the value of a policy with their intervals, and the difference of two policies."""

from collections.abc import Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from warmcb import _inputs
from warmcb.logs._checks import Units
from warmcb.logs.estimators import ESTIMATORS, Estimator, Terms, difference, usual_estimator
from warmcb.logs.evidence import Evidence
from warmcb.logs.intervals import Interval, cressie_read, gaussian, standard_error
from warmcb.logs.sequences import sequence, sequence_of_difference

Range = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate of the value of a policy, or of the difference of two policies.

    Attributes:
        name: the name of the estimator.
        value: the estimate; NaN if there is none.
        error: its standard error.
        intervals: the confidence intervals, the Gaussian one first.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.summary import summary
        >>> evidence = Evidence(weights=[2.0, 0.0] * 500, rewards=[1.0, 0.0] * 500, largest_weights=[2.0] * 1000)
        >>> estimate = summary(evidence, names=["snips"])[0]
        >>> estimate.value, estimate.interval.kind
        (1.0, 'gaussian')

    """

    name: str
    value: float
    error: float
    intervals: tuple[Interval, ...]

    @property
    def interval(self) -> Interval:
        """The Gaussian interval."""
        return self.intervals[0]


def summary(
    evidence: Evidence, *, names: Sequence[str] | None = None, reward_range: Range = None, level: float = 0.95
) -> list[Estimate]:
    """Estimate the value of a policy with several estimators.

    Each estimate has a Gaussian interval, and "cressie-read" also its own. The last interval of a confidence sequence
    is added to "ips", or to "dr" if the sequence is asymptotic and there is a model of the rewards.

    Args:
        evidence: the evidence on the policy.
        names: the names of the estimators; by default all, without those that need a model of the rewards if there is
            none.
        reward_range: the lowest and the highest possible reward, if they are known.
        level: the confidence level.

    Returns:
        the estimates, in the order of the names.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.summary import summary
        >>> evidence = Evidence(weights=[2.0, 0.0] * 500, rewards=[1.0, 0.0] * 500, largest_weights=[2.0] * 1000)
        >>> for estimate in summary(evidence, names=["ips", "snips"], reward_range=(0.0, 1.0)):
        ...     print(estimate.name, estimate.value, [interval.kind for interval in estimate.intervals])
        ips 1.0 ['gaussian', 'empirical Bernstein']
        snips 1.0 ['gaussian']

    """
    if names is None:
        names = [name for name, estimator in ESTIMATORS.items() if evidence.has_model or not estimator.needs_model]
    chosen = [ESTIMATORS[_inputs.choice("names", name, list(ESTIMATORS))] for name in names]
    return [
        _estimate(
            estimator, estimator.terms(evidence), evidence.units, level, _more(estimator, evidence, reward_range, level)
        )
        for estimator in chosen
    ]


def compare(
    first: Evidence,
    second: Evidence,
    *,
    name: str | None = None,
    overlap: ArrayLike | None = None,
    reward_range: Range = None,
    level: float = 0.95,
) -> Estimate:
    """Estimate the value of one policy minus that of another, on the same decisions.

    The Gaussian interval is computed from paired terms. The second interval is the last one of a confidence sequence.

    Args:
        first: the evidence on the first policy.
        second: the evidence on the second policy, from the same decisions.
        name: the name of the estimator; by default "dr" if there is a model of the rewards, else "ips".
        overlap: Σ_a min(π(a), π'(a)) of the two policies in each decision, if it is known. It narrows the sequence.
        reward_range: the lowest and the highest possible reward, if they are known.
        level: the confidence level.

    Returns:
        the estimated difference, with its intervals.

    Examples:
        >>> from warmcb.logs.evidence import Evidence
        >>> from warmcb.logs.summary import compare
        >>> rewards, largest = [1.0, 0.0] * 500, [2.0] * 1000
        >>> first = Evidence(weights=[2.0, 0.0] * 500, rewards=rewards, largest_weights=largest)
        >>> second = Evidence(weights=[0.0, 2.0] * 500, rewards=rewards, largest_weights=largest)
        >>> found = compare(first, second, reward_range=(0.0, 1.0))
        >>> found.value, [round(interval.low, 2) for interval in found.intervals]
        (1.0, [0.94, 0.99])

    """
    usual = usual_estimator(first, second)
    estimator = usual if name is None else ESTIMATORS[_inputs.choice("name", name, list(ESTIMATORS))]
    terms = difference(estimator, first, second)
    at_all_times = sequence_of_difference(first, second, overlap=overlap, reward_range=reward_range, level=level)
    return _estimate(estimator, terms, first.units, level, (at_all_times.last,))


def _estimate(
    estimator: Estimator, terms: Terms, units: Units | None, level: float, more: tuple[Interval, ...]
) -> Estimate:
    intervals = (gaussian(terms, units, level=level), *more)
    return Estimate(estimator.name, terms.value, standard_error(terms, units), intervals)


def _more(estimator: Estimator, evidence: Evidence, reward_range: Range, level: float) -> tuple[Interval, ...]:
    """The intervals of an estimator besides the Gaussian one."""
    if estimator.name == "cressie-read":
        return (cressie_read(evidence, reward_range=reward_range, level=level),)
    is_asymptotic = reward_range is None or evidence.units is not None
    if estimator.name == (usual_estimator(evidence).name if is_asymptotic else "ips"):
        return (sequence(evidence, reward_range=reward_range, level=level).last,)
    return ()
