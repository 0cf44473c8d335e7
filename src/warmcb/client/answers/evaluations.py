"""Answers about other policies: what they would have earned."""

import msgspec


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """An estimated mean reward, or the difference of two, with its confidence interval.

    Attributes:
        value: the mean reward per decision; None if the log has no decision that the policy could have made.
        low: the lower end of the interval; None if there are too few decisions.
        high: the upper end of the interval; None if there are too few decisions.

    """

    value: float | None
    low: float | None
    high: float | None


class Estimates(msgspec.Struct, frozen=True, kw_only=True):
    """What one policy would have earned.

    Attributes:
        best: the name of the estimate to rely on.
        estimates: all estimates, by name.
        effective_size: the number of decisions of the policy itself that would give as much information.
        largest_weight: the largest importance weight.
        warnings: what makes the estimates less reliable.
        compared: the difference to the first policy of the request; None for that policy itself.

    """

    best: str
    estimates: dict[str, Estimate]
    effective_size: float
    largest_weight: float
    warnings: list[str]
    compared: Estimate | None


class Evaluation(msgspec.Struct, frozen=True, kw_only=True):
    """What several policies would have earned.

    Attributes:
        decisions: how many decisions of the log were used.
        left_out: how many were not used, by reason.
        policies: the estimates of each policy, by its name.

    """

    decisions: int
    left_out: dict[str, int]
    policies: dict[str, Estimates]
