"""Off-policy evaluation: estimate from a log what other policies would have earned."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._messages import listed, shown
from warmcb.errors import InputError
from warmcb.logs._checks import confidence_level, reward_limits
from warmcb.logs.cautions import contradictions, warnings
from warmcb.logs.collecting import Progress, collect, no_progress
from warmcb.logs.evidence import Evidence
from warmcb.logs.open import Log, open_log
from warmcb.logs.policies import Always, policy_of
from warmcb.logs.reward_models import MODELS_LEARN
from warmcb.logs.sequences import ConfidenceSequence, sequence
from warmcb.logs.summary import Estimate, compare, summary

MODELS = ("bends", "squares", "linear", "none")
"""The models of rewards that `evaluate` accepts."""


@dataclass(frozen=True)
class PolicyValue:
    """The value of one policy, estimated from a log: its mean reward per decision.

    Attributes:
        estimates: the estimates, by the name of the estimator.
        sequence: confidence intervals for the value as the log grows, which hold at all times together.
        effective_size: the number of decisions of the policy itself that would give as much information.
        largest_weight: the largest importance weight.
        warnings: reasons not to trust the numbers; empty if there are none.
        compared: the estimated difference to the first policy, on the same decisions; None for the first policy.
        evidence: the weights and rewards that everything was computed from.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, evaluate, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=float(i % 2)),)) for i in range(1000)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = evaluate(f"{folder}/log.dsjson", ["logged", "always:1"], model="none")
        >>> value = found.policies["always:1"]
        >>> value.best.name, value.best.value
        ('snips', 1.0)
        >>> round(value.effective_size), value.warnings
        (500, ())

    """

    estimates: dict[str, Estimate]
    sequence: ConfidenceSequence
    effective_size: float
    largest_weight: float
    warnings: tuple[str, ...]
    compared: Estimate | None
    evidence: Evidence = field(repr=False)

    @property
    def best(self) -> Estimate:
        """The estimate to use: doubly robust if there is a model of rewards, else self-normalised."""
        return self.estimates.get("dr", self.estimates["snips"])


@dataclass(frozen=True)
class Evaluation:
    """The result of `evaluate`: the value of each policy.

    Attributes:
        policies: the values of the policies by name, in the given order.
        decisions: the number of decisions that were used.
        left_out: the number of other decisions, by reason.
        remarks: problems that were found while the log was read.
        times: the times of the decisions.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> from warmcb.logs import Event, Slot, evaluate, write_dsjson
        >>> events = [Event(f"e{i}", (Slot(i % 2, (0.5, 0.5), reward=float(i % 2)),)) for i in range(1000)]
        >>> with TemporaryDirectory() as folder:
        ...     write_dsjson(f"{folder}/log.dsjson", events)
        ...     found = evaluate(f"{folder}/log.dsjson", ["logged", "always:1"], model="none")
        >>> found.decisions, [(name, value.best.value) for name, value in found.policies.items()]
        (1000, [('logged', 0.5), ('always:1', 1.0)])

    """

    policies: dict[str, PolicyValue]
    decisions: int
    left_out: Counter[str]
    remarks: tuple[str, ...]
    times: NDArray[np.datetime64] = field(repr=False)


def evaluate(
    log: Log | str | Path,
    policies: Mapping[str, Any] | Sequence[str],
    *,
    model: str = "bends",
    model_learns: str = "others",
    reward_range: tuple[float, float] | None = None,
    level: float = 0.95,
    looks: int = 100,
    progress: Progress = no_progress,
) -> Evaluation:
    """Estimate the mean reward per decision that policies would have earned on a log.

    Only decisions count that were drawn by the model, took place and have a reward. The log is read several times,
    because a model of rewards learns first, for the estimators that need one.

    `check_log` tells beforehand whether the log can be trusted. To compare bandits that learn, use `logs.replay`.

    A policy is one of these:

    - "uniform", which draws from all allowed actions; "default", which plays the first one; or "logged", the policy
      that made the log;
    - "always:ACTION", which plays one action wherever it is allowed;
    - the file of a saved bandit or policy, or "greedy:FILE" for the same without exploration;
    - a bandit or a policy;
    - your own function, or "module:object" to import it. It gets an `Asked`, and returns the place of an action or a
      probability for each action.

    Args:
        log: a log, or its path.
        policies: the policies by name, or a list of strings, which are their own names. All others are compared with
            the first.
        model: the functions that the model of rewards can fit: "bends" for any smooth function, "squares" for
            parabolas, or "linear", which is the fastest. "none" for no model.
        model_learns: the decisions that a prediction is learned from: "others" for cross-fitting, or "earlier" for
            earlier decisions only. Use "earlier" if the bandit that made the log was learning.
        reward_range: the lowest and the highest possible reward. Without it, the confidence sequences are asymptotic.
        level: the confidence level of all intervals.
        looks: the number of moments, evenly spaced, at which the sequences are computed.
        progress: a function that is called with the current step and a number of decisions.

    Returns:
        estimates, intervals, comparisons and warnings.

    Raises:
        InputError: a policy or another argument cannot be used.
        DataError: the log cannot be read, or has no decision that can be used.

    Examples:
        >>> import numpy as np, tempfile
        >>> from warmcb.logs import Event, Slot, append_parquet, evaluate
        >>> random = np.random.default_rng(1)
        >>> def event(i):
        ...     x, action = random.normal(size=2), int(random.integers(2))
        ...     slot = Slot(action, (0.5, 0.5), reward=float(x[action] > 0))
        ...     return Event(f"e{i}", (slot,), x=tuple(x))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     files = append_parquet(folder, map(event, range(2000)))
        ...     found = evaluate(folder, ["uniform", "always:1"], model="linear", reward_range=(0.0, 1.0))
        >>> round(found.policies["always:1"].estimates["dr"].value, 1)
        0.5

    """
    named = _by_name(policies)
    n_looks = _inputs.integer("looks", looks, 1, 10_000)
    settings: dict[str, Any] = {"reward_range": reward_limits(reward_range), "level": confidence_level(level)}
    chosen = _inputs.choice("model", model, MODELS)
    learns = MODELS_LEARN[_inputs.choice("model_learns", model_learns, tuple(MODELS_LEARN))]
    ready = {name: policy_of(policy) for name, policy in named.items()}
    opened = log if isinstance(log, Log) else open_log(log)
    found = collect(opened, ready, None if chosen == "none" else learns(chosen), progress)
    for name, policy in ready.items():
        if isinstance(policy, Always) and not policy.met:
            known = f", such as {listed(policy.others)}" if policy.others else ""
            raise InputError(f"the policy {name!r} plays {policy.action!r}; expected an action of the log{known}")
    first, *_ = found.evidence.values()
    moments = evenly_spaced(1, len(first), n_looks)
    values = {}
    for i, (name, evidence) in enumerate(found.evidence.items()):
        band = sequence(evidence, looks=moments, **settings)
        compared = compare(evidence, first, overlap=found.overlaps[name], **settings) if i else None
        intervals = (band.last, *(() if compared is None else compared.intervals))
        values[name] = PolicyValue(
            {estimate.name: estimate for estimate in summary(evidence, **settings)},
            band,
            evidence.effective_size,
            evidence.largest_weight,
            (*warnings(evidence, found.actions), *contradictions(*intervals)),
            compared,
            evidence,
        )
    return Evaluation(values, len(first), found.left_out, tuple(islice(opened.tally.lines(), 1, None)), found.times)


def evenly_spaced(first: int, last: int, count: int) -> NDArray[np.int64]:
    """At most `count` numbers of decisions, up to the last."""
    return np.unique(np.linspace(last, first, count).astype(np.int64))


def _by_name(policies: object) -> dict[str, Any]:
    if isinstance(policies, Mapping):
        named = dict(policies)
    elif isinstance(policies, Iterable) and not isinstance(policies, str | bytes):
        named = {str(policy): policy for policy in policies}
    else:
        raise InputError(f"policies is {shown(policies)}; expected policies by name, or a list of strings")
    if not named:
        raise InputError("policies is empty; expected at least one policy")
    return named
