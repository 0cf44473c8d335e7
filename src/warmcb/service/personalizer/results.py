"""Evaluations in the words of Personalizer's API, which changed in 2022."""

from collections.abc import Sequence
from typing import Any

from warmcb.service.clock import SECOND, iso
from warmcb.service.jobs.jobs import COMPLETED, FAILED, PENDING, Job
from warmcb.service.personalizer.durations import duration_of
from warmcb.service.personalizer.periods import period_of

FIXED = ("Baseline", "Random")
"""Policies that learn nothing."""
STATUSES = {PENDING: "Running", COMPLETED: "Succeeded", FAILED: "Failed"}
"""The names of statuses in the API of 2022."""
MANUAL = {"evaluationType": "Manual"}
"""The type of all evaluations, since none starts by itself."""
CONTRACT = "InvalidEvaluationContract"
"""The code for evaluations that make no sense."""


def told(job: Job) -> dict[str, Any]:
    """Return an evaluation in the words of versions 1."""
    names = {name: job.asked[name] for name in ("name", "startTime", "endTime")}
    whole: dict[str, Any] = {"id": job.id, **names, "jobId": job.id, "status": job.status, **MANUAL}
    whole |= {"creationTime": iso(job.made), "policyResults": [], "featureImportance": []}
    if job.status != COMPLETED:
        return whole
    since, until = period_of(CONTRACT, job.asked["startTime"], job.asked["endTime"])
    common = {"timeStamp": iso(since), "aggregateTimeWindow": duration_of((until - since) / SECOND)}
    results = []
    for policy in job.result["policies"]:
        total = common | summary(policy, job.result["decisions"])
        one = {"name": policy["name"], "arguments": policy["arguments"], "policySource": policy["source"]}
        results.append(one | {"summary": [total], "totalSummary": total})
    return whole | {"policyResults": results, "optimalPolicy": best_of(job.result["policies"])}


def told_last(job: Job) -> dict[str, Any]:
    """Return an evaluation in the words of 2022."""
    if job.status != COMPLETED:
        return head(job) | MANUAL
    value = []
    for policy in job.result["policies"]:
        best = policy["estimates"][policy["best"]]
        summed = {"expectedReward": best["value"], "confidenceInterval": [best["low"], best["high"]]}
        one = {"name": policy["name"], "arguments": policy["arguments"], "policySource": policy["source"]}
        series = {"data": [{"timeStamp": job.asked["startTime"], **summed}]}
        value.append(one | {"slotId": "", "summary": summed, "timeseries": series})
    since, until = period_of(CONTRACT, job.asked["startTime"], job.asked["endTime"])
    content = {"startTime": iso(since), "endTime": iso(until), "intervalInMinutes": (until - since) // (60 * SECOND)}
    return (
        head(job) | MANUAL | {"content": content | {"value": value}, "optimalPolicy": best_of(job.result["policies"])}
    )


def summary(policy: dict[str, Any], decisions: int) -> dict[str, Any]:
    """Return Personalizer's sums for a policy.

    >>> estimates = {"ips": {"value": 0.5}, "snips": {"value": 0.25}, "dr": {"value": 0.4, "low": 0.3, "high": 0.5}}
    >>> summary({"best": "dr", "estimates": estimates}, 10)["snipsEstimatorDenominator"]
    20.0
    """
    estimates, best = policy["estimates"], policy["estimates"][policy["best"]]
    ips, snips = (estimates.get(name, best)["value"] or 0.0 for name in ("ips", "snips"))
    low, high = best["low"], best["high"]
    return {
        "ipsEstimatorNumerator": ips * decisions,
        "ipsEstimatorDenominator": decisions,
        "snipsEstimatorDenominator": ips * decisions / snips if snips else 0.0,
        "confidenceInterval": None if low is None or high is None else (high - low) / 2,
        "averageReward": best["value"],
    }


def best_of(found: Sequence[dict[str, Any]]) -> str | None:
    """Return the name of the policy with the highest estimate, among those that can be applied."""
    learned = [(one["estimates"][one["best"]]["value"], one["name"]) for one in found if one["source"] not in FIXED]
    known = [(value, name) for value, name in learned if value is not None]
    return max(known, key=lambda one: one[0])[1] if known else None


def head(job: Job) -> dict[str, Any]:
    """Return a job without its result, in the words of 2022."""
    names = {name: job.asked[name] for name in ("name", "startTime", "endTime")}
    whole = {"id": job.id, **names, "status": STATUSES[job.status], "creationTime": iso(job.made)}
    why = {"description": job.result} if job.status == FAILED else {}
    return whole | why
