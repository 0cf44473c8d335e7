"""What takes long on a loop's log, in a process of its own: an evaluation of policies, and the log's health."""

from pathlib import Path
from typing import Any, NamedTuple

from warmcb.errors import WarmcbError
from warmcb.logs import check_log, evaluate, open_log
from warmcb.logs.playing import Learning
from warmcb.logs.summary import Estimate
from warmcb.service.loops.kinds import Kind
from warmcb.service.loops.settings import Settings

LOG = "log.dsjson"


class Learners(NamedTuple):
    """Bandits that learn from their first event on.

    Attributes:
        kind: of the loop.
        settings: that each is made with, by the name of the policy.

    """

    kind: Kind
    settings: dict[str, Settings]


class Task(NamedTuple):
    """What is to be evaluated.

    Attributes:
        folder: of the log.
        policies: their names; the first one is what the others are compared with.
        stored: the bytes of stored versions, by number.
        model: what the model of rewards sees.
        level: of confidence.
        reward_range: the lowest and the highest reward, if they are known.
        learners: policies that learn meanwhile.

    """

    folder: Path
    policies: list[str]
    stored: dict[str, bytes]
    model: str
    level: float
    reward_range: tuple[float, float] | None
    learners: Learners


def evaluation(task: Task) -> dict[str, Any]:
    """The evaluation as plain values; or, under `error`, why there is none."""
    try:
        named = {policy: _policy(task, policy) for policy in task.policies}
        settings: dict[str, Any] = {"model": task.model, "level": task.level, "reward_range": task.reward_range}
        found = evaluate(task.folder / LOG, named, **settings)
    except WarmcbError as error:
        return {"error": str(error)}
    policies = {
        name: {
            "best": value.best.name,
            "estimates": {estimate.name: _told(estimate) for estimate in value.estimates.values()},
            "effective_size": value.effective_size,
            "largest_weight": value.largest_weight,
            "warnings": list(value.warnings),
            "compared": None if value.compared is None else _told(value.compared),
        }
        for name, value in found.policies.items()
    }
    return {"decisions": found.decisions, "left_out": dict(found.left_out), "policies": policies}


def health(folder: Path) -> dict[str, Any]:
    """The health of a log as plain values; or, under `error`, why nobody knows."""
    try:
        found = check_log(open_log(folder / LOG)).to_dict()
    except WarmcbError as error:
        return {"error": str(error)}
    del found["log"]  # a name of ours
    return found


def _policy(task: Task, name: str) -> Any:
    """What `evaluate` takes: stored versions as files, by a name of ours and not of the caller's."""
    if name in task.learners.settings:
        return Learning(task.learners.kind.new(task.learners.settings[name]), task.reward_range)
    kind, _, number = name.partition(":")
    if kind not in ("version", "greedy"):
        return name
    path = task.folder / f"{int(number)}.warmcb"
    path.write_bytes(task.stored[number])
    return f"greedy:{path}" if kind == "greedy" else str(path)


def _told(estimate: Estimate) -> dict[str, float | None]:
    interval = estimate.interval
    return {"value": estimate.value, "low": interval.low, "high": interval.high}
