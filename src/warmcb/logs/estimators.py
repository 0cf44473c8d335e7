"""Estimators of the value of a policy from decisions that another policy made.

An estimator turns each decision into a term. The mean of the terms is the estimate, and their spread gives its
intervals. In formulas, w is a weight, r a reward, v the reward that a model predicts for the policy, q the one that it
predicts for the played action, and n the number of decisions. If the log left out similar decisions, a decision counts
for them too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from warmcb import _inputs
from warmcb._messages import shown
from warmcb.errors import InputError
from warmcb.logs._checks import Doubles
from warmcb.logs.evidence import Evidence


class Terms(NamedTuple):
    """The terms of an estimate, which is their mean.

    Attributes:
        kept: a term for each decision of the log.
        left_out: the term of each decision that the log left out.
        counts: the number of decisions that each one counts for: itself, and similar ones that were left out.

    Examples:
        >>> import numpy as np
        >>> from warmcb.logs.estimators import Terms
        >>> terms = Terms(np.array([1.0, 0.0, 2.0]), 0.0, np.ones(3))
        >>> terms.value, terms.first(2).value
        (1.0, 0.5)

    """

    kept: Doubles
    left_out: float
    counts: Doubles

    def first(self, n: int) -> "Terms":
        """Select the terms of the first n decisions.

        Args:
            n: the number of decisions.

        Returns:
            their terms.

        """
        return Terms(self.kept[:n], self.left_out, self.counts[:n])

    @property
    def value(self) -> float:
        """The estimate."""
        size = float(self.counts.sum())
        return (float(self.kept.sum()) + self.left_out * (size - len(self.kept))) / size


@dataclass(frozen=True)
class Estimator:
    """An estimator of the value of a policy. It is called with evidence, and returns the estimate.

    Attributes:
        name: the name of the estimator.
        terms_of: computes the terms from the evidence and the parameter.
        needs_model: whether it needs a model of the rewards.
        parameter: the name of its parameter, "tau" or "lambda_"; None if it has none. The defaults are τ = √n and
            λ = n.

    Examples:
        >>> from warmcb.logs.estimators import ESTIMATORS
        >>> from warmcb.logs.evidence import Evidence
        >>> evidence = Evidence(weights=[2.0, 0.0, 2.0], rewards=[1.0, 0.0, 0.0], largest_weights=[2.0, 2.0, 2.0])
        >>> round(ESTIMATORS["ips"](evidence), 3), ESTIMATORS["snips"](evidence)
        (0.667, 0.5)
        >>> ESTIMATORS["clipped"](evidence, 1.5)
        0.5

    """

    name: str
    terms_of: Callable[[Evidence, float], Terms]
    needs_model: bool = False
    parameter: str | None = None

    def __call__(self, evidence: Evidence, parameter: float | None = None) -> float:
        """Compute the estimate.

        Args:
            evidence: the evidence on the policy.
            parameter: τ or λ, above 0; None for the default.

        Returns:
            the estimate.

        """
        return self.terms(evidence, parameter).value

    def terms(self, evidence: Evidence, parameter: float | None = None) -> Terms:
        """Compute the terms whose mean is the estimate.

        Args:
            evidence: the evidence on the policy.
            parameter: τ or λ, above 0; None for the default.

        Returns:
            the terms.

        Raises:
            InputError: the estimator needs a model of the rewards, or has no parameter.

        """
        if self.needs_model and not evidence.has_model:
            raise InputError(f"expected is None; expected a model's predictions, which {self.name!r} needs")
        return self.terms_of(evidence, self._parameter(evidence, parameter))

    def _parameter(self, evidence: Evidence, given: float | None) -> float:
        if given is None:
            return evidence.size**0.5 if self.parameter == "tau" else evidence.size
        if self.parameter is None:
            raise InputError(f"parameter is {shown(given)}; expected None: {self.name!r} has no parameter")
        return _inputs.number(self.parameter, given, "a number above 0", 0.0, np.inf, low_excluded=True)


def difference(estimator: Estimator, first: Evidence, second: Evidence) -> Terms:
    """The terms of the difference of two policies on the same decisions.

    Args:
        estimator: the estimator of both values.
        first: the evidence on the first policy.
        second: the evidence on the second policy, from the same decisions.

    """
    first.refuse_unpaired(second)
    one, other = estimator.terms(first), estimator.terms(second)
    return Terms(one.kept - other.kept, one.left_out - other.left_out, one.counts)


def _ips(evidence: Evidence, _: float) -> Terms:
    """The mean of w·r."""
    return _weighted(evidence, evidence.weights)


def _snips(evidence: Evidence, _: float) -> Terms:
    """Σw·r/Σw, with the terms of its linearisation (the delta method). If all weights are 0, there is no estimate."""
    return _ratio(evidence, evidence.weights * evidence.rewards, evidence.weights)


def _clipped(evidence: Evidence, tau: float) -> Terms:
    """The mean of min(w, τ)·r."""
    return _weighted(evidence, np.minimum(evidence.weights, tau))


def _shrunk(evidence: Evidence, lambda_: float) -> Terms:
    """The mean of w·r·λ/(w² + λ): large weights shrink towards 0."""
    return _weighted(evidence, _shrink(evidence.weights, lambda_))


def _dm(evidence: Evidence, _: float) -> Terms:
    """The mean of v, which is only as good as the model."""
    return _corrected(evidence, np.zeros(len(evidence)))


def _dr(evidence: Evidence, _: float) -> Terms:
    """The mean of v + w·(r − q): the model, corrected by its errors."""
    return _corrected(evidence, evidence.weights)


def _sndr(evidence: Evidence, _: float) -> Terms:
    """The mean of v + Σw·(r − q)/Σw: the same, with self-normalised corrections."""
    assert evidence.expected_played is not None
    model = _corrected(evidence, np.zeros(len(evidence)))
    away = _ratio(evidence, evidence.weights * (evidence.rewards - evidence.expected_played), evidence.weights)
    return Terms(model.kept + away.kept, model.left_out + away.left_out, model.counts)


def _switch(evidence: Evidence, tau: float) -> Terms:
    """`dr` without corrections whose weight is above τ."""
    return _corrected(evidence, np.where(evidence.weights <= tau, evidence.weights, 0.0))


def _dr_shrunk(evidence: Evidence, lambda_: float) -> Terms:
    """`dr` with the weights of `shrunk`."""
    return _corrected(evidence, _shrink(evidence.weights, lambda_))


def _cressie_read(evidence: Evidence, _: float) -> Terms:
    """The empirical-likelihood estimate CR(−2) of Karampatziakis, Langford and Mineiro (2020): w·r − b·(w − 1).

    The mean weight should be 1, so its deviation is corrected for. The likelihood adds one decision to the log: with
    the weight 0 if the weights are too large, and with an unbounded weight if they are too small. In the first case b
    is the slope of w·r over w. In the second case b is the mean reward, because the added decision has an unseen one.
    """
    counts, size = evidence.counts, evidence.size
    weights, rewards = counts * evidence.weights, evidence.rewards
    weighted_rewards = weights * rewards
    total = float(weights.sum())
    if total < size:
        slope = float(counts @ rewards) / size
        return Terms(weighted_rewards - slope * (weights - 1), slope, counts)
    mean, mean_reward = total / (size + 1), float(weighted_rewards.sum()) / (size + 1)
    covariance = float(weights @ weighted_rewards) / (size + 1) - mean * mean_reward
    slope = covariance / (float(weights @ weights) / (size + 1) - mean**2)
    # The added decision has the term b; its share is distributed to all others.
    terms, share = weighted_rewards - slope * (weights - 1), 1 / (size + 1)
    return Terms(terms * (1 - share) + slope * share, slope, counts)


def _weighted(evidence: Evidence, weights: Doubles) -> Terms:
    """The mean of weighted rewards. Decisions that were left out have the term 0, as in vw-estimators."""
    counts = evidence.counts
    return Terms(counts * weights * evidence.rewards, 0.0, counts)


def _corrected(evidence: Evidence, weights: Doubles) -> Terms:
    assert evidence.expected is not None and evidence.expected_played is not None
    return _ratio(evidence, evidence.expected + weights * (evidence.rewards - evidence.expected_played))


def _ratio(evidence: Evidence, above: Doubles, below: Doubles | float = 1.0) -> Terms:
    """Σ above/Σ below, as the mean of its linearisation. Decisions that were left out count like the others."""
    counts = evidence.counts
    above, below = counts * above, counts * below
    total = float(below.sum())
    if total == 0:
        return Terms(np.full(len(evidence), np.nan), np.nan, counts)
    value = float(above.sum()) / total
    return Terms(value + (above - value * below) * (evidence.size / total), value, counts)


def _shrink(weights: Doubles, lambda_: float) -> Doubles:
    return weights if lambda_ == np.inf else weights * lambda_ / (weights**2 + lambda_)


ESTIMATORS = {
    estimator.name: estimator
    for estimator in (
        Estimator("ips", _ips),
        Estimator("snips", _snips),
        Estimator("clipped", _clipped, parameter="tau"),
        Estimator("shrunk", _shrunk, parameter="lambda_"),
        Estimator("cressie-read", _cressie_read),
        Estimator("dm", _dm, needs_model=True),
        Estimator("dr", _dr, needs_model=True),
        Estimator("sndr", _sndr, needs_model=True),
        Estimator("switch", _switch, needs_model=True, parameter="tau"),
        Estimator("dr-shrunk", _dr_shrunk, needs_model=True, parameter="lambda_"),
    )
}
"""All estimators by name."""


def usual_estimator(*evidence: Evidence) -> Estimator:
    """The estimator "dr" if there is a model of the rewards, else "ips". Both are unbiased.

    Args:
        *evidence: the evidence on one policy or on several.

    """
    return ESTIMATORS["dr" if all(one.has_model for one in evidence) else "ips"]
