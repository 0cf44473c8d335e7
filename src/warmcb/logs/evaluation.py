"""Off-policy evaluation: what other policies would have earned on a log."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warmcb import _inputs
from warmcb._messages import shown
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


@dataclass(frozen=True)
class PolicyValue:
    """What a log says about one policy.

    Attributes:
        estimates: by the name of the estimator.
        sequence: where the value lies, at every look.
        effective_size: how many decisions of the policy itself would tell as much.
        largest_weight: the largest weight that occurred.
        warnings: why not to trust the numbers, in words; empty if there is no reason.
        compared: how much more it brings than the first policy, on the same decisions; None for the first itself.
        evidence: what all of this was computed from.

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
        """The estimate to trust: doubly robust if there is a model of rewards, else self-normalised."""
        return self.estimates.get("dr", self.estimates["snips"])


@dataclass(frozen=True)
class Evaluation:
    """What a log says about policies.

    Attributes:
        policies: by name, in the order in which they were given.
        decisions: how many decisions carry evidence.
        left_out: how many do not, by reason.
        remarks: what was odd while the log was read.
        times: when the decisions were made.

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
    """Estimate what policies would have earned on a log, a reward for each decision.

    Only decisions count that were drawn by the model, took place and have a reward. The log is read several times: a
    model of rewards learns first, for the estimators that need one.

    Args:
        log: a log, or its path.
        policies: what `policy_of` takes, by name; or several texts, which are then their names. The first one is what
            the others are compared with.
        model: what the model of rewards sees: "bends", any function; "squares"; "linear", the fastest; or "none".
        model_learns: what a decision's prediction comes from: "others", models that were cross-fitted; or "earlier", a
            model of earlier decisions only, for logs of a bandit that learned meanwhile.
        reward_range: the lowest and the highest possible reward. Only with it intervals hold at every moment for sure.
        level: of confidence of all intervals.
        looks: at how many moments, evenly spaced, sequences are computed.
        progress: is told what is being done, and for how many decisions more.

    Returns:
        estimates, intervals, comparisons and warnings.

    >>> import numpy as np, tempfile
    >>> from warmcb.logs import Event, Slot, append_parquet
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
            raise InputError(f"the policy {name!r} plays {policy.action!r}; expected an action that the log has")
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
    """At most so many moments of a log, the last one among them."""
    return np.unique(np.linspace(last, first, count).astype(np.int64))


def _by_name(policies: object) -> dict[str, Any]:
    if isinstance(policies, Mapping):
        named = dict(policies)
    elif isinstance(policies, Iterable) and not isinstance(policies, str | bytes):
        named = {str(policy): policy for policy in policies}
    else:
        raise InputError(f"policies is {shown(policies)}; expected policies by name, or a list of texts")
    if not named:
        raise InputError("policies is empty; expected at least one policy")
    return named
